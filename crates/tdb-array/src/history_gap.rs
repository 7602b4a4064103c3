use std::fmt;

use tdb_schema::value::rfc3339;

use crate::TimestampedName;

/// A range of times as of which something can no longer be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistoryGap {
    /// The first time, in milliseconds since 1970.
    pub start: u64,
    /// The last time, in milliseconds since 1970.
    pub end: u64,
    /// The content that cannot be read.
    pub what: LostContent,
}

/// Content that can no longer be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LostContent {
    /// Cells that were merged, and whose original fragments no longer exist.
    Cells,
    /// Cells that were deleted later, if there were any: a merge left the deleted cells out, and there is no record of
    /// them.
    DeletedCells,
    /// Values of an attribute that was dropped later: a merge left them out.
    Attribute(String),
    /// Metadata that was merged, and whose original objects no longer exist.
    Metadata,
}

impl HistoryGap {
    /// Returns the times as of which merged metadata cannot be read without its original objects; `None` for metadata
    /// of a single time.
    pub fn of_merged_metadata(name: &TimestampedName) -> Option<Self> {
        let end = name.end().checked_sub(1)?;
        (name.start() <= end).then(|| Self {
            start: name.start(),
            end,
            what: LostContent::Metadata,
        })
    }

    /// True if the lost content certainly existed.
    pub fn is_certain(&self) -> bool {
        self.what != LostContent::DeletedCells
    }
}

impl fmt::Display for HistoryGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (rfc3339(self.start), rfc3339(self.end));
        match &self.what {
            LostContent::Cells => write!(
                f,
                "the cells of {start} to {end} can no longer be read as of these times: they were merged, and what was merged is gone"
            ),
            LostContent::DeletedCells => write!(
                f,
                "the cells of {start} to {end} may be incomplete: a merge has left out those that were deleted since"
            ),
            LostContent::Attribute(name) => write!(
                f,
                "the values of attribute {name:?} of {start} to {end} can no longer be read: it was dropped, and a merge has left them out"
            ),
            LostContent::Metadata => write!(
                f,
                "the metadata of {start} to {end} can no longer be read as of these times: it was merged, and what was merged is gone"
            ),
        }
    }
}
