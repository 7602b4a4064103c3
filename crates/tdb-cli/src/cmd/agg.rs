//! `tdb agg` and `tdb distinct`: aggregates and distinct values of fields.

use std::io::Write as _;

use clap::Args;
use serde::Serializer as _;
use serde::ser::SerializeSeq as _;
use serde_json::{Value as Json, json};
use tdb::engine::aggregate::{Aggregate, AggregateError, Group, GroupResults, Outcome, grouped};
use tdb::engine::cells::FieldInfo;
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::json::cell_to_json;
use tdb::engine::schema::value::holds_bytes;
use tdb::engine::tile::Datatype;

use super::rows::{ResultColumn, RowWriter};
use super::selection::{OpenSelection, Selection};
use super::shown_type;
use crate::failure::Failure;
use crate::file_extensions::RowFormat;
use crate::global::Global;
use crate::names::{Names, name, names};
use crate::output::Output;
use crate::paint::{Role, Table};
use crate::value_format;

/// Maximum number of groups, and of their bytes, written to a file in one batch.
const TOGETHER: usize = 1 << 14;
const BYTES_TOGETHER: usize = 1 << 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb agg fixtures/v22_tour/array 'count(*), mean(temperature)' --by station\n  \
    tdb agg fixtures/v22_tour/array 'count(*)' --by 'month(hour),day(hour)'\n  \
    tdb agg fixtures/v22_tour/array 'min(hour), max(hour)' --where \"sky = 'snow'\"\n\n\
    The aggregates are count(*), count(a), null_count(a), sum(a), min(a), max(a) and mean(a). Put names with spaces in \
    \"double quotes\". Nulls are ignored, except by count(*) and null_count."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Aggregates to compute, such as "count(*), sum(a)"
    #[arg(value_name = "AGGREGATES")]
    aggregates: String,
    /// Group by these fields, or by year(A), month(A), day(A) of dates
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
    let by: Vec<&str> = arguments.by.iter().flatten().map(String::as_str).collect();
    let mut selected = arguments.selection.open(&arguments.array, global, out)?;
    // The number of cells alone may be known without scanning them.
    let is_told = by.is_empty() && wanted == [Aggregate::count()];
    if !is_told || selected.options.looks_at_cells() {
        selected = selected.walked(global, out)?;
    }
    Question {
        selected,
        wanted,
        list,
        by,
    }
    .answer(global, out)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb distinct fixtures/v22_tour/array station\n  tdb distinct fixtures/v22_tour/array station sky --counts"
)]
pub(crate) struct DistinctArguments {
    /// An array
    array: String,
    /// Fields; with several, their distinct combinations
    #[arg(value_name = "FIELD", required = true, value_parser = name)]
    fields: Vec<String>,
    /// Also print the number of cells with each value
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
        .walked(global, out)?;
    Question {
        selected,
        wanted,
        list: "",
        by,
    }
    .answer(global, out)
}

/// An aggregate query.
struct Question<'a> {
    selected: OpenSelection,
    wanted: Vec<Aggregate>,
    /// Text of the list of aggregates, for excerpts in errors; empty for `distinct`.
    list: &'a str,
    by: Vec<&'a str>,
}

impl Question<'_> {
    /// Runs the query and prints a row per group.
    fn answer(&self, global: &Global, out: &mut Output) -> Result<(), Failure> {
        let OpenSelection {
            session,
            array,
            options,
            ..
        } = &self.selected;
        let ask = || grouped(session, array, options, &self.wanted, &self.by);
        let groups = global
            .counts
            .stage("aggregate", ask)
            .map_err(|error| self.told(error))?;
        let told = |error| self.told(error);
        match global.rows {
            Some(format) => write_rows(format, groups, &told, global, out),
            None if global.json => write_list(groups, &told, global.ticks, out),
            None => write_table(groups, &told, global.ticks, out),
        }
    }

    /// Converts an error, adding an excerpt of the part of the query that caused it.
    fn told(&self, error: AggregateError) -> Failure {
        let in_list = error.place_in_list(self.list);
        let in_by = error.place_in_groupings(&self.by);
        let failure = Failure::in_place(error, &self.selected.location);
        match (in_list, in_by) {
            (None, Some(number)) => {
                let before = self
                    .by
                    .iter()
                    .take(number)
                    .map(|text| text.chars().count() + 1);
                let at = before.sum::<usize>() + 1;
                with_excerpt(failure, &self.by.join(","), Some(at))
            }
            (at, _) => with_excerpt(failure, self.list, at),
        }
    }
}

/// Converts an error of a group.
type ErrorConversion<'a> = &'a dyn Fn(AggregateError) -> Failure;

fn write_table(
    groups: GroupResults,
    told: ErrorConversion<'_>,
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let by = groups.by().to_vec();
    let mut titles: Vec<String> = by.iter().map(title_of).collect();
    titles.extend(groups.aggregates().iter().map(|a| format!(">{a}")));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut table = Table::new(&titles);
    let look = out.look;
    for group in groups {
        let group = group.map_err(told)?;
        let keys = by
            .iter()
            .enumerate()
            .map(|(place, field)| key_text(&group, place, field, ticks));
        let values = group.values.iter().map(|v| outcome_text(v, ticks));
        table.painted(keys.chain(values));
        table.write_many(out, look)?;
    }
    Ok(table.write(out, look)?)
}

/// Adds the position of the error in the text, if it is known.
fn with_excerpt(failure: Failure, text: &str, at: Option<usize>) -> Failure {
    match at {
        Some(at) => failure.in_text(text, at),
        None => failure,
    }
}

/// Column title; `>` marks numbers, which are right-aligned.
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
        Some(key) => (
            Role::Plain,
            value_format::stored(datatype, values, key, ticks),
        ),
    }
}

pub(super) fn outcome_text(outcome: &Outcome, ticks: bool) -> (Role, String) {
    let text = match outcome {
        Outcome::Unsigned(value) => value.to_string(),
        Outcome::Signed(value) => value.to_string(),
        Outcome::Float(value) => {
            let bytes = value.to_le_bytes();
            value_format::stored(Datatype::Float64, CellValNum::Fixed(1), &bytes, ticks)
        }
        Outcome::Value(datatype, bytes) => {
            value_format::stored(*datatype, values_of(*datatype), bytes, ticks)
        }
        _ => return (Role::Dim, "null".to_owned()),
    };
    (Role::Plain, text)
}

/// A string is one value, whatever its length.
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
            cell_to_json(Datatype::Float64, one, &bytes, value_format::times(ticks))
        }
        Outcome::Value(datatype, bytes) => {
            let values = values_of(*datatype);
            cell_to_json(*datatype, values, bytes, value_format::times(ticks))
        }
        _ => Json::Null,
    }
}

/// Writes a JSON list with an object per group: the grouping fields, then the aggregates.
fn write_list(
    groups: GroupResults,
    told: ErrorConversion<'_>,
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let (by, aggregates) = (groups.by().to_vec(), groups.aggregates().to_vec());
    let object = |group: &Group| {
        let keys = by.iter().enumerate().map(|(place, field)| {
            let (datatype, values) = shown_type(field);
            let key = group
                .key(place)
                .map(|cell| cell_to_json(datatype, values, cell, value_format::times(ticks)));
            (field.name.clone(), key.unwrap_or(Json::Null))
        });
        let values = aggregates
            .iter()
            .zip(&group.values)
            .map(|(a, value)| (a.to_string(), outcome_json(value, ticks)));
        Json::Object(keys.chain(values).collect())
    };
    let unwritten = |error| Failure::from(std::io::Error::from(error));
    let mut serializer = serde_json::Serializer::pretty(&mut *out);
    let mut list = serializer.serialize_seq(None).map_err(unwritten)?;
    for group in groups {
        // After an error the list stays unclosed, so that nobody mistakes it for the complete result.
        let group = group.map_err(told)?;
        list.serialize_element(&object(&group)).map_err(unwritten)?;
    }
    list.end().map_err(unwritten)?;
    Ok(out.write_all(b"\n")?)
}

/// Writes the groups as rows of a file: the grouping fields, then the aggregates.
fn write_rows(
    format: RowFormat,
    mut groups: GroupResults,
    told: ErrorConversion<'_>,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut columns = columns(&groups);
    let fields = groups.by().len();
    let mut rows = RowWriter::begin(format, &columns, global, out)?;
    loop {
        for column in &mut columns {
            column.cells.clear();
        }
        let (mut count, mut bytes) = (0_usize, 0_usize);
        while count < TOGETHER && bytes < BYTES_TOGETHER {
            let Some(group) = groups.next() else { break };
            let group = group.map_err(told)?;
            let keys = (0..).map(|place| group.key(place).map(<[u8]>::to_vec));
            let cells = keys
                .take(fields)
                .chain(group.values.iter().map(outcome_bytes));
            for (column, cell) in columns.iter_mut().zip(cells) {
                bytes += cell.as_ref().map_or(0, Vec::len);
                column.cells.push(cell);
            }
            count += 1;
        }
        if columns.first().is_none_or(|column| column.cells.is_empty()) {
            return rows.finish();
        }
        rows.write(&columns)?;
    }
}

/// Empty columns for the groups.
fn columns(groups: &GroupResults) -> Vec<ResultColumn> {
    let keys = groups.by().iter().map(|field| {
        let (datatype, cell_val_num) = shown_type(field);
        (field.name.clone(), datatype, cell_val_num)
    });
    let aggregates =
        groups
            .aggregates()
            .iter()
            .zip(groups.datatypes())
            .map(|(aggregate, datatype)| {
                let cell_val_num = values_of(*datatype);
                (aggregate.to_string(), *datatype, cell_val_num)
            });
    let columns = keys
        .chain(aggregates)
        .map(|(name, datatype, cell_val_num)| ResultColumn {
            name,
            datatype,
            cell_val_num,
            cells: Vec::new(),
        });
    columns.collect()
}

/// Stored form of an aggregate's value; `None` for null.
fn outcome_bytes(outcome: &Outcome) -> Option<Vec<u8>> {
    Some(match outcome {
        Outcome::Unsigned(value) => value.to_le_bytes().to_vec(),
        Outcome::Signed(value) => value.to_le_bytes().to_vec(),
        Outcome::Float(value) => value.to_le_bytes().to_vec(),
        Outcome::Value(_, bytes) => bytes.clone(),
        _ => return None,
    })
}
