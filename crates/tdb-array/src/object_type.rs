use tdb_store::{Distance, Listing, Store, join, list_all, name};
use tdb_tile::Code;

use crate::directory::{DRAFT_FOLDER, GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, SCHEMA_FOLDER};
use crate::{ArrayError, Work};

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
    /// Any error of the store.
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
    /// Any error of the store.
    pub fn detect(store: &dyn Store, prefix: &str) -> Result<Self, ArrayError> {
        Ok(Found::at(store, prefix)?.object_type)
    }
}

/// What lies at a place, and what was begun there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// What lies there.
    pub object_type: ObjectType,
    /// What was to make an array there and has not yet: it is under way, or was stopped. There is no array then.
    pub unfinished: Option<Work>,
}

impl Found {
    /// Looks at what lies in the folder `prefix`.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn at(store: &dyn Store, prefix: &str) -> Result<Self, ArrayError> {
        let listing = without_marked(store, list_all(store, prefix)?)?;
        let object_type = ObjectType::of_listing(&listing);
        let mut folders = listing.prefixes.iter();
        let begun = folders.any(|folder| name(folder) == DRAFT_FOLDER);
        if !begun || object_type == ObjectType::Group {
            return Ok(Self {
                object_type,
                unfinished: None,
            });
        }
        // Enumerations come before the schema, and a folder of old may be empty.
        if object_type == ObjectType::Array && has_schema(store, prefix)? {
            return Ok(Self {
                object_type,
                unfinished: None,
            });
        }
        Ok(Self {
            object_type: ObjectType::Invalid,
            unfinished: noted(store, prefix)?,
        })
    }
}

/// The listing of a folder without those of the folders that make an array or a group which are none: in a store without folders
/// of its own, one that is listed may be no more than an empty object, by which other programs mark it.
pub(crate) fn without_marked(
    store: &dyn Store,
    mut listing: Listing,
) -> Result<Listing, ArrayError> {
    let is_telling = |folder: &str| [SCHEMA_FOLDER, GROUP_FOLDER].contains(&name(folder));
    if store.distance() == Distance::Near {
        return Ok(listing);
    }
    let folders = listing.prefixes.iter().map(String::as_str);
    let folders: Vec<&str> = folders.filter(|folder| is_telling(folder)).collect();
    let mut empty = Vec::new();
    let answers = tdb_store::answers(folders.iter().copied(), store.list_many(&folders));
    for (folder, found) in folders.iter().zip(answers) {
        let found = found?;
        if found.objects.is_empty() && found.prefixes.is_empty() && found.foreign.is_empty() {
            empty.push((*folder).to_owned());
        }
    }
    listing.prefixes.retain(|folder| !empty.contains(folder));
    Ok(listing)
}

/// What is noted to have been begun in the folder `prefix`.
fn noted(store: &dyn Store, prefix: &str) -> Result<Option<Work>, ArrayError> {
    let listing = list_all(store, &join(prefix, DRAFT_FOLDER))?;
    let is_noted = |work: &Work| {
        let mut notes = listing.objects.iter();
        notes.any(|note| name(&note.key) == work.name())
    };
    Ok(Work::ALL.into_iter().find(is_noted))
}

/// Whether a folder, which looks like an array, has a schema.
pub(crate) fn has_schema(store: &dyn Store, prefix: &str) -> Result<bool, ArrayError> {
    if tdb_store::exists(store, &join(prefix, LEGACY_SCHEMA))? {
        return Ok(true);
    }
    let listing = list_all(store, &join(prefix, SCHEMA_FOLDER))?;
    Ok(!listing.objects.is_empty() || !listing.foreign.is_empty())
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
