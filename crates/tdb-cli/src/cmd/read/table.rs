//! Prints a result as a table.

use std::io::Write;

use tdb::engine::cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb::engine::cells::{Batch, FieldInfo};
use tdb::engine::schema::value::holds_bytes;
use tdb::engine::text::PlainText;
use unicode_width::UnicodeWidthStr;

use crate::output::Output;
use crate::paint::{GAP, Line, NO_EDGE, Role, ScreenText, visible};

/// Number of rows buffered before the first is written. A column is as wide as its widest cell so far; it grows if
/// later rows have wider cells, and never shrinks.
const ALIGNED: usize = 4096;

/// Maximum column width; longer cells push the rest of their line to the right.
const WIDEST: usize = 256;

/// Minimum visible width for which a text column is truncated instead of left out.
const LEAST: usize = 8;

/// Options that a verb suggests if the table does not fit on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaysOut {
    /// How to see all cells, or other ones.
    pub(crate) cells: &'static str,
    /// How to see all columns, or other ones.
    pub(crate) columns: &'static str,
    /// How to see texts in full.
    pub(crate) texts: &'static str,
}

/// Suggestions of `tdb read`.
pub(crate) const OF_READ: WaysOut = WaysOut {
    cells: "use --format csv for all, --range or --where for some",
    columns: "use --wide or --vertical for all columns, --attrs and --dims for some",
    texts: "use --wide or --vertical for all of them",
};

/// Writes a result as a table; on a terminal only as much as fits on the screen.
pub(crate) struct TableWriter {
    out: Output,
    text: PlainText,
    columns: Vec<TextColumn>,
    line: Line,
    /// Number of buffered rows, including the titles before the first write.
    waiting: usize,
    cells: u64,
    /// True if there were more cells than fit on the screen.
    is_cut: bool,
    /// Number of columns that fit on the screen.
    shown: usize,
    ways_out: WaysOut,
}

/// The buffered cells of a column.
#[derive(Debug, Default)]
struct TextColumn {
    name: String,
    right: bool,
    width: usize,
    text: String,
    cells: Vec<TextCell>,
}

#[derive(Debug)]
struct TextCell {
    role: Role,
    /// End of this cell's text in the column's text.
    end: usize,
    /// Display width.
    width: usize,
}

impl TableWriter {
    /// Creates a writer; `is_wide` allows tables wider than the screen.
    pub(crate) fn new(
        mut out: Output,
        fields: &[FieldInfo],
        options: OutputOptions,
        is_wide: bool,
        ways_out: WaysOut,
    ) -> Self {
        out.look.width = out.look.width.filter(|_| !is_wide);
        let columns = fields.iter().map(|field| {
            let mut column = TextColumn {
                right: !holds_bytes(field.datatype) && field.enumeration.is_none(),
                name: visible(&field.name),
                ..TextColumn::default()
            };
            column.push(Role::Title, &field.name);
            column
        });
        Self {
            columns: columns.collect(),
            text: PlainText::new(fields, options),
            line: Line::new(out.look),
            out,
            waiting: 1,
            cells: 0,
            is_cut: false,
            shown: fields.len(),
            ways_out,
        }
    }

    /// Number of rows that may still be shown.
    fn room(&self) -> usize {
        let height = self.out.look.height.map_or(u64::MAX, |rows| rows as u64);
        usize::try_from(height.saturating_sub(self.cells)).unwrap_or(NO_EDGE)
    }

    /// Writes the buffered rows.
    fn write_rows(&mut self) -> Result<(), ConversionError> {
        self.shown = self.shown.min(self.fitting());
        let mut starts = vec![0; self.shown];
        for row in 0..self.waiting {
            for (column, start) in self.columns.iter().zip(&mut starts) {
                let Some(cell) = column.cells.get(row) else {
                    continue;
                };
                let text = column.text.get(*start..cell.end).unwrap_or("");
                *start = cell.end;
                let text = ScreenText {
                    text,
                    width: cell.width,
                };
                self.line.add(cell.role, text, column.width, column.right);
            }
            self.line.write(&mut self.out)?;
        }
        self.waiting = 0;
        self.columns.iter_mut().for_each(TextColumn::clear);
        Ok(())
    }
}

impl TableWriter {
    /// Number of columns that fit on the screen. The last of them may be truncated, unless it contains numbers.
    fn fitting(&self) -> usize {
        let screen = self.out.look.width.unwrap_or(NO_EDGE);
        let mut end = 0_usize;
        for (index, column) in self.columns.iter().enumerate() {
            let start = end + if index > 0 { GAP } else { 0 };
            end = start + column.width;
            if end > screen {
                let is_cut = index == 0 || (!column.right && start + LEAST <= screen);
                return index + usize::from(is_cut);
            }
        }
        self.columns.len()
    }

    /// Notes what did not fit on the screen.
    fn write_notes(&self) {
        if self.is_cut {
            let how = self.ways_out.cells;
            self.out.note(&format!("there are more cells: {how}"));
        }
        let hidden = self.columns.get(self.shown..).unwrap_or(&[]);
        if !hidden.is_empty() {
            let names: Vec<&str> = hidden.iter().map(|column| &*column.name).collect();
            let list = names.join(", ");
            let how = self.ways_out.columns;
            self.out
                .note(&format!("there is no room for {list}: {how}"));
        } else if self.line.is_cut {
            let how = self.ways_out.texts;
            self.out
                .note(&format!("texts that end in … are cut: {how}"));
        }
    }
}

impl TextColumn {
    fn push(&mut self, role: Role, text: &str) {
        let width = if is_plain(text) {
            self.text.push_str(text);
            text.len()
        } else {
            let text = visible(text);
            self.text.push_str(&text);
            text.width()
        };
        self.width = self.width.max(width.min(WIDEST));
        self.cells.push(TextCell {
            role,
            end: self.text.len(),
            width,
        });
    }

    fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
    }
}

/// True if each byte takes one column on the screen.
fn is_plain(text: &str) -> bool {
    let is_printed = |byte: &u8| matches!(byte, b' '..=b'~');
    text.as_bytes().iter().all(is_printed)
}

impl BatchWriter for TableWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        // Number of the batch's first cell.
        let first = self.cells;
        let mut row = 0;
        while row < batch.rows {
            let room = self.room();
            if room == 0 {
                self.is_cut = true;
                return Ok(());
            }
            let left = (batch.rows - row).min(ALIGNED.saturating_sub(self.waiting).max(1));
            let rows = row..row + left.min(room);
            for (index, column) in self.columns.iter_mut().enumerate() {
                let mut push = |text: Option<&str>| match text {
                    Some(text) => column.push(Role::Plain, text),
                    None => column.push(Role::Dim, "null"),
                };
                let cells = rows.clone();
                (self.text).for_each(batch, index, cells, first, &mut push)?;
            }
            self.waiting += rows.len();
            self.cells += rows.len() as u64;
            row = rows.end;
            if self.waiting >= ALIGNED {
                self.write_rows()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.write_rows()?;
        self.out.flush()?;
        self.write_notes();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tdb::engine::cells::Column;
    use tdb::engine::schema::{CellValNum, FieldKind};
    use tdb::engine::tile::Datatype;

    use super::*;
    use crate::paint::Look;

    /// Shared memory, so that the test can read the output after the writer is dropped.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A batch with two columns: a number, and the number as a word.
    fn batch(cells: &[(i64, &str)]) -> (Vec<FieldInfo>, Batch) {
        let column = |name: &str, datatype, cell_val_num| Column {
            name: name.to_owned(),
            datatype,
            cell_val_num,
            nullable: false,
            values: bytes::Bytes::new(),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let numbers = cells.iter().flat_map(|(number, _)| number.to_le_bytes());
        let words: Vec<u8> = cells.iter().flat_map(|(_, word)| word.bytes()).collect();
        let mut end = 0_u64;
        let mut offsets = end.to_le_bytes().to_vec();
        for (_, word) in cells {
            end += word.len() as u64;
            offsets.extend(end.to_le_bytes());
        }
        let columns = vec![
            Column {
                values: numbers.collect::<Vec<u8>>().into(),
                ..column("words", Datatype::Int64, CellValNum::Fixed(1))
            },
            Column {
                values: words.into(),
                offsets: Some(offsets.into()),
                ..column("text", Datatype::StringUtf8, CellValNum::Var)
            },
        ];
        let fields = columns.iter().map(|column| FieldInfo {
            name: column.name.clone(),
            datatype: column.datatype,
            cell_val_num: column.cell_val_num,
            nullable: false,
            enumeration: None,
            field: FieldKind::Attribute(0),
        });
        let fields = fields.collect();
        let rows = cells.len();
        (fields, Batch { rows, columns })
    }

    fn shown(cells: &[(i64, &str)], look: Look) -> String {
        let (fields, batch) = batch(cells);
        let out = Shared::default();
        let output = Output::of(out.clone(), look);
        let mut writer = Box::new(TableWriter::new(
            output,
            &fields,
            OutputOptions::default(),
            false,
            OF_READ,
        ));
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        String::from_utf8(out.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn columns_grow_and_never_shrink() {
        let mut cells = vec![(1, "a"); 3 * ALIGNED];
        cells[ALIGNED + 1] = (1_000_000, "wide");
        let text = shown(&cells, Look::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + cells.len());
        assert_eq!((lines[0], lines[1]), ("words  text", "    1  a"));
        assert_eq!(lines[ALIGNED - 1], "    1  a");
        assert_eq!(lines[ALIGNED], "      1  a");
        assert_eq!(lines[ALIGNED + 2], "1000000  wide");
        assert_eq!(lines[3 * ALIGNED], "      1  a");
    }

    #[test]
    fn one_long_cell_does_not_make_all_lines_long() {
        let long = "x".repeat(2 * WIDEST);
        let text = shown(&[(1, &long), (2, "b\n")], Look::default());
        assert_eq!(text, format!("words  text\n    1  {long}\n    2  b\\n\n"));
    }

    #[test]
    fn a_screen_shows_what_fits() {
        let cells = [(1, "cautiously"), (2, "b"), (3, "c")];
        let look = |width, height| Look {
            width: Some(width),
            height: Some(height),
            ..Look::default()
        };
        assert_eq!(
            shown(&cells, look(80, 2)),
            "words  text\n    1  cautiously\n    2  b\n"
        );
        assert_eq!(shown(&cells, look(15, 1)), "words  text\n    1  cautiou…\n");
        assert_eq!(shown(&cells, look(14, 1)), "words\n    1\n");
        // Numbers are never truncated.
        assert_eq!(shown(&cells, look(3, 1)), "wo…\n\n");
    }
}
