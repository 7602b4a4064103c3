use std::fmt::Debug;
use std::io::IoSliceMut;
use std::pin::Pin;
use std::time::SystemTime;

use bytes::Bytes;

use crate::{Listing, Object, Page, Piece, Read, StoreError, answers, check_prefix};

/// Answers of a store to requests that were sent: those of [`Store::read`], once they are here. It needs no runtime of
/// its own, and may be polled on any thread.
pub type SentReads = Pin<Box<dyn Future<Output = Vec<Result<Piece, StoreError>>> + Send>>;

/// A store of immutable objects, each under a key.
///
/// A key is a relative path with `/` between its parts ([`check_key`](crate::check_key)). Objects cannot be renamed or
/// modified, and there are no empty folders: a folder is a common prefix of keys. All calls but [`Store::send`] block; a
/// store may overlap the requests of one call, such as [`Store::read`].
///
/// [`conformance`](crate::conformance) contains the contract, as tests that any implementation can run.
pub trait Store: Send + Sync + Debug {
    /// Lists one page of the folder `prefix` (empty: the root): the objects directly in it, and its subfolders that
    /// contain objects at any depth. A folder that does not exist lists as empty.
    ///
    /// Start with `None`, and continue with [`Listing::next`]. Objects and folders are each sorted by the bytes of
    /// their keys (a folder as if its key ended in `/`), within a page and across pages. An object that exists during
    /// the whole listing is listed exactly once.
    ///
    /// # Errors
    /// Any error of the store; an unreadable folder is an error, not an empty listing.
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError>;

    /// Lists the first page of several folders; returns one result per folder, in the given order. A remote store
    /// sends all requests at once.
    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let listings = prefixes.iter().map(|prefix| self.list(prefix, None));
        listings.collect()
    }

    /// Lists all objects in and below a folder, sorted by key. The whole list is held in memory.
    ///
    /// The default lists folder by folder; stores that can list a whole prefix at once do so.
    ///
    /// # Errors
    /// As [`Store::list`].
    fn list_recursive(&self, prefix: &str) -> Result<Vec<Object>, StoreError> {
        list_by_folder(self, prefix)
    }

    /// Returns how far away the store is, which decides how to read from it. A store that wraps another one must
    /// forward this call.
    fn distance(&self) -> Distance {
        Distance::Near
    }

    /// Returns the size of an object in bytes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or any other error of the store.
    fn size(&self, key: &str) -> Result<u64, StoreError>;

    /// Returns the sizes of several objects, one result per key, in the given order. A remote store sends all requests
    /// at once.
    fn sizes(&self, keys: &[&str]) -> Vec<Result<u64, StoreError>> {
        keys.iter().map(|key| self.size(key)).collect()
    }

    /// Returns the time at which an object was finished; `None` if the store does not record it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or any other error of the store.
    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        self.size(key).map(|_| None)
    }

    /// Reads many ranges; returns one result per read, in the given order.
    ///
    /// A short read is an error. Several ranges of one object open it once. Neighbouring ranges are not joined; see
    /// [`read_coalesced`](crate::read_coalesced).
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>>;

    /// Sends the requests of [`Store::read`] at once, and returns their answers as a future: no thread waits for them.
    /// `None`, the default, if the store can only block, as files do. A store that wraps another one must forward this
    /// call.
    fn send(&self, reads: &[Read]) -> Option<SentReads> {
        let _ = reads;
        None
    }

    /// Reads ranges as [`Store::read`] does, and lists the first pages of folders as [`Store::list_many`] does, where neither
    /// depends on the other. A store that must wait for answers asks for all of them at once; else the ranges come first.
    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        let pieces = self.read(reads);
        let listings = self.list_many(prefixes);
        ReadAndListed { pieces, listings }
    }

    /// Fills `into` with the object's bytes from `offset` on.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if the object is too short, [`StoreError::NotFound`], or any other error of the
    /// store. The content of `into` is then unspecified.
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError>;

    /// Fills several buffers, one after the other, with the object's bytes from `offset` on.
    ///
    /// The default reads all bytes at once and copies them into the buffers.
    ///
    /// # Errors
    /// As [`Store::read_into`]. The content of the buffers is then unspecified.
    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let wanted: u64 = into.iter().map(|piece| piece.len() as u64).sum();
        let read = read_one(self, Read::bounded(key, offset, wanted))?;
        let mut rest = &*read.bytes;
        for piece in into {
            let parts = rest.split_at_checked(piece.len());
            let (part, behind) = parts.ok_or_else(|| StoreError::no_answer(key))?;
            piece.copy_from_slice(part);
            rest = behind;
        }
        Ok(())
    }

    /// Begins a new object, which stays invisible until [`ObjectWriter::finish`] or [`ObjectWriter::place`].
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the store can tell at this point; otherwise `finish` reports it.
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError>;

    /// Creates an object from bytes in memory; readers see the whole object or none.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or any other error of the store. After another error the object may or may not exist.
    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        let mut object = self.create(key)?;
        object.write(&bytes)?;
        object.finish()
    }

    /// Makes the names durable that [`ObjectWriter::place`] gave to objects of the folder `prefix`.
    ///
    /// Objects made with [`ObjectWriter::finish`] do not need it. A store that wraps another one must forward this
    /// call.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if the folder no longer exists, or any other error of the store.
    fn settle(&self, prefix: &str) -> Result<(), StoreError>;

    /// Removes an object, and each folder that becomes empty.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or any other error of the store.
    fn remove(&self, key: &str) -> Result<(), StoreError> {
        let answer = self.remove_many(&[key]).pop();
        answer.unwrap_or_else(|| Err(StoreError::no_answer(key)))
    }

    /// Removes objects in the given order; returns one result per key. Removals are durable only when the call
    /// returns: if one object must vanish before another, remove it in an earlier call.
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>>;

    /// Removes an empty folder that another program left. A folder that is not empty, or does not exist, is left
    /// alone. The default, for stores that have no folders of their own, only checks the key.
    ///
    /// # Errors
    /// Any error of the store.
    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        check_prefix(folder)
    }
}

/// The answers of [`Store::read_and_list`], each list in the order of the request.
#[derive(Clone, Debug)]
pub struct ReadAndListed {
    /// The ranges that were read.
    pub pieces: Vec<Result<Piece, StoreError>>,
    /// The first pages of the folders that were listed.
    pub listings: Vec<Result<Listing, StoreError>>,
}

/// The distance to a store: how long it takes to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Answers come at once, as from files and memory. The thread that needs bytes should read them itself.
    Near,
    /// Each answer has to be waited for. Callers should request early, and everything at once.
    Far {
        /// Two ranges of an object that are at most this many bytes apart should be read as one.
        gap: u64,
    },
}

/// Writer of a new object. If it is dropped before [`ObjectWriter::finish`], the object never existed.
pub trait ObjectWriter: Send + Debug {
    /// Appends bytes. Each call may be a system call, so pass large pieces.
    ///
    /// # Errors
    /// Any error of the store; the object is then lost.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;

    /// Makes the whole object visible and durable.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the key is taken; the existing object is unchanged. After another error the object
    /// may or may not exist.
    fn finish(self: Box<Self>) -> Result<(), StoreError>;

    /// Makes the whole object visible. Its bytes are durable; its name is durable only after [`Store::settle`] on its
    /// folder, so that the disk is waited for once, however many objects are written to the folder.
    ///
    /// # Errors
    /// As [`ObjectWriter::finish`].
    fn place(self: Box<Self>) -> Result<(), StoreError> {
        self.finish()
    }
}

/// Performs a single read.
///
/// # Errors
/// As [`Store::read`].
pub fn read_one(store: &(impl Store + ?Sized), read: Read) -> Result<Piece, StoreError> {
    let key = read.key.clone();
    store
        .read(&[read])
        .pop()
        .unwrap_or_else(|| Err(StoreError::no_answer(&key)))
}

/// Lists all pages of a folder. The listing is held in memory, also for a folder of millions of objects.
///
/// # Errors
/// Any error of the store.
pub fn list_all(store: &(impl Store + ?Sized), prefix: &str) -> Result<Listing, StoreError> {
    let first = store.list(prefix, None)?;
    list_rest(store, prefix, first)
}

/// Lists all pages of several folders; yields one result per folder, in the given order. The first pages are requested
/// together.
pub fn list_each<'a>(
    store: &'a (impl Store + ?Sized),
    prefixes: &'a [&'a str],
) -> impl Iterator<Item = Result<Listing, StoreError>> + 'a {
    let firsts = answers(prefixes.iter().copied(), store.list_many(prefixes)).zip(prefixes);
    firsts.map(move |(first, prefix)| list_rest(store, prefix, first?))
}

/// Completes a listing: appends all pages that follow `first`.
fn list_rest(
    store: &(impl Store + ?Sized),
    prefix: &str,
    first: Listing,
) -> Result<Listing, StoreError> {
    let mut all = first;
    while let Some(page) = all.next.take() {
        let mut more = store.list(prefix, Some(&page))?;
        if more.next.as_ref() == Some(&page) {
            return Err(StoreError::no_answer(prefix));
        }
        all.objects.append(&mut more.objects);
        all.prefixes.append(&mut more.prefixes);
        all.foreign.append(&mut more.foreign);
        all.next = more.next;
    }
    Ok(all)
}

/// Lists like [`Store::list_recursive`], folder by folder; all folders of one depth are requested together.
///
/// # Errors
/// Any error of the store.
pub fn list_by_folder(
    store: &(impl Store + ?Sized),
    prefix: &str,
) -> Result<Vec<Object>, StoreError> {
    list_folders(store, vec![prefix.to_owned()])
}

/// Lists all objects in and below several folders, sorted by key. All folders of one depth are requested together.
///
/// # Errors
/// Any error of the store.
pub fn list_folders(
    store: &(impl Store + ?Sized),
    mut folders: Vec<String>,
) -> Result<Vec<Object>, StoreError> {
    let mut objects = Vec::new();
    while !folders.is_empty() {
        let asked: Vec<&str> = folders.iter().map(String::as_str).collect();
        let mut below = Vec::new();
        for listing in list_each(store, &asked) {
            let mut listing = listing?;
            objects.append(&mut listing.objects);
            below.append(&mut listing.prefixes);
        }
        folders = below;
    }
    objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Ok(objects)
}
