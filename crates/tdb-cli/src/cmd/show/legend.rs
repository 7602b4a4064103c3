//! The legend of a picture: its colours, and the part of the array that it shows.

use std::collections::BTreeSet;
use std::io::Write;

use tdb::engine::schema::CellValNum;
use tdb::engine::tile::{Datatype, Scalar, with_scalar};
use tdb::{Picture, PictureAxis, Pixel};

use super::canvas::{Depth, NOT_A_NUMBER, NULL, RAMP};
use super::colors::Palette;
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{count, or_blank, visible, wrapped};
use crate::value_format;

/// Length of the colour scale, in characters.
const SCALE: usize = 16;

/// Writes the legend below a picture.
pub(super) fn write(
    picture: &Picture,
    palette: &Palette,
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let scale = if out.look.color {
        let depth = Depth::of_terminal();
        let step = |at: usize| palette.colors.at(at as f64 / (SCALE - 1) as f64);
        let steps: String = (0..SCALE)
            .map(|at| depth.code(48, step(at)) + " ")
            .collect();
        format!("{steps}\x1b[0m")
    } else {
        RAMP.iter().collect()
    };
    let plain = (!out.look.color).then_some([NULL, NOT_A_NUMBER]);
    let look = out.look;
    for (at, line) in lines(picture, palette, plain, ticks)
        .into_iter()
        .enumerate()
    {
        let line = wrapped(&line, "", look);
        match (at, palette.scale) {
            (0, Some(_)) if picture.channels == 1 => writeln!(out, "{scale} {line}")?,
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

/// Lines of the legend: the attribute with its colours, then the shown cells, then the sampling. Without colours,
/// `marks` are the characters for null and NaN.
pub(super) fn lines(
    picture: &Picture,
    palette: &Palette,
    marks: Option<[char; 2]>,
    ticks: bool,
) -> Vec<String> {
    // The name of an attribute may be empty.
    let name = Some(&picture.attribute).filter(|name| !name.is_empty());
    let mut first: Vec<String> = name.map(|name| visible(name)).into_iter().collect();
    match palette.scale {
        _ if picture.channels > 1 => first.push("in colours".to_owned()),
        Some((lo, hi)) => {
            first.push(format!(
                "{} .. {}",
                number(picture, lo, ticks),
                number(picture, hi, ticks)
            ));
        }
        None => first.push("no numbers".to_owned()),
    }
    let mut line = first.join(" ");
    let [null, no_number] = match marks {
        Some(marks) => marks.map(String::from),
        None => ["red".to_owned(), "cyan".to_owned()],
    };
    for kind in kinds(picture) {
        line += &match kind {
            Kind::Null => format!(", null {null}"),
            Kind::NotANumber => format!(", NaN {no_number}"),
            Kind::Empty => ", empty where nothing is written".to_owned(),
        };
    }
    let mut axes: Vec<String> = picture
        .rows
        .iter()
        .map(|rows| axis("rows", rows, ticks))
        .collect();
    axes.push(axis("columns", &picture.columns, ticks));
    axes.extend(picture.fixed.iter().map(|fixed| {
        let at = fixed
            .positions
            .first()
            .map_or_else(String::new, |cell| coordinate(fixed, *cell, ticks));
        format!("{} {at}", visible(&fixed.dimension))
    }));
    let mut lines = vec![line, axes.join(", ")];
    if picture.is_sampled() {
        let sampled = |what: &str, axis: &PictureAxis| {
            format!(
                "{} of {} {what}",
                count(axis.positions.len() as u64),
                count(axis.cells)
            )
        };
        let rows = picture.rows.iter().map(|rows| sampled("rows", rows));
        let parts: Vec<String> = rows.chain([sampled("columns", &picture.columns)]).collect();
        lines.push(format!("sampled: {}", parts.join(", ")));
    }
    lines
}

fn axis(what: &str, axis: &PictureAxis, ticks: bool) -> String {
    let text =
        |bytes: &[u8]| value_format::stored(axis.datatype, CellValNum::Fixed(1), bytes, ticks);
    let ends = axis
        .ends()
        .map(|(lo, hi)| format!("{} .. {}", text(&lo), text(&hi)));
    format!("{what} {} {}", visible(&axis.dimension), or_blank(ends))
}

/// Formats a coordinate for display.
pub(super) fn coordinate(axis: &PictureAxis, cell: u64, ticks: bool) -> String {
    let bytes = axis.coordinate(cell);
    bytes.map_or_else(String::new, |bytes| {
        value_format::stored(axis.datatype, CellValNum::Fixed(1), &bytes, ticks)
    })
}

/// Formats a number of a picture as a value of its attribute.
#[expect(
    clippy::cast_possible_truncation,
    reason = "it was a value of the field, or is shown as the nearest that is"
)]
pub(super) fn number(picture: &Picture, number: f64, ticks: bool) -> String {
    let datatype = match picture.datatype {
        // Shown as a number: `true` has no place between two others.
        Datatype::Bool => Datatype::UInt8,
        datatype => datatype,
    };
    let mut bytes = Vec::new();
    with_scalar!(datatype, T => {
        let value = number as T;
        value.write(&mut bytes);
    });
    value_format::stored(datatype, CellValNum::Fixed(1), &bytes, ticks)
}

/// Kinds of pixels that are not numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Null,
    NotANumber,
    Empty,
}

fn kinds(picture: &Picture) -> BTreeSet<Kind> {
    let rows = 0..picture.height();
    let pixels = rows
        .flat_map(|row| (0..picture.width()).filter_map(move |column| picture.pixel(row, column)));
    let kinds = pixels.filter_map(|pixel| match pixel {
        Pixel::Null => Some(Kind::Null),
        Pixel::NotANumber => Some(Kind::NotANumber),
        Pixel::Empty => Some(Kind::Empty),
        Pixel::Number(_) | Pixel::Color(_) => None,
    });
    kinds.collect()
}
