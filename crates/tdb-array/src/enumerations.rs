//! Reading of enumerations, which have their own objects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use tdb_filters::open_generic_tile;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_store::{Piece, Read, join};
use tdb_tile::{Bug, GenericTile};

use crate::directory::{ENUMERATION_FOLDER, SCHEMA_FOLDER};
use crate::open::ObjectReader;
use crate::{Array, ArrayError, At, Snapshot};

impl ObjectReader {
    /// Reads an enumeration of a schema.
    pub(crate) fn enumeration(
        &self,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>, ArrayError> {
        let key = enumeration_key(schema, name)?;
        let (enumeration, _) = self.open_enumeration(&key, &self.read_one(&key)?)?;
        Ok(enumeration)
    }

    /// Decodes an enumeration from the bytes of its object; also returns its number of unfiltered bytes.
    fn open_enumeration(
        &self,
        key: &str,
        bytes: &Bytes,
    ) -> Result<(Arc<Enumeration>, u64), ArrayError> {
        let tile = self.open_tile(key, bytes)?;
        let enumeration = Enumeration::decode(&tile.payload, self.location.limits()).at(key)?;
        Ok((Arc::new(enumeration), tile.payload.len() as u64))
    }
}

impl Array {
    /// Reads an enumeration of the array's schema.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the schema has no enumeration of that name, or any error of the store.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.one_enumeration(self.schema(), name)
    }

    /// Reads an enumeration of the newest schema, [`Snapshot::newest_schema`].
    ///
    /// # Errors
    /// As [`Array::enumeration`].
    pub fn newest_enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.one_enumeration(self.newest_schema(), name)
    }

    /// Reads enumerations of the array's schema together, and returns them in the order of the names.
    ///
    /// # Errors
    /// As [`Array::enumeration`].
    pub fn enumerations<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<Enumeration>>, ArrayError> {
        self.enumerations_of(self.schema(), names)
    }

    /// Reads enumerations of the newest schema, [`Snapshot::newest_schema`], together, and returns them in the order of
    /// the names.
    ///
    /// # Errors
    /// As [`Array::enumeration`].
    pub fn newest_enumerations<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<Enumeration>>, ArrayError> {
        self.enumerations_of(self.newest_schema(), names)
    }

    fn one_enumeration(
        &self,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>, ArrayError> {
        let mut found = self.enumerations_of(schema, [name])?;
        let one = found.pop();
        Ok(one.ok_or_else(|| Bug::new("an enumeration that was read is missing"))?)
    }

    fn enumerations_of<'a>(
        &self,
        schema: &ArraySchema,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<Enumeration>>, ArrayError> {
        let names = names.into_iter();
        let keys = names
            .map(|name| enumeration_key(schema, name))
            .collect::<Result<Vec<String>, _>>()?;
        let kept = &self.snapshot().enumerations;
        let missing: BTreeSet<String> = keys
            .iter()
            .filter(|key| kept.get(key).is_none())
            .cloned()
            .collect();
        let mut read = HashMap::new();
        for (key, answer) in self.place.read(missing, self.place.tile_limit()) {
            let (enumeration, bytes) = self.place.open_enumeration(&key, &answer?)?;
            kept.keep(&self.place.location.access, &key, &enumeration, bytes);
            read.insert(key, enumeration);
        }
        let found = keys.iter().map(|key| {
            let found = read.get(key).cloned().or_else(|| kept.get(key));
            Ok(found.ok_or_else(|| Bug::new("an enumeration that was read is missing"))?)
        });
        found.collect()
    }
}

impl Snapshot {
    /// Returns an enumeration of the array's schema if it was opened before and is cached.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the schema has no enumeration of that name.
    pub fn kept_enumeration(&self, name: &str) -> Result<Option<Arc<Enumeration>>, ArrayError> {
        let key = enumeration_key(self.schema(), name)?;
        Ok(self.enumerations.get(&key))
    }

    /// Returns the read for an enumeration of the array's schema.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the schema has no enumeration of that name.
    pub fn enumeration_read(&self, name: &str) -> Result<Read, ArrayError> {
        let key = join(&self.prefix, &enumeration_key(self.schema(), name)?);
        Ok(Read::whole(key).at_most(self.access.tile_limit()))
    }

    /// Decodes an enumeration of the array's schema from the result of [`Snapshot::enumeration_read`].
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the schema has no enumeration of that name; bytes that break the format.
    pub fn open_enumeration(
        &self,
        name: &str,
        piece: &Piece,
    ) -> Result<Arc<Enumeration>, ArrayError> {
        let key = enumeration_key(self.schema(), name)?;
        let limits = self.limits();
        let tile = GenericTile::parse(&piece.bytes, limits).at(&key)?;
        let payload = open_generic_tile(&tile, self.key(), limits).at(&key)?;
        let enumeration = Arc::new(Enumeration::decode(&payload, limits).at(&key)?);
        let bytes = payload.len() as u64;
        self.enumerations
            .keep(&self.access, &key, &enumeration, bytes);
        Ok(enumeration)
    }
}

/// Returns the key of an enumeration, relative to the array.
pub(crate) fn enumeration_key(schema: &ArraySchema, name: &str) -> Result<String, ArrayError> {
    let mut known = schema.enumerations.iter();
    let found = known
        .find(|known| known.name == name)
        .ok_or_else(|| ArrayError::Invalid {
            what: "enumeration",
            name: name.to_owned(),
            why: "the schema has none of that name",
        })?;
    Ok(format!(
        "{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}/{}",
        found.file
    ))
}
