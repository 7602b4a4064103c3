//! `tdb hist`: the distribution of a field's values.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tdb::engine::aggregate::{AggregateError, Bin, Histogram, histogram};
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::json::cell_to_json;
use tdb::engine::tile::{Datatype, Scalar};

use super::selection::{OpenSelection, Selection};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::name;
use crate::output::Output;
use crate::paint::{Role, Table, count};
use crate::svg::{Svg, SvgAxis, SvgBox};
use crate::value_format;

/// Length of the longest bar, in characters.
const BAR: u64 = 40;

/// Colour of the bars in an SVG file.
const COLOUR: [u8; 3] = [65, 105, 170];

/// Characters for fractions of a cell, in eighths.
const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb hist fixtures/v22_tour/array temperature\n  tdb hist fixtures/v22_tour/array hour --bins 4 --where \"sky = 'snow'\" --json\n  \
    tdb hist fixtures/v22_tour/array temperature --svg target/temperature.svg"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// A field of numbers, dates or times
    #[arg(value_parser = name)]
    field: String,
    /// Maximum number of bins, all of equal width
    #[arg(long, value_name = "N", default_value_t = 10)]
    bins: usize,
    /// Draw the histogram into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let selected = arguments
        .selection
        .open(&arguments.array, global, out)?
        .walked(global, out)?;
    let OpenSelection {
        session,
        location,
        array,
        options,
    } = &selected;
    let ask = || histogram(session, array, options, &arguments.field, arguments.bins);
    let answer = global.counts.stage("aggregate", ask).map_err(|error| {
        let has_no_order = matches!(
            error,
            AggregateError::Unfit { .. } | AggregateError::Labels { .. }
        );
        let failure = Failure::in_place(error, location);
        if has_no_order {
            let (array, field) = (&arguments.array, &arguments.field);
            return failure.hint(format!(
                "use tdb distinct {array} {field:?} --counts to count each value"
            ));
        }
        failure
    })?;
    if global.json {
        return json_of(&answer, arguments, global, out);
    }
    let most = answer.bins.iter().map(|bin| bin.cells).max().unwrap_or(0);
    if let Some(file) = &arguments.svg {
        return picture(&answer, most, &arguments.field, global.ticks).write(file);
    }
    let mut table = Table::new(&[">from", ">to", ">cells", ""]);
    for bin in &answer.bins {
        let [low, high] = ends(answer.datatype, bin, global.ticks);
        table.painted([
            (Role::Plain, low),
            (Role::Plain, high),
            (Role::Plain, count(bin.cells)),
            (Role::Type, bar(bin.cells, most)),
        ]);
    }
    let other = if answer.datatype.is_real() {
        "NaN"
    } else {
        "NaT"
    };
    for (what, cells) in [("null", answer.nulls), (other, answer.others)] {
        if cells > 0 {
            let name = (Role::Dim, what.to_owned());
            let none = || (Role::Dim, String::new());
            table.painted([name, none(), (Role::Plain, count(cells)), none()]);
        }
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// Formats both ends of a bin for display.
fn ends(datatype: Datatype, bin: &Bin, ticks: bool) -> [String; 2] {
    let exact = |bytes: &[u8]| value_format::stored(datatype, CellValNum::Fixed(1), bytes, ticks);
    rounded(datatype, bin).unwrap_or_else(|| [exact(&bin.low), exact(&bin.high)])
}

/// Draws the histogram: bins from left to right, bars growing upwards.
fn picture(answer: &Histogram, most: u64, field: &str, ticks: bool) -> Svg {
    let bins = answer.bins.iter();
    let all: Vec<[String; 2]> = bins.map(|bin| ends(answer.datatype, bin, ticks)).collect();
    let low = all.first().map_or("", |[low, _]| low.as_str());
    let high = all.last().map_or("", |[_, high]| high.as_str());
    let highest = count(most);
    let right = SvgAxis {
        name: field,
        ends: [low, high],
    };
    let down = SvgAxis {
        name: "cells",
        ends: [&highest, "0"],
    };
    let mut svg = Svg::new(right, down);
    let width = 1.0 / all.len().max(1) as f64;
    for (number, (bin, [low, high])) in answer.bins.iter().zip(&all).enumerate() {
        if bin.cells > 0 {
            let from = number as f64 * width;
            let top = 1.0 - bin.cells as f64 / most as f64;
            let title = format!("{low} .. {high}: {} cells", count(bin.cells));
            svg.begin(COLOUR, &title);
            svg.rectangle(
                SvgBox {
                    right: (from, from + width),
                    down: (top, 1.0),
                },
                0.6,
                1.0,
            );
            svg.end();
        }
    }
    svg
}

/// Formats the ends of a floating-point bin with as many decimals as resolve its width to about four digits; `None`
/// if a plain decimal does not suit. JSON output has all digits.
fn rounded(datatype: Datatype, bin: &Bin) -> Option<[String; 2]> {
    let number = |bytes: &[u8]| match datatype {
        Datatype::Float32 => f32::read(bytes).map(f64::from),
        Datatype::Float64 => f64::read(bytes),
        _ => None,
    };
    let (low, high) = (number(&bin.low)?, number(&bin.high)?);
    let width = high - low;
    // Other magnitudes are printed with an exponent.
    if !(1e-9..1e12).contains(&width) || low.abs().max(high.abs()) > 1e15 {
        return None;
    }
    let mut digits = 0_usize;
    let mut step = width;
    while step < 1000.0 && digits < 15 {
        step *= 10.0;
        digits += 1;
    }
    Some([low, high].map(|end| format!("{end:.digits$}")))
}

/// A bar whose length is proportional to `cells`; `most` gets the full length.
fn bar(cells: u64, most: u64) -> String {
    let eighths = u128::from(cells) * u128::from(BAR) * 8 / u128::from(most.max(1));
    let whole = "█".repeat(usize::try_from(eighths / 8).unwrap_or(0));
    let part = usize::try_from(eighths % 8)
        .ok()
        .and_then(|part| PARTS.get(part));
    match part {
        // A count above zero is always visible.
        Some(&"") if cells > 0 && whole.is_empty() => "▏".to_owned(),
        part => format!("{whole}{}", part.unwrap_or(&"")),
    }
}

fn json_of(
    answer: &Histogram,
    arguments: &Arguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let end = |bytes: &[u8]| {
        let times = value_format::times(global.ticks);
        cell_to_json(answer.datatype, CellValNum::Fixed(1), bytes, times)
    };
    let bins = answer
        .bins
        .iter()
        .map(|bin| json!({ "from": end(&bin.low), "to": end(&bin.high), "cells": bin.cells }));
    let told = json!({
        "field": arguments.field,
        "bins": bins.collect::<Vec<_>>(),
        "nulls": answer.nulls,
        "none": answer.others,
    });
    write_json(out, &told)
}
