//! The records of comma-separated values, as spans of a buffer.

use std::io::{ErrorKind, Read};

use tdb_cells::files::{InputError, InputOptions, InputPlace};
use tdb_tile::Bug;

use super::block::{Block, Quotes, Span, part};
use super::line_ends;
use super::quotes::{quoted_len, unquote};
use super::sniff;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// Bytes from which the delimiter is found out.
const SAMPLE: usize = 1 << 16;

/// Bytes that are kept from batch to batch.
const LARGE: usize = 1 << 20;

/// What some programs put in front of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What UTF-16 begins with, in both orders of bytes.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

const UTF_16_HINT: &str = "is it UTF-16? iconv -f UTF-16 -t UTF-8 makes UTF-8 of it";

/// One record after the other.
pub(super) struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where in the buffer the next record begins.
    at: usize,
    is_end: bool,
    /// Whether any byte so far was NUL: hardly a text has one.
    has_nul: bool,
    /// The fields of the records that were found last.
    spans: Vec<Span>,
    /// Fields that had quotes within, put together.
    unquoted: Vec<u8>,
    /// The lines at which those records begin.
    lines: Vec<u64>,
    next_line: u64,
    /// Bytes of records so far.
    consumed: u64,
    /// What is wrong behind the records that were found last.
    wrong: Option<InputError>,
    delimiter: u8,
    most: usize,
    /// Whether a line with nothing in it is a record.
    pub(super) takes_empty_lines: bool,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, options: &InputOptions) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            is_end: false,
            has_nul: false,
            spans: Vec::new(),
            unquoted: Vec::new(),
            lines: Vec::new(),
            next_line: 1,
            consumed: 0,
            wrong: None,
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

    /// The texts of the first record; `None` where there is none.
    pub(super) fn first(&mut self) -> Result<Option<Vec<String>>, InputError> {
        while self.lines.is_empty() {
            match self.look()? {
                Some(end) => self.found(0, end)?,
                None if self.is_over() => return Ok(None),
                None => {
                    line_ends::check_start(&self.buffer, SAMPLE)?;
                    self.fill()?;
                }
            }
        }
        line_ends::check_first(&self.buffer, &self.spans)?;
        let texts = self.spans.iter().map(|span| {
            let memory = match span.quotes {
                Quotes::Within => &self.unquoted,
                Quotes::None | Quotes::Around => &self.buffer,
            };
            let text = std::str::from_utf8(part(memory, span.start..span.end)?);
            let place = self.lines.last().copied().map(InputPlace::Line);
            let place = place.ok_or_else(|| Bug::new("a record that begins at no line"))?;
            let text = text.map_err(|_| InputError::NotUtf8 { place })?;
            Ok(text.to_owned())
        });
        texts.collect::<Result<_, InputError>>().map(Some)
    }

    /// The next records, each of `width` fields: one at least, and so many that they have about `most` bytes, or that no other
    /// is in memory as a whole. `None` where there is no more.
    ///
    /// What is wrong is said once the records before it were given.
    pub(super) fn block(
        &mut self,
        width: usize,
        most: usize,
    ) -> Result<Option<Block<'_>>, InputError> {
        self.forget();
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let mut start = self.at;
        while self.at.saturating_sub(start) < most {
            let first = self.spans.len();
            let found = match self.look() {
                Ok(Some(end)) => self.found(first, end).map_err(InputError::from),
                Ok(None) if self.is_over() => break,
                // What is in memory must stay where it is.
                Ok(None) if !self.lines.is_empty() => break,
                Ok(None) => {
                    self.fill()?;
                    start = self.at;
                    continue;
                }
                Err(wrong) => Err(wrong),
            };
            let checked = found.and_then(|()| self.check_width(first, width));
            if let Err(wrong) = checked {
                if self.lines.is_empty() {
                    return Err(wrong);
                }
                self.wrong = Some(wrong);
                break;
            }
        }
        if self.lines.is_empty() {
            return Ok(None);
        }
        let text = std::str::from_utf8(part(&self.buffer, start..self.at)?);
        Ok(Some(Block {
            buffer: &self.buffer,
            start,
            text: text.ok(),
            unquoted: &self.unquoted,
            spans: &self.spans,
            lines: &self.lines,
            width,
        }))
    }

    /// Forgets the records that were found.
    fn forget(&mut self) {
        self.spans.clear();
        self.unquoted.clear();
        self.lines.clear();
    }

    fn is_over(&self) -> bool {
        self.at == self.buffer.len() && self.is_end
    }

    /// Goes behind the record whose fields are those from `first` on; it is passed over if it is empty.
    fn found(&mut self, first: usize, end: usize) -> Result<(), Bug> {
        let record = part(&self.buffer, self.at..end)?;
        let line = self.next_line;
        let fields = self
            .spans
            .get(first..)
            .ok_or_else(|| Bug::new("a record without fields"))?;
        // Without quotes there is no other line feed than the one that ends it.
        let has_quotes = fields.iter().any(|span| span.quotes != Quotes::None);
        let lines = if has_quotes {
            count_lines(record).max(1)
        } else {
            1
        };
        let is_empty = matches!(fields, [span] if span.start == span.end && !has_quotes);
        self.next_line = self.next_line.saturating_add(lines);
        self.consumed = self.consumed.saturating_add(record.len() as u64);
        self.at = end;
        if is_empty && !self.takes_empty_lines {
            self.spans.truncate(first);
        } else {
            self.lines.push(line);
        }
        Ok(())
    }

    /// Gives back what a large record took; the records that were there are not asked for again.
    pub(super) fn let_go(&mut self) {
        self.forget();
        if self.buffer.capacity() > LARGE {
            self.buffer.drain(..self.at);
            self.at = 0;
            self.buffer.shrink_to_fit();
        }
        self.unquoted.shrink_to(LARGE);
        self.spans.shrink_to(LARGE / size_of::<Span>());
        self.lines.shrink_to(LARGE / size_of::<u64>());
    }

    /// Fails, and forgets it, unless the record whose fields are those from `first` on has so many, or was passed over.
    fn check_width(&mut self, first: usize, wanted: usize) -> Result<(), InputError> {
        let found = self.spans.len().saturating_sub(first);
        if found == wanted || found == 0 {
            return Ok(());
        }
        self.spans.truncate(first);
        let line = self
            .lines
            .pop()
            .ok_or_else(|| Bug::new("a record that begins at no line"))?;
        let what = format!("the line has {found} fields, and the first one {wanted}");
        Err(InputError::record(InputPlace::Line(line), what))
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
        self.has_nul |= free.iter().take(read).any(|byte| *byte == 0);
        self.buffer.truncate(left.saturating_add(read));
        self.is_end = read == 0;
        if self.consumed == 0 {
            self.take_mark()?;
        }
        Ok(())
    }

    /// Passes over what some programs put in front of a text.
    fn take_mark(&mut self) -> Result<(), InputError> {
        if UTF_16_MARKS
            .iter()
            .any(|mark| self.buffer.starts_with(mark))
        {
            return Err(self.unfit("not UTF-8"));
        }
        if self.buffer.starts_with(MARK) {
            self.buffer.drain(..MARK.len());
            self.consumed = MARK.len() as u64;
        }
        Ok(())
    }

    /// What is wrong with a line that may be of UTF-16.
    fn unfit(&self, what: &str) -> InputError {
        InputError::Unfit {
            what: format!("{}: {what}", InputPlace::Line(self.next_line)),
            hint: UTF_16_HINT,
        }
    }

    /// Finds the fields of the record that begins at `at`, and where it ends; `None` where the buffer ends before, and where
    /// there is none.
    fn look(&mut self) -> Result<Option<usize>, InputError> {
        if self.is_over() {
            return Ok(None);
        }
        let before = (self.spans.len(), self.unquoted.len());
        let end = self.record_end();
        if !matches!(end, Ok(Some(_))) {
            self.spans.truncate(before.0);
            self.unquoted.truncate(before.1);
        }
        end
    }

    fn record_end(&mut self) -> Result<Option<usize>, InputError> {
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
        // Whoever means one puts it into quotes; else the file is damaged, or no UTF-8.
        if self.has_nul && field.contains(&0) {
            return Err(self.unfit("a NUL character outside of quotes"));
        }
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
            [0, ..] => return Err(self.unfit("a NUL character outside of quotes")),
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

fn count_lines(text: &[u8]) -> u64 {
    text.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}
