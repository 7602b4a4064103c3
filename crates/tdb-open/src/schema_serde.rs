//! Serializing schemas with serde, in the form that `tdb schema --json` prints.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tdb_array::{NameSource, SystemNames};
use tdb_schema::json::{Times, schema_from_json, schema_to_json};

use crate::Schema;

/// Serializes to the form that `tdb schema --json` prints, with the labels of the enumerations.
///
/// ```
/// use tdb_open::{Attribute, Datatype, Dimension, Schema};
///
/// let schema = Schema::dense()
///     .dimension(Dimension::new("day", Datatype::DateTimeDay).domain("2000-01-01"..="2099-12-31").tile(30))
///     .attribute(Attribute::new("temp", Datatype::Float32))
///     .build()?;
/// let text = serde_json::to_string(&schema)?;
/// assert_eq!(serde_json::from_str::<Schema>(&text)?, schema);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        schema_to_json(self, self.enumerations(), Times::Iso).serialize(serializer)
    }
}

/// Deserializes the form that `tdb schema --json` prints. Members with a default may be omitted; enumerations get new
/// file names.
impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        let mut nameless = None;
        let read = schema_from_json(&json, || {
            SystemNames.enumeration().unwrap_or_else(|error| {
                nameless = Some(error);
                String::new()
            })
        });
        if let Some(error) = nameless {
            return Err(D::Error::custom(error));
        }
        let (schema, enumerations) = read.map_err(D::Error::custom)?;
        Self::new(schema, enumerations).map_err(D::Error::custom)
    }
}
