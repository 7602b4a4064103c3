//! `tdb advise`, `tdb filters try`: other filters, measured on cells of the array.

use std::time::Duration;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::{Trial, Trials};

use super::{open_front, write_json};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, plural, visible};
use crate::parse::{Size, size};

/// Bytes of cells that tell little.
const FEW: u64 = 1 << 20;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb advise fixtures/v22_tour/array\n\n\
    Filters are tried on the first cells of each field, in tiles as the array has them, by one thread. What is advised takes the \
    least of what is read in at most one and a half times the time of today's filters, or a gigabyte in a second; filters of offsets and of validity are not \
    tried. tdb filters try shows all trials of a field.")]
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
    field: String,
    #[command(flatten)]
    sample: Sample,
}

#[derive(Debug, Args)]
struct Sample {
    /// How many bytes of cells of a field are tried at most
    #[arg(long = "sample", value_name = "SIZE", value_parser = size, default_value = "16MiB")]
    bytes: Size,
}

/// Says of each field which filters would serve better, and how to have them.
pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let array = open_front(&arguments.array, global, out)?;
    let mut all: Vec<Trials> = Vec::new();
    for field in array.filtered_fields() {
        all.push(array.try_filters(field, Some(arguments.sample.bytes.0))?);
    }
    if global.json {
        return write_json(out, &all.iter().map(as_json).collect());
    }
    let mut table = Table::new(&[
        "field",
        "filters",
        ">size",
        ">advised",
        ">size",
        ">smaller by",
    ]);
    let mut command = String::new();
    for trials in &all {
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
            command.push_str(&format!(" --filters {}", option(&trials.field, advised)));
        }
        table.painted(row);
    }
    let look = out.look;
    table.write(out, look)?;
    let tried: u64 = all.iter().map(|trials| trials.bytes).sum();
    if tried < FEW {
        let tried = bytes(tried);
        out.warn(&format!(
            "only {tried} were tried: with more cells, others may serve better"
        ));
    }
    if command.is_empty() {
        out.note("the filters serve as well as any that were tried");
    } else {
        out.note(&format!(
            "tdb rewrite {} NEW{command} applies it",
            arguments.array
        ));
    }
    Ok(())
}

/// All trials of a field.
pub(crate) fn of_field(
    arguments: &TryArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let array = open_front(&arguments.array, global, out)?;
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

/// What `--filters` of `tdb rewrite` takes, as a shell takes it.
fn option(field: &str, trial: &Trial) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !field.is_empty() && field.chars().all(is_plain) {
        return format!("{field}={}", trial.filters);
    }
    let field = field.replace('"', "\"\"").replace('\'', "'\\''");
    format!("'\"{field}\"={}'", trial.filters)
}

/// Bytes in a second.
fn rate(size: u64, time: Duration) -> String {
    let nanos = time.as_nanos().max(1);
    let rate = u128::from(size).saturating_mul(1_000_000_000) / nanos;
    u64::try_from(rate).map_or_else(|_| String::new(), |rate| format!("{}/s", bytes(rate)))
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
