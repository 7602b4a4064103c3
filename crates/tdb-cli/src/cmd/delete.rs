//! `tdb delete`: cells, or whole fragments, of an array.

use std::io::Write;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use tdb_array::{Array, ChangeOptions, OpenOptions, TimeWindow};
use tdb_consolidate::{Place, VacuumOptions, plan_fragment_removal};
use tdb_query::{Condition, ConditionField, Kept, QueryError, ReadOptions, ResultOrder, Session};
use tdb_schema::Enumeration;

use super::{change, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::location::{self, Location};
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["condition", "fragments"]),
    after_help = "Examples:\n  tdb delete target/weather --where 'temperature < -5'\n  \
    tdb delete target/weather --fragments --at 2024-01-01T00:00:00Z --dry-run"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Which cells go; those that are null in a field that is compared go too
    #[arg(long = "where", value_name = "EXPR")]
    condition: Option<String>,
    /// Remove the fragments that were written from --since to --at, for good
    #[arg(long)]
    pub(crate) fragments: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match &arguments.condition {
        Some(text) => cells(arguments, text, global, out),
        None => fragments(arguments, global, out),
    }
}

fn fragments(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if global.at.is_none() {
        let failure = Failure::invalid("--fragments needs --at: until when were they written?");
        return Err(failure.hint("--since is where that time begins, the first write by default"));
    }
    let window = TimeWindow {
        since: global
            .since
            .map_or(TimeWindow::ALL.since, |moment| moment.0),
        at: global.at.map_or(TimeWindow::ALL.at, |moment| moment.0),
    };
    if window.since > window.at {
        let what = format!("--since {} is after --at {}", window.since, window.at);
        return Err(Failure::invalid(what));
    }
    let session = session(global);
    let location = location::array(&arguments.array, global)?;
    let key = super::key(global)?;
    let place = Place {
        store: &*location.store,
        prefix: &location.prefix,
        key: key.as_ref(),
        limits: session.limits(),
    };
    let options = VacuumOptions::default();
    let plan =
        plan_fragment_removal(&place, window, &options).map_err(|error| location.failed(error))?;
    if plan.is_empty() {
        out.note("there are no fragments of that time: nothing is removed");
    }
    super::vacuum::carry_out(&plan, &place, &options, !arguments.dry_run, out)
        .map_err(|failure| failure.at(&arguments.array))
}

fn cells(
    arguments: &Arguments,
    text: &str,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let session = session(global);
    let options = change::options(global, &session)?;
    let location = location::array(&arguments.array, global)?;
    let array = change::open_array(&location, &options)?;
    if array.newest_schema().is_dense() {
        let what = format!(
            "{}: cells of dense arrays cannot be deleted",
            arguments.array
        );
        let hint = "--fragments removes what was written in a span of time, for good";
        return Err(Failure::invalid(what).hint(hint));
    }
    let condition = Condition::parse(text, session.limits())?;
    let enumerations = enumerations(&array)?;
    let schema = array.newest_schema();
    let fields = ConditionField::of_schema(schema, |name| {
        enumerations
            .iter()
            .find(|known| known.name() == name)
            .map(|known| &**known)
    });
    let Kept::Where(kept) = condition.kept(&fields, session.limits())? else {
        out.warn("no cell can fit the condition: nothing is deleted");
        return Ok(());
    };
    let nullable = |name: &str| schema.field(name).is_some_and(|field| field.nullable);
    if let Some(value) = kept.values().find(|value| nullable(value.field())) {
        let name = value.field();
        out.warn(&format!("cells that are null in {name:?} are deleted too"));
    }
    if arguments.dry_run {
        array
            .check_delete_cells(&kept, &options)
            .map_err(|error| location.failed(error))?;
        let count = |condition| count(&location, condition, &options, global, &session);
        let (all, left) = (count(None)?, count(Some(!condition))?);
        let gone = all.saturating_sub(left);
        writeln!(out, "delete cells where {text}: {gone} of {all}")?;
        return Ok(());
    }
    array
        .delete_cells(&kept, &options)
        .map_err(|error| location.failed(error))
}

/// How many cells there are at the time of a change, or of these how many fit a condition.
fn count(
    location: &Location,
    condition: Option<Condition>,
    change: &ChangeOptions,
    global: &Global,
    session: &Session,
) -> Result<u64, Failure> {
    let window = TimeWindow {
        at: change.timestamp.unwrap_or(global.now.0),
        ..TimeWindow::ALL
    };
    let options = OpenOptions {
        window,
        key: change.key.clone(),
        limits: change.limits.clone(),
        ..OpenOptions::default()
    };
    let failed = |error: QueryError| location.failed(error);
    let array = Array::open(location.store.clone(), &location.prefix, options);
    let array = Arc::new(array.map_err(|error| location.failed(error))?);
    let options = ReadOptions {
        attributes: Some(Vec::new()),
        order: Some(ResultOrder::Unordered),
        condition,
        ..ReadOptions::default()
    };
    let cells = session.read(&array, &options);
    let mut cells = cells.map_err(failed)?;
    cells.try_fold(0_u64, |count, batch| {
        let batch = batch.map_err(failed)?;
        Ok(count.saturating_add(batch.rows as u64))
    })
}

fn enumerations(array: &Array) -> Result<Vec<Arc<Enumeration>>, Failure> {
    let names = array.newest_schema().enumerations.iter();
    let read = names.map(|entry| array.newest_enumeration(&entry.name));
    Ok(read.collect::<Result<_, _>>()?)
}
