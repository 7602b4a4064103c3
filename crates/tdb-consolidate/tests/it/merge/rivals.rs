//! Two programs that merge the same fragments: one gives way, and no cell is seen twice.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tdb_array::{OpenOptions, TimeWindow};
use tdb_consolidate::{MergeOutcome, plan_merge};
use tdb_query::ResultOrder;
use tdb_store::{
    Listing, LocalStore, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError, copy_tree,
};

use crate::merge::arrays::{Event, Kind, lived, open, options, rows, session};

/// A folder that is removed on drop. The tests need files, since claims to fragments have an age there.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("tdb-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::new(LocalStore::create_root(&self.0).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

type Interruption = Box<dyn FnOnce() + Send>;

/// A store that runs a function before one of the changes made through it.
struct Interrupted {
    inner: Arc<dyn Store>,
    changes: AtomicUsize,
    at: usize,
    what: Mutex<Option<Interruption>>,
}

impl std::fmt::Debug for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "interrupted at {}", self.at)
    }
}

impl Interrupted {
    fn change(&self) {
        if self.changes.fetch_add(1, Ordering::Relaxed) == self.at {
            let what = self.what.lock().unwrap().take();
            what.into_iter().for_each(|what| what());
        }
    }
}

impl Store for Interrupted {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(key)
    }

    fn modified(&self, key: &str) -> Result<Option<std::time::SystemTime>, StoreError> {
        self.inner.modified(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.inner.read(reads)
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.change();
        self.inner.create(key)
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.change();
        self.inner.put(key, bytes)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.change();
        self.inner.remove_many(keys)
    }
}

fn merged(store: &Arc<dyn Store>) -> MergeOutcome {
    let array = open(store, OpenOptions::default()).unwrap();
    let plan = plan_merge(&array, &options()).unwrap();
    plan.merge(&session(None), &array, &options()).unwrap()
}

fn three_writes(kind: Kind) -> MemoryStore {
    let write = |value| Event::Write(vec![(1, 1, Some(value)), (2, 3, Some(value))]);
    lived(kind, &[write(1), write(2), write(3)]).0
}

fn cells(store: &Arc<dyn Store>) -> Vec<String> {
    let copy = MemoryStore::new();
    copy_tree(&**store, "", &copy, "").unwrap();
    rows(&copy, TimeWindow::ALL, ResultOrder::RowMajor)
}

#[test]
fn of_two_who_merge_the_same_fragments_one_gives_way() {
    let mut ways = [0; 2];
    for kind in [Kind::Duplicates, Kind::Sparse] {
        for at in 0.. {
            let folder = Folder::new(&format!("rivals-{kind:?}-{at}"));
            let store = folder.store();
            copy_tree(&three_writes(kind), "", &*store, "").unwrap();
            let before = cells(&store);
            let rival: Arc<Mutex<Option<MergeOutcome>>> = Arc::default();
            let interrupted = Arc::new(Interrupted {
                inner: Arc::clone(&store),
                changes: AtomicUsize::new(0),
                at,
                what: Mutex::new(Some({
                    let (rival, store) = (Arc::clone(&rival), Arc::clone(&store));
                    Box::new(move || *rival.lock().unwrap() = Some(merged(&store)))
                })),
            });
            let first = merged(&(interrupted as Arc<dyn Store>));
            assert_eq!(cells(&store), before, "{kind:?}, interrupted at {at}");
            let rival = rival.lock().unwrap().take();
            let Some(rival) = rival else {
                break;
            };
            let made = [first.fragments.len(), rival.fragments.len()];
            assert!(made.iter().sum::<usize>() >= usize::from(kind != Kind::Duplicates));
            assert_eq!(first.fragments.is_empty(), !first.notes.is_empty());
            ways[0] += usize::from(made[0] == 0);
            ways[1] += usize::from(made[1] == 0);
            // Whichever gave way, the next merge or vacuum completes the work.
            drop(merged(&store));
            assert_eq!(
                cells(&store),
                before,
                "{kind:?}, interrupted at {at}, merged again"
            );
        }
    }
    assert!(ways.iter().all(|gave_way| *gave_way > 0), "{ways:?}");
}

/// A store without times cannot tell how old a claim is, so a claim counts as held for as long as it is there.
#[test]
fn a_store_without_times_makes_no_claim_abandoned() {
    for at in 0.. {
        let memory = three_writes(Kind::Duplicates);
        let store: Arc<dyn Store> = Arc::new(memory);
        let before = cells(&store);
        let rival: Arc<Mutex<Option<MergeOutcome>>> = Arc::default();
        let interrupted = Interrupted {
            inner: Arc::clone(&store),
            changes: AtomicUsize::new(0),
            at,
            what: Mutex::new(Some({
                let (rival, store) = (Arc::clone(&rival), Arc::clone(&store));
                Box::new(move || *rival.lock().unwrap() = Some(merged(&store)))
            })),
        };
        drop(merged(&(Arc::new(interrupted) as Arc<dyn Store>)));
        assert_eq!(cells(&store), before, "interrupted at {at}");
        if rival.lock().unwrap().take().is_none() {
            break;
        }
    }
}
