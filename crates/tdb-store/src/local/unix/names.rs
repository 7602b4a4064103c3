//! The names in a folder.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::Entry;

/// Calls `see` with each name in a folder.
#[cfg(target_os = "linux")]
pub(super) fn names(folder: &OwnedFd, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), Errno> {
    use std::mem::MaybeUninit;

    use rustix::fs::RawDir;

    /// Buffer size in bytes: room for hundreds of names, and more than the longest name needs.
    const ROOM: usize = 16 << 10;
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut entries = RawDir::new(folder, &mut room);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        show(folder, name, entry.file_type(), see)?;
    }
    Ok(())
}

/// Calls `see` with each name in a folder.
#[cfg(not(target_os = "linux"))]
pub(super) fn names(folder: &OwnedFd, see: &mut dyn FnMut(Entry<'_>)) -> Result<(), Errno> {
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        show(folder, name, entry.file_type(), see)?;
    }
    Ok(())
}

/// Calls `see` with one name; skips it if it vanishes before its kind is known.
fn show(
    folder: impl AsFd,
    name: &[u8],
    kind: FileType,
    see: &mut dyn FnMut(Entry<'_>),
) -> Result<(), Errno> {
    let Ok(name) = std::str::from_utf8(name) else {
        see(Entry::Foreign(&String::from_utf8_lossy(name)));
        return Ok(());
    };
    if name == "." || name == ".." {
        return Ok(());
    }
    let kind = match kind {
        FileType::Unknown => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(errno),
        },
        kind => kind,
    };
    see(match kind {
        FileType::Directory => Entry::Folder(name),
        _ => Entry::Object(name),
    });
    Ok(())
}
