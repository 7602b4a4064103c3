use std::fmt::Debug;
use std::io::IoSliceMut;
use std::time::SystemTime;

use bytes::Bytes;

use crate::{Listing, Object, Page, Piece, Read, StoreError, answers, check_prefix};

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

/// What [`Store::read_and_list`] gives: each list in the order asked, each answer for itself.
#[derive(Clone, Debug)]
pub struct ReadAndListed {
    /// The ranges that were read.
    pub pieces: Vec<Result<Piece, StoreError>>,
    /// The first pages of the folders that were listed.
    pub listings: Vec<Result<Listing, StoreError>>,
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

/// Performs one read.
///
/// # Errors
/// As [`Store::read`] answers it.
pub fn read_one(store: &(impl Store + ?Sized), read: Read) -> Result<Piece, StoreError> {
    let key = read.key.clone();
    store
        .read(&[read])
        .pop()
        .unwrap_or_else(|| Err(StoreError::no_answer(&key)))
}

/// All pages of a folder in one listing. A folder of many millions of objects takes that much memory.
///
/// # Errors
/// As the store reports.
pub fn list_all(store: &(impl Store + ?Sized), prefix: &str) -> Result<Listing, StoreError> {
    let first = store.list(prefix, None)?;
    list_rest(store, prefix, first)
}

/// All pages of several folders, in the order asked, each for itself; their first pages are asked for together.
pub fn list_each<'a>(
    store: &'a (impl Store + ?Sized),
    prefixes: &'a [&'a str],
) -> impl Iterator<Item = Result<Listing, StoreError>> + 'a {
    let firsts = answers(prefixes.iter().copied(), store.list_many(prefixes));
    let firsts = firsts.zip(prefixes);
    firsts.map(move |(first, prefix)| list_rest(store, prefix, first?))
}

/// The first page of a folder, and all that follow.
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

/// What [`Store::list_recursive`] gives, by listing each folder, those of one depth together.
///
/// # Errors
/// As the store reports.
pub fn list_by_folder(
    store: &(impl Store + ?Sized),
    prefix: &str,
) -> Result<Vec<Object>, StoreError> {
    list_folders(store, vec![prefix.to_owned()])
}

/// All objects in several folders and below them, sorted by key, by listing each folder, those of one depth together.
///
/// # Errors
/// As the store reports.
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
