//! `tdb agg` and `tdb distinct`: what the cells of fields amount to.

use clap::Args;
use serde_json::{Value as Json, json};
use tdb_aggregate::{Aggregate, Group, Outcome, Table as Answer, aggregate};
use tdb_cells::FieldInfo;
use tdb_schema::json::cell_to_json;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Datatype;

use super::rows::{self, ResultColumn};
use super::selection::{Selected, Selection};
use super::{shown_type, write_json};
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, name, names};
use crate::output::Output;
use crate::paint::{Role, Table};
use crate::present;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb agg fixtures/v22_tour/array 'count(*), mean(temperature)' --by station\n  \
    tdb agg fixtures/v22_tour/array 'count(*)' --by 'month(hour),day(hour)'\n  \
    tdb agg fixtures/v22_tour/array 'min(hour), max(hour)' --where \"sky = 'snow'\"\n\n\
    The aggregates are count(*), count(a), null_count(a), sum(a), min(a), max(a) and mean(a); a name that holds spaces stands in \
    \"double quotes\". Null cells are left out of all but null_count, and of count(*)."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// What is worked out, like \"count(*), sum(a)\"
    #[arg(value_name = "AGGREGATES")]
    aggregates: String,
    /// A line for each combination of values of these fields, or of year(A), month(A), day(A) of dates
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    by: Vec<Names>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let list = &arguments.aggregates;
    let wanted = Aggregate::parse_list(list).map_err(|error| {
        let at = error.place_in_list(list);
        with_excerpt(error.into(), list, at)
    })?;
    let by = arguments.by.iter().flatten();
    let by: Vec<&str> = by.map(String::as_str).collect();
    let mut selected = arguments.selection.open(&arguments.array, global, out)?;
    // How many cells there are is known without walking over them.
    let is_told = by.is_empty() && wanted == [Aggregate::count()];
    if !is_told || selected.options.looks_at_cells() {
        selected = selected.walked(out)?;
    }
    let answer = ask(&selected, (&wanted, list), &by, global)?;
    show(&answer, selected.array.schema(), global, out)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb distinct fixtures/v22_tour/array station\n  tdb distinct fixtures/v22_tour/array station sky --counts"
)]
pub(crate) struct DistinctArguments {
    /// An array
    array: String,
    /// Fields; of several, their combinations
    #[arg(value_name = "FIELD", required = true, value_parser = name)]
    fields: Vec<String>,
    /// Say how many cells have each
    #[arg(long)]
    counts: bool,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn distinct(
    arguments: &DistinctArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let counts = arguments.counts.then(Aggregate::count);
    let wanted: Vec<Aggregate> = counts.into_iter().collect();
    let by: Vec<&str> = arguments.fields.iter().map(String::as_str).collect();
    let selected = arguments
        .selection
        .open(&arguments.array, global, out)?
        .walked(out)?;
    let answer = ask(&selected, (&wanted, ""), &by, global)?;
    show(&answer, selected.array.schema(), global, out)
}

/// A line for each group.
fn show(
    answer: &Answer,
    schema: &ArraySchema,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if let Some(format) = global.rows {
        return rows::write(format, &answer_columns(answer, schema), global, out);
    }
    if global.json {
        return write_json(out, &answer_json(answer, global.ticks));
    }
    let mut titles: Vec<String> = answer.by.iter().map(title_of).collect();
    titles.extend(answer.aggregates.iter().map(|a| format!(">{a}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new(&titles);
    for group in &answer.groups {
        let keys = answer.by.iter().enumerate();
        let keys = keys.map(|(place, field)| key_text(group, place, field, global.ticks));
        let values = group.values.iter().map(|v| outcome_text(v, global.ticks));
        table.painted(keys.chain(values));
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// Works out aggregates, which stand in `list` where a list was given.
fn ask(
    selected: &Selected,
    (wanted, list): (&[Aggregate], &str),
    by: &[&str],
    global: &Global,
) -> Result<Answer, Failure> {
    let Selected {
        session,
        location,
        array,
        options,
    } = selected;
    let ask = || aggregate(session, array, options, wanted, by);
    let answer = global.counts.stage("aggregate", ask);
    answer.map_err(|error| {
        let (in_list, in_by) = (error.place_in_list(list), error.place_in_groupings(by));
        let failure = Failure::in_place(error, location);
        match (in_list, in_by) {
            (None, Some(number)) => {
                let before = by.iter().take(number).map(|text| text.chars().count() + 1);
                let at = before.fold(1, usize::saturating_add);
                with_excerpt(failure, &by.join(","), Some(at))
            }
            (at, _) => with_excerpt(failure, list, at),
        }
    })
}

/// Shows where in a text the error is, if that is known.
fn with_excerpt(failure: Failure, text: &str, at: Option<usize>) -> Failure {
    match at {
        Some(at) => failure.in_text(text, at),
        None => failure,
    }
}

/// Numbers stand to the right.
fn title_of(field: &FieldInfo) -> String {
    let is_number = field.enumeration.is_none() && is_number(field.datatype);
    let mark = if is_number { ">" } else { "" };
    format!("{mark}{}", field.name)
}

pub(super) fn is_number(datatype: Datatype) -> bool {
    !(holds_bytes(datatype) || datatype.is_datetime() || datatype.is_time())
}

fn key_text(group: &Group, place: usize, field: &FieldInfo, ticks: bool) -> (Role, String) {
    let (datatype, values) = shown_type(field);
    match group.key(place) {
        None => (Role::Dim, "null".to_owned()),
        Some(key) => (Role::Plain, present::stored(datatype, values, key, ticks)),
    }
}

pub(super) fn outcome_text(outcome: &Outcome, ticks: bool) -> (Role, String) {
    let text = match outcome {
        Outcome::Unsigned(value) => value.to_string(),
        Outcome::Signed(value) => value.to_string(),
        Outcome::Float(value) => {
            let bytes = value.to_le_bytes();
            present::stored(Datatype::Float64, CellValNum::Fixed(1), &bytes, ticks)
        }
        Outcome::Value(datatype, bytes) => {
            present::stored(*datatype, values_of(*datatype), bytes, ticks)
        }
        _ => return (Role::Dim, "null".to_owned()),
    };
    (Role::Plain, text)
}

/// A string is one value however long.
fn values_of(datatype: Datatype) -> CellValNum {
    if holds_bytes(datatype) {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    }
}

pub(super) fn outcome_json(outcome: &Outcome, ticks: bool) -> Json {
    match outcome {
        Outcome::Unsigned(value) => json!(value),
        Outcome::Signed(value) => json!(value),
        Outcome::Float(value) => {
            let bytes = value.to_le_bytes();
            let one = CellValNum::Fixed(1);
            cell_to_json(Datatype::Float64, one, &bytes, present::times(ticks))
        }
        Outcome::Value(datatype, bytes) => {
            let values = values_of(*datatype);
            cell_to_json(*datatype, values, bytes, present::times(ticks))
        }
        _ => Json::Null,
    }
}

/// A list of objects, one for each group: the fields that it is grouped by, then the aggregates.
fn answer_json(answer: &Answer, ticks: bool) -> Json {
    let groups = answer.groups.iter().map(|group| {
        let keys = answer.by.iter().enumerate().map(|(place, field)| {
            let (datatype, values) = shown_type(field);
            let key = group.key(place);
            let key = key.map(|key| cell_to_json(datatype, values, key, present::times(ticks)));
            (field.name.clone(), key.unwrap_or(Json::Null))
        });
        let values = answer.aggregates.iter().zip(&group.values);
        let values = values.map(|(a, value)| (a.to_string(), outcome_json(value, ticks)));
        Json::Object(keys.chain(values).collect())
    });
    groups.collect()
}

/// The groups as a file has them: the fields that they are of, then the aggregates.
fn answer_columns(answer: &Answer, schema: &ArraySchema) -> Vec<ResultColumn> {
    let groups = &answer.groups;
    let keys = answer.by.iter().enumerate().map(|(place, field)| {
        let (datatype, cell_val_num) = shown_type(field);
        let keys = groups
            .iter()
            .map(|group| group.key(place).map(<[u8]>::to_vec));
        ResultColumn {
            name: field.name.clone(),
            datatype,
            cell_val_num,
            cells: keys.collect(),
        }
    });
    let aggregates = answer.aggregates.iter().enumerate();
    let aggregates = aggregates.map(|(place, aggregate)| {
        // Of labels a value is one of these.
        let told = groups
            .iter()
            .find_map(|group| match group.values.get(place)? {
                Outcome::Value(datatype, _) => Some(*datatype),
                _ => None,
            });
        let datatype = told.unwrap_or_else(|| aggregate.datatype(schema));
        let values = groups
            .iter()
            .map(|group| outcome_bytes(group.values.get(place)?));
        ResultColumn {
            name: aggregate.to_string(),
            datatype,
            cell_val_num: values_of(datatype),
            cells: values.collect(),
        }
    });
    keys.chain(aggregates).collect()
}

/// The stored form of what an aggregate is; `None` is null.
fn outcome_bytes(outcome: &Outcome) -> Option<Vec<u8>> {
    Some(match outcome {
        Outcome::Unsigned(value) => value.to_le_bytes().to_vec(),
        Outcome::Signed(value) => value.to_le_bytes().to_vec(),
        Outcome::Float(value) => value.to_le_bytes().to_vec(),
        Outcome::Value(_, bytes) => bytes.clone(),
        _ => return None,
    })
}
