use super::folders::{COMMITS_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA};
use crate::TimestampedName;

/// A fragment, identified by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentEntry {
    /// The key of its folder, relative to the array.
    pub key: String,
    /// The name of the fragment.
    pub name: TimestampedName,
}

impl FragmentEntry {
    pub(super) fn in_root(name: TimestampedName) -> Self {
        Self {
            key: name.as_str().to_owned(),
            name,
        }
    }

    pub(super) fn in_folder(name: TimestampedName) -> Self {
        Self {
            key: tdb_store::join(FRAGMENT_FOLDER, name.as_str()),
            name,
        }
    }

    /// Returns the key of its commit object, from format version 5 on.
    pub(super) fn commit_key(&self) -> String {
        let mut key = String::new();
        self.push_commit_key(&mut key);
        key
    }

    /// Appends the key of its commit object to `text`.
    pub(super) fn push_commit_key(&self, text: &mut String) {
        let name = self.name.as_str();
        let parts = if self.key.starts_with(FRAGMENT_FOLDER) {
            [COMMITS_FOLDER, "/", name, ".wrt"]
        } else {
            [name, ".ok", "", ""]
        };
        parts.into_iter().for_each(|part| text.push_str(part));
    }

    /// Returns the key of the fragment's metadata, relative to the array.
    pub fn metadata_key(&self) -> String {
        tdb_store::join(&self.key, FRAGMENT_METADATA)
    }
}
