//! The datatypes for Arrow types.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, TimeUnit};
use tdb_cells::FieldInfo;
use tdb_cells::files::OutputOptions;
use tdb_schema::value::is_padded;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::Datatype;

use crate::element::{ArrowTarget, Element};
use crate::mapping::{CELL_VAL_NUM, DATATYPE};

/// The original datatype in a column's metadata; for dictionaries, that of the indexes.
pub(super) fn said_type(metadata: &HashMap<String, String>) -> Option<(Datatype, CellValNum)> {
    let datatype = Datatype::from_name(metadata.get(DATATYPE)?)?;
    let values = match metadata.get(CELL_VAL_NUM)?.as_str() {
        "var" => CellValNum::Var,
        number => CellValNum::Fixed(number.parse().ok().filter(|n| *n > 0)?),
    };
    Some((datatype, values))
}

/// The datatype and number of values per cell that are closest to an Arrow type.
pub(super) fn of_arrow(data_type: &DataType) -> Option<(Datatype, CellValNum)> {
    use DataType as A;
    use Datatype as D;
    let one = CellValNum::Fixed(1);
    Some(match data_type {
        A::Null | A::Utf8 | A::LargeUtf8 | A::Utf8View => (D::StringUtf8, CellValNum::Var),
        A::Binary | A::LargeBinary | A::BinaryView => (D::Blob, CellValNum::Var),
        A::FixedSizeBinary(n) => (
            D::Blob,
            CellValNum::Fixed(u32::try_from(*n).ok().filter(|n| *n > 0)?),
        ),
        A::FixedSizeList(item, n) => {
            let (datatype, values) = of_arrow(item.data_type())?;
            let n = u32::try_from(*n).ok().filter(|n| *n > 0)?;
            (values == one).then_some((datatype, CellValNum::Fixed(n)))?
        }
        A::List(item) | A::LargeList(item) => {
            let (datatype, values) = of_arrow(item.data_type())?;
            (values == one).then_some((datatype, CellValNum::Var))?
        }
        A::Boolean => (D::Bool, one),
        A::Int8 => (D::Int8, one),
        A::Int16 => (D::Int16, one),
        A::Int32 => (D::Int32, one),
        A::Int64 => (D::Int64, one),
        A::UInt8 => (D::UInt8, one),
        A::UInt16 => (D::UInt16, one),
        A::UInt32 => (D::UInt32, one),
        A::UInt64 => (D::UInt64, one),
        // The smallest datatype that holds all of them.
        A::Float16 | A::Float32 => (D::Float32, one),
        A::Float64 => (D::Float64, one),
        A::Date32 => (D::DateTimeDay, one),
        A::Date64 => (D::DateTimeMillisecond, one),
        A::Timestamp(unit, _) => (moment(*unit), one),
        A::Duration(unit) | A::Time32(unit) | A::Time64(unit) => (length(*unit), one),
        _ => return None,
    })
}

fn moment(unit: TimeUnit) -> Datatype {
    match unit {
        TimeUnit::Second => Datatype::DateTimeSecond,
        TimeUnit::Millisecond => Datatype::DateTimeMillisecond,
        TimeUnit::Microsecond => Datatype::DateTimeMicrosecond,
        TimeUnit::Nanosecond => Datatype::DateTimeNanosecond,
    }
}

fn length(unit: TimeUnit) -> Datatype {
    match unit {
        TimeUnit::Second => Datatype::TimeSecond,
        TimeUnit::Millisecond => Datatype::TimeMillisecond,
        TimeUnit::Microsecond => Datatype::TimeMicrosecond,
        TimeUnit::Nanosecond => Datatype::TimeNanosecond,
    }
}

/// Returns a field that can store a column of a query result: with the original datatype in the metadata if the Arrow
/// type still matches it, otherwise with the closest one. `None` if no datatype can hold the values.
#[must_use]
pub fn field_of_column(column: &Field, place: usize) -> Option<FieldInfo> {
    let data_type = match column.data_type() {
        DataType::Dictionary(_, values) => values,
        data_type => data_type,
    };
    let is_same = |(datatype, values): &(Datatype, CellValNum)| {
        let target = ArrowTarget::usual(OutputOptions::default());
        let arrow = Element::new(*datatype, target).of_cells(column.name(), *datatype, *values);
        arrow.is_ok_and(|arrow| arrow == *data_type)
    };
    let said = said_type(column.metadata())
        .map(|(datatype, values)| {
            // Queries convert text of fixed size into text of any size.
            let is_any =
                is_padded(datatype, values) && !matches!(data_type, DataType::FixedSizeBinary(_));
            (datatype, if is_any { CellValNum::Var } else { values })
        })
        .filter(is_same);
    let (datatype, cell_val_num) = said.or_else(|| of_arrow(data_type))?;
    Some(FieldInfo {
        name: column.name().clone(),
        datatype,
        cell_val_num,
        nullable: true,
        enumeration: None,
        field: FieldKind::Attribute(place),
    })
}
