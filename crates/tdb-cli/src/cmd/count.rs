//! `tdb count`: the number of cells.

use std::io::Write;

use clap::Args;
use serde_json::json;
use tdb::engine::aggregate::count_cells;

use super::selection::{OpenSelection, Selection};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb count fixtures/v22_tour/array\n  tdb count fixtures/v22_tour/array --where \"sky = 'snow'\"\n\n\
    The number is exact: deleted and overwritten cells are not counted. For a dense array, all cells of its domain are counted, \
    written or not."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let mut selected = arguments.selection.open(&arguments.array, global, out)?;
    if selected.options.looks_at_cells() {
        selected = selected.walked(global, out)?;
    }
    let OpenSelection {
        session,
        location,
        array,
        options,
    } = selected;
    let count = || count_cells(&session, &array, &options);
    let cells = global
        .counts
        .stage("count", count)
        .map_err(|error| Failure::in_place(error, &location))?;
    if global.json {
        return write_json(out, &json!({ "cells": cells }));
    }
    Ok(writeln!(out, "{cells}")?)
}
