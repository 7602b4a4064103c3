//! NumPy's `.npy`: one attribute of a box of cells.

use std::io::Write;

use tdb_cells::{Batch, FieldInfo};
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, Physical};

use crate::{BatchWriter, ConversionError};

/// The header is padded so that the values begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes one attribute of a dense array as a `.npy` file of version 1.0, in row-major order.
///
/// Dates and times become `datetime64` and `timedelta64` of their unit. Strings and bytes that all
/// have the same length become `S` (`char`, `string_ascii`, `string_utf8`), `U` (UTF-32 and UCS-4)
/// or `V` (all else). Several numbers per cell are one more axis.
#[derive(Debug)]
pub struct NpyWriter<W: Write> {
    out: W,
    field: String,
    cells: u64,
    written: u64,
}

impl<W: Write> NpyWriter<W> {
    /// Begins a file of a single field whose cells, in row-major order, fill a box of this shape.
    ///
    /// # Errors
    /// [`ConversionError::Unfit`] for several fields and for cells that vary in size; where the output fails.
    pub fn try_new(
        mut out: W,
        fields: &[FieldInfo],
        shape: &[u64],
    ) -> Result<Self, ConversionError> {
        let [field] = fields else {
            return Err(ConversionError::Unfit {
                what: format!("a .npy file holds one attribute, not {}", fields.len()),
                hint: "choose it with --attrs, and leave out the dimensions with --no-dims",
            });
        };
        if field.enumeration.is_some() {
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no place for the labels of {:?}",
                    field.name
                ),
                hint: "--enum-codes gives the indexes",
            });
        }
        let CellValNum::Fixed(values) = field.cell_val_num else {
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no place for {:?}, whose cells vary in size",
                    field.name
                ),
                hint: "the formats csv, jsonl, arrow and parquet have",
            });
        };
        let (dtype, inner) = dtype(field.datatype, values);
        let axes: Vec<u64> = shape.iter().copied().chain(inner).collect();
        out.write_all(&header(&dtype, &axes))?;
        Ok(Self {
            out,
            field: field.name.clone(),
            cells: shape
                .iter()
                .fold(1, |cells, side| cells.saturating_mul(*side)),
            written: 0,
        })
    }
}

impl<W: Write> BatchWriter for NpyWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let Some(column) = batch.columns.first() else {
            return Err(ConversionError::column(
                &self.field,
                "is missing from the result",
            ));
        };
        if let Some(null) = (0..batch.rows).find(|&cell| !column.is_valid(cell)) {
            let cell = self.written.saturating_add(null as u64);
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no nulls, and cell {cell} of {:?} is null",
                    self.field
                ),
                hint: "the formats csv, jsonl, arrow and parquet have",
            });
        }
        self.written = self.written.saturating_add(batch.rows as u64);
        Ok(self.out.write_all(&column.values)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        if self.written != self.cells {
            return Err(ConversionError::Unfit {
                what: format!("{} cells do not fill a box of {}", self.written, self.cells),
                hint: "a .npy file holds a whole box: one range per dimension, and nothing left out",
            });
        }
        Ok(self.out.flush()?)
    }
}

/// The magic bytes, version 1.0, and what NumPy must know, up to where the values begin.
fn header(dtype: &str, axes: &[u64]) -> Vec<u8> {
    let sides: String = axes.iter().map(|side| format!("{side}, ")).collect();
    // A tuple of one has a comma in Python, and no more than one may follow in others.
    let sides = match axes {
        [_] => sides.trim_end(),
        _ => sides.trim_end_matches(", "),
    };
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sides}), }}");
    let before = b"\x93NUMPY\x01\x00".len().saturating_add(2);
    let whole = before
        .saturating_add(text.len())
        .saturating_add(1)
        .next_multiple_of(ALIGNMENT);
    let len = u16::try_from(whole.saturating_sub(before)).unwrap_or(u16::MAX);

    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&len.to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.resize(whole.saturating_sub(1), b' ');
    header.push(b'\n');
    header
}

/// NumPy's name for cells of so many values, and the length of the inner axis, if there is one.
fn dtype(datatype: Datatype, values: u32) -> (String, Option<u64>) {
    use Datatype as D;
    match datatype {
        D::Char | D::StringAscii | D::StringUtf8 => (format!("|S{values}"), None),
        D::StringUtf32 | D::StringUcs4 => (format!("<U{values}"), None),
        _ if datatype.is_string() || datatype.is_byte_like() || datatype == D::Any => {
            let bytes = u64::from(values).saturating_mul(datatype.size() as u64);
            (format!("|V{bytes}"), None)
        }
        _ => (number(datatype), (values != 1).then_some(u64::from(values))),
    }
}

fn number(datatype: Datatype) -> String {
    let kind = match datatype.physical() {
        _ if datatype == Datatype::Bool => 'b',
        _ if datatype.is_datetime() => return format!("<M8[{}]", unit(datatype)),
        _ if datatype.is_time() => return format!("<m8[{}]", unit(datatype)),
        Physical::F32 | Physical::F64 => 'f',
        _ if datatype.is_signed() => 'i',
        _ => 'u',
    };
    let order = if datatype.size() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", datatype.size())
}

/// NumPy's letters for the unit of a date or time.
fn unit(datatype: Datatype) -> &'static str {
    use Datatype as D;
    match datatype {
        D::DateTimeYear => "Y",
        D::DateTimeMonth => "M",
        D::DateTimeWeek => "W",
        D::DateTimeDay => "D",
        D::DateTimeHour | D::TimeHour => "h",
        D::DateTimeMinute | D::TimeMinute => "m",
        D::DateTimeSecond | D::TimeSecond => "s",
        D::DateTimeMillisecond | D::TimeMillisecond => "ms",
        D::DateTimeMicrosecond | D::TimeMicrosecond => "us",
        D::DateTimeNanosecond | D::TimeNanosecond => "ns",
        D::DateTimePicosecond | D::TimePicosecond => "ps",
        D::DateTimeFemtosecond | D::TimeFemtosecond => "fs",
        _ => "as",
    }
}
