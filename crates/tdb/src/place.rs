//! From a URI to a folder in a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tdb_array::{ErrorKind, Location, ObjectType};
use tdb_store::{LocalStore, Store, StoreError};
use tdb_tile::Code;

use crate::stores::Stores;
use crate::{Error, Result};

/// A folder in a store, or the object that the user named in one.
#[derive(Clone, Debug)]
pub struct Place {
    /// The URI as the user gave it.
    pub uri: String,
    /// The folder in its store, yet without a key and with the usual caps.
    pub location: Location,
    /// Where the root of the store is: what members of groups are resolved against.
    pub store_uri: String,
}

/// Stores that have no adapter yet.
const REMOTE: [&str; 8] = ["s3", "gs", "gcs", "az", "azure", "abfss", "http", "https"];

/// The folder that a URI names.
pub fn folder(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let path = local_path(uri)?;
    let store = stores.open(&path).map_err(|error| match error {
        StoreError::NotFound { .. } => missing(uri),
        StoreError::NotAFolder { .. } => {
            let error = Error::new(ErrorKind::NotFound, "is a file, not an array or a group");
            error
                .at(uri)
                .with_hint("tdb dump shows what is in a single object")
        }
        error => Error::from(error).at(uri),
    })?;
    Ok(Place {
        uri: uri.to_owned(),
        location: Location::new(store, ""),
        store_uri: file_uri(&path).map_err(|error| system(uri, error))?,
    })
}

/// The URI that a path, from the folder where the program was started, stands for; `None` for what is none.
pub fn absolute(uri: &str) -> Option<String> {
    file_uri(&local_path(uri).ok()?).ok()
}

fn file_uri(path: &Path) -> std::io::Result<String> {
    let path = std::path::absolute(path)?;
    let path = path.display().to_string();
    Ok(format!("file://{}", path.trim_end_matches('/')))
}

/// The folder that a URI names, in a store that begins above it: so that the folder can go, too.
pub fn from_above(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    let path = local_path(uri)?
        .canonicalize()
        .map_err(|error| system(uri, error))?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(place);
    };
    let (Some(parent), Some(name)) = (parent.to_str(), name.to_str()) else {
        return Ok(place);
    };
    let above = folder(parent, stores)?;
    Ok(Place {
        uri: uri.to_owned(),
        location: above.location.at(name),
        ..above
    })
}

/// Fails where a URI names a symbolic link: what it leads to lies elsewhere.
pub fn refuse_link(uri: &str) -> Result<()> {
    let path = local_path(uri)?;
    // A slash at the end would have the system follow the link.
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let path = parent.join(name);
    match path.read_link() {
        Ok(target) => {
            let what = format!("{uri}: a symbolic link, to {}", target.display());
            let hint =
                "links are not followed here: give the place itself, or treat the link as a file";
            Err(Error::invalid(what).with_hint(hint))
        }
        Err(_) => Ok(()),
    }
}

/// The place that a URI names, where there need not be anything yet. The store begins at the deepest
/// folder that there is: nothing is made before something is stored.
pub fn vacant(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let path = absolute_path(uri)?;
    let mut missing = Vec::new();
    let mut root = path.as_path();
    while !root.exists() {
        let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else {
            return Err(self::missing(uri));
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
            format!("{} is a file, and a folder is needed there", root.display())
        };
        return Err(Error::new(ErrorKind::Exists, what).at(uri));
    }
    let place = folder(&root.to_string_lossy(), stores).map_err(|error| error.at(uri))?;
    Ok(Place {
        uri: uri.to_owned(),
        location: place.location.at(&missing.join("/")),
        ..place
    })
}

/// Fails where a folder above is an array, or a group that keeps objects of its own on the way.
fn check_above(uri: &str, root: &Path, missing: &[&str]) -> Result<()> {
    let root = root.canonicalize().map_err(|error| system(uri, error))?;
    let path = root.join(missing.join("/"));
    for folder in path
        .ancestors()
        .skip(1)
        .filter(|folder| root.starts_with(folder))
    {
        let names = path.strip_prefix(folder).unwrap_or(&path);
        // What cannot be looked at is not known to be in the way.
        let Some((store, names)) = LocalStore::open(folder).ok().zip(names.to_str()) else {
            continue;
        };
        if let Ok(Some(what)) = ObjectType::in_the_way(&store, "", names) {
            let shown = folder.display();
            let what = format!(
                "{uri}: lies in what the {} {shown} is stored as",
                what.name()
            );
            let hint = "arrays and groups lie beside arrays, and in groups under names without __";
            return Err(Error::invalid(what).with_hint(hint));
        }
    }
    Ok(())
}

/// The folder that a URI names, which must be an array.
pub fn array(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    match place.object_type()? {
        ObjectType::Array => Ok(place),
        ObjectType::Group => {
            let error = Error::new(ErrorKind::NotFound, "is a group, not an array");
            Err(error
                .at(uri)
                .with_hint(format!("tdb tree {uri} shows the arrays in it")))
        }
        ObjectType::Invalid => Err(nothing(uri, "array")),
    }
}

/// The array whose labels the array with this URI holds, and where the latter stands in it, if its place is such a one.
pub fn labelled(uri: &str, stores: &dyn Stores) -> Option<(Place, String)> {
    let path = local_path(uri).ok()?.canonicalize().ok()?;
    let folder = path
        .parent()
        .filter(|folder| folder.ends_with("__labels"))?;
    let name = path.file_name()?.to_str()?;
    let place = array(folder.parent()?.to_str()?, stores).ok()?;
    Some((place, format!("__labels/{name}")))
}

/// The folder that a URI names, which must be a group.
pub fn group(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    match place.object_type()? {
        ObjectType::Group => Ok(place),
        ObjectType::Array => {
            let error = Error::new(ErrorKind::NotFound, "is an array, not a group");
            Err(error.at(uri).with_hint(format!("tdb info {uri} shows it")))
        }
        ObjectType::Invalid => Err(nothing(uri, "group")),
    }
}

/// Neither an array nor a group, where either would do.
pub fn nothing(uri: &str, wanted: &str) -> Error {
    let error = Error::new(ErrorKind::NotFound, format!("there is no {wanted} here"));
    error
        .at(uri)
        .with_hint(format!("tdb ls -R {uri} finds the arrays and groups below"))
}

/// An object, seen from the array or group that it belongs to: its store begins there.
pub struct PlacedObject {
    /// The array or group; where there is none, the folder of the object.
    pub root: Place,
    /// What the root is.
    pub root_type: ObjectType,
    /// The object's key below the root.
    pub key: String,
}

/// The object that a URI names.
pub fn object(uri: &str, stores: &dyn Stores) -> Result<PlacedObject> {
    let path = local_path(uri)?;
    // Only the folders are resolved: a link in place of an object is not followed.
    let path = match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) if !parent.as_os_str().is_empty() => parent.join(name),
        _ => absolute_path(uri)?,
    };
    if path.is_dir() {
        let error = Error::invalid(format!("{uri}: is a folder, not a stored object"));
        return Err(error.with_hint(format!("tdb info {uri} shows an array or group")));
    }
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    let below = |folder: &Path| {
        let parts = path.strip_prefix(folder).ok()?.components();
        let names: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        names.map(|names| names.join("/"))
    };
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let place = self::folder(&folder.to_string_lossy(), stores)?;
        let root_type = place.object_type()?;
        if let (ObjectType::Array | ObjectType::Group, Some(key)) = (root_type, below(folder)) {
            let root = Place {
                uri: uri.to_owned(),
                ..place
            };
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
    let place = self::folder(&parent.to_string_lossy(), stores).map_err(|_| missing(uri))?;
    let root = Place {
        uri: uri.to_owned(),
        ..place
    };
    Ok(PlacedObject {
        root,
        root_type: ObjectType::Invalid,
        key,
    })
}

impl Place {
    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        self.location.store()
    }

    /// The folder in the store.
    pub fn prefix(&self) -> &str {
        self.location.prefix()
    }

    /// What the folder is.
    pub fn object_type(&self) -> Result<ObjectType> {
        ObjectType::detect(&**self.store(), self.prefix()).map_err(|error| self.failed(error))
    }

    /// A folder below this one.
    pub fn below(&self, name: &str) -> Self {
        Self {
            uri: format!("{}/{name}", self.uri.trim_end_matches('/')),
            location: self.location.at(&self.location.full(name)),
            store_uri: self.store_uri.clone(),
        }
    }

    /// Whether a URI leads to this folder.
    pub fn is_place(&self, uri: &str) -> bool {
        let root = |uri: &str| local_path(uri).ok()?.canonicalize().ok();
        let own = root(&self.store_uri).map(|root| root.join(self.prefix()));
        own.is_some() && root(uri) == own
    }

    /// The failure, with the URI in front.
    pub fn failed(&self, error: impl Into<Error>) -> Error {
        error.into().at(&self.uri)
    }
}

/// There is nothing.
pub fn missing(uri: &str) -> Error {
    Error::new(ErrorKind::NotFound, "not found").at(uri)
}

/// What the system says of a path.
fn system(uri: &str, error: std::io::Error) -> Error {
    Error::from(StoreError::from_io(uri, error))
}

/// The path that a URI names, from the root of the file system.
fn absolute_path(uri: &str) -> Result<PathBuf> {
    std::path::absolute(local_path(uri)?).map_err(|error| system(uri, error))
}

/// The path that a URI names, if it names one.
fn local_path(uri: &str) -> Result<PathBuf> {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return Ok(PathBuf::from(uri));
    };
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "file" => Ok(PathBuf::from(rest)),
        remote if REMOTE.contains(&remote) => {
            let what = format!("tdb cannot read or write {remote}:// yet, only local folders");
            let error = Error::new(ErrorKind::Unsupported, what).at(uri);
            Err(error.with_hint("copy the array to a local folder first"))
        }
        _ => {
            let error = Error::invalid(format!("{uri}: there is no kind of store called {scheme}"));
            Err(error.with_hint("a URI is a path or file:// and a path"))
        }
    }
}
