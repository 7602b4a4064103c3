//! `tdb vacuum`: what was merged, removed; `tdb clean`: what abandoned writes have left.

use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use tdb_array::{ChangeOptions, Location, ObjectType};
use tdb_consolidate::{Mode, Plan, Step, VacuumOptions, debris, plan_vacuum};

use super::change;
use super::removal::Removal;
use super::write_json;
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::parse::duration;
use tdb::place::{self, Place};

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
    let is_shown = !global.json;
    let done = vacuum(
        &location,
        &place,
        &modes,
        &options,
        arguments.dry_run,
        is_shown,
        out,
    )?;
    if global.json {
        return write_json(out, &done.json(arguments.dry_run));
    }
    let (young, freed) = (
        done.young.told_as_young(options.grace),
        done.removed.told_as_freed(arguments.dry_run),
    );
    match (young, freed) {
        (Some(young), None) => out.warn(&format!("nothing is removed: {young}")),
        (None, None) => out.note("there is nothing to remove"),
        (young, freed) => freed
            .into_iter()
            .chain(young)
            .for_each(|note| out.note(&note)),
    }
    Ok(())
}

/// What a vacuum did, or would do.
pub(super) struct Vacuumed {
    pub(super) removed: Removal,
    young: Removal,
    keys: Vec<String>,
}

impl Vacuumed {
    pub(super) fn json(&self, dry_run: bool) -> Json {
        json!({
            "dry_run": dry_run,
            "removed": self.removed.json(),
            "left_young": self.young.json(),
            "keys": self.keys,
        })
    }
}

/// Removes what was merged; a line for each fragment or object, if that is to be shown.
pub(super) fn vacuum(
    location: &Place,
    place: &Location,
    modes: &[Mode],
    options: &VacuumOptions,
    dry_run: bool,
    is_shown: bool,
    out: &mut Output,
) -> Result<Vacuumed, Failure> {
    let failed = |error| Failure::in_place(error, location);
    let at_once = VacuumOptions {
        grace: Duration::ZERO,
        ..options.clone()
    };
    let mut done = Vacuumed {
        removed: Removal::default(),
        young: Removal::default(),
        keys: Vec::new(),
    };
    for mode in modes {
        let plan_with =
            |options: &VacuumOptions| plan_vacuum(place, *mode, options).map_err(failed);
        let mut plan = plan_with(options)?;
        if !plan.notes.is_empty() {
            let all = plan_with(&at_once)?;
            done.young.add(&plan, &all, place).map_err(failed)?;
            // What is young is told all together.
            plan.notes.retain(|note| all.notes.contains(note));
        }
        let none = Plan::default();
        done.removed.add(&none, &plan, place).map_err(failed)?;
        for step in &plan.steps {
            if let Step::Remove(keys) | Step::RemoveFolders(keys) = step {
                done.keys.extend(keys.iter().cloned());
            }
        }
        let carried = carry_out(&plan, place, options, !dry_run, is_shown, out);
        carried.map_err(|failure| failure.at(&location.uri))?;
    }
    Ok(done)
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
    carry_out(
        &plan,
        array.location(),
        &options,
        arguments.apply,
        true,
        out,
    )
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
    is_shown: bool,
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
    if is_shown {
        write!(out, "{shown}")?;
    }
    Ok(())
}
