//! Files that are open for reading or writing.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path as StdPath, PathBuf};

use tdb_array::ErrorKind;
use tdb_store::{ObjectWriter, StoreError};

use super::entry::failed;
use super::local;
use super::path::Path;
use super::remote::RemotePath;
use crate::{Error, Result};

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Reading.
    Read,
    /// Writing a new file, in place of one that exists.
    Write,
    /// Writing at the end of a file, which is created if there is none. Object stores cannot do this.
    Append,
}

/// An open file. What is written to a local file is visible at once; an object in a store is made by
/// [`OpenFile::close`], and does not exist if the value is dropped before.
#[derive(Debug)]
pub struct OpenFile {
    uri: String,
    state: State,
}

#[derive(Debug)]
enum State {
    ReadLocal(File),
    ReadRemote(RemotePath),
    WriteLocal(PathBuf, Option<File>),
    WriteMemory(RemotePath),
    WriteRemote(Box<dyn ObjectWriter>),
    Closed,
}

impl OpenFile {
    pub(super) fn open(uri: &str, path: Path, mode: OpenMode) -> Result<Self> {
        let state = match (path, mode) {
            (Path::Local(path), OpenMode::Read) => State::ReadLocal(open_local(uri, &path)?),
            (Path::Local(path), mode) => {
                if mode == OpenMode::Write && local::is_file(&path) {
                    local::remove_file(uri, &path)?;
                }
                State::WriteLocal(path, None)
            }
            (Path::Remote(path), OpenMode::Read) => {
                if !path.is_file()? {
                    return Err(no_file(uri));
                }
                State::ReadRemote(path)
            }
            (Path::Remote(path), OpenMode::Append) if !path.is_memory() => {
                let what = "object stores do not support append mode";
                return Err(Error::new(ErrorKind::Unsupported, what).at(uri));
            }
            (Path::Remote(path), mode) => {
                if mode == OpenMode::Write && path.is_file()? {
                    path.remove_file()?;
                }
                if path.is_memory() {
                    State::WriteMemory(path)
                } else {
                    State::WriteRemote(path.create()?)
                }
            }
        };
        Ok(Self {
            uri: uri.to_owned(),
            state,
        })
    }

    /// Returns the URI by which the file was opened.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Fills `into` with the bytes from `offset` on.
    ///
    /// # Errors
    /// Fails if the file does not contain all of them, is open for writing or closed, or if the store fails.
    pub fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<()> {
        match &mut self.state {
            State::ReadLocal(file) => {
                let size = file.metadata().map_err(|error| failed(&self.uri, error))?;
                check_range(&self.uri, size.len(), offset, into.len() as u64)?;
                read_exactly(file, offset, into).map_err(|error| failed(&self.uri, error))
            }
            State::ReadRemote(path) => {
                check_range(&self.uri, path.size()?, offset, into.len() as u64)?;
                path.read_at(offset, into)
            }
            State::Closed => Err(self.not_open()),
            _ => Err(Error::invalid(format!(
                "{}: the file is open for writing",
                self.uri
            ))),
        }
    }

    /// Writes bytes at the end.
    ///
    /// # Errors
    /// Fails if the file is open for reading or closed, or if the store fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.state {
            State::WriteLocal(path, file) => {
                let file = match file {
                    Some(file) => file,
                    none => none.insert(create_local(&self.uri, path)?),
                };
                file.write_all(bytes)
                    .map_err(|error| failed(&self.uri, error))
            }
            State::WriteMemory(path) => {
                let mut content = if path.is_file()? {
                    path.content()?
                } else {
                    Vec::new()
                };
                content.extend_from_slice(bytes);
                path.replace(&content)
            }
            State::WriteRemote(object) => object.write(bytes).map_err(Error::of_store),
            State::Closed => Err(self.not_open()),
            State::ReadLocal(_) | State::ReadRemote(_) => Err(Error::invalid(format!(
                "{}: the file is open for reading",
                self.uri
            ))),
        }
    }

    /// Waits until what was written is on disk. Does nothing in object stores, which write when the file is closed.
    ///
    /// # Errors
    /// Fails if the file is closed, or if the store fails.
    pub fn sync(&mut self) -> Result<()> {
        match &self.state {
            State::WriteLocal(_, Some(file)) => {
                file.sync_all().map_err(|error| failed(&self.uri, error))
            }
            State::Closed => Err(self.not_open()),
            _ => Ok(()),
        }
    }

    /// Closes the file. One that was opened for writing exists afterwards, empty if nothing was written.
    ///
    /// # Errors
    /// Fails if the file is closed, or if the store fails; what was written to an object store is lost then.
    pub fn close(&mut self) -> Result<()> {
        self.sync()?;
        match std::mem::replace(&mut self.state, State::Closed) {
            State::WriteLocal(path, None) => local::touch(&self.uri, &path),
            State::WriteMemory(path) => path.touch(),
            State::WriteRemote(object) => object.finish().map_err(Error::of_store),
            _ => Ok(()),
        }
    }

    /// True once the file was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    fn not_open(&self) -> Error {
        Error::invalid(format!("{}: File is not open", self.uri))
    }
}

fn open_local(uri: &str, path: &StdPath) -> Result<File> {
    if !local::is_file(path) {
        return Err(no_file(uri));
    }
    let file = OpenOptions::new().read(true).open(path);
    file.map_err(|error| failed(uri, error))
}

fn create_local(uri: &str, path: &StdPath) -> Result<File> {
    local::create_parent(uri, path)?;
    let mut options = OpenOptions::new();
    let file = options.create(true).append(true).open(path);
    file.map_err(|error| failed(uri, error))
}

fn no_file(uri: &str) -> Error {
    Error::new(ErrorKind::NotFound, "File does not exist").at(uri)
}

fn check_range(uri: &str, size: u64, offset: u64, wanted: u64) -> Result<()> {
    let end = offset.checked_add(wanted);
    if end.is_some_and(|end| end <= size) {
        return Ok(());
    }
    let key = uri.to_owned();
    Err(Error::of_store(StoreError::OutOfRange {
        key,
        offset,
        wanted,
        size,
    }))
}

#[cfg(unix)]
fn read_exactly(file: &File, offset: u64, into: &mut [u8]) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(into, offset)
}

#[cfg(not(unix))]
fn read_exactly(mut file: &File, offset: u64, into: &mut [u8]) -> std::io::Result<()> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(into)
}
