//! Groups of cells, one after the other.

use tdb_aggregate::{Aggregate, Group, Grouped};
use tdb_cells::FieldInfo;

use crate::{Array, Result};

/// The groups of the cells of a read, by their values in ascending order: [`ReadBuilder::groups`](crate::ReadBuilder::groups).
#[derive(Debug)]
pub struct Groups {
    groups: Grouped,
    array: Array,
}

impl Groups {
    pub(super) fn new(groups: Grouped, array: Array) -> Self {
        Self { groups, array }
    }

    /// The fields that cells are grouped by.
    #[must_use]
    pub fn by(&self) -> &[FieldInfo] {
        self.groups.by()
    }

    /// What is worked out for each group.
    #[must_use]
    pub fn aggregates(&self) -> &[Aggregate] {
        self.groups.aggregates()
    }
}

impl Iterator for Groups {
    type Item = Result<Group>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.groups.next()?;
        Some(next.map_err(|error| self.array.failed(error)))
    }
}
