//! Folders of the local file system.

use std::path::{Path, PathBuf};

use tdb_array::{ErrorKind, Location, ObjectType};
use tdb_store::{LocalStore, StoreError};

use super::address::file_uri;
use super::found::{self, Place, PlacedObject, lies_in, missing, no_object, system};
use crate::stores::Stores;
use crate::{Error, Result};

/// Returns the folder at a path, which is also the root of its store.
pub(super) fn folder(uri: &str, path: &Path, stores: &dyn Stores) -> Result<Place> {
    let store = stores.open(path).map_err(|error| match error {
        StoreError::NotFound { .. } => missing(uri),
        StoreError::NotAFolder { .. } => {
            let error = Error::new(ErrorKind::NotFound, "is a file, not an array or a group");
            error.at(uri).with_hint("use tdb dump for a single object")
        }
        error => Error::of_store(error).at(uri),
    })?;
    Ok(Place {
        uri: uri.to_owned(),
        location: Location::new(store, ""),
        store_uri: file_uri(path).map_err(|error| system(uri, error))?,
    })
}

/// Returns the folder at a path, in a store whose root is the parent folder.
pub(super) fn from_above(uri: &str, path: &Path, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, path, stores)?;
    let path = path.canonicalize().map_err(|error| system(uri, error))?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(place);
    };
    let Some(name) = name.to_str() else {
        return Ok(place);
    };
    let above = folder(uri, parent, stores)?;
    Ok(Place {
        location: above.location.at(name),
        ..above
    })
}

/// Fails if a path is a symbolic link, whose target lies elsewhere.
pub(super) fn refuse_link(uri: &str, path: &Path) -> Result<()> {
    // A trailing slash would make the system follow the link.
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let path = parent.join(name);
    match path.read_link() {
        Ok(target) => {
            let what = format!("{uri}: a symbolic link, to {}", target.display());
            let hint =
                "links are not followed here: give the target itself, or treat the link as a file";
            Err(Error::invalid(what).with_hint(hint))
        }
        Err(_) => Ok(()),
    }
}

/// Returns a place that need not exist yet. The root of the store is the deepest existing folder; nothing is created
/// before something is stored.
pub(super) fn vacant(uri: &str, path: &Path, stores: &dyn Stores) -> Result<Place> {
    let path = absolute_path(uri, path)?;
    let mut missing = Vec::new();
    let mut root = path.as_path();
    while !root.exists() {
        let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else {
            return Err(found::missing(uri));
        };
        let Some(name) = name.to_str() else {
            return Err(Error::invalid(format!("{uri}: a name that is not UTF-8")));
        };
        missing.push(name);
        root = parent;
    }
    missing.reverse();
    check_above(uri, root, &missing)?;
    if !root.is_dir() {
        let what = if missing.is_empty() {
            "there is a file here already".to_owned()
        } else {
            format!("{} is a file; a folder is needed", root.display())
        };
        return Err(Error::new(ErrorKind::Exists, what).at(uri));
    }
    let place = folder(uri, root, stores)?;
    Ok(Place {
        location: place.location.at(&missing.join("/")),
        ..place
    })
}

/// Fails if a parent folder is an array, or a group that reserves the name on the way.
fn check_above(uri: &str, root: &Path, missing: &[&str]) -> Result<()> {
    let root = root.canonicalize().map_err(|error| system(uri, error))?;
    let path = root.join(missing.join("/"));
    for folder in path
        .ancestors()
        .skip(1)
        .filter(|folder| root.starts_with(folder))
    {
        let names = path.strip_prefix(folder).unwrap_or(&path);
        // A folder that cannot be opened is not known to be in the way.
        let Some((store, names)) = LocalStore::open(folder).ok().zip(names.to_str()) else {
            continue;
        };
        if let Ok(Some(what)) = ObjectType::in_the_way(&store, "", names) {
            return Err(lies_in(uri, what, &folder.display().to_string()));
        }
    }
    Ok(())
}

/// If the array at a path holds the values of a dimension label, returns the labelled array and the path relative to
/// it.
pub(super) fn labelled(path: &Path, stores: &dyn Stores) -> Option<(Place, String)> {
    let path = path.canonicalize().ok()?;
    let folder = path
        .parent()
        .filter(|folder| folder.ends_with("__labels"))?;
    let name = path.file_name()?.to_str()?;
    let labelled = folder.parent()?;
    let place = self::folder(labelled.to_str()?, labelled, stores).ok()?;
    place.check_array().ok()?;
    Some((place, format!("__labels/{name}")))
}

/// Returns the object at a path.
pub(super) fn object(uri: &str, path: &Path, stores: &dyn Stores) -> Result<PlacedObject> {
    // Only folders are resolved: a symbolic link in place of an object is not followed.
    let path = match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) if !parent.as_os_str().is_empty() => parent.join(name),
        _ => absolute_path(uri, path)?,
    };
    if path.is_dir() {
        return Err(no_object(uri));
    }
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    let below = |folder: &Path| {
        let parts = path.strip_prefix(folder).ok()?.components();
        let names: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        names.map(|names| names.join("/"))
    };
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let root = self::folder(uri, folder, stores)?;
        let root_type = root.object_type()?;
        if let (ObjectType::Array | ObjectType::Group, Some(key)) = (root_type, below(folder)) {
            return Ok(PlacedObject {
                root,
                root_type,
                key,
            });
        }
    }
    let Some((parent, key)) = folders
        .first()
        .and_then(|parent| Some((*parent, below(parent)?)))
    else {
        return Err(missing(uri));
    };
    let root = self::folder(uri, parent, stores).map_err(|_| missing(uri))?;
    Ok(PlacedObject {
        root,
        root_type: ObjectType::Invalid,
        key,
    })
}

/// Returns a path as an absolute path.
fn absolute_path(uri: &str, path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|error| system(uri, error))
}
