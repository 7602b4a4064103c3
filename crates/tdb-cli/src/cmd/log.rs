//! `tdb log`: the history of an array or a group.

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb::engine::array::ObjectType;
use tdb::engine::schema::ArraySchema;
use tdb::engine::schema::json::ranges_to_json;
use tdb::engine::schema::value::rfc3339;
use tdb::log::{Change, Event, LoggedCells};
use tdb::place;

use super::info::lost;
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, plural, shortened};
use crate::value_format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb log fixtures/v22_tour/array\n  tdb log fixtures/v22_tour/array --since 2024-04-11 --json\n\n\
    Prints a line for each write, delete, change of schema or metadata, and consolidation, oldest first. A consolidation is listed at \
    the time of its last part, since the time of merging is not recorded. Vacuums are not recorded either; a warning lists what can no \
    longer be read."
)]
pub(crate) struct Arguments {
    /// An array or a group
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let opener = Opener::of_arguments(context(global)?, global);
    let is_group =
        place::folder(&arguments.uri, &global.counts)?.object_type()? == ObjectType::Group;
    let (events, schema) = if is_group {
        let options = opener.options().clone();
        let events = opener.context().group_log(&arguments.uri, options)?;
        (events, None)
    } else {
        let array = opener.array_of_uri(&arguments.uri)?;
        for warning in array.warnings() {
            out.warn(&warning.to_string());
        }
        let schema = std::sync::Arc::clone(array.engine().schema());
        let gaps = array.engine().all_gaps()?;
        if !global.json {
            lost(&gaps).iter().for_each(|gap| out.warn(gap));
        }
        (array.log()?, Some(schema))
    };
    if global.json {
        let schema = schema.as_deref();
        let events = events
            .iter()
            .map(|event| event_json(event, schema, global.ticks));
        return write_json(out, &events.collect());
    }
    let mut table = Table::new(&["time", "until", "what", "details"]);
    for event in &events {
        let time = event.time.map_or_else(String::new, rfc3339);
        let until = event.until.filter(|until| Some(*until) != event.time);
        let details = details(&event.change, schema.as_deref(), global.ticks);
        table.painted([
            (Role::Plain, time),
            (Role::Plain, until.map_or_else(String::new, rfc3339)),
            (Role::Type, name(&event.change).to_owned()),
            (Role::Plain, details),
        ]);
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

fn name(change: &Change) -> &'static str {
    match change {
        Change::Created => "create",
        Change::Evolved(_) => "evolve",
        Change::Written(_) => "write",
        Change::Merged { .. } => "consolidate",
        Change::Deleted { .. } => "delete",
        Change::Metadata { .. } => "metadata",
        Change::MergedMetadata { .. } => "consolidate metadata",
        Change::MergedCommits => "consolidate commits",
        Change::MergedFragmentMetadata => "consolidate fragment metadata",
        Change::Members { .. } => "members",
        _ => "other",
    }
}

fn details(change: &Change, schema: Option<&ArraySchema>, ticks: bool) -> String {
    match change {
        Change::Evolved(changes) if changes.is_empty() => "written unchanged".to_owned(),
        Change::Evolved(changes) => changes.join("; "),
        Change::Written(cells) => written(cells, schema, ticks),
        Change::Merged { cells, left } => {
            let mut text = written(cells, schema, ticks);
            if *left > 0 {
                let left = plural(*left as u64, "fragment");
                text.push_str(&format!("; not yet vacuumed: {left}"));
            }
            text
        }
        Change::Deleted { condition } => format!("where {}", shortened(condition)),
        Change::Metadata { set, removed } => keys("set", set, "removed", removed),
        Change::MergedMetadata { set } => keys("set", set, "", &[]),
        Change::Members { added, removed } if added.is_empty() && removed.is_empty() => {
            "the same members again".to_owned()
        }
        Change::Members { added, removed } => keys("added", added, "removed", removed),
        _ => String::new(),
    }
}

fn keys(set: &'static str, these: &[String], removed: &'static str, those: &[String]) -> String {
    let told = |what: &str, names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let parts = [told(set, these), told(removed, those)];
    parts
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join("; ")
}

/// Describes written cells: `80 cells, 1.2 KB, station "BGN" .. "ZER", hour … .. …`.
fn written(cells: &LoggedCells, schema: Option<&ArraySchema>, ticks: bool) -> String {
    let mut text = format!("{}, {}", plural(cells.cells, "cell"), bytes(cells.bytes));
    let dimensions = schema.map_or(&[][..], |schema| &schema.dimensions);
    for (dimension, range) in dimensions.iter().zip(&cells.domain) {
        let range = value_format::range(dimension, range, ticks);
        text.push_str(&format!(", {} {range}", dimension.name));
    }
    if cells.replaced {
        text.push_str("; merged since");
    }
    text
}

fn event_json(event: &Event, schema: Option<&ArraySchema>, ticks: bool) -> Json {
    let mut object = Map::new();
    let mut put = |key: &str, value: Json| object.insert(key.to_owned(), value);
    put("time", json!(event.time));
    put("until", json!(event.until));
    put("change", json!(name(&event.change)));
    put("object", json!(event.object));
    match &event.change {
        Change::Evolved(changes) => {
            put("changes", json!(changes));
        }
        Change::Written(cells) | Change::Merged { cells, .. } => {
            put("fragment", json!(cells.fragment));
            put("cells", json!(cells.cells));
            put("bytes", json!(cells.bytes));
            put("consolidated", json!(cells.replaced));
            let times = value_format::times(ticks);
            let domain = schema.map(|schema| ranges_to_json(schema, &cells.domain, times));
            put("non_empty_domain", domain.unwrap_or(Json::Null));
        }
        Change::Deleted { condition } => {
            put("where", json!(condition));
        }
        Change::Metadata { set, removed } => {
            put("set", json!(set));
            put("removed", json!(removed));
        }
        Change::MergedMetadata { set } => {
            put("set", json!(set));
        }
        Change::Members { added, removed } => {
            put("added", json!(added));
            put("removed", json!(removed));
        }
        _ => {}
    }
    if let Change::Merged { left, .. } = &event.change {
        object.insert("left".to_owned(), json!(left));
    }
    Json::Object(object)
}
