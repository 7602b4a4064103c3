//! `tdb consolidate`: merges the fragments, commits or metadata of an array or group.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use tdb::engine::array::{
    Array, ArrayError, ChangeOptions, ErrorKind, Fragment, HistoryGap, ObjectType, TimestampedName,
};
use tdb::engine::consolidate::{
    History, MergeOptions, MergePlan, Plan, Step, VacuumOptions, consolidate_array_metadata,
    consolidate_commits, consolidate_fragment_metadata, consolidate_group_metadata, plan_merge,
    plan_merged_array_metadata, plan_merged_commits, plan_merged_footers,
    plan_merged_group_metadata,
};

use super::progress::Line;
use super::vacuum::{self, RemovedObjects, Removing, gaps_json};
use super::{change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{bytes, plural};
use tdb::engine::tile::Exact;
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tdb consolidate target/weather\n  \
    tdb consolidate target/weather --mode commits --dry-run\n\n\
    Of fragments, --since and --at select those written entirely within that time. Fragments with a time in the future, as from a \
    clock that was ahead, are not merged unless --at includes them. Without --fragments, all neighbours in time that can be merged are \
    merged; --config sm.consolidation.steps and the like change that, and sm.consolidation.amplification limits how many times as many \
    cells a merged dense fragment may have (default 2).\n\n\
    Fragments and objects that a merge replaced stay until `tdb vacuum` or --vacuum removes them.")]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
    /// What to merge [default: fragments of an array, metadata of a group]
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Merge exactly these fragments, given by name, together
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    fragments: Vec<String>,
    /// Drop the times of cells: times before the end of the merged fragment become unreadable
    #[arg(long, conflicts_with = "purge_deleted")]
    no_timestamps: bool,
    /// Also drop deleted cells, and the cells that they had replaced
    #[arg(long)]
    purge_deleted: bool,
    /// Also merge fragments with attributes that were dropped since: earlier times lose their values
    #[arg(long)]
    forget_dropped: bool,
    /// Remove what the merge replaced at once: processes that opened the array before may fail
    #[arg(long, conflicts_with = "dry_run")]
    vacuum: bool,
    /// Print what would be done, without doing it
    #[arg(long)]
    dry_run: bool,
}

/// What of an array or group is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// The fragments of an array
    Fragments,
    /// The footers of the fragments
    FragmentMeta,
    /// The commits
    Commits,
    /// The metadata of an array
    ArrayMeta,
    /// The metadata of a group
    GroupMeta,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let uri = &arguments.uri;
    let mode = match arguments.mode {
        Some(mode) => mode,
        None => match place::folder(uri, &global.counts)?.object_type()? {
            ObjectType::Group => Mode::GroupMeta,
            _ => Mode::Fragments,
        },
    };
    if mode == Mode::Fragments {
        return fragments(arguments, global, out);
    }
    if !arguments.fragments.is_empty() || arguments.no_timestamps || arguments.purge_deleted {
        return Err(Failure::invalid(
            "--fragments, --no-timestamps and --purge-deleted are for --mode fragments",
        ));
    }
    if global.at().is_some() && matches!(mode, Mode::FragmentMeta | Mode::Commits) {
        return Err(Failure::invalid("--at cannot be used with this --mode"));
    }
    let change = change::options(global)?;
    let context = context(global)?;
    let (location, plan) = match mode {
        Mode::GroupMeta => {
            let location = place::group(uri, &global.counts)?;
            let group = change::opener(context.clone(), global).group(&location)?;
            let plan = if arguments.dry_run {
                plan_merged_group_metadata(group.engine(), &change)
            } else {
                consolidate_group_metadata(group.engine(), &change)
            };
            (location, plan)
        }
        mode => {
            let location = place::array(uri, &global.counts)?;
            // Footers and commits are merged regardless of their timestamps: merging them changes no read.
            let opener = match mode {
                Mode::FragmentMeta | Mode::Commits => Opener::of_everything(context.clone()),
                _ => change::opener(context.clone(), global),
            };
            let array = opener.array(&location)?;
            let plan = of_array(array.engine(), mode, &change, arguments.dry_run);
            (location, plan)
        }
    };
    let mut plan = plan.map_err(|error| Failure::in_place(error, &location))?;
    let notes = std::mem::take(&mut plan.notes);
    let now = global.now.0;
    let until = change.timestamp.filter(|time| *time > now);
    let opener = Opener::of_everything(context);
    let options = vacuum_options(until, change);
    let removing = Removing::silent(&location, &opener, &options);
    let vacuumed = vacuum_merged(arguments, mode, &removing, out)?;
    if global.json {
        let text = plan.to_string();
        let steps: Vec<&str> = text.lines().collect();
        return write_json(
            out,
            &json!({
                "dry_run": arguments.dry_run,
                "steps": steps,
                "notes": notes,
                "vacuum": vacuumed.map(|vacuumed| vacuumed.json(false)),
            }),
        );
    }
    notes.iter().for_each(|note| out.note(note));
    if plan.is_empty() {
        out.note(NOTHING);
    }
    if arguments.dry_run {
        write!(out, "{plan}")?;
    } else if let Some(merged) = told_as_merged(mode, &plan) {
        out.note(&merged);
    }
    if matches!(mode, Mode::ArrayMeta | Mode::GroupMeta) {
        tell_lost(&merged_metadata(&plan), vacuumed.as_ref(), out);
    }
    tell_freed(vacuumed.as_ref(), out);
    Ok(())
}

/// With `--vacuum`, removes the merged objects.
fn vacuum_merged(
    arguments: &Arguments,
    mode: Mode,
    removing: &Removing<'_>,
    out: &mut Output,
) -> Result<Option<RemovedObjects>, Failure> {
    if !arguments.vacuum {
        return Ok(None);
    }
    let mode = match mode {
        Mode::Fragments => tdb::engine::consolidate::Mode::Fragments,
        Mode::FragmentMeta => tdb::engine::consolidate::Mode::FragmentMetadata,
        Mode::Commits => tdb::engine::consolidate::Mode::Commits,
        Mode::ArrayMeta | Mode::GroupMeta => tdb::engine::consolidate::Mode::Metadata,
    };
    vacuum::vacuum(removing, &[mode], out).map(Some)
}

/// Options for removing what was merged; if the merge included objects with a future timestamp, up to `until`.
fn vacuum_options(until: Option<u64>, change: ChangeOptions) -> VacuumOptions {
    VacuumOptions::default()
        .grace(Duration::ZERO)
        .until(until)
        .change(change)
}

/// Notes which times can no longer be read, or could not be read after a vacuum.
fn tell_lost(gaps: &[HistoryGap], vacuumed: Option<&RemovedObjects>, out: &Output) {
    let lost = match vacuumed {
        Some(vacuumed) => vacuumed.told_as_lost(false),
        None => vacuum::told_as_lost(gaps, "once what was merged is vacuumed,"),
    };
    if let Some(lost) = lost {
        out.note(&lost);
    }
}

fn tell_freed(vacuumed: Option<&RemovedObjects>, out: &Output) {
    let freed = vacuumed.and_then(|vacuumed| vacuumed.removed.told_as_freed(false));
    if let Some(freed) = freed {
        out.note(&freed);
    }
}

/// Describes the objects that a completed plan has written; `None` if it wrote none.
fn told_as_merged(mode: Mode, plan: &Plan) -> Option<String> {
    let sizes: Vec<u64> = plan
        .steps
        .iter()
        .filter_map(|step| match step {
            // `.vac` files list superfluous objects and contain no merged data.
            Step::Put { key, bytes } if !key.ends_with(".vac") => Some(bytes.len() as u64),
            Step::Put { .. } | Step::Remove(_) | Step::RemoveFolders(_) => None,
        })
        .collect();
    let what = match mode {
        Mode::Fragments => "fragments",
        Mode::FragmentMeta => "the footers of the fragments",
        Mode::Commits => "the commits",
        Mode::ArrayMeta | Mode::GroupMeta => "the metadata",
    };
    let objects = plural(sizes.len() as u64, "object");
    let size = bytes(sizes.iter().sum());
    (!sizes.is_empty()).then(|| format!("merged {what} into {objects} ({size})"))
}

/// Times as of which merged metadata cannot be read after a vacuum.
fn merged_metadata(plan: &Plan) -> Vec<HistoryGap> {
    let names = plan.steps.iter().filter_map(|step| match step {
        Step::Put { key, .. } if !key.ends_with(".vac") => TimestampedName::of_key(key).ok(),
        _ => None,
    });
    names
        .filter_map(|name| HistoryGap::of_merged_metadata(&name))
        .collect()
}

const NOTHING: &str = "there is nothing to merge";

fn of_array(
    array: &Array,
    mode: Mode,
    options: &ChangeOptions,
    dry_run: bool,
) -> Result<Plan, ArrayError> {
    match (mode, dry_run) {
        (Mode::FragmentMeta, false) => consolidate_fragment_metadata(array, options),
        (Mode::FragmentMeta, true) => plan_merged_footers(array, options),
        (Mode::Commits, false) => consolidate_commits(array, options),
        (Mode::Commits, true) => plan_merged_commits(array, options),
        (_, false) => consolidate_array_metadata(array, options),
        (_, true) => plan_merged_array_metadata(array, options),
    }
}

/// Merges fragments of an array.
fn fragments(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::array(&arguments.uri, &global.counts)?;
    let line = Line::new(global);
    let opener = Opener::of_everything(line.of(context(global)?));
    let failed = |error| Failure::in_place(error, &location);
    let opened = opener.array(&location)?;
    let array = opened.engine();
    let options = merge_options(arguments, global, &location)?;
    let plan = plan_merge(array, &options).map_err(failed)?;
    let gaps = plan.gaps(array, &options);
    if arguments.dry_run {
        write_plan(plan, &gaps, global, out)?;
        if !global.json {
            tell_lost(&gaps, None, out);
        }
        return Ok(());
    }
    if !global.json {
        plan.notes.iter().for_each(|note| out.note(note));
        if plan.is_empty() {
            out.note(NOTHING);
        }
    }
    let planned = plan.notes.clone();
    let made = plan.merge(opener.session(), array, &options);
    line.clear();
    let made = made.map_err(|error| Failure::in_place(error, &location))?;
    let names: BTreeSet<&str> = made.fragments.iter().map(TimestampedName::as_str).collect();
    let reopened = opener.array(&location)?;
    let now = reopened.engine();
    let left: BTreeSet<&str> = now
        .fragments()
        .iter()
        .map(|fragment| fragment.name.as_str())
        .collect();
    let all = array.fragments().iter();
    let gone = all.filter(|fragment| !left.contains(fragment.name.as_str()));
    let gone = Amount::of(array, gone)?;
    let new = Amount::of(
        now,
        now.fragments()
            .iter()
            .filter(|new| names.contains(new.name.as_str())),
    )?;
    // The time range selects what is merged and does not limit the vacuum. The exception are fragments merged into
    // one with a future timestamp: `until` includes them in the vacuum that was asked for.
    let until = options.until.filter(|until| *until > global.now.0);
    let options = vacuum_options(until, ChangeOptions::default());
    let removing = Removing::silent(&location, &opener, &options);
    let vacuumed = vacuum_merged(arguments, Mode::Fragments, &removing, out)?;
    if global.json {
        let notes: Vec<&String> = planned.iter().chain(&made.notes).collect();
        return write_json(
            out,
            &json!({
                "dry_run": false,
                "merged": gone.json(),
                "new": new.json(),
                "fragments": names,
                "notes": notes,
                "unreadable_after_vacuum": gaps_json(&gaps),
                "vacuum": vacuumed.map(|vacuumed| vacuumed.json(false)),
            }),
        );
    }
    made.notes.iter().for_each(|note| out.note(note));
    for name in &names {
        writeln!(out, "{name}")?;
    }
    if new.fragments > 0 {
        out.note(&format!("merged {} into {}", gone.text(), new.text()));
        tell_lost(&gaps, vacuumed.as_ref(), out);
    }
    tell_freed(vacuumed.as_ref(), out);
    Ok(())
}

fn write_plan(
    plan: MergePlan,
    gaps: &[HistoryGap],
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (is_empty, notes) = (plan.is_empty(), plan.notes.clone());
    let shown = MergePlan {
        notes: Vec::new(),
        ..plan
    };
    if global.json {
        let text = shown.to_string();
        let steps: Vec<&str> = text.lines().collect();
        return write_json(
            out,
            &json!({
                "dry_run": true,
                "steps": steps,
                "notes": notes,
                "unreadable_after_vacuum": gaps_json(gaps),
            }),
        );
    }
    notes.iter().for_each(|note| out.note(note));
    if is_empty {
        out.note(NOTHING);
    }
    Ok(write!(out, "{shown}")?)
}

/// A number of fragments, with their cells and bytes.
struct Amount {
    fragments: u64,
    cells: u64,
    bytes: u64,
}

impl Amount {
    fn of<'a>(
        array: &Array,
        fragments: impl Iterator<Item = &'a Fragment>,
    ) -> Result<Self, Failure> {
        let mut sum = Self {
            fragments: 0,
            cells: 0,
            bytes: 0,
        };
        let fragments: Vec<&Fragment> = fragments.collect();
        for (fragment, size) in fragments.iter().zip(array.stored_sizes(&fragments)) {
            // A fragment that another process has removed meanwhile no longer has a size.
            let size = match size {
                Err(error) if error.kind() == ErrorKind::NotFound => 0,
                size => size?,
            };
            sum.fragments += 1;
            sum.cells = sum.cells.exact_add(fragment.metadata.cell_count())?;
            sum.bytes = sum.bytes.exact_add(size)?;
        }
        Ok(sum)
    }

    fn text(&self) -> String {
        let (fragments, cells) = (
            plural(self.fragments, "fragment"),
            plural(self.cells, "cell"),
        );
        format!("{fragments} ({cells}, {})", bytes(self.bytes))
    }

    fn json(&self) -> Json {
        json!({ "fragments": self.fragments, "cells": self.cells, "bytes": self.bytes })
    }
}

fn merge_options(
    arguments: &Arguments,
    global: &Global,
    location: &Place,
) -> Result<MergeOptions, Failure> {
    let names = &arguments.fragments;
    let merging = &global.merging;
    let since = global.since.map_or(merging.since, |moment| moment.0);
    let until = global.at().map(|moment| moment.0).or(merging.until);
    if !names.is_empty() && (since > 0 || until.is_some()) {
        return Err(Failure::invalid(
            "--fragments cannot be combined with --since or --at",
        ));
    }
    let history = match (arguments.no_timestamps, arguments.purge_deleted) {
        (true, _) => History::Dropped,
        (_, true) => History::WithoutDeleted,
        _ => global.merging.history,
    };
    Ok(global
        .merging
        .clone()
        .since(since)
        .until(until)
        .fragments((!names.is_empty()).then(|| names.clone()))
        .history(history)
        .forget_dropped(arguments.forget_dropped)
        .uri(Some(tdb::engine::store::join(
            &location.store_uri,
            location.prefix(),
        ))))
}
