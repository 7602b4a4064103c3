//! Reading of enumerations, which have their own objects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use tdb_filters::open_generic_tile;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_store::{Piece, Read, join};
use tdb_tile::GenericTile;

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

    /// The enumeration that an object holds, and its bytes without filters.
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
    /// [`ArrayError::Invalid`] if there is none of that name; as the store reports.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.one_enumeration(self.schema(), name)
    }

    /// Reads an enumeration of [`Snapshot::newest_schema`].
    ///
    /// # Errors
    /// As [`Array::enumeration`].
    pub fn newest_enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.one_enumeration(self.newest_schema(), name)
    }

    /// Reads enumerations of the array's schema, together; they are in the order of the names.
    ///
    /// # Errors
    /// As [`Array::enumeration`].
    pub fn enumerations<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<Enumeration>>, ArrayError> {
        self.enumerations_of(self.schema(), names)
    }

    fn one_enumeration(
        &self,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>, ArrayError> {
        let mut found = self.enumerations_of(schema, [name])?;
        found.pop().ok_or_else(|| ArrayError::Invalid {
            what: "enumeration",
            name: name.to_owned(),
            why: "it was read and is not there",
        })
    }

    fn enumerations_of<'a>(
        &self,
        schema: &ArraySchema,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<Arc<Enumeration>>, ArrayError> {
        let names = names.into_iter();
        let keys = names.map(|name| enumeration_key(schema, name));
        let keys = keys.collect::<Result<Vec<String>, _>>()?;
        let kept = &self.snapshot().enumerations;
        let missing = keys.iter().filter(|key| kept.get(key).is_none()).cloned();
        let missing: BTreeSet<String> = missing.collect();
        let mut read = HashMap::new();
        for (key, answer) in self.place.read(missing, self.place.tile_limit()) {
            let (enumeration, bytes) = self.place.open_enumeration(&key, &answer?)?;
            kept.keep(&self.place.location.access, &key, &enumeration, bytes);
            read.insert(key, enumeration);
        }
        let found = keys.iter().map(|key| {
            let found = read.get(key).cloned().or_else(|| kept.get(key));
            found.ok_or_else(|| ArrayError::Missing {
                key: key.clone(),
                by: "an enumeration that was read",
            })
        });
        found.collect()
    }
}

impl Snapshot {
    /// An enumeration of the array's schema that was opened before, and is still kept.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if there is none of that name.
    pub fn kept_enumeration(&self, name: &str) -> Result<Option<Arc<Enumeration>>, ArrayError> {
        let key = enumeration_key(self.schema(), name)?;
        Ok(self.enumerations.get(&key))
    }

    /// What is to be read of an enumeration of the array's schema.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if there is none of that name.
    pub fn enumeration_read(&self, name: &str) -> Result<Read, ArrayError> {
        let key = join(&self.prefix, &enumeration_key(self.schema(), name)?);
        Ok(Read::whole(key).at_most(self.access.tile_limit()))
    }

    /// An enumeration of the array's schema, out of what [`Snapshot::enumeration_read`] gave.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if there is none of that name; bytes that break the format.
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
    let found = known.find(|known| known.name == name);
    let found = found.ok_or_else(|| ArrayError::Invalid {
        what: "enumeration",
        name: name.to_owned(),
        why: "the schema has none of that name",
    })?;
    Ok(format!(
        "{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}/{}",
        found.file
    ))
}
