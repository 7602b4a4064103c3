//! What lies below a folder or group, one level at a time.

use std::collections::BTreeMap;

use tdb::LocalStores;
use tdb_array::{ErrorKind, Group, ObjectType, UriTarget, Work};
use tdb_store::{list_all, name};
use tdb_tile::Code;

use crate::access::Opening;
use crate::failure::Failure;
use crate::global::Global;
use tdb::place::{self, Place};

/// A folder, array or group below another.
#[derive(Debug)]
pub(crate) struct Child {
    /// What its parent calls it.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) site: Site,
}

/// What a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(ObjectType),
    Folder,
    /// An array that is being made, or was not finished.
    Unfinished(Work),
    /// A member of a group that is not there.
    Missing,
}

/// Where a child is.
#[derive(Debug)]
pub(crate) enum Site {
    Inside(Place),
    /// Outside of the folder that was asked for, at this URI.
    Outside(String),
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object(object_type) => object_type.name(),
            Self::Folder => "folder",
            Self::Unfinished(Work::Import) => "unfinished import",
            Self::Unfinished(Work::Rewrite) => "unfinished rewrite",
            Self::Unfinished(_) => "unfinished",
            Self::Missing => "missing",
        }
    }

    /// Whether there can be something below.
    pub(crate) fn has_children(self) -> bool {
        matches!(self, Self::Folder | Self::Object(ObjectType::Group))
    }
}

impl Child {
    /// The URI.
    pub(crate) fn uri(&self) -> &str {
        match &self.site {
            Site::Inside(location) => &location.uri,
            Site::Outside(uri) => uri,
        }
    }

    /// Where it is, going outside only if that is wanted.
    pub(crate) fn location(
        &self,
        follow_external: bool,
        global: &Global,
    ) -> Result<Option<Place>, Failure> {
        match &self.site {
            Site::Inside(location) => Ok(Some(location.clone())),
            Site::Outside(uri) if follow_external => Ok(Some(place::folder(uri, &global.counts)?)),
            Site::Outside(_) => Ok(None),
        }
    }
}

/// The members of a group, and the folders in it; or the folders in a folder. Sorted by name.
pub(crate) fn children(location: &Place, opening: &Opening) -> Result<Vec<Child>, Failure> {
    let object_type = location.object_type()?;
    if object_type == ObjectType::Array {
        return Ok(Vec::new());
    }
    let listing = list_all(&**location.store(), location.prefix());
    let mut folders = BTreeMap::new();
    for prefix in listing
        .map_err(|error| Failure::in_place(error, location))?
        .prefixes
    {
        // What begins like this is part of a group.
        let name = name(&prefix);
        if !(object_type == ObjectType::Group && name.starts_with("__")) {
            folders.insert(prefix.clone(), child(name, location.below(name), true)?);
        }
    }
    let mut children = match object_type {
        ObjectType::Group => members(location, opening, &mut folders)?,
        _ => Vec::new(),
    };
    children.extend(folders.into_values());
    children.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(children)
}

/// The members of a group; those that are folders in it are taken out of `folders`.
fn members(
    location: &Place,
    opening: &Opening,
    folders: &mut BTreeMap<String, Child>,
) -> Result<Vec<Child>, Failure> {
    let group = opening.access.among_others(location, |place| {
        let group = Group::open_location(place, &location.store_uri, opening.options.clone());
        group.map_err(|error| Failure::in_place(error, location))
    })?;
    let mut children = Vec::new();
    for member in group.members() {
        let name = member.key().to_owned();
        children.push(match group.target(member) {
            UriTarget::Inside(prefix) => match folders.remove(&prefix) {
                Some(child) => Child { name, ..child },
                None => {
                    let uri = group.member_uri(member);
                    child(
                        &name,
                        Place {
                            uri,
                            location: location.location.at(&prefix),
                            ..location.clone()
                        },
                        false,
                    )?
                }
            },
            UriTarget::Outside(uri) => Child {
                name,
                kind: if is_gone(location, &uri) {
                    Kind::Missing
                } else {
                    Kind::Object(member.object_type)
                },
                site: Site::Outside(uri),
            },
        });
    }
    Ok(children)
}

/// What is in a place. A folder that `is_listed` is there, empty or not.
fn child(name: &str, location: Place, is_listed: bool) -> Result<Child, Failure> {
    let found = location.found()?;
    let kind = match (found.object_type, found.unfinished) {
        (ObjectType::Invalid, Some(work)) => Kind::Unfinished(work),
        (ObjectType::Invalid, None) if !is_listed && is_empty(&location)? => Kind::Missing,
        (ObjectType::Invalid, None) => Kind::Folder,
        (known, _) => Kind::Object(known),
    };
    Ok(Child {
        name: name.to_owned(),
        kind,
        site: Site::Inside(location),
    })
}

/// Whether a member that lies outside is not there. Only the store of the group itself is asked: where else a URI leads, nobody goes
/// unasked.
fn is_gone(location: &Place, uri: &str) -> bool {
    let is_file = |uri: &str| uri.starts_with("file://");
    let place = if is_file(uri) && is_file(&location.store_uri) {
        match place::folder(uri, &LocalStores) {
            Ok(place) => place,
            // Any other error does not tell that the member is missing.
            Err(error) => return error.kind() == ErrorKind::NotFound,
        }
    } else {
        let below = uri.strip_prefix(&location.store_uri);
        let Some(below) = below.and_then(|below| below.strip_prefix('/')) else {
            return false;
        };
        let prefix = below.trim_end_matches('/');
        if tdb_store::check_prefix(prefix).is_err() {
            return false;
        }
        Place {
            uri: uri.to_owned(),
            location: location.location.at(prefix),
            ..location.clone()
        }
    };
    let Ok(found) = place.found() else {
        return false;
    };
    let is_nothing = found.object_type == ObjectType::Invalid && found.unfinished.is_none();
    is_nothing && is_empty(&place).unwrap_or(false)
}

fn is_empty(location: &Place) -> Result<bool, Failure> {
    let listing = location.store().list(location.prefix(), None);
    let listing = listing.map_err(|error| Failure::in_place(error, location))?;
    Ok(listing.objects.is_empty() && listing.prefixes.is_empty() && listing.next.is_none())
}
