//! `tdb agg`, `tdb distinct` and `tdb stats`: what the cells of fields amount to.

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb_aggregate::{Aggregate, Function, Group, Outcome, Table as Answer, aggregate};
use tdb_cells::FieldInfo;
use tdb_schema::json::cell_to_json;
use tdb_schema::value::holds_bytes;
use tdb_schema::{CellValNum, Field};
use tdb_tile::{Code, Datatype};

use super::selection::{Selected, Selection};
use super::{shown_type, write_json};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, Table, count};
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
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    by: Vec<String>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let wanted = Aggregate::parse_list(&arguments.aggregates)?;
    let by: Vec<&str> = arguments.by.iter().map(String::as_str).collect();
    let selected = arguments.selection.open(&arguments.array, global, out)?;
    let answer = ask(&selected, &wanted, &by, global)?;
    show(&answer, global, out)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb distinct fixtures/v22_tour/array station\n  tdb distinct fixtures/v22_tour/array station sky --counts"
)]
pub(crate) struct DistinctArguments {
    /// An array
    array: String,
    /// Fields; of several, their combinations
    #[arg(value_name = "FIELD", required = true)]
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
    let selected = arguments.selection.open(&arguments.array, global, out)?;
    let answer = ask(&selected, &wanted, &by, global)?;
    show(&answer, global, out)
}

/// A line for each group.
fn show(answer: &Answer, global: &Global, out: &mut Output) -> Result<(), Failure> {
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

fn ask(
    selected: &Selected,
    wanted: &[Aggregate],
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
    answer.map_err(|error| Failure::in_place(error, location))
}

/// Numbers stand to the right.
fn title_of(field: &FieldInfo) -> String {
    let is_number = field.enumeration.is_none() && is_number(field.datatype);
    let mark = if is_number { ">" } else { "" };
    format!("{mark}{}", field.name)
}

fn is_number(datatype: Datatype) -> bool {
    !(holds_bytes(datatype) || datatype.is_datetime() || datatype.is_time())
}

fn key_text(group: &Group, place: usize, field: &FieldInfo, ticks: bool) -> (Role, String) {
    let (datatype, values) = shown_type(field);
    match group.key(place) {
        None => (Role::Dim, "null".to_owned()),
        Some(key) => (Role::Plain, present::stored(datatype, values, key, ticks)),
    }
}

fn outcome_text(outcome: &Outcome, ticks: bool) -> (Role, String) {
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

fn outcome_json(outcome: &Outcome, ticks: bool) -> Json {
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

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb stats fixtures/v22_tour/array\n  tdb stats fixtures/v22_tour/array --where \"sky = 'snow'\" --json"
)]
pub(crate) struct StatsArguments {
    /// An array
    array: String,
    /// Only these fields
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    fields: Option<Vec<String>>,
    #[command(flatten)]
    selection: Selection,
}

/// What is told of each field, as far as it has it.
const TOLD: [Function; 5] = [
    Function::Count,
    Function::NullCount,
    Function::Min,
    Function::Max,
    Function::Mean,
];

pub(crate) fn stats(
    arguments: &StatsArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let selected = arguments.selection.open(&arguments.array, global, out)?;
    let schema = selected.array.schema();
    let names: Vec<String> = match &arguments.fields {
        Some(names) => names.clone(),
        None => schema.fields().map(|field| field.name.to_owned()).collect(),
    };
    let wanted: Vec<Aggregate> = names
        .iter()
        .flat_map(|name| {
            let field = schema.field(name);
            let told = TOLD.into_iter();
            let told = told.filter(move |f| field.is_none_or(|field| has(*f, &field, schema)));
            told.map(|function| Aggregate::of(function, name))
        })
        .collect();
    let answer = ask(&selected, &wanted, &[], global)?;
    let all = answer.groups.first().map_or(&[][..], |all| &all.values);
    let found = |name: &str, function: Function| {
        let wanted = Aggregate::of(function, name);
        let mut known = answer.aggregates.iter().zip(all);
        known.find(|(known, _)| **known == wanted).map(|(_, v)| v)
    };
    if global.json {
        let fields = names.iter().map(|name| {
            let mut object = Map::new();
            object.insert("name".to_owned(), json!(name));
            let datatype = schema.field(name).map(|field| field.datatype.name());
            object.insert("datatype".to_owned(), json!(datatype));
            object.extend(TOLD.iter().map(|function| {
                let value = found(name, *function);
                let value = value.map_or(Json::Null, |v| outcome_json(v, global.ticks));
                (function.name().to_owned(), value)
            }));
            Json::Object(object)
        });
        return write_json(out, &fields.collect());
    }
    let mut table = Table::new(&["field", "type", ">count", ">nulls", ">min", ">max", ">mean"]);
    for name in &names {
        let datatype = schema.field(name).map_or("", |field| field.datatype.name());
        let mut row = vec![
            (Role::Plain, name.clone()),
            (Role::Type, datatype.to_owned()),
        ];
        row.extend(TOLD.iter().map(|function| match found(name, *function) {
            Some(Outcome::Unsigned(number)) if is_count(*function) => (Role::Plain, count(*number)),
            Some(value) => outcome_text(value, global.ticks),
            None => (Role::Dim, String::new()),
        }));
        table.painted(row);
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

fn is_count(function: Function) -> bool {
    matches!(function, Function::Count | Function::NullCount)
}

/// Whether a field has values for a function; one that the array does not have is told as that.
fn has(function: Function, field: &Field<'_>, schema: &tdb_schema::ArraySchema) -> bool {
    let attribute = schema.attribute_index(field.name);
    let attribute = attribute.and_then(|index| schema.attributes.get(index));
    let is_labelled = attribute.is_some_and(|attribute| attribute.enumeration.is_some());
    let is_one = holds_bytes(field.datatype) || field.cell_val_num == CellValNum::Fixed(1);
    match function {
        Function::Min | Function::Max => !is_labelled && is_one,
        Function::Mean | Function::Sum => !is_labelled && is_one && is_number(field.datatype),
        _ => true,
    }
}
