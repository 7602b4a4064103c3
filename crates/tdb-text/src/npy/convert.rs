//! Converts values of a file into cells of a field.

use std::collections::HashMap;

use tdb_cells::files::{
    InputError, InputPlace, Recount, indexes, labels_of, shown_type, wanted, write_float,
    write_whole,
};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::value::{NOT_A_TIME, holds_bytes};
use tdb_tile::{Bug, Datatype, Physical, Scalar};

use super::dtype::{Form, Values};

/// Number of a row with an invalid cell, and the problem.
type RowProblem = (usize, String);

/// Converts values into cells of a field.
#[derive(Debug)]
pub(super) struct CellConverter {
    values: Values,
    /// Number of values per cell.
    inner: usize,
    field: FieldInfo,
    way: Conversion,
    /// Index of each label, if the field is enumerated.
    labels: Option<HashMap<Vec<u8>, Vec<u8>>>,
}

#[derive(Clone, Copy, Debug)]
enum Conversion {
    /// The bytes stay the same.
    Same,
    /// Any byte but 0 is true.
    Bool,
    /// The value is converted, if that loses nothing.
    Value,
    /// Dates and times are converted between units.
    Recount(Recount),
    /// Bytes or characters, of a fixed size in bytes or of any.
    Bytes { size: Option<usize> },
}

impl CellConverter {
    /// # Errors
    /// [`InputError::Column`] if the field cannot take values of this type.
    pub(super) fn try_new(
        values: Values,
        inner: u32,
        field: &FieldInfo,
    ) -> Result<Self, InputError> {
        let way = Conversion::of(&values, inner, field).ok_or_else(|| {
            let what = format!("it holds {values}, and the field takes {}", wanted(field));
            InputError::column(&field.name, what)
        })?;
        Ok(Self {
            values,
            inner: inner as usize,
            field: field.clone(),
            way,
            labels: labels_of(field).map(|labels| indexes(labels, field.datatype)),
        })
    }

    /// Size of a cell in the file, in bytes.
    pub(super) fn cell_size(&self) -> usize {
        // Clamped: a file that says this is shorter than such a cell.
        self.values.size.saturating_mul(self.inner)
    }

    /// Converts the bytes of `rows` cells; `first` is the number of the first one in the file, for errors.
    pub(super) fn column(
        &self,
        bytes: Vec<u8>,
        rows: usize,
        first: u64,
    ) -> Result<Column, InputError> {
        let cells = self
            .cells(bytes, rows)
            .map_err(|wrong| self.fail(first, wrong))?;
        match &self.labels {
            Some(labels) => self.indexes(&cells, rows, labels, first),
            None => Ok(cells),
        }
    }

    fn fail(&self, first: u64, (row, what): RowProblem) -> InputError {
        InputError::Cell {
            field: self.field.name.clone(),
            place: InputPlace::Row(first + row as u64),
            what,
            hint: None,
        }
    }

    /// Converts into cells of the type shown in files: labels if the field is enumerated.
    fn cells(&self, mut bytes: Vec<u8>, rows: usize) -> Result<Column, RowProblem> {
        self.values.in_order(&mut bytes);
        if let Some(hours) = self.values.hours {
            self.count_hours(&mut bytes, hours)?;
        }
        let (datatype, cell_val_num) = shown_type(&self.field);
        let is_var = cell_val_num.is_var();
        let (values, offsets) = match self.way {
            Conversion::Bytes { size } => self.bytes(&bytes, size)?,
            way => {
                let values = self.numbers(way, bytes, datatype)?;
                let size = self.inner * datatype.size();
                let count = if is_var { rows + 1 } else { 0 };
                let starts = (0..count).map(|row| (row * size) as u64);
                (values, starts.flat_map(u64::to_le_bytes).collect())
            }
        };
        Ok(Column {
            name: self.field.name.clone(),
            datatype,
            cell_val_num,
            nullable: self.field.nullable,
            values: values.into(),
            offsets: is_var.then(|| offsets.into()),
            validity: None,
            enumeration: None,
        })
    }

    /// Converts times into hours, from a unit of `hours` hours.
    ///
    /// There are values only where a cell has some, so that their number is not 0.
    fn count_hours(&self, bytes: &mut [u8], hours: i64) -> Result<(), RowProblem> {
        for (at, value) in bytes
            .as_chunks_mut::<{ i64::SIZE }>()
            .0
            .iter_mut()
            .enumerate()
        {
            let ticks = i64::from_le_bytes(*value);
            if ticks == NOT_A_TIME {
                continue;
            }
            let counted = ticks.checked_mul(hours).ok_or_else(|| {
                let row = at / self.inner;
                (
                    row,
                    format!("{ticks} is too long a time for hours of 64 bits"),
                )
            })?;
            *value = counted.to_le_bytes();
        }
        Ok(())
    }

    /// Converts numbers into a datatype; fails if one does not fit.
    fn numbers(
        &self,
        way: Conversion,
        bytes: Vec<u8>,
        datatype: Datatype,
    ) -> Result<Vec<u8>, RowProblem> {
        let convert = |value: &[u8], out: &mut Vec<u8>| match way {
            Conversion::Recount(recount) => self.recount(value, recount, datatype, out),
            _ => match number(self.values.form, value) {
                Some(Number::Whole(value)) => write_whole(value, datatype, out),
                Some(Number::Float(value)) => write_float(value, datatype, out),
                None => Err("is no number".to_owned()),
            },
        };
        match way {
            Conversion::Same => return Ok(bytes),
            Conversion::Bool => return Ok(bytes.iter().map(|byte| u8::from(*byte != 0)).collect()),
            _ => {}
        }
        let mut out = Vec::new();
        for (at, value) in bytes.chunks_exact(self.values.size).enumerate() {
            convert(value, &mut out).map_err(|what| (at / self.inner, what))?;
        }
        Ok(out)
    }

    fn recount(
        &self,
        value: &[u8],
        recount: Recount,
        datatype: Datatype,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let value = i64::read(value).ok_or("is no number of eight bytes")?;
        let ticks = recount.ticks(value).ok_or_else(|| match self.values.form {
            Form::Number(from) => format!("{value} of {from} is not a whole number of {datatype}"),
            _ => format!("{value} is not a whole number of {datatype}"),
        })?;
        ticks.write(out);
        Ok(())
    }

    /// Converts texts or bytes; returns the values and the offsets, including the end.
    fn bytes(&self, bytes: &[u8], size: Option<usize>) -> Result<(Vec<u8>, Vec<u8>), RowProblem> {
        let (mut values, mut offsets) = (Vec::new(), vec![0; 8]);
        for (row, cell) in bytes.chunks_exact(self.values.size).enumerate() {
            let start = values.len();
            match self.values.form {
                Form::Characters => {
                    values.extend_from_slice(text(cell).map_err(|what| (row, what))?.as_bytes());
                }
                Form::Bytes => values.extend_from_slice(trimmed(cell)),
                _ => values.extend_from_slice(cell),
            }
            let len = values.len() - start;
            if let Some(size) = size.filter(|size| *size != len) {
                return Err((row, format!("{len} bytes, and a cell has {size}")));
            }
            offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
        }
        Ok((values, offsets))
    }

    /// Replaces labels by their indexes.
    fn indexes(
        &self,
        cells: &Column,
        rows: usize,
        labels: &HashMap<Vec<u8>, Vec<u8>>,
        first: u64,
    ) -> Result<Column, InputError> {
        let mut values = Vec::new();
        for row in 0..rows {
            let label = cells
                .cell(row)
                .ok_or_else(|| Bug::new("a file has fewer cells than were read"))?;
            let Some(index) = labels.get(label) else {
                let name = labels_of(&self.field).map_or("", |labels| labels.name());
                let label = String::from_utf8_lossy(label);
                let what = format!("{label:?} is not a label of enumeration {name:?}");
                return Err(self.fail(first, (row, what)));
            };
            values.extend_from_slice(index);
        }
        Ok(Column {
            datatype: self.field.datatype,
            cell_val_num: self.field.cell_val_num,
            values: values.into(),
            offsets: None,
            ..cells.clone()
        })
    }
}

impl Conversion {
    /// Chooses the conversion; `None` if the field cannot take these values.
    fn of(values: &Values, inner: u32, field: &FieldInfo) -> Option<Self> {
        let (datatype, cell_val_num) = shown_type(field);
        let count = cell_val_num.fixed();
        if holds_bytes(datatype) {
            let size = count.map(|n| datatype.size() * n as usize);
            let fits = match values.form {
                Form::Bytes | Form::Characters => true,
                Form::Raw => size.is_none_or(|size| size == values.size),
                Form::Number(_) | Form::Half | Form::Bool => false,
            };
            return (fits && inner == 1).then_some(Self::Bytes { size });
        }
        let fits = match inner {
            1 => count == Some(1),
            inner => count.is_none_or(|count| count == inner),
        };
        Self::of_numbers(values.form, datatype).filter(|_| fits)
    }

    fn of_numbers(form: Form, to: Datatype) -> Option<Self> {
        let is_number = to != Datatype::Bool && (to.is_integer() || to.is_real());
        let is_ticks = to.is_datetime() || to.is_time();
        let from = match form {
            Form::Number(from) => from,
            Form::Half => return is_number.then_some(Self::Value),
            Form::Bool => return (to == Datatype::Bool).then_some(Self::Bool),
            Form::Bytes | Form::Characters | Form::Raw => return None,
        };
        let by_value = if from.physical() == to.physical() {
            Self::Same
        } else {
            Self::Value
        };
        if !(from.is_datetime() || from.is_time()) {
            let fits = is_number || is_ticks && from.is_integer();
            return fits.then_some(by_value);
        }
        match is_ticks {
            true if from == to => Some(Self::Same),
            true => Recount::between(from, to).map(Self::Recount),
            // Ticks of common units must be dates or times; ticks of other units may also become numbers.
            false => (is_number && !is_common(from)).then_some(by_value),
        }
    }
}

/// Whether ticks are seconds, or common fractions of a second.
fn is_common(datatype: Datatype) -> bool {
    use Datatype as D;
    matches!(
        datatype,
        D::DateTimeSecond | D::DateTimeMillisecond | D::DateTimeMicrosecond | D::DateTimeNanosecond
    ) || matches!(
        datatype,
        D::TimeSecond | D::TimeMillisecond | D::TimeMicrosecond | D::TimeNanosecond
    )
}

/// A number of a file.
enum Number {
    Whole(i128),
    Float(f64),
}

fn number(form: Form, bytes: &[u8]) -> Option<Number> {
    let datatype = match form {
        Form::Number(datatype) => datatype,
        _ => return bytes.first_chunk().copied().map(half).map(Number::Float),
    };
    macro_rules! whole {
        ($t:ty) => {
            <$t>::read(bytes).map(|value| Number::Whole(value.into()))
        };
    }
    match datatype.physical() {
        Physical::I8 => whole!(i8),
        Physical::I16 => whole!(i16),
        Physical::I32 => whole!(i32),
        Physical::I64 => whole!(i64),
        Physical::U8 => whole!(u8),
        Physical::U16 => whole!(u16),
        Physical::U32 => whole!(u32),
        Physical::U64 => whole!(u64),
        Physical::F32 => f32::read(bytes).map(|value| Number::Float(value.into())),
        Physical::F64 => f64::read(bytes).map(Number::Float),
    }
}

/// Converts a 16-bit float: sign, five bits of exponent, ten bits of fraction.
fn half(bytes: [u8; 2]) -> f64 {
    let bits = u16::from_le_bytes(bytes);
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// The bytes before the trailing zeros.
fn trimmed(cell: &[u8]) -> &[u8] {
    let last = cell.iter().rposition(|byte| *byte != 0);
    // `None` if all bytes are zero.
    last.and_then(|last| cell.get(..=last)).unwrap_or(&[])
}

/// Decodes characters of four bytes each, up to the trailing zeros.
fn text(cell: &[u8]) -> Result<String, String> {
    let (characters, _) = cell.as_chunks::<4>();
    let text = characters
        .iter()
        .map(|bytes| char::from_u32(u32::from_le_bytes(*bytes)))
        .collect::<Option<String>>()
        .ok_or("a text with what is not a valid character")?;
    Ok(text.trim_end_matches('\0').to_owned())
}
