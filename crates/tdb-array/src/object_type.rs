use tdb_store::{Distance, Listing, Store, join, list_all, name};
use tdb_tile::Code;

use crate::directory::{DRAFT_FOLDER, GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, SCHEMA_FOLDER};
use crate::{ArrayError, Work};

/// The type of a folder, or of a member of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectType {
    /// Neither an array nor a group.
    #[default]
    Invalid,
    /// A group of arrays and groups.
    Group,
    /// An array.
    Array,
}

impl ObjectType {
    /// Determines the type of a folder from its listing.
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

    /// Returns the type of the folder `prefix` if no array or group can be created at the path `below` it: an array
    /// contains nothing else, and a group reserves the folders whose names begin with `__`.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn in_the_way(
        store: &dyn Store,
        prefix: &str,
        below: &str,
    ) -> Result<Option<Self>, ArrayError> {
        // The folder itself is not listed, because folders above can be large.
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

    /// Determines the type of the folder `prefix`.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn detect(store: &dyn Store, prefix: &str) -> Result<Self, ArrayError> {
        Ok(FoundFolder::at(store, prefix)?.object_type)
    }
}

/// The type of a folder, and the work in progress there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundFolder {
    /// The type of the folder.
    pub object_type: ObjectType,
    /// The kind of work that is creating an array here, or was interrupted. In this case there is no array yet.
    pub unfinished: Option<Work>,
}

impl FoundFolder {
    /// Inspects the folder `prefix`.
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
        // Enumerations are stored before the schema, and an old folder may be empty: only a schema makes an array.
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

/// Removes the folders of schemas and of members from a listing if they are empty. In an object store, a listed folder
/// may be only a folder marker of another program; then it does not make an array or a group.
pub(crate) fn without_marked(
    store: &dyn Store,
    mut listing: Listing,
) -> Result<Listing, ArrayError> {
    let is_telling = |folder: &str| [SCHEMA_FOLDER, GROUP_FOLDER].contains(&name(folder));
    if store.distance() == Distance::Near {
        return Ok(listing);
    }
    let folders: Vec<&str> = listing
        .prefixes
        .iter()
        .map(String::as_str)
        .filter(|folder| is_telling(folder))
        .collect();
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

/// Returns the work that the note in the folder `prefix` describes.
fn noted(store: &dyn Store, prefix: &str) -> Result<Option<Work>, ArrayError> {
    let listing = list_all(store, &join(prefix, DRAFT_FOLDER))?;
    let is_noted = |work: &Work| {
        let mut notes = listing.objects.iter();
        notes.any(|note| name(&note.key) == work.name())
    };
    Ok(Work::ALL.into_iter().find(is_noted))
}

/// True if a folder that looks like an array contains a schema.
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
