//! `tdb restore`: restores the state of an array at an earlier time.

use std::io::Write;

use clap::Args;
use serde_json::json;
use tdb::engine::consolidate::VacuumOptions;
use tdb::{Context, RestoreOptions, RestoredCells, Time, place};

use super::change::{self, later_json, tell_later};
use super::vacuum::{RemovedObjects, Removing};
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{count, plural};
use crate::parse::moment;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb restore target/weather --to -2h --dry-run\n  tdb restore target/weather --to 2024-04-11\n  \
    tdb restore target/weather --to 2024-04-11 --remove --dry-run\n\n\
    Cells and metadata are restored by a new write: all times stay readable, so a restore can itself be undone. Times whose state was \
    merged and vacuumed are refused; tdb info lists them. --remove permanently removes everything later instead, and no other process \
    may change the array meanwhile. tdb log lists the times of changes, tdb diff shows what has changed since."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// The time to restore: milliseconds since 1970, RFC 3339, a date, or -2h
    #[arg(long, value_name = "T", value_parser = moment, allow_hyphen_values = true)]
    pub(crate) to: Time,
    /// Permanently remove everything later: fragments, deletes, schemas and metadata
    #[arg(long)]
    remove: bool,
    /// Restore even if a merge has left out cells that were deleted since, so that some may be missing
    #[arg(long, conflicts_with = "remove")]
    allow_incomplete: bool,
    /// Print what would be done, without doing it
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    if arguments.remove {
        return remove(arguments, &context, global, out);
    }
    change::options(global)?;
    let mut options = RestoreOptions::default().dry_run(arguments.dry_run);
    options = options.allow_incomplete(arguments.allow_incomplete);
    options.change.timestamp = global.at().map(|time| time.0);
    let array = context.open(&arguments.array)?;
    let restored = array.restore_with(arguments.to, &options)?;
    tell_later(array.later(), global, out);
    if global.json {
        return write_json(
            out,
            &json!({
                "returned": restored.cells.added,
                "removed": restored.cells.removed,
                "changed": restored.cells.changed,
                "written": restored.written,
                "fragments": restored.fragments,
                "metadata": restored.metadata,
                "dry_run": arguments.dry_run,
                "later": later_json(array.later(), global),
            }),
        );
    }
    let verb = if arguments.dry_run {
        "restore"
    } else {
        "restored"
    };
    Ok(writeln!(
        out,
        "{verb} {}: {}",
        arguments.array,
        told(&restored)
    )?)
}

/// Removes, for good, everything written after the time.
fn remove(
    arguments: &Arguments,
    context: &Context,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if global.at().is_some() {
        let failure = Failure::invalid("--at cannot be used with restore --remove");
        return Err(failure.hint("use --to for the time to restore"));
    }
    change::options(global)?;
    let location = place::array(&arguments.array, &global.counts)?;
    let array = context.open(&arguments.array)?;
    let opener = Opener::of_everything(context.clone());
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
    let plan = |options: &VacuumOptions| array.plan_removal_after(arguments.to, options);
    removing.remove(plan, &mut done, out)?;
    if done.is_empty() && !global.json {
        out.note("nothing was written after that time: nothing to remove");
        return Ok(());
    }
    removing.tell(&done, "written", global, out)
}

/// Describes the changes: `cells: 3 returned, 2 removed, 1 changed; metadata: 1 key`.
fn told(restored: &RestoredCells) -> String {
    let cells = restored.cells;
    let mut text = if cells.added == 0 && cells.removed == 0 && cells.changed == 0 {
        "no cell differs".to_owned()
    } else {
        format!(
            "cells: {} returned, {} removed, {} changed",
            count(cells.added),
            count(cells.removed),
            count(cells.changed)
        )
    };
    if !restored.metadata.is_empty() {
        let keys = plural(restored.metadata.len() as u64, "key");
        text.push_str(&format!("; metadata: {keys}"));
    }
    text
}
