//! What a vacuum removes, and what it leaves alone because it was merged a short time ago.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tdb_array::{ArrayError, Location};
use tdb_consolidate::{Plan, Step};
use tdb_store::{Distance, Object, Store, StoreError};

use crate::paint::{bytes, plural};

/// Fragments and other objects that go, or would go.
#[derive(Debug, Default)]
pub(crate) struct Removal {
    fragments: u64,
    others: u64,
    bytes: u64,
}

impl Removal {
    /// Adds what one plan leaves, and another, without a grace period, removes.
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
        self.fragments = self.fragments.saturating_add(folders.len() as u64);
        let store = &**place.store();
        let found = Self::objects_in(store, folders)?;
        let others: Vec<String> = all_keys
            .difference(&keys)
            .map(|key| place.full(key))
            .collect();
        self.others = self.others.saturating_add(others.len() as u64);
        let unknown = found.iter().filter(|object| object.size.is_none());
        let unknown = unknown.map(|object| &object.key).chain(&others);
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        for size in tdb_store::answers(unknown.iter().copied(), store.sizes(&unknown)) {
            match size {
                // It may be gone by now.
                Err(StoreError::NotFound { .. }) => {}
                size => self.bytes = self.bytes.saturating_add(size?),
            }
        }
        let known = found.iter().filter_map(|object| object.size);
        self.bytes = known.fold(self.bytes, u64::saturating_add);
        Ok(())
    }

    /// The objects in folders: where answers are waited for, of all of them at once.
    fn objects_in(store: &dyn Store, folders: Vec<String>) -> Result<Vec<Object>, StoreError> {
        if let Distance::Far { .. } = store.distance() {
            return tdb_store::list_folders(store, folders);
        }
        let mut found = Vec::new();
        for folder in folders {
            found.extend(store.list_recursive(&folder)?);
        }
        Ok(found)
    }

    /// How much it is; `None` where there is nothing.
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

    /// That it was merged, or what else `happened`, too short a time ago, and how it goes; `None` where there is nothing.
    pub(crate) fn told_as_young(
        &self,
        happened: &str,
        grace: Duration,
        way: &str,
    ) -> Option<String> {
        let (what, grace) = (self.what()?, in_words(grace));
        Some(format!(
            "{what} were {happened} less than {grace} ago and stay; {way} removes them now"
        ))
    }

    /// That it is gone, or would be; `None` where there is nothing.
    pub(crate) fn told_as_freed(&self, dry_run: bool) -> Option<String> {
        let what = self.what()?;
        let verb = if dry_run {
            "would be removed"
        } else {
            "removed"
        };
        Some(format!("{what} {verb}"))
    }

    /// What scripts read of it.
    pub(crate) fn json(&self) -> Json {
        json!({
            "fragments": self.fragments,
            "objects": self.others,
            "bytes": self.bytes,
        })
    }
}

/// The folders and the objects that a plan removes.
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

/// `10m`, as it is typed.
fn in_words(grace: Duration) -> String {
    let seconds = grace.as_secs();
    let units = [(86400, "d"), (3600, "h"), (60, "m")];
    let whole = units
        .into_iter()
        .find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1, "s"));
    format!("{}{name}", seconds / unit)
}
