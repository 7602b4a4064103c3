//! Sort keys, and a 64-bit prefix of each.
//!
//! A prefix sorts like the cell, as far as 62 bits of its value tell; the upper two bits place NaN and null after all
//! values. Comparing prefixes as integers settles most pairs of cells without looking at columns, datatypes and
//! labels, which is why sorting and merging carry a prefix with every row. Only cells with equal prefixes are compared
//! by value.

use tdb_cells::Column;
use tdb_cells::files::read_index;
use tdb_schema::CellValNum;
use tdb_schema::value::{NOT_A_TIME, holds_bytes};
use tdb_tile::{Bug, Datatype, Scalar, with_scalar};

/// Sort key of a cell.
pub(super) enum Key<'a> {
    Value(Datatype, &'a [u8]),
    /// NaN, or a date or time with the value "not a time".
    NoNumber,
    Null,
}

impl Key<'_> {
    /// Returns the rank: values sort before NaN and null, in either direction.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Value(..) => 0,
            Self::NoNumber => 1,
            Self::Null => 2,
        }
    }

    /// Returns the prefix of the key; `None` if the cell has too few bytes.
    fn prefix(&self, descending: bool) -> Option<Prefix> {
        match self {
            Self::Value(datatype, cell) => {
                let number = if holds_bytes(*datatype) {
                    first_bytes(cell)
                } else {
                    with_scalar!(*datatype, T => T::read(cell)?.ordered()?)
                };
                Some(Prefix::of_value(number, descending))
            }
            Self::NoNumber => Some(Prefix::NO_NUMBER),
            Self::Null => Some(Prefix::NULL),
        }
    }
}

/// A cell of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColumnCell<'a> {
    pub(super) column: &'a Column,
    pub(super) row: usize,
}

pub(super) fn key_of(cell: ColumnCell<'_>) -> Key<'_> {
    let ColumnCell { column, row } = cell;
    let Some(cell) = column.cell(row).filter(|_| column.is_valid(row)) else {
        return Key::Null;
    };
    let Some(labels) = &column.enumeration else {
        let is_none = is_time(column) && cell == NOT_A_TIME.to_le_bytes();
        return if is_none || is_nan(column.datatype, cell) {
            Key::NoNumber
        } else {
            Key::Value(column.datatype, cell)
        };
    };
    let index = read_index(cell, column.datatype.is_signed());
    let label = index.and_then(|index| labels.value(usize::try_from(index).ok()?));
    // An index outside of the enumeration counts as null.
    match label {
        None => Key::Null,
        Some(_) if labels.is_ordered() => Key::Value(column.datatype, cell),
        Some(label) if is_nan(labels.datatype(), label) => Key::NoNumber,
        Some(label) => Key::Value(labels.datatype(), label),
    }
}

fn is_time(column: &Column) -> bool {
    column.datatype.is_datetime() || column.datatype.is_time()
}

fn is_nan(datatype: Datatype, cell: &[u8]) -> bool {
    datatype.is_real()
        && with_scalar!(datatype, T => T::read(cell).is_some_and(|v| v.partial_cmp(&v).is_none()))
}

/// A number per cell: the cell with the smaller number sorts first. Cells with equal numbers are compared by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Prefix(u64);

impl Prefix {
    /// The upper two bits are the rank.
    const NO_NUMBER: Self = Self(1 << 62);
    const NULL: Self = Self(2 << 62);

    fn of_value(number: u64, descending: bool) -> Self {
        let number = if descending { !number } else { number };
        Self(number >> 2)
    }
}

/// Conversion to unsigned numbers that sort like the values, most significant bits first.
trait Ordered: Scalar {
    /// Returns the number; `None` for NaN.
    fn ordered(self) -> Option<u64>;
}

macro_rules! ordered {
    ($($t:ty as $wide:ty),*) => {$(
        impl Ordered for $t {
            #[inline]
            fn ordered(self) -> Option<u64> {
                // Flipping the sign bit of signed integers makes them sort as unsigned ones; the result is moved to
                // the upper bits.
                let offset = <$wide>::from_ne_bytes(<$t>::MIN.to_ne_bytes());
                let value = <$wide>::from_ne_bytes(self.to_ne_bytes());
                Some(u64::from(value ^ offset) << (64 - <$wide>::BITS))
            }
        }
    )*};
}

ordered!(
    i8 as u8, u8 as u8, i16 as u16, u16 as u16, i32 as u32, u32 as u32, i64 as u64, u64 as u64
);

impl Ordered for f32 {
    #[inline]
    fn ordered(self) -> Option<u64> {
        f64::from(self).ordered()
    }
}

impl Ordered for f64 {
    #[inline]
    fn ordered(self) -> Option<u64> {
        // Adding 0.0 turns -0.0 into 0.0, since both zeros are equal.
        let bits = (self + 0.0).to_bits();
        let number = if bits >> 63 == 1 {
            !bits
        } else {
            bits | 1 << 63
        };
        (!self.is_nan()).then_some(number)
    }
}

/// Returns the first eight bytes of a text as a big-endian number; shorter texts are padded with zeros.
fn first_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (byte, of_text) in bytes.iter_mut().zip(text) {
        *byte = *of_text;
    }
    u64::from_be_bytes(bytes)
}

/// Calls `each` with every row and its prefix.
pub(super) fn for_each_prefix(
    column: &Column,
    descending: bool,
    rows: impl Iterator<Item = u32>,
    mut each: impl FnMut(u32, Prefix),
) -> Result<(), Bug> {
    let datatype = column.datatype;
    let is_number = column.enumeration.is_none() && !holds_bytes(datatype);
    if is_number && column.cell_val_num == CellValNum::Fixed(1) {
        return with_scalar!(datatype, T => of_numbers::<T>(column, descending, rows, each));
    }
    for row in rows {
        let key = key_of(ColumnCell {
            column,
            row: row as usize,
        });
        each(row, key.prefix(descending).ok_or_else(short)?);
    }
    Ok(())
}

fn of_numbers<T: Ordered>(
    column: &Column,
    descending: bool,
    rows: impl Iterator<Item = u32>,
    mut each: impl FnMut(u32, Prefix),
) -> Result<(), Bug> {
    // "Not a time" is the smallest integer, which maps to 0.
    let none = if is_time(column) { Some(0) } else { None };
    let values = column.values.chunks_exact(T::SIZE);
    for row in rows {
        let place = row as usize;
        let value = values.clone().nth(place).and_then(T::read);
        let number = value.ok_or_else(short)?.ordered();
        let prefix = match number {
            _ if !column.is_valid(place) => Prefix::NULL,
            None => Prefix::NO_NUMBER,
            Some(_) if number == none => Prefix::NO_NUMBER,
            Some(number) => Prefix::of_value(number, descending),
        };
        each(row, prefix);
    }
    Ok(())
}

fn short() -> Bug {
    Bug::new(
        "a column that is sorted by has fewer cells than its batch, or values that are cut short",
    )
}
