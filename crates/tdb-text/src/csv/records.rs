//! Parses records of comma-separated values into spans of a text.

use tdb_cells::files::InputError;
use tdb_tile::Bug;

use super::block::{Block, Quotes, RecordFields, part};
use super::ends::{for_each_end, has_any};
use super::fields::{Text, count_lines};
use super::lines::{LineSplitter, Step, ragged};
use super::quotes::unquote;

/// Iterates over records.
#[derive(Debug)]
pub(super) struct Records<'a> {
    text: Text<'a>,
    /// Start of the next record.
    at: usize,
    next_line: u64,
    found: &'a mut RecordFields,
    /// The error that follows the records found last, if any.
    wrong: Option<InputError>,
}

impl<'a> Records<'a> {
    /// Starts at the beginning of a text, which is at this line of the file.
    pub(super) fn new(text: Text<'a>, line: u64, found: &'a mut RecordFields) -> Self {
        Self {
            text,
            at: 0,
            next_line: line,
            found,
            wrong: None,
        }
    }

    /// Start of the next record, and its line.
    pub(super) fn place(&self) -> (usize, u64) {
        (self.at, self.next_line)
    }

    fn is_over(&self) -> bool {
        self.at == self.text.bytes.len()
    }

    /// Returns the next records, each of `width` fields: at least one, and as many as have about `most` bytes. `None`
    /// at the end. The text must end with a complete record.
    ///
    /// An error is returned only after the records before it.
    pub(super) fn block(
        &mut self,
        width: usize,
        most: usize,
    ) -> Result<Option<Block<'_>>, InputError> {
        self.found.spans.clear();
        self.found.unquoted.clear();
        self.found.lines.clear();
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        let start = self.at;
        while self.found.lines.is_empty() && !self.is_over() {
            let checked = match self.lines_end(most)? {
                Some(end) => self.take_lines(end, width),
                None => self.take_records(most, width),
            };
            if let Err(wrong) = checked {
                if self.found.lines.is_empty() {
                    return Err(wrong);
                }
                self.wrong = Some(wrong);
            }
        }
        if self.found.lines.is_empty() {
            return Ok(None);
        }
        let text = std::str::from_utf8(part(self.text.bytes, start..self.at)?);
        Ok(Some(Block {
            buffer: self.text.bytes,
            start,
            text: text.ok(),
            unquoted: &self.found.unquoted,
            spans: &self.found.spans,
            lines: &self.found.lines,
            width,
        }))
    }

    /// Returns the end of lines of about `most` bytes that can be split together; `None` if they contain NUL, which is
    /// not allowed.
    fn lines_end(&self, most: usize) -> Result<Option<usize>, Bug> {
        let bytes = self.text.bytes;
        let rest = part(bytes, self.at..bytes.len())?;
        // The last of these bytes may already be the end of a line.
        let before = rest.len().min(most).max(1) - 1;
        let after = part(rest, before..rest.len())?;
        let Some(len) = after.iter().position(|byte| *byte == b'\n') else {
            return Ok(None);
        };
        let end = self.at + before + len + 1;
        let lines = part(bytes, self.at..end)?;
        let is_text = self.text.dialect.has_plain_lines() && !has_any(lines, (0, 0));
        Ok(is_text.then_some(end))
    }

    /// Takes the records up to `end`, or at least the next one, which may end later.
    fn take_lines(&mut self, end: usize, width: usize) -> Result<(), InputError> {
        let (begin, dialect) = (self.at, self.text.dialect);
        let lines = part(self.text.bytes, begin..end)?;
        let (bytes, line) = (self.text.bytes, self.next_line);
        let mut splitter = LineSplitter::new(bytes, dialect, begin, line, width, self.found);
        let mut wrong = None;
        let step = |at: usize| match splitter.step(begin + at) {
            Step::On => true,
            Step::Odd => false,
            Step::Wrong(what) => {
                wrong = Some(what);
                false
            }
        };
        if has_any(lines, (b'"', b'"')) {
            for_each_end(lines, [dialect.delimiter, b'\n', b'"'], step);
        } else {
            for_each_end(lines, [dialect.delimiter, b'\n'], step);
        }
        (self.at, self.next_line) = splitter.finish();
        match wrong {
            Some(wrong) => Err(wrong),
            None if self.at == begin => self.take_records(1, width),
            None => Ok(()),
        }
    }

    /// Takes records up to about `most` bytes.
    fn take_records(&mut self, most: usize, width: usize) -> Result<(), InputError> {
        let start = self.at;
        while self.at - start < most && !self.is_over() {
            let (first, line) = (self.found.spans.len(), self.next_line);
            if !self.step()? {
                return Err(Bug::new("a piece of text ends within a record").into());
            }
            let count = self.found.spans.len() - first;
            if count != width && count != 0 {
                self.found.spans.truncate(first);
                self.found.lines.pop();
                return Err(ragged(line, count, width));
            }
        }
        Ok(())
    }

    /// Takes the next record, or skips it if it is empty; returns false if the text ends before the record does.
    pub(super) fn step(&mut self) -> Result<bool, InputError> {
        if self.is_over() {
            return Ok(false);
        }
        let RecordFields {
            spans, unquoted, ..
        } = &mut *self.found;
        let before = (spans.len(), unquoted.len());
        let bytes = self.text.bytes;
        let end = self.text.record(self.at, self.next_line, |span| {
            spans.push(if span.quotes == Quotes::Within {
                unquote(part(bytes, span.start..span.end)?, unquoted)
            } else {
                span
            });
            Ok(())
        });
        let Ok(Some(end)) = end else {
            spans.truncate(before.0);
            unquoted.truncate(before.1);
            return end.map(|_| false);
        };
        self.go_behind(before.0, end)?;
        Ok(true)
    }

    /// Advances after the record whose fields are those from `first` on; removes it if it is empty.
    fn go_behind(&mut self, first: usize, end: usize) -> Result<(), Bug> {
        let record = part(self.text.bytes, self.at..end)?;
        let line = self.next_line;
        let fields = self
            .found
            .spans
            .get(first..)
            .ok_or_else(|| Bug::new("a record without fields"))?;
        // Without quotes, the only line feed is the one that ends the record.
        let has_quotes = fields.iter().any(|span| span.quotes != Quotes::None);
        let lines = if has_quotes {
            count_lines(record).max(1)
        } else {
            1
        };
        let is_empty = matches!(fields, [span] if span.start == span.end && !has_quotes);
        self.next_line = line + lines;
        self.at = end;
        if is_empty && !self.text.dialect.takes_empty_lines {
            self.found.spans.truncate(first);
        } else {
            self.found.lines.push(line);
        }
        Ok(())
    }
}
