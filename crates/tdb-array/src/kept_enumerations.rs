//! Cache of opened enumerations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb_schema::Enumeration;
use tdb_tile::Grant;

use crate::location::Access;

/// The cached enumerations may take at most 1/SHARE of the memory.
const SHARE: u64 = 8;

/// Approximate ratio of the memory of an opened enumeration, with its index of labels, to its stored bytes.
const OPENED: u64 = 4;

/// Opened enumerations, by the keys of their objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptEnumerations {
    known: Arc<Mutex<HashMap<String, KeptEnumeration>>>,
}

#[derive(Debug)]
struct KeptEnumeration {
    enumeration: Arc<Enumeration>,
    _held: Grant,
}

impl KeptEnumerations {
    fn known(&self) -> MutexGuard<'_, HashMap<String, KeptEnumeration>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<Enumeration>> {
        let known = self.known();
        known.get(key).map(|kept| Arc::clone(&kept.enumeration))
    }

    /// Caches an enumeration of `bytes` stored bytes, unless memory is short.
    pub(crate) fn keep(
        &self,
        access: &Access,
        key: &str,
        enumeration: &Arc<Enumeration>,
        bytes: u64,
    ) {
        let budget = &access.limits.budget;
        let Some(opened) = bytes.checked_mul(OPENED) else {
            return;
        };
        if let Some(bytes) = access.room_for([opened], SHARE)
            && let Ok(held) = budget.take(bytes)
        {
            let kept = KeptEnumeration {
                enumeration: Arc::clone(enumeration),
                _held: held,
            };
            self.known().insert(key.to_owned(), kept);
        }
    }
}
