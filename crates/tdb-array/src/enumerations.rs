//! Reading of enumerations, which have their own objects.

use std::sync::Arc;

use tdb_schema::{ArraySchema, Enumeration};

use crate::directory::{ENUMERATION_FOLDER, SCHEMA_FOLDER};
use crate::open::ObjectReader;
use crate::{ArrayError, At};

impl ObjectReader {
    /// Reads an enumeration of a schema.
    pub(crate) fn enumeration(
        &self,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>, ArrayError> {
        let key = enumeration_key(schema, name)?;
        let tile = self.open_tile(&key, &self.read_one(&key)?)?;
        let enumeration = Enumeration::decode(&tile.payload, self.location.limits()).at(&key)?;
        Ok(Arc::new(enumeration))
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
