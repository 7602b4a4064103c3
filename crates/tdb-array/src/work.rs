use tdb_store::join;

use crate::directory::DRAFT_FOLDER;

/// The kind of work that creates an array over some time, and may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Work {
    /// Import of files.
    Import,
    /// Rewrite of another array.
    Rewrite,
}

impl Work {
    /// All kinds of work.
    pub(crate) const ALL: [Self; 2] = [Self::Import, Self::Rewrite];

    /// Returns the name of the work: "import" or "rewrite".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Rewrite => "rewrite",
        }
    }

    /// Returns the key of the note that the work was begun, relative to the array.
    pub(crate) fn note(self) -> String {
        join(DRAFT_FOLDER, self.name())
    }
}
