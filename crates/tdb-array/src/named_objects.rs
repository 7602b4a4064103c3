//! Reads the objects that the listing of an array names, all at once, on opening.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_store::Read;

use crate::early::{Early, Likely};
use crate::fragment::Schemas;
use crate::open::{Object, ObjectReader, as_objects};
use crate::{ArrayError, At, Directory, Names, Warning};

/// Named objects; an object that cannot be read has its own error.
pub(crate) struct NamedObjects {
    pub(crate) schemas: Vec<Object>,
    /// Lists of commits.
    pub(crate) lists: Vec<Object>,
    /// Consolidated footers of fragments.
    pub(crate) footers: Vec<Object>,
    /// Bytes of objects that are probably live.
    pub(crate) early: Early,
    /// Names of the commits, listed again at the same time.
    pub(crate) again: Result<Names, ArrayError>,
}

impl NamedObjects {
    /// Reads all objects together.
    pub(crate) fn read(place: &ObjectReader, directory: &Directory) -> Self {
        let (tile, list) = (place.tile_limit(), place.location.limits().list_bytes);
        let schemas = directory
            .schemas()
            .iter()
            .map(|entry| (entry.key.clone(), tile));
        let lists = directory.lists().map(|key| (key.to_owned(), list));
        let footers = directory
            .fragment_metadata()
            .iter()
            .map(|key| (key.clone(), tile));
        let (schema_count, list_count) = (directory.schemas().len(), directory.lists().count());
        let named: Vec<(String, u64)> = schemas.chain(lists).chain(footers).collect();
        let likely = Likely::of(place, directory);
        let reads: Vec<Read> = named
            .iter()
            .map(|(key, limit)| place.whole(key, *limit))
            .chain(likely.reads(place))
            .collect();
        let (mut pieces, again) = place.read_held_and_list(&reads, &Directory::COMMIT_PREFIXES);
        let early = pieces.split_off(named.len().min(pieces.len()));
        let keys = named.into_iter().map(|(key, _)| key).collect();
        let mut objects = as_objects(keys, pieces).into_iter();
        Self {
            schemas: objects.by_ref().take(schema_count).collect(),
            lists: objects.by_ref().take(list_count).collect(),
            footers: objects.collect(),
            early: likely.answered(early),
            again,
        }
    }
}

/// Opens all schemas. If unfinished objects are tolerated, removes those that were never completely written from the
/// directory.
pub(crate) fn open_schemas(
    place: &ObjectReader,
    objects: Vec<Object>,
    directory: &mut Directory,
    warnings: &mut Vec<Warning>,
) -> Result<Schemas, ArrayError> {
    let mut schemas = HashMap::new();
    for (key, answer) in objects {
        if let Some(schema) = open_schema(place, &key, &answer?, warnings)? {
            schemas.insert(tdb_store::name(&key).to_owned(), schema);
        }
    }
    directory.keep_schemas(|entry| schemas.contains_key(entry.schema_name()));
    Ok(schemas)
}

/// Opens a schema; `None` if it was never completely written and unfinished objects are tolerated.
pub(crate) fn open_schema(
    place: &ObjectReader,
    key: &str,
    bytes: &Bytes,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Arc<ArraySchema>>, ArrayError> {
    let Some(tile) = place.open_whole(key, bytes, warnings)? else {
        return Ok(None);
    };
    let limits = place.location.limits();
    let decoded = ArraySchema::decode_with_warnings(&tile.payload, limits);
    let (schema, odd) = decoded.at(key)?;
    warnings.extend(odd.into_iter().map(|warning| Warning::Schema {
        key: key.to_owned(),
        warning,
    }));
    Ok(Some(Arc::new(schema)))
}
