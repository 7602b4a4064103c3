//! The verbs, one file for each.

pub(crate) mod advise;
pub(crate) mod agg;
mod cells;
pub(crate) mod change;
pub(crate) mod children;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod consolidate;
pub(crate) mod count;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod doctor;
pub(crate) mod dump;
pub(crate) mod evolve;
pub(crate) mod explain;
pub(crate) mod filters;
pub(crate) mod fragments;
pub(crate) mod group;
mod group_members;
pub(crate) mod hist;
pub(crate) mod import;
pub(crate) mod info;
mod input;
pub(crate) mod layout;
pub(crate) mod log;
mod long;
pub(crate) mod ls;
pub(crate) mod map;
pub(crate) mod meta;
mod meta_change;
pub(crate) mod objects;
mod points;
mod progress;
mod ranges;
pub(crate) mod read;
mod removal;
pub(crate) mod restore;
pub(crate) mod rewrite;
mod rows;
pub(crate) mod schema;
mod selection;
pub(crate) mod set;
pub(crate) mod show;
pub(crate) mod sql;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod vacuum;
pub(crate) mod verify;
pub(crate) mod worker;
pub(crate) mod write;

use std::io::Write;

use serde_json::Value;
use tdb::engine::array::{Array, ArrayError, HistoryGap};
use tdb::engine::cells::{FieldInfo, Session};
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::value::rfc3339;
use tdb::engine::tile::Datatype;

use crate::access::{OpenSettings, context};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::place;
use tdb::place::Place;

/// Opens an array as of `--at` and `--since`.
pub(crate) fn open_array(
    uri: &str,
    global: &Global,
    session: &Session,
    out: &Output,
) -> Result<Array, Failure> {
    let location = place::folder(uri, &global.counts)?;
    let opening = OpenSettings::new(global, session)?;
    open_location(&location, &opening, global, out).map_err(|error| location.unopened(error).into())
}

/// Opens an array through the crate `tdb`, for reading, as of `--at` and `--since`, and prints warnings about it.
pub(crate) fn open_front(uri: &str, global: &Global, out: &Output) -> Result<tdb::Array, Failure> {
    let context = context(global)?;
    let opening = OpenSettings::new(global, context.shared_session())?;
    let open = || context.open_with(uri, opening.options);
    let array = global.counts.stage("open", open)?;
    global.counts.opened(array.engine());
    warn_of(array.engine(), out);
    Ok(array)
}

/// Opens an array and prints warnings about it.
pub(crate) fn open_location(
    location: &Place,
    opening: &OpenSettings,
    global: &Global,
    out: &Output,
) -> Result<Array, ArrayError> {
    let (place, options) = (opening.access.to(location), opening.options.clone());
    let open = || Array::open_location(&place, options);
    let array = global.counts.stage("open", open)?;
    global.counts.opened(&array);
    if global.verbose {
        let (schemas, deletes) = (array.schemas().count(), array.deletes().len());
        let (fragments, uri) = (array.fragments().len(), &location.uri);
        // If standard error is closed, there is nowhere left to report that.
        let _ = writeln!(
            std::io::stderr(),
            "{uri}: {schemas} schemas, {fragments} fragments, {deletes} deletes",
        );
    }
    warn_of(&array, out);
    Ok(array)
}

/// Prints the warnings of an array, also if the array did not exist yet at the requested time.
pub(crate) fn warn_of(array: &Array, out: &Output) {
    let first = array.directory().schemas().first();
    let made = first.and_then(|schema| Some(schema.name.as_ref()?.start()));
    let at = array.window().at;
    if let Some(made) = made.filter(|made| *made > at && array.fragments().is_empty()) {
        warn_of_none_yet(at, made, out);
    }
    for warning in array.warnings() {
        out.warn(&warning.to_string());
    }
    warn_of_gaps(array.gaps(), out);
}

/// Warns about data of the requested times that can no longer be read.
pub(crate) fn warn_of_gaps(gaps: Result<Vec<HistoryGap>, ArrayError>, out: &Output) {
    match gaps {
        Ok(gaps) => gaps.iter().for_each(|gap| out.warn(&gap.to_string())),
        Err(error) => out.warn(&format!(
            "cannot determine whether parts of the history are lost: {error}"
        )),
    }
}

/// Warns that the array did not exist yet at the requested time.
fn warn_of_none_yet(at: u64, made: u64, out: &Output) {
    let (at, made) = (rfc3339(at), rfc3339(made));
    out.warn(&format!(
        "the array did not exist yet at {at}: it was created at {made}"
    ));
}

/// Writes indented JSON and a line break.
pub(crate) fn write_json(out: &mut Output, value: &Value) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value)
        .map_err(|error| Failure::from(std::io::Error::from(error)))?;
    Ok(out.write_all(b"\n")?)
}

/// The datatype of the values shown for a field: for enumerated attributes, that of the labels.
pub(crate) fn shown_type(field: &FieldInfo) -> (Datatype, CellValNum) {
    match &field.enumeration {
        Some(labels) => (labels.datatype(), labels.cell_val_num()),
        None => (field.datatype, field.cell_val_num),
    }
}
