//! `tdb map`: where the fragments and tiles of an array lie in its domain.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::engine::schema::ArraySchema;
use tdb::engine::schema::value::rfc3339;
use tdb::{Map, MapBox, MappedFragment};
use unicode_width::UnicodeWidthStr;

use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::open;
use crate::output::Output;
use crate::paint::{Role, Table, count};
use crate::svg::{Svg, SvgAxis, SvgBox};
use crate::value_format;

/// Length of a bar, in characters.
const SIDE: usize = 24;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb map fixtures/v22_tour/array\n  tdb map fixtures/v22_tour/array --svg target/tour.svg\n\n\
    For each dimension, a bar shows the part of the written range that a fragment covers; text is placed by the first bytes in which \
    it differs. In the picture, the first dimension runs down and the second to the right, older fragments are darker, and the MBRs of \
    sparse tiles are drawn inside their fragments. The fragments of an array with one dimension are drawn below each other."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Draw the fragments and tiles into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Sparse arrays: maximum number of tiles to draw
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_tiles: u64,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let array = open::array(&arguments.array, global, out)?;
    // Only pictures and JSON output contain tiles.
    let wants_tiles = arguments.svg.is_some() || global.json;
    let map = array.map(if wants_tiles { arguments.max_tiles } else { 0 })?;
    if wants_tiles && map.without_tiles > 0 {
        let most = count(arguments.max_tiles);
        out.warn(&format!(
            "{} of {} fragments are drawn without tiles: there are more than {most}; use --max-tiles to allow more",
            map.without_tiles,
            map.fragments.len()
        ));
    }
    let ends = ends(&map, array.schema(), global.ticks);
    if let Some(file) = &arguments.svg {
        return picture(&map, &ends).write(file);
    }
    if global.json {
        return write_json(out, &as_json(&map));
    }
    let mut titles = vec![">#", "written", ">cells", ">tiles"];
    titles.extend(map.dimensions.iter().map(String::as_str));
    let mut table = Table::new(&titles);
    if !map.fragments.is_empty() {
        let blank = || (Role::Dim, String::new());
        let mut row = vec![blank(), blank(), blank(), blank()];
        row.extend(ends.iter().map(|ends| (Role::Dim, between(ends))));
        table.painted(row);
    }
    for (number, fragment) in map.fragments.iter().enumerate() {
        let mut row = vec![
            (Role::Dim, number.to_string()),
            (Role::Plain, rfc3339(fragment.timestamps.0)),
            (Role::Plain, count(fragment.cells)),
            (Role::Plain, count(fragment.tiles)),
        ];
        let bars = fragment.place.iter().map(|side| (Role::Type, bar(*side)));
        row.extend(bars);
        table.painted(row);
    }
    if map.fragments.is_empty() {
        out.note("there are no fragments");
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// First and last coordinate of each dimension, as text.
fn ends(map: &Map, schema: &ArraySchema, ticks: bool) -> Vec<[String; 2]> {
    let domain = map.domain.iter().flatten();
    let ends = schema
        .dimensions
        .iter()
        .zip(domain)
        .map(|(dimension, range)| {
            [&range.lo, &range.hi].map(|end| {
                value_format::stored(dimension.datatype, dimension.cell_val_num, end, ticks)
            })
        });
    ends.collect()
}

/// Places both ends above a bar, one on each side; if they do not fit, one after the other with a space between.
fn between([lo, hi]: &[String; 2]) -> String {
    let room = SIDE.saturating_sub(lo.width() + hi.width()).max(1);
    format!("{lo}{}{hi}", " ".repeat(room))
}

/// Draws the covered part of a dimension, at least one character long.
fn bar((from, to): (f64, f64)) -> String {
    let (begin, end) = (place(from, f64::floor), place(to, f64::ceil));
    let begin = begin.min(SIDE - 1);
    let end = end.max(begin + 1);
    (0..SIDE)
        .map(|at| {
            if (begin..end).contains(&at) {
                '█'
            } else {
                '·'
            }
        })
        .collect()
}

/// Converts a fraction of a side to a character position.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to the characters of a side"
)]
fn place(part: f64, round: fn(f64) -> f64) -> usize {
    round(part.clamp(0.0, 1.0) * SIDE as f64) as usize
}

/// Draws a box for each fragment, and one for each of its tiles.
fn picture(map: &Map, ends: &[[String; 2]]) -> Svg {
    let axis = |dimension: usize| -> SvgAxis<'_> {
        let name = map.dimensions.get(dimension).map_or("", String::as_str);
        let ends = ends
            .get(dimension)
            .map_or(["", ""], |[lo, hi]| [lo.as_str(), hi.as_str()]);
        SvgAxis { name, ends }
    };
    let count = map.fragments.len();
    let (oldest, newest) = ("0", count.saturating_sub(1).to_string());
    let rows = SvgAxis {
        name: "fragments",
        ends: [oldest, &newest],
    };
    let mut svg = if map.dimensions.len() > 1 {
        Svg::new(axis(1), axis(0))
    } else {
        Svg::new(axis(0), rows)
    };
    for (number, fragment) in map.fragments.iter().enumerate() {
        let age = number as f64 / count.saturating_sub(1).max(1) as f64;
        let written = rfc3339(fragment.timestamps.0);
        svg.begin(shade(age), &format!("{written} {}", fragment.name));
        let row = (
            number as f64 / count as f64,
            (number + 1) as f64 / count as f64,
        );
        svg.rectangle(drawn_box(&fragment.place, row), 0.12, 2.0);
        for tile in &fragment.tile_places {
            svg.rectangle(drawn_box(tile, row), 0.25, 0.5);
        }
        svg.end();
    }
    svg
}

/// Interpolates the fragment colour: dark blue for the oldest (0), light blue for the newest (1).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between two bytes"
)]
fn shade(age: f64) -> [u8; 3] {
    let (dark, light): ([f64; 3], [f64; 3]) = ([31.0, 68.0, 122.0], [153.0, 186.0, 235.0]);
    let mix = |dark: f64, light: f64| (dark + (light - dark) * age.clamp(0.0, 1.0)).round() as u8;
    let ([r, g, b], [to_r, to_g, to_b]) = (dark, light);
    [mix(r, to_r), mix(g, to_g), mix(b, to_b)]
}

/// Converts a map box to a box of the drawing; in arrays with one dimension, each fragment has its own row.
fn drawn_box(place: &MapBox, row: (f64, f64)) -> SvgBox {
    let whole = (0.0, 1.0);
    let (down, right) = match place[..] {
        [down, right, ..] => (down, right),
        [right] => (row, right),
        [] => (row, whole),
    };
    SvgBox { right, down }
}

fn as_json(map: &Map) -> Json {
    let of_fragment = |fragment: &MappedFragment| {
        json!({
            "name": fragment.name,
            "timestamps": [fragment.timestamps.0, fragment.timestamps.1],
            "cells": fragment.cells,
            "tiles": fragment.tiles,
            "place": fragment.place,
            "tile_places": fragment.tile_places,
        })
    };
    json!({
        "dimensions": map.dimensions,
        "fragments": map.fragments.iter().map(of_fragment).collect::<Vec<_>>(),
    })
}
