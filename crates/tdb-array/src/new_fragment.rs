//! Creation of a fragment. See `docs/format/directory.md`, "Layout".

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use tdb_store::{ObjectWriter, Store, join};
use tdb_tile::{Bug, Exact};

use crate::directory::{COMMITS_FOLDER, FRAGMENT_METADATA, fragment_key};
use crate::{Array, ArrayError, TimestampedName};

/// A fragment that is being written, and is not visible before [`SealedFragment::commit`].
///
/// Its data files are written first ([`NewFragment::create`]), then its metadata ([`NewFragment::seal`]), and last the
/// commit object: an interruption leaves the array unchanged. If it is dropped before the commit, its objects are
/// removed, as far as the store allows.
#[derive(Debug)]
pub struct NewFragment {
    made: UncommittedObjects,
    name: TimestampedName,
}

/// A complete fragment that is not committed yet.
#[derive(Debug)]
pub struct SealedFragment {
    made: UncommittedObjects,
    name: TimestampedName,
    bytes: u64,
}

/// A file of a new fragment that is being written: a data file, or the metadata.
#[derive(Debug)]
pub struct DataFile {
    key: String,
    writer: Box<dyn ObjectWriter>,
    size: u64,
}

/// A complete file of a new fragment, whose bytes are on disk. Its name becomes durable when the fragment is sealed.
#[derive(Debug)]
pub struct FinishedFile {
    key: String,
    size: u64,
}

/// The objects of an uncommitted fragment; they are removed on drop.
#[derive(Debug)]
struct UncommittedObjects {
    store: Arc<dyn Store>,
    /// The folder of the array.
    array: String,
    /// The folder of the fragment, within the store.
    folder: String,
    keys: Vec<String>,
}

impl Drop for UncommittedObjects {
    fn drop(&mut self) {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        if !keys.is_empty() {
            // Best effort: objects that stay are not committed, and so have no effect.
            drop(self.store.remove_many(&keys));
        }
    }
}

impl Array {
    /// Begins a fragment with the given name, in the form of versions from 5 on.
    ///
    /// Nothing is written yet. The version in the name determines the folder of the fragment.
    pub fn new_fragment(&self, name: TimestampedName) -> NewFragment {
        let folder = fragment_key(&name);
        NewFragment {
            made: UncommittedObjects {
                store: Arc::clone(self.store()),
                array: self.prefix().to_owned(),
                folder: join(self.prefix(), &folder),
                keys: Vec::new(),
            },
            name,
        }
    }
}

impl NewFragment {
    /// Returns the name of the fragment.
    pub fn name(&self) -> &TimestampedName {
        &self.name
    }

    /// Begins a data file.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn create(&mut self, file: &str) -> Result<DataFile, ArrayError> {
        let key = join(&self.made.folder, file);
        let writer = self.made.store.create(&key)?;
        // From here on the object may exist.
        self.made.keys.push(key.clone());
        Ok(DataFile {
            key,
            writer,
            size: 0,
        })
    }

    /// Begins the metadata file; call this when all data files are finished.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn create_metadata(&mut self) -> Result<DataFile, ArrayError> {
        self.create(FRAGMENT_METADATA)
    }

    /// Completes the fragment when its data files and its metadata are finished; it is on disk then.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if a file is missing, or any error of the store.
    pub fn seal(self, files: &[FinishedFile]) -> Result<SealedFragment, ArrayError> {
        let finished: HashSet<&str> = files.iter().map(|file| file.key.as_str()).collect();
        let metadata = join(&self.made.folder, FRAGMENT_METADATA);
        let missing = |key: &&String| !finished.contains(key.as_str());
        let missing = self.made.keys.iter().chain([&metadata]).find(missing);
        if let Some(key) = missing.cloned() {
            return Err(ArrayError::Invalid {
                what: "file of a fragment",
                name: key,
                why: "it is not finished",
            });
        }
        // All files have their names: one sync of the folder makes all of them durable.
        self.made.store.settle(&self.made.folder)?;
        let bytes = files.iter().map(|file| file.size).sum::<u64>();
        Ok(SealedFragment {
            made: self.made,
            name: self.name,
            bytes,
        })
    }
}

impl SealedFragment {
    /// Returns the name of the fragment.
    pub fn name(&self) -> &TimestampedName {
        &self.name
    }

    /// Returns the total size of its objects in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies the objects of a fragment of the array to a fragment with another name.
    pub(crate) fn copy_of(
        original: &TimestampedName,
        name: TimestampedName,
        array: &Array,
    ) -> Result<Self, ArrayError> {
        let folder = join(array.prefix(), &fragment_key(original));
        let objects = array.store().list_recursive(&folder)?;
        let NewFragment { mut made, name } = array.new_fragment(name);
        let mut bytes: u64 = 0;
        for object in objects {
            let key = join(&made.folder, tdb_store::name(&object.key));
            let size = object
                .size
                .map_or_else(|| made.store.size(&object.key), Ok)?;
            made.keys.push(key.clone());
            tdb_store::copy_sized(&*made.store, &object.key, size, &*made.store, &key)?;
            bytes = bytes
                .checked_add(size)
                .ok_or_else(|| Bug::new("a fragment of more than 2^64 bytes"))?;
        }
        made.store.settle(&made.folder)?;
        Ok(Self { made, name, bytes })
    }

    /// Keeps the objects on drop, because the caller commits the fragment in another way.
    pub(crate) fn keep(mut self) {
        self.made.keys.clear();
    }

    /// Commits the fragment: makes it part of the array.
    ///
    /// # Errors
    /// Any error of the store. The fragment may then be committed or not, so nothing is removed.
    pub fn commit(mut self) -> Result<TimestampedName, ArrayError> {
        let commit = if self.name.version().has_fragment_folder() {
            format!("{COMMITS_FOLDER}/{}.wrt", self.name)
        } else {
            format!("{}.ok", self.name)
        };
        self.made.keys.clear();
        let key = join(&self.made.array, &commit);
        self.made.store.put(&key, Bytes::new())?;
        Ok(self.name)
    }
}

impl DataFile {
    /// Appends bytes. Each call may be a system call, so pass large pieces.
    ///
    /// # Errors
    /// Any error of the store; the fragment cannot be completed then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ArrayError> {
        self.writer.write(bytes)?;
        self.size = self.size.exact_add(bytes.len() as u64)?;
        Ok(())
    }

    /// Returns the number of bytes written so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Completes the file and makes its bytes durable. This waits for the disk; several files can be finished at the
    /// same time.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn finish(self) -> Result<FinishedFile, ArrayError> {
        let Self { key, writer, size } = self;
        writer.place()?;
        Ok(FinishedFile { key, size })
    }
}

impl FinishedFile {
    /// Returns the key of its object.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}
