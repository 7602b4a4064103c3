//! Prints a result with a line per field, for cells that are wider than the screen.

use std::io::Write;

use tdb::engine::cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb::engine::cells::{Batch, FieldInfo};
use tdb::engine::text::PlainText;
use unicode_width::UnicodeWidthStr;

use crate::output::Output;
use crate::paint::{GAP, Role, visible};

/// Writes cells one below the other; on a terminal only as many as fit on the screen.
pub(super) struct VerticalWriter {
    out: Output,
    text: PlainText,
    names: Vec<String>,
    /// Display width of the longest name.
    width: usize,
    cells: u64,
    /// Maximum number of cells to show; `None` for all.
    room: Option<u64>,
    is_cut: bool,
}

impl VerticalWriter {
    pub(super) fn new(out: Output, fields: &[FieldInfo], options: OutputOptions) -> Self {
        let names: Vec<String> = fields.iter().map(|field| visible(&field.name)).collect();
        let lines = names.len() as u64 + 1;
        let room = out
            .look
            .height
            .map(|height| (height as u64).div_euclid(lines).max(1));
        Self {
            text: PlainText::new(fields, options),
            width: names.iter().map(|name| name.width()).max().unwrap_or(0),
            names,
            cells: 0,
            room,
            is_cut: false,
            out,
        }
    }

    /// Writes a cell of a batch, whose first cell has the number `first`.
    fn write_cell(&mut self, batch: &Batch, row: usize, first: u64) -> Result<(), ConversionError> {
        let number = self.cells + 1;
        let title = self.out.look.paint(Role::Dim, &format!("-- cell {number}"));
        writeln!(self.out, "{title}")?;
        for (index, name) in self.names.iter().enumerate() {
            let mut shown = self.out.look.paint(Role::Dim, "null");
            let mut push = |text: Option<&str>| {
                if let Some(text) = text {
                    shown = visible(text);
                }
            };
            (self.text).for_each(batch, index, row..row + 1, first, &mut push)?;
            let padding = self.width.saturating_sub(name.width()) + GAP;
            let label = self.out.look.paint(Role::Title, name);
            let line = format!("{label}{:padding$}{shown}", "");
            writeln!(self.out, "{}", line.trim_end_matches(' '))?;
        }
        self.cells = number;
        Ok(())
    }
}

impl BatchWriter for VerticalWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let first = self.cells;
        for row in 0..batch.rows {
            if self.room.is_some_and(|room| self.cells >= room) {
                self.is_cut = true;
                return Ok(());
            }
            self.write_cell(batch, row, first)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.out.flush()?;
        if self.is_cut {
            let how = "use --format csv for all, --range or --where for some";
            self.out.note(&format!("there are more cells: {how}"));
        }
        Ok(())
    }
}
