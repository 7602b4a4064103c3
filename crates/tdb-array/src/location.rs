//! Locations of arrays and groups.

use std::sync::Arc;

use tdb_filters::EncryptionKey;
use tdb_store::{Store, StoreError, join};
use tdb_tile::Limits;

/// The location of an array or group, existing or planned, and the key and limits for access. Cheap to clone.
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

/// The key and limits for opening stored objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) key: Option<EncryptionKey>,
    pub(crate) limits: Limits,
}

impl Location {
    /// Creates a location in a folder of a store (`""` for its root), without encryption key and with default limits.
    pub fn new(store: Arc<dyn Store>, prefix: &str) -> Self {
        Self {
            store,
            prefix: prefix.into(),
            access: Access::default(),
        }
    }

    /// Sets the encryption key of the array or group.
    #[must_use]
    pub fn with_key(mut self, key: Option<EncryptionKey>) -> Self {
        self.access.key = key;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.access.limits = limits;
        self
    }

    /// Returns another folder of the same store, with the same key and limits.
    #[must_use]
    pub fn at(&self, prefix: &str) -> Self {
        Self {
            prefix: prefix.into(),
            ..self.clone()
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the folder in the store.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the encryption key, if there is one.
    pub fn key(&self) -> Option<&EncryptionKey> {
        self.access.key.as_ref()
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        &self.access.limits
    }

    /// Returns the key within the store of an object or folder in this location; `""` is the location itself.
    pub fn full(&self, key: &str) -> String {
        if key.is_empty() {
            self.prefix.to_string()
        } else {
            join(&self.prefix, key)
        }
    }

    /// Removes objects by their keys within the store. Objects that do not exist are not an error.
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

    /// Returns the maximum stored size of a generic tile in bytes.
    pub fn tile_limit(&self) -> u64 {
        self.access.tile_limit()
    }
}

impl Access {
    /// Returns the maximum stored size of a generic tile in bytes. It exceeds the limit of the payload, since
    /// compression can enlarge data a little.
    pub(crate) fn tile_limit(&self) -> u64 {
        self.limits.metadata_tile.saturating_add(1 << 20)
    }

    /// Returns the sum of some bytes if the memory in use, with them, is at most one part in `share` of the budget.
    pub(crate) fn room_for<const N: usize>(&self, parts: [u64; N], share: u64) -> Option<u64> {
        let budget = &self.limits.budget;
        let bytes = parts.into_iter().try_fold(0_u64, u64::checked_add)?;
        let used = budget.used().checked_add(bytes)?;
        (used <= budget.limit().checked_div(share)?).then_some(bytes)
    }
}
