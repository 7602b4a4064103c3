//! Resolving URIs to folders in stores.

mod address;
mod found;
mod local;
mod remote;

use tdb_array::{ErrorKind, ObjectType};

use crate::stores::Stores;
use crate::{Error, Result};
use address::{Address, file_uri};
pub use found::{Place, PlacedObject, missing, unfinished};

/// Returns the folder that a URI names.
pub fn folder(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::folder(uri, &path, stores),
        Address::Remote => remote::folder(uri, stores),
    }
}

/// Returns the absolute form of a URI, resolving a path against the current directory; `None` if that fails.
pub fn absolute(uri: &str) -> Option<String> {
    match Address::of(uri) {
        Address::Local(path) => file_uri(&path).ok(),
        Address::Remote => Some(uri.trim_end_matches('/').to_owned()),
    }
}

/// Returns the folder that a URI names, in a store whose root lies above it, so that the folder itself can be removed.
pub fn from_above(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::from_above(uri, &path, stores),
        Address::Remote => remote::folder(uri, stores),
    }
}

/// Fails if a URI names a symbolic link, whose target lies elsewhere.
pub fn refuse_link(uri: &str) -> Result<()> {
    let path = Address::local(uri);
    path.map_or(Ok(()), |path| local::refuse_link(uri, &path))
}

/// Returns the place that a URI names, where nothing need exist yet.
pub fn vacant(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::vacant(uri, &path, stores),
        Address::Remote => remote::vacant(uri, stores),
    }
}

/// Returns the folder that a URI names, which must be an array. Callers that open it anyway can skip this check and
/// use [`Place::unopened`] for the error.
pub fn array(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    place.check_array()?;
    Ok(place)
}

/// If the array at this URI holds the values of a dimension label, returns the labelled array and the path relative to
/// it.
pub fn labelled(uri: &str, stores: &dyn Stores) -> Option<(Place, String)> {
    match Address::of(uri) {
        Address::Local(path) => local::labelled(&path, stores),
        Address::Remote => remote::labelled(uri, stores),
    }
}

/// Returns the folder that a URI names, which must be a group.
pub fn group(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    match place.object_type()? {
        ObjectType::Group => Ok(place),
        ObjectType::Array => {
            let error = Error::new(ErrorKind::NotFound, "is an array, not a group");
            Err(error.at(uri).with_hint(format!("tdb info {uri} shows it")))
        }
        ObjectType::Invalid => Err(place.nothing("group")),
    }
}

/// Returns the object that a URI names.
pub fn object(uri: &str, stores: &dyn Stores) -> Result<PlacedObject> {
    match Address::of(uri) {
        Address::Local(path) => local::object(uri, &path, stores),
        Address::Remote => remote::object(uri, stores),
    }
}
