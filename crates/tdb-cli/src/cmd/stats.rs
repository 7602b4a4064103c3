//! `tdb stats`: a summary of each field's values.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb::engine::aggregate::{FieldSummary, Outcome, summarize};
use tdb::engine::tile::Code;

use super::agg::{outcome_json, outcome_text};
use super::rows::{self, ResultColumn};
use super::selection::{OpenSelection, Selection};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, joined, names};
use crate::output::Output;
use crate::paint::{Role, Table, count};

/// Significant digits shown for means, deviations and quartiles.
const DIGITS: usize = 6;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb stats fixtures/v22_tour/array\n  tdb stats fixtures/v22_tour/array --where \"sky = 'snow'\" --json\n\n\
    Everything is computed in one pass over the cells. Distinct values are exact up to 65,536, then estimated (HyperLogLog, standard \
    error 0.8 %). Quartiles are exact while the values fit into an eighth of --memory, then estimated from a random sample. Estimates \
    are marked with ~. std is the sample deviation. Quartiles ignore NaN and are interpolated linearly."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Only these fields
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    fields: Vec<Names>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let OpenSelection {
        session,
        location,
        array,
        options,
    } = arguments
        .selection
        .open(&arguments.array, global, out)?
        .walked(global, out)?;
    let all = array.schema().fields().map(|field| field.name);
    let chosen = joined(&arguments.fields);
    let names: Vec<&str> = match &chosen {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => all.collect(),
    };
    let ask = || summarize(&session, &array, &options, &names);
    let answer = global
        .counts
        .stage("aggregate", ask)
        .map_err(|error| Failure::in_place(error, &location))?;
    if let Some(format) = global.rows {
        return rows::write(format, &columns(&answer, global.ticks), global, out);
    }
    if global.json {
        let fields = answer.iter().map(|summary| as_json(summary, global.ticks));
        return write_json(out, &fields.collect());
    }
    let look = out.look;
    values(&answer, global.ticks).write(out, look)?;
    let spread = spread(&answer, global.ticks);
    if !spread.is_empty() {
        writeln!(out)?;
        spread.write(out, look)?;
    }
    Ok(())
}

/// Table of the counts, minimum and maximum of each field.
fn values(answer: &[FieldSummary], ticks: bool) -> Table {
    let titles = [
        "field",
        "type",
        ">count",
        ">nulls",
        ">distinct",
        ">min",
        ">max",
    ];
    let mut table = Table::new(&titles);
    for summary in answer {
        let distinct = count(summary.distinct);
        table.painted([
            (Role::Plain, summary.field.name.clone()),
            (Role::Type, summary.field.datatype.name().to_owned()),
            (Role::Plain, count(summary.count)),
            (Role::Plain, count(summary.nulls)),
            (Role::Plain, marked(distinct, summary.is_distinct_exact)),
            exact(&summary.min, ticks),
            exact(&summary.max, ticks),
        ]);
    }
    table
}

/// Table of the mean, deviation and quartiles of fields that have them.
fn spread(answer: &[FieldSummary], ticks: bool) -> Table {
    let mut table = Table::new(&["field", ">mean", ">std", ">q25", ">q50", ">q75"]);
    for summary in answer {
        let Some(quartiles) = &summary.quartiles else {
            continue;
        };
        let deviation = summary.deviation.map(rounded);
        let mut row = vec![
            (Role::Plain, summary.field.name.clone()),
            short(&summary.mean, ticks),
            (Role::Plain, deviation.unwrap_or_else(String::new)),
        ];
        row.extend(quartiles.iter().map(|quartile| {
            let (role, text) = short(quartile, ticks);
            (role, marked(text, summary.are_quartiles_exact))
        }));
        table.painted(row);
    }
    table
}

fn marked(text: String, is_exact: bool) -> String {
    if is_exact { text } else { format!("~{text}") }
}

/// Formats a value exactly; blank if the field has none.
fn exact(outcome: &Outcome, ticks: bool) -> (Role, String) {
    match outcome {
        Outcome::None => (Role::Dim, String::new()),
        outcome => outcome_text(outcome, ticks),
    }
}

/// Like [`exact`], with floats rounded for display.
fn short(outcome: &Outcome, ticks: bool) -> (Role, String) {
    match outcome {
        Outcome::Float(value) => (Role::Plain, rounded(*value)),
        outcome => exact(outcome, ticks),
    }
}

/// Formats a number with six significant digits, without an exponent if its magnitude is moderate.
fn rounded(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return outcome_text(&Outcome::Float(value), false).1;
    }
    let least = DIGITS - 1;
    let scientific = format!("{value:.least$e}");
    let exponent = scientific
        .split_once('e')
        .and_then(|(_, digits)| digits.parse::<i32>().ok());
    match exponent.map(|exponent| usize::try_from(exponent).map_err(|_| exponent.unsigned_abs())) {
        Some(Ok(whole)) if whole <= 15 => without_zeros(&format!(
            "{value:.places$}",
            places = least.saturating_sub(whole)
        )),
        Some(Err(zeros)) if zeros <= 5 => {
            let places = least + zeros as usize;
            without_zeros(&format!("{value:.places$}"))
        }
        _ => scientific,
    }
}

/// Removes trailing zeros after the decimal point.
fn without_zeros(number: &str) -> String {
    match number.split_once('.') {
        Some(_) => number
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned(),
        None => number.to_owned(),
    }
}

fn as_json(summary: &FieldSummary, ticks: bool) -> Json {
    let quartile = |place: usize| {
        let quartile = summary.quartiles.as_ref().and_then(|all| all.get(place));
        quartile.map_or(Json::Null, |quartile| outcome_json(quartile, ticks))
    };
    let deviation = summary.deviation.map_or(Outcome::None, Outcome::Float);
    let facts = [
        ("name", json!(summary.field.name)),
        ("datatype", json!(summary.field.datatype.name())),
        ("count", json!(summary.count)),
        ("null_count", json!(summary.nulls)),
        ("distinct", json!(summary.distinct)),
        ("distinct_is_exact", json!(summary.is_distinct_exact)),
        ("min", outcome_json(&summary.min, ticks)),
        ("max", outcome_json(&summary.max, ticks)),
        ("mean", outcome_json(&summary.mean, ticks)),
        ("std", outcome_json(&deviation, ticks)),
        ("q25", quartile(0)),
        ("q50", quartile(1)),
        ("q75", quartile(2)),
        ("quartiles_are_exact", json!(summary.are_quartiles_exact)),
    ];
    let members = facts.map(|(name, value)| (name.to_owned(), value));
    Json::Object(members.into_iter().collect::<Map<String, Json>>())
}

/// Columns of a result file, a row per field. Values are text, since fields have different types.
fn columns(answer: &[FieldSummary], ticks: bool) -> Vec<ResultColumn> {
    let texts = |name: &str, text: &dyn Fn(&FieldSummary) -> Option<String>| {
        ResultColumn::of_texts(name, answer.iter().map(text))
    };
    let value = |outcome: &Outcome| match outcome {
        Outcome::None => None,
        outcome => Some(outcome_text(outcome, ticks).1),
    };
    let quartile = |summary: &FieldSummary, place: usize| {
        let quartile = summary.quartiles.as_ref().and_then(|all| all.get(place));
        quartile.and_then(value)
    };
    let counts = |name: &str, of: fn(&FieldSummary) -> u64| {
        ResultColumn::of_counts(name, answer.iter().map(of).map(Some))
    };
    vec![
        texts("name", &|summary| Some(summary.field.name.clone())),
        texts("datatype", &|summary| {
            Some(summary.field.datatype.name().to_owned())
        }),
        counts("count", |summary| summary.count),
        counts("null_count", |summary| summary.nulls),
        counts("distinct", |summary| summary.distinct),
        texts("min", &|summary| value(&summary.min)),
        texts("max", &|summary| value(&summary.max)),
        texts("mean", &|summary| value(&summary.mean)),
        ResultColumn::of_floats("std", answer.iter().map(|summary| summary.deviation)),
        texts("q25", &|summary| quartile(summary, 0)),
        texts("q50", &|summary| quartile(summary, 1)),
        texts("q75", &|summary| quartile(summary, 2)),
    ]
}
