//! Writes the cells of a column as text. The conversion is chosen once per field; cells are then appended to a buffer
//! that is reused.

use std::sync::Arc;

use tdb_cells::files::{ConversionError, OutputOptions, labels_of, read_index, shown_type};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::value::{NOT_A_TIME, TimeText, holds_bytes, holds_text, unpadded};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Datatype, Scalar, with_scalar};
use zerocopy::little_endian::U64;

use super::characters::{append_bytes, append_text_or_bytes, is_text_or_bytes};
use super::digits::append_number;
use super::quoting::{append_json_text, append_quoted};
use super::syntax::{Syntax, null};

/// The cells of a column, borrowed.
pub(super) struct TextCells<'a> {
    values: &'a [u8],
    /// Start of each var-sized cell, and the end of the last.
    starts: &'a [U64],
    /// Bytes of a cell; `None` if cells are var-sized.
    size: Option<usize>,
    validity: Option<&'a [u8]>,
}

impl<'a> TextCells<'a> {
    pub(super) fn new(column: &'a Column) -> Self {
        Self {
            values: &column.values,
            starts: column.offset_values(),
            size: column.cell_size(),
            validity: column.validity.as_deref(),
        }
    }

    /// Whether the cell is valid; `None` if the column does not have the row.
    fn is_valid(&self, row: usize) -> Option<bool> {
        let Some(bits) = self.validity else {
            return Some(true);
        };
        Some(bits.get(row / 8)? >> (row % 8) & 1 == 1)
    }

    fn cell(&self, row: usize) -> Option<&'a [u8]> {
        let (start, end) = match self.size {
            Some(size) => {
                let start = row.checked_mul(size)?;
                (start, start.checked_add(size)?)
            }
            None => {
                let start = self.starts.get(row)?.get();
                let end = self.starts.get(row.checked_add(1)?)?.get();
                (usize::try_from(start).ok()?, usize::try_from(end).ok()?)
            }
        };
        self.values.get(start..end)
    }
}

/// Reason why a cell cannot be written.
pub(super) enum Problem {
    NotUtf8,
    LabelNotUtf8(u64),
    TooFew,
}

/// Writes the cells of a field as text.
#[derive(Debug)]
pub(super) struct ColumnText {
    name: String,
    syntax: Syntax,
    form: Form,
    /// The labels to write instead of the cells, which are indexes.
    labels: Option<Labels>,
}

#[derive(Debug)]
struct Labels {
    enumeration: Arc<Enumeration>,
    is_signed: bool,
}

/// Conversion from a cell's bytes to text.
#[derive(Debug)]
enum Form {
    Text,
    TextOrBytes(Datatype, CellValNum),
    Bytes,
    One(Element),
    Many {
        element: Element,
        size: usize,
        /// Buffer for the list as JSON, before it is quoted for CSV.
        list: Vec<u8>,
    },
}

/// Conversion of one number.
#[derive(Debug)]
enum Element {
    Bool,
    Time(TimeText),
    Number(fn(&[u8], Syntax, &mut Vec<u8>)),
}

impl ColumnText {
    pub(super) fn new(field: &FieldInfo, options: OutputOptions, syntax: Syntax) -> Self {
        let (datatype, values) = shown_type(field);
        Self {
            name: field.name.clone(),
            syntax,
            form: Form::new(datatype, values, options),
            labels: labels_of(field).map(|enumeration| Labels {
                enumeration: enumeration.clone(),
                is_signed: field.datatype.is_signed(),
            }),
        }
    }

    pub(super) fn append(
        &mut self,
        cells: &TextCells<'_>,
        row: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Problem> {
        if !cells.is_valid(row).ok_or(Problem::TooFew)? {
            null(self.syntax, out);
            return Ok(());
        }
        let bytes = cells.cell(row).ok_or(Problem::TooFew)?;
        let Some(labels) = &self.labels else {
            return self.form.append(bytes, self.syntax, out);
        };
        let label = read_index(bytes, labels.is_signed).and_then(|number| {
            let index = usize::try_from(number).ok()?;
            Some((number, labels.enumeration.value(index)?))
        });
        match label {
            Some((number, label)) => (self.form.append(label, self.syntax, out))
                .map_err(|_| Problem::LabelNotUtf8(number)),
            None => {
                null(self.syntax, out);
                Ok(())
            }
        }
    }

    pub(super) fn fail(&self, problem: Problem, cell: u64) -> ConversionError {
        let field = self.name.clone();
        match (problem, &self.labels) {
            (Problem::LabelNotUtf8(value), Some(labels)) => ConversionError::ValueNotUtf8 {
                enumeration: labels.enumeration.name().to_owned(),
                value,
            },
            (Problem::TooFew, _) => ConversionError::column(&field, "holds too few cells"),
            _ => ConversionError::NotUtf8 { field, cell },
        }
    }
}

impl Form {
    fn new(datatype: Datatype, values: CellValNum, options: OutputOptions) -> Self {
        if is_text_or_bytes(datatype, values) {
            return Self::TextOrBytes(datatype, values);
        }
        if holds_bytes(datatype) {
            let is_text = holds_text(datatype) && !options.binary_strings;
            return if is_text { Self::Text } else { Self::Bytes };
        }
        let element = Element::new(datatype, options);
        if values == CellValNum::Fixed(1) {
            return Self::One(element);
        }
        Self::Many {
            element,
            size: datatype.size(),
            list: Vec::new(),
        }
    }

    fn append(&mut self, bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) -> Result<(), Problem> {
        match self {
            Self::Text => {
                let text = std::str::from_utf8(bytes).map_err(|_| Problem::NotUtf8)?;
                match syntax {
                    Syntax::Csv => append_quoted(bytes, out),
                    Syntax::Json => append_json_text(text, out),
                    Syntax::Plain => out.extend_from_slice(bytes),
                }
            }
            Self::TextOrBytes(datatype, values) => {
                let text = unpadded(*datatype, *values, bytes);
                append_text_or_bytes(text, bytes, syntax, out);
            }
            Self::Bytes => append_bytes(bytes, syntax, out),
            Self::One(element) if element.is_none(bytes) => null(syntax, out),
            Self::One(element) => element.append(bytes, syntax, out),
            Self::Many {
                element,
                size,
                list,
            } => {
                list.clear();
                list.push(b'[');
                let (between, within): (&[u8], _) = match syntax {
                    Syntax::Plain => (b", ", syntax),
                    _ => (b",", Syntax::Json),
                };
                for (number, value) in bytes.chunks_exact(*size).enumerate() {
                    list.extend_from_slice(if number == 0 { b"" } else { between });
                    element.append(value, within, list);
                }
                list.push(b']');
                match syntax {
                    Syntax::Csv => append_quoted(list, out),
                    Syntax::Json | Syntax::Plain => out.extend_from_slice(list),
                }
            }
        }
        Ok(())
    }
}

impl Element {
    fn new(datatype: Datatype, options: OutputOptions) -> Self {
        if datatype == Datatype::Bool {
            return Self::Bool;
        }
        if !options.ticks && (datatype.is_datetime() || datatype.is_time()) {
            return Self::Time(TimeText::new(datatype));
        }
        Self::Number(with_scalar!(datatype, T => append_number::<T>))
    }

    /// Whether a date or time is NaT.
    fn is_none(&self, bytes: &[u8]) -> bool {
        matches!(self, Self::Time(_)) && i64::read(bytes) == Some(NOT_A_TIME)
    }

    fn append(&mut self, bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
        match self {
            Self::Bool => out.extend_from_slice(if bytes == [0] { b"false" } else { b"true" }),
            Self::Number(append) => append(bytes, syntax, out),
            Self::Time(text) => match (i64::read(bytes), syntax) {
                (None | Some(NOT_A_TIME), Syntax::Plain) => out.extend_from_slice(b"NaT"),
                (None | Some(NOT_A_TIME), _) => null(syntax, out),
                (Some(ticks), Syntax::Csv | Syntax::Plain) => text.append(ticks, out),
                (Some(ticks), Syntax::Json) => {
                    out.push(b'"');
                    text.append(ticks, out);
                    out.push(b'"');
                }
            },
        }
    }
}
