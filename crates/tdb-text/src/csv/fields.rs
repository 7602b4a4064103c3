//! Finds the fields of records, one after the other.

use tdb_cells::files::{InputError, InputPlace};
use tdb_tile::Bug;

use super::block::{Quotes, Span, part};
use super::quotes::quoted_len;

const UTF_16_HINT: &str = "is it UTF-16? iconv -f UTF-16 -t UTF-8 makes UTF-8 of it";

/// How records and fields are separated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    /// Whether an empty line is a record.
    pub(super) takes_empty_lines: bool,
}

impl Dialect {
    /// Whether every line feed outside of quotes ends a record.
    pub(super) fn has_plain_lines(self) -> bool {
        !matches!(self.delimiter, b'\n' | b'"')
    }
}

/// A text in which records are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether the file ends with this text.
    pub(super) is_end: bool,
    pub(super) dialect: Dialect,
}

impl Text<'_> {
    /// Calls `each` with each field of the record that begins at `at`, and returns the record's end; `None` if the
    /// text ends before. Doubled quotes are not unescaped. `line` is the line at which the record begins, for errors.
    pub(super) fn record(
        self,
        mut at: usize,
        line: u64,
        mut each: impl FnMut(Span) -> Result<(), Bug>,
    ) -> Result<Option<usize>, InputError> {
        loop {
            let Some((span, after)) = self.field(at, line)? else {
                return Ok(None);
            };
            each(span)?;
            match self.bytes.get(after) {
                Some(byte) if *byte == self.dialect.delimiter => at = after + 1,
                Some(_) => return Ok(Some(after + 1)),
                None if self.is_end => return Ok(Some(after)),
                None => return Ok(None),
            }
        }
    }

    /// Returns the field that begins at `at`, and the position of the delimiter, line feed or end of file after it.
    fn field(self, at: usize, line: u64) -> Result<Option<(Span, usize)>, InputError> {
        let rest = part(self.bytes, at..self.bytes.len())?;
        if rest.first() == Some(&b'"') {
            return self.quoted_field(at, line);
        }
        let delimiter = self.dialect.delimiter;
        let len = rest
            .iter()
            .position(|&byte| byte == delimiter || byte == b'\n');
        if len.is_none() && !self.is_end {
            return Ok(None);
        }
        let len = len.unwrap_or(rest.len());
        let field = part(rest, 0..len)?;
        // A NUL that is intended is in quotes; otherwise the file is damaged, or not UTF-8.
        if field.contains(&0) {
            return Err(unfit(line, "a NUL character outside of quotes"));
        }
        let ends_line = rest.get(len) != Some(&delimiter);
        let carriage = ends_line && field.last() == Some(&b'\r');
        let after = at + len;
        let span = Span {
            start: at,
            end: after - usize::from(carriage),
            quotes: Quotes::None,
        };
        Ok(Some((span, after)))
    }

    fn quoted_field(self, at: usize, line: u64) -> Result<Option<(Span, usize)>, InputError> {
        let place = InputPlace::Line(line);
        let start = at + 1;
        let inner = part(self.bytes, start..self.bytes.len())?;
        let Some((len, is_plain)) = quoted_len(inner) else {
            return if self.is_end {
                Err(InputError::record(place, "a quote that is not closed"))
            } else {
                Ok(None)
            };
        };
        let end = start + len;
        let mut after = end + 1;
        let behind = part(self.bytes, after..self.bytes.len())?;
        match behind {
            // The next byte decides whether this quote is doubled.
            [] | [b'\r'] if !self.is_end => return Ok(None),
            [] | [b'\n', ..] => {}
            [b'\r'] | [b'\r', b'\n', ..] => after += 1,
            [byte, ..] if *byte == self.dialect.delimiter => {}
            [0, ..] => return Err(unfit(line, "a NUL character outside of quotes")),
            _ => return Err(InputError::record(place, "text behind a closing quote")),
        }
        let quotes = if is_plain {
            Quotes::Around
        } else {
            Quotes::Within
        };
        Ok(Some((Span { start, end, quotes }, after)))
    }
}

/// Returns the error for a line that may be UTF-16.
pub(super) fn unfit(line: u64, what: &str) -> InputError {
    InputError::Unfit {
        what: format!("{}: {what}", InputPlace::Line(line)),
        hint: UTF_16_HINT,
    }
}

/// Counts the line feeds in a text.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    // Counted in bytes, so that the compiler can vectorize it.
    let counts = text.chunks(u8::MAX.into()).map(|bytes| {
        let count = bytes.iter().map(|&byte| u8::from(byte == b'\n'));
        u64::from(count.fold(0, u8::wrapping_add))
    });
    counts.sum()
}
