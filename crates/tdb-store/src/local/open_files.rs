//! Files that stay open while tiles are read from them, one after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::tree::Opened;

/// How many files all stores of this process keep open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Files of one store that stay open, the oldest of which is closed first. An object never changes: what is open under
/// a name is what the name leads to, as long as it is there.
#[derive(Debug)]
pub(super) struct OpenFiles {
    /// All stores of the process together keep no more than this. A store closes only files of its own to make room, so
    /// that one that has none keeps none while others keep them all.
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<Arc<str>, Arc<Opened>>,
    /// The oldest first.
    order: VecDeque<Arc<str>>,
}

impl OpenFiles {
    /// As many as a quarter of what the system lets a process have open.
    pub(super) fn new() -> Self {
        Self::of_most(super::most_open_files() / 4)
    }

    fn of_most(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Opened>> {
        self.lock().by_key.get(key).cloned()
    }

    /// Keeps a file open, if there is room for it once the oldest is closed.
    pub(super) fn keep(&self, key: &str, object: &Arc<Opened>) {
        let mut kept = self.lock();
        if kept.by_key.contains_key(key) {
            return;
        }
        let mut oldest = None;
        if OPEN.load(Ordering::Relaxed) >= self.most {
            oldest = kept.remove_oldest();
            if oldest.is_none() {
                return;
            }
        }
        let key: Arc<str> = key.into();
        kept.order.push_back(Arc::clone(&key));
        kept.by_key.insert(key, Arc::clone(object));
        OPEN.fetch_add(1, Ordering::Relaxed);
        // It is closed once the lock is free.
        drop(kept);
        drop(oldest);
    }

    pub(super) fn forget(&self, key: &str) {
        let mut kept = self.lock();
        let object = kept.remove(key);
        if object.is_some() {
            kept.order.retain(|other| **other != *key);
        }
        drop(kept);
        drop(object);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove_oldest(&mut self) -> Option<Arc<Opened>> {
        let oldest = self.order.pop_front()?;
        self.remove(&oldest)
    }

    fn remove(&mut self, key: &str) -> Option<Arc<Opened>> {
        let object = self.by_key.remove(key)?;
        OPEN.fetch_sub(1, Ordering::Relaxed);
        Some(object)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        OPEN.fetch_sub(self.by_key.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LocalStore, Store, StoreError};

    #[test]
    fn the_oldest_is_closed_first() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, name).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            Arc::new(Opened { file, size: 1 })
        };
        // Other tests of this process keep some, too.
        let files = OpenFiles::of_most(usize::MAX);
        let full = OpenFiles::of_most(0);
        for name in ["a", "b", "c"] {
            files.keep(name, &open(name));
            full.keep(name, &open(name));
        }
        assert!(full.lock().by_key.is_empty());
        files.forget("a");
        files.keep("a", &open("a"));
        let oldest = files.lock().remove_oldest();
        drop(oldest);
        let left: Vec<bool> = ["a", "b", "c"].map(|name| files.get(name).is_some()).into();
        assert_eq!(left, [true, false, true]);
    }

    /// Far more files than a process may have open.
    #[test]
    fn tiles_of_100_000_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let original = folder.path().join("0/tile");
        for number in 0..100 {
            std::fs::create_dir(folder.path().join(number.to_string())).unwrap();
        }
        std::fs::write(&original, b"0123456789").unwrap();
        let store = LocalStore::open(folder.path()).unwrap();
        let keys = (0..100_000).map(|number| format!("{}/{number}", number % 100));
        let keys: Vec<String> = keys.collect();
        for key in &keys {
            // Names of one file are as good, and are made at once.
            let made = std::fs::hard_link(&original, folder.path().join(key));
            if made.is_err() {
                std::fs::write(folder.path().join(key), b"0123456789").unwrap();
            }
            for offset in [3, 5] {
                let mut into = [0; 2];
                store.read_into(key, offset, &mut into).unwrap();
                assert_eq!(into, [b"34", b"56"][usize::from(offset == 5)][..]);
            }
        }
        assert!(store.open_files.lock().by_key.len() <= super::super::most_open_files() / 4);
    }

    #[test]
    fn what_is_removed_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::open(folder.path()).unwrap();
        store.put("tile", vec![7; 10].into()).unwrap();
        let mut into = [0; 10];
        store.read_into("tile", 0, &mut into).unwrap();
        store.remove_many(&["tile"]).pop().unwrap().unwrap();
        let gone = store.read_into("tile", 0, &mut into);
        assert!(matches!(gone, Err(StoreError::NotFound { .. })));
    }

    /// A file that was cut short while it was open is told as one that was so before.
    #[test]
    fn what_is_cut_short_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::open(folder.path()).unwrap();
        store.put("tile", vec![7; 10].into()).unwrap();
        let mut into = [0; 10];
        store.read_into("tile", 0, &mut into).unwrap();
        std::fs::write(folder.path().join("tile"), [7; 4]).unwrap();
        let cut = store.read_into("tile", 0, &mut into);
        assert!(matches!(cut, Err(StoreError::OutOfRange { size: 4, .. })));
        std::fs::write(folder.path().join("tile"), [8; 20]).unwrap();
        store.read_into("tile", 10, &mut into).unwrap();
        assert_eq!(into, [8; 10]);
    }
}
