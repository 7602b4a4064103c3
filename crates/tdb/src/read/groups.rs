//! Iterating over aggregated groups.

use tdb_aggregate::{Aggregate, Group, GroupResults};
use tdb_cells::FieldInfo;
use tdb_open::Result;

use crate::Array;

/// Iterator over the groups of a read, in ascending order of their values:
/// [`ReadBuilder::groups`](crate::ReadBuilder::groups).
#[derive(Debug)]
pub struct Groups {
    groups: GroupResults,
    array: Array,
}

impl Groups {
    pub(super) fn new(groups: GroupResults, array: Array) -> Self {
        Self { groups, array }
    }

    /// Returns the fields that cells are grouped by.
    #[must_use]
    pub fn by(&self) -> &[FieldInfo] {
        self.groups.by()
    }

    /// Returns the aggregates computed for each group.
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
