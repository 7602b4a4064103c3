//! A store that redirects the schemas of one array to another folder.

use std::io::IoSliceMut;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use tdb_store::{
    Distance, Listing, ObjectWriter, Page, Piece, Read, ReadAndListed, SentReads, Store,
    StoreError, join,
};

use crate::directory::{DRAFT_FOLDER, SCHEMA_FOLDER};

/// The folder of the schemas of an unfinished array, within [`DRAFT_FOLDER`].
const SCHEMAS: &str = "schema";

/// A store that keeps the schemas and enumerations of one array in [`DRAFT_FOLDER`]. Users of this store see an array;
/// users of the underlying store do not.
#[derive(Debug)]
pub(crate) struct DraftStore {
    inner: Arc<dyn Store>,
    /// The folder of schemas as users of this store see it.
    shown: String,
    /// The folder of schemas in the underlying store.
    kept: String,
    /// The folder of the draft.
    draft: String,
}

impl DraftStore {
    /// Wraps a store, for the array in the folder `prefix`.
    pub(crate) fn new(inner: Arc<dyn Store>, prefix: &str) -> Self {
        let draft = join(prefix, DRAFT_FOLDER);
        Self {
            inner,
            shown: join(prefix, SCHEMA_FOLDER),
            kept: join(&draft, SCHEMAS),
            draft,
        }
    }

    /// Returns the folder of the schemas in the underlying store.
    pub(crate) fn kept(&self) -> &str {
        &self.kept
    }

    /// Returns the key of an object or folder in the underlying store.
    fn place(&self, key: &str) -> String {
        moved(key, &self.shown, &self.kept)
    }

    fn read_of(&self, read: &Read) -> Read {
        Read {
            key: self.place(&read.key).into(),
            ..read.clone()
        }
    }

    /// Converts a listing of the underlying store.
    fn listing(&self, mut listing: Listing) -> Listing {
        // Objects at the visible place of the schemas are hidden: they are remains of an interrupted publication.
        listing.prefixes.retain(|folder| *folder != self.shown);
        for folder in &mut listing.prefixes {
            if *folder == self.draft {
                self.shown.clone_into(folder);
            }
            *folder = moved(folder, &self.kept, &self.shown);
        }
        for object in &mut listing.objects {
            object.key = moved(&object.key, &self.kept, &self.shown);
        }
        listing
    }
}

/// Replaces the folder `from` at the beginning of a key by `to`; returns other keys unchanged.
fn moved(key: &str, from: &str, to: &str) -> String {
    match key.strip_prefix(from) {
        Some("") => to.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{to}{rest}"),
        _ => key.to_owned(),
    }
}

impl Store for DraftStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        let listing = self.inner.list(&self.place(prefix), page)?;
        Ok(self.listing(listing))
    }

    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let places: Vec<String> = prefixes.iter().map(|prefix| self.place(prefix)).collect();
        let place_refs: Vec<&str> = places.iter().map(String::as_str).collect();
        let listings = self.inner.list_many(&place_refs).into_iter();
        listings
            .map(|listing| listing.map(|listing| self.listing(listing)))
            .collect()
    }

    fn distance(&self) -> Distance {
        self.inner.distance()
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(&self.place(key))
    }

    fn sizes(&self, keys: &[&str]) -> Vec<Result<u64, StoreError>> {
        let places: Vec<String> = keys.iter().map(|key| self.place(key)).collect();
        let place_refs: Vec<&str> = places.iter().map(String::as_str).collect();
        self.inner.sizes(&place_refs)
    }

    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        self.inner.modified(&self.place(key))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let reads: Vec<Read> = reads.iter().map(|read| self.read_of(read)).collect();
        self.inner.read(&reads)
    }

    fn send(&self, reads: &[Read]) -> Option<SentReads> {
        let reads: Vec<Read> = reads.iter().map(|read| self.read_of(read)).collect();
        self.inner.send(&reads)
    }

    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        let reads: Vec<Read> = reads.iter().map(|read| self.read_of(read)).collect();
        let places: Vec<String> = prefixes.iter().map(|prefix| self.place(prefix)).collect();
        let place_refs: Vec<&str> = places.iter().map(String::as_str).collect();
        let mut answers = self.inner.read_and_list(&reads, &place_refs);
        for listing in answers.listings.iter_mut().flatten() {
            *listing = self.listing(std::mem::take(listing));
        }
        answers
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(&self.place(key), offset, into)
    }

    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        self.inner.read_scattered(&self.place(key), offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.inner.create(&self.place(key))
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.inner.put(&self.place(key), bytes)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(&self.place(prefix))
    }

    fn remove(&self, key: &str) -> Result<(), StoreError> {
        self.inner.remove(&self.place(key))
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let places: Vec<String> = keys.iter().map(|key| self.place(key)).collect();
        let place_refs: Vec<&str> = places.iter().map(String::as_str).collect();
        self.inner.remove_many(&place_refs)
    }

    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        self.inner.remove_folder(&self.place(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdb_store::{MemoryStore, conformance};

    #[test]
    fn it_is_a_store_like_any_other() {
        let store = DraftStore::new(Arc::new(MemoryStore::new()), "a");
        conformance::check(&store).unwrap();
    }

    #[test]
    fn schemas_are_kept_elsewhere_and_what_is_in_their_place_is_not_seen() {
        let memory = MemoryStore::new();
        memory
            .put("a/__schema/__enumerations/left", Bytes::new())
            .unwrap();
        memory.put("a/__schemas", Bytes::new()).unwrap();
        let store = DraftStore::new(Arc::new(memory.clone()), "a");
        let folders = || store.list("a", None).unwrap().prefixes;
        assert_eq!(folders(), Vec::<String>::new());
        store.put("a/__schema/one", "1".into()).unwrap();
        assert_eq!(folders(), ["a/__schema"]);
        let objects = |prefix: &str| {
            let objects = store.list_recursive(prefix).unwrap().into_iter();
            objects.map(|object| object.key).collect::<Vec<String>>()
        };
        assert_eq!(objects("a"), ["a/__schema/one", "a/__schemas"]);
        assert_eq!(objects("a/__schema"), ["a/__schema/one"]);
        let kept = format!("{}/one", store.kept());
        assert_eq!(
            memory.size(&kept).unwrap(),
            store.size("a/__schema/one").unwrap()
        );
        store.remove("a/__schema/one").unwrap();
        assert!(memory.size(&kept).unwrap_err().is_not_found());
    }
}
