//! Remote stores: several objects are copied at the same time, the schema of an array after its data; sizes are
//! requested one by one, or listed.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{state, unpack};
use tdb_array::{Array, ChangeOptions, Contents, Fragment, Location, OpenOptions};
use tdb_store::{
    Distance, FaultyStore, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store,
    StoreError, read_whole,
};

/// A store that reports to be remote, and records the objects it creates.
#[derive(Debug)]
struct Far<S> {
    inner: S,
    under_way: AtomicUsize,
    most: AtomicUsize,
    /// The keys of the created objects.
    made: Mutex<Vec<String>>,
    /// The number of requested sizes.
    sizes: AtomicUsize,
}

impl<S: Store> Far<S> {
    fn new(inner: S) -> Self {
        Self {
            inner,
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            made: Mutex::default(),
            sizes: AtomicUsize::new(0),
        }
    }
}

impl<S: Store> Store for Far<S> {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 1 << 20 }
    }
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }
    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.sizes.fetch_add(1, Ordering::SeqCst);
        self.inner.size(key)
    }
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.inner.read(reads)
    }
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(under_way, Ordering::SeqCst);
        sleep(Duration::from_millis(2));
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        self.made.lock().unwrap().push(key.to_owned());
        self.inner.create(key)
    }
    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)
    }
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.inner.remove_many(keys)
    }
}

fn find(store: &MemoryStore) -> Contents {
    let place = Location::new(Arc::new(store.clone()), "");
    Contents::find(&place, "file:///home", OpenOptions::default()).unwrap()
}

#[test]
fn several_objects_are_copied_at_a_time_and_the_schema_last() {
    let original = unpack("v22_tour");
    let large: Vec<u8> = (0..3 << 20).map(|i: u32| i.to_le_bytes()[1]).collect();
    for key in ["notes/1", "notes/2", "notes/3"] {
        original.put(key, large.clone().into()).unwrap();
    }
    let copied = MemoryStore::new();
    let far = Arc::new(Far::new(copied.clone()));
    let to: Arc<dyn Store> = Arc::clone(&far) as Arc<dyn Store>;
    let contents = find(&original);
    contents.copy(&to, "copy", &ChangeOptions::at(9)).unwrap();

    assert_eq!(state(&copied, "copy"), state(&original, ""));
    assert_eq!(copied.keys().len(), original.keys().len());
    for key in original.keys() {
        let read = |store: &MemoryStore, key: &str| read_whole(store, key, u64::MAX).unwrap();
        let is_same = read(&original, &key) == read(&copied, &format!("copy/{key}"));
        assert!(is_same, "{key}");
    }
    let most = far.most.load(Ordering::SeqCst);
    assert!((2..=16).contains(&most), "{most}");
    let made = far.made.lock().unwrap();
    let stages = made.iter().map(|key| match key.split('/').nth(1) {
        Some("__schema") => 2,
        Some("__commits") => 1,
        _ => 0,
    });
    assert!(stages.clone().is_sorted(), "{made:?}");
    assert_eq!((stages.clone().min(), stages.max()), (Some(0), Some(2)));
}

#[test]
fn a_copy_that_fails_or_is_stopped_is_not_there() {
    type Wrap = fn(MemoryStore, u64) -> FaultyStore<MemoryStore>;
    let original = unpack("v22_tour");
    let contents = find(&original);
    let whole = state(&original, "");
    let wraps: [(Wrap, bool); 2] = [
        (FaultyStore::failing_at, true),
        (FaultyStore::stopping_at, false),
    ];
    for (wrap, takes_back) in wraps {
        for operation in 0.. {
            let copied = MemoryStore::new();
            let to: Arc<dyn Store> = Arc::new(Far::new(wrap(copied.clone(), operation)));
            let done = contents.copy(&to, "copy", &ChangeOptions::at(9)).is_ok();
            let found = state(&copied, "copy");
            if done {
                assert!(operation > 10, "{operation}");
                assert_eq!(found, whole);
                break;
            }
            assert!(found.is_empty() || found == whole, "{operation}");
            if takes_back {
                assert!(copied.keys().is_empty(), "{operation}: {:?}", copied.keys());
            }
        }
    }
}

#[test]
fn sizes_of_many_fragments_are_listed() {
    let far = Arc::new(Far::new(unpack("consolidated_dense")));
    let array = Array::open(far.clone(), "", OpenOptions::at(25)).unwrap();
    let two: Vec<&Fragment> = array.fragments().iter().collect();
    let asked = || far.sizes.swap(0, Ordering::SeqCst);
    let sizes = |fragments: &[&Fragment]| -> Vec<Option<u64>> {
        let sizes = array.stored_sizes(fragments).into_iter();
        sizes.map(Result::ok).collect()
    };
    let each = sizes(&two);
    assert_eq!((each.iter().flatten().count(), asked()), (2, 2));

    let many = two.repeat(100);
    assert_eq!((sizes(&many), asked()), (each.repeat(100), 0));

    // An object that is not listed is requested, in case it was created after the listing.
    let gone = two.last().unwrap();
    far.inner.remove(&gone.metadata_key).unwrap();
    let first = each.first().copied().flatten();
    assert_eq!(sizes(&many), [first, None].repeat(100));
    assert_eq!(asked(), 100);
}
