mod calls;
mod errors;
mod names;

use std::fs::File;
use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;

use rustix::buffer::spare_capacity;
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, statat, unlinkat,
};
use rustix::io::{Errno, pread, preadv, retry_on_intr};
use rustix::process::{Resource, getrlimit};

use self::calls::{
    DRAFT, FILE_MODE, FOLDER_MODE, nameless_file, nameless_files, open_at_once, open_part,
    rename_exclusive,
};
use self::errors::{error, is_folder, odd, regular_size};
use super::tree::{Draft, Entry, OpenFile, Syncs, Tree, draft_name, prune, too_short};
use crate::{StoreError, name, parent};

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Flags for opening an object. Without `NONBLOCK`, opening a pipe would wait for its other end.
const OBJECT: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// How often an operation is repeated because its folder vanished.
const ATTEMPTS: usize = 16;

/// Number of buffers that every system accepts in one call.
const MOST_PIECES: usize = 1024;

const MORE_THAN_ASKED: &str = "the system says that it read more than it was asked";

/// The open root folder. Every name is looked up relative to it, without following symbolic links.
#[derive(Debug)]
pub(super) struct Root {
    folder: OwnedFd,
    /// True if the system supports files without a name; determined when the first file is written.
    nameless: OnceLock<bool>,
    /// True if the system may be able to open a whole key in one call without following links.
    whole_keys: bool,
    syncs: Syncs,
}

/// Limit of open files to assume if the system has none, or a higher one.
const ENOUGH_FILES: u64 = 1 << 20;

/// Returns how many files the system lets this process open, at most [`ENOUGH_FILES`].
pub(super) fn most_open_files() -> usize {
    let most = getrlimit(Resource::Nofile)
        .current
        .unwrap_or(ENOUGH_FILES)
        .min(ENOUGH_FILES);
    usize::try_from(most).unwrap_or(0)
}

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, path, flags, Mode::empty())
            .map_err(|errno| StoreError::from_io(&path.to_string_lossy(), errno.into()))?;
        Ok(Self {
            folder,
            nameless: OnceLock::new(),
            whole_keys: cfg!(target_os = "linux"),
            syncs: Syncs::default(),
        })
    }

    /// Opens a root that uses only the calls that every Unix has.
    #[cfg(test)]
    pub(super) fn open_plainly(path: &Path) -> Result<Self, StoreError> {
        let root = Self::open(path)?;
        Ok(Self {
            nameless: OnceLock::from(false),
            whole_keys: false,
            ..root
        })
    }

    fn open_beneath(&self, key: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        if key.is_empty() {
            return openat(&self.folder, ".", flags, Mode::empty());
        }
        if self.whole_keys {
            match open_at_once(&self.folder, key, flags) {
                // The kernel is too old, or a sandbox forbids the call.
                Err(Errno::NOSYS | Errno::PERM) => {}
                other => return other,
            }
        }
        self.open_by_parts(key, flags)
    }

    fn open_by_parts(&self, key: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut folder: Option<OwnedFd> = None;
        for part in parent(key).split('/').filter(|part| !part.is_empty()) {
            let above = folder.as_ref().unwrap_or(&self.folder);
            let below = open_part(above, part, FOLDER)?;
            folder = Some(below);
        }
        open_part(folder.as_ref().unwrap_or(&self.folder), name(key), flags)
    }

    /// Opens the parent folder of `key`, and creates it if necessary. Returns it together with the folders in which a
    /// subfolder was created: these are to be synced.
    fn make_parent(&self, key: &str) -> Result<(File, Vec<File>), Errno> {
        match self.open_beneath(parent(key), FOLDER) {
            Err(Errno::NOENT) => {}
            other => return Ok((File::from(other?), Vec::new())),
        }
        let mut unsynced = Vec::new();
        let mut folder = File::from(self.open_beneath("", FOLDER)?);
        for part in parent(key).split('/') {
            let below = match open_part(&folder, part, FOLDER) {
                Err(Errno::NOENT) => {
                    match mkdirat(&folder, part, FOLDER_MODE) {
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(errno) => return Err(errno),
                    }
                    let below = open_part(&folder, part, FOLDER)?;
                    unsynced.push(folder);
                    below
                }
                other => other?,
            };
            folder = File::from(below);
        }
        Ok((folder, unsynced))
    }

    /// Calls `act` with the parent folder of `key`, which is created if necessary; repeats this if the folder is
    /// removed meanwhile. Returns the folder and the result.
    fn in_parent<T>(
        &self,
        key: &str,
        act: impl Fn(&File) -> Result<T, Errno>,
    ) -> Result<(File, T), Errno> {
        let mut result = Err(Errno::NOENT);
        for _ in 0..ATTEMPTS {
            // New folders are synced after `act`: a process killed during the wait then leaves no empty folder.
            let acted = |(folder, unsynced): (File, Vec<File>)| {
                let done = act(&folder)?;
                for above in &unsynced {
                    let synced = self.syncs.folder(above);
                    synced.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
                }
                Ok((folder, done))
            };
            result = self.make_parent(key).and_then(acted);
            if !matches!(result, Err(Errno::NOENT)) {
                break;
            }
        }
        result
    }

    fn give_name(&self, draft: &Draft, folder: &File, key: &str) -> Result<(), Errno> {
        match &draft.name {
            None => {
                let path = format!("/proc/self/fd/{}", draft.file.as_raw_fd());
                linkat(CWD, path, folder, name(key), AtFlags::SYMLINK_FOLLOW)
            }
            Some(old) => {
                let above = self.open_beneath(parent(old), FOLDER)?;
                rename_exclusive(&above, name(old), folder, name(key))
            }
        }
    }

    /// Returns the metadata of a key, without following a link.
    fn stat(&self, key: &str) -> Result<Stat, StoreError> {
        let folder = self
            .open_beneath(parent(key), FOLDER)
            .map_err(|errno| error(key, errno))?;
        statat(&folder, name(key), AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| error(key, errno))
    }
}

impl Tree for Root {
    fn open(&self, key: &str) -> Result<OpenFile, StoreError> {
        let object = self
            .open_beneath(key, OBJECT)
            .map_err(|errno| error(key, errno))?;
        let stat = fstat(&object).map_err(|errno| error(key, errno))?;
        Ok(OpenFile {
            size: regular_size(key, &stat)?,
            file: File::from(object),
        })
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        regular_size(key, &self.stat(key)?)
    }

    fn read(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        len: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        while into.len() < len {
            // Within the file: the range was compared with its size.
            let at = offset + into.len() as u64;
            let read = retry_on_intr(|| pread(&object.file, spare_capacity(into), at));
            if read.map_err(|errno| error(key, errno))? == 0 {
                return Err(too_short(key, offset, len, into.len()));
            }
        }
        into.truncate(len);
        Ok(())
    }

    fn read_into(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        into: &mut [u8],
    ) -> Result<(), StoreError> {
        let wanted = into.len();
        let mut rest = into;
        while !rest.is_empty() {
            // Within the file: the range was compared with its size.
            let done = wanted - rest.len();
            let at = offset + done as u64;
            let read = retry_on_intr(|| pread(&object.file, &mut *rest, at))
                .map_err(|errno| error(key, errno))?;
            if read == 0 {
                return Err(too_short(key, offset, wanted, done));
            }
            rest = rest
                .get_mut(read..)
                .ok_or_else(|| odd(key, MORE_THAN_ASKED))?;
        }
        Ok(())
    }

    fn read_scattered(
        &self,
        object: &OpenFile,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let mut at = offset;
        for pieces in into.chunks_mut(MOST_PIECES) {
            let read = retry_on_intr(|| preadv(&object.file, &mut *pieces, at))
                .map_err(|errno| error(key, errno))?;
            let mut left = read;
            for piece in pieces {
                let done = left.min(piece.len());
                let (_, rest) = piece.split_at_mut(done);
                // A system may read less than requested: the rest of each buffer is read on its own.
                if !rest.is_empty() {
                    self.read_into(object, key, at + done as u64, rest)?;
                }
                left -= done;
                at += piece.len() as u64;
            }
            if left > 0 {
                return Err(odd(key, MORE_THAN_ASKED));
            }
        }
        Ok(())
    }

    fn names(&self, prefix: &str, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), StoreError> {
        let folder = match self.open_beneath(prefix, FOLDER) {
            Ok(folder) => folder,
            // A listing of an object is empty, too.
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            Err(errno) => return Err(error(prefix, errno)),
        };
        names::names(&folder, see).map_err(|errno| error(prefix, errno))
    }

    fn draft(&self, staging: &str) -> Result<Draft, StoreError> {
        if *self.nameless.get_or_init(nameless_files)
            && let Some(file) = nameless_file(&self.folder)
        {
            return Ok(Draft { file, name: None });
        }
        loop {
            let key = draft_name(staging);
            let flags = DRAFT | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            let made = self.in_parent(&key, |folder| openat(folder, name(&key), flags, FILE_MODE));
            match made {
                Ok((_, file)) => {
                    return Ok(Draft {
                        file: File::from(file),
                        name: Some(key),
                    });
                }
                // Left by an earlier process with the same process id.
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(StoreError::no_new_file(error(&key, errno))),
            }
        }
    }

    fn publish(&self, draft: &Draft, key: &str) -> Result<Option<File>, StoreError> {
        let named = self.in_parent(key, |folder| self.give_name(draft, folder, key));
        let (folder, ()) = named.map_err(|errno| match errno {
            Errno::EXIST => StoreError::Exists {
                key: key.to_owned(),
            },
            Errno::NOTDIR => StoreError::NotAFolder {
                key: parent(key).to_owned(),
            },
            errno => error(key, errno),
        })?;
        if let Some(old) = &draft.name {
            prune(self, parent(old));
        }
        Ok(Some(folder))
    }

    fn discard(&self, draft: Draft) {
        let Some(key) = draft.name else {
            return;
        };
        // Best effort: a file that stays is recognizable as unfinished by its name.
        if self.unlink(&key).is_ok() {
            prune(self, parent(&key));
        }
    }

    fn unlink(&self, key: &str) -> Result<(), StoreError> {
        let folder = self
            .open_beneath(parent(key), FOLDER)
            .map_err(|errno| error(key, errno))?;
        match unlinkat(&folder, name(key), AtFlags::empty()) {
            Ok(()) => Ok(()),
            // Some systems report `PERM` for a folder.
            Err(errno @ (Errno::ISDIR | Errno::PERM)) => {
                match statat(&folder, name(key), AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) if is_folder(&stat) => Err(error(key, Errno::NOENT)),
                    _ => Err(error(key, errno)),
                }
            }
            Err(errno) => Err(error(key, errno)),
        }
    }

    fn remove_folder(&self, folder: &str) -> Result<bool, StoreError> {
        let removed = self
            .open_beneath(parent(folder), FOLDER)
            .and_then(|above| unlinkat(&above, name(folder), AtFlags::REMOVEDIR));
        match removed {
            Ok(()) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(errno) => Err(error(folder, errno)),
        }
    }

    fn sync_folder(&self, folder: &str) -> Result<(), StoreError> {
        let opened = self
            .open_beneath(folder, FOLDER)
            .map_err(|errno| error(folder, errno))?;
        let synced = self.syncs.folder(&File::from(opened));
        synced.map_err(|error| StoreError::from_io(folder, error))
    }

    fn syncs(&self) -> &Syncs {
        &self.syncs
    }
}
