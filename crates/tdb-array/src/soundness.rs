//! Finds objects, other than the data of fragments, that cannot be read.

use std::collections::BTreeSet;

use crate::directory::{DatedObjects, GROUP_FOLDER, METADATA_FOLDER};
use crate::enumerations::enumeration_key;
use crate::open::{ObjectReader, Tile};
use crate::{
    Array, ArrayError, At, ErrorKind, Fragment, Group, GroupDetails, Location, MetadataRecord,
    OpenOptions,
};

/// An object that a read would refuse.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unsound {
    /// The key of the object, or of its folder, relative to the array or group.
    pub key: String,
    /// The reason.
    pub error: ArrayError,
}

impl Array {
    /// Checks the objects of the array that are not part of fragments, in the window for which it was opened, and
    /// returns those that a read would refuse: commits with malformed names, metadata (including merged objects), and
    /// the enumerations of all schemas. Schemas, lists of commits and deletes have been read on opening.
    ///
    /// # Errors
    /// A limit that is exceeded, or any error of the store.
    pub fn unsound_objects(&self) -> Result<Vec<Unsound>, ArrayError> {
        let damaged = self.directory().damaged_commits().iter();
        let commits = damaged.map(|(key, problem)| Unsound {
            key: key.clone(),
            error: ArrayError::DamagedCommit {
                key: key.clone(),
                problem: *problem,
            },
        });
        let mut found: Vec<Unsound> = commits.collect();
        found.extend(self.place.unsound_enumerations(self)?);
        let metadata = self.directory().metadata();
        found.extend(self.place.unsound_metadata(metadata)?);
        Ok(found)
    }

    /// Opens the fragments that a consolidation has replaced, except the named ones, which cannot be opened.
    ///
    /// # Errors
    /// As [`Array::open_replaced`].
    pub fn open_replaced_without(&self, names: &[String]) -> Result<Vec<Fragment>, ArrayError> {
        let mut replaced = self.replaced.clone();
        replaced.retain(|name| !names.iter().any(|left_out| left_out == name))?;
        self.open_entries(&replaced)
    }
}

impl Group {
    /// Checks the objects of a group, its members and its metadata, and returns those that a read would refuse.
    ///
    /// # Errors
    /// As [`Array::unsound_objects`]; [`ArrayError::NoSuch`] if there is no group; the wrong encryption key.
    pub fn unsound_objects(
        location: &Location,
        store_uri: &str,
        options: OpenOptions,
    ) -> Result<Vec<Unsound>, ArrayError> {
        let place = ObjectReader::new(location, options.clone());
        let names = place.names(&[GROUP_FOLDER, METADATA_FOLDER])?;
        let details = DatedObjects::from_names(&names, GROUP_FOLDER);
        let limits = location.limits();
        let mut found = place.unsound_tiles(GROUP_FOLDER, &details, |key, tile| {
            GroupDetails::open(&tile.payload, limits)
                .at(key)
                .map(|_| ())
        })?;
        if found.is_empty()
            && let Err(error) = Self::open_location(location, store_uri, options)
        {
            let key = GROUP_FOLDER.to_owned();
            found.extend(Unsound::of(key, error)?);
        }
        let metadata = DatedObjects::from_names(&names, METADATA_FOLDER);
        found.extend(place.unsound_metadata(&metadata)?);
        // No object of the group has been decrypted so far, so the key may be the wrong one.
        let is_of_key = |unsound: &Unsound| unsound.error.kind() == ErrorKind::Crypto;
        match found.iter().position(is_of_key) {
            Some(at) => Err(found.swap_remove(at).error),
            None => Ok(found),
        }
    }
}

impl Unsound {
    /// Converts an error about stored data into a finding; returns errors of the store and of limits as they are.
    fn of(key: String, error: ArrayError) -> Result<Option<Self>, ArrayError> {
        if error.is_of_what_is_stored() {
            return Ok(Some(Self { key, error }));
        }
        Err(error)
    }
}

impl ObjectReader {
    fn unsound_enumerations(&self, array: &Array) -> Result<Vec<Unsound>, ArrayError> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for (_, schema) in array.schemas() {
            for known in &schema.enumerations {
                let key = enumeration_key(schema, &known.name)?;
                if !seen.insert(key.clone()) {
                    continue;
                }
                if let Err(error) = self.enumeration(schema, &known.name) {
                    found.extend(Unsound::of(key, error)?);
                }
            }
        }
        Ok(found)
    }

    fn unsound_metadata(&self, objects: &DatedObjects) -> Result<Vec<Unsound>, ArrayError> {
        let limits = self.location.limits();
        let mut found = self.unsound_tiles(METADATA_FOLDER, objects, |key, tile| {
            let records = MetadataRecord::decode_all(&tile.payload, tile.version, limits);
            records.at(key).map(|_| ())
        })?;
        // This also checks the lists that decide which of the objects are live.
        if found.is_empty()
            && let Err(error) = self.metadata(objects)
        {
            found.extend(Unsound::of(METADATA_FOLDER.to_owned(), error)?);
        }
        Ok(found)
    }

    /// Opens and decodes all objects of a folder in the window, including those that others replace.
    fn unsound_tiles(
        &self,
        folder: &str,
        objects: &DatedObjects,
        decode: impl Fn(&str, &Tile) -> Result<(), ArrayError>,
    ) -> Result<Vec<Unsound>, ArrayError> {
        let all = match objects.all(self.options.window) {
            Ok(all) => all,
            Err(error) => return Ok(Vec::from_iter(Unsound::of(folder.to_owned(), error)?)),
        };
        let mut found = Vec::new();
        let keys = all.into_iter().map(|(key, _)| key);
        for (key, answer) in self.read(keys, self.tile_limit()) {
            let bytes = match answer {
                Ok(bytes) => bytes,
                // Vacuumed since the listing.
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error.into()),
            };
            let opened = self.open_tile(&key, &bytes);
            if let Err(error) = opened.and_then(|tile| decode(&key, &tile)) {
                found.extend(Unsound::of(key, error)?);
            }
        }
        Ok(found)
    }
}
