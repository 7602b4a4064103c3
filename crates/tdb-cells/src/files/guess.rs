//! What is known of a column, and what field would take it.

use tdb_schema::value::NOT_A_TIME;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Range, Scalar, with_scalar};

use crate::{Column, FieldInfo};

/// What field would take a column, and what is known of its cells.
#[derive(Clone, Debug)]
pub struct ColumnGuess {
    /// Name of the column.
    pub name: String,
    /// A type that holds every cell.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether a cell is null, or whether the file says that one may be.
    pub nullable: bool,
    /// Whether all of it is ASCII, where it is text.
    pub is_ascii: bool,
    /// The least and the greatest cell, where cells are one number and there are any.
    pub range: Option<Range>,
    /// The labels, where cells are indexes of some, each in its stored form.
    pub labels: Option<Labels>,
    /// How many cells there are.
    pub cells: u64,
}

/// The labels of a column that is enumerated.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Of the enumeration that they were, where the file says so.
    pub name: Option<String>,
    /// Type of the labels.
    pub datatype: Datatype,
    /// Values per label.
    pub cell_val_num: CellValNum,
    /// Whether their order means something.
    pub ordered: bool,
    /// The labels.
    pub values: Vec<Vec<u8>>,
}

impl Labels {
    /// Whether they are the same labels, whatever their names.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let kind = |labels: &Self| (labels.datatype, labels.cell_val_num, labels.ordered);
        kind(self) == kind(other) && self.values == other.values
    }
}

impl ColumnGuess {
    /// The field that takes the column.
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

/// The least and the greatest of the numbers of a column, batch by batch.
#[derive(Clone, Debug, Default)]
pub struct SeenRange {
    range: Option<Range>,
}

impl SeenRange {
    /// Takes the next cells into account, if a cell is one number: neither nulls, nor NaN, nor a date or time that is
    /// none. All batches have cells of one datatype.
    pub fn see(&mut self, column: &Column) {
        if column.cell_val_num != CellValNum::Fixed(1) {
            return;
        }
        let is_time = column.datatype.is_datetime() || column.datatype.is_time();
        let none = is_time.then(|| NOT_A_TIME.to_le_bytes());
        let none = none.as_ref().map_or(&[][..], |none| none);
        let range = with_scalar!(column.datatype, T => ends::<T>(column, none));
        self.join(column.datatype, Self { range });
    }

    /// Takes cells of the same column into account that were looked at apart, behind those of this.
    pub fn join(&mut self, datatype: Datatype, later: Self) {
        self.range = match (self.range.take(), later.range) {
            (Some(a), Some(b)) => with_scalar!(datatype, T => joined::<T>(&a, &b)),
            (a, b) => a.or(b),
        };
    }

    /// The ends, where there was a number.
    #[must_use]
    pub fn finish(self) -> Option<Range> {
        self.range
    }
}

/// The least and the greatest number that is neither null nor of these bytes.
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

/// The least and the greatest number, the first of those that are equal.
fn ends_of<T: Scalar>(values: impl Iterator<Item = T>, none: Option<T>) -> Option<(T, T)> {
    // What is not equal to itself is no number.
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
