//! Files and folders by URI: what programs keep beside arrays, and what they look at and clean up with.

mod entry;
mod local;
mod open_file;
mod path;
mod remote;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb_array::ErrorKind;

use crate::{Error, MemoryStores, Result, Stores};
pub use entry::FileEntry;
pub use open_file::{OpenFile, OpenMode};
use path::Path;
use remote::RemotePath;

/// Bytes that a copy from one kind of store into another holds in memory at a time.
const COPY_PIECE: u64 = 8 << 20;

/// Files and folders of the local file system, of object stores, and of memory, by URI. Unlike a
/// [`Store`](tdb_store::Store), this replaces and appends to files, and knows empty folders.
///
/// URIs of local files are paths, plain or after `file://`; what is returned begins with `file://`. Those of memory
/// begin with `mem://`; these files exist as long as the value.
///
/// ```
/// use std::sync::Arc;
/// use tdb_open::{Files, LocalStores, OpenMode};
///
/// let files = Files::new(Arc::new(LocalStores));
/// let mut notes = files.open("mem://notes", OpenMode::Write)?;
/// notes.write(b"dry")?;
/// notes.close()?;
/// assert_eq!(files.size("mem://notes")?, 3);
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Debug)]
pub struct Files {
    stores: Arc<dyn Stores>,
    /// Empty folders of the memory store, which itself has none.
    folders: Mutex<BTreeSet<String>>,
}

impl Files {
    /// Creates files of these stores, and of a memory of their own.
    #[must_use]
    pub fn new(stores: Arc<dyn Stores>) -> Self {
        Self::of(Arc::new(MemoryStores::beside(stores)))
    }

    /// Creates files of exactly these stores.
    pub(crate) fn of(stores: Arc<dyn Stores>) -> Self {
        Self {
            stores,
            folders: Mutex::default(),
        }
    }

    /// True if there is a file at this URI.
    ///
    /// # Errors
    /// Fails if there is no such kind of store, or if the store fails.
    pub fn is_file(&self, uri: &str) -> Result<bool> {
        match self.path(uri)? {
            Path::Local(path) => Ok(local::is_file(&path)),
            Path::Remote(path) => path.is_file(),
        }
    }

    /// True if there is a folder at this URI. A folder of an object store exists as long as something is in it.
    ///
    /// # Errors
    /// As [`Files::is_file`].
    pub fn is_folder(&self, uri: &str) -> Result<bool> {
        match self.path(uri)? {
            Path::Local(path) => Ok(path.is_dir()),
            Path::Remote(path) => Ok(self.has_empty(&path) || path.is_folder()?),
        }
    }

    /// Returns the size of a file in bytes.
    ///
    /// # Errors
    /// Fails if there is no such file, or if the store fails.
    pub fn size(&self, uri: &str) -> Result<u64> {
        match self.path(uri)? {
            Path::Local(path) => local::size(uri, &path),
            Path::Remote(path) => path.size(),
        }
    }

    /// Returns the sum of the sizes of all files in and below a folder.
    ///
    /// # Errors
    /// Fails if there is no such folder, or if the store fails.
    pub fn folder_size(&self, uri: &str) -> Result<u64> {
        if !self.is_folder(uri)? {
            let error = Error::new(ErrorKind::NotFound, "is not a directory");
            return Err(error.at(uri));
        }
        let mut total: u64 = 0;
        self.walk(uri, &mut |entry| {
            let sum = total.checked_add(entry.size);
            total = sum.ok_or_else(|| Error::invalid(format!("{uri}: too large")))?;
            Ok(true)
        })?;
        Ok(total)
    }

    /// Creates a folder and its parents, if it does not exist. Does nothing in an object store.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn create_folder(&self, uri: &str) -> Result<()> {
        match self.path(uri)? {
            Path::Local(path) => local::create_folder(uri, &path),
            Path::Remote(path) => {
                if path.is_memory() {
                    self.folders().insert(path.key().to_owned());
                }
                Ok(())
            }
        }
    }

    /// Creates an empty file and its parent folders, unless there is a file already.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn touch(&self, uri: &str) -> Result<()> {
        match self.path(uri)? {
            Path::Local(path) => local::touch(uri, &path),
            Path::Remote(path) => path.touch(),
        }
    }

    /// Removes a file, or an empty folder.
    ///
    /// # Errors
    /// Fails if there is no such file, or if the store fails.
    pub fn remove_file(&self, uri: &str) -> Result<()> {
        match self.path(uri)? {
            Path::Local(path) => local::remove_file(uri, &path),
            Path::Remote(path) => path.remove_file(),
        }
    }

    /// Removes a folder and everything in it. It is not an error if nothing is there in an object store.
    ///
    /// # Errors
    /// Fails if there is no such folder, or if the store fails.
    pub fn remove_folder(&self, uri: &str) -> Result<()> {
        let path = match self.path(uri)? {
            Path::Local(path) => return local::remove_folder(uri, &path),
            Path::Remote(path) => path,
        };
        let made = path.is_memory() && self.forget_folders(&path);
        let removed = path.remove_all()?;
        if path.is_memory() && !made && !removed {
            return Err(Error::new(ErrorKind::NotFound, "not found").at(uri));
        }
        Ok(())
    }

    /// Moves a file; what was at the new URI is replaced. Parent folders are created.
    ///
    /// # Errors
    /// Fails if there is no such file, or if a store fails.
    pub fn move_file(&self, from: &str, to: &str) -> Result<()> {
        match (self.path(from)?, self.path(to)?) {
            (Path::Local(old), Path::Local(new)) => local::rename(from, &old, to, &new),
            (old, new) => {
                self.copy_between(from, &old, to, &new)?;
                self.remove_file(from)
            }
        }
    }

    /// Moves a folder to a place where nothing, or an empty folder, exists yet. Parent folders are created.
    ///
    /// # Errors
    /// As [`Files::move_file`]. In a store that cannot rename, an error may leave a part of the copy.
    pub fn move_folder(&self, from: &str, to: &str) -> Result<()> {
        match (self.path(from)?, self.path(to)?) {
            (Path::Local(old), Path::Local(new)) => local::rename(from, &old, to, &new),
            _ => {
                self.copy_folder(from, to)?;
                self.remove_folder(from)
            }
        }
    }

    /// Copies a file; what was at the new URI is replaced. In the local file system, its folder must exist.
    ///
    /// # Errors
    /// As [`Files::move_file`].
    pub fn copy_file(&self, from: &str, to: &str) -> Result<()> {
        match (self.path(from)?, self.path(to)?) {
            (Path::Local(old), Path::Local(new)) => local::copy_file(from, &old, to, &new),
            (old, new) => self.copy_between(from, &old, to, &new),
        }
    }

    /// Copies a folder with everything in it; files of the same names are replaced, others stay. In the local file
    /// system, the parent of the copy must exist.
    ///
    /// # Errors
    /// As [`Files::move_file`]. Some of the files may have been copied then.
    pub fn copy_folder(&self, from: &str, to: &str) -> Result<()> {
        if let (Path::Local(old), Path::Local(new)) = (self.path(from)?, self.path(to)?) {
            return local::copy_folder(from, &old, to, &new);
        }
        let (from, to) = (self.absolute(from)?, to.trim_end_matches('/'));
        let mut entries = Vec::new();
        self.walk(&from, &mut |entry| {
            entries.push(entry.clone());
            Ok(true)
        })?;
        for entry in entries {
            let rest = entry.uri.strip_prefix(&from);
            let below = rest.ok_or_else(|| Error::invalid(format!("{}: not below", entry.uri)))?;
            let copy = format!("{to}{below}");
            if entry.is_folder {
                self.create_folder(&copy)?;
            } else {
                self.copy_file(&entry.uri, &copy)?;
            }
        }
        Ok(())
    }

    /// Returns the URIs of the files and folders directly in a folder, ordered. A folder that does not exist has none.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn list(&self, uri: &str) -> Result<Vec<String>> {
        match self.path(uri)? {
            Path::Local(path) => local::list(uri, &path),
            Path::Remote(path) => {
                let mut uris: BTreeSet<String> = path.list()?.into_iter().collect();
                uris.extend(self.empty_below(&path, false));
                Ok(uris.into_iter().collect())
            }
        }
    }

    /// Calls `see` with each file and folder below a folder, in no particular order, until it returns false. Object
    /// stores have no folders of their own, so only files are seen there.
    ///
    /// # Errors
    /// Fails if there is no such local folder, if the store fails, or if `see` does.
    pub fn walk(&self, uri: &str, see: &mut dyn FnMut(&FileEntry) -> Result<bool>) -> Result<()> {
        match self.path(uri)? {
            Path::Local(path) => local::walk(uri, &path, see).map(drop),
            Path::Remote(path) => {
                let made = self.empty_below(&path, true).into_iter();
                let folders = made.map(|uri| FileEntry {
                    uri,
                    size: 0,
                    is_folder: true,
                });
                for entry in folders.chain(path.list_all()?) {
                    if !see(&entry)? {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Opens a file. With [`OpenMode::Write`], one that exists is removed; a new one exists once something is written
    /// or it is closed, in an object store only once it is closed.
    ///
    /// # Errors
    /// Fails if there is no such file to read, or if the store fails or cannot append.
    pub fn open(&self, uri: &str, mode: OpenMode) -> Result<OpenFile> {
        OpenFile::open(uri, self.path(uri)?, mode)
    }

    /// Returns whether the root of an object store can be reached; an error for other URIs.
    ///
    /// # Errors
    /// Fails if the URI does not name an object store.
    pub fn is_bucket(&self, uri: &str) -> Result<bool> {
        let path = self.bucket(uri)?;
        Ok(path.key().is_empty() && path.list().is_ok())
    }

    /// Returns whether an object store has no objects.
    ///
    /// # Errors
    /// Fails if the URI does not name an object store, or if the store fails.
    pub fn is_empty_bucket(&self, uri: &str) -> Result<bool> {
        Ok(self.bucket(uri)?.list()?.is_empty())
    }

    /// Removes all objects of an object store.
    ///
    /// # Errors
    /// Fails if the URI does not name an object store, or if the store fails.
    pub fn empty_bucket(&self, uri: &str) -> Result<()> {
        self.bucket(uri)?.remove_all().map(drop)
    }

    fn bucket(&self, uri: &str) -> Result<RemotePath> {
        match self.path(uri)? {
            Path::Remote(path) if !path.is_memory() => Ok(path),
            _ => {
                let what = "buckets are not supported on the given filesystem";
                Err(Error::new(ErrorKind::Unsupported, what).at(uri))
            }
        }
    }

    fn path(&self, uri: &str) -> Result<Path> {
        Path::of(uri, &*self.stores)
    }

    /// True for a URI of the local file system.
    ///
    /// # Errors
    /// Fails if there is no such kind of store.
    pub fn is_local(&self, uri: &str) -> Result<bool> {
        Ok(matches!(self.path(uri)?, Path::Local(_)))
    }

    /// Returns a URI in the form in which it is returned by [`Files::list`].
    ///
    /// # Errors
    /// Fails if there is no such kind of store.
    pub fn absolute(&self, uri: &str) -> Result<String> {
        Ok(match self.path(uri)? {
            Path::Local(path) => path::uri(&path),
            Path::Remote(path) => path.uri(),
        })
    }

    /// Copies a file from one kind of store into another, or within a store that cannot copy.
    fn copy_between(&self, from: &str, old: &Path, to: &str, new: &Path) -> Result<()> {
        if old.uri() == new.uri() {
            return Ok(());
        }
        let size = self.size(from)?;
        let mut source = self.open(from, OpenMode::Read)?;
        let mut target = self.open(to, OpenMode::Write)?;
        let mut piece = Vec::new();
        let mut start = 0;
        while start < size {
            let len = COPY_PIECE.min(size - start);
            let fits = usize::try_from(len);
            piece.resize(fits.map_err(|_| Error::invalid("too large"))?, 0);
            source.read_at(start, &mut piece)?;
            target.write(&piece)?;
            start += len;
        }
        target.close()
    }

    fn folders(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a folder of the memory was created, or one below it.
    fn has_empty(&self, path: &RemotePath) -> bool {
        if !path.is_memory() {
            return false;
        }
        path.key().is_empty() || self.folders().iter().any(|folder| path.holds(folder))
    }

    /// Forgets the empty folders at and below a path; true if there were some.
    fn forget_folders(&self, path: &RemotePath) -> bool {
        let mut folders = self.folders();
        let before = folders.len();
        folders.retain(|folder| !path.holds(folder));
        folders.len() < before
    }

    /// Returns the URIs of folders of the memory that were created below a path; without `deep`, those directly in it.
    fn empty_below(&self, path: &RemotePath, deep: bool) -> BTreeSet<String> {
        if !path.is_memory() {
            return BTreeSet::new();
        }
        let folders = self.folders();
        let below = folders.iter().filter_map(|folder| path.below(folder));
        let named = below.flat_map(|below| {
            let slashes = below.match_indices('/').map(|(end, _)| end);
            let ends = slashes.chain([below.len()]);
            let taken = if deep { usize::MAX } else { 1 };
            let names = ends.take(taken).filter_map(|end| below.get(..end));
            names.map(|name| path.child_uri(name)).collect::<Vec<_>>()
        });
        named.collect()
    }
}

impl Path {
    fn uri(&self) -> String {
        match self {
            Self::Local(path) => path::uri(path),
            Self::Remote(path) => path.uri(),
        }
    }
}

#[cfg(test)]
mod tests;
