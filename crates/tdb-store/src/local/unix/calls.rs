//! System calls that differ between Unix systems, or between their versions.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, linkat, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

pub(super) const DRAFT: OFlags = OFlags::WRONLY.union(OFlags::CLOEXEC);

/// Permissions of a new file and a new folder, before the umask.
pub(super) const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
pub(super) const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// Opens a whole key in one call, in which the kernel refuses links.
#[cfg(target_os = "linux")]
pub(super) fn open_at_once(root: &OwnedFd, key: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // With `NOFOLLOW` and `DIRECTORY`, a link would be reported as "not a directory".
    let flags = flags.difference(OFlags::NOFOLLOW);
    retry_on_intr(|| openat2(root, key, flags, Mode::empty(), resolve))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open_at_once(_: &OwnedFd, _: &str, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens one name. Reports a link in place of a folder as a link, not as "not a directory".
pub(super) fn open_part(folder: impl AsFd, part: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    match retry_on_intr(|| openat(&folder, part, flags, Mode::empty())) {
        Err(Errno::NOTDIR) => match statat(&folder, part, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                Err(Errno::LOOP)
            }
            _ => Err(Errno::NOTDIR),
        },
        other => other,
    }
}

#[cfg(target_os = "linux")]
pub(super) fn nameless_files() -> bool {
    // A file without a name gets one by its link in this folder.
    rustix::fs::accessat(
        CWD,
        "/proc/self/fd",
        rustix::fs::Access::EXISTS,
        AtFlags::empty(),
    )
    .is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn nameless_files() -> bool {
    false
}

/// Creates a file without a name; `None` if the file system does not support that.
#[cfg(target_os = "linux")]
pub(super) fn nameless_file(folder: &OwnedFd) -> Option<File> {
    let made = openat(folder, ".", DRAFT | OFlags::TMPFILE, FILE_MODE);
    made.ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn nameless_file(_: &OwnedFd) -> Option<File> {
    None
}

/// Renames a file, and fails if the new name is taken.
///
/// The first of three ways that the file system supports is used: a rename that never replaces; a hard link, then
/// removal of the old name; a check that the name is free, then a plain rename. Only the last one has a race. It is
/// left for mounted object stores (rclone, s3fs, gcsfuse), which have the same race themselves.
pub(super) fn rename_exclusive(
    old_folder: &OwnedFd,
    old: &str,
    new_folder: &File,
    new: &str,
) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(old_folder, old, new_folder, new, RenameFlags::NOREPLACE) {
            // Not supported by every file system.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            other => return other,
        }
    }
    // On some systems two of these are the same number.
    let unable = [
        Errno::NOSYS,
        Errno::INVAL,
        Errno::NOTSUP,
        Errno::OPNOTSUPP,
        Errno::PERM,
    ];
    match linkat(old_folder, old, new_folder, new, AtFlags::empty()) {
        Ok(()) => return unlinkat(old_folder, old, AtFlags::empty()),
        Err(errno) if unable.contains(&errno) => {}
        Err(errno) => return Err(errno),
    }
    match statat(new_folder, new, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => renameat(old_folder, old, new_folder, new),
        Err(errno) => Err(errno),
    }
}
