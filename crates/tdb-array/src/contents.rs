//! The objects of an array or a group as a whole, to copy, move and remove it.

mod beside;
pub(crate) mod copy;
mod removal;

use std::collections::HashSet;

use tdb_store::{Object, StoreError, join, list_all, parent};
use tdb_tile::{Exact, Limits};

use crate::directory::{
    COMMITS_FOLDER, DRAFT_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA_FOLDER, GROUP_FOLDER,
    GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER,
};
use crate::uri::Base;
use crate::{
    ArrayError, FoundFolder, Group, GroupMember, Location, ObjectType, OpenOptions, UriTarget, Work,
};

/// The objects of an array, or of a group with all its members inside its folder.
///
/// Members outside of the folder are not included. Objects in the folder of a group that belong to no member are
/// copied and moved with the group, but not removed with it.
#[derive(Clone, Debug)]
pub struct Contents {
    location: Location,
    store_uri: String,
    options: OpenOptions,
    /// Arrays and groups; each group after its members.
    parts: Vec<Part>,
    /// Objects in the folder of a group that belong to no member.
    others: Vec<Part>,
    left: Vec<String>,
    /// URIs of members that should be inside the folder, but do not exist.
    missing: Vec<String>,
}

/// One array, or one group without its members.
#[derive(Clone, Debug)]
struct Part {
    object_type: ObjectType,
    prefix: String,
    /// The objects in the order of copying: the one that makes it an array or a group comes last.
    objects: Vec<Object>,
    /// Keys of folder markers: empty objects with the name of a folder, created by other programs in object stores.
    /// They are removed with the part, but not copied.
    markers: Vec<String>,
}

/// The size of arrays and groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentsSize {
    /// The number of arrays.
    pub arrays: u64,
    /// The number of groups.
    pub groups: u64,
    /// The number of objects in these arrays and groups.
    pub objects: u64,
    /// The total size of these objects in bytes.
    pub bytes: u64,
}

impl ContentsSize {
    /// Returns the sum of both sizes.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            arrays: [self.arrays, other.arrays].iter().sum(),
            groups: [self.groups, other.groups].iter().sum(),
            objects: [self.objects, other.objects].iter().sum(),
            // Clamped: servers state these sizes, and they are only shown.
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

impl Part {
    fn new(object_type: ObjectType, prefix: &str) -> Self {
        Self {
            object_type,
            prefix: prefix.to_owned(),
            objects: Vec::new(),
            markers: Vec::new(),
        }
    }

    /// Sorts the objects found into real objects and folder markers.
    fn add(&mut self, found: Vec<Object>) {
        let mut folders = HashSet::new();
        for object in &found {
            let mut folder = parent(&object.key);
            while !folder.is_empty() && folders.insert(folder.to_owned()) {
                folder = parent(folder);
            }
        }
        for object in found {
            if object.size == Some(0) && folders.contains(&object.key) {
                self.markers.push(object.key);
            } else {
                self.objects.push(object);
            }
        }
    }

    /// Sorts the objects of an array into the order of copying.
    fn sort(&mut self) {
        let Self {
            object_type,
            prefix,
            objects,
            ..
        } = self;
        if *object_type == ObjectType::Array {
            objects.sort_by_cached_key(|object| {
                (stage(below(prefix, &object.key)), object.key.clone())
            });
        }
    }

    /// Returns the keys of all objects, including folder markers.
    fn all_keys(&self) -> impl Iterator<Item = &str> {
        self.keys().chain(self.markers.iter().map(String::as_str))
    }

    fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.objects.iter().map(|object| object.key.as_str())
    }

    /// Iterates over the stages of copying. The objects of one stage can be copied in any order, but only after the
    /// earlier stages.
    fn stages(&self) -> impl Iterator<Item = &[Object]> {
        self.objects.chunk_by(|object, next| {
            let stage = |object: &Object| stage(below(&self.prefix, &object.key));
            match self.object_type {
                ObjectType::Array => stage(object) == stage(next),
                ObjectType::Group => false,
                ObjectType::Invalid => true,
            }
        })
    }
}

impl Contents {
    /// Finds all objects of an array or group in a folder; `store_uri` as for [`Group::open`]. Also finds what remains
    /// of an array whose removal was interrupted, and an array that is being made.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] if there is neither an array nor a group; otherwise as [`Group::walk`].
    pub fn find(
        location: &Location,
        store_uri: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        let prefix = location.prefix();
        let mut contents = Self {
            location: location.clone(),
            store_uri: store_uri.to_owned(),
            options,
            parts: Vec::new(),
            others: Vec::new(),
            left: Vec::new(),
            missing: Vec::new(),
        };
        match contents.object_type(prefix)? {
            ObjectType::Array => contents.add_array(prefix)?,
            ObjectType::Group => contents.add_group()?,
            ObjectType::Invalid => {
                return Err(ArrayError::NoSuch {
                    what: "array or group",
                    prefix: prefix.to_owned(),
                });
            }
        }
        Ok(contents)
    }

    fn object_type(&self, prefix: &str) -> Result<ObjectType, ArrayError> {
        let listing = list_all(&**self.location.store(), prefix)?;
        let found = ObjectType::of_listing(&listing);
        let folder = |name: &str| {
            let mut folders = listing.prefixes.iter();
            folders.any(|folder| tdb_store::name(folder) == name)
        };
        Ok(match found {
            ObjectType::Invalid
                if [FRAGMENT_FOLDER, COMMITS_FOLDER, DRAFT_FOLDER]
                    .into_iter()
                    .any(folder) =>
            {
                ObjectType::Array
            }
            found => found,
        })
    }

    fn add_array(&mut self, prefix: &str) -> Result<(), ArrayError> {
        let mut part = Part::new(ObjectType::Array, prefix);
        part.add(self.location.store().list_recursive(prefix)?);
        part.sort();
        self.parts.push(part);
        Ok(())
    }

    /// Adds the group and its members; each group after its members.
    fn add_group(&mut self) -> Result<(), ArrayError> {
        let root = self.open_group(self.prefix())?;
        let mut seen = HashSet::from([self.prefix().to_owned()]);
        let mut groups = vec![self.prefix().to_owned()];
        for descendant in root.walk()? {
            let UriTarget::Inside(prefix) = descendant.target else {
                self.left.push(descendant.uri);
                continue;
            };
            if !seen.insert(prefix.clone()) {
                continue;
            }
            match self.object_type(&prefix)? {
                ObjectType::Array => self.add_array(&prefix)?,
                ObjectType::Group => groups.push(prefix),
                ObjectType::Invalid => {
                    self.left.push(descendant.uri.clone());
                    self.missing.push(descendant.uri);
                }
            }
        }
        for prefix in groups.into_iter().rev() {
            self.add_group_objects(&prefix)?;
        }
        self.add_others()
    }

    /// Iterates over everything that is copied, with the objects of no member first, since groups must follow their
    /// contents.
    fn all(&self) -> impl Iterator<Item = &Part> {
        self.others.iter().chain(&self.parts)
    }

    fn add_group_objects(&mut self, prefix: &str) -> Result<(), ArrayError> {
        let mut part = Part::new(ObjectType::Group, prefix);
        for folder in [METADATA_FOLDER, GROUP_FOLDER] {
            let store = self.location.store();
            part.add(store.list_recursive(&join(prefix, folder))?);
        }
        let marker = join(prefix, GROUP_MARKER);
        if tdb_store::exists(&**self.location.store(), &marker)? {
            part.objects.push(Object {
                key: marker,
                size: None,
            });
        }
        self.parts.push(part);
        Ok(())
    }

    fn open_group(&self, prefix: &str) -> Result<Group, ArrayError> {
        let location = self.location.at(prefix);
        Group::open_location(&location, &self.store_uri, self.options.clone())
    }

    /// Returns the URIs of members that should be inside the folder, but do not exist.
    pub(crate) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the folder of the contents in its store.
    pub(crate) fn prefix(&self) -> &str {
        self.location.prefix()
    }

    /// Returns the limits in force.
    pub(crate) fn limits(&self) -> &Limits {
        self.location.limits()
    }

    /// Returns the URI of a folder in the store.
    pub fn uri(&self, folder: &str) -> String {
        Base::new(&self.store_uri, "").uri(folder)
    }

    /// Returns the folders of the groups, each after those inside it.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        let groups = self
            .folders()
            .filter(|(_, kind)| *kind == ObjectType::Group);
        groups.map(|(prefix, _)| prefix)
    }

    /// Returns the members of one group that are outside of the contents, with their URIs.
    pub(crate) fn outside(&self, group: &str) -> Result<Vec<(GroupMember, String)>, ArrayError> {
        let base = Base::new(&self.store_uri, self.prefix());
        let location = self.location.at(group);
        let group = Group::open_within(&location, base, self.options.clone())?;
        let members = group.members().iter();
        let outside = members.filter_map(|member| match group.target(member) {
            UriTarget::Inside(_) => None,
            UriTarget::Outside(uri) => Some((member.clone(), uri)),
        });
        Ok(outside.collect())
    }

    /// Returns the work that is unfinished, and the folder of its array, if there is any. Unfinished arrays can be
    /// removed, but not copied.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn unfinished(&self) -> Result<Option<(Work, String)>, ArrayError> {
        for part in self.all() {
            let draft = join(&part.prefix, DRAFT_FOLDER);
            if part.keys().any(|key| inside(&draft, key).is_some())
                && let Some(work) =
                    FoundFolder::at(&**self.location.store(), &part.prefix)?.unfinished
            {
                return Ok(Some((work, part.prefix.clone())));
            }
        }
        Ok(None)
    }

    /// Returns the keys of all objects.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.all().flat_map(Part::keys)
    }

    /// Requests the sizes of the objects that were listed without size.
    pub(crate) fn unlisted_sizes(&self) -> Vec<Result<u64, StoreError>> {
        let objects = self.all().flat_map(|part| &part.objects);
        let unlisted = objects.filter(|object| object.size.is_none());
        let keys: Vec<&str> = unlisted.map(|object| object.key.as_str()).collect();
        self.location.store().sizes(&keys)
    }

    /// Returns the total size. Sizes that are not in the listing are requested.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn size(&self) -> Result<ContentsSize, ArrayError> {
        let mut size = ContentsSize::default();
        for part in self.all() {
            match part.object_type {
                ObjectType::Array => size.arrays = size.arrays.exact_add(1)?,
                ObjectType::Group => size.groups = size.groups.exact_add(1)?,
                ObjectType::Invalid => {}
            }
            size.objects = size.objects.exact_add(part.objects.len() as u64)?;
            let listed = part.objects.iter().filter_map(|object| object.size);
            size.bytes = listed.fold(size.bytes, u64::saturating_add);
        }
        for bytes in self.unlisted_sizes() {
            match bytes {
                Ok(bytes) => size.bytes = size.bytes.saturating_add(bytes),
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(size)
    }

    /// Returns the keys of objects that, by their names, belong to no array or group.
    pub fn strange(&self) -> impl Iterator<Item = &str> {
        self.all().flat_map(|part| {
            let is_strange = |key: &&str| match part.object_type {
                ObjectType::Array => !below(&part.prefix, key).starts_with("__"),
                ObjectType::Group => false,
                ObjectType::Invalid => true,
            };
            part.keys().filter(is_strange)
        })
    }

    /// Returns the folders of all arrays and groups, with their types.
    pub fn folders(&self) -> impl Iterator<Item = (&str, ObjectType)> {
        let parts = self
            .all()
            .filter(|part| part.object_type != ObjectType::Invalid);
        parts.map(|part| (part.prefix.as_str(), part.object_type))
    }

    /// Returns the URIs of members that are outside the folder or do not exist.
    pub fn left(&self) -> &[String] {
        &self.left
    }
}

/// The stage in which schemas are copied.
const LAST_STAGE: u8 = 3;

/// Returns the stage of copying for a key relative to its array. Data comes first and the schema last, so that no
/// reader sees a partial array.
fn stage(key: &str) -> u8 {
    let folder = key.split('/').next().unwrap_or(key);
    match folder {
        SCHEMA_FOLDER | LEGACY_SCHEMA => LAST_STAGE,
        COMMITS_FOLDER => 2,
        FRAGMENT_METADATA_FOLDER => 1,
        _ if key.ends_with(".ok") => 2,
        _ => 0,
    }
}

/// Joins two folders, either of which may be the root.
pub(crate) fn join_folders(folder: &str, inner: &str) -> String {
    match inner {
        "" => folder.to_owned(),
        inner => join(folder, inner),
    }
}

/// Returns a key relative to a folder that contains it.
pub(crate) fn below<'a>(prefix: &str, key: &'a str) -> &'a str {
    key.strip_prefix(prefix)
        .unwrap_or(key)
        .trim_start_matches('/')
}

/// Returns the path from one folder to another inside it; `None` if it is not inside.
pub(crate) fn inside<'a>(folder: &str, other: &'a str) -> Option<&'a str> {
    let path = match folder {
        "" => other,
        folder => other.strip_prefix(folder)?.strip_prefix('/')?,
    };
    (!path.is_empty()).then_some(path)
}
