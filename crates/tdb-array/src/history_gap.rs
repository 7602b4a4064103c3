use std::fmt;

use tdb_schema::value::rfc3339;

use crate::TimestampedName;

/// A span of times as of which something can no longer be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryGap {
    /// The first time, in milliseconds since 1970.
    pub start: u64,
    /// The last time, in milliseconds since 1970.
    pub end: u64,
    /// What cannot be read.
    pub what: Lost,
}

/// What can no longer be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// Cells: they were merged, and what was merged is gone.
    Cells,
    /// Cells that were deleted since, if there were any: a merge has left out what was deleted, and does not tell what that was.
    DeletedCells,
    /// The values of an attribute that was dropped since: a merge has left them out.
    Attribute(String),
    /// Metadata: its objects were merged, and what was merged is gone.
    Metadata,
}

impl HistoryGap {
    /// The times in which merged metadata cannot be read once what it was merged from is gone; `None` for metadata of one time.
    pub fn of_merged_metadata(name: &TimestampedName) -> Option<Self> {
        (name.start() < name.end()).then(|| Self {
            start: name.start(),
            end: name.end().saturating_sub(1),
            what: Lost::Metadata,
        })
    }

    /// Whether what is lost was there for certain.
    pub fn is_certain(&self) -> bool {
        self.what != Lost::DeletedCells
    }
}

impl fmt::Display for HistoryGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (rfc3339(self.start), rfc3339(self.end));
        match &self.what {
            Lost::Cells => write!(
                f,
                "the cells of {start} to {end} can no longer be read as of these times: they were merged, and what was merged is gone"
            ),
            Lost::DeletedCells => write!(
                f,
                "the cells of {start} to {end} may be incomplete: a merge has left out those that were deleted since"
            ),
            Lost::Attribute(name) => write!(
                f,
                "the values of attribute {name:?} of {start} to {end} can no longer be read: it was dropped, and a merge has left them out"
            ),
            Lost::Metadata => write!(
                f,
                "the metadata of {start} to {end} can no longer be read as of these times: it was merged, and what was merged is gone"
            ),
        }
    }
}
