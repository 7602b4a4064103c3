use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::key::DRAFT;
use crate::{StoreError, join, parent};

/// Counts of the times that a [`LocalStore`](crate::LocalStore) has waited for the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncCounts {
    /// Syncs of the bytes of a file.
    pub files: u64,
    /// Syncs of the names in a folder.
    pub folders: u64,
}

/// The operations of the file system that the local store needs, on keys relative to its root. Callers have checked
/// the keys.
pub(super) trait Tree: Send + Sync + Debug {
    /// Opens a regular file.
    fn open(&self, key: &str) -> Result<OpenFile, StoreError>;

    /// Returns the size of a regular file in bytes.
    fn size(&self, key: &str) -> Result<u64, StoreError>;

    /// Appends `len` bytes from `offset` on to `into`, which has room for them.
    fn read(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        len: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), StoreError>;

    /// Fills `into` with the file's bytes from `offset` on.
    fn read_into(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        into: &mut [u8],
    ) -> Result<(), StoreError>;

    /// Fills several buffers, one after the other, with the file's bytes from `offset` on.
    fn read_scattered(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let mut at = offset;
        for piece in into {
            self.read_into(object, key, at, piece)?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Calls `see` with each name in a folder; never if the folder does not exist.
    fn names(&self, prefix: &str, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), StoreError>;

    /// Creates an empty file, either without a name or with a temporary one in the folder `staging`.
    fn draft(&self, staging: &str) -> Result<Draft, StoreError>;

    /// Gives the file its final name; fails if that is taken. The name is durable once the folder is synced, which is
    /// returned where the system can sync it.
    fn publish(&self, draft: &Draft, key: &str) -> Result<Option<File>, StoreError>;

    /// Removes an unfinished file.
    fn discard(&self, draft: Draft);

    /// Removes one name, which must not be a folder's.
    fn unlink(&self, key: &str) -> Result<(), StoreError>;

    /// Removes a folder if it is empty; returns whether it was.
    fn remove_folder(&self, folder: &str) -> Result<bool, StoreError>;

    /// Makes the names in a folder durable.
    fn sync_folder(&self, folder: &str) -> Result<(), StoreError>;

    /// Returns the object that syncs files and counts the syncs.
    fn syncs(&self) -> &Syncs;
}

/// Syncs files and folders to disk, and counts the syncs.
#[derive(Debug, Default)]
pub(super) struct Syncs {
    files: AtomicU64,
    folders: AtomicU64,
    /// True if nothing has to be durable: then nothing is synced.
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

/// Returns the result of syncing a folder, but treats "not supported" as success. Shared folders of virtual machines,
/// some network file systems and file systems in user space cannot sync a folder: they keep names on their own, or not
/// at all. Errors of the disk are returned.
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
pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) size: u64,
}

/// An unfinished object.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) file: File,
    /// The temporary key, if the system needs one.
    pub(super) name: Option<String>,
}

/// A name in a folder.
pub(super) enum Entry<'a> {
    Object(&'a str),
    Folder(&'a str),
    Foreign(&'a str),
}

/// Returns the error for a file that ended before its size.
pub(super) fn too_short(key: &str, offset: u64, wanted: usize, read: usize) -> StoreError {
    StoreError::OutOfRange {
        key: key.to_owned(),
        offset,
        wanted: wanted as u64,
        size: offset + read as u64,
    }
}

/// Returns a new temporary name for an unfinished object.
pub(super) fn draft_name(staging: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    join(staging, &format!("{DRAFT}{}-{count}", std::process::id()))
}

/// Removes a folder if it is empty, then its parent, and so on up to the root. Best effort.
pub(super) fn prune(tree: &dyn Tree, mut folder: &str) {
    while !folder.is_empty() && tree.remove_folder(folder).unwrap_or(false) {
        folder = parent(folder);
    }
}

/// Folders from which an object was removed.
#[derive(Default)]
pub(super) struct ChangedFolders(BTreeSet<String>);

impl ChangedFolders {
    pub(super) fn add(&mut self, folder: &str) {
        self.0.insert(folder.to_owned());
    }

    /// Removes the folders that are empty and syncs the others; returns the folders that could not be synced, with the
    /// error.
    pub(super) fn settle(mut self, tree: &dyn Tree) -> Vec<(String, StoreError)> {
        let mut failed = Vec::new();
        // A folder sorts before its entries, so the last one is the deepest of its branch.
        while let Some(folder) = self.0.pop_last() {
            // An empty folder that stays does no harm: the objects are gone.
            if !folder.is_empty() && tree.remove_folder(&folder).unwrap_or(false) {
                self.add(parent(&folder));
                continue;
            }
            match tree.sync_folder(&folder) {
                Ok(()) => {}
                // Another process removed the folder: sync its parent instead.
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
