//! What is to be said of an import while it goes on.

use std::fmt;

use tdb_array::LaterObjects;

/// What somebody may want to know of an import while it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportNotice {
    /// The array becomes one like that which the file was written from.
    Remembered,
    /// The file was written from an array, and why this becomes no such one.
    NotRemembered(String),
    /// The array that is made, in a line.
    Making(String),
    /// Two rows have the same coordinates, and so all are kept.
    Kept(String),
    /// A column of this file has no name.
    Unnamed(String),
    /// The array has something of a time to come, which will stand above the cells.
    Later(LaterObjects),
}

impl ImportNotice {
    /// Whether something may be wrong.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Unnamed(_) | Self::Later(_))
    }
}

impl fmt::Display for ImportNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remembered => {
                f.write_str("like the array that the file was read from; --dim makes another")
            }
            Self::Later(later) => {
                write!(
                    f,
                    "{later} will stand above what is changed now, from then on"
                )
            }
            Self::NotRemembered(why) => {
                write!(f, "not like the array that the file was read from: {why}")
            }
            Self::Making(text) => f.write_str(text),
            Self::Kept(rows) => write!(f, "{rows}; all are kept"),
            Self::Unnamed(file) => write!(f, "{file}: a column without a name"),
        }
    }
}
