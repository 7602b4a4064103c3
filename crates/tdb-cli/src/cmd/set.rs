//! `tdb set`: changes the values of cells.

use std::io::Write;

use clap::Args;
use serde_json::json;
use tdb::engine::condition::{Term, TermPart};
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::value::parse_number;
use tdb::engine::text::cell_of_bytes;
use tdb::engine::tile::Datatype;
use tdb::{Array, Value};

use super::change::{self, later_json, tell_later};
use super::selection::warn_of_labels;
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;
use crate::parse::named;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb set target/weather \"station = 'KEF' and hour = '2024-04-10T06'\" temperature=4.5\n  \
    tdb set target/weather \"sky = 'snow'\" sky=rain remark=null --max 100\n  \
    tdb set target/weather \"station = 'LPB'\" 'temperature=temperature * 1.8 + 32' --max 100\n\n\
    Put names with spaces in \"double quotes\"; these are optional before the first operator of CONDITION, and in ATTR, as in \
    'order id=377'. An attribute without a name is \"\", or nothing.\n\n\
    VALUE is one of:\n  \
    null\n  \
    a number or text, as the attribute has; in 'single quotes' it is always text, spaces included\n  \
    a label of an enumerated attribute\n  \
    a date or time; four digits are a year, unless --ticks is given\n  \
    a list like [1, 2]\n  \
    bytes as CSV has them: 00ff, for text 0x00ff, or {\"hex\":\"00ff\"}\n  \
    arithmetic with the old values of the cell's fields: + - * / and parentheses\n\n\
    A value that the attribute cannot hold is refused. The cells are written again: earlier times stay readable."
)]
pub(crate) struct Arguments {
    /// An array that does not allow duplicates
    array: String,
    /// Condition that selects the cells, as in --where of other verbs
    #[arg(value_name = "CONDITION")]
    condition: String,
    /// New values of attributes
    #[arg(value_name = "ATTR=VALUE", required = true, value_parser = assignment)]
    values: Vec<Assignment>,
    /// Maximum number of cells to change; more are refused
    #[arg(long, value_name = "N", default_value_t = 1)]
    max: u64,
    /// Print how many cells would be changed, without changing them
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    attribute: String,
    value: AssignedValue,
}

#[derive(Clone, Debug)]
enum AssignedValue {
    Null,
    /// Unquoted text, interpreted by the type of the attribute.
    Plain(String),
    /// Quoted text.
    Text(String),
}

/// Parses `amount=12.5`, `"order id"=3`, `note='null'`, or `=3` for the attribute with the empty name.
fn assignment(text: &str) -> Result<Assignment, String> {
    let wrong = || {
        "wanted ATTR=VALUE, like amount=12.5; a name with = stands in \"double quotes\"".to_owned()
    };
    let (attribute, value) = named(text).ok_or_else(wrong)?;
    let quoted = value
        .strip_prefix('\'')
        .and_then(|value| value.strip_suffix('\''));
    let value = match quoted {
        Some(text) => AssignedValue::Text(text.replace("''", "'")),
        None if value == "null" => AssignedValue::Null,
        None => AssignedValue::Plain(value.to_owned()),
    };
    Ok(Assignment { attribute, value })
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    change::options(global)?;
    let array = context.open(&arguments.array)?;
    let limits = context.shared_session().limits();
    let condition = tdb::parse_condition_of(array.engine(), &arguments.condition, limits)?;
    warn_of_labels(array.engine(), &condition, out)?;
    let mut set = array
        .set(condition)
        .max(arguments.max)
        .dry_run(arguments.dry_run)
        .ticks(global.ticks);
    for Assignment { attribute, value } in &arguments.values {
        set = match value {
            AssignedValue::Null => set.null(attribute),
            AssignedValue::Plain(text) if is_expression(&array, attribute, text) => {
                set.expression(attribute, text)
            }
            AssignedValue::Plain(text) => set.value(attribute, value_of(&array, attribute, text)?),
            AssignedValue::Text(text) => set.value(attribute, text.as_str()),
        };
    }
    if let Some(time) = global.at() {
        set = set.at(time);
    }
    let done = set.commit()?;
    if done.cells > 0 {
        tell_later(array.later(), global, out);
    }
    if global.json {
        return write_json(
            out,
            &json!({
                "cells": done.cells,
                "fragments": done.fragments,
                "dry_run": arguments.dry_run,
                "later": later_json(array.later(), global),
            }),
        );
    }
    let verb = if arguments.dry_run {
        "would change"
    } else {
        "changed"
    };
    let cells = plural(done.cells, "cell");
    Ok(writeln!(
        out,
        "{verb} {cells} where {}",
        arguments.condition
    )?)
}

/// True if the text, given for a numeric attribute, is not a number but an arithmetic expression. For other
/// attributes, text is never an expression.
fn is_expression(array: &Array, attribute: &str, text: &str) -> bool {
    let mut attributes = array.engine().newest_schema().attributes.iter();
    let Some(found) = attributes.find(|found| found.name == attribute) else {
        return false;
    };
    let datatype = found.datatype;
    let is_numeric = datatype.is_real() || datatype.is_integer() && datatype != Datatype::Bool;
    let is_one = found.cell_val_num == CellValNum::Fixed(1);
    if !is_numeric || !is_one || found.enumeration.is_some() {
        return false;
    }
    let is_number = parse_number(datatype, text, &mut Vec::new()).is_ok();
    let limits = array.context().shared_session().limits();
    let is_value = |term: Term| matches!(term.parts(), [TermPart::Value(_)]);
    !is_number && Term::parse(text, limits).is_ok_and(|term| !is_value(term))
}

/// Parses a value for an attribute; bytes are written as in CSV.
fn value_of(array: &Array, attribute: &str, text: &str) -> Result<Value, Failure> {
    let mut attributes = array.engine().newest_schema().attributes.iter();
    // An unknown attribute is reported when the value is set.
    let Some(found) = attributes.find(|found| found.name == attribute) else {
        return Ok(text.into());
    };
    let labels = found
        .enumeration
        .as_ref()
        .map(|name| array.engine().newest_enumeration(name));
    let (datatype, values) = match labels.transpose()? {
        Some(labels) => (labels.datatype(), labels.cell_val_num()),
        None => (found.datatype, found.cell_val_num),
    };
    match cell_of_bytes(datatype, values, text) {
        None => Ok(text.into()),
        Some(Ok(bytes)) => Ok(bytes.into()),
        Some(Err(what)) => {
            let failure = Failure::invalid(format!("attribute {attribute:?}: {what}"));
            Err(failure.hint(
                "write bytes in hexadecimal, like 00ff or {\"hex\":\"00ff\"}; put literal text in 'single quotes'",
            ))
        }
    }
}
