//! Columns as text: how the cells of a field are written is settled once, then they are appended
//! one by one to memory that is used again.

use std::io::Write;
use std::ops::Range;

use tdb_cells::{Batch, Column, FieldInfo};
use tdb_schema::value::{NOT_A_TIME, TimeText, holds_bytes, holds_text};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Datatype, Scalar, with_scalar};
use zerocopy::little_endian::U64;

use crate::dictionary::{index, is_index};
use crate::{ConversionError, Options};

/// The format that cells are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[cfg_attr(
        not(feature = "csv"),
        expect(dead_code, reason = "without the writer nobody asks for it")
    )]
    Csv,
    Json,
    /// For people.
    Plain,
}

/// What stands for null among plain texts: no text holds this byte.
const NULL: u8 = 0xff;

/// Bytes of text that are collected before they are written.
const FULL: usize = 1 << 16;

/// Writes the rows of a result as lines of text.
#[derive(Debug)]
pub(crate) struct Lines<W> {
    pub(crate) out: W,
    columns: Vec<ColumnText>,
    /// What stands before the cells of each column.
    before: Vec<Vec<u8>>,
    /// What stands at the end of a line.
    end: &'static [u8],
    /// Rows written so far.
    rows: u64,
    text: Vec<u8>,
}

impl<W: Write> Lines<W> {
    pub(crate) fn new(
        out: W,
        fields: &[FieldInfo],
        options: Options,
        syntax: Syntax,
        before: Vec<Vec<u8>>,
        end: &'static [u8],
    ) -> Self {
        let columns = fields.iter();
        let columns = columns.map(|field| ColumnText::new(field, options, syntax));
        Self {
            out,
            columns: columns.collect(),
            before,
            end,
            rows: 0,
            text: Vec::new(),
        }
    }

    /// Writes all rows of a batch.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let result = self.append(batch);
        // The lines before one that is wrong are right.
        self.out.write_all(&self.text)?;
        self.text.clear();
        result
    }

    fn append(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let mut cells: Vec<Cells<'_>> = batch.columns.iter().map(Cells::new).collect();
        for row in 0..batch.rows {
            let start = self.text.len();
            for ((cells, column), before) in
                cells.iter_mut().zip(&mut self.columns).zip(&self.before)
            {
                self.text.extend_from_slice(before);
                let written = column.append(cells, row, &mut self.text);
                if let Err(problem) = written {
                    self.text.truncate(start);
                    return Err(column.fail(problem, self.rows));
                }
            }
            self.text.extend_from_slice(self.end);
            self.rows = self.rows.saturating_add(1);
            if self.text.len() >= FULL {
                self.out.write_all(&self.text)?;
                self.text.clear();
            }
        }
        Ok(())
    }
}

/// The cells of a result as people read them: text as it is, bytes as text where they are one.
#[derive(Debug)]
pub struct PlainText {
    columns: Vec<ColumnText>,
    text: Vec<u8>,
}

impl PlainText {
    /// For results with these fields.
    #[must_use]
    pub fn new(fields: &[FieldInfo], options: Options) -> Self {
        let columns = fields.iter();
        let columns = columns.map(|field| ColumnText::new(field, options, Syntax::Plain));
        Self {
            columns: columns.collect(),
            text: Vec::new(),
        }
    }

    /// Shows the cells of one column of a batch in turn; `None` is null, a date or time that is none, or an index
    /// without a label. `first` is the number of the batch's first cell in the result.
    ///
    /// # Errors
    /// [`ConversionError::NotUtf8`]; a column that does not hold so many cells.
    pub fn for_each(
        &mut self,
        batch: &Batch,
        column: usize,
        rows: Range<usize>,
        first: u64,
        each: &mut dyn FnMut(Option<&str>),
    ) -> Result<(), ConversionError> {
        let columns = batch.columns.get(column).zip(self.columns.get_mut(column));
        let Some((cells, column)) = columns else {
            return Ok(());
        };
        let cells = Cells::new(cells);
        for row in rows {
            self.text.clear();
            let number = first.saturating_add(row as u64);
            let written = column.append(&cells, row, &mut self.text);
            written.map_err(|problem| column.fail(problem, number))?;
            let text = std::str::from_utf8(&self.text);
            each(text.ok().filter(|_| self.text != [NULL]));
        }
        Ok(())
    }
}

/// The memory of a column's cells.
struct Cells<'a> {
    values: &'a [u8],
    /// Where cells that vary in size begin, and the end.
    starts: &'a [U64],
    /// Bytes of a cell; `None` where they vary.
    size: Option<usize>,
    validity: Option<&'a [u8]>,
}

impl<'a> Cells<'a> {
    fn new(column: &'a Column) -> Self {
        Self {
            values: &column.values,
            starts: column.offset_values(),
            size: column.cell_size(),
            validity: column.validity.as_deref(),
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|bits| {
            bits.get(row / 8)
                .is_some_and(|byte| byte >> (row % 8) & 1 == 1)
        })
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

/// Why a cell cannot be written.
enum Problem {
    NotUtf8,
    LabelNotUtf8(u64),
    TooFew,
}

/// How the cells of a field are written.
#[derive(Debug)]
struct ColumnText {
    name: String,
    syntax: Syntax,
    form: Form,
    /// The labels that are written instead of the cells, which are their indexes.
    labels: Option<Labels>,
}

#[derive(Debug)]
struct Labels {
    enumeration: std::sync::Arc<Enumeration>,
    is_signed: bool,
}

/// How a cell is written from its bytes.
#[derive(Debug)]
enum Form {
    Text,
    Bytes,
    One(Element),
    Many {
        element: Element,
        size: usize,
        /// The list as JSON, before it is quoted for CSV.
        list: Vec<u8>,
    },
}

/// How one number is written.
#[derive(Debug)]
enum Element {
    Bool,
    Time(TimeText),
    Number(fn(&[u8], Syntax, &mut Vec<u8>)),
}

impl ColumnText {
    fn new(field: &FieldInfo, options: Options, syntax: Syntax) -> Self {
        let (datatype, values) = (field.datatype, field.cell_val_num);
        let enumeration = field.enumeration.as_ref();
        let enumeration = enumeration.filter(|_| is_index(datatype, values));
        Self {
            name: field.name.clone(),
            syntax,
            form: match enumeration {
                Some(labels) => Form::new(labels.datatype(), labels.cell_val_num(), options),
                None => Form::new(datatype, values, options),
            },
            labels: enumeration.map(|enumeration| Labels {
                enumeration: enumeration.clone(),
                is_signed: datatype.is_signed(),
            }),
        }
    }

    fn append(&mut self, cells: &Cells<'_>, row: usize, out: &mut Vec<u8>) -> Result<(), Problem> {
        if !cells.is_valid(row) {
            null(self.syntax, out);
            return Ok(());
        }
        let bytes = cells.cell(row).ok_or(Problem::TooFew)?;
        let Some(labels) = &self.labels else {
            return self.form.append(bytes, self.syntax, out);
        };
        let number = index(bytes, labels.is_signed);
        let label = number.and_then(|index| {
            let index = usize::try_from(index).ok()?;
            labels.enumeration.value(index)
        });
        match label {
            Some(label) => (self.form.append(label, self.syntax, out))
                .map_err(|_| Problem::LabelNotUtf8(number.unwrap_or_default())),
            None => {
                null(self.syntax, out);
                Ok(())
            }
        }
    }

    fn fail(&self, problem: Problem, cell: u64) -> ConversionError {
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
    fn new(datatype: Datatype, values: CellValNum, options: Options) -> Self {
        if holds_bytes(datatype) {
            let is_text = holds_text(datatype) && values.is_var() && !options.binary_strings;
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
    fn new(datatype: Datatype, options: Options) -> Self {
        if datatype == Datatype::Bool {
            return Self::Bool;
        }
        if !options.ticks && (datatype.is_datetime() || datatype.is_time()) {
            return Self::Time(TimeText::new(datatype));
        }
        Self::Number(with_scalar!(datatype, T => append_number::<T>))
    }

    /// Whether this is the date or time that is none.
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

fn null(syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Csv => {}
        Syntax::Json => out.extend_from_slice(b"null"),
        Syntax::Plain => out.push(NULL),
    }
}

/// Appends a text in quotes where it needs them; a quote within becomes two.
pub(crate) fn append_quoted(text: &[u8], out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    let spaced = text.first() == Some(&b' ') || text.last() == Some(&b' ');
    if !text.is_empty() && !spaced && !any(text, special) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for (number, piece) in text.split(|&byte| byte == b'"').enumerate() {
        out.extend_from_slice(if number == 0 { b"" } else { b"\"\"" });
        out.extend_from_slice(piece);
    }
    out.push(b'"');
}

/// Appends a JSON string; control characters are escaped.
pub(crate) fn append_json_text(text: &str, out: &mut Vec<u8>) {
    let (bytes, escaped) = (text.as_bytes(), |byte: &u8| {
        *byte < b' ' || matches!(byte, b'"' | b'\\' | 0x7f)
    });
    out.push(b'"');
    if !any(bytes, escaped) {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    for piece in bytes.split_inclusive(escaped) {
        let (last, plain) = match piece.split_last() {
            Some((last, plain)) if escaped(last) => (Some(*last), plain),
            _ => (None, piece),
        };
        out.extend_from_slice(plain);
        // Writing to memory cannot fail.
        let _ = match last {
            None => Ok(()),
            Some(b'"') => out.write_all(b"\\\""),
            Some(b'\\') => out.write_all(b"\\\\"),
            Some(b'\n') => out.write_all(b"\\n"),
            Some(b'\r') => out.write_all(b"\\r"),
            Some(b'\t') => out.write_all(b"\\t"),
            Some(byte) => write!(out, "\\u{byte:04x}"),
        };
    }
    out.push(b'"');
}

/// Whether the test holds for any byte; it looks at all, which is what processors do in parallel.
fn any(bytes: &[u8], test: impl Fn(&u8) -> bool) -> bool {
    bytes.iter().fold(false, |found, byte| found | test(byte))
}

fn append_bytes(bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    if syntax == Syntax::Plain
        && let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(char::is_control)
    {
        out.extend_from_slice(bytes);
        return;
    }
    let (before, after): (&[u8], &[u8]) = match syntax {
        Syntax::Plain => (b"0x", b""),
        Syntax::Json => (b"{\"hex\":\"", b"\"}"),
        Syntax::Csv if bytes.is_empty() => (b"\"", b"\""),
        Syntax::Csv => (b"", b""),
    };
    out.extend_from_slice(before);
    let digit = |half: u8| half.wrapping_add(if half < 10 { b'0' } else { b'a' - 10 });
    out.extend(
        bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]),
    );
    out.extend_from_slice(after);
}

fn append_number<T: Digits>(bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    if let Some(number) = T::read(bytes) {
        number.append(syntax, out);
    }
}

/// Numbers as the shortest digits that say just them.
trait Digits: Scalar {
    fn append(self, syntax: Syntax, out: &mut Vec<u8>);
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Digits for $t {
            fn append(self, _: Syntax, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $beyond:literal)*) => {$(
        impl Digits for $t {
            fn append(self, syntax: Syntax, out: &mut Vec<u8>) {
                let size = self.abs();
                if size == 0.0 || (1e-4..$beyond).contains(&size) {
                    out.extend_from_slice(zmij::Buffer::new().format_finite(self).as_bytes());
                    return;
                }
                // The crate writes exponents otherwise than the rest of the program.
                let quote: &[u8] = if syntax == Syntax::Json && !size.is_finite() { b"\"" } else { b"" };
                out.extend_from_slice(quote);
                // Writing to memory cannot fail.
                let _ = match (self.is_nan(), size.is_infinite()) {
                    (true, _) => out.write_all(b"NaN"),
                    (_, true) if self > 0.0 => out.write_all(b"Infinity"),
                    (_, true) => out.write_all(b"-Infinity"),
                    _ => write!(out, "{self:?}"),
                };
                out.extend_from_slice(quote);
            }
        }
    )*};
}

floats!(f32, 1e12 f64, 1e16);
