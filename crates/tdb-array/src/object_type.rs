use tdb_store::{Listing, Store, join, list_all, name};
use tdb_tile::Code;

use crate::ArrayError;
use crate::directory::{GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, SCHEMA_FOLDER};

/// What lies at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectType {
    /// Neither array nor group.
    #[default]
    Invalid,
    /// A group of arrays and groups.
    Group,
    /// An array.
    Array,
}

impl ObjectType {
    /// Tells from the listing of a folder what it is.
    pub fn of_listing(listing: &Listing) -> Self {
        let folder = |wanted| listing.prefixes.iter().any(|key| name(key) == wanted);
        let object = |wanted| listing.objects.iter().any(|o| name(&o.key) == wanted);
        if folder(SCHEMA_FOLDER) || object(LEGACY_SCHEMA) {
            return Self::Array;
        }
        if folder(GROUP_FOLDER) || object(GROUP_MARKER) {
            return Self::Group;
        }
        Self::Invalid
    }

    /// What the folder `prefix` is, if that leaves no room for an array or a group at the path `below` it: an array
    /// holds nothing else, a group keeps objects of its own in folders whose names begin with `__`.
    ///
    /// # Errors
    /// As the store reports.
    pub fn in_the_way(
        store: &dyn Store,
        prefix: &str,
        below: &str,
    ) -> Result<Option<Self>, ArrayError> {
        // The folder itself is not listed: among folders above there are large ones.
        let is_there = |object: &str, folder: &str| -> Result<bool, ArrayError> {
            let listing = store.list(&join(prefix, folder), None)?;
            let held = !listing.objects.is_empty() || !listing.prefixes.is_empty();
            Ok(held || tdb_store::exists(store, &join(prefix, object))?)
        };
        if is_there(LEGACY_SCHEMA, SCHEMA_FOLDER)? {
            return Ok(Some(Self::Array));
        }
        let is_own = below.starts_with("__");
        Ok((is_own && is_there(GROUP_MARKER, GROUP_FOLDER)?).then_some(Self::Group))
    }

    /// Looks at what lies in the folder `prefix`.
    ///
    /// # Errors
    /// As the store reports.
    pub fn detect(store: &dyn Store, prefix: &str) -> Result<Self, ArrayError> {
        Ok(Self::of_listing(&list_all(store, prefix)?))
    }
}

impl Code for ObjectType {
    const WHAT: &'static str = "object type";

    fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Invalid),
            1 => Some(Self::Group),
            2 => Some(Self::Array),
            _ => None,
        }
    }

    fn code(self) -> u8 {
        match self {
            Self::Invalid => 0,
            Self::Group => 1,
            Self::Array => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Group => "group",
            Self::Array => "array",
        }
    }
}
