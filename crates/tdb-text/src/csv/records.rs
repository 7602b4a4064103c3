//! The records of comma-separated values, as spans of a buffer.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use tdb_cells::files::{InputError, InputOptions, InputPlace};
use tdb_tile::Bug;

use super::sniff;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// Bytes from which the delimiter is found out.
const SAMPLE: usize = 1 << 16;

/// Bytes that are kept from batch to batch.
const LARGE: usize = 1 << 20;

/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One record after the other.
pub(super) struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where in the buffer the next record begins.
    at: usize,
    is_end: bool,
    spans: Vec<Span>,
    /// Fields that had quotes within, put together.
    unquoted: Vec<u8>,
    /// The line at which the record begins.
    pub(super) line: u64,
    next_line: u64,
    /// Bytes of records so far.
    pub(super) consumed: u64,
    delimiter: u8,
    most: usize,
    /// Whether a line with nothing in it is a record.
    pub(super) takes_empty_lines: bool,
}

/// Where a field stands.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    quotes: Quotes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    None,
    Around,
    /// And some within: the field stands among those put together.
    Within,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, options: &InputOptions) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            is_end: false,
            spans: Vec::new(),
            unquoted: Vec::new(),
            line: 0,
            next_line: 1,
            consumed: 0,
            delimiter: options.delimiter.unwrap_or(b','),
            most: options.record_bytes,
            takes_empty_lines: false,
        }
    }

    /// Finds out from the first records what stands between fields.
    pub(super) fn sniff(&mut self) -> Result<(), InputError> {
        while self.buffer.len() < SAMPLE.min(self.most) && !self.is_end {
            self.fill()?;
        }
        self.delimiter = sniff::delimiter(&self.buffer, self.is_end);
        Ok(())
    }

    /// Goes to the next record; whether there is one.
    pub(super) fn next(&mut self) -> Result<bool, InputError> {
        loop {
            if self.at == self.buffer.len() && self.is_end {
                return Ok(false);
            }
            let Some(end) = self.look()? else {
                self.fill()?;
                continue;
            };
            let record = part(&self.buffer, self.at..end)?;
            self.line = self.next_line;
            self.next_line = self.next_line.saturating_add(count_lines(record).max(1));
            self.consumed = self.consumed.saturating_add(record.len() as u64);
            self.at = end;
            let is_empty = matches!(self.spans[..], [span] if span.start == span.end && span.quotes == Quotes::None);
            if !is_empty || self.takes_empty_lines {
                return Ok(true);
            }
        }
    }

    /// The fields of the record, and whether each was in quotes.
    pub(super) fn fields(&self) -> impl Iterator<Item = Result<(&str, bool), InputError>> {
        self.spans.iter().map(|span| {
            let memory = match span.quotes {
                Quotes::Within => &self.unquoted,
                Quotes::None | Quotes::Around => &self.buffer,
            };
            let bytes = part(memory, span.start..span.end)?;
            let text = std::str::from_utf8(bytes)
                .map_err(|_| InputError::record(InputPlace::Line(self.line), "not UTF-8"))?;
            Ok((text, span.quotes != Quotes::None))
        })
    }

    /// Gives back what a large record took; the record that was there is not asked for again.
    pub(super) fn let_go(&mut self) {
        if self.buffer.capacity() > LARGE {
            self.buffer.drain(..self.at);
            self.at = 0;
            self.buffer.shrink_to_fit();
        }
        self.unquoted.clear();
        self.unquoted.shrink_to(LARGE);
    }

    /// Fails unless the record has so many fields.
    pub(super) fn check_count(&self, wanted: usize) -> Result<(), InputError> {
        let found = self.spans.len();
        if found == wanted {
            return Ok(());
        }
        let what = format!("the line has {found} fields, and the first one {wanted}");
        Err(InputError::record(InputPlace::Line(self.line), what))
    }

    /// Reads more, behind what is left.
    fn fill(&mut self) -> Result<(), InputError> {
        let left = self.buffer.len().saturating_sub(self.at);
        if left > self.most {
            return Err(InputError::TooLarge {
                place: InputPlace::Line(self.next_line),
                limit: self.most,
            });
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        // A record that is larger than the buffer makes it half as large again.
        let more = CHUNK
            .max(left / 2)
            .min(self.most.saturating_sub(left).saturating_add(CHUNK));
        self.buffer.reserve_exact(more);
        self.buffer.resize(left.saturating_add(more), 0);
        // To read into no memory would look like the end.
        let free = self.buffer.get_mut(left..).filter(|free| !free.is_empty());
        let free = free.ok_or_else(|| Bug::new("no memory to read a record into"))?;
        let read = loop {
            match self.input.read(free) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.buffer.truncate(left.saturating_add(read));
        self.is_end = read == 0;
        if self.consumed == 0 && self.buffer.starts_with(MARK) {
            self.buffer.drain(..MARK.len());
            self.consumed = MARK.len() as u64;
        }
        Ok(())
    }

    /// Finds the fields of the record that begins at `at`, and where it ends; `None` where the buffer ends before.
    fn look(&mut self) -> Result<Option<usize>, InputError> {
        self.spans.clear();
        self.unquoted.clear();
        let mut at = self.at;
        loop {
            let Some((span, after)) = self.field(at)? else {
                return Ok(None);
            };
            self.spans.push(span);
            match self.buffer.get(after) {
                Some(byte) if *byte == self.delimiter => at = after.saturating_add(1),
                Some(_) => return Ok(Some(after.saturating_add(1))),
                None if self.is_end => return Ok(Some(after)),
                None => return Ok(None),
            }
        }
    }

    /// The field that begins at `at`, and where what ends it stands: a delimiter, a line feed or nothing.
    fn field(&mut self, at: usize) -> Result<Option<(Span, usize)>, InputError> {
        let rest = part(&self.buffer, at..self.buffer.len())?;
        if rest.first() == Some(&b'"') {
            return self.quoted_field(at);
        }
        let delimiter = self.delimiter;
        let len = rest
            .iter()
            .position(|&byte| byte == delimiter || byte == b'\n');
        if len.is_none() && !self.is_end {
            return Ok(None);
        }
        let len = len.unwrap_or(rest.len());
        let field = part(rest, 0..len)?;
        let ends_line = rest.get(len) != Some(&delimiter);
        let carriage = ends_line && field.last() == Some(&b'\r');
        let after = at.saturating_add(len);
        let span = Span {
            start: at,
            end: after.saturating_sub(usize::from(carriage)),
            quotes: Quotes::None,
        };
        Ok(Some((span, after)))
    }

    fn quoted_field(&mut self, at: usize) -> Result<Option<(Span, usize)>, InputError> {
        let line = InputPlace::Line(self.next_line);
        let start = at.saturating_add(1);
        let inner = part(&self.buffer, start..self.buffer.len())?;
        let Some((len, is_plain)) = quoted_len(inner) else {
            return if self.is_end {
                Err(InputError::record(line, "a quote that is not closed"))
            } else {
                Ok(None)
            };
        };
        let end = start.saturating_add(len);
        let mut after = end.saturating_add(1);
        let behind = part(&self.buffer, after..self.buffer.len())?;
        match behind {
            // One more byte tells whether the quote is one within.
            [] | [b'\r'] if !self.is_end => return Ok(None),
            [] | [b'\n', ..] => {}
            [b'\r'] | [b'\r', b'\n', ..] => after = after.saturating_add(1),
            [byte, ..] if *byte == self.delimiter => {}
            _ => return Err(InputError::record(line, "text behind a closing quote")),
        }
        let span = if is_plain {
            Span {
                start,
                end,
                quotes: Quotes::Around,
            }
        } else {
            unquote(part(inner, 0..len)?, &mut self.unquoted)
        };
        Ok(Some((span, after)))
    }
}

/// Some of the bytes that are at hand.
#[track_caller]
fn part(bytes: &[u8], range: Range<usize>) -> Result<&[u8], Bug> {
    // Not with a closure, which would be the place that the bug names.
    match bytes.get(range) {
        Some(part) => Ok(part),
        None => Err(Bug::new("a field of a record that lies outside of it")),
    }
}

/// Bytes up to the closing quote, and whether there are no doubled ones among them.
fn quoted_len(text: &[u8]) -> Option<(usize, bool)> {
    let (mut at, mut is_plain) = (0_usize, true);
    loop {
        let rest = text.get(at..)?;
        at = at.saturating_add(rest.iter().position(|&byte| byte == b'"')?);
        if text.get(at.saturating_add(1)) != Some(&b'"') {
            return Some((at, is_plain));
        }
        is_plain = false;
        at = at.saturating_add(2);
    }
}

/// Appends a text without the first of two quotes.
fn unquote(text: &[u8], out: &mut Vec<u8>) -> Span {
    let start = out.len();
    // Between two quotes of a pair there is an empty piece.
    let pieces = text.split(|&byte| byte == b'"').step_by(2);
    for (number, piece) in pieces.enumerate() {
        if number > 0 {
            out.push(b'"');
        }
        out.extend_from_slice(piece);
    }
    Span {
        start,
        end: out.len(),
        quotes: Quotes::Within,
    }
}

fn count_lines(text: &[u8]) -> u64 {
    text.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}
