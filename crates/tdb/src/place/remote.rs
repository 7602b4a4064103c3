//! Folders of object stores. A store is that of the whole bucket, so that what lies above and beside a folder is in it too.

use tdb_array::{ErrorKind, Location, ObjectType};
use tdb_store::{Store, StoreError, exists, join, name, parent};

use super::found::{Place, PlacedObject, lies_in, missing, no_object};
use crate::stores::Stores;
use crate::{Error, Result};

/// The folder that a URI names; whether there is one is not asked.
pub(super) fn folder(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let remote = stores.open_remote(uri)?;
    Ok(Place {
        uri: uri.to_owned(),
        location: Location::new(remote.store, &remote.folder),
        store_uri: remote.root_uri,
    })
}

/// A folder where there need not be anything yet: neither an object of its name, nor an array or a group in the way.
pub(super) fn vacant(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    let store = &**place.store();
    let mut above = place.prefix();
    if !above.is_empty() && is_taken(store, above).map_err(|error| place.failed(error))? {
        let what = "there is an object of this name already";
        return Err(Error::new(ErrorKind::Exists, what).at(uri));
    }
    while !above.is_empty() {
        above = parent(above);
        let names = below(place.prefix(), above);
        // What cannot be looked at is not known to be in the way.
        if let Ok(Some(what)) = ObjectType::in_the_way(store, above, names) {
            return Err(lies_in(uri, what, &join(&place.store_uri, above)));
        }
    }
    Ok(place)
}

/// Whether an object has the name of a folder, other than an empty one, by which some programs mark the folder.
fn is_taken(store: &dyn Store, folder: &str) -> Result<bool, StoreError> {
    match store.size(folder) {
        Err(StoreError::NotFound { .. }) | Ok(0) => Ok(false),
        Err(error) => Err(error),
        // What answers to every name is no store, which a listing tells.
        Ok(_) => store.list(folder, None).map(|_| true),
    }
}

/// The array whose labels the array with this URI holds, and where the latter stands in it.
pub(super) fn labelled(uri: &str, stores: &dyn Stores) -> Option<(Place, String)> {
    let place = folder(uri, stores).ok()?;
    let folder = parent(place.prefix());
    if name(folder) != "__labels" {
        return None;
    }
    let labelled = Place {
        location: place.location.at(parent(folder)),
        ..place.clone()
    };
    let is_array = labelled.object_type().ok()? == ObjectType::Array;
    is_array.then(|| (labelled, format!("__labels/{}", name(place.prefix()))))
}

/// The object that a URI names.
pub(super) fn object(uri: &str, stores: &dyn Stores) -> Result<PlacedObject> {
    let place = folder(uri, stores)?;
    let key = place.prefix();
    if key.is_empty() {
        return Err(no_object(uri));
    }
    let mut above = key;
    while !above.is_empty() {
        above = parent(above);
        let root = Place {
            location: place.location.at(above),
            ..place.clone()
        };
        let root_type = root.object_type()?;
        if matches!(root_type, ObjectType::Array | ObjectType::Group) {
            let key = below(key, above).to_owned();
            return Ok(PlacedObject {
                root,
                root_type,
                key,
            });
        }
    }
    let found = exists(&**place.store(), key).map_err(|error| place.failed(error))?;
    if !found {
        return Err(missing(uri));
    }
    Ok(PlacedObject {
        root: Place {
            location: place.location.at(parent(key)),
            ..place.clone()
        },
        root_type: ObjectType::Invalid,
        key: name(key).to_owned(),
    })
}

/// What of a key comes after the folder above that it lies in.
fn below<'a>(key: &'a str, folder: &str) -> &'a str {
    let rest = key.strip_prefix(folder).unwrap_or(key);
    rest.trim_start_matches('/')
}
