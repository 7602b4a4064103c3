//! The contents of a folder or group, one level at a time.

use std::collections::BTreeMap;

use tdb::LocalStores;
use tdb::engine::array::{ErrorKind, ObjectType, UriTarget, Work};
use tdb::engine::store::{list_all, name};
use tdb::engine::tile::Code;

use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use tdb::place::{self, Place};

/// A folder, array or group inside a folder or group.
#[derive(Debug)]
pub(crate) struct Child {
    /// Name in the parent.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) site: Site,
}

/// Kind of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(ObjectType),
    Folder,
    /// An array that is being created, or whose creation was not finished.
    Unfinished(Work),
    /// A group member that does not exist.
    Missing,
}

/// Location of a child.
#[derive(Debug)]
pub(crate) enum Site {
    Inside(Place),
    /// Outside the requested folder, with its URI.
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

    /// True if the child can have children.
    pub(crate) fn has_children(self) -> bool {
        matches!(self, Self::Folder | Self::Object(ObjectType::Group))
    }
}

impl Child {
    /// URI of the child.
    pub(crate) fn uri(&self) -> &str {
        match &self.site {
            Site::Inside(location) => &location.uri,
            Site::Outside(uri) => uri,
        }
    }

    /// Location of the child; `None` if it lies outside and `follow_external` is false.
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

/// Lists the members and folders of a group, or the folders of a folder, sorted by name.
pub(crate) fn children(location: &Place, opener: &Opener) -> Result<Vec<Child>, Failure> {
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
        // Names with this prefix belong to the group itself.
        let name = name(&prefix);
        if !(object_type == ObjectType::Group && name.starts_with("__")) {
            folders.insert(prefix.clone(), child(name, location.below(name), true)?);
        }
    }
    let mut children = match object_type {
        ObjectType::Group => members(location, opener, &mut folders)?,
        _ => Vec::new(),
    };
    children.extend(folders.into_values());
    children.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(children)
}

/// Lists the members of a group. Members that are also in `folders` are removed from there.
fn members(
    location: &Place,
    opener: &Opener,
    folders: &mut BTreeMap<String, Child>,
) -> Result<Vec<Child>, Failure> {
    let opened = opener.among_others(|opener| Ok(opener.group(location)?))?;
    let group = opened.engine();
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

/// Determines what is at a location. `is_listed` means that a listing contains the folder, so that it exists even if
/// it is empty.
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

/// True if a member outside the folder does not exist. Only the group's own store is asked: other stores are never
/// contacted without the user's request.
fn is_gone(location: &Place, uri: &str) -> bool {
    let is_file = |uri: &str| uri.starts_with("file://");
    let place = if is_file(uri) && is_file(&location.store_uri) {
        match place::folder(uri, &LocalStores) {
            Ok(place) => place,
            // Any other error does not mean that the member is missing.
            Err(error) => return error.kind() == ErrorKind::NotFound,
        }
    } else {
        let below = uri.strip_prefix(&location.store_uri);
        let Some(below) = below.and_then(|below| below.strip_prefix('/')) else {
            return false;
        };
        let prefix = below.trim_end_matches('/');
        if tdb::engine::store::check_prefix(prefix).is_err() {
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
    let listing = location
        .store()
        .list(location.prefix(), None)
        .map_err(|error| Failure::in_place(error, location))?;
    Ok(listing.objects.is_empty() && listing.prefixes.is_empty() && listing.next.is_none())
}
