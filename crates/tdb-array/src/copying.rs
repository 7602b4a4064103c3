//! A copy in the making, which goes again where it fails.

use std::sync::Arc;

use tdb_store::{Store, StoreError, join, list_recursive};

use crate::ArrayError;
use crate::directory::GROUP_FOLDER;

/// What of a copy is there so far.
pub(crate) struct Copying<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    keys: Vec<String>,
    /// Folders of groups whose members were told anew.
    groups: Vec<String>,
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

    /// Copies an object.
    pub(crate) fn copy(
        &mut self,
        from: &dyn Store,
        key: &str,
        to_key: &str,
    ) -> Result<(), ArrayError> {
        let result = tdb_store::copy(from, key, &**self.store, to_key);
        // What others made meanwhile is theirs.
        if !matches!(result, Err(StoreError::Exists { .. })) {
            self.keys.push(to_key.to_owned());
        }
        result.map_err(vanished)
    }

    /// Notes that the members of a copied group are told anew.
    pub(crate) fn tells_members(&mut self, folder: &str) {
        self.groups.push(folder.to_owned());
    }

    /// What is there of a copy that failed goes, as far as that can be done.
    pub(crate) fn take_back(mut self) {
        for group in &self.groups {
            // What cannot be listed stays.
            if let Ok(made) = list_recursive(&**self.store, &join(group, GROUP_FOLDER)) {
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
