use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::commits::{ConsolidatedCommit, encode_consolidated};
use tdb_array::directory::{
    COMMITS_FOLDER, ENUMERATION_FOLDER, FRAGMENT_METADATA, FRAGMENT_METADATA_FOLDER, SCHEMA_FOLDER,
};
use tdb_array::{
    Array, ArrayError, At, ChangeOptions, Fragment, Location, TimeWindow, TimestampedName,
};
use tdb_schema::ArraySchema;

use crate::commit_objects::{CommitObjects, ConsolidatedList, commit_of, fragment_of, span};
use crate::fragment_removal::{check_time, empty_lists, fragments_within};
use crate::metadata::later_metadata;
use crate::purge::{has_deleted, markers};
use crate::vacuum_fragments::removal;
use crate::{Plan, VacuumOptions, objects};

/// Plans the permanent removal of everything later than a time: fragments, deletes, schemas and metadata. The array is
/// left in its state at that time.
///
/// `array` must be opened for all times. [`Plan::vacuum`] executes the plan; no other program may change the array
/// meanwhile. The commits and schemas are removed first, the newest before the others, then the data. So wherever it
/// is interrupted, the array is in its state at some time after `to`; a new plan continues.
///
/// # Errors
/// [`ArrayError::Straddles`] for a fragment with cells both before and after the time. [`ArrayError::Invalid`] if the
/// array did not exist yet, or if something that stays depends on something later: a fragment with a later schema or
/// without the cells of a later delete, or merged metadata. An object that breaks the format, or any error of the
/// store.
pub fn plan_later_removal(
    array: &Array,
    to: u64,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let location = array.location();
    let mut plan = Plan::default();
    let Some(since) = to.checked_add(1) else {
        return Ok(plan);
    };
    let window = TimeWindow {
        since,
        at: u64::MAX,
    };
    let mut objects = CommitObjects::read(location)?;
    check_time(&objects, window)?;
    let schemas = later_schemas(array, to)?;
    check_fragments(array, to, &schemas)?;
    let metadata = later_metadata(location, to)?;
    let later = |key: &str| TimestampedName::of_key(key).is_ok_and(|name| name.start() > to);
    let fragments = fragments_within(&objects, window);
    let (gone, whole) = without_later(&mut objects, &mut plan, &later, &options.change)?;
    plan.remove(gone);
    let [lists, metadata] = metadata;
    plan.remove(lists);
    let is_delete = |key: &&String| key.ends_with(".del") || key.ends_with(".upd");
    let deletes = objects
        .loose
        .iter()
        .filter(is_delete)
        .filter(|key| later(key))
        .cloned();
    let commits = fragments
        .iter()
        .map(|fragment| commit_of(fragment))
        .filter(|commit| objects.loose.contains(commit));
    let of_schemas = schemas.iter().map(|later| later.key.clone());
    let all: Vec<String> = deletes
        .chain(commits)
        .chain(of_schemas)
        .chain(metadata)
        .chain(whole)
        .collect();
    // The other fragments are committed by lists.
    objects.loose.retain(|key| !all.contains(key));
    newest_first(&mut plan, all.into_iter())?;
    removal(&mut plan, &objects, &fragments, options)?;
    plan.remove(empty_lists(&objects, &fragments));
    plan.remove(later_footers(location, to)?);
    plan.remove(later_enumerations(array, location, &schemas)?);
    Ok(plan)
}

/// Plans the removal of commits and schemas, the newest first, with one step per time.
fn newest_first(plan: &mut Plan, keys: impl Iterator<Item = String>) -> Result<(), ArrayError> {
    let mut by_time: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for key in keys {
        // A fragment that is committed by its metadata has its name in the folder.
        let named = key.strip_suffix(&format!("/{FRAGMENT_METADATA}"));
        let time = TimestampedName::of_key(named.unwrap_or(&key))
            .at(&key)?
            .end();
        by_time.entry(time).or_default().push(key);
    }
    for keys in by_time.into_values().rev() {
        plan.remove(keys);
    }
    Ok(())
}

/// A schema later than the time.
struct LaterSchema {
    key: String,
    schema: Arc<ArraySchema>,
}

/// Returns the schemas to remove; fails if none would stay.
fn later_schemas(array: &Array, to: u64) -> Result<Vec<LaterSchema>, ArrayError> {
    let entries = array.directory().schemas();
    let is_later = |name: &Option<TimestampedName>| name.as_ref().is_some_and(|n| n.end() > to);
    if entries.iter().all(|entry| is_later(&entry.name)) {
        return Err(ArrayError::Invalid {
            what: "time",
            name: to.to_string(),
            why: "there was no array yet",
        });
    }
    let later = entries
        .iter()
        .filter(|entry| is_later(&entry.name))
        .filter_map(|entry| {
            let mut known = array.schemas();
            let (_, schema) = known.find(|(name, _)| *name == entry.schema_name())?;
            Some(LaterSchema {
                key: entry.key.clone(),
                schema: Arc::clone(schema),
            })
        });
    Ok(later.collect())
}

/// Fails if a fragment that stays depends on something that is removed.
fn check_fragments(array: &Array, to: u64, schemas: &[LaterSchema]) -> Result<(), ArrayError> {
    let refused = |fragment: &Fragment, why| ArrayError::Invalid {
        what: "fragment",
        name: fragment.name.as_str().to_owned(),
        why,
    };
    let replaced = array.open_replaced()?;
    let stays = |fragment: &&Fragment| fragment.name.end() <= to;
    for fragment in array.fragments().iter().chain(&replaced).filter(stays) {
        let needs = |later: &LaterSchema| Arc::ptr_eq(&later.schema, &fragment.schema);
        if schemas.iter().any(needs) {
            return Err(refused(
                fragment,
                "it is of that time, but was written with a schema of a later one",
            ));
        }
    }
    if array.deletes().iter().all(|delete| delete.timestamp <= to) {
        return Ok(());
    }
    for fragment in array.fragments().iter().filter(stays) {
        if lacks_cells_of_later(array, fragment, to)? {
            return Err(refused(
                fragment,
                "it was merged after that time, without cells that were deleted since",
            ));
        }
    }
    Ok(())
}

/// True if a merge after a later delete has removed cells of a fragment, or marked them as deleted.
fn lacks_cells_of_later(array: &Array, fragment: &Fragment, to: u64) -> Result<bool, ArrayError> {
    let later = |marker: &String| TimestampedName::of_key(marker).is_ok_and(|n| n.start() > to);
    if !markers(array, fragment)?.iter().any(later) {
        return Ok(false);
    }
    // A fragment with the times of deletes contains all cells; without them, deleted cells are gone.
    Ok(!fragment.metadata.extra_fields.deletes || has_deleted(array, fragment)?)
}

/// Takes the later commits out of the `.con` lists. Plans, before everything else, lists with the remaining commits,
/// and separate commit objects for the later ones, so that these can be removed one by one. Returns two groups of
/// lists: those to remove after that, and those that were themselves the commit of several later changes, to be
/// removed together with the commits of the same time. `.ign` objects cannot revoke deletes, so a list with a later
/// delete cannot stay.
fn without_later(
    objects: &mut CommitObjects,
    plan: &mut Plan,
    later: &dyn Fn(&str) -> bool,
    change: &ChangeOptions,
) -> Result<(Vec<String>, Vec<String>), ArrayError> {
    let (mut gone, mut whole) = (Vec::new(), Vec::new());
    let mut kept_lists = Vec::new();
    for list in std::mem::take(&mut objects.consolidated) {
        if !list.commits.iter().any(|commit| later(&commit.key)) {
            kept_lists.push(list);
            continue;
        }
        let mut kept = list.commits.clone();
        kept.retain(|commit| !later(&commit.key));
        if kept.is_empty() && is_one_change(&list) {
            whole.push(list.key.clone());
        } else {
            put_kept(objects, plan, &list, &kept, change)?;
            let of_later = list.commits.iter().filter(|commit| later(&commit.key));
            for commit in of_later {
                let is_new = !objects.is_ignored(&commit.key);
                if is_new && objects.loose.insert(commit.key.clone()) {
                    let bytes = commit.delete.clone().map(|range| list.bytes.slice(range));
                    plan.put(commit.key.clone(), bytes.unwrap_or_else(Bytes::new));
                }
            }
            gone.push(list.key.clone());
        }
        // The remaining commits stay in force, the others do not.
        kept_lists.push(ConsolidatedList {
            commits: kept,
            ..list
        });
    }
    objects.consolidated = kept_lists;
    Ok((gone, whole))
}

/// True if a list is itself the commit of what it lists: it has the id of a fragment in it.
fn is_one_change(list: &ConsolidatedList) -> bool {
    let id = |key: &str| {
        TimestampedName::of_key(key)
            .ok()?
            .id()
            .ok()
            .map(str::to_owned)
    };
    let own = id(&list.key);
    let mut commits = list.commits.iter();
    own.is_some() && commits.any(|commit| id(&commit.key) == own)
}

/// Plans to store the remaining commits of a list: as a list if there are fragments among them, otherwise as separate
/// delete objects.
fn put_kept(
    objects: &CommitObjects,
    plan: &mut Plan,
    list: &ConsolidatedList,
    kept: &[ConsolidatedCommit],
    change: &ChangeOptions,
) -> Result<(), ArrayError> {
    let delete = |range: &std::ops::Range<usize>| list.bytes.slice(range.clone());
    let records: Vec<_> = kept
        .iter()
        .map(|commit| (commit.key.as_str(), commit.delete.as_ref().map(delete)))
        .collect();
    let keys = records.iter().map(|(key, _)| *key);
    let is_of_fragments = keys.clone().any(|key| fragment_of(key).is_some());
    let name = TimestampedName::of_key(&list.key);
    let (Some(span), true, Ok(name)) = (span(keys), is_of_fragments, name) else {
        for (key, bytes) in records {
            let is_there = objects.loose.contains(key) || plan.puts(key);
            if let (Some(bytes), false) = (bytes, is_there) {
                plan.put(key.to_owned(), bytes);
            }
        }
        return Ok(());
    };
    let new = change.names.versioned(span, name.version())?;
    let records = records
        .iter()
        .map(|(key, delete)| (*key, delete.as_deref()));
    plan.put(
        format!("{COMMITS_FOLDER}/{new}.con"),
        encode_consolidated(records),
    );
    Ok(())
}

/// Returns the objects with footers of later fragments. Nothing is lost with them: each fragment has its own footer.
fn later_footers(location: &Location, to: u64) -> Result<Vec<String>, ArrayError> {
    let mut later = Vec::new();
    for folder in ["", FRAGMENT_METADATA_FOLDER] {
        let (keys, _) = objects::list(location, folder)?;
        later.extend(keys.into_iter().filter(|key| {
            let name = TimestampedName::of_key(key);
            key.ends_with(".meta") && name.is_ok_and(|name| name.end() > to)
        }));
    }
    Ok(later)
}

/// Returns the enumerations that only removed schemas name.
fn later_enumerations(
    array: &Array,
    location: &Location,
    later: &[LaterSchema],
) -> Result<Vec<String>, ArrayError> {
    let files = |schema: &ArraySchema| -> Vec<String> {
        let entries = schema.enumerations.iter();
        entries.map(|entry| entry.file.clone()).collect()
    };
    let is_later = |schema: &Arc<ArraySchema>| later.iter().any(|l| Arc::ptr_eq(&l.schema, schema));
    let (go, stay): (Vec<_>, Vec<_>) = array.schemas().partition(|(_, schema)| is_later(schema));
    let stay: BTreeSet<String> = stay.iter().flat_map(|(_, schema)| files(schema)).collect();
    let go: BTreeSet<String> = go.iter().flat_map(|(_, schema)| files(schema)).collect();
    let folder = format!("{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}");
    let (there, _) = objects::list(location, &folder)?;
    let unnamed = |key: &String| {
        let file = tdb_store::name(key);
        go.contains(file) && !stay.contains(file)
    };
    Ok(there.into_iter().filter(unnamed).collect())
}
