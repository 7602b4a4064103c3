//! Folders in object stores. The store is that of the whole bucket, so that it includes what lies above and beside a
//! folder.

use tdb_array::{ArrayError, ErrorKind, Location, ObjectType};
use tdb_store::{Store, StoreError, exists, join, name, parent};

use super::found::{Place, PlacedObject, lies_in, missing, no_object};
use crate::stores::Stores;
use crate::{Error, Result};

/// Returns the folder that a URI names, without checking that it exists.
pub(super) fn folder(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let remote = stores.open_remote(uri)?;
    Ok(Place {
        uri: uri.to_owned(),
        location: Location::new(remote.store, &remote.folder),
        store_uri: remote.root_uri,
    })
}

/// Returns a folder that need not exist yet. Fails if an object has its name, or if an array or a group is in the way.
pub(super) fn vacant(uri: &str, stores: &dyn Stores) -> Result<Place> {
    let place = folder(uri, stores)?;
    let store = &**place.store();
    let mut above = place.prefix();
    if !above.is_empty()
        && is_taken(store, above).map_err(|error| place.failed(ArrayError::from(error)))?
    {
        let what = "there is an object of this name already";
        return Err(Error::new(ErrorKind::Exists, what).at(uri));
    }
    while !above.is_empty() {
        above = parent(above);
        let names = below(place.prefix(), above);
        // A folder that cannot be listed is not known to be in the way.
        if let Ok(Some(what)) = ObjectType::in_the_way(store, above, names) {
            return Err(lies_in(uri, what, &join(&place.store_uri, above)));
        }
    }
    Ok(place)
}

/// True if an object has the name of a folder. Empty objects do not count, since some programs mark folders with them.
fn is_taken(store: &dyn Store, folder: &str) -> Result<bool, StoreError> {
    match store.size(folder) {
        Err(StoreError::NotFound { .. }) | Ok(0) => Ok(false),
        Err(error) => Err(error),
        // A server that answers any name is not a store; listing it fails.
        Ok(_) => store.list(folder, None).map(|_| true),
    }
}

/// If the array at this URI holds the values of a dimension label, returns the labelled array and the path relative to
/// it.
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

/// Returns the object that a URI names.
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
    let found =
        exists(&**place.store(), key).map_err(|error| place.failed(ArrayError::from(error)))?;
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

/// Returns the part of a key after a folder that contains it.
fn below<'a>(key: &'a str, folder: &str) -> &'a str {
    let rest = key.strip_prefix(folder).unwrap_or(key);
    rest.trim_start_matches('/')
}
