//! The history of an array or a group, object by object.

use crate::commits::parse_consolidated;
use crate::directory::{DatedObjects, GROUP_FOLDER};
use crate::open::{ObjectReader, Tile};
use crate::{Array, ArrayError, At, Group, GroupDetails, MetadataRecord, TimestampedName};

/// An object that changed something at a time, or a merge of such objects, whose name contains the range of their
/// times.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedObject<T> {
    /// The key of the object, relative to the array or the group.
    pub key: String,
    /// The name of the object, which contains its time.
    pub name: TimestampedName,
    /// The decoded content of the object.
    pub content: T,
}

impl Array {
    /// Reads the metadata objects in the window one by one, by time. Includes merged objects, as long as they exist.
    ///
    /// # Errors
    /// Objects that break the format, or any error of the store.
    pub fn metadata_history(&self) -> Result<Vec<DatedObject<Vec<MetadataRecord>>>, ArrayError> {
        self.place.metadata_history(self.directory().metadata())
    }

    /// Returns the `.con` lists in the window into which existing commits were consolidated. A list that was itself
    /// the commit of several changes, such as a write with a delete, is not included: it has the id of a fragment that
    /// it commits.
    ///
    /// # Errors
    /// Lists that break the format, or any error of the store.
    pub fn merged_commits(&self) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
        let lists = self.directory().lists().filter(|key| key.ends_with(".con"));
        let named =
            lists.filter_map(|key| Some((key.to_owned(), TimestampedName::of_key(key).ok()?)));
        let window = self.window();
        let named: Vec<_> = named.filter(|(_, name)| window.overlaps(name)).collect();
        let limit = self.limits().list_bytes;
        let read = self
            .place
            .read(named.iter().map(|(key, _)| key.clone()), limit);
        let mut merged = Vec::new();
        for ((key, name), (_, answer)) in named.into_iter().zip(read) {
            let bytes = match answer {
                Ok(bytes) => bytes,
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error.into()),
            };
            let commits = parse_consolidated(&bytes).at(&key)?;
            let id = name.id().at(&key)?;
            let is_commit = commits.iter().any(|commit| {
                let other = TimestampedName::of_key(&commit.key);
                other.is_ok_and(|other| other.id() == Ok(id))
            });
            if !is_commit {
                merged.push((key, name));
            }
        }
        Ok(merged)
    }
}

impl Group {
    /// Reads the metadata objects in the window one by one: see [`Array::metadata_history`].
    ///
    /// # Errors
    /// As [`Array::metadata_history`].
    pub fn metadata_history(&self) -> Result<Vec<DatedObject<Vec<MetadataRecord>>>, ArrayError> {
        self.place.metadata_history(&self.metadata)
    }

    /// Reads the objects with the members of the group, by time. An object of version 1 contains all members, one of
    /// version 2 the changes.
    ///
    /// # Errors
    /// As [`Array::metadata_history`].
    pub fn member_history(&self) -> Result<Vec<DatedObject<GroupDetails>>, ArrayError> {
        let names = self.place.names(&[GROUP_FOLDER])?;
        let objects = DatedObjects::from_names(&names, GROUP_FOLDER);
        self.place.history(&objects, |key, tile| {
            GroupDetails::open(&tile.payload, self.limits()).at(key)
        })
    }
}

impl ObjectReader {
    fn metadata_history(
        &self,
        objects: &DatedObjects,
    ) -> Result<Vec<DatedObject<Vec<MetadataRecord>>>, ArrayError> {
        let limits = self.location.limits();
        self.history(objects, |key, tile| {
            MetadataRecord::decode_all(&tile.payload, tile.version, limits).at(key)
        })
    }

    /// Reads all objects in the window. Skips objects that have been vacuumed since the listing.
    fn history<T>(
        &self,
        objects: &DatedObjects,
        decode: impl Fn(&str, &Tile) -> Result<T, ArrayError>,
    ) -> Result<Vec<DatedObject<T>>, ArrayError> {
        let all = objects.all(self.options.window)?;
        let keys = all.iter().map(|(key, _)| key.clone());
        let read = self.read(keys, self.tile_limit());
        let mut history = Vec::with_capacity(all.len());
        for ((key, name), (_, answer)) in all.into_iter().zip(read) {
            let bytes = match answer {
                Ok(bytes) => bytes,
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error.into()),
            };
            let content = decode(&key, &self.open_tile(&key, &bytes)?)?;
            history.push(DatedObject { key, name, content });
        }
        Ok(history)
    }
}
