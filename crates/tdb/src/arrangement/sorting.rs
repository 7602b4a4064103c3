//! The order of cells by values.

use std::cmp::Ordering;
use std::str::FromStr;

use tdb_cells::Column;
use tdb_cells::files::read_index;
use tdb_schema::value::{NOT_A_TIME, holds_bytes};
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Bug, Datatype, Scalar, with_scalar};

use super::kept::Kept;
use crate::{Error, Result};

/// A field by whose values cells are put in order. Text goes by its bytes, enumerated attributes by their labels; NaN and
/// times that are none come behind all values, and null behind those, in either direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The field.
    pub field: String,
    /// Whether the greatest value comes first.
    pub descending: bool,
}

impl FromStr for SortKey {
    type Err = std::convert::Infallible;

    /// `a`, or `-a` from the greatest value on.
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let descending = text.strip_prefix('-');
        Ok(Self {
            field: descending.unwrap_or(text).to_owned(),
            descending: descending.is_some(),
        })
    }
}

impl From<&str> for SortKey {
    fn from(text: &str) -> Self {
        let Ok(key) = text.parse();
        key
    }
}

impl SortKey {
    /// A field whose name begins with `-` is meant itself; fails for fields whose values have no order.
    pub(super) fn resolve(&mut self, schema: &ArraySchema) -> Result<()> {
        let whole = format!("-{}", self.field);
        if self.descending && schema.field(&whole).is_some() {
            (self.field, self.descending) = (whole, false);
        }
        let field = schema.field(&self.field);
        let is_list = field.is_some_and(|field| {
            field.cell_val_num != CellValNum::Fixed(1) && !holds_bytes(field.datatype)
        });
        if is_list {
            let what = format!(
                "sort by {:?}: its cells hold several values, which have no order",
                self.field
            );
            return Err(Error::invalid(what));
        }
        Ok(())
    }
}

/// Puts cells in order; equal ones stay as they are.
pub(super) fn sort(kept: &mut Kept, keys: &[SortKey]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut order = std::mem::take(&mut kept.order);
    let mut lost = None;
    order.sort_by(|a, b| {
        let mut each = keys.iter().map(|key| {
            let columns = (kept.column(a.0, &key.field), kept.column(b.0, &key.field));
            let (Some(one), Some(other)) = columns else {
                lost = Some(Bug::new("a field to sort by was not read"));
                return Ordering::Equal;
            };
            compare((one, a.1 as usize), (other, b.1 as usize), key.descending)
        });
        each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    kept.order = order;
    lost.map_or(Ok(()), |bug| Err(bug.into()))
}

fn compare(a: (&Column, usize), b: (&Column, usize), descending: bool) -> Ordering {
    match (key_of(a), key_of(b)) {
        (Key::Value(datatype, a), Key::Value(_, b)) => {
            let order = by_value(datatype, a, b);
            if descending { order.reverse() } else { order }
        }
        (a, b) => a.rank().cmp(&b.rank()),
    }
}

/// What a cell is sorted by.
enum Key<'a> {
    Value(Datatype, &'a [u8]),
    /// NaN, or a time that is none.
    NoNumber,
    Null,
}

impl Key<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::Value(..) => 0,
            Self::NoNumber => 1,
            Self::Null => 2,
        }
    }
}

fn key_of((column, row): (&Column, usize)) -> Key<'_> {
    let Some(cell) = column.cell(row).filter(|_| column.is_valid(row)) else {
        return Key::Null;
    };
    let Some(labels) = &column.enumeration else {
        let is_time = column.datatype.is_datetime() || column.datatype.is_time();
        let is_none = is_time && cell == NOT_A_TIME.to_le_bytes();
        return if is_none || is_nan(column.datatype, cell) {
            Key::NoNumber
        } else {
            Key::Value(column.datatype, cell)
        };
    };
    let index = read_index(cell, column.datatype.is_signed());
    let label = index.and_then(|index| labels.value(usize::try_from(index).ok()?));
    // An index outside of the enumeration is null.
    label.map_or(Key::Null, |label| Key::Value(labels.datatype(), label))
}

fn is_nan(datatype: Datatype, cell: &[u8]) -> bool {
    datatype.is_real()
        && with_scalar!(datatype, T => T::read(cell).is_some_and(|v| v.partial_cmp(&v).is_none()))
}

fn by_value(datatype: Datatype, a: &[u8], b: &[u8]) -> Ordering {
    if holds_bytes(datatype) {
        return a.cmp(b);
    }
    with_scalar!(datatype, T => {
        let numbers = T::read(a).zip(T::read(b));
        numbers.and_then(|(a, b)| a.partial_cmp(&b)).unwrap_or(Ordering::Equal)
    })
}
