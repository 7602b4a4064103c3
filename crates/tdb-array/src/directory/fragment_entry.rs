use super::folders::{COMMITS_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA};
use crate::TimestampedName;

/// A fragment, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentEntry {
    /// The key of its folder, relative to the array.
    pub key: String,
    /// Its name.
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
            key: format!("{FRAGMENT_FOLDER}/{name}"),
            name,
        }
    }

    /// What commits it from version 5 on.
    pub(super) fn commit_key(&self) -> String {
        if self.key.starts_with(FRAGMENT_FOLDER) {
            format!("{COMMITS_FOLDER}/{}.wrt", self.name)
        } else {
            format!("{}.ok", self.name)
        }
    }

    /// The key of the fragment's metadata, relative to the array.
    pub fn metadata_key(&self) -> String {
        tdb_store::join(&self.key, FRAGMENT_METADATA)
    }
}
