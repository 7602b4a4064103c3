//! `tdb show`: draws a slice of a dense array.

mod canvas;
mod colors;
mod legend;
mod matrix;
mod png_file;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::json::cell_to_json;
use tdb::engine::tile::Code;
use tdb::{Picture, PictureAxis, PictureOptions, read_picture};

use super::selection::{OpenSelection, Selection};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::name;
use crate::output::Output;
use crate::paint::wrapped;
use crate::value_format;
use colors::{Colors, Palette};

/// Screen size in characters if the output is not a terminal.
const SCREEN: (usize, usize) = (80, 24);

/// Longer side of a picture in a file, in pixels.
const FILE_SIDE: u64 = 2000;

/// Number of lines for the legend.
const LEGEND: usize = 2;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb show fixtures/v22_dense_basics/array --attr i32\n  \
    tdb show fixtures/v22_dense_basics/array --attr f32 --numbers\n  \
    tdb show fixtures/v22_dense_basics/array --attr i32 --png target/i32.png --colors magma\n\n\
    A third dimension with 3 or 4 cells of uint8 is a colour: red, green, blue, opacity. Pictures larger than the screen or the file \
    are sampled, with a note. Of a dimension without --range, the written part is drawn."
)]
pub(crate) struct Arguments {
    /// A dense array
    array: String,
    /// Attribute to draw [default: the first numeric one]
    #[arg(long, value_name = "A", value_parser = name, allow_hyphen_values = true)]
    attr: Option<String>,
    /// Write a PNG file instead of drawing on the terminal
    #[arg(long, value_name = "FILE", conflicts_with = "numbers")]
    png: Option<PathBuf>,
    /// Longer side of the picture, in pixels [default: 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=65_535))]
    size: Option<u64>,
    /// Colour map [default: gray for 8-bit values, otherwise viridis]
    #[arg(long, value_name = "MAP", value_enum)]
    colors: Option<Colors>,
    /// Values of the first and the last colour [default: minimum and maximum shown]
    #[arg(long, value_name = "LO..HI", value_parser = scale, allow_hyphen_values = true)]
    scale: Option<(f64, f64)>,
    /// Print the numbers as a matrix
    #[arg(long)]
    numbers: bool,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    refuse_text_as_png(global)?;
    let selected = arguments.selection.open(&arguments.array, global, out)?;
    let OpenSelection {
        session,
        location,
        array,
        options,
    } = &selected;
    let wanted = arguments.picture_options(global, out);
    let read = || read_picture(session, array, options, &wanted);
    let picture = global
        .counts
        .stage("read", read)
        .map_err(|error| Failure::in_place(error, location))?;
    let palette = arguments.palette(&picture);
    if let Some(file) = &arguments.png {
        png_file::write(&picture, &palette, file)?;
        if file != Path::new("/dev/stdout") {
            for line in legend::lines(&picture, &palette, None, global.ticks) {
                writeln!(out, "{}", wrapped(&line, "", out.look))?;
            }
        }
        return Ok(());
    }
    if global.json {
        return write_json(out, &picture_json(&picture, &palette, arguments, global));
    }
    if arguments.numbers {
        return matrix::write(&picture, global.ticks, out);
    }
    canvas::write(&picture, &palette, out)?;
    legend::write(&picture, &palette, global.ticks, out)
}

impl Arguments {
    fn picture_options(&self, global: &Global, out: &Output) -> PictureOptions {
        let (width, height) = self.room(global, out);
        let mut options = PictureOptions::within(width, height);
        options.attribute.clone_from(&self.attr);
        options.is_cropped = self.numbers;
        // Without colours a pixel is a whole character, otherwise half a character.
        let is_plain = self.png.is_none() && !global.json && !out.look.color;
        options.pixel_height(if is_plain && self.size.is_none() {
            2
        } else {
            1
        })
    }

    /// Size available for the picture, in pixels; 0 means no limit.
    fn room(&self, global: &Global, out: &Output) -> (u64, u64) {
        if let Some(size) = self.size {
            return (size, size);
        }
        if self.png.is_some() {
            return (FILE_SIDE, FILE_SIDE);
        }
        let height = out
            .look
            .height
            .map(|lines| lines.saturating_sub(LEGEND).max(1));
        if self.numbers {
            // A number and the gap take at least three columns. Files and pipes get all columns.
            let columns = if global.json { None } else { out.look.width };
            let rows = height.filter(|_| !global.json);
            return (
                columns.map_or(0, |columns| columns as u64 / 3),
                rows.map_or(0, |rows| rows as u64),
            );
        }
        let (width, height) = (
            out.look.width.unwrap_or(SCREEN.0),
            height.unwrap_or(SCREEN.1),
        );
        let halves = if out.look.color { 2 } else { 1 };
        (width as u64, (height as u64).saturating_mul(halves))
    }

    fn palette(&self, picture: &Picture) -> Palette {
        let default = if picture.datatype.size() == 1 {
            Colors::Gray
        } else {
            Colors::Viridis
        };
        let scale = self.scale.or_else(|| picture.scale());
        Palette {
            colors: self.colors.unwrap_or(default),
            scale,
        }
    }
}

/// Refuses `-o FILE.png`: `-o` redirects the text output.
fn refuse_text_as_png(global: &Global) -> Result<(), Failure> {
    let ending = global.output.as_deref().and_then(Path::extension);
    if !ending.is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let failure = Failure::invalid("-o writes the picture as text, or its JSON");
    Err(failure.hint("use --png FILE to write a PNG file"))
}

/// Parses two numbers: `0..255`.
fn scale(text: &str) -> Result<(f64, f64), String> {
    let ends = text
        .split_once("..")
        .and_then(|(lo, hi)| Some((lo.parse().ok()?, hi.parse().ok()?)));
    let is_scale = |(lo, hi): &(f64, f64)| lo.is_finite() && hi.is_finite() && lo <= hi;
    ends.filter(is_scale)
        .ok_or_else(|| "expected LO..HI with LO <= HI, such as 0..255".to_owned())
}

fn picture_json(
    picture: &Picture,
    palette: &Palette,
    arguments: &Arguments,
    global: &Global,
) -> Json {
    let times = value_format::times(global.ticks);
    let value = |axis: &PictureAxis, bytes: &[u8]| {
        cell_to_json(axis.datatype, CellValNum::Fixed(1), bytes, times)
    };
    let axis = |axis: &PictureAxis| {
        let ends = axis.ends();
        json!({
            "dimension": axis.dimension,
            "range": ends.map(|(lo, hi)| [value(axis, &lo), value(axis, &hi)]),
            "cells": axis.cells,
            "pixels": axis.positions.len(),
        })
    };
    let scale = palette
        .scale
        .map(|(lo, hi)| {
            [
                legend::number(picture, lo, true),
                legend::number(picture, hi, true),
            ]
        })
        .map(|ends| ends.map(|text| serde_json::from_str(&text).unwrap_or(Json::String(text))));
    let mut shown = json!({
        "attribute": picture.attribute,
        "datatype": picture.datatype.name(),
        "rows": picture.rows.as_ref().map(axis),
        "columns": axis(&picture.columns),
        "fixed": picture.fixed.iter().map(axis).collect::<Vec<_>>(),
        "channels": picture.channels,
        "sampled": picture.is_sampled(),
        "scale": scale,
    });
    if let (true, Some(shown)) = (arguments.numbers, shown.as_object_mut()) {
        shown.insert("values".to_owned(), matrix::json(picture, times));
    }
    shown
}
