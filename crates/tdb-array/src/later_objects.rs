//! Objects with a later timestamp than the time for which an array or a group was opened.

use std::fmt;

use tdb_schema::value::rfc3339;

use crate::TimestampedName;
use crate::directory::DatedObjects;

/// Counts of objects that are later than the time for which an array or a group was opened. Reads and changes ignore
/// them: they were written with a future time, or by a program whose clock is ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaterObjects {
    /// The number of committed fragments with cells that are, or may be, later.
    pub fragments: u64,
    /// The number of deletes.
    pub deletes: u64,
    /// The number of metadata objects.
    pub metadata: u64,
    /// The number of changes of a group's members.
    pub changes: u64,
    /// The last time of these objects, in milliseconds since 1970.
    pub until: u64,
}

impl LaterObjects {
    /// Returns these counts; `None` if all are zero.
    pub(crate) fn found(self) -> Option<Self> {
        let counts = [self.fragments, self.deletes, self.metadata, self.changes];
        counts.iter().any(|count| *count > 0).then_some(self)
    }

    /// Counts the fragments whose names end later than `at`; `None` if there are none.
    pub fn of_fragments<'a>(
        at: u64,
        names: impl Iterator<Item = &'a TimestampedName>,
    ) -> Option<Self> {
        let (fragments, until) = Self::among(at, names);
        let later = Self {
            fragments,
            until,
            ..Self::default()
        };
        later.found()
    }

    /// Counts the metadata objects that end later than `at`; `None` if there are none.
    pub fn of_metadata(at: u64, objects: &DatedObjects) -> Option<Self> {
        let (metadata, until) = Self::among(at, objects.names());
        let later = Self {
            metadata,
            until,
            ..Self::default()
        };
        later.found()
    }

    /// Counts the changes of members that end later than `at`; `None` if there are none.
    pub(crate) fn of_changes(at: u64, objects: &DatedObjects) -> Option<Self> {
        let (changes, until) = Self::among(at, objects.names());
        let later = Self {
            changes,
            until,
            ..Self::default()
        };
        later.found()
    }

    /// Returns the number of names that end later than `at`, and the last of their ends.
    fn among<'a>(at: u64, names: impl Iterator<Item = &'a TimestampedName>) -> (u64, u64) {
        let later = names.map(TimestampedName::end).filter(|end| *end > at);
        let ends: Vec<u64> = later.collect();
        (ends.len() as u64, ends.into_iter().max().unwrap_or(0))
    }
}

impl fmt::Display for LaterObjects {
    /// Formats the counts: `2 fragments and 1 delete of a time to come (up to 2026-11-29T17:47:45.947Z)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.fragments, "fragment"),
            (self.deletes, "delete"),
            (self.metadata, "object of metadata"),
            (self.changes, "change of the members"),
        ];
        let present = kinds.iter().filter(|(count, _)| *count > 0);
        for (index, (count, what)) in present.enumerate() {
            let and = if index > 0 { " and " } else { "" };
            let many = match (count, what.split_once(' ')) {
                (1, _) => (*what).to_owned(),
                (_, None) => format!("{what}s"),
                (_, Some((noun, rest))) => format!("{noun}s {rest}"),
            };
            write!(f, "{and}{count} {many}")?;
        }
        write!(f, " of a time to come (up to {})", rfc3339(self.until))
    }
}
