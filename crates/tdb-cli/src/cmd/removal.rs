//! Amounts of removed objects: what a vacuum removes, and what it keeps because of the grace period.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tdb::engine::array::{ArrayError, Location};
use tdb::engine::consolidate::{Plan, Step};
use tdb::engine::store::{Distance, Object, Store, StoreError};
use tdb::engine::tile::Exact;

use crate::paint::{bytes, plural};

/// A number of fragments and other objects that are removed, or would be.
#[derive(Debug, Default)]
pub(crate) struct Removal {
    fragments: u64,
    others: u64,
    bytes: u64,
}

impl Removal {
    /// Adds the objects that `all`, a plan without a grace period, removes and `plan` does not.
    pub(crate) fn add(
        &mut self,
        plan: &Plan,
        all: &Plan,
        place: &Location,
    ) -> Result<(), ArrayError> {
        let (folders, keys) = removed(plan);
        let (all_folders, all_keys) = removed(all);
        let folders: Vec<String> = all_folders
            .difference(&folders)
            .map(|folder| place.full(folder))
            .collect();
        self.fragments += folders.len() as u64;
        let store = &**place.store();
        let found = Self::objects_in(store, folders)?;
        let others: Vec<String> = all_keys
            .difference(&keys)
            .map(|key| place.full(key))
            .collect();
        self.others += others.len() as u64;
        let unknown: Vec<&str> = found
            .iter()
            .filter(|object| object.size.is_none())
            .map(|object| &object.key)
            .chain(&others)
            .map(String::as_str)
            .collect();
        for size in tdb::engine::store::answers(unknown.iter().copied(), store.sizes(&unknown)) {
            match size {
                // Another process may have removed it meanwhile.
                Err(StoreError::NotFound { .. }) => {}
                size => self.bytes = self.bytes.exact_add(size?)?,
            }
        }
        let mut known = found.iter().filter_map(|object| object.size);
        self.bytes = known.try_fold(self.bytes, |sum, size| sum.exact_add(size))?;
        Ok(())
    }

    /// Lists the objects in folders; on a remote store, all folders concurrently.
    fn objects_in(store: &dyn Store, folders: Vec<String>) -> Result<Vec<Object>, StoreError> {
        if let Distance::Far { .. } = store.distance() {
            return tdb::engine::store::list_folders(store, folders);
        }
        let mut found = Vec::new();
        for folder in folders {
            found.extend(store.list_recursive(&folder)?);
        }
        Ok(found)
    }

    /// Describes the amount; `None` if it is empty.
    fn what(&self) -> Option<String> {
        let what = match (self.fragments, self.others) {
            (0, 0) => return None,
            (0, others) => plural(others, "object"),
            (fragments, 0) => plural(fragments, "fragment"),
            (fragments, others) => {
                let (fragments, others) = (
                    plural(fragments, "fragment"),
                    plural(others, "other object"),
                );
                format!("{fragments} and {others}")
            }
        };
        Some(format!("{what} ({})", bytes(self.bytes)))
    }

    /// Says that the objects stay because of the grace period, and how to remove them now; `happened` says what was
    /// done to them, such as `merged`. `None` if there are none.
    pub(crate) fn told_as_young(
        &self,
        happened: &str,
        grace: Duration,
        way: &str,
    ) -> Option<String> {
        let (what, grace) = (self.what()?, in_words(grace));
        Some(format!(
            "{what} were {happened} less than {grace} ago and are kept; use {way} to remove them now"
        ))
    }

    /// Says that the objects were, or would be, removed; `None` if there are none.
    pub(crate) fn told_as_freed(&self, dry_run: bool) -> Option<String> {
        let what = self.what()?;
        let verb = if dry_run {
            "would be removed"
        } else {
            "removed"
        };
        Some(format!("{what} {verb}"))
    }

    /// The amount as JSON.
    pub(crate) fn json(&self) -> Json {
        json!({
            "fragments": self.fragments,
            "objects": self.others,
            "bytes": self.bytes,
        })
    }
}

/// Folders and keys that a plan removes.
fn removed(plan: &Plan) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut folders, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for step in &plan.steps {
        match step {
            Step::Remove(more) => keys.extend(more.iter().map(String::as_str)),
            Step::RemoveFolders(more) => folders.extend(more.iter().map(String::as_str)),
            Step::Put { .. } => {}
        }
    }
    (folders, keys)
}

/// Formats a duration as it is typed, such as `10m`.
fn in_words(grace: Duration) -> String {
    let seconds = grace.as_secs();
    let units = [(86400, "d"), (3600, "h"), (60, "m")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1, "s"));
    format!("{}{name}", seconds / unit)
}
