//! Prints the numbers of a slice in rows and columns.

use std::io::Write;

use serde_json::Value as Json;
use tdb::engine::schema::CellValNum;
use tdb::engine::schema::json::{Times, cell_to_json};
use tdb::{Picture, PictureAxis, Pixel};
use unicode_width::UnicodeWidthStr;

use super::legend::coordinate;
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{GAP, Role, Table, count, visible};
use crate::value_format;

/// Writes as many columns as fit on the screen, and says how many do not.
pub(super) fn write(picture: &Picture, ticks: bool, out: &mut Output) -> Result<(), Failure> {
    let heads: Vec<String> = (picture.rows.iter())
        .flat_map(|rows| {
            rows.positions
                .iter()
                .map(|cell| coordinate(rows, *cell, ticks))
        })
        .collect();
    let corner = match &picture.rows {
        Some(rows) => format!(
            "{} \\ {}",
            visible(&rows.dimension),
            visible(&picture.columns.dimension)
        ),
        None => visible(&picture.columns.dimension),
    };
    let mut columns = vec![Column::new(corner, heads, picture.height())];
    let mut room = out
        .look
        .width
        .map(|width| width.saturating_sub(columns.iter().map(Column::width).sum()));
    for (at, cell) in picture.columns.positions.iter().enumerate() {
        let cells = (0..picture.height())
            .map(|row| text(picture, row, at, ticks))
            .collect();
        let column = Column::new(
            coordinate(&picture.columns, *cell, ticks),
            cells,
            picture.height(),
        );
        let taken = column.width() + GAP;
        let left = room.map(|room| room.checked_sub(taken));
        // The first column is always shown, even if it is too wide.
        if left == Some(None) && columns.len() > 1 {
            break;
        }
        room = left.map(|left| left.unwrap_or(0));
        columns.push(column);
    }
    let mut table = Table::plain(&vec![true; columns.len()]);
    table.painted(
        columns
            .iter()
            .map(|column| (Role::Dim, column.title.clone())),
    );
    for row in 0..picture.height() {
        table.painted(columns.iter().enumerate().map(|(at, column)| {
            let role = if at == 0 { Role::Dim } else { Role::Plain };
            (
                role,
                column.cells.get(row).cloned().unwrap_or_else(String::new),
            )
        }));
    }
    let look = out.look;
    table.write(out, look)?;
    write_left_out(picture, columns.len().saturating_sub(1), out)
}

/// Notes which rows and columns did not fit.
fn write_left_out(picture: &Picture, columns: usize, out: &mut Output) -> Result<(), Failure> {
    let left_out = |what: &str, axis: &PictureAxis, shown: usize| {
        let all = axis.cells;
        ((shown as u64) < all).then(|| {
            let next = axis
                .positions
                .get(shown.saturating_sub(1))
                .and_then(|cell| cell.checked_add(1))
                .map_or_else(String::new, |cell| coordinate(axis, cell, false));
            let (shown, all, name) = (count(shown as u64), count(all), &axis.dimension);
            format!("the first {shown} of {all} {what} are shown: use --range {name}={next}.. to continue")
        })
    };
    let rows = (picture.rows.as_ref()).and_then(|rows| left_out("rows", rows, picture.height()));
    for note in rows
        .into_iter()
        .chain(left_out("columns", &picture.columns, columns))
    {
        writeln!(
            out,
            "{}",
            crate::paint::wrapped(&visible(&note), "", out.look)
        )?;
    }
    Ok(())
}

/// A column of the matrix.
struct Column {
    title: String,
    cells: Vec<String>,
}

impl Column {
    fn new(title: String, mut cells: Vec<String>, rows: usize) -> Self {
        cells.resize(rows, String::new());
        Self { title, cells }
    }

    fn width(&self) -> usize {
        let widths = self.cells.iter().map(|cell| cell.width());
        widths.chain([self.title.width()]).max().unwrap_or(0)
    }
}

fn text(picture: &Picture, row: usize, column: usize, ticks: bool) -> String {
    match picture.pixel(row, column) {
        Some(Pixel::Color([r, g, b, u8::MAX])) => format!("#{r:02x}{g:02x}{b:02x}"),
        Some(Pixel::Color([r, g, b, a])) => format!("#{r:02x}{g:02x}{b:02x}{a:02x}"),
        Some(Pixel::Null) => "null".to_owned(),
        Some(Pixel::Empty) => "·".to_owned(),
        _ => picture
            .stored(row, column, 0)
            .map_or_else(String::new, |bytes| {
                value_format::stored(picture.datatype, CellValNum::Fixed(1), bytes, ticks)
            }),
    }
}

/// Formats the rows as JSON lists: null where there is no number; a colour is a list.
pub(super) fn json(picture: &Picture, times: Times) -> Json {
    let value = |row: usize, column: usize, channel: usize| {
        let bytes = picture.stored(row, column, channel)?;
        Some(cell_to_json(
            picture.datatype,
            CellValNum::Fixed(1),
            bytes,
            times,
        ))
    };
    let cell = |row: usize, column: usize| match picture.pixel(row, column) {
        Some(Pixel::Number(_) | Pixel::NotANumber) => value(row, column, 0).unwrap_or(Json::Null),
        Some(Pixel::Color(_)) => (0..picture.channels)
            .filter_map(|channel| value(row, column, channel))
            .collect(),
        _ => Json::Null,
    };
    let row = |row: usize| {
        (0..picture.width())
            .map(|column| cell(row, column))
            .collect()
    };
    (0..picture.height()).map(row).collect::<Vec<Json>>().into()
}
