//! `tdb consolidate`: what an array or group is stored in, merged.

use std::io::Write;

use clap::{Args, ValueEnum};
use tdb_array::{ArrayError, ObjectType, TimeWindow};
use tdb_consolidate::{
    History, MergeOptions, Plan, consolidate_array_metadata, consolidate_commits,
    consolidate_fragment_metadata, consolidate_group_metadata, plan_merge,
    plan_merged_array_metadata, plan_merged_commits, plan_merged_footers,
    plan_merged_group_metadata,
};

use super::change;
use crate::access::{Access, Change, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tdb consolidate target/weather\n  \
    tdb consolidate target/weather --mode commits --dry-run\n\n\
    Fragments: --since and --at choose those all of whose cells are of that time. Without --fragments, all neighbours \
    in time that may be merged are; --config sm.consolidation.steps and its like say otherwise, and \
    sm.consolidation.amplification how many times as many cells a merged dense fragment may have (2).\n\n\
    What was merged stays until `tdb vacuum` removes it.")]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
    /// What is merged; the fragments of an array, and the metadata of a group, if it is not said
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Just these fragments, by name, all together
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    fragments: Vec<String>,
    /// Fragments without the times of their cells: nothing of before the end of their time can be read then
    #[arg(long, conflicts_with = "purge_deleted")]
    no_timestamps: bool,
    /// Fragments without deleted cells, and those that these had replaced
    #[arg(long)]
    purge_deleted: bool,
    /// Say what would be done, and do nothing
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
    if global.at().is_some() && mode != Mode::GroupMeta {
        return Err(Failure::invalid("--at means nothing to this --mode"));
    }
    let change = Change::new(global, &session(global))?;
    let (location, plan) = match mode {
        Mode::GroupMeta => {
            let location = place::group(uri, &global.counts)?;
            let group = change::open_group_at(&location, &change)?;
            let options = &change.options;
            let plan = match arguments.dry_run {
                true => plan_merged_group_metadata(&group, options),
                false => consolidate_group_metadata(&group, options),
            };
            (location, plan)
        }
        mode => {
            let location = place::array(uri, &global.counts)?;
            let plan = of_array(&location, mode, &change, arguments.dry_run)?;
            (location, plan)
        }
    };
    let plan = plan.map_err(|error| Failure::in_place(error, &location))?;
    if plan.is_empty() {
        out.note(NOTHING);
    }
    if arguments.dry_run {
        write!(out, "{plan}")?;
    }
    Ok(())
}

const NOTHING: &str = "there is nothing to merge";

fn of_array(
    location: &Place,
    mode: Mode,
    change: &Change,
    dry_run: bool,
) -> Result<Result<Plan, ArrayError>, Failure> {
    let array = change::open_array(location, &change.access)?;
    let options = &change.options;
    Ok(match (mode, dry_run) {
        (Mode::FragmentMeta, false) => consolidate_fragment_metadata(&array, options),
        (Mode::FragmentMeta, true) => plan_merged_footers(&array, options),
        (Mode::Commits, false) => consolidate_commits(&array, options),
        (Mode::Commits, true) => plan_merged_commits(&array, options),
        (_, false) => consolidate_array_metadata(&array, options),
        (_, true) => plan_merged_array_metadata(&array, options),
    })
}

/// Merges the fragments of an array.
fn fragments(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::array(&arguments.uri, &global.counts)?;
    let session = session(global);
    let access = Access::new(global, &session)?;
    let array = change::open_array(&location, &access)?;
    let options = merge_options(arguments, global, &location)?;
    let plan = plan_merge(&array, &options).map_err(|error| Failure::in_place(error, &location))?;
    for note in &plan.notes {
        out.note(note);
    }
    if plan.is_empty() {
        out.note(NOTHING);
    }
    if arguments.dry_run {
        let shown = tdb_consolidate::MergePlan {
            notes: Vec::new(),
            ..plan
        };
        write!(out, "{shown}")?;
        return Ok(());
    }
    let made = plan.merge(&session, &array, &options);
    let made = made.map_err(|error| Failure::in_place(error, &location))?;
    for note in &made.notes {
        out.note(note);
    }
    for name in made.fragments {
        writeln!(out, "{name}")?;
    }
    Ok(())
}

fn merge_options(
    arguments: &Arguments,
    global: &Global,
    location: &Place,
) -> Result<MergeOptions, Failure> {
    let names = &arguments.fragments;
    let window = global.merging.window;
    let window = TimeWindow {
        since: global.since.map_or(window.since, |moment| moment.0),
        at: global.at().map_or(window.at, |moment| moment.0),
    };
    if !names.is_empty() && window != TimeWindow::ALL {
        return Err(Failure::invalid(
            "either --fragments or a time says which fragments are merged",
        ));
    }
    let history = match (arguments.no_timestamps, arguments.purge_deleted) {
        (true, _) => History::Dropped,
        (_, true) => History::WithoutDeleted,
        _ => global.merging.history,
    };
    Ok(MergeOptions {
        window,
        fragments: (!names.is_empty()).then(|| names.clone()),
        history,
        uri: Some(tdb_store::join(&location.store_uri, location.prefix())),
        ..global.merging.clone()
    })
}
