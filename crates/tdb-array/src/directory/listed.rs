use super::folders::COMMITS_FOLDER;
use super::fragment_entry::FragmentEntry;
use crate::TimestampedName;
use crate::name_parts::NameParts;

/// A fragment, as described by the key of its commit in a list. It borrows from the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedFragment<'a> {
    commit: &'a str,
    pub(super) name: &'a str,
    pub(super) parts: NameParts,
}

impl<'a> ListedFragment<'a> {
    /// Parses the key of a commit; `None` if it is not the commit of a fragment.
    pub(super) fn of_commit(commit: &'a str) -> Option<Self> {
        let name = fragment_name(commit)?;
        let parts = NameParts::of(name).ok()?;
        Some(Self {
            commit,
            name,
            parts,
        })
    }

    /// True if the fragment is in the folder of fragments, false if it is in the root.
    pub(super) fn is_in_folder(&self) -> bool {
        self.commit.starts_with(COMMITS_FOLDER)
    }

    pub(super) fn entry(&self) -> FragmentEntry {
        let name = TimestampedName::of_parts(self.name, self.parts);
        if self.is_in_folder() {
            FragmentEntry::in_folder(name)
        } else {
            FragmentEntry::in_root(name)
        }
    }

    /// Returns the key of its folder, relative to the array.
    pub(super) fn key(&self) -> String {
        self.entry().key
    }
}

/// Returns the name of the fragment that is committed by `__commits/NAME.wrt`, or by `NAME.ok` in the root.
pub(super) fn fragment_name(commit: &str) -> Option<&str> {
    if let Some(name) = commit.strip_prefix(COMMITS_FOLDER) {
        return name.strip_prefix('/')?.strip_suffix(".wrt");
    }
    commit.strip_suffix(".ok")
}
