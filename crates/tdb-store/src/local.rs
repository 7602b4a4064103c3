mod open_files;
mod portable;
mod tree;
#[cfg(unix)]
mod unix;
mod writer;

use std::io::IoSliceMut;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

use self::open_files::OpenFiles;
pub use self::tree::SyncCounts;
use self::tree::{Entry, Tree};
use self::writer::LocalWriter;
use crate::{
    Listing, Object, ObjectWriter, Page, Piece, Read, Store, StoreError, check_key, check_prefix,
    join,
};

#[cfg(not(unix))]
use self::portable::{Root, most_open_files};
#[cfg(unix)]
use self::unix::{Root, most_open_files};

/// Returns the number of files and connections that the system lets this process have open at a time; `None` if it does
/// not give a number.
#[must_use]
pub fn files_allowed() -> Option<usize> {
    cfg!(unix).then(most_open_files)
}

/// Number of entries of a folder that are held and sorted at a time.
const PAGE_SIZE: usize = 1 << 18;

/// A store of the files below a local folder.
///
/// - Nothing outside the folder is accessed. The path of the root may lead over symbolic links, but below the root no
///   link is followed: reading a link, or through one, is [`StoreError::NotAFile`]; a listing shows it as an object,
///   whatever its target; removing it removes the link itself.
/// - Only regular files are read. For a pipe or a device, [`StoreError::NotAFile`] is returned at once, without
///   blocking.
/// - When [`ObjectWriter::finish`] returns, the object and its name are on disk. After [`ObjectWriter::place`], the
///   name is on disk once [`Store::settle`] returns. Neither replaces an existing file. An unfinished object has no
///   name where the system supports that; elsewhere its name begins with `.tmp-`, in the folder given to
///   [`LocalStore::with_staging`].
/// - Files read by [`Store::read_into`] stay open, up to a quarter of the process's limit of open files. If another
///   process removes such a file, reads of it still succeed, and its disk space is freed at the latest when the store
///   is dropped.
/// - A listing reads the folder once and does not ask for sizes. A folder with more entries than a page (262 144) is
///   read once per page.
#[derive(Clone, Debug)]
pub struct LocalStore {
    tree: Arc<dyn Tree>,
    open_files: Arc<OpenFiles>,
    staging: String,
    page_size: usize,
}

impl LocalStore {
    /// Opens an existing folder as the root of a store.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], [`StoreError::NotAFolder`], or any other error of the operating system.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self::over(Arc::new(Root::open(root.as_ref())?)))
    }

    /// Opens a folder as the root of a store; creates it and its parents if they do not exist.
    ///
    /// # Errors
    /// [`StoreError::NotAFolder`], or any other error of the operating system.
    pub fn create_root(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        let root = root.as_ref();
        std::fs::create_dir_all(root)
            .map_err(|error| StoreError::from_io(&root.to_string_lossy(), error))?;
        Self::open(root)
    }

    /// Opens an existing folder for objects that need not survive a crash: nothing is synced to disk.
    ///
    /// # Errors
    /// As for [`LocalStore::open`].
    pub fn temporary(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        let store = Self::open(root)?;
        store.tree.syncs().turn_off();
        Ok(store)
    }

    /// Sets the folder for unfinished objects that need a name.
    ///
    /// # Errors
    /// [`StoreError::InvalidKey`] if `prefix` is not a valid folder key.
    pub fn with_staging(mut self, prefix: &str) -> Result<Self, StoreError> {
        check_prefix(prefix)?;
        prefix.clone_into(&mut self.staging);
        Ok(self)
    }

    /// Sets the maximum number of entries per page of a listing (at least 1).
    #[must_use]
    pub fn with_page_size(mut self, entries: usize) -> Self {
        self.page_size = entries.max(1);
        self
    }

    /// Returns how often this store and its clones have waited for the disk.
    #[must_use]
    pub fn syncs(&self) -> SyncCounts {
        self.tree.syncs().counts()
    }

    fn over(tree: Arc<dyn Tree>) -> Self {
        Self {
            tree,
            open_files: Arc::new(OpenFiles::new()),
            staging: String::new(),
            page_size: PAGE_SIZE,
        }
    }

    /// Performs the reads of one object, which is opened once; `wanted` contains indexes into `reads`.
    fn read_object(
        &self,
        key: &str,
        wanted: &[usize],
        reads: &[Read],
        answers: &mut [Option<Result<Piece, StoreError>>],
    ) {
        let object = check_key(key).and_then(|()| self.tree.open(key));
        for &index in wanted {
            let (Some(read), Some(answer)) = (reads.get(index), answers.get_mut(index)) else {
                continue;
            };
            *answer = Some(match &object {
                Ok(object) => self.read_range(object, read),
                Err(error) => Err(error.clone()),
            });
        }
    }

    /// Reads from a file that is kept open; opens it first if necessary. If the read from a kept file fails, the key
    /// is opened again and read once more.
    fn with_opened(
        &self,
        key: &str,
        mut read: impl FnMut(&tree::OpenFile) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        check_key(key)?;
        if let Some(object) = self.open_files.get(key) {
            if read(&object).is_ok() {
                return Ok(());
            }
            // Another process truncated or replaced the file: read the one that has the name now.
            self.open_files.forget(key);
        }
        let object = Arc::new(self.tree.open(key)?);
        read(&object)?;
        self.open_files.keep(key, &object);
        Ok(())
    }

    fn read_range(&self, object: &tree::OpenFile, read: &Read) -> Result<Piece, StoreError> {
        let range = read.resolve(object.size)?;
        let len = range.end - range.start;
        let too_large = || StoreError::TooLarge {
            key: read.key.to_string(),
            size: len,
            limit: isize::MAX.unsigned_abs() as u64,
        };
        let len = usize::try_from(len).map_err(|_| too_large())?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| too_large())?;
        self.tree
            .read(object, &read.key, range.start, len, &mut bytes)?;
        Ok(Piece {
            offset: range.start,
            bytes: Bytes::from(bytes),
        })
    }
}

impl Store for LocalStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        check_prefix(prefix)?;
        let mut listing = Listing::default();
        let mut names = Smallest::new(prefix, self.page_size, page.map(Page::token));
        self.tree.names(prefix, &mut |entry| match entry {
            Entry::Object(name) => names.see(name, false),
            Entry::Folder(name) => names.see(name, true),
            // Reported with the first page only.
            Entry::Foreign(name) if page.is_none() => listing.foreign.push(name.to_owned()),
            Entry::Foreign(_) => {}
        })?;
        let (keys, more) = names.into_sorted();
        if let (true, Some(last)) = (more, keys.last()) {
            listing.next = Some(Page::new(last.as_str()));
        }
        for mut key in keys {
            if key.ends_with('/') {
                key.pop();
                listing.prefixes.push(key);
            } else {
                listing.objects.push(Object { key, size: None });
            }
        }
        Ok(listing)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        check_key(key)?;
        self.tree.size(key)
    }

    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        check_key(key)?;
        let metadata = self.tree.open(key)?.file.metadata();
        let modified = metadata.and_then(|metadata| metadata.modified());
        modified
            .map(Some)
            .map_err(|error| StoreError::from_io(key, error))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let mut order: Vec<usize> = (0..reads.len()).collect();
        let key = |&index: &usize| reads.get(index).map_or("", |read| &*read.key);
        order.sort_by(|a, b| key(a).cmp(key(b)));
        let mut answers = vec![None; reads.len()];
        // One object at a time, so that only one file is open, however many objects the batch has.
        for wanted in order.chunk_by(|a, b| key(a) == key(b)) {
            let object = wanted.first().map_or("", key);
            self.read_object(object, wanted, reads, &mut answers);
        }
        let answers = answers.into_iter().zip(reads);
        answers
            .map(|(answer, read)| answer.unwrap_or_else(|| Err(StoreError::no_answer(&read.key))))
            .collect()
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        let read = Read::bounded(key, offset, into.len() as u64);
        self.with_opened(key, |object| {
            read.resolve(object.size)?;
            self.tree.read_into(object, key, offset, into)
        })
    }

    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let wanted = into.iter().map(|piece| piece.len() as u64);
        let read = Read::bounded(key, offset, wanted.fold(0, u64::saturating_add));
        self.with_opened(key, |object| {
            read.resolve(object.size)?;
            self.tree.read_scattered(object, key, offset, into)
        })
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        check_key(key)?;
        // Checked early to save the caller the writing; only the result of `finish` is binding.
        match self.tree.size(key) {
            Err(StoreError::NotFound { .. } | StoreError::NotAFile { .. }) => {}
            Ok(_) => {
                return Err(StoreError::Exists {
                    key: key.to_owned(),
                });
            }
            Err(error) => return Err(error),
        }
        let draft = self.tree.draft(&self.staging)?;
        Ok(Box::new(LocalWriter::new(&self.tree, key, draft)))
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        check_prefix(prefix)?;
        self.tree.sync_folder(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let mut touched = tree::ChangedFolders::default();
        let mut answers: Vec<Result<(), StoreError>> = Vec::with_capacity(keys.len());
        for key in keys {
            let answer = check_key(key).and_then(|()| self.tree.unlink(key));
            // After the removal: a concurrent reader might have opened the file again before it.
            self.open_files.forget(key);
            if answer.is_ok() {
                touched.add(crate::parent(key));
            }
            answers.push(answer);
        }
        for (folder, error) in touched.settle(&*self.tree) {
            let below = |key: &str| folder.is_empty() || key.starts_with(&format!("{folder}/"));
            for (_, answer) in keys.iter().zip(&mut answers).filter(|(key, _)| below(key)) {
                if answer.is_ok() {
                    *answer = Err(error.clone());
                }
            }
        }
        answers
    }

    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        check_prefix(folder)?;
        if folder.is_empty() {
            return Ok(());
        }
        match self.tree.remove_folder(folder) {
            Ok(true) => self.tree.sync_folder(crate::parent(folder)),
            Ok(false) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The smallest `most` keys of a folder that sort after `after`, selected from all names of the folder. Keys of
/// folders end in a slash.
///
/// The system yields names in no order, and a folder may have millions of them. So at most twice `most` keys are held:
/// when that many are collected, a selection (not a sort) drops the larger half.
struct Smallest<'a> {
    folder: &'a str,
    most: usize,
    after: Option<&'a str>,
    keys: Vec<String>,
    more: bool,
}

impl<'a> Smallest<'a> {
    fn new(folder: &'a str, most: usize, after: Option<&'a str>) -> Self {
        Self {
            folder,
            most,
            after,
            keys: Vec::new(),
            more: false,
        }
    }

    fn see(&mut self, name: &str, is_folder: bool) {
        let mut key = join(self.folder, name);
        if is_folder {
            key.push('/');
        }
        if self.after.is_some_and(|after| key.as_str() <= after) {
            return;
        }
        self.keys.push(key);
        if self.keys.len() / 2 >= self.most {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.keys.len() > self.most {
            self.keys.select_nth_unstable(self.most);
            self.keys.truncate(self.most);
            self.more = true;
        }
    }

    fn into_sorted(mut self) -> (Vec<String>, bool) {
        self.shrink();
        self.keys.sort_unstable();
        (self.keys, self.more)
    }
}

#[cfg(test)]
mod tests;
