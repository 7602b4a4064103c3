//! `tdb vacuum`: what was merged, removed; `tdb clean`: what abandoned writes have left.

use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tdb_array::{ChangeOptions, Location, ObjectType};
use tdb_consolidate::{Mode, Plan, VacuumOptions, debris, plan_vacuum};

use super::change;
use super::young::Young;
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::parse::duration;
use tdb::place;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb vacuum target/weather --mode commits --grace 2h --dry-run")]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
    /// What is removed where it was merged; of an array everything, if it is not said
    #[arg(long, value_enum)]
    mode: Option<VacuumMode>,
    #[command(flatten)]
    grace: Grace,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb clean target/weather --apply")]
pub(crate) struct CleanArguments {
    /// An array
    array: String,
    #[command(flatten)]
    grace: Grace,
    /// Remove it, too
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Grace {
    /// Leave alone what is younger: who opened the array before may still read it. `0s`, `10m`, `2h`
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    grace: Duration,
}

/// What a vacuum removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VacuumMode {
    /// Fragments
    Fragments,
    /// Older footers of fragments
    FragmentMeta,
    /// Commits
    Commits,
    /// The metadata of an array
    ArrayMeta,
    /// The metadata of a group
    GroupMeta,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let uri = &arguments.uri;
    let location = place::folder(uri, &global.counts)?;
    let change = Change::new(global, &session(global))?;
    let place = change.access.to(&location);
    let options = options(&arguments.grace, change.options);
    let modes = match (location.object_type()?, arguments.mode) {
        (ObjectType::Array, None) => vec![
            Mode::Fragments,
            Mode::FragmentMetadata,
            Mode::Commits,
            Mode::Metadata,
        ],
        (ObjectType::Array, Some(VacuumMode::Fragments)) => vec![Mode::Fragments],
        (ObjectType::Array, Some(VacuumMode::FragmentMeta)) => vec![Mode::FragmentMetadata],
        (ObjectType::Array, Some(VacuumMode::Commits)) => vec![Mode::Commits],
        (ObjectType::Array, Some(VacuumMode::ArrayMeta))
        | (ObjectType::Group, None | Some(VacuumMode::GroupMeta)) => vec![Mode::Metadata],
        (ObjectType::Array, Some(VacuumMode::GroupMeta)) => {
            return Err(Failure::invalid(format!(
                "{uri}: is an array, and --mode group-meta is for groups"
            )));
        }
        (ObjectType::Group, Some(_)) => {
            return Err(Failure::invalid(format!(
                "{uri}: is a group, whose only --mode is group-meta"
            )));
        }
        (ObjectType::Invalid, _) => return Err(place::nothing(uri, "array or group").into()),
    };
    let at_once = VacuumOptions {
        grace: Duration::ZERO,
        ..options.clone()
    };
    let (mut young, mut is_empty) = (Young::default(), true);
    for mode in modes {
        let plan_with = |options: &VacuumOptions| {
            let plan = plan_vacuum(&place, mode, options);
            plan.map_err(|error| Failure::in_place(error, &location))
        };
        let mut plan = plan_with(&options)?;
        if !plan.notes.is_empty() {
            let all = plan_with(&at_once)?;
            let added = young.add(&plan, &all, &place);
            added.map_err(|error| Failure::in_place(error, &location))?;
            // What is young is told all together.
            plan.notes.retain(|note| all.notes.contains(note));
        }
        is_empty &= plan.is_empty();
        carry_out(&plan, &place, &options, !arguments.dry_run, out)
            .map_err(|failure| failure.at(uri))?;
    }
    match (young.told(options.grace), is_empty) {
        (Some(told), true) => out.warn(&format!("nothing is removed: {told}")),
        (Some(told), false) => out.note(&told),
        (None, true) => out.note("there is nothing to remove"),
        (None, false) => {}
    }
    Ok(())
}

pub(crate) fn clean(
    arguments: &CleanArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let location = place::array(&arguments.array, &global.counts)?;
    let Change { access, options } = Change::new(global, &session(global))?;
    let options = self::options(&arguments.grace, options);
    let array = change::open_array(&location, &access)?;
    let plan = debris(&array, &options).map_err(|error| Failure::in_place(error, &location))?;
    carry_out(&plan, array.location(), &options, arguments.apply, out)
        .map_err(|failure| failure.at(&arguments.array))
}

pub(crate) fn options(grace: &Grace, change: ChangeOptions) -> VacuumOptions {
    VacuumOptions {
        grace: grace.grace,
        change,
        ..VacuumOptions::default()
    }
}

/// Does what a plan says if it is to be done, and shows it.
pub(crate) fn carry_out(
    plan: &Plan,
    place: &Location,
    options: &VacuumOptions,
    apply: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    for note in &plan.notes {
        out.warn(note);
    }
    let shown = Plan {
        notes: Vec::new(),
        ..plan.clone()
    };
    if apply {
        plan.vacuum(place, options)?;
    }
    Ok(write!(out, "{shown}")?)
}
