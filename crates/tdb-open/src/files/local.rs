//! Files of the local file system.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use super::entry::{FileEntry, failed};
use super::path::uri as uri_of;
use crate::{Error, Result};

pub(super) fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_dir())
}

pub(super) fn size(uri: &str, path: &Path) -> Result<u64> {
    let found = path.metadata().map_err(|error| failed(uri, error))?;
    Ok(found.len())
}

pub(super) fn create_folder(uri: &str, path: &Path) -> Result<()> {
    if is_file(path) {
        return Ok(());
    }
    fs::create_dir_all(path).map_err(|error| failed(uri, error))
}

/// Creates the folder in which a file is to be.
pub(super) fn create_parent(uri: &str, path: &Path) -> Result<()> {
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent.map_err(|error| failed(uri, error))
}

pub(super) fn touch(uri: &str, path: &Path) -> Result<()> {
    create_parent(uri, path)?;
    let mut options = OpenOptions::new();
    let file = options.create(true).append(true).open(path);
    let touched = file.and_then(|file| file.sync_all());
    touched.map_err(|error| failed(uri, error))
}

pub(super) fn remove_file(uri: &str, path: &Path) -> Result<()> {
    let removed = if is_own_folder(path) {
        fs::remove_dir(path)
    } else {
        fs::remove_file(path)
    };
    removed.map_err(|error| failed(uri, error))
}

pub(super) fn remove_folder(uri: &str, path: &Path) -> Result<()> {
    let removed = if is_own_folder(path) {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.map_err(|error| failed(uri, error))
}

/// True for a folder, and not for a link to one.
fn is_own_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

pub(super) fn rename(from: &str, old: &Path, to: &str, new: &Path) -> Result<()> {
    create_parent(to, new)?;
    fs::rename(old, new).map_err(|error| failed(from, error))
}

pub(super) fn copy_file(from: &str, old: &Path, to: &str, new: &Path) -> Result<()> {
    if !is_file(old) {
        return Err(failed(from, std::io::ErrorKind::NotFound.into()));
    }
    // The system would open the file for writing, which empties it.
    if old == new || fs::canonicalize(new).ok() == fs::canonicalize(old).ok() {
        return Ok(());
    }
    let copied = fs::copy(old, new).map(drop);
    copied.map_err(|error| failed(to, error))
}

pub(super) fn copy_folder(from: &str, old: &Path, to: &str, new: &Path) -> Result<()> {
    if new.starts_with(old) {
        return Err(Error::invalid(format!("{to} lies in {from}")));
    }
    if !old.is_dir() {
        return copy_file(from, old, to, new);
    }
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let (source, target) = (old.join(&folder), new.join(&folder));
        if !target.is_dir() {
            fs::create_dir(&target).map_err(|error| failed(to, error))?;
        }
        for entry in entries(from, &source)? {
            if entry.is_folder {
                folders.push(folder.join(&entry.name));
            } else {
                let (source, target) = (source.join(&entry.name), target.join(&entry.name));
                copy_file(from, &source, to, &target)?;
            }
        }
    }
    Ok(())
}

pub(super) fn list(uri: &str, path: &Path) -> Result<Vec<String>> {
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let entries = entries(uri, path)?;
    let named = entries.iter().map(|entry| uri_of(&path.join(&entry.name)));
    let mut uris: Vec<String> = named.collect();
    uris.sort_unstable();
    Ok(uris)
}

/// Sees everything below a folder; false if `see` wants no more.
pub(super) fn walk(
    uri: &str,
    path: &Path,
    see: &mut dyn FnMut(&FileEntry) -> Result<bool>,
) -> Result<bool> {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(uri, &folder)? {
            let path = folder.join(&entry.name);
            let size = if entry.is_folder {
                0
            } else {
                size(&uri_of(&path), &path)?
            };
            let seen = FileEntry {
                uri: uri_of(&path),
                size,
                is_folder: entry.is_folder,
            };
            if !see(&seen)? {
                return Ok(false);
            }
            if entry.is_folder {
                folders.push(path);
            }
        }
    }
    Ok(true)
}

/// A name in a folder.
struct Entry {
    name: OsString,
    /// True for a folder, and not for a link to one: folders in a circle of links have no end.
    is_folder: bool,
}

fn entries(uri: &str, folder: &Path) -> Result<Vec<Entry>> {
    let read = fs::read_dir(folder).map_err(|error| failed(uri, error))?;
    let read_entries = read.map(|entry| {
        let entry = entry?;
        Ok(Entry {
            name: entry.file_name(),
            is_folder: entry.file_type()?.is_dir(),
        })
    });
    let entries: std::io::Result<Vec<Entry>> = read_entries.collect();
    entries.map_err(|error| failed(uri, error))
}
