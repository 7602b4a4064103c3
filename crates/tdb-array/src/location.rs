//! Where an array or a group is.

use std::sync::Arc;

use tdb_filters::EncryptionKey;
use tdb_store::{Store, StoreError, join};
use tdb_tile::Limits;

/// Where an array or a group is, or is to be, and what it takes to read and write it there. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_store::MemoryStore;
/// use tdb_tile::Datatype;
///
/// let day = Dimension::numbers("day", Datatype::Int32, (1, 365), 7);
/// let rain = Attribute::new("rain", Datatype::Float32);
/// let schema = ArraySchema::new(ArrayType::Dense, vec![day], vec![rain]);
///
/// let weather = Location::new(Arc::new(MemoryStore::new()), "weather");
/// Array::create(&weather, &schema, &[], &ChangeOptions::default())?;
/// let array = Array::open_location(&weather, OpenOptions::default())?;
/// assert_eq!(array.location().prefix(), "weather");
/// # Ok::<(), tdb_array::ArrayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Location {
    store: Arc<dyn Store>,
    prefix: Arc<str>,
    pub(crate) access: Access,
}

/// What it takes to open what is stored, wherever that is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) key: Option<EncryptionKey>,
    pub(crate) limits: Limits,
}

impl Location {
    /// A folder of a store, which may be its root, `""`: without a key, and with the usual limits.
    pub fn new(store: Arc<dyn Store>, prefix: &str) -> Self {
        Self {
            store,
            prefix: prefix.into(),
            access: Access::default(),
        }
    }

    /// The same with a key, if what is there is encrypted, or is to be.
    #[must_use]
    pub fn with_key(mut self, key: Option<EncryptionKey>) -> Self {
        self.access.key = key;
        self
    }

    /// The same with other caps.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.access.limits = limits;
        self
    }

    /// Another folder of the same store, with the same key and caps.
    #[must_use]
    pub fn at(&self, prefix: &str) -> Self {
        Self {
            prefix: prefix.into(),
            ..self.clone()
        }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The folder in the store.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The key, if what is there is encrypted.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.access.key.as_ref()
    }

    /// The caps in force.
    pub fn limits(&self) -> &Limits {
        &self.access.limits
    }

    /// The key within the store of what has this key, or is a folder of this name, here; `""` is the folder itself.
    pub fn full(&self, key: &str) -> String {
        if key.is_empty() {
            self.prefix.to_string()
        } else {
            join(&self.prefix, key)
        }
    }

    /// Removes objects of the store, by their whole keys. An object that is gone already is no error.
    pub(crate) fn remove_all(&self, keys: &[impl AsRef<str>]) -> Result<(), StoreError> {
        if keys.is_empty() {
            return Ok(());
        }
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        let removed = self.store.remove_many(&keys);
        for answer in tdb_store::answers(keys.iter().copied(), removed) {
            match answer {
                Ok(()) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// How large the stored form of a generic tile may be.
    pub fn tile_limit(&self) -> u64 {
        self.access.tile_limit()
    }
}

impl Access {
    /// How large the stored form of a generic tile may be: compression can add a little.
    pub(crate) fn tile_limit(&self) -> u64 {
        self.limits.metadata_tile.saturating_add(1 << 20)
    }
}
