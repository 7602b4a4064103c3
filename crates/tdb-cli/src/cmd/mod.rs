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
pub(crate) mod ls;
pub(crate) mod map;
pub(crate) mod meta;
mod meta_change;
mod object_details;
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
use tdb::engine::cells::FieldInfo;
use tdb::engine::schema::CellValNum;
use tdb::engine::tile::Datatype;

use crate::failure::Failure;
use crate::output::Output;

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
