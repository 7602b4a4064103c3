//! The cells of a field, as input of a condition.

use tdb_cells::CellsError;
use tdb_schema::CellValNum;
use tdb_tile::{Bug, Exact};

use crate::kernel;
use crate::resolved::ResolvedField;

/// The decoded cells of one field.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldCells<'a> {
    /// The values; may be empty if [`ResolvedField::reads_values`] is false.
    pub values: &'a [u8],
    /// Var-sized fields: start of each cell in `values`, in bytes, and the end of the last.
    pub offsets: Option<&'a [u64]>,
    /// One byte per cell, 0 if it is null; `None` if no cell is null.
    pub validity: Option<&'a [u8]>,
}

/// The bytes of some rows of a field of fixed size.
pub(crate) fn cells_of_rows<'a>(
    field: &ResolvedField,
    cells: &FieldCells<'a>,
    rows: std::ops::Range<usize>,
) -> Result<&'a [u8], Bug> {
    let Some((datatype, CellValNum::Fixed(n))) = field.stored else {
        return Err(Bug::new("numbers of a field whose cells vary in size"));
    };
    let size = datatype.size().exact_mul(n as usize)?;
    let bytes = rows.start.exact_mul(size)?..rows.end.exact_mul(size)?;
    part(cells.values, bytes)
}

/// The text of each of some rows; never `None`, but optional so that callers can mark nulls.
pub(crate) fn text_of_rows<'a>(
    field: &ResolvedField,
    cells: &FieldCells<'a>,
    rows: std::ops::Range<usize>,
) -> Result<Vec<Option<&'a [u8]>>, CellsError> {
    let (Some((datatype, CellValNum::Fixed(n))), None) = (field.stored, cells.offsets) else {
        let offsets = cells
            .offsets
            .ok_or_else(|| Bug::new("strings without offsets"))?;
        let offsets = part(offsets, rows.start..rows.end.exact_add(1)?)?;
        let texts = offsets
            .array_windows()
            .enumerate()
            .map(|(row, [start, end])| {
                let range = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
                let text = range.and_then(|(start, end)| cells.values.get(start..end));
                text.map(Some)
                    .ok_or_else(|| kernel::broken_offsets(row).into())
            });
        return texts.collect();
    };
    let size = datatype.size().exact_mul(n as usize)?;
    if size == 0 {
        return Err(Bug::new("strings of no bytes").into());
    }
    let bytes = cells_of_rows(field, cells, rows)?;
    Ok(bytes.chunks_exact(size).map(Some).collect())
}

/// Returns a part of a slice whose length was checked before.
pub(crate) fn part<T>(all: &[T], range: std::ops::Range<usize>) -> Result<&[T], Bug> {
    let part = all.get(range);
    part.ok_or_else(|| Bug::new("cells of a condition that were counted are not there"))
}
