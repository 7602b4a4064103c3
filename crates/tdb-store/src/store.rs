use std::fmt::Debug;
use std::io::IoSliceMut;
use std::time::SystemTime;

use bytes::Bytes;

use crate::{Piece, Read, StoreError, check_prefix, list_by_folder, read_one};

/// Immutable objects under keys.
///
/// A key is a relative path with `/` between its parts ([`check_key`](crate::check_key)). There is
/// no renaming, no writing into a finished object, and no empty folder: a folder is what keys have
/// in common. All calls block; overlap, where a store can have it, happens inside [`Store::read`].
///
/// What an implementation must do is in [`conformance`](crate::conformance), as a test that it can run.
pub trait Store: Send + Sync + Debug {
    /// One page of what lies directly in the folder `prefix` (empty: the root): objects, and folders
    /// that have objects below them. A folder that does not exist has nothing in it.
    ///
    /// Start with `None`, and go on with [`Listing::next`]. Objects and folders are each sorted by
    /// the bytes of their keys, a folder as if its key ended in `/`, within a page and from page to
    /// page. An object that exists from before the first page to after the last is listed exactly once.
    ///
    /// # Errors
    /// As the store reports; an unreadable folder is never told as an empty one.
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError>;

    /// The first pages of several folders, in the order asked, each for itself. A store that must wait for
    /// answers asks for all of them at once.
    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let listings = prefixes.iter().map(|prefix| self.list(prefix, None));
        listings.collect()
    }

    /// All objects in a folder and in the folders below it, at any depth, sorted by key. They are all held in memory.
    ///
    /// Folder by folder, where a store does not say otherwise; one that can list without regard to folders does that.
    ///
    /// # Errors
    /// As [`Store::list`].
    fn list_recursive(&self, prefix: &str) -> Result<Vec<Object>, StoreError> {
        list_by_folder(self, prefix)
    }

    /// How far away the store is, which says how it is best asked. Who wraps a store hands this on.
    fn distance(&self) -> Distance {
        Distance::Near
    }

    /// The size of an object in bytes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or as the store reports.
    fn size(&self, key: &str) -> Result<u64, StoreError>;

    /// The sizes of several objects, in the order asked, each for itself. A store that must wait for answers asks for all
    /// of them at once.
    fn sizes(&self, keys: &[&str]) -> Vec<Result<u64, StoreError>> {
        keys.iter().map(|key| self.size(key)).collect()
    }

    /// When an object was finished, where the store keeps that.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or as the store reports.
    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        self.size(key).map(|_| None)
    }

    /// Reads many ranges at once, and answers them in the order asked, each for itself.
    ///
    /// A short read is an error. Several ranges of one object cost one opening of it.
    /// Near ranges are read as they are; see [`read_coalesced`](crate::read_coalesced).
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>>;

    /// Fills `into` with the object's bytes from `offset` on.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if there are too few bytes, [`StoreError::NotFound`],
    /// or as the store reports. `into` then holds anything.
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError>;

    /// Fills pieces of memory, one after the other, with the object's bytes from `offset` on.
    ///
    /// Where a store does not say otherwise, the bytes are read at once and copied.
    ///
    /// # Errors
    /// As [`Store::read_into`]. The pieces then hold anything.
    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        let wanted = into.iter().map(|piece| piece.len() as u64);
        let wanted = wanted.fold(0, u64::saturating_add);
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

    /// Begins a new object, which nobody sees before [`ObjectWriter::finish`].
    ///
    /// # Errors
    /// [`StoreError::Exists`] where that is known already; else `finish` tells it.
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError>;

    /// Creates an object from bytes at hand; it is seen whole or not at all.
    ///
    /// # Errors
    /// [`StoreError::Exists`], or as the store reports. After another error the object may be there
    /// or not.
    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        let mut object = self.create(key)?;
        object.write(&bytes)?;
        object.finish()
    }

    /// Makes the names last that [`ObjectWriter::place`] gave to objects of the folder `prefix`.
    ///
    /// Objects that were [finished](ObjectWriter::finish) need no such call. Who wraps a store hands this on to it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the folder is gone, or as the store reports.
    fn settle(&self, prefix: &str) -> Result<(), StoreError>;

    /// Removes an object, and the folders that are empty thereby.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or as the store reports.
    fn remove(&self, key: &str) -> Result<(), StoreError> {
        let answer = self.remove_many(&[key]).pop();
        answer.unwrap_or_else(|| Err(StoreError::no_answer(key)))
    }

    /// Removes objects in the order given, and answers each for itself. When this returns the
    /// removals last, so what must vanish first goes into an earlier call.
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>>;

    /// Removes a folder in which nothing is, as others leave it; one that is not empty, or not there, stays as it is.
    /// Stores without folders of their own, which is what they do if they do not say otherwise, have none to remove.
    ///
    /// # Errors
    /// As the store reports.
    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        check_prefix(folder)
    }
}

/// How far away a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Its answers come at once, as those of files and memory do: what is read is best read by the thread that needs it.
    Near,
    /// Each answer is waited for: what is needed is best asked for early, and all at once.
    Far {
        /// Ranges of an object that lie no more than so many bytes apart are better read as one.
        gap: u64,
    },
}

/// An object in the making. Dropped without [`ObjectWriter::finish`], it never was.
pub trait ObjectWriter: Send + Debug {
    /// Adds bytes to the end. Each call may cost a call of the system: hand over large pieces.
    ///
    /// # Errors
    /// As the store reports; the object is then lost.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;

    /// Makes the object visible, whole, and lasting.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if the key was taken, which leaves that object as it is. After another
    /// error the object may be there or not.
    fn finish(self: Box<Self>) -> Result<(), StoreError>;

    /// Makes the object visible and whole. That it has its name lasts once [`Store::settle`] was called for its
    /// folder: many objects of one folder wait for it once.
    ///
    /// # Errors
    /// As [`ObjectWriter::finish`].
    fn place(self: Box<Self>) -> Result<(), StoreError> {
        self.finish()
    }
}

/// What lies directly in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, sorted by key.
    pub objects: Vec<Object>,
    /// The folders, as whole keys without a slash at the end, sorted as if with one.
    pub prefixes: Vec<String>,
    /// Names that no key can hold, such as those that are not UTF-8, as readable as can be.
    pub foreign: Vec<String>,
    /// Where to go on, if there is more.
    pub next: Option<Page>,
}

/// One object in a [`Listing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The whole key.
    pub key: String,
    /// The size in bytes, where the store gets it without another request; files have none.
    pub size: Option<u64>,
}

/// Where a listing goes on. Only the store that made it knows what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page(String);

impl Page {
    /// For those who write a store.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// What [`Page::new`] was given.
    pub fn token(&self) -> &str {
        &self.0
    }
}
