//! What cells are sorted by, and numbers that are in the same order, so that most cells are compared as numbers.

use tdb_cells::Column;
use tdb_cells::files::read_index;
use tdb_schema::CellValNum;
use tdb_schema::value::{NOT_A_TIME, holds_bytes};
use tdb_tile::{Bug, Datatype, Scalar, with_scalar};

/// What a cell is sorted by.
pub(super) enum Key<'a> {
    Value(Datatype, &'a [u8]),
    /// NaN, or a time that is none.
    NoNumber,
    Null,
}

impl Key<'_> {
    /// Values come first, in either direction.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Value(..) => 0,
            Self::NoNumber => 1,
            Self::Null => 2,
        }
    }

    /// The prefix of the cell; `None` for a value that is cut short.
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

pub(super) fn key_of((column, row): (&Column, usize)) -> Key<'_> {
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
    // An index outside of the enumeration is null.
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

/// A number for a cell: of two cells, the one with the lower number comes first. Those of the same number are compared by
/// their values.
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

/// Values as numbers in the same order, the highest bit first.
trait Ordered: Scalar {
    /// `None` for NaN.
    fn ordered(self) -> Option<u64>;
}

macro_rules! ordered {
    ($($t:ty as $wide:ty),*) => {$(
        impl Ordered for $t {
            #[inline]
            fn ordered(self) -> Option<u64> {
                // As an unsigned number in the upper bits.
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
        // The zeros are equal.
        let bits = (self + 0.0).to_bits();
        let number = if bits >> 63 == 1 {
            !bits
        } else {
            bits | 1 << 63
        };
        (!self.is_nan()).then_some(number)
    }
}

/// The first bytes of a text, as a number.
fn first_bytes(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (byte, of_text) in bytes.iter_mut().zip(text) {
        *byte = *of_text;
    }
    u64::from_be_bytes(bytes)
}

/// Calls `each` with the prefix of every one of these rows.
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
        let key = key_of((column, row as usize));
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
    // The least of all numbers is the time that is none.
    let none = if is_time(column) { Some(0) } else { None };
    for row in rows {
        let place = row as usize;
        let start = place.saturating_mul(T::SIZE);
        let value = column.values.get(start..).and_then(T::read);
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
