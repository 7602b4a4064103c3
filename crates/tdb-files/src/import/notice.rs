//! Notices reported while an import runs.

use std::fmt;

use tdb_array::LaterObjects;

/// A notice about an import, reported while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportNotice {
    /// The array gets the schema of the array that was exported to the file.
    Remembered,
    /// The file was exported from an array, whose schema cannot be used; with the reason.
    NotRemembered(String),
    /// Description of the schema of the new array, in one line.
    Making(String),
    /// Two rows have equal coordinates, so duplicates are kept; with a description of the rows.
    Kept(String),
    /// A column has no name; with the name of the file.
    Unnamed(String),
    /// The array has objects with a timestamp in the future, which will take precedence over the new cells.
    Later(LaterObjects),
}

impl ImportNotice {
    /// True if the notice may mean a mistake.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        matches!(self, Self::Unnamed(_) | Self::Later(_))
    }
}

impl fmt::Display for ImportNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remembered => f.write_str(
                "with the schema of the array that the file was read from; use --dim for another",
            ),
            Self::Later(later) => {
                write!(f, "{later} will override this change from then on")
            }
            Self::NotRemembered(why) => {
                write!(
                    f,
                    "not with the schema of the array that the file was read from: {why}"
                )
            }
            Self::Making(text) => f.write_str(text),
            Self::Kept(rows) => write!(f, "{rows}; all are kept"),
            Self::Unnamed(file) => write!(f, "{file}: a column without a name"),
        }
    }
}
