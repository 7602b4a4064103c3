use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use tdb_array::ArrayError;
use tdb_store::{Distance, Store, StoreError, join, list_folders, remove_empty_folders};

/// A plan of changes, step by step. Each step is complete and durable before the next begins.
///
/// A plan that is interrupted at any point leaves a state that reads the same; then a new plan can be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Notes on what was found, but left alone, and why.
    pub notes: Vec<String>,
    /// Reasons for removals, by key, unless the reason is only that other objects replace them.
    pub reasons: BTreeMap<String, &'static str>,
}

/// One step of a [`Plan`]; keys are relative to the array or group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Stores an object.
    Put {
        /// The key of the object.
        key: String,
        /// The content of the object.
        bytes: Bytes,
    },
    /// Removes objects before the next step begins. Objects that do not exist are not an error.
    Remove(Vec<String>),
    /// Removes all objects in folders, whatever their names. Folders that do not exist are not an error.
    RemoveFolders(Vec<String>),
}

impl Plan {
    /// True if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn put(&mut self, key: String, bytes: impl Into<Bytes>) {
        let bytes = bytes.into();
        self.steps.push(Step::Put { key, bytes });
    }

    /// True if the plan stores an object with this key.
    pub(crate) fn puts(&self, wanted: &str) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step, Step::Put { key, .. } if key == wanted))
    }

    pub(crate) fn remove(&mut self, keys: Vec<String>) {
        if !keys.is_empty() {
            self.steps.push(Step::Remove(keys));
        }
    }

    pub(crate) fn remove_folders(&mut self, folders: Vec<String>) {
        if !folders.is_empty() {
            self.steps.push(Step::RemoveFolders(folders));
        }
    }

    pub(crate) fn apply(&self, store: &dyn Store, prefix: &str) -> Result<(), ArrayError> {
        for step in &self.steps {
            match step {
                Step::Put { key, bytes } => store.put(&join(prefix, key), bytes.clone())?,
                Step::Remove(keys) => {
                    let keys: Vec<String> = keys.iter().map(|key| join(prefix, key)).collect();
                    remove_all(store, &keys)?;
                }
                Step::RemoveFolders(folders) => {
                    let folders = folders.iter().map(|folder| join(prefix, folder));
                    remove_folders(store, folders.collect())?;
                }
            }
        }
        Ok(())
    }
}

/// Removes everything in folders; in a remote store, for all folders together.
fn remove_folders(store: &dyn Store, folders: Vec<String>) -> Result<(), StoreError> {
    if store.distance() == Distance::Near {
        return folders
            .iter()
            .try_for_each(|folder| remove_folder(store, folder));
    }
    let objects = list_folders(store, folders.clone())?;
    let mut keys: Vec<String> = objects.into_iter().map(|object| object.key).collect();
    // Some programs mark a folder by an object with its name.
    keys.extend(folders);
    remove_all(store, &keys)
}

/// Removes everything in a folder, including empty subfolders. If a symbolic link is in its place, removes only the
/// link.
fn remove_folder(store: &dyn Store, folder: &str) -> Result<(), StoreError> {
    match store.list_recursive(folder) {
        Ok(objects) => {
            let keys: Vec<String> = objects.into_iter().map(|object| object.key).collect();
            remove_all(store, &keys)?;
            remove_empty_folders(store, folder)?;
        }
        Err(StoreError::NotAFile { .. }) => {}
        Err(error) => return Err(error),
    }
    // An object with the name of the folder is a link.
    remove_all(store, &[folder.to_owned()])
}

/// Removes objects. Objects that do not exist are not an error, since others may remove them as well.
pub(crate) fn remove_all(store: &dyn Store, keys: &[String]) -> Result<(), StoreError> {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    for answer in tdb_store::answers(keys.iter().copied(), store.remove_many(&keys)) {
        match answer {
            Ok(()) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl fmt::Display for Plan {
    /// Formats the plan: a line per object, per folder and per note.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            let (keys, slash) = match step {
                Step::Put { key, .. } => {
                    writeln!(f, "write {key}")?;
                    continue;
                }
                Step::Remove(keys) => (keys, ""),
                Step::RemoveFolders(folders) => (folders, "/"),
            };
            for key in keys {
                match self.reasons.get(key) {
                    Some(why) => writeln!(f, "remove {key}{slash}: {why}")?,
                    None => writeln!(f, "remove {key}{slash}")?,
                }
            }
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(f, "note: {note}"))
    }
}
