//! Objects in the folder of a group that belong to no member. `cp` and `mv` take them along with the folder; `rm` of the group leaves them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use tdb_store::{Object, join};

use super::{Contents, Part, below};
use crate::directory::{GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER};
use crate::{ArrayError, ObjectType};

impl Contents {
    /// Finds what lies in the folder and is of no member.
    pub(super) fn add_others(&mut self) -> Result<(), ArrayError> {
        let found = self.location.store().list_recursive(self.prefix())?;
        let known = self.parts.iter().flat_map(Part::all_keys);
        let known: HashSet<&str> = known.collect();
        let rest = found.into_iter();
        let rest: Vec<Object> = rest
            .filter(|object| !known.contains(object.key.as_str()))
            .collect();
        self.others = parts(self.prefix(), rest);
        Ok(())
    }

    /// The contents of the folder that belong to no member: folders of arrays and groups, and keys of other objects.
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

    /// The same without what is no member, which is what [`Contents::remove`] removes.
    #[must_use]
    pub fn of_members(&self) -> Self {
        Self {
            others: Vec::new(),
            ..self.clone()
        }
    }
}

/// Objects as arrays, groups, and others, in the order in which they are copied.
fn parts(prefix: &str, objects: Vec<Object>) -> Vec<Part> {
    let arrays = roots(prefix, &objects, SCHEMA_FOLDER, LEGACY_SCHEMA);
    let groups = roots(prefix, &objects, GROUP_FOLDER, GROUP_MARKER);
    // Groups come behind what is in them: of two, the inner one is the longer name.
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

/// The folders that have a folder or an object by which they are told, of each object the outermost.
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

/// The group that an object belongs to itself, not as what lies in its folder.
fn own_group<'a>(prefix: &str, key: &'a str, groups: &HashSet<String>) -> Option<&'a str> {
    let is_own = |root: &&str| {
        let own = below(root, key);
        let folder = own.split('/').next().unwrap_or(own);
        [GROUP_FOLDER, METADATA_FOLDER, GROUP_MARKER].contains(&folder)
    };
    let mut folders = above(prefix, key);
    folders.find(|root| groups.contains(*root) && is_own(root))
}

/// The folders that a key lies in, from below `prefix` on, the outermost first.
fn above<'a>(prefix: &str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let from = join(prefix, "").len().min(key.len());
    let ends = key.match_indices('/').map(|(end, _)| end);
    let ends = ends.filter(move |end| *end >= from);
    ends.filter_map(|end| key.get(..end))
}
