//! `tdb set`: cells' values in place.

use std::io::Write;

use clap::Args;
use serde_json::json;

use super::selection::warn_of_labels;
use super::write_json;
use crate::access::{Change, context};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;
use crate::parse::named;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb set target/weather \"station = 'KEF' and hour = '2024-04-10T06'\" temperature=4.5\n  \
    tdb set target/weather \"sky = 'snow'\" sky=rain remark=null --max 100\n\n\
    A name that holds spaces stands in \"double quotes\"; before the first operator of CONDITION, and in ATTR, also bare, as in \
    'order id=377'. VALUE is null, a label of an enumerated attribute, a date or time, a list like [1, 2], a number or text, as the attribute \
    has; in 'single quotes' it is text in any case, spaces included. The cells are written again: earlier times stay readable."
)]
pub(crate) struct Arguments {
    /// An array that does not allow duplicates
    array: String,
    /// Which cells, as --where of other verbs takes it
    #[arg(value_name = "CONDITION")]
    condition: String,
    /// Attributes and their new values
    #[arg(value_name = "ATTR=VALUE", required = true, value_parser = assignment)]
    values: Vec<Assignment>,
    /// Refuse to change more cells than these
    #[arg(long, value_name = "N", default_value_t = 1)]
    max: u64,
    /// Say how many cells would be changed, and do nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    attribute: String,
    /// `None` is null.
    value: Option<String>,
}

/// `amount=12.5`, `"order id"=3`, `note='null'`.
fn assignment(text: &str) -> Result<Assignment, String> {
    let wrong = || {
        "wanted ATTR=VALUE, like amount=12.5; a name with = stands in \"double quotes\"".to_owned()
    };
    let (attribute, value) = named(text).ok_or_else(wrong)?;
    if attribute.is_empty() {
        return Err(wrong());
    }
    let quoted = value
        .strip_prefix('\'')
        .and_then(|value| value.strip_suffix('\''));
    let value = match quoted {
        Some(text) => Some(text.replace("''", "'")),
        None if value == "null" => None,
        None => Some(value.to_owned()),
    };
    Ok(Assignment { attribute, value })
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    Change::new(global, context.shared_session())?;
    let array = context.open(&arguments.array)?;
    let limits = context.shared_session().limits();
    let condition = tdb::parse_condition_of(array.engine(), &arguments.condition, limits)?;
    warn_of_labels(array.engine(), &condition, out)?;
    let mut set = array
        .set(condition)
        .max(arguments.max)
        .dry_run(arguments.dry_run);
    for Assignment { attribute, value } in &arguments.values {
        set = match value {
            Some(value) => set.value(attribute, value.as_str()),
            None => set.null(attribute),
        };
    }
    if let Some(time) = global.at() {
        set = set.at(time);
    }
    let done = set.commit()?;
    if global.json {
        return write_json(
            out,
            &json!({
                "cells": done.cells,
                "fragments": done.fragments,
                "dry_run": arguments.dry_run,
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
