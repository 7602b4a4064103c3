//! The history of an array or a group, reconstructed from its objects.

use std::collections::BTreeSet;

use tdb_array::{
    DatedObject, Fragment, Group, GroupDetails, MetadataRecord, OpenOptions, TimestampedName,
};
use tdb_cells::FieldInfo;
use tdb_condition::Condition;
use tdb_open::{Array, Context, Result, place};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::Range;

use crate::schema_changes::evolution;

/// A change of an array or a group.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Time of the change, in milliseconds since 1970; for merged objects, the time of their first part. `None` for
    /// schemas older than format version 7, which have no timestamp.
    pub time: Option<u64>,
    /// For merged objects, the time of their last part; otherwise equal to `time`.
    pub until: Option<u64>,
    /// Kind and details of the change.
    pub change: Change,
    /// Object that records the change: its key in the folder of the array.
    pub object: String,
}

/// Kind of a change, with its details.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The array was created.
    Created,
    /// The schema was changed; with a phrase per change.
    Evolved(Vec<String>),
    /// Cells were written.
    Written(LoggedCells),
    /// Fragments were merged into one. The time of the merge is not recorded: the event has the times of the
    /// fragments.
    Merged {
        /// The merged fragment.
        cells: LoggedCells,
        /// Number of replaced fragments that still exist; 0 after a vacuum.
        left: usize,
    },
    /// Cells that match a condition were deleted.
    Deleted {
        /// The condition, in the syntax of `--where`.
        condition: String,
    },
    /// Metadata was set or removed.
    Metadata {
        /// Keys that got a value.
        set: Vec<String>,
        /// Keys that were removed.
        removed: Vec<String>,
    },
    /// Metadata of several times was merged. The originals, if they still exist, have events of their own.
    MergedMetadata {
        /// Keys that have a value.
        set: Vec<String>,
    },
    /// The names of commits were consolidated into one object.
    MergedCommits,
    /// The footers of fragments were consolidated into one object.
    MergedFragmentMetadata,
    /// Members of a group were added or removed.
    Members {
        /// Added members.
        added: Vec<String>,
        /// Removed members.
        removed: Vec<String>,
    },
}

/// The cells of a fragment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoggedCells {
    /// Name of the fragment.
    pub fragment: String,
    /// Number of cells; for dense fragments all cells of the box, written or not.
    pub cells: u64,
    /// Bytes of the data files.
    pub bytes: u64,
    /// Bounding box of the cells, one range per dimension.
    pub domain: Vec<Range>,
    /// True if a merge has replaced the fragment: it still exists, and is read only as of earlier times.
    pub replaced: bool,
}

/// Returns the changes of the array up to the time for which it was opened, oldest first. A vacuum has no event;
/// objects it removed are missing from the log.
///
/// # Errors
/// Fails if stored data cannot be read.
pub fn log(array: &Array) -> Result<Vec<Event>> {
    let engine = array.engine();
    let mut events = schema_events(array)?;
    let replaced = engine
        .open_replaced()
        .map_err(|error| array.failed(error))?;
    events.extend(fragment_events(engine.fragments(), &replaced));
    events.extend(delete_events(array)?);
    let metadata = engine
        .metadata_history()
        .map_err(|error| array.failed(error))?;
    events.extend(metadata.into_iter().map(metadata_event));
    // A list that is also the commit of a write appears as that write.
    let lists = engine
        .merged_commits()
        .map_err(|error| array.failed(error))?
        .into_iter();
    events.extend(lists.map(|(key, name)| Event::named(&name, Change::MergedCommits, key)));
    let window = engine.window();
    let footers = engine
        .directory()
        .fragment_metadata()
        .iter()
        .filter_map(|key| {
            let name = TimestampedName::of_key(key).ok()?;
            let change = Change::MergedFragmentMetadata;
            (window.overlaps(&name)).then(|| Event::named(&name, change, key.clone()))
        });
    events.extend(footers);
    sort(&mut events);
    Ok(events)
}

fn schema_events(array: &Array) -> Result<Vec<Event>> {
    let engine = array.engine();
    let schemas = engine.directory().schemas().iter();
    let mut events = Vec::new();
    let mut last: Option<&ArraySchema> = None;
    for entry in schemas {
        let time = entry.name.as_ref().map(TimestampedName::start);
        let name = entry.schema_name();
        let schema = engine.schemas().find(|(known, _)| *known == name);
        let Some((_, schema)) =
            schema.filter(|_| time.is_none_or(|time| time <= engine.window().at))
        else {
            continue;
        };
        let change = match last {
            None => Change::Created,
            Some(last) => Change::Evolved(evolution(last, schema)?),
        };
        last = Some(schema);
        if time.is_some_and(|time| time < engine.window().since) {
            continue;
        }
        events.push(Event {
            time,
            until: time,
            change,
            object: entry.key.clone(),
        });
    }
    Ok(events)
}

fn delete_events(array: &Array) -> Result<Vec<Event>> {
    let engine = array.engine();
    let schema = engine.newest_schema();
    let names = schema.enumerations.iter().map(|entry| entry.name.as_str());
    let labels = engine
        .newest_enumerations(names)
        .map_err(|error| array.failed(error))?;
    let fields = FieldInfo::of_schema(schema, |_, name| {
        labels.iter().find(|labels| labels.name() == name).cloned()
    });
    let deletes = engine.deletes().iter().map(|delete| {
        let condition = Condition::deleted(&delete.condition, &fields)?;
        Ok(Event {
            time: Some(delete.timestamp),
            until: Some(delete.timestamp),
            change: Change::Deleted {
                condition: condition.to_string(),
            },
            object: delete.marker.clone(),
        })
    });
    deletes.collect()
}

/// Returns the changes of a group up to the time of the options, oldest first.
///
/// # Errors
/// Fails if there is no group, or if its stored data cannot be read.
pub fn group_log(context: &Context, uri: &str, options: OpenOptions) -> Result<Vec<Event>> {
    let place = place::folder(uri, context.opener())?;
    let group = Group::open_location(&context.location(&place), &place.store_uri, options)
        .map_err(|error| place.failed(error))?;
    let metadata = group
        .metadata_history()
        .map_err(|error| place.failed(error))?;
    let members = group
        .member_history()
        .map_err(|error| place.failed(error))?;
    let mut events: Vec<Event> = metadata.into_iter().map(metadata_event).collect();
    events.extend(member_events(members));
    sort(&mut events);
    Ok(events)
}

/// Returns the members added and removed by each object.
fn member_events(history: Vec<DatedObject<GroupDetails>>) -> Vec<Event> {
    let mut before: BTreeSet<String> = BTreeSet::new();
    let events = history.into_iter().map(|dated| {
        let GroupDetails { version, members } = dated.content;
        // Version 1 lists all members, version 2 only the changes.
        let mut after = if version == 1 {
            BTreeSet::new()
        } else {
            before.clone()
        };
        for member in members {
            let key = member.key().to_owned();
            if member.deleted {
                after.remove(&key);
            } else {
                after.insert(key);
            }
        }
        let change = Change::Members {
            added: after.difference(&before).cloned().collect(),
            removed: before.difference(&after).cloned().collect(),
        };
        before = after;
        Event::named(&dated.name, change, dated.key)
    });
    events.collect()
}

impl Event {
    fn named(name: &TimestampedName, change: Change, object: String) -> Self {
        Self {
            time: Some(name.start()),
            until: Some(name.end()),
            change,
            object,
        }
    }
}

/// Sorts by time. A merged object is placed at the time of its last part.
fn sort(events: &mut [Event]) {
    events.sort_by_key(|event| {
        (
            event.until,
            event.time.is_some() && event.time != event.until,
        )
    });
}

/// Returns writes and merges. A fragment that spans a range of time, or stores the times of its cells, is a merge.
fn fragment_events(live: &[Fragment], replaced: &[Fragment]) -> Vec<Event> {
    let marked = live
        .iter()
        .map(|fragment| (fragment, false))
        .chain(replaced.iter().map(|fragment| (fragment, true)));
    let events = marked.map(|(fragment, is_replaced)| {
        let metadata = &fragment.metadata;
        let (from, to) = fragment.timestamps();
        let cells = LoggedCells {
            fragment: fragment.name.as_str().to_owned(),
            cells: cells_of(fragment),
            bytes: metadata.data_size(),
            domain: metadata.non_empty_domain.clone(),
            replaced: is_replaced,
        };
        let change = if from < to || metadata.extra_fields.timestamps {
            let is_part = |other: &&Fragment| {
                let (first, last) = other.timestamps();
                other.name != fragment.name && from <= first && last <= to
            };
            let left = replaced.iter().filter(is_part).count();
            Change::Merged { cells, left }
        } else {
            Change::Written(cells)
        };
        Event::named(&fragment.name, change, fragment.metadata_key.clone())
    });
    events.collect()
}

/// Returns the number of cells of a fragment; for a dense one the cells of its box, since stored data fills whole
/// space tiles.
fn cells_of(fragment: &Fragment) -> u64 {
    let metadata = &fragment.metadata;
    let domain = &metadata.non_empty_domain;
    let schema = &fragment.schema;
    let sides = Subarray::all(schema).shape(schema, |index| domain.get(index));
    let in_box = sides.and_then(|sides| {
        let mut sides = sides.iter();
        sides.try_fold(1_u64, |all, side| all.checked_mul(*side))
    });
    match in_box {
        Some(cells) if metadata.dense => cells.min(metadata.cell_count()),
        _ => metadata.cell_count(),
    }
}

fn metadata_event(dated: DatedObject<Vec<MetadataRecord>>) -> Event {
    let is_merged = dated.name.start() < dated.name.end();
    let (set, removed): (Vec<_>, Vec<_>) = dated
        .content
        .into_iter()
        .partition(|record| record.value.is_some());
    let keys = |records: Vec<MetadataRecord>| records.into_iter().map(|record| record.key);
    let set = keys(set).collect();
    let change = if is_merged {
        Change::MergedMetadata { set }
    } else {
        Change::Metadata {
            set,
            removed: keys(removed).collect(),
        }
    };
    Event::named(&dated.name, change, dated.key)
}
