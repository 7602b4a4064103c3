//! Minima and maxima of columns, from the statistics of tiles.

use arrow_schema::DataType;
use datafusion::common::stats::Precision;
use datafusion::common::{Result, ScalarValue, Statistics};
use tdb_aggregate::{Aggregate, Function, Outcome, known_aggregates};
use tdb_arrow::Mapping;
use tdb_cells::files::OutputOptions;
use tdb_cells::{Batch, Column, FieldInfo};

use crate::source::Source;

/// Maximum number of fragments whose statistics are fetched for this.
const MOST_FRAGMENTS: usize = 1000;

/// Fills in the statistics of columns of integers, dates and times; SQL may order other types differently.
pub(crate) fn known_columns(
    source: &Source,
    columns: &[usize],
    statistics: &mut Statistics,
) -> Result<()> {
    if source.array.fragments().len() > MOST_FRAGMENTS {
        return Ok(());
    }
    for (column, known) in columns.iter().zip(&mut statistics.column_statistics) {
        let field = source.fields.get(*column);
        let Some((info, column)) = field.zip(source.schema.fields().get(*column)) else {
            continue;
        };
        if !is_ordered_alike(column.data_type()) {
            continue;
        }
        let wanted = [Function::Min, Function::Max, Function::NullCount]
            .map(|function| Aggregate::of(function, &info.name));
        let told = known_aggregates(&source.session, &source.array, &wanted)
            .map_err(|error| source.failed(error))?;
        let Some([least, greatest, nulls]) = told.as_deref() else {
            continue;
        };
        if let (Some(least), Some(greatest)) = (
            as_column_has_it(source, info, least)?,
            as_column_has_it(source, info, greatest)?,
        ) {
            known.min_value = Precision::Exact(least);
            known.max_value = Precision::Exact(greatest);
        }
        if let Outcome::Unsigned(nulls) = nulls
            && let Ok(nulls) = usize::try_from(*nulls)
        {
            known.null_count = Precision::Exact(nulls);
        }
    }
    Ok(())
}

fn is_ordered_alike(data_type: &DataType) -> bool {
    data_type.is_integer() || matches!(data_type, DataType::Date32 | DataType::Timestamp(_, None))
}

/// Converts a value of a field to the type of its column: hours of an array become seconds.
fn as_column_has_it(
    source: &Source,
    info: &FieldInfo,
    outcome: &Outcome,
) -> Result<Option<ScalarValue>> {
    let Outcome::Value(_, bytes) = outcome else {
        return Ok(None);
    };
    let cell = Batch {
        rows: 1,
        columns: vec![Column {
            name: info.name.clone(),
            datatype: info.datatype,
            cell_val_num: info.cell_val_num,
            nullable: info.nullable,
            values: bytes.clone().into(),
            offsets: None,
            validity: None,
            enumeration: None,
        }],
    };
    let mapping = Mapping::for_queries(std::slice::from_ref(info), OutputOptions::default());
    let row = mapping
        .and_then(|mut mapping| mapping.record_batch(&cell))
        .map_err(|error| source.failed(error))?;
    ScalarValue::try_from_array(row.column(0), 0).map(Some)
}
