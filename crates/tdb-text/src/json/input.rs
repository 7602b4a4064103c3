//! Reads JSON lines: one object per cell, with the names of fields as keys.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use tdb_cells::files::{
    BatchReader, ColumnChoice, ColumnGuess, Input, InputError, InputOptions, InputPlace, by_name,
};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::names::UnknownName;
use tdb_tile::Bug;

use super::lines::TextLines;
use crate::text::cell::{CellReader, Refusal, bytes_of, take_batch, zoned};
use crate::text::missing::Missing;
use crate::text::row_lines::RowLines;
use crate::text::token::{Token, token_of};
use crate::text::typed::ColumnLook;

/// A file of JSON lines, or with one array of objects.
///
/// If an object lacks a key, the cell is null. The column names are the keys of the first object; an empty file has no
/// cells.
pub struct JsonLinesInput<R> {
    lines: TextLines<R>,
    names: Vec<String>,
    is_empty: bool,
    options: InputOptions,
}

impl<R: Read> JsonLinesInput<R> {
    /// Reads the first object.
    ///
    /// # Errors
    /// It is not an object, or has a key twice; the input fails.
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
        let line = lines.place();
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
        // Nullable fields that the first object lacks may occur in later ones.
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
        // For each key, its column and the last line that had it.
        let mut places: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        let mut left_out = HashSet::new();
        let mut rows = 0_u64;
        while self.lines.next()? {
            let number = self.lines.line;
            let line = self.lines.place();
            for (key, value) in self.lines.object()?.0 {
                let Some(name) = self.options.columns.name(&key) else {
                    left_out.insert(key.into_owned());
                    continue;
                };
                let (place, last) = places.entry(key.clone().into_owned()).or_insert_with(|| {
                    let place = guesses.len();
                    guesses.push(ColumnLook::new(name, &self.options, Missing::None));
                    (place, 0)
                });
                if std::mem::replace(last, number) == number {
                    return Err(twice(key.into_owned(), line));
                }
                let mut text = Cow::default();
                let token = token_of(value.get(), &mut text)
                    .map_err(|what| InputError::record(line, what))?;
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
            rows += 1;
        }
        let keys = places.keys().chain(&left_out).map(String::as_str);
        self.options.columns.check(keys)?;
        let guesses = guesses.into_iter().map(|guess| guess.finish(rows));
        Ok(guesses.collect::<Result<_, Bug>>()?)
    }
}

/// Reads the cells of a file into known fields.
struct JsonCells<R> {
    input: TextLines<R>,
    choice: ColumnChoice,
    columns: Vec<CellReader>,
    batch_bytes: usize,
    lines: RowLines,
    rows: u64,
    /// For each column, whether the current object has it.
    seen: Vec<bool>,
}

impl<R: Read + Send> BatchReader for JsonCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        let mut rows = 0_usize;
        while self.input.next()? {
            self.append()?;
            if !self.input.is_array() {
                self.lines.note(self.rows, self.input.line);
            }
            self.rows += 1;
            rows += 1;
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
    /// Appends the cells of the current object.
    fn append(&mut self) -> Result<(), InputError> {
        let place = self.input.place();
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

/// Returns the error for an object that has a key twice.
fn twice(key: String, place: InputPlace) -> InputError {
    InputError::Cell {
        field: key,
        place,
        what: "the key is there twice".to_owned(),
        hint: None,
    }
}
