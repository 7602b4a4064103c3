use std::sync::Arc;

use bytes::Bytes;
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Datatype, Scalar};
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

use crate::CellsError;
use crate::field::{cell_size, check_numbers};

/// The cells of one field, in Arrow's memory layout without its types.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name of the field.
    pub name: String,
    /// Type of its values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells can be null.
    pub nullable: bool,
    /// The values of all cells, little-endian, aligned to 64 bytes.
    pub values: Bytes,
    /// Var-sized fields: where each cell begins in `values`, in bytes, and the end: rows + 1 little-endian `u64`.
    pub offsets: Option<Bytes>,
    /// One bit per cell, least significant first, 1 where the cell is not null; absent where all are valid.
    pub validity: Option<Bytes>,
    /// The labels that the values are indexes of.
    pub enumeration: Option<Arc<Enumeration>>,
}

impl Column {
    /// Bytes of one cell of a field of fixed size.
    #[must_use]
    pub fn cell_size(&self) -> Option<usize> {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// The bytes of the cell at `row`; whether it is null, [`Column::is_valid`] tells.
    #[must_use]
    pub fn cell(&self, row: usize) -> Option<&[u8]> {
        match self.cell_size() {
            Some(size) => self
                .values
                .get(row.checked_mul(size)?..row.checked_add(1)?.checked_mul(size)?),
            None => {
                let offsets = self.offset_values();
                let (start, end) = (
                    offsets.get(row)?.get(),
                    offsets.get(row.checked_add(1)?)?.get(),
                );
                self.values
                    .get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
        }
    }

    /// Where the cells of a var-sized field begin, and the end; empty for fields of fixed size.
    #[must_use]
    pub fn offset_values(&self) -> &[U64] {
        self.offsets
            .as_ref()
            .and_then(|o| <[U64]>::ref_from_bytes(o).ok())
            .unwrap_or(&[])
    }

    /// Whether the cell at `row` is not null.
    #[must_use]
    pub fn is_valid(&self, row: usize) -> bool {
        self.validity.as_ref().is_none_or(|bits| {
            bits.get(row / 8)
                .is_some_and(|byte| byte >> (row % 8) & 1 == 1)
        })
    }

    /// Keeps the first `rows` cells.
    fn cut(&mut self, rows: usize) -> Result<(), Bug> {
        let end = match self.cell_size() {
            Some(size) => rows.checked_mul(size),
            None => {
                let end = self.offset_values().get(rows);
                end.and_then(|end| usize::try_from(end.get()).ok())
            }
        };
        let end = end.filter(|end| *end <= self.values.len());
        let end = end.ok_or_else(|| Bug::new("a column has fewer cells than its batch"))?;
        self.values.truncate(end);
        if let Some(offsets) = &mut self.offsets {
            offsets.truncate(rows.saturating_add(1).saturating_mul(8));
        }
        if let Some(validity) = &mut self.validity {
            validity.truncate(rows.div_ceil(8));
        }
        Ok(())
    }

    /// The values of all cells, one after the other; what stands in null cells is among them. Dates and times are
    /// `i64`, booleans and bytes `u8`.
    ///
    /// # Errors
    /// [`CellsError::NumberType`] where the values of the field are of another type than `T`.
    pub fn numbers<'a, T: Scalar + 'a>(
        &'a self,
    ) -> Result<impl Iterator<Item = T> + 'a, CellsError> {
        check_numbers::<T>(&self.name, self.datatype)?;
        Ok(T::read_all(&self.values))
    }
}

/// Cells of several fields: every column has the same number of them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Cells of each column.
    pub rows: usize,
    /// The columns, in the order in which they were asked for.
    pub columns: Vec<Column>,
}

impl Batch {
    /// The column of a field.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Bytes of the values of all columns.
    pub(crate) fn value_bytes(&self) -> usize {
        let sizes = self.columns.iter().map(|column| column.values.len());
        sizes.fold(0, usize::saturating_add)
    }

    /// The first `rows` cells of each column, without a copy.
    ///
    /// # Errors
    /// Columns with fewer cells than the batch says.
    pub fn first(mut self, rows: u64) -> Result<Self, Bug> {
        // More than memory holds are more than the batch has.
        let Some(rows) = usize::try_from(rows).ok().filter(|rows| *rows < self.rows) else {
            return Ok(self);
        };
        for column in &mut self.columns {
            column.cut(rows)?;
        }
        self.rows = rows;
        Ok(self)
    }
}
