//! `tdb diff` and `tdb compare`: cells that differ between two times of an array, or between two arrays.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb::engine::cells::FieldInfo;
use tdb::engine::schema::json::cell_to_json;
use tdb::engine::tile::Exact;
use tdb::{Array, CellValue, Difference, Differences, ReadBuilder, Time, compare};

use super::selection::Selection;
use super::{shown_type, write_json};
use crate::context::{NewKey, context};
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, joined, names};
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, Table, count, visible};
use crate::value_format;

/// Which cells are compared, and how many of those that differ are shown.
#[derive(Debug, Args)]
pub(crate) struct Scope {
    /// Only these attributes
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    attrs: Vec<Names>,
    /// Maximum number of cells to print; all are counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u64,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb compare fixtures/v22_deletes/array fixtures/v22_deletes_merged/array\n  \
    tdb compare before after --where \"day >= '2024-02'\" --limit 0\n\n\
    Cells are matched by their coordinates. Values are equal if their bits are, labels if their text is. If the types of an \
    attribute differ, numbers are compared by value and text by its bytes; attributes that cannot be compared are listed. The exit \
    status is 1 if anything differs."
)]
pub(crate) struct Arguments {
    /// An array
    old: String,
    /// Another array, with the same dimensions
    new: String,
    #[command(flatten)]
    new_key: NewKey,
    #[command(flatten)]
    scope: Scope,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb diff fixtures/v22_tour/array --at 2024-04-11 --at 2024-04-13\n  \
    tdb diff fixtures/v22_tour/array --at 2024-04-11 --limit 0\n\n\
    With one --at, that time is compared with now. The exit status is 1 if anything differs. Fragments that exist at both times are \
    not read if they cannot differ; compared_same of --json does not count their cells."
)]
pub(crate) struct DiffArguments {
    /// An array
    array: String,
    #[command(flatten)]
    scope: Scope,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    let of_new = Opener::of_arguments(arguments.new_key.context(&context)?, global);
    let old = Opener::of_arguments(context, global).array_of_uri(&arguments.old)?;
    let new = of_new.array_of_uri(&arguments.new).map_err(NewKey::hint)?;
    arguments.scope.show((old, new), true, global, out)
}

pub(crate) fn diff(
    arguments: &DiffArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (first, second) = match global.times[..] {
        [first] => (first, global.now),
        [first, second] => (first, second),
        [] => {
            let failure = Failure::invalid("--at is missing: which time is compared with now?");
            return Err(failure.hint("tdb log lists the times of all changes"));
        }
        _ => return Err(Failure::invalid("--at is given more than twice")),
    };
    let context = context(global)?;
    let open = |time: Time| {
        let opener = Opener::until(context.clone(), time.0);
        opener.array_of_uri(&arguments.array)
    };
    let arrays = (open(first)?, open(second)?);
    arguments.scope.show(arrays, false, global, out)
}

impl Scope {
    /// Compares two arrays, prints the differences, and returns a failure if there are any. With `counts_all`, equal
    /// cells that were not read because they cannot differ are counted as well.
    fn show(
        &self,
        (old, new): (Array, Array),
        counts_all: bool,
        global: &Global,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut reads = [self.read(&old, global)?, self.read(&new, global)?];
        let narrowed = tdb::narrow_comparison(&mut reads, tdb::MOST_WALKED, global.ticks)?;
        if let Some(narrowed) = narrowed {
            out.warn(&narrowed.to_string());
        }
        let [before, after] = reads;
        let mut differences = compare(before, after)?;
        let mut shown = Vec::new();
        for difference in &mut differences {
            let difference = difference?;
            if (shown.len() as u64) < self.limit {
                shown.push(difference);
            }
        }
        let found = differences.count_so_far();
        if global.json {
            let is_whole = differences.not_compared().is_empty();
            let of_all = counts_all && is_whole && old.uri() == new.uri();
            let all = of_all.then(|| self.count(&new, global)).transpose()?;
            let same = if let Some(cells) = all.flatten() {
                cells.exact_sub(found.added)?.exact_sub(found.changed)?
            } else {
                found.same
            };
            let told = as_json(&differences, same, &shown, global.ticks);
            write_json(out, &told)?;
        } else {
            write(&differences, &shown, global.ticks, out)?;
        }
        let cells = found.added + found.removed + found.changed;
        let others = [differences.schema_changes(), differences.metadata_changes()];
        if cells == 0 && others.iter().all(|changes| changes.is_empty()) {
            return Ok(());
        }
        // The differences have been printed.
        Err(Failure::difference())
    }

    /// Number of selected cells; `None` if there are too many to scan.
    fn count(&self, array: &Array, global: &Global) -> Result<Option<u64>, Failure> {
        let read = self.read(array, global)?;
        let mut options = read.options()?;
        let walk = tdb::narrow_walk(array.engine(), &mut options, tdb::MOST_WALKED, false);
        if !matches!(walk, Ok(None)) {
            return Ok(None);
        }
        Ok(Some(read.count()?))
    }

    fn read(&self, array: &Array, global: &Global) -> Result<ReadBuilder, Failure> {
        if self.selection.takes_standard_input() {
            let what = "--points cannot read standard input here: it would have to be read twice";
            return Err(Failure::invalid(what).hint("use a file instead"));
        }
        let session = array.context().shared_session();
        let options = self
            .selection
            .read_options(array.engine(), session, global)?;
        let read = array.read().with_options(options);
        Ok(match joined(&self.attrs) {
            Some(names) => read.attrs(names),
            None => read,
        })
    }
}

fn write(
    differences: &Differences,
    shown: &[Difference],
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    for change in differences.schema_changes() {
        writeln!(out, "schema: {}", visible(change))?;
    }
    for change in differences.metadata_changes() {
        writeln!(out, "metadata: {}", visible(change))?;
    }
    for field in differences.not_compared() {
        writeln!(out, "{}", visible(field))?;
    }
    if !shown.is_empty() {
        let look = out.look;
        cells_table(differences, shown, ticks).write(out, look)?;
    }
    let found = differences.count_so_far();
    let all = found.added + found.removed + found.changed;
    let more = all.saturating_sub(shown.len() as u64);
    if more > 0 && !shown.is_empty() {
        out.note(&format!(
            "{} more cells differ: use --limit to print more",
            count(more)
        ));
    }
    let text = format!(
        "cells: {} added, {} removed, {} changed",
        count(found.added),
        count(found.removed),
        count(found.changed)
    );
    Ok(writeln!(out, "{text}")?)
}

/// Table with a row per cell: `+` added, `-` removed, `~` changed. Changed values are shown as `old -> new`.
fn cells_table(differences: &Differences, shown: &[Difference], ticks: bool) -> Table {
    let (dimensions, attributes) = (differences.dimensions(), differences.attributes());
    let old_attributes = differences.old_attributes();
    let names = dimensions.iter().chain(attributes);
    let mut titles = vec![""];
    titles.extend(names.map(|field| field.name.as_str()));
    let mut table = Table::new(&titles);
    for difference in shown {
        let (mark, role, coordinates, values) = match difference {
            Difference::Added {
                coordinates,
                values,
            } => ("+", Role::Plain, coordinates, Some((attributes, values))),
            Difference::Removed {
                coordinates,
                values,
            } => (
                "-",
                Role::Plain,
                coordinates,
                Some((old_attributes, values)),
            ),
            Difference::Changed { coordinates, .. } => ("~", Role::Plain, coordinates, None),
        };
        let mut row = vec![(Role::Type, mark.to_owned())];
        let coordinates = dimensions.iter().zip(coordinates);
        row.extend(coordinates.map(|(field, cell)| (role, text(field, cell, ticks))));
        match (values, difference) {
            (Some((fields, values)), _) => {
                let values = fields.iter().zip(values);
                row.extend(values.map(|(field, cell)| (role, text(field, cell, ticks))));
            }
            (None, Difference::Changed { values, .. }) => {
                row.extend(changed_texts((old_attributes, attributes), values, ticks));
            }
            (None, _) => {}
        }
        table.painted(row);
    }
    table
}

fn changed_texts<'a>(
    (before, after): (&'a [FieldInfo], &'a [FieldInfo]),
    values: &'a [(usize, CellValue, CellValue)],
    ticks: bool,
) -> impl Iterator<Item = (Role, String)> + 'a {
    let fields = before.iter().zip(after).enumerate();
    fields.map(move |(index, (old_field, field))| {
        let change = values.iter().find(|(changed, ..)| *changed == index);
        let text = change.map_or_else(String::new, |(_, old, new)| {
            let (before, now) = (text(old_field, old, ticks), text(field, new, ticks));
            match (old, new) {
                // Values with different bits may have the same text, such as NaNs.
                (Some(old), Some(new)) if before == now => {
                    format!("{before} ({}) -> {now} ({})", bits(old), bits(new))
                }
                _ => format!("{before} -> {now}"),
            }
        });
        (Role::Plain, text)
    })
}

/// Formats the bytes of a number in hexadecimal, the most significant first: `0x7fc00000`.
fn bits(cell: &[u8]) -> String {
    let digits = cell.iter().rev().map(|byte| format!("{byte:02x}"));
    format!("0x{}", digits.collect::<String>())
}

fn text(field: &FieldInfo, cell: &CellValue, ticks: bool) -> String {
    let (datatype, values) = shown_type(field);
    match cell {
        None => "null".to_owned(),
        Some(cell) => value_format::stored(datatype, values, cell, ticks),
    }
}

fn as_json(differences: &Differences, same: u64, shown: &[Difference], ticks: bool) -> Json {
    let found = differences.count_so_far();
    let cells: Vec<Json> = shown
        .iter()
        .map(|d| cell_json(differences, d, ticks))
        .collect();
    json!({
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "compared_same": same,
        "not_compared": differences.not_compared(),
        "schema": differences.schema_changes(),
        "metadata": differences.metadata_changes(),
        "cells": cells,
    })
}

/// Formats a difference as `{"change":"changed","coordinates":{…},"old":{…},"new":{…}}`.
/// A changed cell has only the attributes that changed.
fn cell_json(differences: &Differences, difference: &Difference, ticks: bool) -> Json {
    let attributes = differences.attributes();
    let old_attributes = differences.old_attributes();
    let one = |field: &FieldInfo, cell: &CellValue| {
        let (datatype, values) = shown_type(field);
        let value = cell
            .as_ref()
            .map(|cell| cell_to_json(datatype, values, cell, value_format::times(ticks)));
        (field.name.clone(), value.unwrap_or(Json::Null))
    };
    let all = |fields: &[FieldInfo], cells: &[CellValue]| -> Map<String, Json> {
        fields
            .iter()
            .zip(cells)
            .map(|(field, cell)| one(field, cell))
            .collect()
    };
    let (change, coordinates, old, new) = match difference {
        Difference::Added {
            coordinates,
            values,
        } => ("added", coordinates, None, Some(all(attributes, values))),
        Difference::Removed {
            coordinates,
            values,
        } => {
            let old = all(old_attributes, values);
            ("removed", coordinates, Some(old), None)
        }
        Difference::Changed {
            coordinates,
            values,
        } => {
            let named = |fields: &[FieldInfo], index: &usize, cell| {
                fields.get(*index).map(|field| one(field, cell))
            };
            let old = values
                .iter()
                .filter_map(|(index, old, _)| named(old_attributes, index, old));
            let new = values
                .iter()
                .filter_map(|(index, _, new)| named(attributes, index, new));
            let (old, new) = (old.collect(), new.collect());
            ("changed", coordinates, Some(old), Some(new))
        }
    };
    json!({
        "change": change,
        "coordinates": all(differences.dimensions(), coordinates),
        "old": old,
        "new": new,
    })
}
