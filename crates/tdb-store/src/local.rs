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

/// How many files, connections among them, the system lets this process have open at a time; none where it gives no number.
#[must_use]
pub fn files_allowed() -> Option<usize> {
    cfg!(unix).then(most_open_files)
}

/// How many entries of a folder are held and sorted at a time.
const PAGE_SIZE: usize = 1 << 18;

/// The files below a local folder, as objects.
///
/// - Nothing outside the folder is touched. The path of the root may lead over symbolic links; below it
///   none is followed: reading one, or through one, is [`StoreError::NotAFile`]; a listing shows it as an
///   object, whatever it leads to; removing it removes the link.
/// - Only regular files are read. A pipe or a device is [`StoreError::NotAFile`], at once.
/// - A finished object is on the disk, and so is its name, before [`ObjectWriter::finish`] returns; the name of one
///   that was placed is once [`Store::settle`] returns. It
///   never replaces a file. Until then it has no name where the system allows that; elsewhere its
///   name begins with `.tmp-`, in the folder given to [`LocalStore::with_staging`].
/// - Files that [`Store::read_into`] has read of stay open, as many as a quarter of what the system allows the process: one that
///   another process removes is read on, and its place on the disk is free once the store is dropped.
/// - A listing reads the folder once and asks for no sizes. Folders too large for one page (of 262 144
///   entries) are read once per page.
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
    /// [`StoreError::NotFound`], [`StoreError::NotAFolder`], or as the system reports.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self::over(Arc::new(Root::open(root.as_ref())?)))
    }

    /// Opens a folder as the root of a store, and makes it and its parents if they are not there.
    ///
    /// # Errors
    /// [`StoreError::NotAFolder`], or as the system reports.
    pub fn create_root(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        let root = root.as_ref();
        std::fs::create_dir_all(root)
            .map_err(|error| StoreError::from_io(&root.to_string_lossy(), error))?;
        Self::open(root)
    }

    /// Opens an existing folder for objects that need not outlive the process: nothing waits for the disk.
    ///
    /// # Errors
    /// As for [`LocalStore::open`].
    pub fn temporary(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        let store = Self::open(root)?;
        store.tree.syncs().turn_off();
        Ok(store)
    }

    /// The same store, which keeps unfinished objects that must have a name in the folder `prefix`.
    ///
    /// # Errors
    /// [`StoreError::InvalidKey`].
    pub fn with_staging(mut self, prefix: &str) -> Result<Self, StoreError> {
        check_prefix(prefix)?;
        prefix.clone_into(&mut self.staging);
        Ok(self)
    }

    /// The same store, listing in pages of at most `entries` (at least one).
    #[must_use]
    pub fn with_page_size(mut self, entries: usize) -> Self {
        self.page_size = entries.max(1);
        self
    }

    /// How often it has waited for the disk, its clones included.
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

    /// Answers the reads of one object, which is opened once; `wanted` are indexes into `reads`.
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

    /// Reads of a file that stays open, or was opened before.
    fn with_opened(
        &self,
        key: &str,
        mut read: impl FnMut(&tree::Opened) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        check_key(key)?;
        if let Some(object) = self.open_files.get(key) {
            if read(&object).is_ok() {
                return Ok(());
            }
            // Somebody else cut it short or replaced it: what its name leads to now counts.
            self.open_files.forget(key);
        }
        let object = Arc::new(self.tree.open(key)?);
        read(&object)?;
        self.open_files.keep(key, &object);
        Ok(())
    }

    fn read_range(&self, object: &tree::Opened, read: &Read) -> Result<Piece, StoreError> {
        let range = read.resolve(object.size)?;
        let len = range.end.saturating_sub(range.start);
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
            // Told with the first page only.
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
        // One object at a time, so that a batch over many holds one file open.
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
        // Told early where it is known, to save the writing; what counts is the answer of `finish`.
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
        let mut touched = tree::Touched::default();
        let mut answers: Vec<Result<(), StoreError>> = Vec::with_capacity(keys.len());
        for key in keys {
            let answer = check_key(key).and_then(|()| self.tree.unlink(key));
            // Behind it, since who reads meanwhile may open the file once more.
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

/// The first keys in a folder after a given one, of all whose names are seen. Those of folders carry their slash.
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
        if self.keys.len() >= self.most.saturating_mul(2) {
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
