//! `tdb vacuum` removes what consolidation replaced; `tdb clean` removes what abandoned writes left behind.

use std::io::Write;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use tdb::engine::array::directory::METADATA_FOLDER;
use tdb::engine::array::{
    ArrayError, ChangeOptions, HistoryGap, LostContent, ObjectType, TimestampedName,
};
use tdb::engine::consolidate::{Mode, Plan, Step, VacuumOptions, debris, plan_vacuum};

use tdb::engine::schema::value::rfc3339;

use super::change;
use super::removal::Removal;
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::parse::duration;
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb vacuum target/weather --mode commits --grace 2h --dry-run")]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
    /// What to remove [default: everything that was merged]
    #[arg(long, value_enum)]
    mode: Option<VacuumMode>,
    #[command(flatten)]
    grace: Grace,
    /// Print what would be removed, without removing it
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
    /// Remove what was found, instead of only listing it
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Grace {
    /// Keep what is younger, since open readers may still need it: 0s, 10m, 2h
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10m")]
    grace: Duration,
}

/// What a vacuum removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VacuumMode {
    /// Fragments
    Fragments,
    /// Consolidated footers of fragments that were replaced
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
    let change = change::options(global)?;
    let opener = Opener::of_everything(context(global)?);
    let options = options(&arguments.grace, change);
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
        (ObjectType::Invalid, _) => return Err(location.nothing("array or group").into()),
    };
    let removing = Removing {
        location: &location,
        opener: &opener,
        options: &options,
        dry_run: arguments.dry_run,
        is_shown: !global.json,
        way: "--grace 0s",
    };
    let done = vacuum(&removing, &modes, out)?;
    removing.tell(&done, "merged", global, out)
}

/// Objects that a vacuum, or another plan, has removed or would remove.
#[derive(Default)]
pub(super) struct RemovedObjects {
    pub(super) removed: Removal,
    young: Removal,
    keys: Vec<String>,
    gaps: Vec<HistoryGap>,
}

impl RemovedObjects {
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn json(&self, dry_run: bool) -> Json {
        json!({
            "dry_run": dry_run,
            "removed": self.removed.json(),
            "left_young": self.young.json(),
            "keys": self.keys,
            "unreadable": gaps_json(&self.gaps),
        })
    }

    /// Says in one line which times can no longer be read; `None` if there are none.
    pub(super) fn told_as_lost(&self, dry_run: bool) -> Option<String> {
        let when = if dry_run { "afterwards," } else { "now" };
        told_as_lost(&self.gaps, when)
    }
}

/// Formats history gaps as JSON.
pub(crate) fn gaps_json(gaps: &[HistoryGap]) -> Json {
    let gaps = gaps.iter().map(|gap| {
        let what = match &gap.what {
            LostContent::Cells => "cells",
            LostContent::DeletedCells => "deleted cells",
            LostContent::Attribute(_) => "attribute",
            LostContent::Metadata => "metadata",
        };
        let attribute = match &gap.what {
            LostContent::Attribute(name) => Some(name),
            _ => None,
        };
        json!({
            "start": gap.start,
            "end": gap.end,
            "what": what,
            "attribute": attribute,
            "certain": gap.is_certain(),
        })
    });
    gaps.collect()
}

/// Removes merged objects.
pub(super) fn vacuum(
    removing: &Removing<'_>,
    modes: &[Mode],
    out: &mut Output,
) -> Result<RemovedObjects, Failure> {
    let place = removing.opener.location(removing.location);
    let mut done = RemovedObjects::default();
    for mode in modes {
        let plan = |options: &VacuumOptions| plan_vacuum(&place, *mode, options);
        removing.remove(plan, &mut done, out)?;
    }
    done.gaps = removing.gaps(&done.keys)?;
    Ok(done)
}

/// Says in one line which times can no longer be read; `when` introduces the sentence. `None` if there are no gaps.
pub(super) fn told_as_lost(gaps: &[HistoryGap], when: &str) -> Option<String> {
    let first = gaps.iter().map(|gap| gap.start).min()?;
    let last = gaps.iter().map(|gap| gap.end).max()?;
    let cells = gaps.iter().any(|gap| gap.what != LostContent::Metadata);
    let metadata = gaps.iter().any(|gap| gap.what == LostContent::Metadata);
    let what = match (cells, metadata) {
        (true, true) => "cells and metadata",
        (false, true) => "metadata",
        _ => "cells",
    };
    let spans = match gaps.len() {
        1 => String::new(),
        spans => format!(" (in {spans} spans)"),
    };
    let (first, last) = (rfc3339(first), rfc3339(last));
    Some(format!(
        "{when} {what} can no longer be read as of times from {first} to {last}{spans}"
    ))
}

pub(crate) fn clean(
    arguments: &CleanArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let location = place::array(&arguments.array, &global.counts)?;
    let options = self::options(&arguments.grace, change::options(global)?);
    let opener = Opener::of_everything(context(global)?);
    let array = opener.array(&location)?;
    let removing = Removing {
        location: &location,
        opener: &opener,
        options: &options,
        dry_run: !arguments.apply,
        is_shown: !global.json,
        way: "--grace 0s --apply",
    };
    let mut done = RemovedObjects::default();
    removing.remove(|options| debris(array.engine(), options), &mut done, out)?;
    removing.tell(&done, "written", global, out)
}

pub(crate) fn options(grace: &Grace, change: ChangeOptions) -> VacuumOptions {
    VacuumOptions::default()
        .grace(grace.grace)
        .until(change.timestamp)
        .change(change)
}

/// Location and options of a removal.
pub(super) struct Removing<'a> {
    pub(super) location: &'a Place,
    /// Sees all that was written.
    pub(super) opener: &'a Opener,
    pub(super) options: &'a VacuumOptions,
    pub(super) dry_run: bool,
    /// True if each fragment and object is printed on a line.
    pub(super) is_shown: bool,
    /// Options that also remove objects within the grace period.
    pub(super) way: &'static str,
}

impl<'a> Removing<'a> {
    /// A removal as part of another verb, which reports the result itself.
    pub(super) fn silent(
        location: &'a Place,
        opener: &'a Opener,
        options: &'a VacuumOptions,
    ) -> Self {
        Self {
            location,
            opener,
            options,
            dry_run: false,
            is_shown: false,
            way: "--grace 0s",
        }
    }

    /// Returns the times as of which something can no longer be read once these objects are removed. A `.vac` list is
    /// named after the object into which the listed ones were merged, so the removed lists tell which merges lost their
    /// sources.
    fn gaps(&self, keys: &[String]) -> Result<Vec<HistoryGap>, Failure> {
        let lists = keys.iter().filter(|key| key.ends_with(".vac"));
        let names = lists.filter_map(|key| Some((key, TimestampedName::of_key(key).ok()?)));
        let (metadata, fragments): (Vec<_>, Vec<_>) =
            names.partition(|(key, _)| key.starts_with(METADATA_FOLDER));
        let mut gaps = Vec::new();
        if !fragments.is_empty() {
            let merged: Vec<TimestampedName> =
                fragments.into_iter().map(|(_, name)| name).collect();
            let array = self.opener.array(self.location)?;
            let lost = array.engine().gaps_without_sources(&merged);
            gaps.extend(lost.map_err(|error| Failure::in_place(error, self.location))?);
        }
        let metadata = metadata.iter();
        gaps.extend(metadata.filter_map(|(_, name)| HistoryGap::of_merged_metadata(name)));
        Ok(gaps)
    }

    /// Creates a plan, shows it, carries it out unless this is a dry run, and adds up what is removed and what only
    /// the grace period keeps.
    ///
    /// A plan has notes if it leaves something alone. Then a second plan is made without a grace period: objects that
    /// only the second one removes are kept because of their age, and notes that only the first one has are about
    /// such objects. They are dropped in favour of one summary.
    pub(super) fn remove<E: Into<Failure>>(
        &self,
        plan_with: impl Fn(&VacuumOptions) -> Result<Plan, E>,
        done: &mut RemovedObjects,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let unplanned = |error: E| Failure::in_place(error, self.location);
        let failed = |error: ArrayError| Failure::in_place(error, self.location);
        let place = self.opener.location(self.location);
        let mut plan = plan_with(self.options).map_err(unplanned)?;
        if !plan.notes.is_empty() {
            let at_once = self.options.clone().grace(Duration::ZERO);
            let all = plan_with(&at_once).map_err(unplanned)?;
            let young = done.young.add(&plan, &all, &place);
            young.map_err(failed)?;
            // The caller prints one summary of objects within the grace period.
            plan.notes.retain(|note| all.notes.contains(note));
        }
        let removed = done.removed.add(&Plan::default(), &plan, &place);
        removed.map_err(failed)?;
        for step in &plan.steps {
            if let Step::Remove(keys) | Step::RemoveFolders(keys) = step {
                done.keys.extend(keys.iter().cloned());
            }
        }
        self.carry_out(&mut plan, out)
            .map_err(|failure| failure.at(&self.location.uri))
    }

    fn carry_out(&self, plan: &mut Plan, out: &mut Output) -> Result<(), Failure> {
        for note in std::mem::take(&mut plan.notes) {
            out.warn(&note);
        }
        if !self.dry_run {
            plan.vacuum(&self.opener.location(self.location), self.options)?;
        }
        if self.is_shown {
            write!(out, "{plan}")?;
        }
        Ok(())
    }

    /// Prints a summary; `happened` says what was done to the objects that the grace period keeps, such as `merged`.
    pub(super) fn tell(
        &self,
        done: &RemovedObjects,
        happened: &str,
        global: &Global,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if global.json {
            return write_json(out, &done.json(self.dry_run));
        }
        let (young, freed) = (
            done.young
                .told_as_young(happened, self.options.grace, self.way),
            done.removed.told_as_freed(self.dry_run),
        );
        match (young, freed) {
            (Some(young), None) => out.warn(&format!("nothing is removed: {young}")),
            (None, None) => out.note("there is nothing to remove"),
            (young, freed) => freed
                .into_iter()
                .chain(young)
                .for_each(|note| out.note(&note)),
        }
        if let Some(lost) = done.told_as_lost(self.dry_run) {
            out.note(&lost);
        }
        Ok(())
    }
}
