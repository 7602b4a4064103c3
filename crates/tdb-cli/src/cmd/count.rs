//! `tdb count`: how many cells there are.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tdb::place;
use tdb_query::count_cells;

use super::selection::Selection;
use super::{open_location, write_json};
use crate::access::{Opening, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb count fixtures/v22_tour/array\n  tdb count fixtures/v22_tour/array --where \"sky = 'snow'\"\n\n\
    The number is exact: deleted and overwritten cells do not count. Of a dense array all cells of its domain count, written or \
    not."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let session = session(global);
    let location = place::array(&arguments.array, &global.counts)?;
    let mut opening = Opening::new(global, &session)?;
    let selection = &arguments.selection;
    opening.options.without_fragments = selection.without_fragments.clone();
    let array = open_location(&location, &opening, global, out);
    let array = Arc::new(array.map_err(|error| Failure::in_place(error, &location))?);
    selection.warn_of_left_out(&array, out);
    let options = selection.read_options(&array, &session, global)?;
    let counted = global
        .counts
        .stage("count", || count_cells(&session, &array, &options));
    let cells = counted.map_err(|error| Failure::in_place(error, &location))?;
    if global.json {
        return write_json(out, &json!({ "cells": cells }));
    }
    Ok(writeln!(out, "{cells}")?)
}
