//! What an array or a group consists of, as a whole: to copy, move and remove it.

mod beside;
pub(crate) mod copy;
mod removal;

use std::collections::HashSet;

use tdb_store::{Object, StoreError, join, list_all, parent};
use tdb_tile::Limits;

use crate::directory::{
    COMMITS_FOLDER, DRAFT_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA_FOLDER, GROUP_FOLDER,
    GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER,
};
use crate::uri::Base;
use crate::{
    ArrayError, Found, Group, GroupMember, Location, ObjectType, OpenOptions, UriTarget, Work,
};

/// The objects of an array, or of a group and all that is in it and lies in its folder.
///
/// Members outside of the folder are left out. Objects in the folder of a group that belong to no member are copied and moved with the
/// group, and are not removed with it.
#[derive(Clone, Debug)]
pub struct Contents {
    location: Location,
    store_uri: String,
    options: OpenOptions,
    /// Arrays and groups, each behind what is in it.
    parts: Vec<Part>,
    /// Objects in the folder of a group that belong to no member.
    others: Vec<Part>,
    left: Vec<String>,
    /// URIs of members that should be inside, and do not exist.
    missing: Vec<String>,
}

/// One array, or one group without its members.
#[derive(Clone, Debug)]
struct Part {
    object_type: ObjectType,
    prefix: String,
    /// In the order in which they are copied: what makes it an array or a group comes last.
    objects: Vec<Object>,
    /// Empty objects of the names of folders, by which programs of object stores mark these: they go with it, and are not copied.
    markers: Vec<String>,
}

/// How much arrays and groups are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentsSize {
    /// How many arrays.
    pub arrays: u64,
    /// How many groups.
    pub groups: u64,
    /// How many objects they consist of.
    pub objects: u64,
    /// The bytes of these.
    pub bytes: u64,
}

impl ContentsSize {
    /// As much as both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            arrays: self.arrays.saturating_add(other.arrays),
            groups: self.groups.saturating_add(other.groups),
            objects: self.objects.saturating_add(other.objects),
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

    /// Takes what was found as objects, or as what marks a folder.
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

    /// Puts the objects of an array into the order in which they are copied.
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

    /// The keys of all that was found, markers of folders too.
    fn all_keys(&self) -> impl Iterator<Item = &str> {
        self.keys().chain(self.markers.iter().map(String::as_str))
    }

    fn keys(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.objects.iter().map(|object| object.key.as_str())
    }

    /// Objects that may be copied in any order, each behind those that come before.
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
    /// Finds all objects of what lies in a folder; `store_uri` as for [`Group::open`]. The remains of an array
    /// whose removal was stopped are found, too, and one in the making.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] where neither array nor group is; as [`Group::walk`].
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

    /// The group and what is in it; each group behind its members.
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

    /// All that is copied: what is no member first, as groups come behind what is in them.
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

    /// Members that would lie inside, and are not there: URIs.
    pub(crate) fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The folder of it all in its store.
    pub(crate) fn prefix(&self) -> &str {
        self.location.prefix()
    }

    /// The caps in force.
    pub(crate) fn limits(&self) -> &Limits {
        self.location.limits()
    }

    /// The URI of one of the folders, or of another place in the store.
    pub fn uri(&self, folder: &str) -> String {
        Base::new(&self.store_uri, "").uri(folder)
    }

    /// The folders of the groups, each behind those in it.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        let groups = self
            .folders()
            .filter(|(_, kind)| *kind == ObjectType::Group);
        groups.map(|(prefix, _)| prefix)
    }

    /// The members of one of the groups that lie outside of it all, and their URIs.
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

    /// What is at work where an array is not whole yet, or was stopped, and its folder: such is removed and not
    /// copied.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn unfinished(&self) -> Result<Option<(Work, String)>, ArrayError> {
        for part in self.all() {
            let draft = join(&part.prefix, DRAFT_FOLDER);
            if part.keys().any(|key| inside(&draft, key).is_some())
                && let Some(work) = Found::at(&**self.location.store(), &part.prefix)?.unfinished
            {
                return Ok(Some((work, part.prefix.clone())));
            }
        }
        Ok(None)
    }

    /// The keys of all objects.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.all().flat_map(Part::keys)
    }

    /// The sizes of the objects that no listing told, asked for now.
    pub(crate) fn unlisted_sizes(&self) -> Vec<Result<u64, StoreError>> {
        let objects = self.all().flat_map(|part| &part.objects);
        let unlisted = objects.filter(|object| object.size.is_none());
        let keys: Vec<&str> = unlisted.map(|object| object.key.as_str()).collect();
        self.location.store().sizes(&keys)
    }

    /// How much it is. Sizes that the listing did not tell are asked for.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn size(&self) -> Result<ContentsSize, ArrayError> {
        let mut size = ContentsSize::default();
        for part in self.all() {
            match part.object_type {
                ObjectType::Array => size.arrays = size.arrays.saturating_add(1),
                ObjectType::Group => size.groups = size.groups.saturating_add(1),
                ObjectType::Invalid => {}
            }
            size.objects = size.objects.saturating_add(part.objects.len() as u64);
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

    /// The keys of objects that are of no array and no group, as far as their names say.
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

    /// The folders of all arrays and groups, and what they are.
    pub fn folders(&self) -> impl Iterator<Item = (&str, ObjectType)> {
        let parts = self
            .all()
            .filter(|part| part.object_type != ObjectType::Invalid);
        parts.map(|part| (part.prefix.as_str(), part.object_type))
    }

    /// Members of groups that lie outside, or are not there: URIs.
    pub fn left(&self) -> &[String] {
        &self.left
    }
}

/// The stage in which the schemas are copied.
const LAST_STAGE: u8 = 3;

/// When the object with this key, relative to its array, is copied: what it takes to see it comes later.
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

/// A folder within another one, either of which may be the root.
pub(crate) fn join_folders(folder: &str, inner: &str) -> String {
    match inner {
        "" => folder.to_owned(),
        inner => join(folder, inner),
    }
}

/// A key as seen from a folder that it lies in.
pub(crate) fn below<'a>(prefix: &str, key: &'a str) -> &'a str {
    key.strip_prefix(prefix)
        .unwrap_or(key)
        .trim_start_matches('/')
}

/// The path from a folder to another one in it.
pub(crate) fn inside<'a>(folder: &str, other: &'a str) -> Option<&'a str> {
    let path = match folder {
        "" => other,
        folder => other.strip_prefix(folder)?.strip_prefix('/')?,
    };
    (!path.is_empty()).then_some(path)
}
