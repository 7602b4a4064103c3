use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use tdb_array::commits::{parse_lines, rerooted};
use tdb_array::directory::{DatedObjects, Lists, METADATA_FOLDER};
use tdb_array::{
    Array, ArrayError, At, ChangeOptions, Group, LaterObjects, Location, MetadataRecord, Names,
    TimeWindow, TimestampedName, settle,
};
use tdb_filters::{open_generic_tile, seal_generic_tile};
use tdb_store::list_all;
use tdb_tile::{Bug, FormatVersion, GenericTile};

use crate::left_alone::left_alone;
use crate::{Plan, objects};

/// Plans what [`consolidate_array_metadata`] does.
///
/// # Errors
/// As [`consolidate_array_metadata`].
pub fn plan_merged_array_metadata(
    array: &Array,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let line = |key: &str| format!("/{key}\n");
    planned(array.location(), array.window(), &line, options)
}

/// Plans what [`consolidate_group_metadata`] does.
///
/// # Errors
/// As [`consolidate_group_metadata`].
pub fn plan_merged_group_metadata(
    group: &Group,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let uri = group.uri();
    let line = |key: &str| format!("{uri}/{key}\n");
    planned(group.location(), group.window(), &line, options)
}

/// Puts the metadata of an array, as of the time for which it was opened, into one object, and stores a list of the
/// objects that this one replaces.
///
/// # Errors
/// Objects that break the format, or any error of the store.
pub fn consolidate_array_metadata(
    array: &Array,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let plan = plan_merged_array_metadata(array, options)?;
    plan.apply(&**array.store(), array.prefix())?;
    Ok(plan)
}

/// Puts the metadata of a group, as of the time for which it was opened, into one object, and stores a list of the
/// objects that this one replaces. TileDB needs whole URIs in that list, so the store of the group must have a URI.
///
/// # Errors
/// Objects that break the format, or any error of the store.
pub fn consolidate_group_metadata(
    group: &Group,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let plan = plan_merged_group_metadata(group, options)?;
    plan.apply(&**group.store(), group.prefix())?;
    Ok(plan)
}

fn planned(
    location: &Location,
    window: TimeWindow,
    line: &dyn Fn(&str) -> String,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let mut plan = Plan::default();
    let now = options.names.now().max(window.at);
    let later = LaterObjects::of_metadata(now, &objects(location)?);
    plan.notes.extend(later.map(left_alone));
    // An object that vanishes between two reads was merged and vacuumed by others, so everything is read again.
    let look = || live(location, window);
    let (found, _) = settle(location.prefix(), look, |live| {
        let keys: Vec<String> = live.iter().map(|(key, _)| key.clone()).collect();
        let payload = if keys.len() > 1 {
            Some(merged(location, &keys)?)
        } else {
            None
        };
        Ok(Some((live.clone(), payload)))
    })?;
    let (live, Some(payload)) = found else {
        return Ok(plan);
    };
    let span = live
        .iter()
        .map(|(_, name)| (name.start(), name.end()))
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .ok_or_else(|| Bug::new("metadata that is merged has no object"))?;
    let keys: Vec<String> = live.into_iter().map(|(key, _)| key).collect();
    let name = options.names.unversioned(span)?;
    let key = format!("{METADATA_FOLDER}/{name}");
    let tile = seal_generic_tile(&payload, FormatVersion::WRITTEN, location.key()).at(&key)?;
    let lines: Vec<String> = keys.iter().map(|key| line(key)).collect();
    plan.put(key.clone(), tile);
    plan.put(format!("{key}.vac"), lines.concat());
    Ok(plan)
}

/// Returns the live metadata objects, in the order of replay.
fn live(
    location: &Location,
    window: TimeWindow,
) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
    let objects = objects(location)?;
    let lists: Vec<String> = objects.lists().map(str::to_owned).collect();
    let lists: Lists = objects::read(location, &lists, location.limits().list_bytes)?
        .into_iter()
        .collect();
    objects.live(window, &lists)
}

/// Returns the metadata objects that are later than a time, in two removal steps: first the lists of merged objects,
/// so that these are live again before the object that replaced them is removed.
///
/// # Errors
/// [`ArrayError::Invalid`] for an object with metadata from before and after the time whose sources no longer exist.
pub(crate) fn later_metadata(location: &Location, to: u64) -> Result<[Vec<String>; 2], ArrayError> {
    let (keys, _) = objects::list(location, METADATA_FOLDER)?;
    let (mut lists, mut later) = (Vec::new(), Vec::new());
    let ends_later = |key: &&String| {
        !key.ends_with(".vac") && TimestampedName::of_key(key).is_ok_and(|name| name.end() > to)
    };
    for key in keys.iter().filter(ends_later) {
        let list = format!("{key}.vac");
        let starts_later = TimestampedName::of_key(key).is_ok_and(|name| name.start() > to);
        if !starts_later && !has_all_parts(location, &keys, &list)? {
            return Err(ArrayError::Invalid {
                what: "metadata",
                name: key.clone(),
                why: "it was merged of objects of both sides of that time, and these were vacuumed",
            });
        }
        lists.extend(keys.contains(&list).then_some(list));
        later.push(key.clone());
    }
    Ok([lists, later])
}

/// True if all objects that a list names as merged exist.
fn has_all_parts(
    location: &Location,
    keys: &BTreeSet<String>,
    list: &str,
) -> Result<bool, ArrayError> {
    let read = objects::read(location, &[list.to_owned()], location.limits().list_bytes)?;
    let parts = read.iter().flat_map(|(_, bytes)| parse_lines(bytes));
    Ok(!read.is_empty() && parts.map(rerooted).all(|key| keys.contains(key)))
}

fn objects(location: &Location) -> Result<DatedObjects, ArrayError> {
    let mut names = Names::new();
    let listing = list_all(&**location.store(), &location.full(METADATA_FOLDER))?;
    names.add(listing, location.prefix(), METADATA_FOLDER);
    Ok(DatedObjects::from_names(&names, METADATA_FOLDER))
}

/// True if the listed objects together leave no key. In that case TileDB writes only the list, without a merged
/// object.
pub(crate) fn nothing_is_left(
    location: &Location,
    listed: &BTreeSet<&str>,
) -> Result<bool, ArrayError> {
    let all = objects(location)?.all(TimeWindow::ALL)?;
    let keys: Vec<String> = all
        .into_iter()
        .map(|(key, _)| key)
        .filter(|key| listed.contains(key.as_str()))
        .collect();
    let state = state(location, &keys)?;
    Ok(state.values().all(|record| record.value.is_none()))
}

/// Merges these objects into one payload. If no key is left, it contains the removals, since an empty tile is not
/// valid.
fn merged(location: &Location, keys: &[String]) -> Result<Vec<u8>, ArrayError> {
    let all: Vec<MetadataRecord> = state(location, keys)?.into_values().collect();
    let kept: Vec<MetadataRecord> = all.iter().filter(|r| r.value.is_some()).cloned().collect();
    let records = if kept.is_empty() { &all } else { &kept };
    MetadataRecord::encode_all(records, FormatVersion::WRITTEN).at(METADATA_FOLDER)
}

/// Returns the last record of each key.
fn state(
    location: &Location,
    keys: &[String],
) -> Result<BTreeMap<String, MetadataRecord>, ArrayError> {
    let mut state: BTreeMap<String, MetadataRecord> = BTreeMap::new();
    let read = objects::read(location, keys, location.tile_limit())?;
    if read.len() != keys.len() {
        return Err(ArrayError::Missing {
            key: METADATA_FOLDER.to_owned(),
            by: "among the metadata a moment ago: another process has merged or vacuumed it since, so try again",
        });
    }
    for (key, bytes) in read {
        for record in records(location, &key, &bytes)? {
            state.insert(record.key.clone(), record);
        }
    }
    Ok(state)
}

fn records(
    location: &Location,
    key: &str,
    bytes: &Bytes,
) -> Result<Vec<MetadataRecord>, ArrayError> {
    let tile = GenericTile::parse(bytes, location.limits()).at(key)?;
    let payload = open_generic_tile(&tile, location.key(), location.limits()).at(key)?;
    MetadataRecord::decode_all(&payload, tile.version(), location.limits()).at(key)
}
