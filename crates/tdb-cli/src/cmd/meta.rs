//! `tdb meta`: metadata of an array or group.

use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::Value;
use tdb::engine::array::{ErrorKind, Metadata};
use tdb::engine::schema::names;
use tdb::engine::tile::Code;

use super::{meta_change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::{Opener, warn_of_gaps};
use crate::output::Output;
use crate::paint::{Role, Table, visible};
use crate::value_format;
use tdb::place;

/// What to do with metadata.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List keys, their types and values
    Ls(Ls),
    /// Show the value of one key
    Get(Get),
    /// Set a key to a value
    #[command(after_help = "Example:\n  tdb meta set target/weather station KLO")]
    Set(meta_change::Set),
    /// Remove a key
    #[command(after_help = "Example:\n  tdb meta rm target/weather station")]
    Rm(meta_change::Rm),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb meta ls fixtures/v22_tour/array")]
pub(crate) struct Ls {
    /// An array or group
    uri: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb meta get fixtures/v22_tour/array first_year")]
pub(crate) struct Get {
    /// An array or group
    uri: String,
    /// The key
    #[arg(allow_hyphen_values = true)]
    key: String,
}

pub(crate) fn run(verb: &Verb, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match verb {
        Verb::Ls(Ls { uri }) => list(&metadata(uri, global, out)?, global, out),
        Verb::Get(Get { uri, key }) => get(&metadata(uri, global, out)?, uri, key, global, out),
        Verb::Set(arguments) => meta_change::set(arguments, global, out),
        Verb::Rm(arguments) => meta_change::remove(arguments, global, out),
    }
}

fn metadata(uri: &str, global: &Global, out: &Output) -> Result<Metadata, Failure> {
    let location = place::folder(uri, &global.counts)?;
    let opener = Opener::of_arguments(context(global)?, global);
    let Some(array) = opener.array_unless_group(&location)? else {
        let group = opener.group(&location)?;
        warn_of_gaps(group.engine().metadata_gaps(), out);
        return Ok(group.metadata()?);
    };
    for warning in array.warnings() {
        out.warn(&warning.to_string());
    }
    warn_of_gaps(array.engine().metadata_gaps(), out);
    Ok(array.metadata()?)
}

fn list(found: &Metadata, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if global.json {
        return write_json(out, &json(found, global.ticks));
    }
    let look = out.look;
    Ok(table(found, global.ticks).write(out, look)?)
}

/// Formats metadata as a JSON object.
pub(super) fn json(found: &Metadata, ticks: bool) -> Value {
    let values = found
        .iter()
        .map(|(key, value)| (key.to_owned(), value_format::metadata_json(value, ticks)));
    Value::Object(values.collect())
}

/// Formats metadata as a table, a row per key.
pub(super) fn table(found: &Metadata, ticks: bool) -> Table {
    let mut table = Table::new(&["key", "type", "value"]);
    for (key, value) in found.iter() {
        table.painted([
            (Role::Title, key.to_owned()),
            (Role::Type, value.datatype.name().to_owned()),
            (Role::Plain, value_format::metadata(value, ticks)),
        ]);
    }
    table
}

fn get(
    metadata: &Metadata,
    uri: &str,
    key: &str,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let Some(value) = metadata.get(key) else {
        let what = format!("there is no metadata under the key {key:?}");
        let failure = Failure::new(ErrorKind::NotFound, what).at(uri);
        let known: Vec<&str> = metadata.iter().map(|(key, _)| key).collect();
        if known.is_empty() {
            return Err(failure.hint("there is no metadata at all"));
        }
        return Err(failure.hint(names::hint("key", key, known)));
    };
    if global.json {
        return write_json(out, &value_format::metadata_json(value, global.ticks));
    }
    let text = value_format::metadata(value, global.ticks);
    // Programs get the value unchanged; on a terminal, control characters are escaped.
    let text = if out.is_terminal() {
        text.lines().map(visible).collect::<Vec<_>>().join("\n")
    } else {
        text
    };
    Ok(writeln!(out, "{text}")?)
}
