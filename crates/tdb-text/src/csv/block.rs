//! Some records at once, so that their columns can be read side by side.

use std::ops::Range;

use tdb_cells::files::{InputError, InputPlace};
use tdb_tile::Bug;

use crate::text::cell::Refusal;
use crate::text::token::Token;

/// Where a field stands.
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
    /// And some within: the field stands among those put together.
    Within,
}

/// Fields that were found, and the memory that holds them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Those of the first record, then those of the second.
    pub(super) spans: Vec<Span>,
    /// Fields that had quotes within, put together.
    pub(super) unquoted: Vec<u8>,
    /// The lines at which the records begin.
    pub(super) lines: Vec<u64>,
}

/// Records that follow each other, each of as many fields.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// What the spans are places of.
    pub(super) buffer: &'a [u8],
    /// Where in the buffer the records are, and their text, if all of it is one.
    pub(super) start: usize,
    pub(super) text: Option<&'a str>,
    /// Fields that had quotes within, put together.
    pub(super) unquoted: &'a [u8],
    /// Those of the first record, then those of the second.
    pub(super) spans: &'a [Span],
    /// The line at which each record begins.
    pub(super) lines: &'a [u64],
    /// Fields of a record.
    pub(super) width: usize,
}

/// Why there is no field.
#[derive(Clone, Copy, Debug)]
enum NoField {
    NotText,
    Outside,
}

/// What is wrong with a cell, and in which of the records.
struct Wrong {
    row: usize,
    what: Result<Refusal, NoField>,
}

impl<'a> Block<'a> {
    pub(super) fn lines(&self) -> &[u64] {
        self.lines
    }

    /// The text of a field, and whether it was in quotes.
    #[inline]
    fn field(&self, span: &Span) -> Result<(&'a str, bool), NoField> {
        let is_quoted = span.quotes != Quotes::None;
        let memory = if span.quotes == Quotes::Within {
            self.unquoted
        } else {
            // All records were looked at together, and a field begins and ends where a character does.
            let place = span.start.wrapping_sub(self.start)..span.end.wrapping_sub(self.start);
            if let Some(text) = self.text.and_then(|text| text.get(place)) {
                return Ok((text, is_quoted));
            }
            self.buffer
        };
        let bytes = memory.get(span.start..span.end).ok_or(NoField::Outside)?;
        let text = std::str::from_utf8(bytes).map_err(|_| NoField::NotText)?;
        Ok((text, is_quoted))
    }

    /// Takes the fields of one column, from the first record on; what is wrong with the first that is.
    fn column(
        &self,
        number: usize,
        mut take: impl FnMut(Token<'_>) -> Result<(), Refusal>,
    ) -> Option<Wrong> {
        let spans = self.spans.iter().skip(number).step_by(self.width.max(1));
        for (row, span) in spans.enumerate() {
            let what = match self.field(span) {
                Err(why) => Err(why),
                Ok((text, is_quoted)) => match take(token(text, is_quoted)) {
                    Ok(()) => continue,
                    Err(what) => Ok(what),
                },
            };
            return Some(Wrong { row, what });
        }
        None
    }

    /// Takes the fields of the columns that are kept, one column after the other, each with the state of its own in `states`.
    ///
    /// # Errors
    /// What `take` says is wrong, and what is no text: of all that, the first in the file.
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
            .map(|(number, state)| self.column(number, |token| take(state, token)));
        let wrongs = wrongs.zip(names);
        let wrongs = wrongs.filter_map(|(wrong, name)| Some((wrong?, name)));
        let Some((wrong, name)) = wrongs.min_by_key(|(wrong, _)| wrong.row) else {
            return Ok(());
        };
        let line = self.lines.get(wrong.row).copied();
        let line = line.ok_or_else(|| Bug::new("a record that begins at no line"))?;
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

/// Some of the bytes that are at hand.
#[track_caller]
pub(super) fn part(bytes: &[u8], range: Range<usize>) -> Result<&[u8], Bug> {
    // Not with a closure, which would be the place that the bug names.
    match bytes.get(range) {
        Some(part) => Ok(part),
        None => Err(outside()),
    }
}

/// What a field between commas stands for.
#[inline]
fn token(text: &str, is_quoted: bool) -> Token<'_> {
    if text.is_empty() && !is_quoted {
        Token::Null
    } else {
        Token::Field(text)
    }
}
