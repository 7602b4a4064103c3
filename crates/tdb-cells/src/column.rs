use std::sync::Arc;

use bytes::Bytes;
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Datatype, Exact, Scalar};
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

use crate::CellsError;
use crate::field::{cell_size, check_numbers};

/// The cells of one field, in Arrow's memory layout without its types.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name of the field.
    pub name: String,
    /// Datatype of the values.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells can be null.
    pub nullable: bool,
    /// The values of all cells, little-endian, aligned to 64 bytes.
    pub values: Bytes,
    /// Var-sized fields: start of each cell in `values`, in bytes, and the end of the last: rows + 1 little-endian
    /// `u64`.
    pub offsets: Option<Bytes>,
    /// One bit per cell, least significant first, 1 if the cell is not null; `None` if all cells are valid.
    pub validity: Option<Bytes>,
    /// The labels, if the values are indexes into an enumeration.
    pub enumeration: Option<Arc<Enumeration>>,
}

impl Column {
    /// Creates a column of numbers, one in each cell, without nulls.
    ///
    /// ```
    /// use tdb_cells::Column;
    /// use tdb_tile::Datatype;
    ///
    /// let rain = Column::of_numbers("rain", Datatype::Float32, &[0.5_f32, 0.0, 7.25])?;
    /// assert_eq!(rain.cell(2), Some(&7.25_f32.to_le_bytes()[..]));
    /// # Ok::<(), tdb_cells::CellsError>(())
    /// ```
    ///
    /// # Errors
    /// [`CellsError::NumberType`] if values of `datatype` are of another type than `T`; dates and times are `i64`,
    /// booleans and bytes `u8`.
    pub fn of_numbers<T: Scalar>(
        name: &str,
        datatype: Datatype,
        numbers: &[T],
    ) -> Result<Self, CellsError> {
        check_numbers::<T>(name, datatype)?;
        let mut values = Vec::new();
        for number in numbers {
            number.write(&mut values);
        }
        Ok(Self {
            name: name.to_owned(),
            datatype,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            values: values.into(),
            offsets: None,
            validity: None,
            enumeration: None,
        })
    }

    /// Bytes of one cell; `None` for a var-sized field.
    #[must_use]
    pub fn cell_size(&self) -> Option<usize> {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// The bytes of the cell at `row`, also if it is null (see [`Column::is_valid`]); `None` if there is no such row.
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

    /// Start of each cell of a var-sized field in `values`, and the end of the last; empty for fields of fixed size.
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
        let Some(end) = end.filter(|end| *end <= self.values.len()) else {
            return Err(Bug::new("a column has fewer cells than its batch"));
        };
        self.values.truncate(end);
        if let Some(offsets) = &mut self.offsets {
            offsets.truncate(rows.exact_add(1)?.exact_mul(size_of::<U64>())?);
        }
        if let Some(validity) = &mut self.validity {
            validity.truncate(rows.div_ceil(8));
        }
        Ok(())
    }

    /// Iterates over the values of all cells, including the placeholders in null cells. Dates and times are `i64`,
    /// booleans and bytes `u8`.
    ///
    /// # Errors
    /// [`CellsError::NumberType`] if the values of the field are of another type than `T`.
    pub fn numbers<'a, T: Scalar + 'a>(
        &'a self,
    ) -> Result<impl Iterator<Item = T> + 'a, CellsError> {
        check_numbers::<T>(&self.name, self.datatype)?;
        Ok(T::read_all(&self.values))
    }
}

/// Cells of several fields; every column has the same number of cells.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Number of cells in each column.
    pub rows: usize,
    /// The columns, in the requested order.
    pub columns: Vec<Column>,
}

impl Batch {
    /// The column with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Bytes of the values of all columns.
    pub(crate) fn value_bytes(&self) -> usize {
        let sizes = self.columns.iter().map(|column| column.values.len());
        sizes.sum()
    }

    /// Keeps the first `rows` cells of each column, without a copy.
    ///
    /// # Errors
    /// A column has fewer cells than `self.rows`.
    pub fn first(mut self, rows: u64) -> Result<Self, Bug> {
        // A number that does not fit into `usize` is more than the batch has.
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
