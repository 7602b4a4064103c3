use super::folders::COMMITS_FOLDER;
use super::fragment_entry::FragmentEntry;
use crate::TimestampedName;
use crate::name_parts::NameParts;

/// A fragment as its commit in a list tells it: nothing of it is held a second time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<'a> {
    commit: &'a str,
    pub(super) name: &'a str,
    pub(super) parts: NameParts,
}

impl<'a> Listed<'a> {
    /// The fragment that the object with this key commits, if it is the commit of one.
    pub(super) fn of_commit(commit: &'a str) -> Option<Self> {
        let name = fragment_name(commit)?;
        let parts = NameParts::of(name).ok()?;
        Some(Self {
            commit,
            name,
            parts,
        })
    }

    /// Whether it lies in the folder of fragments, and not in the root.
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

    /// The key of its folder, relative to the array.
    pub(super) fn key(&self) -> String {
        self.entry().key
    }
}

/// The name of the fragment that this commits: `__commits/NAME.wrt`, or `NAME.ok` in the root.
pub(super) fn fragment_name(commit: &str) -> Option<&str> {
    if let Some(name) = commit.strip_prefix(COMMITS_FOLDER) {
        return name.strip_prefix('/')?.strip_suffix(".wrt");
    }
    commit.strip_suffix(".ok")
}
