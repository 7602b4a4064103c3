//! Queries that write.

use tdb::engine::array::TimestampedName;
use tdb::engine::cells::{Batch, CellProblem, Column};
use tdb::engine::query::OffsetFormat;
use tdb::engine::schema::{ArraySchema, Field};
use tdb::engine::write::{Duplicates, WriteError, WriteOptions, WriteOrder, Writer};
use tdb::{OpenArray, Settings};

use super::buffers::{NamedBuffers, offset_format};
use crate::border::{Error, Result, pointers};
use crate::constants::*;
use crate::datatypes;
use crate::subarray::Ranges;

/// What a query writes into, and how.
pub(crate) struct WriteRequest<'a> {
    pub(crate) array: &'a OpenArray,
    pub(crate) settings: &'a Settings,
    pub(crate) ranges: &'a Ranges,
    pub(crate) layout: tiledb_layout_t,
    pub(crate) time: Option<u64>,
}

impl WriteRequest<'_> {
    fn schema(&self) -> &ArraySchema {
        self.array.schema()
    }

    /// Begins a write.
    ///
    /// # Errors
    /// Fails if the array cannot be written so.
    pub(crate) fn begin(&self) -> Result<Writer> {
        let schema = self.schema();
        let order = match (self.layout, schema.is_dense()) {
            (TILEDB_GLOBAL_ORDER, _) => WriteOrder::Global,
            (TILEDB_ROW_MAJOR, true) => WriteOrder::RowMajor,
            (TILEDB_COL_MAJOR, true) => WriteOrder::ColumnMajor,
            (TILEDB_UNORDERED, false) => WriteOrder::Unordered,
            (TILEDB_UNORDERED, true) => {
                let text = "Cannot set layout; Unordered writes are only possible to sparse arrays";
                return Err(Error::new("Query", text));
            }
            _ => {
                let text =
                    "Cannot set layout; sparse arrays are written in global order or unordered";
                return Err(Error::new("Query", text));
            }
        };
        if self.ranges.dimensions.iter().any(|ranges| ranges.len() > 1) {
            let text = "Cannot set query subarray; Multi-range dense writes are not supported";
            return Err(Error::new("Query", text));
        }
        let is_on = |name: &str| self.settings.get(name) == Some("true");
        let duplicates = if schema.allows_duplicates || schema.is_dense() {
            None
        } else if is_on("sm.dedup_coords") {
            Some(Duplicates::First)
        } else {
            Some(Duplicates::Error)
        };
        let named = schema.dimensions.iter().zip(&self.ranges.dimensions);
        let ranges = named.filter_map(|(dimension, ranges)| {
            Some((dimension.name.clone(), ranges.first()?.clone()))
        });
        let ranges = if schema.is_dense() {
            ranges.collect()
        } else {
            Vec::new()
        };
        let options = WriteOptions::default()
            .timestamp(self.time)
            .order(Some(order))
            .ranges(ranges)
            .duplicates(duplicates);
        let session = self.array.context().shared_session();
        Writer::open(session, self.array.engine(), &options)
            .map_err(|error| self.array.failed(error).into())
    }

    /// Reads the program's buffers as cells.
    ///
    /// # Errors
    /// Fails if buffers are missing, or have different numbers of cells.
    ///
    /// # Safety
    /// The buffers may be read.
    pub(crate) unsafe fn cells(&self, buffers: &[NamedBuffers]) -> Result<Batch> {
        let format = offset_format(self.settings)?;
        let mut batch = Batch::default();
        let mut first: Option<&str> = None;
        for named in buffers {
            let found = self.schema().field(&named.name);
            let field = found.ok_or_else(|| {
                Error::new(
                    "Query",
                    format!("Cannot write; there is no field '{}'", named.name),
                )
            })?;
            named.check(&field)?;
            let (rows, column) = column(named, &field, format)?;
            if let Some(first) = first.filter(|_| rows != batch.rows) {
                let text = format!(
                    "Buffer sizes check failed; Expected {} cells in the buffers of '{}' as in those of '{first}', and there are {rows}",
                    batch.rows, named.name
                );
                return Err(Error::new("Writer", text));
            }
            first = Some(&named.name);
            batch.rows = rows;
            batch.columns.push(column);
        }
        Ok(batch)
    }
}

/// Ends a write, and returns the names of its fragments.
///
/// # Errors
/// Those of the store, and cells with equal coordinates, of which the first is shown if it is in `batch`.
pub(crate) fn finish(
    writer: Writer,
    array: &OpenArray,
    batch: Option<&Batch>,
) -> Result<Vec<TimestampedName>> {
    writer.finish().map_err(|error| failed(error, array, batch))
}

/// Adds cells to a write.
///
/// # Errors
/// As for [`finish`], and cells that do not fit the array.
pub(crate) fn push(writer: &mut Writer, array: &OpenArray, batch: &Batch) -> Result<()> {
    writer
        .push(batch)
        .map_err(|error| failed(error, array, Some(batch)))
}

/// Says of cells with wrong coordinates what TileDB says, which programs look for.
fn failed(error: WriteError, array: &OpenArray, batch: Option<&Batch>) -> Error {
    let WriteError::Cell { cell, problem, .. } = &error else {
        return array.failed(error).into();
    };
    let shown = |cell: u64| {
        let coordinates = batch.and_then(|batch| coordinates(batch, array, cell));
        coordinates.unwrap_or_else(|| format!("of cell {cell}"))
    };
    let text = match problem {
        CellProblem::Duplicate { .. } => {
            format!("Duplicate coordinates ({}) are not allowed", shown(*cell))
        }
        CellProblem::NotSorted { other } => format!(
            "Write failed; Coordinates ({}) succeed ({}) in the global order",
            shown(*other),
            shown(*cell)
        ),
        CellProblem::OutsideCurrentDomain { .. } => {
            format!("Cells are written outside of the defined current domain; {error}")
        }
        _ => return array.failed(error).into(),
    };
    Error::new("Writer", text)
}

/// Returns the coordinates of a cell as text.
fn coordinates(batch: &Batch, array: &OpenArray, cell: u64) -> Option<String> {
    let row = usize::try_from(cell).ok()?;
    let shown = array.schema().dimensions.iter().map(|dimension| {
        let bytes = batch.column(&dimension.name)?.cell(row)?;
        Some(datatypes::shown(dimension.datatype, bytes))
    });
    Some(shown.collect::<Option<Vec<_>>>()?.join(", "))
}

/// Copies the cells of a field out of the program's buffers.
unsafe fn column(
    named: &NamedBuffers,
    field: &Field<'_>,
    format: OffsetFormat,
) -> Result<(usize, Column)> {
    let mut values = match &named.values {
        Some(values) => values.given()?,
        None => &[],
    };
    let (rows, offsets) = match (field.cell_size(), &named.offsets) {
        (Some(size), _) => {
            let size = pointers::index(size)?;
            if !values.len().is_multiple_of(size) {
                let text = format!(
                    "Buffer size of '{}' is not a multiple of its cells' size",
                    field.name
                );
                return Err(Error::new("Writer", text));
            }
            let rows = values.len().checked_div(size);
            (
                rows.ok_or_else(|| Error::new("Writer", "a cell without bytes"))?,
                None,
            )
        }
        (None, Some(offsets)) => {
            let mut ends = offsets_of(offsets.given()?, values.len(), field, format)?;
            values = rebase(values, &mut ends)?;
            // The end of the last cell is none of a cell's own.
            (ends.len() - 1, Some(ends))
        }
        (None, None) => (0, Some(vec![0])),
    };
    let validity = match &named.validity {
        Some(validity) if field.nullable => Some(bits(validity.given()?, rows, field)?),
        _ => None,
    };
    let offset_bytes = offsets.map(|offsets| -> Vec<u8> {
        offsets
            .iter()
            .flat_map(|offset| offset.to_le_bytes())
            .collect()
    });
    let column = Column {
        name: field.name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: values.to_vec().into(),
        offsets: offset_bytes.map(Into::into),
        validity: validity.map(Into::into),
        enumeration: None,
    };
    Ok((rows, column))
}

/// Reads offsets as bytes, with the end of the last cell.
fn offsets_of(
    bytes: &[u8],
    end: usize,
    field: &Field<'_>,
    format: OffsetFormat,
) -> Result<Vec<u64>> {
    let invalid = |why: &str| {
        Error::new(
            "Writer",
            format!("Invalid offsets for attribute {}; {why}", field.name),
        )
    };
    let size = if format.narrow { 4 } else { 8 };
    if !bytes.len().is_multiple_of(size) {
        return Err(invalid("their size is not that of whole offsets"));
    }
    let unit = if format.counts_values {
        field.datatype.size() as u64
    } else {
        1
    };
    let mut offsets = Vec::with_capacity(bytes.len() / size + 1);
    for offset in bytes.chunks_exact(size) {
        let mut wide = [0_u8; 8];
        if let Some(place) = wide.get_mut(..size) {
            place.copy_from_slice(offset);
        }
        let offset = u64::from_le_bytes(wide).checked_mul(unit);
        offsets.push(offset.ok_or_else(|| invalid("an offset is too large"))?);
    }
    if !format.has_end {
        offsets.push(end as u64);
    }
    if !offsets.is_sorted() {
        return Err(invalid("Offsets must be given in strictly ascending order"));
    }
    if offsets.is_empty() {
        return Err(invalid("the end of the last cell is missing"));
    }
    if offsets.last().is_some_and(|last| *last > end as u64) {
        return Err(invalid("they point outside the values"));
    }
    Ok(offsets)
}

/// Makes offsets begin at 0, and returns the values between the first and the last. A slice of an Arrow array begins
/// further on in the values of the whole one.
fn rebase<'a>(values: &'a [u8], offsets: &mut [u64]) -> Result<&'a [u8]> {
    let (first, last) = match &*offsets {
        [first, .., last] => (*first, *last),
        [only] => (*only, *only),
        [] => return Ok(&[]),
    };
    let taken = pointers::index(first)?..pointers::index(last)?;
    let outside = || Error::new("Writer", "Invalid offsets; they point outside the values");
    let taken = values.get(taken).ok_or_else(outside)?;
    if first > 0 {
        // None is below the first.
        offsets.iter_mut().for_each(|offset| *offset -= first);
    }
    Ok(taken)
}

/// Converts a byte per cell to a bit per cell.
fn bits(bytes: &[u8], rows: usize, field: &Field<'_>) -> Result<Vec<u8>> {
    if bytes.len() != rows {
        let text = format!(
            "Buffer sizes check failed; the validity of '{}' has {} cells, its values {rows}",
            field.name,
            bytes.len()
        );
        return Err(Error::new("Writer", text));
    }
    let packed = bytes.chunks(8).map(|cells| {
        let set = |(bit, valid): (usize, &u8)| u8::from(*valid != 0) << bit;
        cells
            .iter()
            .enumerate()
            .map(set)
            .fold(0, |all, bit| all | bit)
    });
    Ok(packed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_begins_further_on_in_the_values() {
        let mut offsets = [2, 5, 5, 6];
        assert_eq!(rebase(b"xxabcdyy", &mut offsets).unwrap(), b"abcd");
        assert_eq!(offsets, [0, 3, 3, 4]);
        let mut offsets = [0, 3];
        assert_eq!(rebase(b"abc", &mut offsets).unwrap(), b"abc");
        assert_eq!(offsets, [0, 3]);
        let mut of_no_cell = [2];
        assert_eq!(rebase(b"xxa", &mut of_no_cell).unwrap(), b"");
        assert_eq!(of_no_cell, [0]);
        assert!(rebase(b"abc", &mut [2, 4]).is_err());
    }
}
