//! JSON lines: an object for each cell, with the names of fields as keys.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use tdb_cells::files::{
    BatchReader, ColumnChoice, ColumnGuess, Input, InputError, InputOptions, InputPlace, by_name,
};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::names::UnknownName;
use tdb_tile::Bug;

use crate::text::cell::{CellReader, Refusal, bytes_of, take_batch, zoned};
use crate::text::missing::Missing;
use crate::text::row_lines::RowLines;
use crate::text::token::{Token, token_of};
use crate::text::typed::ColumnLook;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// Bytes that are kept from batch to batch.
const LARGE: usize = 1 << 20;

/// A file of JSON lines.
///
/// A key that a line lacks is null there. Its names are those of the first line; an empty file has no cells.
pub struct JsonLinesInput<R> {
    lines: TextLines<R>,
    names: Vec<String>,
    is_empty: bool,
    options: InputOptions,
}

impl<R: Read> JsonLinesInput<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// A line that is no object, or has a key twice; where the input fails.
    pub fn try_new(input: R, options: InputOptions) -> Result<Self, InputError> {
        let mut lines = TextLines::new(input, &options);
        if !lines.next()? {
            return Ok(Self {
                lines,
                names: Vec::new(),
                is_empty: true,
                options,
            });
        }
        let line = InputPlace::Line(lines.line);
        let mut names: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for (key, _) in lines.object()?.0 {
            let name = options.columns.name(&key).map(str::to_owned);
            if !known.insert(key.clone()) {
                return Err(twice(key.into_owned(), line));
            }
            names.extend(name);
        }
        lines.is_ahead = true;
        Ok(Self {
            lines,
            names,
            is_empty: false,
            options,
        })
    }
}

impl<R: Read + Send> Input for JsonLinesInput<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a,
    {
        // What nullable fields lack in the first line, others may have.
        let absent = |field: &&FieldInfo| {
            (field.nullable || self.is_empty) && !self.names.contains(&field.name)
        };
        let absent: Vec<&FieldInfo> = fields.iter().filter(absent).collect();
        let names: Vec<String> = (self.names.iter().cloned())
            .chain(absent.iter().map(|field| field.name.clone()))
            .collect();
        let places = by_name(&names, fields)?;
        let columns = places.iter().filter_map(|place| fields.get(*place));
        Ok(Box::new(JsonCells {
            columns: columns
                .map(|field| CellReader::new(field, self.options.ticks))
                .collect(),
            input: self.lines,
            choice: self.options.columns,
            batch_bytes: self.options.batch_bytes,
            lines: RowLines::default(),
            rows: 0,
            seen: Vec::new(),
        }))
    }

    fn guess(mut self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        let mut guesses: Vec<ColumnLook> = Vec::new();
        // Of each key its place, and the line that had it last.
        let mut places: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        let mut left_out = HashSet::new();
        let mut rows = 0_u64;
        while self.lines.next()? {
            let number = self.lines.line;
            let line = InputPlace::Line(number);
            for (key, value) in self.lines.object()?.0 {
                let Some(name) = self.options.columns.name(&key) else {
                    left_out.insert(key.into_owned());
                    continue;
                };
                let (place, last) = places.entry(key.clone().into_owned()).or_insert_with(|| {
                    guesses.push(ColumnLook::new(name, &self.options, Missing::None));
                    (guesses.len().saturating_sub(1), 0)
                });
                if std::mem::replace(last, number) == number {
                    return Err(twice(key.into_owned(), line));
                }
                let mut text = Cow::default();
                let token = token_of(value.get(), &mut text);
                let token = token.map_err(|what| InputError::record(line, what))?;
                if let Some(guess) = guesses.get_mut(*place) {
                    let seen = guess.see(token);
                    seen.map_err(|Refusal { what, hint }| InputError::Cell {
                        field: key.clone().into_owned(),
                        place: line,
                        what,
                        hint,
                    })?;
                }
            }
            rows = rows.saturating_add(1);
        }
        let keys = places.keys().chain(&left_out).map(String::as_str);
        self.options.columns.check(keys)?;
        let guesses = guesses.into_iter().map(|guess| guess.finish(rows));
        Ok(guesses.collect::<Result<_, Bug>>()?)
    }
}

/// The cells of a file, once it is known what they are to be.
struct JsonCells<R> {
    input: TextLines<R>,
    choice: ColumnChoice,
    columns: Vec<CellReader>,
    batch_bytes: usize,
    lines: RowLines,
    rows: u64,
    /// Which columns the line has.
    seen: Vec<bool>,
}

impl<R: Read + Send> BatchReader for JsonCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        let mut rows = 0_usize;
        while self.input.next()? {
            self.append()?;
            self.lines.note(self.rows, self.input.line);
            self.rows = self.rows.saturating_add(1);
            rows = rows.saturating_add(1);
            if bytes_of(&self.columns) >= self.batch_bytes {
                break;
            }
        }
        self.input.let_go();
        Ok(take_batch(&mut self.columns, rows))
    }

    fn line(&self, row: u64) -> Option<u64> {
        self.lines.of(row)
    }

    fn zoned(&self) -> Vec<String> {
        zoned(std::iter::once(&self.columns[..]))
    }
}

impl<R: Read> JsonCells<R> {
    /// Appends the cells of the line.
    fn append(&mut self) -> Result<(), InputError> {
        let place = InputPlace::Line(self.input.line);
        let object = self.input.object()?;
        self.seen.clear();
        self.seen.resize(self.columns.len(), false);
        let members = object.0.iter().filter_map(|(key, value)| {
            let name = self.choice.name(key)?;
            Some((name, key, value))
        });
        for (number, (name, key, value)) in members.enumerate() {
            let named = |column: &&CellReader| column.column.field().name == name;
            let index = match self.columns.get(number).filter(named) {
                Some(_) => Some(number),
                None => self.columns.iter().position(|column| named(&column)),
            };
            let Some((column, seen)) = index
                .and_then(|index| Some((self.columns.get_mut(index)?, self.seen.get_mut(index)?)))
            else {
                let known = self.columns.iter().map(|c| c.column.field().name.as_str());
                return Err(InputError::Key {
                    place,
                    error: UnknownName::new("field", key, known),
                });
            };
            let wrong = |Refusal { what, hint }, column: &CellReader| InputError::Cell {
                field: column.column.field().name.clone(),
                place,
                what,
                hint,
            };
            if std::mem::replace(seen, true) {
                return Err(twice(column.column.field().name.clone(), place));
            }
            let mut text = Cow::default();
            let token = token_of(value.get(), &mut text);
            let appended = token
                .map_err(Refusal::from)
                .and_then(|token| column.append(token));
            appended.map_err(|refusal| wrong(refusal, column))?;
        }
        for (column, seen) in self.columns.iter_mut().zip(&self.seen) {
            if !seen {
                column.append(Token::Null).map_err(|_| InputError::Cell {
                    field: column.column.field().name.clone(),
                    place,
                    what: "missing, and the field cannot be null".to_owned(),
                    hint: None,
                })?;
            }
        }
        Ok(())
    }
}

/// A line says twice what a cell is.
fn twice(key: String, place: InputPlace) -> InputError {
    InputError::Cell {
        field: key,
        place,
        what: "the key is there twice".to_owned(),
        hint: None,
    }
}

/// The lines of a text that are not empty.
struct TextLines<R> {
    input: BufReader<R>,
    text: Vec<u8>,
    line: u64,
    consumed: u64,
    most: usize,
    /// Whether the line that is there is the next one, too.
    is_ahead: bool,
}

impl<R: Read> TextLines<R> {
    fn new(input: R, options: &InputOptions) -> Self {
        Self {
            input: BufReader::with_capacity(CHUNK, input),
            text: Vec::new(),
            line: 0,
            consumed: 0,
            most: options.record_bytes,
            is_ahead: false,
        }
    }

    /// Goes to the next line; whether there is one.
    fn next(&mut self) -> Result<bool, InputError> {
        if std::mem::take(&mut self.is_ahead) {
            return Ok(true);
        }
        loop {
            self.text.clear();
            self.line = self.line.saturating_add(1);
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
            self.consumed = self.consumed.saturating_add(read as u64);
            if read == 0 || !self.text.trim_ascii().is_empty() {
                return Ok(read > 0);
            }
        }
    }

    /// Gives back what a long line took, which is not asked for again.
    fn let_go(&mut self) {
        if !self.is_ahead {
            self.text.clear();
            self.text.shrink_to(LARGE);
        }
    }

    /// The line as an object.
    fn object(&self) -> Result<Object<'_>, InputError> {
        let place = InputPlace::Line(self.line);
        let text = std::str::from_utf8(&self.text).map_err(|_| InputError::NotUtf8 { place })?;
        serde_json::from_str(text).map_err(|error| {
            // It would count the line as the first.
            let what = error.to_string();
            let what = what
                .split_once(" at line ")
                .map_or(&*what, |(what, _)| what);
            let at = match error.column() {
                0 => String::new(),
                column => format!(" at byte {column}"),
            };
            InputError::record(place, format!("is not a JSON object: {what}{at}"))
        })
    }
}

/// The members of a JSON object, as they come.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// A key, copied only where it has escapes.
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
