//! Storing the objects of a change of an array or a group.

use std::collections::BTreeMap;

use tdb_filters::seal_generic_tile;
use tdb_schema::{ArraySchema, Enumeration, SchemaError};
use tdb_store::list_all;
use tdb_tile::{Datatype, FormatVersion};

use crate::directory::{ENUMERATION_FOLDER, METADATA_FOLDER, SCHEMA_FOLDER};
use crate::{
    ArrayError, At, ChangeOptions, ErrorKind, Location, MetadataRecord, NameForm, TimestampedName,
};

/// Stores a schema under the given name.
pub(crate) fn put_schema(
    location: &Location,
    name: &TimestampedName,
    schema: &ArraySchema,
) -> Result<(), ArrayError> {
    let key = format!("{SCHEMA_FOLDER}/{name}");
    put_tile(location, &key, &schema.encode().map_err(refused)?)
}

/// Stores an enumeration.
pub(crate) fn put_enumeration(
    location: &Location,
    enumeration: &Enumeration,
) -> Result<(), ArrayError> {
    let file = enumeration.file();
    let key = format!("{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}/{file}");
    put_tile(location, &key, &enumeration.encode().map_err(refused)?)
}

/// Stores a payload as a generic tile; `key` is relative to the array or group.
pub(crate) fn put_tile(location: &Location, key: &str, payload: &[u8]) -> Result<(), ArrayError> {
    let tile = seal_tile(location, key, payload)?;
    location.store().put(&location.full(key), tile.into())?;
    Ok(())
}

/// Encodes a payload as a generic tile, encrypted with the key of the array if there is one.
pub(crate) fn seal_tile(
    location: &Location,
    key: &str,
    payload: &[u8],
) -> Result<Vec<u8>, ArrayError> {
    seal_generic_tile(payload, FormatVersion::WRITTEN, location.key()).at(key)
}

/// Converts the error of a schema that the caller passed in.
pub(crate) fn refused(error: SchemaError) -> ArrayError {
    ArrayError::Object {
        key: "schema".to_owned(),
        kind: ErrorKind::Invalid,
        source: Box::new(error),
    }
}

/// Stores a change of the metadata of an array or a group.
pub(crate) fn put_metadata(
    location: &Location,
    records: Vec<MetadataRecord>,
    options: &ChangeOptions,
) -> Result<(), ArrayError> {
    let mut by_key = BTreeMap::new();
    for record in records {
        if let Some(value) = &record.value
            && value.datatype == Datatype::Any
        {
            return Err(ArrayError::Invalid {
                what: "metadata",
                name: record.key,
                why: "values of datatype any cannot be stored",
            });
        }
        by_key.insert(record.key.clone(), record);
    }
    if by_key.is_empty() {
        return Ok(());
    }
    let records: Vec<MetadataRecord> = by_key.into_values().collect();
    let time = options.time();
    let others = names_in(location, METADATA_FOLDER)?;
    let name = later_name(options, time, &others)?;
    let key = format!("{METADATA_FOLDER}/{name}");
    let payload = MetadataRecord::encode_all(&records, FormatVersion::WRITTEN).at(&key)?;
    put_tile(location, &key, &payload)
}

/// Returns the timestamped names in a folder.
pub(crate) fn names_in(
    location: &Location,
    folder: &str,
) -> Result<Vec<TimestampedName>, ArrayError> {
    let listing = list_all(&**location.store(), &location.full(folder))?;
    let objects = listing.objects.iter();
    Ok(objects
        .filter_map(|object| TimestampedName::of_key(&object.key).ok())
        .collect())
}

/// Returns a name without version that sorts after all others of the same time: the object written later counts, even
/// if other processes wrote the others.
pub(crate) fn later_name<'a>(
    options: &ChangeOptions,
    time: u64,
    others: impl IntoIterator<Item = &'a TimestampedName>,
) -> Result<TimestampedName, ArrayError> {
    let id = later_id(options, time, others)?;
    TimestampedName::unversioned(time, time, id).at("name")
}

/// Mask for the random part of the step from one id to a greater one.
const STEP: u128 = (1 << 64) - 1;

/// Returns the id for a name that sorts after all others of the same time.
pub(crate) fn later_id<'a>(
    options: &ChangeOptions,
    time: u64,
    others: impl IntoIterator<Item = &'a TimestampedName>,
) -> Result<u128, ArrayError> {
    let same_time = others.into_iter().filter(|name| name.start() == time);
    let ids = same_time.filter_map(|name| match name.form() {
        NameForm::UuidFirst => None,
        _ => u128::from_str_radix(name.as_str().split('_').nth(4)?, 16).ok(),
    });
    let id = options.names.id()?;
    Ok(match ids.max() {
        // The step has random bits, so that two writers who find the same last id choose different ones.
        Some(last) if last >= id => {
            let later = (id & STEP)
                .checked_add(1)
                .and_then(|step| last.checked_add(step));
            later.ok_or_else(|| ArrayError::Invalid {
                what: "time",
                name: format!("of {time} ms"),
                why: "an object of this time has a name after which no other sorts: choose a later time",
            })?
        }
        _ => id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_sorts_after_the_last_of_all_names() {
        let name = |id| TimestampedName::unversioned(5, 5, id).expect("a name");
        let options = ChangeOptions::at(5);
        let later = later_id(&options, 5, [&name(u128::MAX >> 1)]).expect("a later id");
        assert!(later > u128::MAX >> 1);
        let error = later_id(&options, 5, [&name(u128::MAX)]).expect_err("no later id");
        assert!(error.to_string().contains("choose a later time"), "{error}");
        assert!(later_id(&options, 6, [&name(u128::MAX)]).is_ok());
    }
}
