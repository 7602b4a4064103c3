use tdb_store::{Store, join, list_all, name};

use crate::ArrayError;
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

    /// What is noted to have been begun in the folder `prefix`.
    pub(crate) fn noted(store: &dyn Store, prefix: &str) -> Result<Option<Self>, ArrayError> {
        let listing = list_all(store, &join(prefix, DRAFT_FOLDER))?;
        let is_noted = |work: &Self| {
            let mut notes = listing.objects.iter();
            notes.any(|note| name(&note.key) == work.name())
        };
        Ok([Self::Import, Self::Rewrite].into_iter().find(is_noted))
    }
}
