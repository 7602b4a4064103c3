//! Tables for people: columns that do not fit continue on further lines, and nothing is truncated.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::{GAP, Look, NO_EDGE, Role, visible};

/// Indentation of the continuation lines of a row.
const INDENT: usize = 4;

/// Number of rows, and bytes of text, after which a long table is written in parts.
const MANY: usize = 1 << 14;
const MANY_BYTES: usize = 4 << 20;

/// Minimum width of a column in which text is wrapped.
const NARROWEST: usize = 16;

/// A table of text, with columns as wide as their widest cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
    right: Vec<bool>,
    /// True if the first row contains titles; columns without any text below the title are left out.
    titled: bool,
    /// Minimum column widths: those of the rows already written.
    least: Vec<usize>,
    /// Bytes of text in the rows.
    bytes: usize,
}

#[derive(Debug)]
struct Cell {
    role: Role,
    text: String,
}

/// A column within a line.
#[derive(Clone, Copy, Debug)]
struct ColumnPlace {
    column: usize,
    /// Display width; longer text is wrapped between words.
    width: usize,
}

impl Table {
    /// Creates a table with these titles. A title that starts with `>` makes its column right-aligned.
    pub(crate) fn new(titles: &[&str]) -> Self {
        let right: Vec<bool> = titles.iter().map(|title| title.starts_with('>')).collect();
        let mut table = Self {
            titled: true,
            ..Self::plain(&right)
        };
        let titles = titles
            .iter()
            .map(|title| title.trim_start_matches('>').to_owned());
        table.push(Role::Dim, titles);
        table
    }

    /// Creates a table without titles.
    pub(crate) fn plain(right: &[bool]) -> Self {
        Self {
            right: right.to_vec(),
            ..Self::default()
        }
    }

    /// True if the table contains nothing but titles.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.push(Role::Plain, cells);
    }

    /// Adds a row with a role for each cell.
    pub(crate) fn painted(&mut self, cells: impl IntoIterator<Item = (Role, String)>) {
        let cells: Vec<Cell> = cells
            .into_iter()
            .map(|(role, text)| Cell {
                role,
                text: visible(&text),
            })
            .collect();
        let bytes = cells.iter().map(|cell| cell.text.len());
        self.bytes = bytes.fold(self.bytes, usize::saturating_add);
        self.rows.push(cells);
    }

    fn push(&mut self, role: Role, cells: impl IntoIterator<Item = String>) {
        self.painted(cells.into_iter().map(|text| (role, text)));
    }

    /// Writes and drops the rows if there are many of them. Later rows get columns at least as wide.
    pub(crate) fn write_many(&mut self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        if self.rows.len() < MANY && self.bytes < MANY_BYTES {
            return Ok(());
        }
        self.write(out, look)?;
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        self.least = (0..columns).map(|column| self.width(column)).collect();
        self.rows.clear();
        self.bytes = 0;
        self.titled = false;
        Ok(())
    }

    /// Writes the table. Columns that do not fit on the screen continue on further lines of each row, and long text
    /// is wrapped in its column.
    pub(crate) fn write(&self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        let lines = self.lines(look.width);
        for row in &self.rows {
            for (number, places) in lines.iter().enumerate() {
                let indent = if number == 0 { 0 } else { INDENT };
                self.write_line(out, look, row, places, indent)?;
            }
        }
        Ok(())
    }

    /// Distributes the columns among the lines of a row.
    ///
    /// Columns are placed from left to right; one that does not fit starts a new, indented line. The last column is
    /// instead wrapped in place if it contains text and its longest word fits into the remaining width. A column wider
    /// than the screen is wrapped on a line of its own.
    fn lines(&self, screen: Option<usize>) -> Vec<Vec<ColumnPlace>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<(usize, usize)> = (0..columns)
            .map(|column| (column, self.width(column)))
            .filter(|(_, width)| *width > 0)
            .collect();
        let screen = screen.unwrap_or(NO_EDGE);
        let (mut lines, mut line, mut left) = (Vec::new(), Vec::new(), screen);
        for (number, &(column, width)) in widths.iter().enumerate() {
            let gap = if line.is_empty() { 0 } else { GAP };
            let mut room = left.saturating_sub(gap);
            let is_last = number + 1 == widths.len();
            let may_break = is_last && self.right.get(column) != Some(&true);
            let is_broken = may_break && room >= self.longest_word(column).max(NARROWEST);
            if width > room && !is_broken && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                room = screen.saturating_sub(INDENT);
            }
            let width = width.min(room.max(1));
            line.push(ColumnPlace { column, width });
            left = room.saturating_sub(width);
        }
        lines.push(line);
        lines
    }

    /// Display width of the widest cell; 0 if the column is left out.
    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widths = || cells.clone().map(|cell| cell.text.width());
        let beneath = widths().skip(usize::from(self.titled)).max();
        let width = match beneath {
            Some(0) if self.titled => 0,
            _ => widths().max().unwrap_or(0),
        };
        width.max(self.least.get(column).copied().unwrap_or(0))
    }

    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let words = cells.flat_map(|cell| cell.text.split(' '));
        words.map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    /// Writes some cells of a row side by side. Continuation lines without any text are left out.
    fn write_line(
        &self,
        out: &mut dyn Write,
        look: Look,
        row: &[Cell],
        places: &[ColumnPlace],
        indent: usize,
    ) -> io::Result<()> {
        let broken: Vec<(Role, Vec<String>)> = (places.iter())
            .map(|place| match row.get(place.column) {
                Some(cell) => (cell.role, broken(&cell.text, place.width)),
                None => (Role::Plain, Vec::new()),
            })
            .collect();
        let height = broken
            .iter()
            .map(|(_, lines)| lines.len())
            .max()
            .unwrap_or(0);
        if indent > 0
            && broken
                .iter()
                .flat_map(|(_, lines)| lines)
                .all(String::is_empty)
        {
            return Ok(());
        }
        for number in 0..height.max(1) {
            let mut text = String::new();
            // Spaces to insert before the next text, if there is one.
            let mut spaces = indent;
            for (place, (role, lines)) in places.iter().zip(&broken) {
                let part = lines.get(number).map_or("", String::as_str);
                let padding = place.width.saturating_sub(part.width());
                let right = self.right.get(place.column) == Some(&true);
                spaces += if right { padding } else { 0 };
                if !part.is_empty() {
                    text.extend(std::iter::repeat_n(' ', spaces));
                    text += &look.paint(*role, part);
                    spaces = 0;
                }
                spaces += GAP + if right { 0 } else { padding };
            }
            // A row without cells is still a line.
            writeln!(out, "{text}")?;
        }
        Ok(())
    }
}

/// Wraps text between words into lines of at most `width`. A longer word gets a line of its own.
fn broken(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(table: &Table, width: Option<usize>) -> String {
        let mut out = Vec::new();
        let look = Look {
            width,
            ..Look::default()
        };
        table.write(&mut out, look).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_column_with_nothing_beneath_its_title_is_left_out() {
        let mut table = Table::new(&["name", "nothing", ">size"]);
        table.row(["a".into(), String::new(), "1".into()]);
        assert_eq!(shown(&table, None), "name  size\na        1\n");
    }

    #[test]
    fn tables_are_aligned_and_folded() {
        let mut table = Table::new(&["name", ">size", "what"]);
        table.row(["大阪".into(), "1".into(), "wide".into()]);
        table.row(["x".into(), "1000".into(), String::new()]);
        table.row([String::new(), "5".into(), "tail\n".into()]);
        insta::assert_snapshot!(shown(&table, None), @r#"
        name  size  what
        大阪     1  wide
        x     1000
                 5  tail\n
        "#);
        insta::assert_snapshot!(shown(&table, Some(14)), @r#"
        name  size
            what
        大阪     1
            wide
        x     1000
                 5
            tail\n
        "#);
        insta::assert_snapshot!(shown(&table, Some(5)), @r#"
        name
            size
            what
        大阪
            1
            wide
        x
            1000

            5
            tail\n
        "#);
    }

    #[test]
    fn rows_of_a_long_table_stand_below_each_other() {
        let mut table = Table::new(&["name", "nothing", ">size"]);
        let mut out = Vec::new();
        for row in 0..MANY + 2 {
            let name = if row == 7 { "seven" } else { "a" };
            table.row([name.into(), String::new(), row.to_string()]);
            table.write_many(&mut out, Look::default()).unwrap();
        }
        table.row(["b".into(), String::new(), "1234567".into()]);
        table.write(&mut out, Look::default()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), MANY + 4);
        assert_eq!((lines[0], lines[8]), ("name    size", "seven      7"));
        let last = [MANY + 1, MANY + 2, MANY + 3].map(|line| lines[line]);
        assert_eq!(last, ["a        16384", "a        16385", "b      1234567"]);
    }

    #[test]
    fn long_texts_are_broken_between_words() {
        let mut table = Table::new(&["name", "filters"]);
        table.row([
            "a".into(),
            "byteshuffle, zstd(level=5), checksum_md5".into(),
        ]);
        table.row(["b".into(), "none".into()]);
        insta::assert_snapshot!(shown(&table, Some(30)), @r#"
        name  filters
        a     byteshuffle,
              zstd(level=5),
              checksum_md5
        b     none
        "#);
        insta::assert_snapshot!(shown(&table, Some(20)), @r#"
        name
            filters
        a
            byteshuffle,
            zstd(level=5),
            checksum_md5
        b
            none
        "#);
    }
}
