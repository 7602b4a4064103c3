//! Objects in the folder of a group that belong to no member. `cp` and `mv` copy them with the folder; `rm` of the
//! group leaves them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use tdb_store::{Object, join};

use super::{Contents, Part, below};
use crate::directory::{GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER};
use crate::{ArrayError, ObjectType};

impl Contents {
    /// Finds the objects in the folder that belong to no member.
    pub(super) fn add_others(&mut self) -> Result<(), ArrayError> {
        let found = self.location.store().list_recursive(self.prefix())?;
        let known: HashSet<&str> = self.parts.iter().flat_map(Part::all_keys).collect();
        let rest: Vec<Object> = found
            .into_iter()
            .filter(|object| !known.contains(object.key.as_str()))
            .collect();
        self.others = parts(self.prefix(), rest);
        Ok(())
    }

    /// Returns the entries of the folder that belong to no member: folders of arrays and groups, and keys of other
    /// objects.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        self.others
            .iter()
            .flat_map(|part| -> Box<dyn Iterator<Item = &str>> {
                match part.object_type {
                    ObjectType::Invalid => Box::new(part.keys()),
                    _ => Box::new(std::iter::once(part.prefix.as_str())),
                }
            })
    }

    /// Returns these contents restricted to members, which is what [`Contents::remove`] removes.
    #[must_use]
    pub fn of_members(&self) -> Self {
        Self {
            others: Vec::new(),
            ..self.clone()
        }
    }
}

/// Divides objects into arrays, other objects, and groups, in the order of copying.
fn parts(prefix: &str, objects: Vec<Object>) -> Vec<Part> {
    let arrays = roots(prefix, &objects, SCHEMA_FOLDER, LEGACY_SCHEMA);
    let groups = roots(prefix, &objects, GROUP_FOLDER, GROUP_MARKER);
    // Groups follow their contents: of two nested groups, the inner one has the longer name and comes first.
    let mut found: BTreeMap<(u8, Reverse<String>), (ObjectType, Vec<Object>)> = BTreeMap::new();
    for object in objects {
        let array = above(prefix, &object.key).find(|folder| arrays.contains(*folder));
        let group = own_group(prefix, &object.key, &groups);
        let (rank, object_type, folder) = match (array, group) {
            (Some(array), _) => (0, ObjectType::Array, array),
            (None, None) => (1, ObjectType::Invalid, prefix),
            (None, Some(group)) => (2, ObjectType::Group, group),
        };
        let place = (rank, Reverse(folder.to_owned()));
        let (_, objects) = found.entry(place).or_insert((object_type, Vec::new()));
        objects.push(object);
    }
    let found = found.into_iter();
    found
        .map(|((_, Reverse(folder)), (object_type, objects))| {
            let mut part = Part::new(object_type, &folder);
            part.add(objects);
            part.sort();
            part
        })
        .collect()
}

/// Returns the folders that contain the given folder or object, by which arrays or groups are recognized. For each
/// object, only the outermost such folder is included.
fn roots(prefix: &str, objects: &[Object], folder: &str, object: &str) -> HashSet<String> {
    let mut roots = HashSet::new();
    for Object { key, .. } in objects {
        let is_root = |root: &&str| {
            let own = below(root, key);
            own == object
                || own
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        roots.extend(above(prefix, key).find(is_root).map(str::to_owned));
    }
    roots
}

/// Returns the group to which an object belongs as part of the group itself, not as other content of its folder.
fn own_group<'a>(prefix: &str, key: &'a str, groups: &HashSet<String>) -> Option<&'a str> {
    let is_own = |root: &&str| {
        let own = below(root, key);
        let folder = own.split('/').next().unwrap_or(own);
        [GROUP_FOLDER, METADATA_FOLDER, GROUP_MARKER].contains(&folder)
    };
    let mut folders = above(prefix, key);
    folders.find(|root| groups.contains(*root) && is_own(root))
}

/// Iterates over the folders of a key, from `prefix` inwards.
fn above<'a>(prefix: &str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let from = join(prefix, "").len().min(key.len());
    let ends = key
        .match_indices('/')
        .map(|(end, _)| end)
        .filter(move |end| *end >= from);
    ends.filter_map(|end| key.get(..end))
}
