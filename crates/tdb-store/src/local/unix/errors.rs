//! Translation of system errors into [`StoreError`].

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use crate::StoreError;

const LINK: &str = "a symbolic link";

/// Returns the error for an answer that no working file system gives.
pub(super) fn odd(key: &str, what: &'static str) -> StoreError {
    StoreError::other(key, std::io::Error::other(what))
}

pub(super) fn regular_size(key: &str, stat: &Stat) -> Result<u64, StoreError> {
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            let size = u64::try_from(stat.st_size);
            return size.map_err(|_| odd(key, "the system says that it has less than no bytes"));
        }
        FileType::Directory => return Err(error(key, Errno::NOENT)),
        FileType::Symlink => LINK,
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(not_a_file(key, what))
}

pub(super) fn is_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

pub(super) fn not_a_file(key: &str, what: &'static str) -> StoreError {
    StoreError::NotAFile {
        key: key.to_owned(),
        what,
    }
}

pub(super) fn error(key: &str, errno: Errno) -> StoreError {
    match errno {
        Errno::LOOP => not_a_file(key, LINK),
        // Opening a socket, or a device that does not exist.
        Errno::NXIO | Errno::NODEV => not_a_file(key, "a socket or a device"),
        // An object contains no objects.
        Errno::NOTDIR => StoreError::NotFound {
            key: key.to_owned(),
        },
        errno => StoreError::from_io(key, errno.into()),
    }
}
