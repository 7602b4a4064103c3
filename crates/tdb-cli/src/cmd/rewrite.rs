//! `tdb rewrite`: copies an array into a new one with other tiles, filters, orders or fields.

mod changes;

use std::io::Write;
use std::path::PathBuf;

use changes::{Changes, Filters, Tile, changed, filters, tile};
use clap::{Args, ValueEnum};
use serde_json::json;
use tdb::engine::schema::json::{Times, schema_to_json};
use tdb::{RewriteOptions, Schema};

use super::progress::Line;
use super::write::DuplicateRule;
use super::{change, create, write_json};
use crate::context::{NewKey, context};
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, joined, names};
use crate::output::Output;
use crate::paint::plural;
use crate::request_file;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb rewrite fixtures/v22_tour/array target/tighter --filters zstd:9 --capacity 1000\n  \
    tdb rewrite fixtures/v22_tour/array target/skies --attrs sky --filters sky=zstd:9\n\n\
    Copies all cells that can be read, and the metadata. The old array is unchanged, and only it contains the earlier times. The new \
    array appears only when it is complete; an interrupted rewrite continues with the same command. --new-key-file encrypts the new \
    array, or changes its key. Give filters by the names that tdb filters lists, with the level after a colon, or as JSON in the shape \
    of tdb schema --json."
)]
pub(crate) struct Arguments {
    /// The array
    array: String,
    /// URI of the new array
    to: String,
    /// Schema of the new array, as `tdb schema --json` prints it
    #[arg(long, value_name = "FILE.json")]
    schema: Option<PathBuf>,
    /// Filters of all fields, or of one: byteshuffle,zstd:5 or temperature=zstd:9
    #[arg(long, value_name = "[FIELD=]FILTERS", value_parser = filters, allow_hyphen_values = true)]
    filters: Vec<Filters>,
    /// The extent of the space tiles along a dimension
    #[arg(long, value_name = "DIM=EXTENT", value_parser = tile, allow_hyphen_values = true)]
    tiles: Vec<Tile>,
    /// Only these attributes
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    attrs: Vec<Names>,
    /// Sparse arrays: number of cells per tile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    capacity: Option<u64>,
    /// The order of the cells of a tile
    #[arg(long, value_enum)]
    cell_order: Option<CellOrder>,
    /// The order of the tiles
    #[arg(long, value_enum)]
    tile_order: Option<TileOrder>,
    /// Sparse arrays: how to treat cells with the same coordinates
    #[arg(long, value_enum)]
    duplicates: Option<DuplicateRule>,
    #[command(flatten)]
    new_key: NewKey,
    /// Print the schema as JSON, without creating the array
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CellOrder {
    /// The last dimension changes fastest
    Row,
    /// The first dimension changes fastest
    Col,
    /// Sparse arrays: along the Hilbert curve
    Hilbert,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TileOrder {
    /// The last dimension changes fastest
    Row,
    /// The first dimension changes fastest
    Col,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let context = line.of(context(global)?);
    let change = change::options(global)?;
    let array = match global.at() {
        Some(time) => context.open_at(&arguments.array, time)?,
        None => context.open(&arguments.array)?,
    };
    let json = match &arguments.schema {
        Some(file) => request_file::json(file)?,
        None => {
            let schema = array.full_schema()?;
            schema_to_json(&schema, schema.enumerations(), Times::Ticks)
        }
    };
    let json = changed(json, &arguments.changes())?;
    let (schema, labels) = create::schema(&json, &*change.names)?;
    if arguments.dry_run {
        let json = schema_to_json(&schema, &labels, Times::Iso);
        return write_json(out, &json);
    }
    let schema = Schema::new(schema, labels)?;
    let mut options = RewriteOptions::default();
    let temp = global.temp.clone();
    options.sort_in = Some(temp.unwrap_or_else(std::env::temp_dir));
    options.first_of_duplicates = arguments.duplicates == Some(DuplicateRule::First);
    options.target = Some(arguments.new_key.context(&context)?.into());
    let done = array.rewrite_with(&arguments.to, &schema, &options);
    line.clear();
    let done = done?;
    if let Some(later) = array.later().filter(|_| global.at().is_none()) {
        out.warn(&format!("not in the new array: {later}"));
    }
    if global.json {
        return write_json(
            out,
            &json!({
                "cells": done.cells,
                "found": done.found,
                "fragments": done.fragments,
                "metadata": done.metadata,
            }),
        );
    }
    let cells = plural(done.cells, "cell");
    let metadata = plural(done.metadata, "key");
    let found = match done.found {
        0 => String::new(),
        found => format!(
            " ({} already written by an earlier run)",
            plural(found, "cell")
        ),
    };
    let (from, to) = (&arguments.array, &arguments.to);
    Ok(writeln!(
        out,
        "rewrote {cells}{found} and {metadata} of metadata from {from} to {to}"
    )?)
}

impl Arguments {
    fn changes(&self) -> Changes<'_> {
        let mut members = Vec::new();
        if let Some(capacity) = self.capacity {
            members.push(("capacity", capacity.into()));
        }
        if let Some(order) = self.cell_order {
            members.push(("cell_order", order.name().into()));
        }
        if let Some(order) = self.tile_order {
            members.push(("tile_order", order.name().into()));
        }
        if let Some(which) = self.duplicates {
            members.push(("allows_duplicates", (which == DuplicateRule::Keep).into()));
        }
        Changes {
            filters: &self.filters,
            tiles: &self.tiles,
            attributes: joined(&self.attrs),
            members,
        }
    }
}

impl CellOrder {
    fn name(self) -> &'static str {
        match self {
            Self::Row => "row-major",
            Self::Col => "col-major",
            Self::Hilbert => "hilbert",
        }
    }
}

impl TileOrder {
    fn name(self) -> &'static str {
        match self {
            Self::Row => "row-major",
            Self::Col => "col-major",
        }
    }
}
