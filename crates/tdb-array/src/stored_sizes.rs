//! How many bytes fragments have in the store.

use std::collections::{BTreeMap, BTreeSet};

use tdb_store::{Distance, StoreError, join, parent};
use tdb_tile::Bug;

use crate::{Array, ArrayError, Fragment};

/// From so many objects on, it may pay to list the folder that they lie in. A far store is asked some hundreds of
/// things at a time, so that fewer take one wait, and each is a request.
const LISTED: usize = 128;
/// A page of a listing has a thousand names, and pages come one after the other: where a fragment has more fields than
/// this, its share of the pages takes longer than asking for one size, many at a time.
const LISTED_FIELDS: usize = 8;

impl Array {
    /// The bytes of the data files and of the metadata of fragments, in their order, each for itself. They may be of
    /// [`Array::open_replaced`]. The store is asked where a fragment was opened without the end of its metadata, as out of consolidated
    /// metadata.
    ///
    /// # Errors
    /// As the store reports: that it is not found, of a fragment that somebody has removed meanwhile.
    pub fn stored_sizes(&self, fragments: &[&Fragment]) -> Vec<Result<u64, ArrayError>> {
        let unknown = fragments.iter().filter(|f| f.metadata_size().is_none());
        let keys = unknown.map(|fragment| join(self.prefix(), &fragment.metadata_key));
        let keys: Vec<String> = keys.collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut asked = self.sizes_of(&keys).into_iter();
        let sizes = fragments.iter().map(|fragment| {
            let metadata = match fragment.metadata_size() {
                Some(size) => size,
                None => asked.next().ok_or_else(unanswered)??,
            };
            Ok(fragment.metadata.data_size().saturating_add(metadata))
        });
        sizes.collect()
    }

    /// The sizes of objects that each fragment has one of, in their order.
    fn sizes_of(&self, keys: &[&str]) -> Vec<Result<u64, ArrayError>> {
        let schema = self.schema();
        let fields = schema
            .attributes
            .len()
            .saturating_add(schema.dimensions.len());
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
        let missing = keys
            .iter()
            .copied()
            .filter(|key| !listed.contains_key(*key));
        let missing: Vec<&str> = missing.collect();
        let mut asked = self.store().sizes(&missing).into_iter();
        let sizes = keys.iter().map(|key| match listed.get(*key) {
            Some(size) => Ok(*size),
            None => Ok(asked.next().ok_or_else(unanswered)??),
        });
        sizes.collect()
    }

    /// What the store tells of the sizes of objects when it lists the folders that the fragments lie in.
    fn listed_sizes(&self, keys: &[&str]) -> Result<BTreeMap<String, u64>, StoreError> {
        let folders: BTreeSet<&str> = keys.iter().map(|key| parent(parent(key))).collect();
        let wanted: BTreeSet<&str> = keys.iter().copied().collect();
        let mut sizes = BTreeMap::new();
        for folder in folders {
            let found = self.store().list_recursive(folder)?.into_iter();
            let found = found.filter(|object| wanted.contains(&*object.key));
            sizes.extend(found.filter_map(|object| Some((object.key, object.size?))));
        }
        Ok(sizes)
    }
}

fn unanswered() -> Bug {
    Bug::new("a store gave fewer sizes than it was asked for")
}
