//! Converts columns into Arrow arrays.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use bytes::Bytes;
use tdb_cells::Column;
use tdb_cells::files::ConversionError;
use tdb_schema::value::{is_padded, unpadded};

use crate::cells::{ColumnCells, build};
use crate::dates;
use crate::element::Element;

/// Converts the cells of a field that is not enumerated.
pub(crate) fn array(
    cells: &ColumnCells<'_>,
    element: &Element,
    data_type: &DataType,
    validity: Option<Buffer>,
) -> Result<ArrayRef, ConversionError> {
    let data = match data_type {
        DataType::LargeUtf8 => text(cells)?,
        DataType::LargeBinary => strings(cells, data_type)?,
        DataType::FixedSizeBinary(_) => {
            let values = Buffer::from(cells.column.values.clone());
            cells.build(data_type, vec![values], Vec::new(), cells.validity())?
        }
        DataType::FixedSizeList(item, _) => {
            let items = items(cells, element, item.data_type())?;
            cells.build(data_type, Vec::new(), vec![items], cells.validity())?
        }
        DataType::LargeList(item) => {
            let items = items(cells, element, item.data_type())?;
            let offsets = list_offsets(cells)?;
            cells.build(data_type, vec![offsets], vec![items], cells.validity())?
        }
        _ => numbers(cells, element, data_type, validity)?,
    };
    Ok(make_array(data))
}

fn strings(cells: &ColumnCells<'_>, data_type: &DataType) -> Result<ArrayData, ConversionError> {
    let column = cells.column;
    if is_padded(column.datatype, column.cell_val_num) {
        let buffers = unpadded_cells(cells)?;
        return cells.build(data_type, buffers, Vec::new(), cells.validity());
    }
    let values = Buffer::from(cells.column.values.clone());
    let offsets = cells.column.offsets.clone();
    let offsets = Buffer::from(offsets.ok_or_else(|| cells.fail("has no offsets"))?);
    cells.build(
        data_type,
        vec![offsets, values],
        Vec::new(),
        cells.validity(),
    )
}

/// Offsets and values of text of fixed size, without the padding NUL bytes.
fn unpadded_cells(cells: &ColumnCells<'_>) -> Result<Vec<Buffer>, ConversionError> {
    let column = cells.column;
    let mut offsets = Vec::with_capacity(cells.count + 1);
    let mut values = Vec::with_capacity(column.values.len());
    offsets.push(0_i64);
    for index in 0..cells.count {
        let cell = column
            .cell(index)
            .ok_or_else(|| cells.fail("holds too few cells"))?;
        values.extend_from_slice(unpadded(column.datatype, column.cell_val_num, cell));
        let end = i64::try_from(values.len());
        offsets.push(end.map_err(|_| cells.fail("is too large for Arrow"))?);
    }
    Ok(vec![Buffer::from(offsets), Buffer::from(values)])
}

/// Converts text. Validating all bytes at once is cheapest, so the invalid cell is searched only if that fails.
fn text(cells: &ColumnCells<'_>) -> Result<ArrayData, ConversionError> {
    let data_type = DataType::LargeUtf8;
    strings(cells, &data_type).or_else(|error| match without_null_cells(cells)? {
        Some(buffers) => cells.build(&data_type, buffers, Vec::new(), cells.validity()),
        None => Err(error),
    })
}

/// Offsets and values of valid cells only, because null cells may contain anything; `None` if a cell does not exist.
fn without_null_cells(cells: &ColumnCells<'_>) -> Result<Option<Vec<Buffer>>, ConversionError> {
    let column = cells.column;
    let (mut offsets, mut values) = (vec![0_i64], Vec::new());
    for index in 0..cells.count {
        let Some(cell) = column.cell(index) else {
            return Ok(None);
        };
        if cells.column.is_valid(index) {
            if std::str::from_utf8(cell).is_err() {
                return Err(ConversionError::NotUtf8 {
                    field: cells.column.name.clone(),
                    cell: cells.number(index),
                });
            }
            values.extend_from_slice(unpadded(column.datatype, column.cell_val_num, cell));
        }
        let end = i64::try_from(values.len());
        offsets.push(end.map_err(|_| cells.fail("is too large for Arrow"))?);
    }
    Ok(Some(vec![Buffer::from(offsets), Buffer::from(values)]))
}

/// The offsets of lists, converted from bytes to values.
fn list_offsets(cells: &ColumnCells<'_>) -> Result<Buffer, ConversionError> {
    let size = cells.column.datatype.size() as u64;
    let offsets = cells.column.offset_values().iter().map(|offset| {
        let offset = offset.get();
        (offset % size == 0)
            .then(|| i64::try_from(offset / size).ok())
            .flatten()
            .ok_or_else(|| cells.fail("a cell does not begin with a value"))
    });
    Ok(Buffer::from(offsets.collect::<Result<Vec<i64>, _>>()?))
}

/// Converts cells of one value.
fn numbers(
    cells: &ColumnCells<'_>,
    element: &Element,
    data_type: &DataType,
    validity: Option<Buffer>,
) -> Result<ArrayData, ConversionError> {
    match element {
        Element::Bool => {
            let bits = bits(&cells.column.values, cells.count);
            cells.build(data_type, vec![bits], Vec::new(), validity)
        }
        Element::Date(datatype) => {
            let (days, dated) = dates::days(cells, *datatype, cells.count, |index| index)?;
            let valid = dated.map(|dated| {
                let valid = |index| dated.value(index) && cells.column.is_valid(index);
                BooleanBuffer::collect_bool(cells.count, valid).into_inner()
            });
            let validity = valid.or(validity);
            cells.build(data_type, vec![days], Vec::new(), validity)
        }
        Element::Stamp { unit, times } => {
            let stamps = dates::stamps(cells, *unit, *times, cells.count, |index| index)?;
            cells.build(data_type, vec![stamps], Vec::new(), validity)
        }
        _ => {
            let values = Buffer::from(cells.column.values.clone());
            cells.build(data_type, vec![values], Vec::new(), validity)
        }
    }
}

/// Converts the values of cells that contain several values each.
fn items(
    cells: &ColumnCells<'_>,
    element: &Element,
    data_type: &DataType,
) -> Result<ArrayData, ConversionError> {
    let values = &cells.column.values;
    let count = values.len() / cells.column.datatype.size();
    let cell = |index| cell_of(cells.column, index);
    let (buffer, validity) = match element {
        Element::Bool => (bits(values, count), None),
        Element::Date(datatype) => {
            let (days, dated) = dates::days(cells, *datatype, count, cell)?;
            (days, dated.map(BooleanBuffer::into_inner))
        }
        Element::Stamp { unit, times } => (dates::stamps(cells, *unit, *times, count, cell)?, None),
        _ => (Buffer::from(values.clone()), None),
    };
    build(data_type, count, vec![buffer], Vec::new(), validity)
}

/// The cell that contains the value at `index`.
fn cell_of(column: &Column, index: usize) -> usize {
    let offset = index * column.datatype.size();
    match column.cell_size() {
        Some(size) => offset / size.max(1),
        None => (column.offset_values()).partition_point(|start| start.get() <= offset as u64) - 1,
    }
}

fn bits(values: &Bytes, count: usize) -> Buffer {
    BooleanBuffer::collect_bool(count, |index| {
        values.get(index).is_some_and(|&byte| byte != 0)
    })
    .into_inner()
}
