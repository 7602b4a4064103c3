//! Splits records at the positions of delimiters, line feeds and quotes.

use tdb_cells::files::{InputError, InputPlace};

use super::block::{Quotes, RecordFields, Span};
use super::fields::Dialect;
use super::quotes::unquote;

/// Splits lines into records, given one position after the other.
///
/// The positions are found eight bytes at a time ([`for_each_end`](super::ends::for_each_end)), so most bytes are
/// never looked at one by one. Records with misplaced quotes are left to the slower parser in `fields`.
#[derive(Debug)]
pub(super) struct LineSplitter<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
    /// Number of fields per record.
    width: usize,
    found: &'a mut RecordFields,
    /// Start of the current record.
    at: usize,
    /// Number of the line at which the current record starts.
    line: u64,
    /// Index of the first span of the current record.
    first: usize,
    /// Start of the current field.
    start: usize,
    field: Field,
    /// Number of line feeds within the current record so far.
    lines: u64,
}

/// State of the current field.
#[derive(Clone, Copy, Debug)]
enum Field {
    /// Not in quotes.
    Plain,
    /// Inside a quoted field; `has_quotes` if it contains doubled quotes so far.
    Open { has_quotes: bool },
    /// After a quote at `at`, which closes the field unless another quote follows.
    Closed { at: usize, has_quotes: bool },
}

/// Result of a step.
#[derive(Debug)]
pub(super) enum Step {
    /// Continue with the next position.
    On,
    /// This record is unusual and must be parsed byte by byte.
    Odd,
    /// The record is invalid.
    Wrong(InputError),
}

impl<'a> LineSplitter<'a> {
    /// Starts at a position where a line begins; `line` is its number.
    pub(super) fn new(
        bytes: &'a [u8],
        dialect: Dialect,
        at: usize,
        line: u64,
        width: usize,
        found: &'a mut RecordFields,
    ) -> Self {
        Self {
            bytes,
            dialect,
            width,
            at,
            line,
            first: found.spans.len(),
            start: at,
            field: Field::Plain,
            lines: 0,
            found,
        }
    }

    /// Discards the current, incomplete record; returns its start and its line.
    pub(super) fn finish(self) -> (usize, u64) {
        self.found.spans.truncate(self.first);
        (self.at, self.line)
    }

    /// Processes the next position, which is that of a delimiter, a line feed or a quote.
    #[inline]
    pub(super) fn step(&mut self, at: usize) -> Step {
        let byte = self.bytes.get(at).copied();
        let ends_field = byte == Some(self.dialect.delimiter);
        if !ends_field && byte == Some(b'"') {
            return self.quote(at);
        }
        let span = match self.field {
            Field::Plain => {
                let field = self.bytes.get(self.start..at);
                let is_carriage = field.is_some_and(|field| field.ends_with(b"\r"));
                Span {
                    start: self.start,
                    end: at - usize::from(!ends_field && is_carriage),
                    quotes: Quotes::None,
                }
            }
            Field::Open { .. } => {
                self.lines += u64::from(!ends_field);
                return Step::On;
            }
            Field::Closed { at: end, .. } => {
                let between = self.bytes.get(end + 1..at).unwrap_or(b"?");
                if !(between.is_empty() || (between == b"\r" && !ends_field)) {
                    return Step::Odd;
                }
                let Some(span) = self.quoted(end) else {
                    return Step::Odd;
                };
                span
            }
        };
        self.found.spans.push(span);
        self.start = at + 1;
        self.field = Field::Plain;
        if ends_field {
            return Step::On;
        }
        self.end_record(span)
    }

    fn quote(&mut self, at: usize) -> Step {
        self.field = match self.field {
            Field::Plain if at == self.start => Field::Open { has_quotes: false },
            // A quote inside of a field without quotes.
            Field::Plain => Field::Plain,
            Field::Open { has_quotes } => Field::Closed { at, has_quotes },
            Field::Closed { at: before, .. } if at == before + 1 => {
                Field::Open { has_quotes: true }
            }
            Field::Closed { .. } => return Step::Odd,
        };
        Step::On
    }

    /// Returns the field between quotes, the second of which is at `end`; `None` if it does not exist.
    fn quoted(&mut self, end: usize) -> Option<Span> {
        let start = self.start + 1;
        match self.field {
            Field::Closed {
                has_quotes: true, ..
            } => {
                let text = self.bytes.get(start..end)?;
                Some(unquote(text, &mut self.found.unquoted))
            }
            Field::Closed { .. } | Field::Plain | Field::Open { .. } => Some(Span {
                start,
                end,
                quotes: Quotes::Around,
            }),
        }
    }

    /// Ends the record after its last field; an empty record is skipped.
    fn end_record(&mut self, last: Span) -> Step {
        let line = self.line;
        self.at = self.start;
        self.line = line + self.lines + 1;
        self.lines = 0;
        let count = self.found.spans.len() - self.first;
        let is_empty = count == 1 && last.start == last.end && last.quotes == Quotes::None;
        if is_empty && !self.dialect.takes_empty_lines {
            self.found.spans.truncate(self.first);
            return Step::On;
        }
        if count != self.width {
            return Step::Wrong(ragged(line, count, self.width));
        }
        self.first = self.found.spans.len();
        self.found.lines.push(line);
        Step::On
    }
}

/// Returns the error for a record with another number of fields than the first one.
pub(super) fn ragged(line: u64, found: usize, wanted: usize) -> InputError {
    let fields = if found == 1 { "field" } else { "fields" };
    let what = format!("the line has {found} {fields}, and the first one {wanted}");
    InputError::record(InputPlace::Line(line), what)
}
