//! Files that stay open between the reads of their tiles.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::tree::OpenFile;

/// Number of files that all stores of this process keep open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// The open files of one store; the oldest is closed first. Objects never change, so an open file stays valid for its
/// key until that is removed.
#[derive(Debug)]
pub(super) struct OpenFiles {
    /// Maximum for all stores of the process together. A store makes room only by closing its own files: if the others
    /// hold all of them, a store without open files keeps none.
    most: usize,
    kept: Mutex<FileQueue>,
}

#[derive(Debug, Default)]
struct FileQueue {
    by_key: HashMap<Arc<str>, Arc<OpenFile>>,
    /// The keys, oldest first.
    order: VecDeque<Arc<str>>,
}

impl OpenFiles {
    /// Creates an empty set, limited to a quarter of the files that the system lets the process open.
    pub(super) fn new() -> Self {
        Self::of_most(super::most_open_files() / 4)
    }

    fn of_most(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<OpenFile>> {
        self.lock().by_key.get(key).cloned()
    }

    /// Keeps a file open if the limit allows it, perhaps after closing the oldest.
    pub(super) fn keep(&self, key: &str, object: &Arc<OpenFile>) {
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
        // The file is closed after the lock is released.
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

    fn lock(&self) -> MutexGuard<'_, FileQueue> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileQueue {
    fn remove_oldest(&mut self) -> Option<Arc<OpenFile>> {
        let oldest = self.order.pop_front()?;
        self.remove(&oldest)
    }

    fn remove(&mut self, key: &str) -> Option<Arc<OpenFile>> {
        let object = self.by_key.remove(key)?;
        OPEN.fetch_sub(1, Ordering::Relaxed);
        Some(object)
    }
}

impl Drop for FileQueue {
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
            Arc::new(OpenFile { file, size: 1 })
        };
        // `OPEN` is shared: other tests of this process keep files open, too.
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

    /// The array has far more files than a process may have open.
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
            // Hard links to one file serve as well, and are created faster.
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

    /// Truncating an open file gives the same error as truncating it before it was opened.
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
