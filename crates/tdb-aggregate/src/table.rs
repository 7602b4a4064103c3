use tdb_cells::FieldInfo;

use crate::{Aggregate, Outcome};

/// The result of an aggregation: one group per combination of values, or a single one.
#[derive(Clone, Debug)]
pub struct Table {
    /// The fields by which cells are grouped. A part of dates is an `int64` field, named as in the request.
    pub by: Vec<FieldInfo>,
    /// The aggregates of each group.
    pub aggregates: Vec<Aggregate>,
    /// The groups, in ascending order of their values. Labels of an ordered enumeration are in their order. NaN comes
    /// after all numbers, and null last.
    pub groups: Vec<Group>,
}

/// A group of cells with equal values.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub(crate) keys: Vec<Option<Box<[u8]>>>,
    /// The results of the aggregates.
    pub values: Vec<Outcome>,
    /// The number of cells.
    pub cells: u64,
}

impl Group {
    /// Returns the value of a field to group by, in stored form; for an enumerated attribute, the label. Both zeros
    /// are 0.0, and all NaN are the same. `None` is null.
    #[must_use]
    pub fn key(&self, field: usize) -> Option<&[u8]> {
        self.keys.get(field)?.as_deref()
    }
}
