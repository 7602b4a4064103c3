//! `tdb fragments`: a row for each fragment.

use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use tdb::engine::array::directory::LEGACY_SCHEMA;
use tdb::engine::array::{Array, ArrayError, ErrorKind, Fragment};
use tdb::engine::schema::json::ranges_to_json;
use tdb::engine::schema::value::rfc3339;

use super::info::LOOKS;
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::open;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, count};
use crate::value_format;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb fragments fixtures/v22_tour/array")]
pub(crate) struct Arguments {
    /// An array
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let opened = open::array(&arguments.uri, global, out)?;
    let mut array = Arc::clone(opened.engine());
    let mut looks = LOOKS;
    let (replaced, sizes) = loop {
        match replaced_and_sizes(&array) {
            // Fragments have been vacuumed since the array was opened.
            Err(error) if error.kind() == ErrorKind::NotFound && looks > 0 => {
                looks -= 1;
                let again = array
                    .again()
                    .map_err(|error| Failure::from(error).at(&arguments.uri))?;
                array = Arc::new(again.ok_or_else(|| Failure::from(error).at(&arguments.uri))?);
            }
            found => break found.map_err(|error| Failure::from(error).at(&arguments.uri))?,
        }
    };
    let all = in_order(&array, &replaced);
    if global.json {
        let fragments = all.iter().zip(&sizes).map(|((fragment, replaced), size)| {
            fragment_json(fragment, *replaced, *size, global.ticks)
        });
        return write_json(out, &Value::Array(fragments.collect()));
    }
    let mut titles = vec![
        ">#", "written", "until", "type", ">version", ">cells", ">tiles", ">size",
    ];
    titles.extend(
        array
            .schema()
            .dimensions
            .iter()
            .map(|dimension| dimension.name.as_str()),
    );
    titles.extend(["", "name", "schema"]);
    let mut table = Table::new(&titles);
    for (number, ((fragment, replaced), size)) in all.iter().zip(&sizes).enumerate() {
        let mut row = vec![(Role::Dim, number.to_string())];
        row.extend(facts(fragment, *size));
        let dimensions = array
            .schema()
            .dimensions
            .iter()
            .zip(&fragment.metadata.non_empty_domain);
        row.extend(dimensions.map(|(dimension, range)| {
            (
                Role::Plain,
                value_format::range(dimension, range, global.ticks),
            )
        }));
        let state = if *replaced { "consolidated" } else { "" };
        row.push((Role::Warning, state.to_owned()));
        row.push((Role::Dim, fragment.name.as_str().to_owned()));
        row.push((Role::Dim, schema_name(fragment).to_owned()));
        table.painted(row);
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// Opens the replaced fragments, and returns them with the sizes of all fragments [in order](in_order).
fn replaced_and_sizes(array: &Array) -> Result<(Vec<Fragment>, Vec<u64>), ArrayError> {
    let replaced = array.open_replaced()?;
    let all = in_order(array, &replaced);
    let fragments: Vec<&Fragment> = all.iter().map(|(fragment, _)| *fragment).collect();
    let sizes: Result<Vec<u64>, _> = array.stored_sizes(&fragments).into_iter().collect();
    Ok((replaced, sizes?))
}

/// All fragments in the order of their times, each with whether it was replaced.
fn in_order<'a>(array: &'a Array, replaced: &'a [Fragment]) -> Vec<(&'a Fragment, bool)> {
    let live = array.fragments().iter().map(|fragment| (fragment, false));
    let replaced = replaced.iter().map(|fragment| (fragment, true));
    let mut all: Vec<(&Fragment, bool)> = live.chain(replaced).collect();
    all.sort_by_key(|(fragment, _)| (fragment.timestamps(), fragment.name.as_str()));
    all
}

fn facts(fragment: &Fragment, size: u64) -> [(Role, String); 7] {
    let metadata = &fragment.metadata;
    let (from, to) = fragment.timestamps();
    let until = if from == to {
        String::new()
    } else {
        rfc3339(to)
    };
    [
        (Role::Plain, rfc3339(from)),
        (Role::Plain, until),
        (
            Role::Type,
            if metadata.dense { "dense" } else { "sparse" }.to_owned(),
        ),
        (Role::Plain, metadata.version.to_string()),
        (Role::Plain, count(metadata.cell_count())),
        (Role::Plain, count(metadata.tile_count())),
        (Role::Plain, bytes(size)),
    ]
}

/// Name of the fragment's schema object. Old arrays have only one schema, with a fixed name.
fn schema_name(fragment: &Fragment) -> &str {
    let name = fragment.metadata.schema_name.as_deref();
    name.unwrap_or(LEGACY_SCHEMA)
}

fn fragment_json(fragment: &Fragment, replaced: bool, size: u64, ticks: bool) -> Value {
    let metadata = &fragment.metadata;
    let (from, to) = fragment.timestamps();
    let domain = ranges_to_json(
        &fragment.schema,
        &metadata.non_empty_domain,
        value_format::times(ticks),
    );
    json!({
        "name": fragment.name.as_str(),
        "version": metadata.version.number(),
        "dense": metadata.dense,
        "timestamps": [from, to],
        "cells": metadata.cell_count(),
        "tiles": metadata.tile_count(),
        "bytes": size,
        "non_empty_domain": domain,
        "schema": schema_name(fragment),
        "has_timestamps": metadata.extra_fields.timestamps,
        "has_delete_meta": metadata.extra_fields.deletes,
        "consolidated": replaced,
    })
}
