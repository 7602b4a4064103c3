//! A copy in progress, which is undone if it fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{slice, thread};

use tdb_store::{Distance, Object, Store, StoreError, join};

use crate::ArrayError;
use crate::directory::GROUP_FOLDER;

/// The objects copied so far.
pub(crate) struct Copying<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    keys: Vec<String>,
    /// Folders of copied groups whose members were changed.
    groups: Vec<String>,
}

/// Number of objects copied at the same time if a store is remote: each copy waits for both stores.
const AT_ONCE: usize = 16;

/// Objects larger than this are copied one at a time, since each needs memory for several upload parts.
const LARGE: u64 = 1 << 20;

/// State shared by the copying threads.
struct CopyQueue<'a> {
    /// Objects not begun yet, with their new keys.
    left: slice::Iter<'a, (&'a Object, String)>,
    /// New keys whose objects may exist by now.
    begun: Vec<String>,
    /// The first error.
    failure: Option<StoreError>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies the remaining objects until one fails.
fn copy_left(from: &dyn Store, to: &dyn Store, shared: &Mutex<CopyQueue<'_>>, large: &Mutex<()>) {
    let next = || {
        let mut shared = lock(shared);
        shared.left.next().filter(|_| shared.failure.is_none())
    };
    while let Some((Object { key, size }, to_key)) = next() {
        let size = size.map_or_else(|| from.size(key), Ok);
        let result = size.and_then(|size| {
            let _alone = (size > LARGE).then(|| lock(large));
            tdb_store::copy_sized(from, key, size, to, to_key)
        });
        let mut shared = lock(shared);
        // An object that another program created is not part of the copy.
        if !matches!(result, Err(StoreError::Exists { .. })) {
            shared.begun.push(to_key.clone());
        }
        if let Err(error) = result {
            shared.failure.get_or_insert(error);
        }
    }
}

impl<'a> Copying<'a> {
    /// Creates an empty copy in a store.
    pub(crate) fn new(store: &'a Arc<dyn Store>) -> Self {
        Self {
            store,
            keys: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Copies objects to new keys in any order, several at the same time if a store is remote.
    ///
    /// # Errors
    /// The first error of either store; no further object is begun after it.
    pub(crate) fn copy(
        &mut self,
        from: &dyn Store,
        objects: &[(&Object, String)],
    ) -> Result<(), ArrayError> {
        let is_far = |store: &dyn Store| matches!(store.distance(), Distance::Far { .. });
        let at_once = if is_far(from) || is_far(&**self.store) {
            AT_ONCE.min(objects.len())
        } else {
            1
        };
        let shared = Mutex::new(CopyQueue {
            left: objects.iter(),
            begun: Vec::new(),
            failure: None,
        });
        let (to, large) = (&**self.store, Mutex::new(()));
        thread::scope(|scope| {
            for _ in 1..at_once {
                // If no thread can be started, this one copies all objects.
                let _ = thread::Builder::new()
                    .spawn_scoped(scope, || copy_left(from, to, &shared, &large));
            }
            copy_left(from, to, &shared, &large);
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.keys.extend(shared.begun);
        shared.failure.map_or(Ok(()), |error| Err(vanished(error)))
    }

    /// Records that the members of a copied group are changed.
    pub(crate) fn tells_members(&mut self, folder: &str) {
        self.groups.push(folder.to_owned());
    }

    /// Removes what exists of a failed copy, as far as possible.
    pub(crate) fn take_back(mut self) {
        for group in &self.groups {
            // Objects that cannot be listed stay.
            if let Ok(made) = self.store.list_recursive(&join(group, GROUP_FOLDER)) {
                self.keys.extend(made.into_iter().map(|object| object.key));
            }
        }
        // In reverse order, as in a removal. Errors are ignored, so that the first failure is the one reported.
        let keys: Vec<&str> = self.keys.iter().rev().map(String::as_str).collect();
        let _ = self.store.remove_many(&keys);
    }
}

/// Converts "not found" into the error for an object that was listed but has been vacuumed since.
pub(crate) fn vanished(error: StoreError) -> ArrayError {
    match error {
        StoreError::NotFound { key } => ArrayError::Missing {
            key,
            by: "listed; others vacuum",
        },
        error => error.into(),
    }
}
