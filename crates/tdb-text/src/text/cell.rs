//! Reads cells from text. The conversion is chosen once per field, not per cell.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use tdb_cells::files::{Recount, indexes, labels_of, shown_type};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::CellValNum;
use tdb_schema::value::{
    NOT_A_TIME, ValueError, days_of_date, has_offset, holds_bytes, holds_text, is_padded, parse,
    parse_number,
};
use tdb_tile::{Datatype, Physical, Scalar, with_scalar};

use super::builder::ColumnBuilder;
use super::characters::is_text_or_bytes;
use super::hexadecimal::{append_bytes, append_text_or_bytes, names_digits};
use super::missing::{Missing, NOT_A_NUMBER};
use super::scalar::{parse_flag, parse_float64, parse_scalar};
use super::token::{Token, shown, token_of};

/// Reason why a token is not a valid cell of its field.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) what: String,
    pub(crate) hint: Option<&'static str>,
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self { what, hint: None }
    }
}

/// Reads the cells of a field from text, one by one.
#[derive(Clone, Debug)]
pub(crate) struct CellReader {
    form: Form,
    labels: Option<Labels>,
    missing: Missing,
    /// Whether any time had an offset from UTC.
    is_zoned: bool,
    pub(crate) column: ColumnBuilder,
}

/// Maps each label, in stored form, to its index.
#[derive(Clone, Debug)]
struct Labels {
    name: String,
    indexes: Arc<HashMap<Vec<u8>, Vec<u8>>>,
    label: Vec<u8>,
}

/// Conversion from text to the stored form of a cell.
#[derive(Clone, Copy, Debug)]
enum Form {
    Text,
    TextOrBytes {
        size: Option<usize>,
        /// Whether shorter text is padded.
        is_padded: bool,
    },
    Bytes {
        size: Option<usize>,
    },
    One(Element),
    Many {
        element: Element,
        count: Option<usize>,
    },
}

/// Conversion of one number.
#[derive(Clone, Copy, Debug)]
struct Element {
    datatype: Datatype,
    parse: fn(Datatype, &str, &mut Vec<u8>) -> Result<(), ValueError>,
    is_time: bool,
    /// Ticks per day, if dates are read and a day has a whole number of ticks.
    day: Option<i64>,
}

/// Size of the cells so far, in bytes.
#[cfg(feature = "json")]
pub(crate) fn bytes_of(columns: &[CellReader]) -> usize {
    columns.iter().map(|column| column.column.bytes()).sum()
}

/// Names of the columns in which any of several readers saw a time with an offset from UTC.
pub(crate) fn zoned<'a>(readers: impl Iterator<Item = &'a [CellReader]> + Clone) -> Vec<String> {
    let columns = readers.clone().next().unwrap_or(&[]).iter().enumerate();
    let is_zoned = |number: usize| {
        let mut readers = readers.clone();
        readers.any(|columns| columns.get(number).is_some_and(|column| column.is_zoned))
    };
    let zoned = columns.filter(|(number, _)| is_zoned(*number));
    zoned
        .map(|(_, column)| column.column.field().name.clone())
        .collect()
}

/// Returns the cells so far as a batch of `rows` rows, and starts another one; `None` if `rows` is 0.
pub(crate) fn take_batch(columns: &mut [CellReader], rows: usize) -> Option<Batch> {
    let columns = columns.iter_mut().map(|column| column.column.take());
    (rows > 0).then(|| Batch {
        rows,
        columns: columns.collect(),
    })
}

impl CellReader {
    /// Creates a reader for a field; with `ticks`, dates and times are raw numbers.
    pub(crate) fn new(field: &FieldInfo, ticks: bool) -> Self {
        let (datatype, values) = shown_type(field);
        Self {
            form: Form::new(datatype, values, ticks),
            labels: labels_of(field).map(|labels| Labels {
                name: labels.name().to_owned(),
                indexes: Arc::new(indexes(labels, field.datatype)),
                label: Vec::new(),
            }),
            missing: Missing::None,
            is_zoned: false,
            column: ColumnBuilder::new(field),
        }
    }

    /// Sets the CSV texts that represent missing cells.
    pub(crate) fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Whether a CSV text represents a missing cell.
    fn is_missing(&self, text: &str) -> bool {
        let is_usual = || match &self.form {
            Form::Text | Form::TextOrBytes { .. } => false,
            Form::One(element) if element.datatype.is_real() && text == NOT_A_NUMBER => false,
            _ => self.missing.is_usual(text),
        };
        self.missing.is_named(text) || is_usual()
    }

    /// Appends the cell that a token represents; fails if it is not valid for the field.
    pub(crate) fn append(&mut self, token: Token<'_>) -> Result<(), Refusal> {
        let token = match token {
            // `""` is not a number: some programs quote all fields, so that it means null.
            Token::Field("") if !self.form.has_empty_cells() => Token::Null,
            Token::Field(text) if self.is_missing(text) => Token::Null,
            token => token,
        };
        if token == Token::Null {
            return self.append_null();
        }
        if let (Form::One(element), None) = (&self.form, &self.labels)
            && let Some(ticks) = element.plain_date(token)
        {
            ticks.write(&mut self.column.values);
            self.column.end_cell();
            return Ok(());
        }
        self.is_zoned = self.is_zoned || self.form.has_offset(token);
        match &mut self.labels {
            None => self.form.append(token, &mut self.column.values)?,
            Some(labels) => {
                labels.label.clear();
                self.form.append(token, &mut labels.label)?;
                let Some(index) = labels.indexes.get(&labels.label) else {
                    let (label, name) = (shown(token), &labels.name);
                    return Err(format!("{label} is not a label of enumeration {name:?}").into());
                };
                self.column.values.extend_from_slice(index);
            }
        }
        self.column.end_cell();
        Ok(())
    }

    fn append_null(&mut self) -> Result<(), Refusal> {
        match &self.form {
            _ if self.column.field().nullable => self.column.null(),
            Form::One(element) if element.is_time && self.labels.is_none() => {
                NOT_A_TIME.write(&mut self.column.values);
                self.column.end_cell();
            }
            form => {
                let what = "is null, and the field is not nullable".to_owned();
                let hint = form.has_empty_cells().then(|| self.missing.of_empty_text());
                return Err(Refusal {
                    what,
                    hint: hint.flatten(),
                });
            }
        }
        Ok(())
    }
}

impl Form {
    fn new(datatype: Datatype, values: CellValNum, ticks: bool) -> Self {
        let count = values.fixed().map(|n| n as usize);
        let size = count.map(|n| n * datatype.size());
        if is_text_or_bytes(datatype, values) {
            let is_padded = is_padded(datatype, values);
            return Self::TextOrBytes { size, is_padded };
        }
        if holds_text(datatype) {
            return Self::Text;
        }
        if holds_bytes(datatype) {
            return Self::Bytes { size };
        }
        let element = Element::new(datatype, ticks);
        match count {
            Some(1) => Self::One(element),
            count => Self::Many { element, count },
        }
    }

    /// Whether `""` is a valid cell.
    fn has_empty_cells(&self) -> bool {
        match self {
            Self::Text => true,
            Self::TextOrBytes {
                is_padded: true, ..
            } => true,
            Self::TextOrBytes { size, .. } | Self::Bytes { size } => {
                size.is_none_or(|size| size == 0)
            }
            Self::One(_) | Self::Many { .. } => false,
        }
    }

    /// Whether a cell is a time with an offset from UTC, or a list with one.
    fn has_offset(&self, token: Token<'_>) -> bool {
        match (self, token) {
            (Self::One(element), Token::Field(text) | Token::Text(text)) => {
                element.is_time && has_offset(text)
            }
            (Self::Many { element, .. }, Token::Field(text) | Token::List(text))
                if element.is_time =>
            {
                let list: Result<Vec<Option<Cow<'_, str>>>, _> = serde_json::from_str(text);
                list.is_ok_and(|list| list.iter().flatten().any(|text| has_offset(text)))
            }
            _ => false,
        }
    }

    fn append(&self, token: Token<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        match (self, token) {
            (Self::Text, Token::Field(text) | Token::Text(text)) => {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            // A JSON number is the text of its digits, as in CSV.
            (Self::Text, Token::Bare(text)) if !matches!(text, "true" | "false") => {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            (Self::Text, token) => Err(format!("{} is not text", shown(token))),
            (Self::TextOrBytes { size, is_padded }, token) => {
                let most = size.filter(|_| *is_padded);
                let start = out.len();
                append_text_or_bytes(size.filter(|_| !*is_padded), token, out)?;
                match most {
                    Some(most) => fill_up(out, start, most),
                    None => Ok(()),
                }
            }
            (Self::Bytes { size }, token) => append_bytes(*size, token, out),
            (Self::One(element), token) => element.append(token, out),
            (Self::Many { element, count }, Token::Field(text) | Token::List(text)) => {
                element.append_list(text, *count, out)
            }
            (Self::Many { .. }, token) => Err(format!("{} is not a list", shown(token))),
        }
    }
}

/// Pads a text with NUL bytes to the size of a cell.
fn fill_up(out: &mut Vec<u8>, start: usize, size: usize) -> Result<(), String> {
    let bytes = out.len() - start;
    if bytes > size {
        return Err(format!("{bytes} bytes, and a cell has {size}"));
    }
    out.resize(start + size, 0);
    Ok(())
}

impl Element {
    fn new(datatype: Datatype, ticks: bool) -> Self {
        let is_time = datatype.is_datetime() || datatype.is_time();
        Self {
            datatype,
            is_time,
            day: (is_time && !ticks)
                .then(|| ticks_of_day(datatype))
                .flatten(),
            parse: match datatype.physical() {
                _ if datatype == Datatype::Bool => parse_flag,
                Physical::F64 => parse_float64,
                _ if is_time && ticks => parse_number,
                _ if is_time => parse,
                // Numbers that are too large are an error, not infinity.
                _ if datatype.is_real() => parse_number,
                _ => with_scalar!(datatype, T => parse_scalar::<T>),
            },
        }
    }

    /// Returns the ticks of a date without a time in the most common form.
    fn plain_date(self, token: Token<'_>) -> Option<i64> {
        let (Token::Field(text) | Token::Text(text)) = token else {
            return None;
        };
        let ticks = i64::from(days_of_date(text)?).checked_mul(self.day?);
        ticks.filter(|ticks| *ticks != NOT_A_TIME)
    }

    fn append(self, token: Token<'_>, out: &mut Vec<u8>) -> Result<(), String> {
        match token {
            Token::Field(text) | Token::Text(text) | Token::Bare(text) => {
                (self.parse)(self.datatype, text, out).map_err(|error| error.to_string())
            }
            token => Err(format!("{} is not a valid {}", shown(token), self.datatype)),
        }
    }

    /// Appends the numbers of a JSON list.
    fn append_list(
        self,
        text: &str,
        count: Option<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let list: Vec<&RawValue> = serde_json::from_str(text)
            .map_err(|_| format!("{} is not a list", shown(Token::Field(text))))?;
        if let Some(count) = count.filter(|count| *count != list.len()) {
            return Err(format!("{} values, and a cell has {count}", list.len()));
        }
        for value in list {
            let mut text = Cow::default();
            match token_of(value.get(), &mut text)? {
                Token::Null if self.is_time => NOT_A_TIME.write(out),
                token => self.append(token, out)?,
            }
        }
        Ok(())
    }
}

/// Parses the bytes of a single cell, written as in a CSV field or as `{"hex": …}`, for types that CSV writes as
/// hexadecimal digits; `None` for all other types.
///
/// # Errors
/// The text is not valid hexadecimal, or has another number of bytes than a cell.
#[must_use]
pub fn cell_of_bytes(
    datatype: Datatype,
    values: CellValNum,
    text: &str,
) -> Option<Result<Vec<u8>, String>> {
    let form = Form::new(datatype, values, false);
    if !matches!(form, Form::Bytes { .. } | Form::TextOrBytes { .. }) {
        return None;
    }
    let token = if names_digits(text) {
        Token::Object(text)
    } else {
        Token::Field(text)
    };
    let mut out = Vec::new();
    Some(form.append(token, &mut out).map(|()| out))
}

/// Ticks per day of dates; `None` if a day is not a whole number of ticks.
fn ticks_of_day(datatype: Datatype) -> Option<i64> {
    let day = Recount::between(Datatype::DateTimeDay, datatype);
    day.and_then(|day| day.ticks(1))
}
