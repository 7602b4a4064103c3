//! Reads the lines of JSON lines, or the elements of an array, one by one.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use tdb_cells::files::{InputError, InputOptions, InputPlace};

use super::elements::{At, ElementSearch, next_element, peek};

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// Number of bytes of a line's memory that are kept from batch to batch.
const LARGE: usize = 1 << 20;

/// The non-empty lines of a text, or the elements of an array.
pub(super) struct TextLines<R> {
    input: BufReader<R>,
    text: Vec<u8>,
    pub(super) line: u64,
    consumed: u64,
    most: usize,
    /// Whether the next call of [`TextLines::next`] returns the current line again.
    pub(super) is_ahead: bool,
    /// Position in the array, if the file is one.
    array: Option<At>,
}

impl<R: Read> TextLines<R> {
    pub(super) fn new(input: R, options: &InputOptions) -> Self {
        Self {
            input: BufReader::with_capacity(CHUNK, input),
            text: Vec::new(),
            line: 0,
            consumed: 0,
            most: options.record_bytes,
            is_ahead: false,
            array: None,
        }
    }

    /// Whether the file is one array, whose elements are read.
    pub(super) fn is_array(&self) -> bool {
        self.array.is_some()
    }

    /// Place of the current line or element.
    pub(super) fn place(&self) -> InputPlace {
        match self.array {
            None => InputPlace::Line(self.line),
            Some(_) => InputPlace::Row(self.line.saturating_sub(1)),
        }
    }

    /// Goes to the next line or element; returns whether there is one.
    pub(super) fn next(&mut self) -> Result<bool, InputError> {
        if std::mem::take(&mut self.is_ahead) {
            return Ok(true);
        }
        if self.consumed == 0 && self.array.is_none() && self.begins_array()? {
            self.array = Some(At::Start);
        }
        if let Some(at) = &mut self.array {
            self.text.clear();
            let found = next_element(&mut self.input, at, &mut self.text, self.most)?;
            self.line += 1;
            self.consumed += self.text.len() as u64;
            return match found {
                ElementSearch::Element => Ok(true),
                ElementSearch::None => Ok(false),
                ElementSearch::TooLarge => Err(InputError::TooLarge {
                    place: self.place(),
                    limit: self.most,
                }),
                ElementSearch::Wrong(what) => Err(InputError::record(self.place(), what)),
            };
        }
        loop {
            self.text.clear();
            self.line += 1;
            let most = (self.most as u64).saturating_add(1);
            let read = (&mut self.input)
                .take(most)
                .read_until(b'\n', &mut self.text)?;
            if read > self.most {
                return Err(InputError::TooLarge {
                    place: InputPlace::Line(self.line),
                    limit: self.most,
                });
            }
            self.consumed += read as u64;
            if read == 0 || !self.text.trim_ascii().is_empty() {
                return Ok(read > 0);
            }
        }
    }

    /// Whether the file is an array; a line of JSON lines never begins with a bracket.
    fn begins_array(&mut self) -> Result<bool, InputError> {
        while let Some(byte) = peek(&mut self.input)? {
            match byte {
                b'\n' => self.line += 1,
                b'[' => {
                    self.input.consume(1);
                    self.line = 0;
                    return Ok(true);
                }
                _ if !byte.is_ascii_whitespace() => break,
                _ => {}
            }
            self.input.consume(1);
        }
        Ok(false)
    }

    /// Frees the memory of a very long line.
    pub(super) fn let_go(&mut self) {
        if !self.is_ahead {
            self.text.clear();
            self.text.shrink_to(LARGE);
        }
    }

    /// Parses the current line as an object.
    pub(super) fn object(&self) -> Result<Object<'_>, InputError> {
        let place = self.place();
        let text = std::str::from_utf8(&self.text).map_err(|_| InputError::NotUtf8 { place })?;
        serde_json::from_str(text).map_err(|error| {
            // serde_json would report this line as line 1.
            let message = error.to_string();
            let what = message
                .split_once(" at line ")
                .map_or(&*message, |(what, _)| what);
            let at = match error.column() {
                0 => String::new(),
                column => format!(" at byte {column}"),
            };
            InputError::record(place, format!("is not a JSON object: {what}{at}"))
        })
    }
}

/// The members of a JSON object, in their order.
pub(super) struct Object<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

/// A key, which is copied only if it contains escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
