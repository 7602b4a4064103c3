//! Reads comma-separated values in pieces that contain whole records.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use tdb_cells::files::{InputError, InputOptions, InputPlace};
use tdb_tile::{Bug, Exact};

use super::block::{Quotes, RecordFields, part};
use super::ends::{for_each_end, has_any};
use super::fields::{Dialect, Text, count_lines, unfit};
use super::line_ends;
use super::records::Records;
use super::sniff;

/// Minimum number of bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// Number of bytes from which the delimiter is detected.
const SAMPLE: usize = 1 << 16;

/// Byte order mark that some programs write before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Byte order marks of UTF-16, in both byte orders.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// A text that consists of whole records.
#[derive(Debug)]
pub(super) struct Piece {
    buffer: Vec<u8>,
    /// Byte range of the records in the buffer.
    place: Range<usize>,
    /// Line at which the first record begins.
    pub(super) line: u64,
    is_end: bool,
    dialect: Dialect,
}

impl Piece {
    pub(super) fn text(&self) -> Result<Text<'_>, Bug> {
        Ok(Text {
            bytes: part(&self.buffer, self.place.clone())?,
            is_end: self.is_end,
            dialect: self.dialect,
        })
    }
}

/// Splits a file into pieces.
pub(super) struct Pieces<R> {
    input: R,
    buffer: Vec<u8>,
    /// Start of the next record in the buffer.
    at: usize,
    /// End of the bytes read into the buffer.
    filled: usize,
    is_end: bool,
    /// Whether no record was found yet.
    is_start: bool,
    next_line: u64,
    /// The error that follows the pieces returned so far, if any.
    wrong: Option<InputError>,
    /// Maximum size of a record, in bytes.
    most: usize,
    dialect: Dialect,
    /// Memory of finished pieces, for new ones.
    spare: Vec<Vec<u8>>,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(input: R, options: &InputOptions) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            filled: 0,
            is_end: false,
            is_start: true,
            next_line: 1,
            wrong: None,
            most: options.record_bytes,
            dialect: Dialect {
                delimiter: options.delimiter.unwrap_or(b','),
                takes_empty_lines: false,
            },
            spare: Vec::new(),
        }
    }

    /// Makes empty lines records from here on.
    pub(super) fn take_empty_lines(&mut self) {
        self.dialect.takes_empty_lines = true;
    }

    /// Detects the delimiter from the first records.
    pub(super) fn sniff(&mut self) -> Result<(), InputError> {
        while self.filled < SAMPLE.min(self.most) && !self.is_end {
            self.fill(0)?;
        }
        self.dialect.delimiter = sniff::delimiter(self.rest()?, self.is_end);
        Ok(())
    }

    /// Returns the texts of the first record; `None` if there is none.
    pub(super) fn first(&mut self) -> Result<Option<Vec<String>>, InputError> {
        let mut found = RecordFields::default();
        let start = loop {
            let mut records = Records::new(self.text()?, self.next_line, &mut found);
            let is_found = records.step()?;
            let (len, line) = records.place();
            if is_found {
                let start = self.at;
                self.at = start + len;
                (self.next_line, self.is_start) = (line, false);
                if !found.lines.is_empty() {
                    break start;
                }
            } else if self.is_over() {
                return Ok(None);
            } else {
                line_ends::check_start(self.rest()?, SAMPLE)?;
                self.fill(0)?;
            }
        };
        let bytes = part(&self.buffer, start..self.filled)?;
        line_ends::check_first(bytes, &found.spans)?;
        let texts = found.spans.iter().map(|span| {
            let memory = match span.quotes {
                Quotes::Within => &found.unquoted,
                Quotes::None | Quotes::Around => bytes,
            };
            let text = std::str::from_utf8(part(memory, span.start..span.end)?);
            let place = found
                .lines
                .last()
                .copied()
                .map(InputPlace::Line)
                .ok_or_else(|| Bug::new("a record that begins at no line"))?;
            let text = text.map_err(|_| InputError::NotUtf8 { place })?;
            Ok(text.to_owned())
        });
        texts.collect::<Result<_, InputError>>().map(Some)
    }

    /// Returns the next pieces, at most `count`, of about `bytes` bytes each; an empty list at the end.
    ///
    /// An error is returned only after the records before it.
    pub(super) fn some(&mut self, count: usize, bytes: usize) -> Result<Vec<Piece>, InputError> {
        let mut pieces = Vec::new();
        while pieces.len() < count {
            match self.next(bytes) {
                Ok(Some(piece)) => pieces.push(piece),
                Ok(None) => break,
                Err(wrong) if pieces.is_empty() => return Err(wrong),
                Err(wrong) => {
                    self.wrong = Some(wrong);
                    break;
                }
            }
        }
        Ok(pieces)
    }

    /// Takes back the memory of a finished piece, to use it again.
    pub(super) fn give_back(&mut self, piece: Piece, bytes: usize) {
        // Memory of a very large record is freed.
        let half = piece.buffer.len().div_ceil(2);
        if half.checked_sub(CHUNK).is_none_or(|half| half <= bytes) {
            self.spare.push(piece.buffer);
        }
    }

    fn next(&mut self, bytes: usize) -> Result<Option<Piece>, InputError> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let bytes = bytes.min(self.most);
        loop {
            if self.rest()?.len() >= bytes || self.is_end {
                if self.is_over() {
                    return Ok(None);
                }
                if let Some(end) = self.whole_records()? {
                    return self.cut(end).map(Some);
                }
            }
            if let Err(wrong) = self.fill(bytes) {
                // A syntax error in the part of the record that was read takes precedence over the read error.
                let len = last_end_by_record(self.text()?);
                if len == 0 {
                    return Err(wrong);
                }
                self.wrong = Some(wrong);
                return self.cut(self.at + len).map(Some);
            }
        }
    }

    fn is_over(&self) -> bool {
        self.at == self.filled && self.is_end
    }

    /// The bytes that were read but not returned yet.
    #[track_caller]
    fn rest(&self) -> Result<&[u8], Bug> {
        part(&self.buffer, self.at..self.filled)
    }

    fn text(&self) -> Result<Text<'_>, Bug> {
        Ok(Text {
            bytes: self.rest()?,
            is_end: self.is_end,
            dialect: self.dialect,
        })
    }

    /// Returns the end of the last record that was read completely; `None` if there is none. Invalid records count as
    /// complete.
    fn whole_records(&self) -> Result<Option<usize>, Bug> {
        let bytes = self.rest()?;
        let len = if self.is_end {
            Some(bytes.len())
        } else if self.dialect.has_plain_lines() && !has_any(bytes, (b'"', b'"')) {
            let last = bytes.iter().rposition(|byte| *byte == b'\n');
            last.map(|last| last + 1)
        } else {
            last_record_end(self.text()?)
        };
        let end = len.filter(|len| *len > 0);
        Ok(end.map(|len| self.at + len))
    }

    /// Takes out the records up to `end`; the rest moves to another buffer.
    fn cut(&mut self, end: usize) -> Result<Piece, InputError> {
        let line = self.next_line;
        let lines = count_lines(part(&self.buffer, self.at..end)?);
        self.next_line = line + lines;
        let rest = part(&self.buffer, end..self.filled)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "where none is spare, a piece begins with no memory"
        )]
        let mut next = self.spare.pop().unwrap_or_default();
        if next.len() < rest.len() {
            next.resize(rest.len(), 0);
        }
        let start = next
            .get_mut(..rest.len())
            .ok_or_else(|| Bug::new("no memory for what begins a piece"))?;
        start.copy_from_slice(rest);
        let piece = Piece {
            place: self.at..end,
            line,
            is_end: self.is_end,
            dialect: self.dialect,
            buffer: std::mem::replace(&mut self.buffer, next),
        };
        (self.at, self.filled) = (0, self.filled.exact_sub(end)?);
        Ok(piece)
    }

    /// Reads once, after making room for at least `wanted` bytes.
    fn fill(&mut self, wanted: usize) -> Result<(), InputError> {
        let left = self.filled.exact_sub(self.at)?;
        if left > self.most {
            return Err(InputError::TooLarge {
                place: InputPlace::Line(self.next_line),
                limit: self.most,
            });
        }
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.filled, 0);
        }
        (self.at, self.filled) = (0, left);
        // The buffer grows by half for a record that is larger.
        let more = CHUNK
            .max(left / 2)
            .min((self.most - left).saturating_add(CHUNK))
            .max(wanted.saturating_sub(left));
        let mut len = left + more;
        if self.buffer.len() >= left + CHUNK {
            // The buffer has room already.
            len = len.min(self.buffer.len());
        } else {
            self.buffer.reserve_exact(len - self.buffer.len());
            self.buffer.resize(len, 0);
        }
        // Reading into an empty slice would look like the end of the file.
        let free = self
            .buffer
            .get_mut(left..len)
            .filter(|free| !free.is_empty())
            .ok_or_else(|| Bug::new("no memory to read a record into"))?;
        let read = loop {
            match self.input.read(free) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.filled = left + read;
        self.is_end = read == 0;
        if self.is_start {
            self.take_mark()?;
        }
        Ok(())
    }

    /// Skips a byte order mark of UTF-8; fails at one of UTF-16.
    fn take_mark(&mut self) -> Result<(), InputError> {
        let bytes = self.rest()?;
        if UTF_16_MARKS.iter().any(|mark| bytes.starts_with(mark)) {
            return Err(unfit(self.next_line, "not UTF-8"));
        }
        if bytes.starts_with(MARK) {
            self.at += MARK.len();
            self.is_start = false;
        }
        Ok(())
    }
}

/// Returns the end of the last complete record; an invalid record counts as complete.
fn last_record_end(text: Text<'_>) -> Option<usize> {
    let by_quotes = if text.dialect.has_plain_lines() {
        last_end_outside_of_quotes(text)
    } else {
        None
    };
    let end = by_quotes.unwrap_or_else(|| last_end_by_record(text));
    (end > 0).then_some(end)
}

/// Returns the end after the last line feed outside of quotes; `None` if a quote is inside of a field without quotes,
/// because then counting quotes is unreliable.
fn last_end_outside_of_quotes(text: Text<'_>) -> Option<usize> {
    let (bytes, delimiter) = (text.bytes, text.dialect.delimiter);
    let (mut end, mut is_quoted, mut is_odd) = (0, false, false);
    for_each_end(bytes, [b'"', b'\n'], |at| {
        if bytes.get(at) == Some(&b'\n') {
            if !is_quoted {
                end = at + 1;
            }
            return true;
        }
        // A quote may open a field, or be the second of a doubled one.
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let may_open = before.is_none_or(|byte| *byte == delimiter || matches!(byte, b'\n' | b'"'));
        is_odd = !is_quoted && !may_open;
        is_quoted = !is_quoted;
        !is_odd
    });
    (!is_odd).then_some(end)
}

/// Finds the same end by parsing record by record.
fn last_end_by_record(text: Text<'_>) -> usize {
    let mut end = 0_usize;
    while end < text.bytes.len() {
        match text.record(end, 0, |_| Ok(())) {
            Ok(Some(next)) => end = next,
            Ok(None) => return end,
            // An invalid record is returned with all of the text, so that the parser reports it.
            Err(_) => return text.bytes.len(),
        }
    }
    end
}
