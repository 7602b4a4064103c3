//! Some records of a file, held in memory together so that they can be read column by column.

use std::ops::Range;

use tdb_cells::files::{InputError, InputPlace};
use tdb_tile::Bug;

use crate::text::cell::Refusal;
use crate::text::token::Token;

/// Place of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quotes: Quotes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Around,
    /// In quotes, with doubled quotes inside: the unescaped field is in a buffer of its own.
    Within,
}

/// Fields found so far, and memory for unescaped ones.
#[derive(Debug, Default)]
pub(super) struct RecordFields {
    /// The fields of the first record, then those of the second, and so on.
    pub(super) spans: Vec<Span>,
    /// The unescaped text of fields with doubled quotes.
    pub(super) unquoted: Vec<u8>,
    /// Line at which each record begins.
    pub(super) lines: Vec<u64>,
}

/// Consecutive records, all with the same number of fields.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// The text that spans refer to.
    pub(super) buffer: &'a [u8],
    /// Start of the records in the buffer, and their text if all of it is UTF-8.
    pub(super) start: usize,
    pub(super) text: Option<&'a str>,
    /// The unescaped text of fields with doubled quotes.
    pub(super) unquoted: &'a [u8],
    /// The fields of the first record, then those of the second, and so on.
    pub(super) spans: &'a [Span],
    /// Line at which each record begins.
    pub(super) lines: &'a [u64],
    /// Number of fields per record.
    pub(super) width: usize,
}

/// Reason why a field cannot be read.
#[derive(Clone, Copy, Debug)]
enum NoField {
    NotText,
    Outside,
}

/// An error in a cell, and the number of its record.
struct CellFault {
    row: usize,
    what: Result<Refusal, NoField>,
}

impl<'a> Block<'a> {
    pub(super) fn lines(&self) -> &[u64] {
        self.lines
    }

    /// Returns the text of a field, and whether it was in quotes.
    #[inline]
    fn field(&self, span: &Span) -> Result<(&'a str, bool), NoField> {
        let is_quoted = span.quotes != Quotes::None;
        let memory = if span.quotes == Quotes::Within {
            self.unquoted
        } else {
            // All records were validated together; fields begin and end at character boundaries.
            let start = span.start.checked_sub(self.start);
            let place = start.zip(span.end.checked_sub(self.start));
            if let Some((start, end)) = place
                && let Some(text) = self.text.and_then(|text| text.get(start..end))
            {
                return Ok((text, is_quoted));
            }
            self.buffer
        };
        let bytes = memory.get(span.start..span.end).ok_or(NoField::Outside)?;
        let text = std::str::from_utf8(bytes).map_err(|_| NoField::NotText)?;
        Ok((text, is_quoted))
    }

    /// Passes the fields of one column to `take`, from the first record on; returns the first error.
    fn column(
        &self,
        number: usize,
        mut take: impl FnMut(Token<'_>) -> Result<(), Refusal>,
    ) -> Option<CellFault> {
        let spans = self.spans.iter().skip(number).step_by(self.width.max(1));
        for (row, span) in spans.enumerate() {
            let what = match self.field(span) {
                Err(why) => Err(why),
                Ok((text, is_quoted)) => match take(token(text, is_quoted)) {
                    Ok(()) => continue,
                    Err(what) => Ok(what),
                },
            };
            return Some(CellFault { row, what });
        }
        None
    }

    /// Passes the fields of the columns that are kept to `take`, column by column, each with its own state from
    /// `states`.
    ///
    /// # Errors
    /// The error of `take` or invalid UTF-8 that is first in the file.
    pub(super) fn columns<T>(
        &self,
        kept: &[bool],
        names: &[String],
        states: &mut [T],
        take: impl Fn(&mut T, Token<'_>) -> Result<(), Refusal>,
    ) -> Result<(), InputError> {
        let kept = kept.iter().enumerate().filter(|(_, is_kept)| **is_kept);
        let numbers = kept.map(|(number, _)| number);
        let wrongs = numbers
            .zip(states)
            .map(|(number, state)| self.column(number, |token| take(state, token)))
            .zip(names)
            .filter_map(|(wrong, name)| Some((wrong?, name)));
        let Some((wrong, name)) = wrongs.min_by_key(|(wrong, _)| wrong.row) else {
            return Ok(());
        };
        let line = self
            .lines
            .get(wrong.row)
            .copied()
            .ok_or_else(|| Bug::new("a record that begins at no line"))?;
        let place = InputPlace::Line(line);
        Err(match wrong.what {
            Ok(Refusal { what, hint }) => InputError::Cell {
                field: name.clone(),
                place,
                what,
                hint,
            },
            Err(NoField::NotText) => InputError::NotUtf8 { place },
            Err(NoField::Outside) => outside().into(),
        })
    }
}

#[track_caller]
fn outside() -> Bug {
    Bug::new("a field of a record that lies outside of it")
}

/// Returns a part of a buffer, or a [`Bug`] if the buffer is too short.
#[track_caller]
pub(super) fn part(bytes: &[u8], range: Range<usize>) -> Result<&[u8], Bug> {
    // Not in a closure, because then the bug would name the place of the closure.
    match bytes.get(range) {
        Some(part) => Ok(part),
        None => Err(outside()),
    }
}

/// Converts a CSV field into a token: an empty field without quotes is null.
#[inline]
fn token(text: &str, is_quoted: bool) -> Token<'_> {
    if text.is_empty() && !is_quoted {
        Token::Null
    } else {
        Token::Field(text)
    }
}
