//! NumPy's `.npy`.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use tdb_tile::{Code, Datatype};

use super::arrow::ArrowInput;
use super::error::InputError;
use super::{InputOptions, rows_of_batch};
use crate::mapping::{CELL_VAL_NUM, DATATYPE};

const FORMAT: &str = ".npy";
const MAGIC: &[u8] = b"\x93NUMPY";

/// What a `.npy` file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyShape {
    /// Cells along each axis.
    pub axes: Vec<u64>,
    /// Whether the first axis changes fastest.
    pub is_column_major: bool,
}

/// The type of the values.
#[derive(Debug)]
struct Values {
    /// Bytes of one.
    size: usize,
    /// Bytes that are turned around, where they are not as this machine has them.
    swapped: Option<usize>,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// The same bytes in Arrow; the datatype where Arrow has none of its own.
    Number(DataType, Option<Datatype>),
    Bool,
    /// Bytes that end with the first of the zeros at the end.
    Bytes,
    /// Characters of four bytes that end so.
    Characters,
    /// Bytes as they are.
    Raw,
}

/// Opens a `.npy` file as one column of this name; cells come in the order of the file.
///
/// An axis of `inner` values at the end, if that is more than one, is within the cells.
///
/// # Errors
/// [`InputError::Unfit`] for what is none, and for types of values that have no place in an array.
pub fn npy_input<R: Read + Send + 'static>(
    mut file: R,
    name: &str,
    inner: u32,
    options: InputOptions,
) -> Result<(ArrowInput, NpyShape), InputError> {
    let header = read_header(&mut file)?;
    let values = Values::parse(&header.descr)?;
    let mut axes = header.axes;
    if inner > 1 && (axes.pop() != Some(u64::from(inner)) || header.is_column_major) {
        let what = format!("the last axis of the file is not one of {inner} values, as a cell has");
        return Err(unfit(what));
    }
    let cells = axes
        .iter()
        .try_fold(1_u64, |cells, side| cells.checked_mul(*side));
    let cells = cells.ok_or_else(|| unfit("more cells than can be counted".to_owned()))?;
    let size = values.size.saturating_mul(inner as usize);
    let reader = Cells {
        schema: Arc::new(Schema::new(vec![values.field(name, inner)?])),
        rows: rows_of_batch(options, size as u64),
        left: cells,
        inner: inner as usize,
        file,
        values,
    };
    let shape = NpyShape {
        axes,
        is_column_major: header.is_column_major,
    };
    Ok((ArrowInput::new(Box::new(reader), FORMAT), shape))
}

fn unfit(what: String) -> InputError {
    InputError::Unfit {
        what,
        hint: "numpy.save writes arrays of numbers, bool, datetime64, timedelta64, S, U and V as .npy files",
    }
}

struct Header {
    descr: String,
    is_column_major: bool,
    axes: Vec<u64>,
}

fn read_header(file: &mut impl Read) -> Result<Header, InputError> {
    let wrong = |what: &str| unfit(format!("no .npy file: {what}"));
    let mut start = [0; 8];
    file.read_exact(&mut start)
        .map_err(|_| wrong("too short"))?;
    let [magic @ .., major, _] = start;
    if magic != MAGIC {
        return Err(wrong("it does not begin as one"));
    }
    let len = match major {
        1 => {
            let mut len = [0; 2];
            file.read_exact(&mut len)?;
            u32::from(u16::from_le_bytes(len))
        }
        2 | 3 => {
            let mut len = [0; 4];
            file.read_exact(&mut len)?;
            u32::from_le_bytes(len)
        }
        _ => return Err(wrong("a version that is not known")),
    };
    const MOST: u32 = 1 << 20;
    if len > MOST {
        return Err(wrong("a header too large"));
    }
    let mut text = Vec::new();
    file.take(len.into()).read_to_end(&mut text)?;
    let text = String::from_utf8(text).map_err(|_| wrong("a header that is not UTF-8"))?;
    if is_structured(&text) {
        let what = "structured types are not read: save each of their fields as a file of its own";
        return Err(unfit(what.to_owned()));
    }
    parse_header(&text).ok_or_else(|| wrong("a header that says neither type nor shape"))
}

/// Whether values have fields, which are listed in place of a type.
fn is_structured(text: &str) -> bool {
    let descr = text.split_once("'descr':");
    descr.is_some_and(|(_, descr)| descr.trim_start().starts_with('['))
}

/// The entries of a Python dictionary such as NumPy writes.
fn parse_header(text: &str) -> Option<Header> {
    let after = |key: &str| {
        let (_, rest) = text.split_once(&format!("'{key}':"))?;
        Some(rest.trim_start())
    };
    let descr = after("descr")?.strip_prefix('\'')?.split('\'').next()?;
    let (sides, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
    let sides = sides
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty());
    Some(Header {
        descr: descr.to_owned(),
        is_column_major: after("fortran_order")?.starts_with("True"),
        axes: sides.map(|side| side.parse().ok()).collect::<Option<_>>()?,
    })
}

impl Values {
    fn parse(descr: &str) -> Result<Self, InputError> {
        Self::of(descr).ok_or_else(|| {
            unfit(format!(
                "values of type {descr:?} have no place in an array"
            ))
        })
    }

    fn of(descr: &str) -> Option<Self> {
        let (order, rest) = descr.split_at_checked(1)?;
        let (kind, rest) = rest.split_at_checked(1)?;
        let (size, unit) = match rest.split_once('[') {
            Some((size, unit)) => (size, Some(unit.strip_suffix(']')?)),
            None => (rest, None),
        };
        let size: usize = size.parse().ok().filter(|size| *size > 0)?;
        let number = |data_type| Some(Form::Number(data_type, None));
        let form = match (kind, size) {
            ("b", 1) => Form::Bool,
            ("i", 1) => number(DataType::Int8)?,
            ("i", 2) => number(DataType::Int16)?,
            ("i", 4) => number(DataType::Int32)?,
            ("i", 8) => number(DataType::Int64)?,
            ("u", 1) => number(DataType::UInt8)?,
            ("u", 2) => number(DataType::UInt16)?,
            ("u", 4) => number(DataType::UInt32)?,
            ("u", 8) => number(DataType::UInt64)?,
            ("f", 2) => number(DataType::Float16)?,
            ("f", 4) => number(DataType::Float32)?,
            ("f", 8) => number(DataType::Float64)?,
            ("M", 8) => moment(unit?)?,
            ("m", 8) => length(unit?)?,
            ("S", _) => Form::Bytes,
            ("U", _) => Form::Characters,
            ("V", _) => Form::Raw,
            _ => return None,
        };
        let is_text = matches!(form, Form::Characters);
        let size = if is_text { size.checked_mul(4)? } else { size };
        let word = if is_text { 4 } else { size };
        let is_big = match order {
            "<" | "|" | "=" => false,
            ">" => true,
            _ => return None,
        };
        Some(Self {
            size,
            swapped: (is_big && word > 1 && !matches!(form, Form::Bytes | Form::Raw))
                .then_some(word),
            form,
        })
    }

    fn field(&self, name: &str, inner: u32) -> Result<Field, InputError> {
        let wide = || unfit("values that are too large".to_owned());
        let (value, datatype) = match &self.form {
            Form::Number(data_type, datatype) => (data_type.clone(), *datatype),
            Form::Bool => (DataType::Boolean, None),
            Form::Bytes | Form::Characters => (DataType::LargeBinary, Some(Datatype::StringUtf8)),
            Form::Raw => (
                DataType::FixedSizeBinary(i32::try_from(self.size).map_err(|_| wide())?),
                None,
            ),
        };
        let values = match self.form {
            Form::Bytes | Form::Characters => "var".to_owned(),
            _ => inner.to_string(),
        };
        let data_type = match inner {
            1 => value,
            _ => {
                let item = Field::new("item", value, false);
                DataType::FixedSizeList(Arc::new(item), i32::try_from(inner).map_err(|_| wide())?)
            }
        };
        let metadata = datatype.map(|datatype| {
            HashMap::from([
                (DATATYPE.to_owned(), datatype.name().to_owned()),
                (CELL_VAL_NUM.to_owned(), values),
            ])
        });
        Ok(Field::new(name, data_type, false).with_metadata(metadata.unwrap_or_default()))
    }

    /// So many values out of their bytes.
    fn array(&self, mut bytes: Vec<u8>, count: usize) -> Result<ArrayData, ArrowError> {
        if let Some(word) = self.swapped {
            bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse);
        }
        let cells = || bytes.chunks_exact(self.size);
        let (data_type, buffers) = match &self.form {
            Form::Number(data_type, _) => (data_type.clone(), vec![Buffer::from_vec(bytes)]),
            Form::Bool => {
                let bits = BooleanBuffer::collect_bool(count, |at| {
                    bytes.get(at).is_some_and(|byte| *byte != 0)
                });
                (DataType::Boolean, vec![bits.into_inner()])
            }
            Form::Raw => {
                let size = i32::try_from(self.size).unwrap_or(i32::MAX);
                (
                    DataType::FixedSizeBinary(size),
                    vec![Buffer::from_vec(bytes)],
                )
            }
            Form::Bytes => var(cells().map(|cell| trimmed(cell).to_vec())),
            Form::Characters => {
                let texts = cells().map(|cell| text(cell).map(String::into_bytes));
                var(texts.collect::<Result<Vec<_>, _>>()?.into_iter())
            }
        };
        ArrayData::builder(data_type)
            .len(count)
            .buffers(buffers)
            .align_buffers(true)
            .build()
    }
}

/// Offsets and values of cells that vary in size.
fn var(cells: impl Iterator<Item = Vec<u8>>) -> (DataType, Vec<Buffer>) {
    let (mut offsets, mut values) = (vec![0_i64], Vec::new());
    for cell in cells {
        values.extend_from_slice(&cell);
        offsets.push(i64::try_from(values.len()).unwrap_or(i64::MAX));
    }
    (
        DataType::LargeBinary,
        vec![Buffer::from_vec(offsets), Buffer::from_vec(values)],
    )
}

fn trimmed(cell: &[u8]) -> &[u8] {
    let len = cell
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last.saturating_add(1));
    cell.get(..len).unwrap_or_default()
}

fn text(cell: &[u8]) -> Result<String, ArrowError> {
    let (characters, _) = cell.as_chunks::<4>();
    let text: Option<String> = characters
        .iter()
        .map(|bytes| char::from_u32(u32::from_le_bytes(*bytes)))
        .collect();
    let text = text.ok_or_else(|| {
        ArrowError::InvalidArgumentError("a text with what is not a valid character".to_owned())
    })?;
    Ok(text.trim_end_matches('\0').to_owned())
}

fn moment(unit: &str) -> Option<Form> {
    use Datatype as D;
    let timestamp = |unit| Some(Form::Number(DataType::Timestamp(unit, None), None));
    let other = |datatype| Some(Form::Number(DataType::Int64, Some(datatype)));
    match unit {
        "s" => timestamp(TimeUnit::Second),
        "ms" => timestamp(TimeUnit::Millisecond),
        "us" => timestamp(TimeUnit::Microsecond),
        "ns" => timestamp(TimeUnit::Nanosecond),
        "Y" => other(D::DateTimeYear),
        "M" => other(D::DateTimeMonth),
        "W" => other(D::DateTimeWeek),
        "D" => other(D::DateTimeDay),
        "h" => other(D::DateTimeHour),
        "m" => other(D::DateTimeMinute),
        "ps" => other(D::DateTimePicosecond),
        "fs" => other(D::DateTimeFemtosecond),
        "as" => other(D::DateTimeAttosecond),
        _ => None,
    }
}

fn length(unit: &str) -> Option<Form> {
    use Datatype as D;
    let duration = |unit| Some(Form::Number(DataType::Duration(unit), None));
    let other = |datatype| Some(Form::Number(DataType::Int64, Some(datatype)));
    match unit {
        "s" => duration(TimeUnit::Second),
        "ms" => duration(TimeUnit::Millisecond),
        "us" => duration(TimeUnit::Microsecond),
        "ns" => duration(TimeUnit::Nanosecond),
        "h" => other(D::TimeHour),
        "m" => other(D::TimeMinute),
        "ps" => other(D::TimePicosecond),
        "fs" => other(D::TimeFemtosecond),
        "as" => other(D::TimeAttosecond),
        _ => None,
    }
}

/// The cells of a file, as record batches.
struct Cells<R> {
    schema: SchemaRef,
    file: R,
    values: Values,
    /// Values of a cell.
    inner: usize,
    /// Cells of a batch.
    rows: usize,
    /// Cells to come.
    left: u64,
}

impl<R: Read> Cells<R> {
    fn batch(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(self.rows);
        let count = rows.saturating_mul(self.inner);
        let bytes = count.saturating_mul(self.values.size);
        let mut values = Vec::new();
        (&mut self.file)
            .take(bytes as u64)
            .read_to_end(&mut values)?;
        if values.len() != bytes {
            return Err(ArrowError::ParseError(
                "the file ends before its last cell".to_owned(),
            ));
        }
        self.left = self.left.saturating_sub(rows as u64);
        let mut array = self.values.array(values, count)?;
        if self.inner > 1 {
            let data_type = self.schema.field(0).data_type().clone();
            array = ArrayData::builder(data_type)
                .len(rows)
                .add_child_data(array)
                .build()?;
        }
        let array: ArrayRef = make_array(array);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), vec![array], &options)
    }
}

impl<R: Read> Iterator for Cells<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.left > 0).then(|| {
            let batch = self.batch();
            if batch.is_err() {
                self.left = 0;
            }
            batch
        })
    }
}

impl<R: Read> RecordBatchReader for Cells<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
