//! Converts Arrow arrays into stored values, before nulls and labels are handled.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use bytes::Bytes;
use tdb_schema::CellValNum;
use tdb_schema::value::{holds_bytes, holds_text, is_padded};
use tdb_tile::{Bug, Datatype};
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

use super::decimals::Scale;
use super::lists::Lists;
use super::numbers::{NumberConverter, shared};
use super::wrong::RowProblem;

/// The conversion of an array into cells.
#[derive(Debug)]
pub(super) enum Form {
    /// All cells are null: zeros, or empty var-sized cells.
    Nothing { size: Option<usize> },
    /// Bytes or characters, of a fixed size in bytes or of any.
    Bytes {
        size: Option<usize>,
        /// Whether shorter values are padded with NUL bytes.
        is_padded: bool,
    },
    /// Decimals as var-sized text.
    Digits(Scale),
    /// One number per cell.
    One(NumberConverter),
    /// Lists of numbers, of a fixed length or of any length.
    Many {
        numbers: NumberConverter,
        count: Option<usize>,
    },
}

/// Converted cells; those that are null may contain anything.
pub(super) struct ConvertedCells {
    pub(super) values: Bytes,
    /// Start of each var-sized cell, and the end of the last.
    pub(super) offsets: Option<Bytes>,
    pub(super) nulls: Option<NullBuffer>,
}

impl ConvertedCells {
    /// Replaces the contents of null cells by zeros, or by nothing if cells are var-sized.
    pub(super) fn blank(&mut self, nulls: &NullBuffer) -> Result<(), Bug> {
        match &self.offsets {
            None => {
                let size = self
                    .values
                    .len()
                    .checked_div(nulls.len())
                    .map_or(1, |size| size.max(1));
                let is_blank = |cell: &[u8]| cell.iter().all(|byte| *byte == 0);
                let mut cells = self.values.chunks_exact(size).zip(nulls.iter());
                if cells.all(|(cell, is_valid)| is_valid || is_blank(cell)) {
                    return Ok(());
                }
                let mut values = self.values.to_vec();
                for (cell, is_valid) in values.chunks_exact_mut(size).zip(nulls.iter()) {
                    if !is_valid {
                        cell.fill(0);
                    }
                }
                self.values = values.into();
            }
            Some(offsets) => {
                let ends = <[U64]>::ref_from_bytes(offsets)
                    .map_err(|_| Bug::new("offsets that are no whole number of them"))?;
                let starts = ends.iter().zip(ends.iter().skip(1));
                let mut cells = starts.clone().zip(nulls.iter());
                if cells.all(|((start, end), is_valid)| is_valid || start == end) {
                    return Ok(());
                }
                let (mut values, mut kept) = (Vec::new(), vec![0; 8]);
                for ((start, end), is_valid) in starts.zip(nulls.iter()) {
                    if is_valid {
                        values.extend_from_slice(within(&self.values, start.get(), end.get())?);
                    }
                    kept.extend_from_slice(&(values.len() as u64).to_le_bytes());
                }
                (self.values, self.offsets) = (values.into(), Some(kept.into()));
            }
        }
        Ok(())
    }
}

/// The bytes of a cell between two offsets.
fn within(values: &[u8], start: u64, end: u64) -> Result<&[u8], Bug> {
    let ends = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let cell = ends.and_then(|(start, end)| values.get(start..end));
    cell.ok_or_else(|| Bug::new("a cell of a column lies outside of its values"))
}

impl Form {
    /// Chooses the conversion from an Arrow type; `None` if there is none. `said` is the original datatype in the
    /// column's metadata.
    pub(super) fn of(
        data_type: &DataType,
        said: Option<Datatype>,
        datatype: Datatype,
        values: CellValNum,
    ) -> Option<Self> {
        let count = values.fixed().map(|n| n as usize);
        let size = count.map(|n| n * datatype.size());
        if *data_type == DataType::Null {
            return Some(Self::Nothing { size });
        }
        if holds_bytes(datatype) {
            let is_text = holds_text(datatype) || datatype == Datatype::Char;
            if let Some(scale) = Scale::of(data_type) {
                return (is_text && size.is_none()).then_some(Self::Digits(scale));
            }
            let is_padded = is_padded(datatype, values);
            return takes_bytes(data_type, size, is_padded)
                .then_some(Self::Bytes { size, is_padded });
        }
        let is_list = match data_type {
            DataType::FixedSizeList(_, n) => {
                count.is_none_or(|count| usize::try_from(*n) == Ok(count))
            }
            DataType::List(_) | DataType::LargeList(_) => true,
            _ => false,
        };
        match data_type {
            DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
                let numbers = NumberConverter::new(item.data_type(), said, datatype)?;
                is_list.then_some(Self::Many { numbers, count })
            }
            _ if count == Some(1) => {
                Some(Self::One(NumberConverter::new(data_type, said, datatype)?))
            }
            _ => None,
        }
    }

    pub(super) fn cells(&self, array: &ArrayRef) -> Result<ConvertedCells, RowProblem> {
        let nulls = array.logical_nulls();
        let rows = array.len();
        match self {
            Self::Nothing { size } => Ok(ConvertedCells {
                values: vec![0; rows.saturating_mul(size.unwrap_or(0))].into(),
                offsets: size
                    .is_none()
                    .then(|| vec![0; rows.saturating_add(1).saturating_mul(8)].into()),
                nulls,
            }),
            Self::Bytes {
                size: Some(size),
                is_padded,
            } => Ok(ConvertedCells {
                values: fixed_bytes(array, *size, *is_padded, nulls.as_ref())?,
                offsets: None,
                nulls,
            }),
            Self::Bytes { size: None, .. } => {
                let (values, offsets) = var_bytes(array)?;
                Ok(ConvertedCells {
                    values,
                    offsets: Some(offsets),
                    nulls,
                })
            }
            Self::Digits(scale) => {
                let (values, offsets) = scale.texts(array, nulls.as_ref())?;
                Ok(ConvertedCells {
                    values,
                    offsets: Some(offsets),
                    nulls,
                })
            }
            Self::One(numbers) => Ok(ConvertedCells {
                values: numbers.values(array, nulls.as_ref())?,
                offsets: None,
                nulls,
            }),
            Self::Many { numbers, count } => {
                let lists = Lists::of(array)?;
                let values = lists.values(numbers, nulls.as_ref())?;
                let (values, offsets) = match count {
                    Some(count) => (
                        lists.of_count(values, *count, numbers.size(), nulls.as_ref())?,
                        None,
                    ),
                    None => (values, Some(lists.byte_offsets(numbers.size()))),
                };
                Ok(ConvertedCells {
                    values,
                    offsets,
                    nulls,
                })
            }
        }
    }
}

fn takes_bytes(data_type: &DataType, size: Option<usize>, is_padded: bool) -> bool {
    use DataType as A;
    match data_type {
        A::FixedSizeBinary(n) => size.is_none_or(|size| {
            let found = usize::try_from(*n);
            found.is_ok_and(|found| found == size || is_padded && found < size)
        }),
        A::Utf8 | A::LargeUtf8 | A::Utf8View | A::Binary | A::LargeBinary | A::BinaryView => true,
        _ => false,
    }
}

/// Calls `each` with every cell of an array of texts or bytes.
fn for_each_bytes(array: &ArrayRef, mut each: impl FnMut(&[u8])) -> Result<(), RowProblem> {
    macro_rules! cells {
        ($array:expr) => {{
            let array = $array;
            // The values of null cells can be read, too.
            (0..array.len()).for_each(|row| each(array.value(row).as_ref()))
        }};
    }
    match array.data_type() {
        DataType::Utf8 => cells!(array.as_string::<i32>()),
        DataType::LargeUtf8 => cells!(array.as_string::<i64>()),
        DataType::Utf8View => cells!(array.as_string_view()),
        DataType::Binary => cells!(array.as_binary::<i32>()),
        DataType::LargeBinary => cells!(array.as_binary::<i64>()),
        DataType::BinaryView => cells!(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => cells!(array.as_fixed_size_binary()),
        other => return Err((0, format!("is {other}, which is neither text nor bytes"))),
    }
    Ok(())
}

/// Whether all texts or bytes are ASCII, ignoring nulls; `None` for other arrays.
pub(super) fn is_ascii(array: &ArrayRef) -> Option<bool> {
    let nulls = array.logical_nulls();
    let (mut row, mut all_ascii) = (0_usize, true);
    let looked = for_each_bytes(array, |cell| {
        let is_null = || nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        all_ascii &= cell.is_ascii() || is_null();
        row += 1;
    });
    looked.is_ok().then_some(all_ascii)
}

fn fixed_bytes(
    array: &ArrayRef,
    size: usize,
    is_padded: bool,
    nulls: Option<&NullBuffer>,
) -> Result<Bytes, RowProblem> {
    let (mut values, mut row, mut wrong) = (Vec::new(), 0_usize, None);
    for_each_bytes(array, |cell| {
        let end = values.len() + size;
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            values.resize(end, 0)
        } else {
            values.extend_from_slice(cell);
            if is_padded && values.len() < end {
                values.resize(end, 0);
            }
        }
        if values.len() != (row + 1) * size && wrong.is_none() {
            wrong = Some((row, format!("{} bytes, and a cell has {size}", cell.len())));
        }
        row += 1;
    })?;
    wrong.map_or(Ok(values.into()), Err)
}

/// Values and offsets; large types (64-bit offsets) are shared, not copied.
fn var_bytes(array: &ArrayRef) -> Result<(Bytes, Bytes), RowProblem> {
    let large = match array.data_type() {
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            Some((array.values(), array.offsets()))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            Some((array.values(), array.offsets()))
        }
        _ => None,
    };
    if let Some((values, offsets)) = large.filter(|(_, offsets)| offsets.first() == Some(&0)) {
        let offsets = offsets.inner().inner();
        return Ok((shared(values.clone()), shared(offsets.clone())));
    }
    let (mut values, mut offsets) = (Vec::new(), vec![0; 8]);
    for_each_bytes(array, |cell| {
        values.extend_from_slice(cell);
        offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
    })?;
    Ok((values.into(), offsets.into()))
}
