use std::collections::BTreeSet;

use bytes::Bytes;
use tdb_array::commits::check_name;
use tdb_array::directory::COMMITS_FOLDER;
use tdb_array::{Array, ArrayError, Group};
use tdb_filters::EncryptionKey;
use tdb_store::{Read, Store, StoreError, join, list_all};
use tdb_tile::Limits;

/// An array or a group in its store: what upkeep works on. Keys are relative to it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The store.
    pub store: &'a dyn Store,
    /// The folder of the array or group in its store.
    pub prefix: &'a str,
    /// The key, if it is encrypted.
    pub key: Option<&'a EncryptionKey>,
    /// The caps in force.
    pub limits: &'a Limits,
}

impl<'a> Place<'a> {
    /// Where an array is.
    pub fn of_array(array: &'a Array) -> Self {
        Self {
            store: &**array.store(),
            prefix: array.prefix(),
            key: array.key(),
            limits: array.limits(),
        }
    }

    /// Where a group is.
    pub fn of_group(group: &'a Group) -> Self {
        Self {
            store: &**group.store(),
            prefix: group.prefix(),
            key: group.key(),
            limits: group.limits(),
        }
    }

    /// The objects that lie in a folder, and the folders.
    pub(crate) fn list(
        &self,
        folder: &str,
    ) -> Result<(BTreeSet<String>, BTreeSet<String>), ArrayError> {
        let prefix = self.full(folder);
        let listing = list_all(self.store, &prefix)?;
        if folder == COMMITS_FOLDER {
            let foreign = listing.foreign.iter();
            foreign
                .map(|name| join(folder, name))
                .try_for_each(|key| check_name(&key))?;
        }
        let relative = |key: &str| {
            let key = key.strip_prefix(self.prefix).unwrap_or(key);
            key.trim_start_matches('/').to_owned()
        };
        let objects = listing.objects.iter().map(|object| relative(&object.key));
        let folders = listing.prefixes.iter().map(|key| relative(key));
        Ok((objects.collect(), folders.collect()))
    }

    /// Whole objects of at most `limit` bytes; those that are gone meanwhile are left out.
    pub(crate) fn read(
        &self,
        keys: &[String],
        limit: u64,
    ) -> Result<Vec<(String, Bytes)>, ArrayError> {
        let reads = keys
            .iter()
            .map(|key| Read::whole(self.full(key)).at_most(limit));
        let answers = self.store.read(&reads.collect::<Vec<_>>());
        let mut found = Vec::new();
        for (key, answer) in keys.iter().zip(answers) {
            match answer {
                Ok(piece) => found.push((key.clone(), piece.bytes)),
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(found)
    }

    /// The key in the store.
    pub(crate) fn full(&self, key: &str) -> String {
        match key {
            "" => self.prefix.to_owned(),
            key => join(self.prefix, key),
        }
    }

    /// How large the stored form of a generic tile may be.
    pub(crate) fn tile_limit(&self) -> u64 {
        self.limits.metadata_tile.saturating_add(1 << 20)
    }
}
