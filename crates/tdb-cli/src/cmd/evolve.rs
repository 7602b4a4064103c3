//! `tdb evolve`: changes the schema of an array.

use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::Evolution;
use tdb::engine::array::{ArrayError, NameSource};
use tdb::engine::schema::SchemaError;
use tdb::engine::schema::json::{
    attributes_from_json, cell_from_json, enumerations_from_json, ranges_from_json,
};

use super::change::{self, json_argument};
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::name;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{plural, visible};

/// JSON is in the shape of `tdb schema --json`: one or a list of them, or `@FILE`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb evolve target/weather --drop-attr remark \
    --add-attr '{\"name\": \"wind\", \"datatype\": \"float32\"}'"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Attributes to add
    #[arg(long, value_name = "JSON")]
    add_attr: Vec<String>,
    /// An attribute to drop; earlier times keep its values until `consolidate --forget-dropped` merges them
    #[arg(long, value_name = "NAME", value_parser = name)]
    drop_attr: Vec<String>,
    /// Enumerations to add
    #[arg(long, value_name = "JSON")]
    add_enum: Vec<String>,
    /// Values to append to enumerations: {"name": NAME, "values": [...]}
    #[arg(long, value_name = "JSON")]
    extend_enum: Vec<String>,
    /// An enumeration to drop; no attribute may use it
    #[arg(long, value_name = "NAME", value_parser = name)]
    drop_enum: Vec<String>,
    /// New current domain, which must contain the old one: {"DIM": [LO, HI]}
    #[arg(long, value_name = "JSON")]
    current_domain: Option<String>,
    /// Upgrade the schema to the newest format version
    #[arg(long)]
    upgrade: bool,
    /// Print what would be changed, without changing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    let options = change::options(global)?;
    let mut evolution = Opener::of_everything(context)
        .array_of_uri(&arguments.array)?
        .evolve()?;
    if let Some(time) = options.timestamp {
        evolution.at(time);
    }
    change(&mut evolution, arguments, &*options.names)?;
    if !evolution.is_changed() {
        let failure = Failure::invalid("nothing to change");
        return Err(failure.hint("see tdb evolve --help for what can be changed"));
    }
    let changes = evolution.changes()?;
    evolution.check()?;
    let outside = evolution.fragments_outside();
    if arguments.current_domain.is_some() && outside > 0 {
        let fragments = plural(outside as u64, "fragment");
        out.warn(&format!(
            "cells of {fragments} lie outside of the new current domain: reads leave them out"
        ));
    }
    if let Some(why) = evolution.closed_to_tiledb() {
        out.warn(why);
    }
    let name = if arguments.dry_run {
        None
    } else {
        Some(evolution.commit()?)
    };
    tell(&changes, name.as_deref(), global, out)
}

/// Prints the changes and the name of the new schema; `None` in a dry run, which stores nothing.
fn tell(
    changes: &[String],
    name: Option<&str>,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if global.json {
        let told = json!({ "dry_run": name.is_none(), "changes": changes, "schema": name });
        return write_json(out, &told);
    }
    let Some(name) = name else {
        for change in changes {
            writeln!(out, "{}", visible(change))?;
        }
        out.note("nothing is stored: this is a dry run");
        return Ok(());
    };
    let what = if changes.is_empty() {
        "written unchanged".to_owned()
    } else {
        changes.join("; ")
    };
    out.note(&format!("{what}: schema {name}"));
    Ok(())
}

/// Applies all changes, in an order that lets later ones depend on earlier ones.
fn change(
    evolution: &mut Evolution,
    arguments: &Arguments,
    names: &dyn NameSource,
) -> Result<(), Failure> {
    for text in &arguments.add_enum {
        add_enumerations(evolution, &json_argument("--add-enum", text)?, names)?;
    }
    for text in &arguments.extend_enum {
        let json = json_argument("--extend-enum", text)?;
        for json in each(&json) {
            extend_enumeration(evolution, json)?;
        }
    }
    for name in &arguments.drop_attr {
        evolution.drop_attribute(name)?;
    }
    for text in &arguments.add_attr {
        let json = json_argument("--add-attr", text)?;
        // The stored schema has the newest format version, so the filters are parsed for that version.
        let version = evolution.schema().clone().upgraded().version;
        for attribute in attributes_from_json(&json, version, "--add-attr").map_err(wrong)? {
            evolution.add_stored_attribute(attribute)?;
        }
    }
    for name in &arguments.drop_enum {
        evolution.drop_enumeration(name)?;
    }
    if let Some(text) = &arguments.current_domain {
        let json = json_argument("--current-domain", text)?;
        let ranges = ranges_from_json(evolution.schema(), &json, "--current-domain");
        evolution.current_domain(ranges.map_err(wrong)?)?;
    }
    if arguments.upgrade {
        evolution.upgrade()?;
    }
    Ok(())
}

fn add_enumerations(
    evolution: &mut Evolution,
    json: &Json,
    names: &dyn NameSource,
) -> Result<(), Failure> {
    let mut nameless: Option<ArrayError> = None;
    let added = enumerations_from_json(json, "--add-enum", || {
        names.enumeration().unwrap_or_else(|error| {
            nameless = Some(error);
            String::new()
        })
    });
    if let Some(error) = nameless {
        return Err(error.into());
    }
    for enumeration in added.map_err(wrong)? {
        evolution.add_stored_enumeration(enumeration)?;
    }
    Ok(())
}

fn extend_enumeration(evolution: &mut Evolution, json: &Json) -> Result<(), Failure> {
    let name = json.get("name").and_then(Json::as_str);
    let values = json.get("values").and_then(Json::as_array);
    let (Some(name), Some(values)) = (name, values) else {
        let what = "--extend-enum: expected {\"name\": …, \"values\": […]}";
        return Err(Failure::invalid(what));
    };
    let old = evolution.enumeration(name)?;
    let value = |(index, json)| {
        let place = format!("--extend-enum, values[{index}]");
        cell_from_json(old.datatype(), old.cell_val_num(), json, &place)
    };
    let more: Result<Vec<Vec<u8>>, SchemaError> = values.iter().enumerate().map(value).collect();
    Ok(evolution.extend_enumeration(name, more.map_err(wrong)?)?)
}

/// The elements of a list; any other value is a list of one.
fn each(json: &Json) -> &[Json] {
    match json {
        Json::Array(list) => list,
        one => std::slice::from_ref(one),
    }
}

fn wrong(error: SchemaError) -> Failure {
    Failure::invalid(error.to_string())
}
