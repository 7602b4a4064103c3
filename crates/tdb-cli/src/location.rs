//! From a URI to a folder in a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tdb_array::{ErrorKind, ObjectType};
use tdb_store::{LocalStore, Store, StoreError};
use tdb_tile::Code;

use crate::args::Global;
use crate::failure::Failure;

/// A folder in a store, or the object that the user named in one.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The URI as the user gave it.
    pub(crate) uri: String,
    /// The folder, yet without a key: [`Access`](crate::access::Access) adds that.
    pub(crate) place: tdb_array::Location,
    /// Where the root of the store is: what members of groups are resolved against.
    pub(crate) store_uri: String,
}

/// Stores that have no adapter yet.
const REMOTE: [&str; 8] = ["s3", "gs", "gcs", "az", "azure", "abfss", "http", "https"];

/// The folder that a URI names.
pub(crate) fn folder(uri: &str, global: &Global) -> Result<Location, Failure> {
    let path = local_path(uri)?;
    let store = LocalStore::open(&path).map_err(|error| match error {
        StoreError::NotFound { .. } => missing(uri),
        StoreError::NotAFolder { .. } => {
            let failure = Failure::new(ErrorKind::NotFound, "is a file, not an array or a group");
            failure
                .at(uri)
                .hint("tdb dump shows what is in a single object")
        }
        error => Failure::from(error).at(uri),
    })?;
    Ok(Location {
        uri: uri.to_owned(),
        place: tdb_array::Location::new(global.counts.counted(Arc::new(store)), ""),
        store_uri: file_uri(&path)?,
    })
}

/// The URI that a path, from the folder where the program was started, stands for; `None` for what is none.
pub(crate) fn absolute(uri: &str) -> Option<String> {
    file_uri(&local_path(uri).ok()?).ok()
}

fn file_uri(path: &Path) -> std::io::Result<String> {
    let path = std::path::absolute(path)?;
    let path = path.display().to_string();
    Ok(format!("file://{}", path.trim_end_matches('/')))
}

/// The folder that a URI names, in a store that begins above it: so that the folder can go, too.
pub(crate) fn from_above(uri: &str, global: &Global) -> Result<Location, Failure> {
    let location = folder(uri, global)?;
    let path = local_path(uri)?.canonicalize()?;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(location);
    };
    let (Some(parent), Some(name)) = (parent.to_str(), name.to_str()) else {
        return Ok(location);
    };
    let above = folder(parent, global)?;
    Ok(Location {
        uri: uri.to_owned(),
        place: above.place.at(name),
        ..above
    })
}

/// Fails where a URI names a symbolic link: what it leads to lies elsewhere.
pub(crate) fn refuse_link(uri: &str) -> Result<(), Failure> {
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
            Err(Failure::invalid(what).hint(hint))
        }
        Err(_) => Ok(()),
    }
}

/// The place that a URI names, where there need not be anything yet. The store begins at the deepest
/// folder that there is: nothing is made before something is stored.
pub(crate) fn vacant(uri: &str, global: &Global) -> Result<Location, Failure> {
    let path = std::path::absolute(local_path(uri)?)?;
    let mut missing = Vec::new();
    let mut root = path.as_path();
    while !root.exists() {
        let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else {
            return Err(self::missing(uri));
        };
        let Some(name) = name.to_str() else {
            return Err(Failure::invalid(format!("{uri}: a name that is not UTF-8")));
        };
        missing.push(name);
        root = parent;
    }
    missing.reverse();
    check_above(uri, root, &missing)?;
    if !root.is_dir() {
        let what = match missing.is_empty() {
            true => "there is a file here already".to_owned(),
            false => format!("{} is a file, and a folder is needed there", root.display()),
        };
        return Err(Failure::new(ErrorKind::Exists, what).at(uri));
    }
    let location = folder(&root.to_string_lossy(), global).map_err(|failure| failure.at(uri))?;
    Ok(Location {
        uri: uri.to_owned(),
        place: location.place.at(&missing.join("/")),
        ..location
    })
}

/// Fails where a folder above is an array, or a group that keeps objects of its own on the way.
fn check_above(uri: &str, root: &Path, missing: &[&str]) -> Result<(), Failure> {
    let root = root.canonicalize()?;
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
            return Err(Failure::invalid(what).hint(hint));
        }
    }
    Ok(())
}

/// The folder that a URI names, which must be an array.
pub(crate) fn array(uri: &str, global: &Global) -> Result<Location, Failure> {
    let location = folder(uri, global)?;
    match location.object_type()? {
        ObjectType::Array => Ok(location),
        ObjectType::Group => {
            let failure = Failure::new(ErrorKind::NotFound, "is a group, not an array");
            Err(failure
                .at(uri)
                .hint(format!("tdb tree {uri} shows the arrays in it")))
        }
        ObjectType::Invalid => Err(nothing(uri, "array")),
    }
}

/// The array whose labels the array with this URI holds, and where the latter stands in it, if its place is such a one.
pub(crate) fn labelled(uri: &str, global: &Global) -> Option<(Location, String)> {
    let path = local_path(uri).ok()?.canonicalize().ok()?;
    let folder = path
        .parent()
        .filter(|folder| folder.ends_with("__labels"))?;
    let name = path.file_name()?.to_str()?;
    let location = array(folder.parent()?.to_str()?, global).ok()?;
    Some((location, format!("__labels/{name}")))
}

/// The folder that a URI names, which must be a group.
pub(crate) fn group(uri: &str, global: &Global) -> Result<Location, Failure> {
    let location = folder(uri, global)?;
    match location.object_type()? {
        ObjectType::Group => Ok(location),
        ObjectType::Array => {
            let failure = Failure::new(ErrorKind::NotFound, "is an array, not a group");
            Err(failure.at(uri).hint(format!("tdb info {uri} shows it")))
        }
        ObjectType::Invalid => Err(nothing(uri, "group")),
    }
}

/// Neither an array nor a group, where either would do.
pub(crate) fn nothing(uri: &str, wanted: &str) -> Failure {
    let failure = Failure::new(ErrorKind::NotFound, format!("there is no {wanted} here"));
    failure
        .at(uri)
        .hint(format!("tdb ls -R {uri} finds the arrays and groups below"))
}

/// An object, seen from the array or group that it belongs to: its store begins there.
pub(crate) struct ObjectLocation {
    /// The array or group; where there is none, the folder of the object.
    pub(crate) root: Location,
    pub(crate) root_type: ObjectType,
    /// The object's key below the root.
    pub(crate) key: String,
}

/// The object that a URI names.
pub(crate) fn object(uri: &str, global: &Global) -> Result<ObjectLocation, Failure> {
    let path = local_path(uri)?;
    // Only the folders are resolved: a link in place of an object is not followed.
    let path = match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) if !parent.as_os_str().is_empty() => parent.join(name),
        _ => std::path::absolute(path)?,
    };
    if path.is_dir() {
        let failure = Failure::invalid(format!("{uri}: is a folder, not a stored object"));
        return Err(failure.hint(format!("tdb info {uri} shows an array or group")));
    }
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    let below = |folder: &Path| {
        let parts = path.strip_prefix(folder).ok()?.components();
        let names: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        names.map(|names| names.join("/"))
    };
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let location = self::folder(&folder.to_string_lossy(), global)?;
        let root_type = location.object_type()?;
        if let (ObjectType::Array | ObjectType::Group, Some(key)) = (root_type, below(folder)) {
            let root = Location {
                uri: uri.to_owned(),
                ..location
            };
            return Ok(ObjectLocation {
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
    let location = self::folder(&parent.to_string_lossy(), global).map_err(|_| missing(uri))?;
    let root = Location {
        uri: uri.to_owned(),
        ..location
    };
    Ok(ObjectLocation {
        root,
        root_type: ObjectType::Invalid,
        key,
    })
}

impl Location {
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        self.place.store()
    }

    /// The folder in the store.
    pub(crate) fn prefix(&self) -> &str {
        self.place.prefix()
    }

    /// What the folder is.
    pub(crate) fn object_type(&self) -> Result<ObjectType, Failure> {
        ObjectType::detect(&**self.store(), self.prefix()).map_err(|error| self.failed(error))
    }

    /// A folder below this one.
    pub(crate) fn below(&self, name: &str) -> Self {
        Self {
            uri: format!("{}/{name}", self.uri.trim_end_matches('/')),
            place: self.place.at(&self.place.full(name)),
            store_uri: self.store_uri.clone(),
        }
    }

    /// Whether a URI leads to this folder.
    pub(crate) fn is_place(&self, uri: &str) -> bool {
        let root = |uri: &str| local_path(uri).ok()?.canonicalize().ok();
        let own = root(&self.store_uri).map(|root| root.join(self.prefix()));
        own.is_some() && root(uri) == own
    }

    /// The failure, with the URI in front.
    pub(crate) fn failed(&self, error: impl Into<Failure>) -> Failure {
        error.into().at(&self.uri)
    }
}

/// There is nothing.
pub(crate) fn missing(uri: &str) -> Failure {
    Failure::new(ErrorKind::NotFound, "not found").at(uri)
}

/// The path that a URI names, if it names one.
fn local_path(uri: &str) -> Result<PathBuf, Failure> {
    let Some((scheme, rest)) = uri.split_once("://") else {
        return Ok(PathBuf::from(uri));
    };
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "file" => Ok(PathBuf::from(rest)),
        remote if REMOTE.contains(&remote) => {
            let what = format!("tdb cannot read or write {remote}:// yet, only local folders");
            let failure = Failure::new(ErrorKind::Unsupported, what).at(uri);
            Err(failure.hint("copy the array to a local folder first"))
        }
        _ => {
            let failure =
                Failure::invalid(format!("{uri}: there is no kind of store called {scheme}"));
            Err(failure.hint("a URI is a path or file:// and a path"))
        }
    }
}
