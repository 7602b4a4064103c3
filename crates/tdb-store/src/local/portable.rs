//! The local store on the standard library alone, for systems without `openat`.
//!
//! Links are checked before each use of a path. Unlike on Unix, a process that replaces a folder by a link between the
//! check and the use is not kept out. Folders cannot be synced here.
#![cfg_attr(
    all(unix, not(test)),
    expect(
        dead_code,
        reason = "compiled on Unix so that it stays right, used elsewhere"
    )
)]

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::tree::{Draft, Entry, OpenFile, Syncs, Tree, draft_name, prune, too_short};
use crate::{StoreError, parent};

const LINK: &str = "a symbolic link";

/// The root folder, as a path.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    syncs: Syncs,
}

/// Returns 0: no file stays open, since a read moves the file position, which threads would share.
#[cfg_attr(unix, expect(dead_code, reason = "used where this module is"))]
pub(super) fn most_open_files() -> usize {
    0
}

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let shown = path.to_string_lossy();
        let path = fs::canonicalize(path).map_err(|error| StoreError::from_io(&shown, error))?;
        if !path.is_dir() {
            return Err(StoreError::NotAFolder {
                key: shown.into_owned(),
            });
        }
        Ok(Self {
            path,
            syncs: Syncs::default(),
        })
    }

    /// Returns the path of `key`, none of whose parts is a link, except perhaps the last.
    fn path(&self, key: &str) -> Result<PathBuf, StoreError> {
        let mut path = self.path.clone();
        for part in parent(key).split('/').filter(|part| !part.is_empty()) {
            path.push(part);
            let metadata =
                fs::symlink_metadata(&path).map_err(|error| StoreError::from_io(key, error))?;
            if metadata.is_symlink() {
                return Err(not_a_file(key, LINK));
            }
            if !metadata.is_dir() {
                return Err(not_found(key));
            }
        }
        if !key.is_empty() {
            path.push(crate::name(key));
        }
        Ok(path)
    }

    /// Returns the path of a regular file, and its size.
    fn regular(&self, key: &str) -> Result<(PathBuf, u64), StoreError> {
        let path = self.path(key)?;
        let metadata =
            fs::symlink_metadata(&path).map_err(|error| StoreError::from_io(key, error))?;
        if metadata.is_dir() {
            return Err(not_found(key));
        }
        match what_else(metadata.file_type()) {
            None => Ok((path, metadata.len())),
            Some(what) => Err(not_a_file(key, what)),
        }
    }

    /// Returns the path of `key`; creates its parent folder if it does not exist.
    fn make_parent(&self, key: &str) -> Result<PathBuf, StoreError> {
        match self.path(key) {
            Err(StoreError::NotFound { .. }) => {}
            other => return other,
        }
        let folder = self.path.join(parent(key));
        fs::create_dir_all(folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => StoreError::NotAFolder {
                key: parent(key).to_owned(),
            },
            _ => StoreError::from_io(key, error),
        })?;
        self.path(key)
    }
}

impl Tree for Root {
    fn open(&self, key: &str) -> Result<OpenFile, StoreError> {
        let (path, size) = self.regular(key)?;
        #[expect(clippy::disallowed_methods, reason = "this is the store of files")]
        let file = File::open(path).map_err(|error| StoreError::from_io(key, error))?;
        Ok(OpenFile { file, size })
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        Ok(self.regular(key)?.1)
    }

    fn read(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        len: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        let failed = |error| StoreError::from_io(key, error);
        let mut file = &object.file;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let wanted = len as u64;
        let read = file.take(wanted).read_to_end(into).map_err(failed)?;
        if read < len {
            return Err(too_short(key, offset, len, read));
        }
        Ok(())
    }

    fn read_into(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        into: &mut [u8],
    ) -> Result<(), StoreError> {
        let mut file = &object.file;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(into))
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => too_short(key, offset, into.len(), 0),
                _ => StoreError::from_io(key, error),
            })
    }

    fn names(&self, prefix: &str, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), StoreError> {
        let failed = |error| StoreError::from_io(prefix, error);
        let path = match self.path(prefix) {
            Err(StoreError::NotFound { .. }) => return Ok(()),
            other => other?,
        };
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => return Err(not_a_file(prefix, LINK)),
            Ok(metadata) if !metadata.is_dir() => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(failed(error)),
        }
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let folder = entry.file_type().map_err(failed)?.is_dir();
            let name = entry.file_name();
            match name.to_str() {
                Some(name) if folder => see(Entry::Folder(name)),
                Some(name) => see(Entry::Object(name)),
                None => see(Entry::Foreign(&name.to_string_lossy())),
            }
        }
        Ok(())
    }

    fn draft(&self, staging: &str) -> Result<Draft, StoreError> {
        loop {
            let key = draft_name(staging);
            let path = self.make_parent(&key)?;
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Ok(file) => {
                    return Ok(Draft {
                        file,
                        name: Some(key),
                    });
                }
                // Left by an earlier process with the same process id.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(StoreError::no_new_file(StoreError::from_io(&key, error)));
                }
            }
        }
    }

    fn publish(&self, draft: &Draft, key: &str) -> Result<Option<File>, StoreError> {
        let Some(old) = &draft.name else {
            return Err(not_found(key));
        };
        let (old_path, new_path) = (self.path(old)?, self.make_parent(key)?);
        // Creating a hard link fails if the name is taken; a rename would replace the file.
        let published = match fs::hard_link(&old_path, &new_path) {
            Ok(()) => fs::remove_file(&old_path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // The file system has no hard links: check just before the rename whether the name is taken.
            Err(_) => match fs::symlink_metadata(&new_path) {
                Ok(_) => Err(ErrorKind::AlreadyExists.into()),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::rename(&old_path, &new_path)
                }
                Err(error) => Err(error),
            },
        };
        published.map_err(|error| StoreError::from_io(key, error))?;
        prune(self, parent(old));
        Ok(None)
    }

    fn discard(&self, draft: Draft) {
        let Some(key) = draft.name else {
            return;
        };
        // Some systems do not remove open files.
        drop(draft.file);
        // Best effort: a file that stays is recognizable as unfinished by its name.
        if self.unlink(&key).is_ok() {
            prune(self, parent(&key));
        }
    }

    fn unlink(&self, key: &str) -> Result<(), StoreError> {
        let path = self.path(key)?;
        let metadata =
            fs::symlink_metadata(&path).map_err(|error| StoreError::from_io(key, error))?;
        if metadata.is_dir() {
            return Err(not_found(key));
        }
        let mut removed = fs::remove_file(&path);
        if removed.is_err() && metadata.is_symlink() {
            // On Windows a link to a folder is removed like a folder.
            removed = fs::remove_dir(&path);
        }
        removed.map_err(|error| StoreError::from_io(key, error))
    }

    fn remove_folder(&self, folder: &str) -> Result<bool, StoreError> {
        let path = self.path(folder)?;
        match fs::remove_dir(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(StoreError::from_io(folder, error)),
        }
    }

    fn sync_folder(&self, _folder: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn syncs(&self) -> &Syncs {
        &self.syncs
    }
}

/// Returns the kind of an entry that is not a regular file; `None` for a regular file.
fn what_else(kind: FileType) -> Option<&'static str> {
    if kind.is_symlink() {
        return Some(LINK);
    }
    if kind.is_file() {
        return None;
    }
    Some("a pipe, a socket or a device")
}

fn not_found(key: &str) -> StoreError {
    StoreError::NotFound {
        key: key.to_owned(),
    }
}

fn not_a_file(key: &str, what: &'static str) -> StoreError {
    StoreError::NotAFile {
        key: key.to_owned(),
        what,
    }
}
