//! `tdb write`: writes cells from a file into an array.

mod arguments;
mod replacing;

use std::io::Write;

use serde_json::json;
use tdb::WrittenCells;
use tdb::engine::array::LaterObjects;

use super::change::{self, later_json, tell_later};
use super::progress::Line;
use super::{ranges, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;

use arguments::Order;
pub(crate) use arguments::{Arguments, DuplicateRule, Sorting};

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if arguments.replace {
        return replacing::run(arguments, global, out);
    }
    let line = Line::new(global);
    let context = line.of(context(global)?);
    change::options(global)?;
    let array = context.open(&arguments.array)?;
    let intervals = [&arguments.ranges[..], &[]];
    let range_file = arguments.range_file.as_deref();
    let schema = array.engine().newest_schema();
    let ranges = ranges::of_arguments(schema, intervals, range_file, global.ticks)?;
    if ranges.is_nothing {
        let failure =
            Failure::invalid("--range-file: an empty list of intervals selects nothing to write");
        return Err(failure.hint("leave out the dimension to write all of it"));
    }
    let options = arguments
        .sorting
        .options(global)
        .ranges(ranges.dimensions)
        .order(arguments.order.map(Order::of_cells));
    let mut write = array
        .write()
        .with_options(options)
        .dry_run(arguments.dry_run);
    if arguments.enum_codes {
        write = write.enumeration_codes();
    }
    let written = write.file(arguments.input.file(global));
    line.clear();
    let written = written?;
    global.note_zoned(&written.zoned);
    tell(&written, array.later(), arguments.dry_run, global, out)
}

/// Prints how many cells were written in how many fragments.
fn tell(
    written: &WrittenCells,
    later: Option<LaterObjects>,
    dry_run: bool,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if global.json {
        let told = json!({
            "cells": written.cells,
            "fragments": written.fragments,
            "dry_run": dry_run,
            "later": later_json(later, global),
        });
        return write_json(out, &told);
    }
    if written.cells > 0 {
        tell_later(later, global, out);
    }
    let cells = plural(written.cells, "cell");
    if dry_run {
        return Ok(writeln!(out, "would write {cells}")?);
    }
    if written.cells == 0 {
        out.note("there are no cells: nothing was written");
    } else {
        let fragments = plural(written.fragments.len() as u64, "fragment");
        out.note(&format!("wrote {cells} in {fragments}"));
    }
    Ok(())
}
