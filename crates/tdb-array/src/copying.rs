//! A copy in the making, which goes again where it fails.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{slice, thread};

use tdb_store::{Distance, Object, Store, StoreError, join};

use crate::ArrayError;
use crate::directory::GROUP_FOLDER;

/// What of a copy is there so far.
pub(crate) struct Copying<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    keys: Vec<String>,
    /// Folders of groups whose members were told anew.
    groups: Vec<String>,
}

/// Objects that are copied at a time where a store is far: each waits for answers of both.
const AT_ONCE: usize = 16;

/// Bytes beyond which an object is the only one of its kind on its way: it takes memory for several parts.
const LARGE: u64 = 1 << 20;

/// What threads that copy share.
struct Shared<'a> {
    /// What is not begun, and its new keys.
    left: slice::Iter<'a, (&'a Object, String)>,
    /// The new keys of what there may be something of.
    begun: Vec<String>,
    /// What went wrong first.
    failure: Option<StoreError>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies what is left, until something goes wrong.
fn copy_left(from: &dyn Store, to: &dyn Store, shared: &Mutex<Shared<'_>>, large: &Mutex<()>) {
    let next = || {
        let mut shared = lock(shared);
        shared.left.next().filter(|_| shared.failure.is_none())
    };
    while let Some((Object { key, size }, to_key)) = next() {
        let size = size.map_or_else(|| from.size(key), Ok);
        let result = size.and_then(|size| {
            let _alone = (size > LARGE).then(|| lock(large));
            tdb_store::copy_sized(from, (key, size), to, to_key)
        });
        let mut shared = lock(shared);
        // What others made meanwhile is theirs.
        if !matches!(result, Err(StoreError::Exists { .. })) {
            shared.begun.push(to_key.clone());
        }
        if let Err(error) = result {
            shared.failure.get_or_insert(error);
        }
    }
}

impl<'a> Copying<'a> {
    /// A copy in a store, of nothing yet.
    pub(crate) fn new(store: &'a Arc<dyn Store>) -> Self {
        Self {
            store,
            keys: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Copies objects, each to a key: in any order, and several at a time where a store is far.
    ///
    /// # Errors
    /// The first of either store; none is begun after that.
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
        let shared = Mutex::new(Shared {
            left: objects.iter(),
            begun: Vec::new(),
            failure: None,
        });
        let (to, large) = (&**self.store, Mutex::new(()));
        thread::scope(|scope| {
            for _ in 1..at_once {
                // Where the system has no thread to give, this one does it all.
                let _ = thread::Builder::new()
                    .spawn_scoped(scope, || copy_left(from, to, &shared, &large));
            }
            copy_left(from, to, &shared, &large);
        });
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.keys.extend(shared.begun);
        shared.failure.map_or(Ok(()), |error| Err(vanished(error)))
    }

    /// Notes that the members of a copied group are told anew.
    pub(crate) fn tells_members(&mut self, folder: &str) {
        self.groups.push(folder.to_owned());
    }

    /// What is there of a copy that failed goes, as far as that can be done.
    pub(crate) fn take_back(mut self) {
        for group in &self.groups {
            // What cannot be listed stays.
            if let Ok(made) = self.store.list_recursive(&join(group, GROUP_FOLDER)) {
                self.keys.extend(made.into_iter().map(|object| object.key));
            }
        }
        // Last things first, as in a removal. The first failure is the one to be told.
        let keys: Vec<&str> = self.keys.iter().rev().map(String::as_str).collect();
        let _ = self.store.remove_many(&keys);
    }
}

/// Vacuumed meanwhile: what replaced it is copied, or it counted no more.
pub(crate) fn vanished(error: StoreError) -> ArrayError {
    match error {
        StoreError::NotFound { key } => ArrayError::Missing {
            key,
            by: "listed; others vacuum",
        },
        error => error.into(),
    }
}
