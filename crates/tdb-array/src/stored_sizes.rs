//! The stored sizes of fragments.

use std::collections::{BTreeMap, BTreeSet};

use tdb_store::{Distance, StoreError, join, parent};
use tdb_tile::{Bug, Exact};

use crate::{Array, ArrayError, Fragment};

/// Number of objects from which on listing their folder may be faster than asking for their sizes. A remote store is
/// asked for some hundreds of sizes at a time, so fewer objects take one round trip, each with a request of its own.
const LISTED: usize = 128;
/// Maximum number of fields for which folders are listed. A page of a listing has a thousand names, and pages are
/// requested one after the other: a fragment with more fields takes up so much of the pages that asking for its size
/// is faster.
const LISTED_FIELDS: usize = 8;

impl Array {
    /// Returns the total size of each fragment in bytes: its data files and its metadata. The fragments may come from
    /// [`Array::open_replaced`]. The store is asked for the size of the metadata if its end was not read on opening,
    /// for example because consolidated metadata was used.
    ///
    /// # Errors
    /// Any error of the store; "not found" for a fragment that has been removed meanwhile.
    pub fn stored_sizes(&self, fragments: &[&Fragment]) -> Vec<Result<u64, ArrayError>> {
        let unknown = fragments.iter().filter(|f| f.metadata_size().is_none());
        let full: Vec<String> = unknown
            .map(|fragment| join(self.prefix(), &fragment.metadata_key))
            .collect();
        let keys: Vec<&str> = full.iter().map(String::as_str).collect();
        let mut asked = self.sizes_of(&keys).into_iter();
        let sizes = fragments.iter().map(|fragment| {
            let metadata = match fragment.metadata_size() {
                Some(size) => size,
                None => asked.next().ok_or_else(unanswered)??,
            };
            Ok(fragment.metadata.data_size().exact_add(metadata)?)
        });
        sizes.collect()
    }

    /// Returns the sizes of objects, in their order; there is one object per fragment.
    fn sizes_of(&self, keys: &[&str]) -> Vec<Result<u64, ArrayError>> {
        let schema = self.schema();
        let fields: usize = [schema.attributes.len(), schema.dimensions.len()]
            .iter()
            .sum();
        let is_far = matches!(self.store().distance(), Distance::Far { .. });
        let is_listed = is_far && keys.len() >= LISTED && fields <= LISTED_FIELDS;
        let listed = if is_listed {
            self.listed_sizes(keys)
        } else {
            Ok(BTreeMap::new())
        };
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => return keys.iter().map(|_| Err(error.clone().into())).collect(),
        };
        let missing: Vec<&str> = keys
            .iter()
            .copied()
            .filter(|key| !listed.contains_key(*key))
            .collect();
        let mut asked = self.store().sizes(&missing).into_iter();
        let sizes = keys.iter().map(|key| match listed.get(*key) {
            Some(size) => Ok(*size),
            None => Ok(asked.next().ok_or_else(unanswered)??),
        });
        sizes.collect()
    }

    /// Lists the folders that contain the fragments; returns the sizes of the given objects, as far as the store lists
    /// sizes.
    fn listed_sizes(&self, keys: &[&str]) -> Result<BTreeMap<String, u64>, StoreError> {
        let folders: BTreeSet<&str> = keys.iter().map(|key| parent(parent(key))).collect();
        let wanted: BTreeSet<&str> = keys.iter().copied().collect();
        let mut sizes = BTreeMap::new();
        for folder in folders {
            let found = self
                .store()
                .list_recursive(folder)?
                .into_iter()
                .filter(|object| wanted.contains(&*object.key));
            sizes.extend(found.filter_map(|object| Some((object.key, object.size?))));
        }
        Ok(sizes)
    }
}

fn unanswered() -> Bug {
    Bug::new("a store gave fewer sizes than it was asked for")
}
