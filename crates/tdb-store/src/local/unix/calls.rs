//! Calls of the system that differ between Unix systems, or between their versions.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, linkat, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

pub(super) const DRAFT: OFlags = OFlags::WRONLY.union(OFlags::CLOEXEC);

/// What a new file or folder allows, before the process's mask.
pub(super) const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
pub(super) const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// One call for the whole key, where the kernel refuses links by itself.
#[cfg(target_os = "linux")]
pub(super) fn open_at_once(root: &OwnedFd, key: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // `NOFOLLOW` with `DIRECTORY` would report a link as "not a directory".
    let flags = flags.difference(OFlags::NOFOLLOW);
    retry_on_intr(|| openat2(root, key, flags, Mode::empty(), resolve))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open_at_once(_: &OwnedFd, _: &str, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens one name; a link among folders is told as one, not as "not a directory".
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
    // The way to name such a file leads over this folder.
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

/// A file without a name, if this file system has such.
#[cfg(target_os = "linux")]
pub(super) fn nameless_file(folder: &OwnedFd) -> Option<File> {
    let made = openat(folder, ".", DRAFT | OFlags::TMPFILE, FILE_MODE);
    made.ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn nameless_file(_: &OwnedFd) -> Option<File> {
    None
}

/// Moves a name without taking another's place. Where the file system knows no such step, as those that object stores are mounted with
/// (rclone, s3fs, gcsfuse), whether the name is taken is looked at just before, as it is in such stores.
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
            // Not every file system can; a second name and the removal of the first can do it too.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            other => return other,
        }
    }
    // Some systems have one number for two of these.
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
