//! How many bytes fragments have in the store.

use tdb_store::join;
use tdb_tile::Bug;

use crate::{Array, ArrayError, Fragment};

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
        let mut asked = self.store().sizes(&keys).into_iter();
        let sizes = fragments.iter().map(|fragment| {
            let metadata = match fragment.metadata_size() {
                Some(size) => size,
                None => asked.next().ok_or_else(unanswered)??,
            };
            Ok(fragment.metadata.data_size().saturating_add(metadata))
        });
        sizes.collect()
    }
}

fn unanswered() -> Bug {
    Bug::new("a store gave fewer sizes than it was asked for")
}
