//! From a URI to a folder in a store.

mod address;
mod found;
mod local;
mod remote;

use tdb_array::{ErrorKind, ObjectType};

use crate::stores::Stores;
use crate::{Error, Result};

use address::{Address, file_uri};
pub(crate) use found::unfinished;
pub use found::{Place, PlacedObject, missing};

/// The folder that a URI names.
pub fn folder(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::folder(uri, &path, stores),
        Address::Remote => remote::folder(uri, stores),
    }
}

/// The URI that a text stands for, whose path may be told from the folder where the program was started; `None` for what is
/// none.
pub fn absolute(uri: &str) -> Option<String> {
    match Address::of(uri) {
        Address::Local(path) => file_uri(&path).ok(),
        Address::Remote => Some(uri.trim_end_matches('/').to_owned()),
    }
}

/// The folder that a URI names, in a store that begins above it: so that the folder can go, too.
pub fn from_above(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::from_above(uri, &path, stores),
        Address::Remote => remote::folder(uri, stores),
    }
}

/// Fails where a URI names a symbolic link: what it leads to lies elsewhere.
pub fn refuse_link(uri: &str) -> Result<()> {
    let path = Address::local(uri);
    path.map_or(Ok(()), |path| local::refuse_link(uri, &path))
}

/// The place that a URI names, where there need not be anything yet.
pub fn vacant(uri: &str, stores: &dyn Stores) -> Result<Place> {
    match Address::of(uri) {
        Address::Local(path) => local::vacant(uri, &path, stores),
        Address::Remote => remote::vacant(uri, stores),
    }
}

/// The folder that a URI names, which must be an array. Who opens it at once need not ask: [`Place::unopened`] tells why it
/// cannot be.
pub fn array(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    place.check_array()?;
    Ok(place)
}

/// The array whose labels the array with this URI holds, and where the latter stands in it, if its place is such a one.
pub fn labelled(uri: &str, stores: &dyn Stores) -> Option<(Place, String)> {
    match Address::of(uri) {
        Address::Local(path) => local::labelled(&path, stores),
        Address::Remote => remote::labelled(uri, stores),
    }
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
        ObjectType::Invalid => Err(place.nothing("group")),
    }
}

/// The object that a URI names.
pub fn object(uri: &str, stores: &dyn Stores) -> Result<PlacedObject> {
    match Address::of(uri) {
        Address::Local(path) => local::object(uri, &path, stores),
        Address::Remote => remote::object(uri, stores),
    }
}
