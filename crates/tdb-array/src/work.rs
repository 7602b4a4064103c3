use tdb_store::join;

use crate::directory::DRAFT_FOLDER;

/// What makes an array over some time, so that it may be stopped in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Work {
    /// Files are imported.
    Import,
    /// Another array is rewritten.
    Rewrite,
}

impl Work {
    /// All kinds.
    pub(crate) const ALL: [Self; 2] = [Self::Import, Self::Rewrite];

    /// Its name: "import" or "rewrite".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Rewrite => "rewrite",
        }
    }

    /// The key of the note that says that it was begun, relative to the array.
    pub(crate) fn note(self) -> String {
        join(DRAFT_FOLDER, self.name())
    }
}
