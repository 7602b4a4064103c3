//! The result of inspecting a column of a file: the field that can store it.

use tdb_schema::value::NOT_A_TIME;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Range, Scalar, with_scalar};

use crate::{Column, FieldInfo};

/// A field that can store a column of a file, and facts about the column's cells.
#[derive(Clone, Debug)]
pub struct ColumnGuess {
    /// Name of the column.
    pub name: String,
    /// A datatype that can hold every cell.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// Whether a cell is null, or the file declares that cells may be.
    pub nullable: bool,
    /// For text: whether all of it is ASCII.
    pub is_ascii: bool,
    /// The least and the greatest cell; `None` if cells are not single numbers, or there are none.
    pub range: Option<Range>,
    /// The labels, if cells are indexes of labels.
    pub labels: Option<Labels>,
    /// Number of cells.
    pub cells: u64,
}

/// The labels of an enumerated column.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Name of their enumeration, if the file stores it.
    pub name: Option<String>,
    /// Datatype of the labels.
    pub datatype: Datatype,
    /// Number of values per label.
    pub cell_val_num: CellValNum,
    /// Whether the order of the labels has a meaning.
    pub ordered: bool,
    /// The labels, each in stored form.
    pub values: Vec<Vec<u8>>,
}

impl Labels {
    /// Whether both have the same labels, types and order flag; names are ignored.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let kind = |labels: &Self| (labels.datatype, labels.cell_val_num, labels.ordered);
        kind(self) == kind(other) && self.values == other.values
    }
}

impl ColumnGuess {
    /// Describes the field that can store the column.
    #[must_use]
    pub fn field(&self, field: FieldKind) -> FieldInfo {
        FieldInfo {
            name: self.name.clone(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: self.nullable,
            enumeration: None,
            field,
        }
    }
}

/// Finds the least and the greatest number of a column, batch by batch.
#[derive(Clone, Debug, Default)]
pub struct SeenRange {
    range: Option<Range>,
}

impl SeenRange {
    /// Takes the cells of the next batch into account, if each is one number. Nulls, NaN and NaT are ignored. All
    /// batches must have the same datatype.
    pub fn see(&mut self, column: &Column) {
        if column.cell_val_num != CellValNum::Fixed(1) {
            return;
        }
        let is_time = column.datatype.is_datetime() || column.datatype.is_time();
        let not_a_time = NOT_A_TIME.to_le_bytes();
        let none = if is_time { &not_a_time[..] } else { &[] };
        let range = with_scalar!(column.datatype, T => ends::<T>(column, none));
        self.join(column.datatype, Self { range });
    }

    /// Adds the range of later cells of the same column, which were inspected separately.
    pub fn join(&mut self, datatype: Datatype, later: Self) {
        self.range = match (self.range.take(), later.range) {
            (Some(a), Some(b)) => with_scalar!(datatype, T => joined::<T>(&a, &b)),
            (a, b) => a.or(b),
        };
    }

    /// Returns the range; `None` if there was no number.
    #[must_use]
    pub fn finish(self) -> Option<Range> {
        self.range
    }
}

/// Returns the least and the greatest number, ignoring nulls and the value `none`.
fn ends<T: Scalar>(column: &Column, none: &[u8]) -> Option<Range> {
    let none = T::read(none);
    let values = T::read_all(&column.values);
    let ends = if column.validity.is_some() {
        let values = values.enumerate();
        let valid = values.filter(|(row, _)| column.is_valid(*row));
        ends_of(valid.map(|(_, value)| value), none)
    } else {
        ends_of(values, none)
    };
    ends.map(|(lo, hi)| range(lo, hi))
}

/// Returns the least and the greatest number; of equal ones (0.0 and -0.0), the first.
fn ends_of<T: Scalar>(values: impl Iterator<Item = T>, none: Option<T>) -> Option<(T, T)> {
    // NaN does not equal itself.
    let is_number = |value: &T| value.partial_cmp(value).is_some() && Some(*value) != none;
    let mut numbers = values.filter(is_number);
    let first = numbers.next()?;
    Some(numbers.fold((first, first), |(lo, hi), value| {
        (
            if value < lo { value } else { lo },
            if value > hi { value } else { hi },
        )
    }))
}

fn joined<T: Scalar>(a: &Range, b: &Range) -> Option<Range> {
    let ((a, b), (c, d)) = (a.ends::<T>()?, b.ends::<T>()?);
    Some(range(if c < a { c } else { a }, if d > b { d } else { b }))
}

fn range<T: Scalar>(lo: T, hi: T) -> Range {
    let bytes = |value: T| {
        let mut out = Vec::new();
        value.write(&mut out);
        out
    };
    Range::new(bytes(lo), bytes(hi))
}
