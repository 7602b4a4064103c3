//! `tdb layout`: how the bytes of an array are distributed.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::layout::{FieldBytes, FragmentBytes, Layout, Part, Sizes};

use super::schema::{filters_text, section};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::open;
use crate::output::Output;
use crate::paint::{Role, Table, bytes, count, plural, visible};

/// Number of fragments shown, the largest first; `--json` has all.
const SHOWN: usize = 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb layout fixtures/v22_tour/array\n  tdb layout fixtures/v22_dense_basics/array --json\n\n\
    Parts and fragments are measured by the bytes of their stored objects, and add up to the whole array. Fields and filters cover \
    the fragments that are read, including offsets and validity; ratio is the unfiltered size divided by the stored size."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let array = open::array(&arguments.array, global, out)?;
    let gather = || Layout::of(array.engine());
    let layout = global
        .counts
        .stage("layout", gather)
        .map_err(|error| Failure::from(error).at(&arguments.array))?;
    let pipelines = pipelines(&layout.fields)?;
    if global.json {
        return write_json(out, &layout_json(&layout, &pipelines, &arguments.array));
    }
    let title = out.look.paint(Role::Title, &visible(&arguments.array));
    let objects = plural(layout.objects, "object");
    writeln!(out, "{title}: {} in {objects}", bytes(layout.bytes))?;
    section(parts_table(&layout), out)?;
    section(fields_table(&layout), out)?;
    section(pipelines_table(&layout, &pipelines), out)?;
    write_fragments(&layout, out)
}

/// Bytes of all fields per filter pipeline, largest first.
fn pipelines(fields: &[FieldBytes]) -> Result<Vec<(String, Sizes)>, Failure> {
    let mut sums: BTreeMap<String, Sizes> = BTreeMap::new();
    for field in fields {
        let filters = filters_text(&field.filters, field.version);
        let sum = sums.entry(filters).or_insert(Sizes::NONE);
        sum.add(field.sizes)?;
    }
    let mut sums: Vec<(String, Sizes)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sizes)| std::cmp::Reverse(sizes.stored));
    Ok(sums)
}

/// Percentage of all bytes: `12 %`, with one decimal below 10 %.
fn share(part: u64, layout: &Layout) -> String {
    let percent = part as f64 * 100.0 / layout.bytes.max(1) as f64;
    let digits = usize::from(percent < 10.0);
    format!("{percent:.digits$} %")
}

fn parts_table(layout: &Layout) -> Table {
    let mut table = Table::new(&["part", ">size", ">share", ""]);
    for (part, size) in layout.parts.iter().filter(|(_, size)| **size > 0) {
        let remark = match part {
            Part::Replaced => "tdb vacuum removes it",
            Part::OtherFragments => "of another time, or left by interrupted writes",
            _ => "",
        };
        table.painted([
            (Role::Title, part.name().replace('_', " ")),
            (Role::Plain, bytes(*size)),
            (Role::Plain, share(*size, layout)),
            (Role::Dim, remark.to_owned()),
        ]);
    }
    table
}

fn ratio(sizes: Sizes) -> String {
    sizes
        .ratio()
        .map_or_else(String::new, |ratio| format!("{ratio:.1}"))
}

fn fields_table(layout: &Layout) -> Table {
    let mut table = Table::new(&["field", ">size", ">share", ">ratio", "filters"]);
    for field in &layout.fields {
        table.painted([
            (Role::Title, field.name.clone()),
            (Role::Plain, bytes(field.sizes.stored)),
            (Role::Plain, share(field.sizes.stored, layout)),
            (Role::Plain, ratio(field.sizes)),
            (Role::Dim, filters_text(&field.filters, field.version)),
        ]);
    }
    table
}

fn pipelines_table(layout: &Layout, pipelines: &[(String, Sizes)]) -> Table {
    let mut table = Table::new(&[">size", ">share", ">ratio", "all fields with these filters"]);
    for (filters, sizes) in pipelines {
        table.painted([
            (Role::Plain, bytes(sizes.stored)),
            (Role::Plain, share(sizes.stored, layout)),
            (Role::Plain, ratio(*sizes)),
            (Role::Title, filters.clone()),
        ]);
    }
    table
}

fn write_fragments(layout: &Layout, out: &mut Output) -> Result<(), Failure> {
    let size = |fragment: &FragmentBytes| fragment.data.saturating_add(fragment.metadata);
    let mut largest: Vec<&FragmentBytes> = layout.fragments.iter().collect();
    largest.sort_by_key(|fragment| std::cmp::Reverse(size(fragment)));
    let left_out = largest.split_off(largest.len().min(SHOWN));
    let mut table = Table::new(&[
        ">size",
        ">share",
        ">data",
        ">metadata",
        ">cells",
        "",
        "fragment",
    ]);
    for fragment in largest {
        let state = if fragment.is_replaced {
            "consolidated away"
        } else {
            ""
        };
        table.painted([
            (Role::Plain, bytes(size(fragment))),
            (Role::Plain, share(size(fragment), layout)),
            (Role::Plain, bytes(fragment.data)),
            (Role::Plain, bytes(fragment.metadata)),
            (Role::Plain, count(fragment.cells)),
            (Role::Warning, state.to_owned()),
            (Role::Dim, fragment.name.clone()),
        ]);
    }
    section(table, out)?;
    if !left_out.is_empty() {
        let sum = left_out
            .iter()
            .fold(0_u64, |sum, fragment| sum.saturating_add(size(fragment)));
        let left_out = count(left_out.len() as u64);
        writeln!(
            out,
            "and {left_out} smaller ones with {}: --json has all",
            bytes(sum)
        )?;
    }
    Ok(())
}

fn layout_json(layout: &Layout, pipelines: &[(String, Sizes)], uri: &str) -> Json {
    let parts = layout
        .parts
        .iter()
        .map(|(part, size)| (part.name().to_owned(), json!(size)));
    let fields = layout.fields.iter().map(|field| {
        json!({
            "name": field.name,
            "pipeline": filters_text(&field.filters, field.version),
            "bytes": field.sizes.stored,
            "unfiltered_bytes": field.sizes.unfiltered,
        })
    });
    let pipelines = pipelines.iter().map(|(filters, sizes)| {
        json!({
            "pipeline": filters,
            "bytes": sizes.stored,
            "unfiltered_bytes": sizes.unfiltered,
        })
    });
    let fragments = layout.fragments.iter().map(|fragment| {
        json!({
            "name": fragment.name,
            "data_bytes": fragment.data,
            "metadata_bytes": fragment.metadata,
            "cells": fragment.cells,
            "consolidated": fragment.is_replaced,
        })
    });
    json!({
        "uri": uri,
        "bytes": layout.bytes,
        "objects": layout.objects,
        "parts": parts.collect::<serde_json::Map<_, _>>(),
        "fields": fields.collect::<Vec<_>>(),
        "pipelines": pipelines.collect::<Vec<_>>(),
        "fragments": fragments.collect::<Vec<_>>(),
    })
}
