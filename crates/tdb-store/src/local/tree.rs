use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::key::DRAFT;
use crate::{StoreError, join, parent};

/// How often a [`LocalStore`](crate::LocalStore) has waited for the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncCounts {
    /// For the bytes of a file.
    pub files: u64,
    /// For the names in a folder.
    pub folders: u64,
}

/// What the local store needs of a system: a folder, and the names below it. Keys are checked.
pub(super) trait Tree: Send + Sync + Debug {
    /// Opens a regular file.
    fn open(&self, key: &str) -> Result<Opened, StoreError>;

    /// The size of a regular file.
    fn size(&self, key: &str) -> Result<u64, StoreError>;

    /// Appends `len` bytes from `offset` on to `into`, which has room for them.
    fn read(
        &self,
        object: &Opened,
        key: &str,
        offset: u64,
        len: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), StoreError>;

    /// Fills `into` from `offset` on.
    fn read_into(
        &self,
        object: &Opened,
        key: &str,
        offset: u64,
        into: &mut [u8],
    ) -> Result<(), StoreError>;

    /// Fills pieces of memory, one after the other, with the file's bytes from `offset` on.
    fn read_scattered(
        &self,
        object: &Opened,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let mut at = offset;
        for piece in into {
            self.read_into(object, key, at, piece)?;
            at = at.saturating_add(piece.len() as u64);
        }
        Ok(())
    }

    /// Shows each name in a folder; none if there is no such folder.
    fn names(&self, prefix: &str, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), StoreError>;

    /// A new empty file, without a name or with one in the folder `staging`.
    fn draft(&self, staging: &str) -> Result<Draft, StoreError>;

    /// Gives the file its name, which must be free. The name lasts once the folder that it is in was synced: that
    /// folder, where the system can do so.
    fn publish(&self, draft: &Draft, key: &str) -> Result<Option<File>, StoreError>;

    /// Forgets the file.
    fn discard(&self, draft: Draft);

    /// Removes one name, which is no folder's.
    fn unlink(&self, key: &str) -> Result<(), StoreError>;

    /// Removes a folder if it is empty; whether it was.
    fn remove_folder(&self, folder: &str) -> Result<bool, StoreError>;

    /// Makes the names in a folder last.
    fn sync_folder(&self, folder: &str) -> Result<(), StoreError>;

    /// What counts how often the disk is waited for.
    fn syncs(&self) -> &Syncs;
}

/// Waits for the disk, and counts how often.
#[derive(Debug, Default)]
pub(super) struct Syncs {
    files: AtomicU64,
    folders: AtomicU64,
    /// Whether nothing has to last: then nothing waits.
    is_off: AtomicBool,
}

impl Syncs {
    pub(super) fn turn_off(&self) {
        self.is_off.store(true, Ordering::Relaxed);
    }

    pub(super) fn file(&self, file: &File) -> io::Result<()> {
        if self.is_off.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.files.fetch_add(1, Ordering::Relaxed);
        file.sync_all()
    }

    pub(super) fn folder(&self, folder: &File) -> io::Result<()> {
        if self.is_off.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.folders.fetch_add(1, Ordering::Relaxed);
        passed_over(folder.sync_all())
    }

    pub(super) fn counts(&self) -> SyncCounts {
        SyncCounts {
            files: self.files.load(Ordering::Relaxed),
            folders: self.folders.load(Ordering::Relaxed),
        }
    }
}

/// What a system says of syncing a folder, without that it cannot: shared folders of virtual machines, and some file systems of
/// networks and of user space, keep names by themselves or not at all. A disk that fails is told.
#[cfg(unix)]
fn passed_over(synced: io::Result<()>) -> io::Result<()> {
    use rustix::io::Errno;
    let is_unable = |error: &io::Error| {
        let unable = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
        Errno::from_io_error(error).is_some_and(|errno| unable.contains(&errno))
    };
    match synced {
        Err(error) if is_unable(&error) => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn passed_over(synced: io::Result<()>) -> io::Result<()> {
    synced
}

/// A regular file, open for reading.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) size: u64,
}

/// An object in the making.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) file: File,
    /// The key it has meanwhile, if it needs one.
    pub(super) name: Option<String>,
}

/// One name in a folder.
pub(super) enum Entry<'a> {
    Object(&'a str),
    Folder(&'a str),
    Foreign(&'a str),
}

/// Tells a file's end that came before its size said so.
pub(super) fn too_short(key: &str, offset: u64, wanted: usize, read: usize) -> StoreError {
    StoreError::OutOfRange {
        key: key.to_owned(),
        offset,
        wanted: wanted as u64,
        size: offset.saturating_add(read as u64),
    }
}

/// A name for an unfinished object, another one each time.
pub(super) fn draft_name(staging: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    join(staging, &format!("{DRAFT}{}-{count}", std::process::id()))
}

/// Removes a folder, and those above it, as long as they are empty; best effort.
pub(super) fn prune(tree: &dyn Tree, mut folder: &str) {
    while !folder.is_empty() && tree.remove_folder(folder).unwrap_or(false) {
        folder = parent(folder);
    }
}

/// Folders from which something was removed.
#[derive(Default)]
pub(super) struct Touched(BTreeSet<String>);

impl Touched {
    pub(super) fn add(&mut self, folder: &str) {
        self.0.insert(folder.to_owned());
    }

    /// Removes the folders that are empty, and syncs the others; what could not be synced.
    pub(super) fn settle(mut self, tree: &dyn Tree) -> Vec<(String, StoreError)> {
        let mut failed = Vec::new();
        // A folder sorts before what lies in it, so the last is the deepest of its branch.
        while let Some(folder) = self.0.pop_last() {
            // That an empty folder stays is no harm: the objects are gone.
            if !folder.is_empty() && tree.remove_folder(&folder).unwrap_or(false) {
                self.add(parent(&folder));
                continue;
            }
            match tree.sync_folder(&folder) {
                Ok(()) => {}
                // Somebody else removed it: what lasts then is up to the folder above.
                Err(StoreError::NotFound { .. }) if !folder.is_empty() => {
                    self.add(parent(&folder));
                }
                Err(error) => failed.push((folder, error)),
            }
        }
        failed
    }
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn folders_that_cannot_be_synced_are_passed_over() {
        let said = |errno: Errno| passed_over(Err(errno.into()));
        for errno in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP] {
            assert!(said(errno).is_ok(), "{errno}");
        }
        for errno in [
            Errno::IO,
            Errno::NOSPC,
            Errno::DQUOT,
            Errno::ROFS,
            Errno::BADF,
        ] {
            assert!(said(errno).is_err(), "{errno}");
        }
    }
}
