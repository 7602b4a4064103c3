//! `tdb delete`: cells, or whole fragments, of an array.

use std::sync::Arc;

use clap::Args;
use tdb_array::{Array, TimeWindow};
use tdb_consolidate::{Place, VacuumOptions, plan_fragment_removal};
use tdb_query::{Condition, ConditionField, Kept};
use tdb_schema::Enumeration;

use super::{change, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::location;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb delete target/weather --where 'temperature < -5'\n  \
    tdb delete target/weather --fragments --at 2024-01-01T00:00:00Z --dry-run"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Which cells go; those that are null in a field that is compared go too
    #[arg(
        long = "where",
        value_name = "EXPR",
        required_unless_present = "fragments"
    )]
    condition: Option<String>,
    /// Remove the fragments that were written from --since to --at, for good
    #[arg(long, conflicts_with = "condition", requires = "at")]
    fragments: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match &arguments.condition {
        Some(text) => cells(arguments, text, global, out),
        None => fragments(arguments, global, out),
    }
}

fn fragments(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let window = TimeWindow {
        since: global
            .since
            .map_or(TimeWindow::ALL.since, |moment| moment.0),
        at: global.at.map_or(TimeWindow::ALL.at, |moment| moment.0),
    };
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
    super::vacuum::carry_out(&plan, &place, &options, !arguments.dry_run, out)
        .map_err(|failure| failure.at(&arguments.array))
}

fn cells(arguments: &Arguments, text: &str, global: &Global, out: &Output) -> Result<(), Failure> {
    let session = session(global);
    let options = change::options(global, &session)?;
    let location = location::array(&arguments.array, global)?;
    let array = change::open_array(&location, &options)?;
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
        return Ok(());
    }
    array
        .delete_cells(&kept, &options)
        .map_err(|error| location.failed(error))
}

fn enumerations(array: &Array) -> Result<Vec<Arc<Enumeration>>, Failure> {
    let names = array.newest_schema().enumerations.iter();
    let read = names.map(|entry| array.newest_enumeration(&entry.name));
    Ok(read.collect::<Result<_, _>>()?)
}
