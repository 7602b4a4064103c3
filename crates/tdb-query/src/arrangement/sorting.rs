//! Sorting cells by values.

use std::cmp::Ordering;
use std::str::FromStr;

use tdb_cells::{Batch, Column};
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Bug;

use super::kept_cells::{BatchRow, KeptCells};
use super::prefix::{ColumnCell, Key, Prefix, for_each_prefix, key_of};
use crate::QueryError;

/// A field to sort by, and the direction. Text is compared by its bytes; enumerated attributes by the order of their
/// labels if the enumeration is ordered, otherwise by the labels themselves. NaN and "not a time" sort after all
/// values, and null after those, in either direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// Name of the field.
    pub field: String,
    /// True if the largest value comes first.
    pub descending: bool,
}

impl FromStr for SortKey {
    type Err = std::convert::Infallible;

    /// Parses `a`, or `-a` for descending order.
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
    /// Treats `-a` as the field of that name if there is one. Fails for fields whose values have no order.
    pub(super) fn resolve(&mut self, schema: &ArraySchema) -> Result<(), QueryError> {
        let whole = format!("-{}", self.field);
        if self.descending && schema.field(&whole).is_some() {
            (self.field, self.descending) = (whole, false);
        }
        let field = schema.field(&self.field);
        let is_list = field.is_some_and(|field| {
            field.cell_val_num != CellValNum::Fixed(1) && !holds_bytes(field.datatype)
        });
        if is_list {
            return Err(QueryError::SortKey {
                field: self.field.clone(),
            });
        }
        Ok(())
    }
}

/// Sorts cells; equal ones stay in their order.
pub(super) fn sort(kept: &mut KeptCells, keys: &[SortKey]) -> Result<(), QueryError> {
    let Some(first) = keys.first() else {
        return Ok(());
    };
    let order = std::mem::take(&mut kept.order);
    let mut rows: Vec<(Prefix, BatchRow)> = Vec::with_capacity(order.len());
    for of_batch in order.chunk_by(|one, other| one.0 == other.0) {
        let Some((batch, _)) = of_batch.first() else {
            continue;
        };
        let column = kept.column(*batch, &first.field).ok_or_else(not_read)?;
        let numbers = of_batch.iter().map(|(_, row)| *row);
        for_each_prefix(column, first.descending, numbers, |row, prefix| {
            rows.push((prefix, (*batch, row)));
        })?;
    }
    drop(order);
    let columns: Vec<KeyColumns<'_>> = kept
        .batches()
        .iter()
        .map(|batch| KeyColumns::of(batch, keys))
        .collect::<Result<_, _>>()?;
    let mut is_lost = false;
    rows.sort_unstable_by(|(a, a_place), (b, b_place)| {
        a.cmp(b)
            .then_with(|| {
                let of = |place: &BatchRow| Some((columns.get(place.0 as usize)?, place.1));
                match (of(a_place), of(b_place)) {
                    (Some((one, a)), Some((other, b))) => one.compare(a, other, b),
                    _ => {
                        is_lost = true;
                        Ordering::Equal
                    }
                }
            })
            // Equal cells stay in their order: earlier batches first, then earlier rows.
            .then_with(|| a_place.cmp(b_place))
    });
    drop(columns);
    kept.order = rows.into_iter().map(|(_, place)| place).collect();
    if is_lost {
        return Err(Bug::new("a cell of no batch").into());
    }
    Ok(())
}

#[track_caller]
fn not_read() -> Bug {
    Bug::new("a field to sort by was not read")
}

/// The columns of a batch to sort by, each with `true` for descending order.
pub(super) struct KeyColumns<'a>(Vec<(&'a Column, bool)>);

impl<'a> KeyColumns<'a> {
    pub(super) fn of(batch: &'a Batch, keys: &[SortKey]) -> Result<Self, Bug> {
        let columns = keys.iter().map(|key| {
            let column = batch.column(&key.field).ok_or_else(not_read)?;
            Ok((column, key.descending))
        });
        columns.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the column of the first key, and whether it is descending.
    pub(super) fn first(&self) -> Option<(&'a Column, bool)> {
        self.0.first().copied()
    }

    /// Compares two cells, the second of which may be in another batch.
    pub(super) fn compare(&self, row: u32, other: &Self, other_row: u32) -> Ordering {
        let columns = self.0.iter().zip(&other.0);
        let mut each = columns.map(|((one, descending), (two, _))| {
            let one = ColumnCell {
                column: one,
                row: row as usize,
            };
            let two = ColumnCell {
                column: two,
                row: other_row as usize,
            };
            compare(one, two, *descending)
        });
        each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// Compares two cells in one column.
pub(super) fn compare(a: ColumnCell<'_>, b: ColumnCell<'_>, descending: bool) -> Ordering {
    match (key_of(a), key_of(b)) {
        (Key::Value(datatype, a), Key::Value(_, b)) => {
            let order = datatype.total_order(a, b);
            if descending { order.reverse() } else { order }
        }
        (a, b) => a.rank().cmp(&b.rank()),
    }
}
