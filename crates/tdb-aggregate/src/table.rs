use tdb_cells::FieldInfo;

use crate::{Aggregate, Outcome};

/// The answer to a question: one group for each combination of values, or a single one.
#[derive(Clone, Debug)]
pub struct Table {
    /// The fields that cells are grouped by; a part of dates is an `int64` with the name that it was asked for by.
    pub by: Vec<FieldInfo>,
    /// What is worked out for each group.
    pub aggregates: Vec<Aggregate>,
    /// The groups, by their values in ascending order, labels by theirs if they have one; NaN comes behind all numbers, and null last.
    pub groups: Vec<Group>,
}

/// Cells with the same values.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub(crate) keys: Vec<Option<Box<[u8]>>>,
    /// What each aggregate is.
    pub values: Vec<Outcome>,
    /// How many cells it has.
    pub cells: u64,
}

impl Group {
    /// The value that its cells have in a field that is grouped by, in its stored form; of an enumerated attribute that of the
    /// label. Zeros of either sign are one value, 0.0, and so is NaN of whichever bits. `None` is null.
    #[must_use]
    pub fn key(&self, field: usize) -> Option<&[u8]> {
        self.keys.get(field)?.as_deref()
    }
}
