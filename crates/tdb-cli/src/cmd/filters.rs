//! `tdb filters`: lists all filters.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use tdb::engine::filters::{Description, Entry, OptionValue, Registry};

use super::advise::{self, TryArguments};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, Table};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Example:\n  tdb filters"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Try filters on a field's cells, and print their size and speed
    Try(TryArguments),
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match &arguments.verb {
        Some(Verb::Try(arguments)) => advise::of_field(arguments, global, out),
        None => list(global, out),
    }
}

fn list(global: &Global, out: &mut Output) -> Result<(), Failure> {
    let mut entries: Vec<&Entry> = Registry::builtin().entries().collect();
    entries.sort_by_key(|entry| entry.code);
    if global.json {
        let filters: Vec<Value> = entries.iter().map(|entry| filter_json(entry)).collect();
        return write_json(out, &Value::Array(filters));
    }
    let mut table = Table::new(&[
        ">code",
        "name",
        "since",
        "in this build",
        "options, by default",
    ]);
    for entry in entries {
        let options: Vec<String> = (options(entry).into_iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let built = match (entry.compiled, entry.feature) {
            (true, _) => (Role::Plain, "yes".to_owned()),
            (false, Some(feature)) => (Role::Warning, format!("no: feature \"{feature}\"")),
            (false, None) => (Role::Warning, "no".to_owned()),
        };
        table.painted([
            (Role::Plain, entry.code.to_string()),
            (Role::Title, entry.name.to_owned()),
            (Role::Plain, format!("v{}", entry.since)),
            built,
            (Role::Plain, options.join(" ")),
        ]);
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// Options of a filter, with their defaults.
fn options(entry: &Entry) -> Vec<(&'static str, OptionValue)> {
    let filter = (entry.build)(&Description::new(entry.name));
    filter.map_or_else(|_| Vec::new(), |filter| filter.describe())
}

fn filter_json(entry: &Entry) -> Value {
    let options: Map<String, Value> = (options(entry).into_iter())
        .map(|(name, value)| (name.to_owned(), option_json(&value)))
        .collect();
    json!({
        "code": entry.code,
        "name": entry.name,
        "since": entry.since,
        "options": options,
        "compiled": entry.compiled,
        "feature": entry.feature,
    })
}

fn option_json(value: &OptionValue) -> Value {
    match value {
        OptionValue::Integer(value) => json!(value),
        OptionValue::Real(value) => json!(value),
        OptionValue::Flag(value) => json!(value),
        OptionValue::Text(value) => json!(value),
    }
}
