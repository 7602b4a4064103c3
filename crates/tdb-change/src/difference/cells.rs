use std::cmp::Ordering;

use tdb_cells::{Column, FieldInfo};
use tdb_schema::value::{Value, read};
use tdb_tile::{Bug, Exact};

use super::form::Form;

/// A cell's value in its stored form, or its label if the field is enumerated; `None` is null.
pub type CellValue = Option<Box<[u8]>>;

/// One cell with the values of all fields, copied out of its batch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row(Vec<ComparedValue>);

/// A value, and the form in which it is compared if that is different.
#[derive(Clone, Debug)]
struct ComparedValue {
    stored: CellValue,
    form: CellValue,
}

impl ComparedValue {
    fn key(&self) -> Option<&[u8]> {
        self.form.as_deref().or(self.stored.as_deref())
    }

    fn bytes(&self) -> u64 {
        let len = |cell: &CellValue| cell.as_ref().map_or(0, |cell| cell.len()) as u64;
        len(&self.stored) + len(&self.form)
    }
}

impl PartialEq for ComparedValue {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ComparedValue {}

impl PartialOrd for ComparedValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ComparedValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// A row, borrowed from a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOf<'a> {
    pub(super) columns: &'a [Column],
    pub(super) row: usize,
}

/// A source of a cell's coordinates.
pub(super) trait Coordinates {
    /// Returns the coordinate along a dimension.
    fn coordinate(&self, dimension: usize) -> Result<&[u8], Bug>;
}

impl Coordinates for RowOf<'_> {
    fn coordinate(&self, dimension: usize) -> Result<&[u8], Bug> {
        let column = self.columns.get(dimension);
        let cell = column.and_then(|column| column.cell(self.row));
        cell.ok_or_else(short)
    }
}

impl Coordinates for &Row {
    fn coordinate(&self, dimension: usize) -> Result<&[u8], Bug> {
        let cell = self
            .0
            .get(dimension)
            .and_then(|cell| cell.stored.as_deref());
        cell.ok_or_else(short)
    }
}

fn short() -> Bug {
    Bug::new("a batch that is compared has too few columns or cells")
}

/// Compares the coordinates of two cells in row-major order.
pub(super) fn order_of(
    dimensions: &[FieldInfo],
    a: impl Coordinates,
    b: impl Coordinates,
) -> Result<Ordering, Bug> {
    for (index, dimension) in dimensions.iter().enumerate() {
        let order = dimension
            .datatype
            .compare(a.coordinate(index)?, b.coordinate(index)?);
        match order.ok_or_else(|| Bug::new("coordinates that have no order"))? {
            Ordering::Equal => {}
            order => return Ok(order),
        }
    }
    Ok(Ordering::Equal)
}

impl RowOf<'_> {
    /// Copies the row; `forms` states how each column is compared.
    pub(super) fn to_row(self, forms: &[Form]) -> Result<Row, Bug> {
        let cells = self.columns.iter().zip(forms).map(|(column, form)| {
            let stored = borrowed(column, self.row)?;
            let form = stored.filter(|_| *form != Form::Stored).map(|c| form.of(c));
            Ok(ComparedValue {
                stored: stored.map(Into::into),
                form: form.map(Into::into),
            })
        });
        cells.collect::<Result<_, Bug>>().map(Row)
    }
}

impl Row {
    pub(super) fn borrowed(&self) -> &Self {
        self
    }

    /// Returns the approximate memory of the row, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let cells = self.0.iter().map(ComparedValue::bytes);
        24 + cells.map(|cell| cell + 32).sum::<u64>()
    }

    /// Splits the row into the coordinates and the other values.
    pub(super) fn split(self, dimensions: usize) -> (Vec<CellValue>, Vec<CellValue>) {
        let cells = self.0.into_iter().map(|cell| cell.stored);
        let mut coordinates: Vec<CellValue> = cells.collect();
        let values = coordinates.split_off(dimensions.min(coordinates.len()));
        (coordinates, values)
    }

    /// Returns the indexes of the fields whose values differ from those of another row, not counting the first
    /// `dimensions` fields, which are not compared.
    pub(super) fn differing(&self, other: &Self, dimensions: usize) -> Vec<usize> {
        let pairs = self
            .0
            .iter()
            .zip(&other.0)
            .skip(dimensions)
            .enumerate()
            .filter(|(_, (before, after))| before != after);
        pairs.map(|(index, _)| index).collect()
    }
}

/// Returns the value of a cell, or its label if the column is enumerated. An index outside of the enumeration counts
/// as null.
fn borrowed(column: &Column, row: usize) -> Result<Option<&[u8]>, Bug> {
    if !column.is_valid(row) {
        return Ok(None);
    }
    let cell = column.cell(row).ok_or_else(short)?;
    let Some(labels) = &column.enumeration else {
        return Ok(Some(cell));
    };
    let index: Option<usize> = match read(column.datatype, cell) {
        Some(Value::Signed(index)) => index.try_into().ok(),
        Some(Value::Unsigned(index)) => index.try_into().ok(),
        _ => None,
    };
    Ok(index.and_then(|index| labels.value(index)))
}

/// Cells of a column from a row on, and the form in which they are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnCells<'a> {
    pub(super) column: &'a Column,
    pub(super) row: usize,
    pub(super) form: Form,
}

/// True if the first `rows` cells of two columns are equal.
pub(super) fn same_cells(
    one: ColumnCells<'_>,
    other: ColumnCells<'_>,
    rows: usize,
) -> Result<bool, Bug> {
    let (a, b) = (one.column, other.column);
    let same_labels = match (&a.enumeration, &b.enumeration) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            std::sync::Arc::ptr_eq(one, other)
                || (one.data() == other.data() && one.offsets() == other.offsets())
        }
        _ => false,
    };
    let can_be_null = |column: &Column| column.validity.is_some();
    let same_type = a.datatype == b.datatype && a.cell_val_num == b.cell_val_num;
    let is_stored = one.form == Form::Stored && other.form == Form::Stored;
    if same_labels && !can_be_null(a) && !can_be_null(b) && same_type && is_stored {
        return same_bytes(one, other, rows);
    }
    for row in 0..rows {
        let (of_one, of_other) = (borrowed(a, one.row + row)?, borrowed(b, other.row + row)?);
        if of_one.map(|cell| one.form.of(cell)) != of_other.map(|cell| other.form.of(cell)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// As `same_cells`, for cells that are equal exactly if their bytes are.
fn same_bytes(one: ColumnCells<'_>, other: ColumnCells<'_>, rows: usize) -> Result<bool, Bug> {
    let is_same = bytes_of(one.column, one.row, rows)? == bytes_of(other.column, other.row, rows)?;
    if !is_same || one.column.offsets.is_none() {
        return Ok(is_same);
    }
    let (starts, others) = (starts_of(one, rows)?, starts_of(other, rows)?);
    let (Some(first), Some(first_other)) = (starts.clone().next(), others.clone().next()) else {
        return Ok(true);
    };
    // Equal distances from the first start. Written as sums of 128 bits, which are exact whatever the offsets are.
    let sum = |a: u64, b: u64| u128::from(a) + u128::from(b);
    let mut pairs = starts.zip(others);
    Ok(pairs.all(|(start, other)| sum(start, first_other) == sum(other, first)))
}

/// Returns the offsets of `rows` cells of varying size.
fn starts_of(
    cells: ColumnCells<'_>,
    rows: usize,
) -> Result<impl Iterator<Item = u64> + Clone, Bug> {
    let end = cells.row.exact_add(rows)?;
    let offsets = cells.column.offset_values().get(cells.row..end);
    Ok(offsets.ok_or_else(short)?.iter().map(|at| at.get()))
}

/// Returns the bytes of `rows` cells.
fn bytes_of(column: &Column, row: usize, rows: usize) -> Result<&[u8], Bug> {
    let end = row.exact_add(rows)?;
    let place = |row: usize| -> Result<usize, Bug> {
        match column.cell_size() {
            Some(size) => row.checked_mul(size).ok_or_else(short),
            None => {
                let offset = column.offset_values().get(row).ok_or_else(short)?;
                usize::try_from(offset.get()).map_err(|_| short())
            }
        }
    };
    column
        .values
        .get(place(row)?..place(end)?)
        .ok_or_else(short)
}
