//! Making a fragment: `docs/format/directory.md`, "Layout".

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use tdb_store::{ObjectWriter, Store, join};
use tdb_tile::Bug;

use crate::directory::{COMMITS_FOLDER, FRAGMENT_METADATA, fragment_key};
use crate::{Array, ArrayError, TimestampedName};

/// A fragment in the making, which no reader sees before [`SealedFragment::commit`].
///
/// First come its data files ([`NewFragment::create`]), then its metadata ([`NewFragment::seal`]), and last the
/// object that commits it, so that whatever is interrupted leaves the array as it was. What is dropped before it
/// is committed removes the objects that it made, as far as the store lets it.
#[derive(Debug)]
pub struct NewFragment {
    made: Made,
    name: TimestampedName,
}

/// A fragment that is complete and not committed yet.
#[derive(Debug)]
pub struct SealedFragment {
    made: Made,
    name: TimestampedName,
    bytes: u64,
}

/// A file of a fragment in the making: a data file, or the metadata.
#[derive(Debug)]
pub struct DataFile {
    key: String,
    writer: Box<dyn ObjectWriter>,
    size: u64,
}

/// A file of a fragment that is complete, and on the disk; that its name is, the seal of the fragment sees to.
#[derive(Debug)]
pub struct FinishedFile {
    key: String,
    size: u64,
}

/// The objects of an uncommitted fragment, removed when this is dropped.
#[derive(Debug)]
struct Made {
    store: Arc<dyn Store>,
    /// The folder of the array.
    array: String,
    /// The folder of the fragment, within the store.
    folder: String,
    keys: Vec<String>,
}

impl Drop for Made {
    fn drop(&mut self) {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        if !keys.is_empty() {
            // Best effort: what stays is not committed, and so disturbs nobody.
            drop(self.store.remove_many(&keys));
        }
    }
}

impl Array {
    /// Begins a fragment of this name, which is of the form that versions from 5 on have.
    ///
    /// Nothing is written yet. The name says in which version, and so where, the fragment is kept.
    pub fn new_fragment(&self, name: TimestampedName) -> NewFragment {
        let folder = fragment_key(&name);
        NewFragment {
            made: Made {
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
    /// The name of the fragment.
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
        // From here on it may come to be.
        self.made.keys.push(key.clone());
        Ok(DataFile {
            key,
            writer,
            size: 0,
        })
    }

    /// Begins the metadata, which comes last: once all data files are finished.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn create_metadata(&mut self) -> Result<DataFile, ArrayError> {
        self.create(FRAGMENT_METADATA)
    }

    /// Makes the fragment whole, once its data files and its metadata are finished; then it is on the disk.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] where a file is missing; as the store reports.
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
        // All files have their names: one wait for the folder serves them all.
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
    /// The name of the fragment.
    pub fn name(&self) -> &TimestampedName {
        &self.name
    }

    /// Bytes of all its objects together.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A fragment with the objects of another one of the array, under another name.
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
            tdb_store::copy_sized(&*made.store, (&object.key, size), &*made.store, &key)?;
            bytes = bytes
                .checked_add(size)
                .ok_or_else(|| Bug::new("a fragment of more than 2^64 bytes"))?;
        }
        made.store.settle(&made.folder)?;
        Ok(Self { made, name, bytes })
    }

    /// Leaves the objects where they are, for who commits the fragment otherwise.
    pub(crate) fn keep(mut self) {
        self.made.keys.clear();
    }

    /// Makes the fragment part of the array.
    ///
    /// # Errors
    /// As the store reports. The commit may be there or not, then, so nothing is removed.
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
    /// Adds bytes to the end: large pieces, since each call may be one of the system.
    ///
    /// # Errors
    /// As the store reports; the fragment cannot be finished then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ArrayError> {
        self.writer.write(bytes)?;
        self.size = self.size.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Makes the file whole, and its bytes last. Waits for the disk: several files can be finished at a time.
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
    /// The key of its object.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }
}
