//! `tdb advise` and `tdb filters try`: alternative filters and tiles, measured on cells of the array.

mod text;
mod tiles;

use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::engine::tile::Exact;
use tdb::{Trial, Trials};

use self::text::{assigned, rate};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::name;
use crate::open;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, plural, visible};
use crate::parse::{Size, size};

/// Below this many bytes of cells, the measurements say little.
const FEW: u64 = 1 << 20;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb advise fixtures/v22_tour/array\n\n\
    Filters are tried on the first cells of each field, in tiles of the array's size, with one thread. The advised filters are the \
    smallest of those that decode in at most 1.5 times the time of the current ones, or at 1 GB/s. Filters of offsets and of validity are \
    not tried. tdb filters try shows all trials of a field.\n\n\
    Tiles are tried with the current filters, on cells that are written to arrays in memory and read back: capacities and cell \
    orders for sparse arrays, extents for dense ones. The column box is the time for three boxes, each with about 1 % of these cells. Tiles \
    are advised if they take 10 % less space, or if boxes are read in two thirds of the time, and nothing else gets much worse.")]
pub(crate) struct Arguments {
    /// An array
    array: String,
    #[command(flatten)]
    sample: Sample,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb filters try fixtures/v22_tour/array temperature")]
pub(crate) struct TryArguments {
    /// An array
    array: String,
    /// A dimension or an attribute
    #[arg(value_parser = name)]
    field: String,
    #[command(flatten)]
    sample: Sample,
}

#[derive(Debug, Args)]
struct Sample {
    /// Maximum bytes of each field's cells to try
    #[arg(long = "sample", value_name = "SIZE", value_parser = size, default_value = "16MiB")]
    bytes: Size,
}

/// Prints which filters and tiles would serve the array better, with the command that applies them.
pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let array = open::array(&arguments.array, global, out)?;
    let most = Some(arguments.sample.bytes.0);
    let mut all: Vec<Trials> = Vec::new();
    for field in array.filtered_fields() {
        all.push(array.try_filters(field, most)?);
    }
    let tiles = array.try_tiles(most)?;
    if global.json {
        let filters: Vec<Json> = all.iter().map(as_json).collect();
        return write_json(
            out,
            &json!({ "filters": filters, "tiles": tiles::as_json(&tiles) }),
        );
    }
    let mut command = write_filters(&all, out)?;
    let look = out.look;
    if let Some(table) = tiles::table(&tiles) {
        writeln!(out)?;
        table.write(out, look)?;
    }
    command.push_str(&tiles::options(&tiles));
    let mut sizes = all.iter().map(|trials| trials.bytes);
    let tried = sizes.try_fold(0_u64, |sum, size| sum.exact_add(size))?;
    if tried < FEW {
        let tried = bytes(tried);
        out.warn(&format!(
            "only {tried} were tried: more cells may give another result"
        ));
    }
    if command.is_empty() {
        out.note("no better filters or tiles were found");
    } else {
        out.note(&format!(
            "to apply it: tdb rewrite {} NEW{command}",
            arguments.array
        ));
    }
    Ok(())
}

/// Prints a row for each field. Returns the options of `tdb rewrite` that apply the advised filters.
fn write_filters(all: &[Trials], out: &mut Output) -> Result<String, Failure> {
    let mut table = Table::new(&[
        "field",
        "filters",
        ">size",
        ">advised",
        ">size",
        ">smaller by",
    ]);
    let mut command = String::new();
    for trials in all {
        let (Some(current), Some(advised)) = (trials.current(), trials.advised()) else {
            continue;
        };
        let mut row = vec![
            (Role::Title, visible(&trials.field)),
            (Role::Plain, current.filters.clone()),
            (Role::Plain, bytes(current.stored)),
        ];
        if advised.filters != current.filters {
            row.push((Role::Plain, advised.filters.clone()));
            row.push((Role::Plain, bytes(advised.stored)));
            let less = 1.0 - advised.stored as f64 / current.stored.max(1) as f64;
            row.push((Role::Plain, format!("{:.0} %", less * 100.0)));
            let option = assigned(&trials.field, &advised.filters);
            command.push_str(&format!(" --filters {option}"));
        }
        table.painted(row);
    }
    let look = out.look;
    table.write(out, look)?;
    Ok(command)
}

/// Prints all trials of one field.
pub(crate) fn of_field(
    arguments: &TryArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let array = open::array(&arguments.array, global, out)?;
    let trials = array.try_filters(&arguments.field, Some(arguments.sample.bytes.0))?;
    if global.json {
        return write_json(out, &as_json(&trials));
    }
    let mut table = Table::new(&["filters", ">size", ">ratio", ">written", ">read", ""]);
    for trial in &trials.trials {
        let ratio = trials.bytes as f64 / trial.stored.max(1) as f64;
        let is_current = if trial.is_current { "today" } else { "" };
        table.painted([
            (Role::Title, trial.filters.clone()),
            (Role::Plain, bytes(trial.stored)),
            (Role::Plain, format!("{ratio:.1}")),
            (Role::Plain, rate(trials.bytes, trial.writing)),
            (Role::Plain, rate(trials.bytes, trial.reading)),
            (Role::Dim, is_current.to_owned()),
        ]);
    }
    let look = out.look;
    table.write(out, look)?;
    let cells = plural(trials.cells, "cell");
    out.note(&format!("{cells}, {} without filters", bytes(trials.bytes)));
    Ok(())
}

fn as_json(trials: &Trials) -> Json {
    let of_trial = |trial: &Trial| {
        json!({
            "filters": trial.filters,
            "current": trial.is_current,
            "stored": trial.stored,
            "writing_seconds": trial.writing.as_secs_f64(),
            "reading_seconds": trial.reading.as_secs_f64(),
        })
    };
    json!({
        "field": trials.field,
        "cells": trials.cells,
        "bytes": trials.bytes,
        "advised": trials.advised().map(|trial| &trial.filters),
        "trials": trials.trials.iter().map(of_trial).collect::<Vec<_>>(),
    })
}
