//! `tdb delete`: deletes cells or whole fragments of an array.

use std::io::Write;

use clap::{ArgGroup, Args};
use serde_json::{Value as Json, json};
use tdb::engine::array::TimeWindow;
use tdb::engine::change::{DeleteError, DeleteOptions, Deletion, delete_cells};
use tdb::engine::condition::ConditionError;
use tdb::engine::consolidate::{VacuumOptions, plan_fragment_removal};

use super::selection::warn_of_labels;
use super::vacuum::{RemovedObjects, Removing};
use super::{change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::shortened;
use tdb::place;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["condition", "fragments"]),
    after_help = "Examples:\n  tdb delete target/weather --where 'temperature < -5'\n  \
    tdb delete target/weather --fragments --at 2024-01-01T00:00:00Z --dry-run"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Delete the cells that match, unless cells that are null or NaT in a compared field would go as well
    #[arg(long = "where", value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) condition: Option<String>,
    /// Also delete cells in which a compared field is null, NaN, NaT, without a label, or newer than the cell
    #[arg(long, requires = "condition")]
    with_nulls: bool,
    /// Delete only cells that match --where, by their coordinates if the condition cannot be stored exactly
    #[arg(
        long,
        alias = "without-nulls",
        requires = "condition",
        conflicts_with = "with_nulls"
    )]
    by_coordinates: bool,
    /// Permanently remove the fragments written from --since to --at
    #[arg(long)]
    pub(crate) fragments: bool,
    /// Print what would be done, without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Hint for conditions that cannot be stored as a delete condition.
const BY_COORDINATES: &str = "use --by-coordinates; or, if null cells may be deleted as well, leave out that test and use \
    --with-nulls";

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match &arguments.condition {
        Some(text) => cells(arguments, text, global, out),
        None => fragments(arguments, global, out),
    }
}

fn fragments(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if global.at().is_none() {
        let failure = Failure::invalid(
            "--fragments needs --at, the end of the time in which they were written",
        );
        return Err(
            failure.hint("use --since to set the start of that time, by default the first write")
        );
    }
    let window = TimeWindow {
        since: global
            .since
            .map_or(TimeWindow::ALL.since, |moment| moment.0),
        at: global.at().map_or(TimeWindow::ALL.at, |moment| moment.0),
    };
    if window.since > window.at {
        let what = format!("--since {} is after --at {}", window.since, window.at);
        return Err(Failure::invalid(what));
    }
    let location = place::array(&arguments.array, &global.counts)?;
    let opener = Opener::of_everything(context(global)?);
    let place = opener.location(&location);
    let options = VacuumOptions::default();
    let removing = Removing {
        location: &location,
        opener: &opener,
        options: &options,
        dry_run: arguments.dry_run,
        is_shown: !global.json,
        way: "--grace 0s",
    };
    let mut done = RemovedObjects::default();
    let plan = |options: &VacuumOptions| plan_fragment_removal(&place, window, options);
    removing.remove(plan, &mut done, out)?;
    if done.is_empty() {
        out.note("there are no fragments of that time: nothing is removed");
        if !global.json {
            return Ok(());
        }
    }
    removing.tell(&done, "written", global, out)
}

fn cells(
    arguments: &Arguments,
    text: &str,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let change = change::options(global)?;
    let location = place::array(&arguments.array, &global.counts)?;
    let opener = Opener::until(context(global)?, global.now.0);
    let (session, opened) = (opener.session(), opener.array(&location)?);
    let array = opened.engine();
    if array.newest_schema().is_dense() {
        let what = format!(
            "{}: cells of dense arrays cannot be deleted",
            arguments.array
        );
        let hint = "use --fragments to permanently remove what was written in a period";
        return Err(Failure::invalid(what).hint(hint));
    }
    let condition = tdb::parse_condition_of(array, text, session.limits())?;
    warn_of_labels(array, &condition, out)?;
    let options = DeleteOptions::default()
        .change(change)
        .with_nulls(arguments.with_nulls)
        .by_coordinates(arguments.by_coordinates)
        .dry_run(arguments.dry_run);
    let deletion = delete_cells(session, array, &condition, &options).map_err(|error| {
        let way_round = match &error {
            DeleteError::TakesMore { .. } => {
                Some("use --by-coordinates to delete only the cells that match, or --with-nulls to delete the others as well; add --dry-run to count them")
            }
            DeleteError::TooManyPlaces { .. } => {
                Some("delete them in parts, with a range of a dimension in --where")
            }
            DeleteError::Condition(ConditionError::NotStorable { .. }) => Some(BY_COORDINATES),
            DeleteError::Condition(ConditionError::NotHeld { .. }) => {
                Some("use --by-coordinates to delete these cells by their coordinates")
            }
            _ => None,
        };
        let failure = Failure::in_place(error, &location);
        match way_round {
            Some(way_round) => failure.further_hint(way_round),
            None => failure,
        }
    })?;
    if global.json {
        let later = change::later_json(array.later(), global);
        return write_json(out, &as_json(&deletion, arguments.dry_run, &later));
    }
    if deletion.taken > 0 {
        change::tell_later(array.later(), global, out);
    }
    let verb = if arguments.dry_run {
        "delete"
    } else {
        "deleted"
    };
    let Deletion {
        cells,
        taken,
        beyond,
        ..
    } = deletion;
    let text = shortened(text);
    write!(out, "{verb} cells where {text}: {taken} of {cells}")?;
    if beyond > 0 {
        write!(out, ", {beyond} of which do not match")?;
    }
    Ok(writeln!(out)?)
}

fn as_json(deletion: &Deletion, dry_run: bool, later: &Json) -> Json {
    json!({
        "cells": deletion.cells,
        "fitting": deletion.fitting,
        "deleted": deletion.taken,
        "dry_run": dry_run,
        "later": later,
    })
}
