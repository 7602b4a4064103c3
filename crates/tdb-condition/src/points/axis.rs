//! Coordinates along one dimension, converted into integer keys with the same order.

use std::ops;

use bytes::Bytes;
use tdb_cells::{Column, FieldInfo, TableColumn};
use tdb_tile::{Bug, Exact, Range, Scalar, with_scalar};

use crate::ConditionError;

/// Key of a text that no point has; never a valid key, because there are fewer points.
const NO_TEXT: u64 = u64::MAX;

/// Converts coordinates along a dimension into keys: numbers directly, text by its rank among the texts of all points.
#[derive(Debug)]
pub(super) struct PointAxis {
    dimension: FieldInfo,
    /// Dimensions of text: the distinct texts of all points, in ascending order.
    texts: Option<Vec<Bytes>>,
}

impl PointAxis {
    pub(super) fn dimension(&self) -> &FieldInfo {
        &self.dimension
    }

    /// Appends the keys of some rows.
    pub(super) fn append_keys(
        &self,
        column: &TableColumn,
        rows: ops::Range<usize>,
        keys: &mut Vec<u64>,
    ) -> Result<(), Bug> {
        if let Some(texts) = &self.texts {
            for row in rows {
                let text = column.cell(row)?;
                let place = texts.binary_search_by(|other| (**other).cmp(text));
                keys.push(place.map_or(NO_TEXT, |place| place as u64));
            }
            return Ok(());
        }
        let size = column.cell_size;
        let bytes = rows.start.exact_mul(size)?..rows.end.exact_mul(size)?;
        let bytes = column
            .values
            .as_slice()
            .get(bytes)
            .ok_or_else(|| Bug::new("a dimension has fewer cells than its table"))?;
        with_scalar!(self.dimension.datatype, T => keys.extend(T::read_all(bytes).map(T::key)));
        Ok(())
    }

    /// First and last key of coordinates within `range`; `None` if no point can be in it.
    pub(super) fn key_range(&self, range: &Range) -> Result<Option<(u64, u64)>, Bug> {
        if let Some(texts) = &self.texts {
            let first = texts.partition_point(|text| **text < *range.lo);
            let behind = texts.partition_point(|text| **text <= *range.hi);
            let last = behind.checked_sub(1).filter(|last| first <= *last);
            return Ok(last.map(|last| (first as u64, last as u64)));
        }
        let keys = with_scalar!(self.dimension.datatype, T => {
            range.ends::<T>().map(|(lo, hi)| (lo.key(), hi.key()))
        })
        .ok_or_else(|| Bug::new("a range of another size than its dimension"))?;
        Ok(Some(keys))
    }

    /// Converts a point's key back into its coordinate.
    pub(super) fn coordinate(&self, key: u64) -> Option<Bytes> {
        if let Some(texts) = &self.texts {
            return texts.get(usize::try_from(key).ok()?).cloned();
        }
        let mut bytes = Vec::with_capacity(8);
        with_scalar!(self.dimension.datatype, T => T::of_key(key).write(&mut bytes));
        Some(bytes.into())
    }
}

/// Coordinates along one dimension that are still being collected.
#[derive(Debug)]
pub(super) struct GatheredAxis {
    dimension: FieldInfo,
    keys: Vec<u64>,
    texts: Vec<Bytes>,
}

impl GatheredAxis {
    pub(super) fn new(dimension: FieldInfo) -> Self {
        Self {
            dimension,
            keys: Vec::new(),
            texts: Vec::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.dimension.name
    }

    /// Bytes of memory that the rows of a column take here.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the number of points, which has been checked, fits into 32 bits"
    )]
    pub(super) fn bytes(&self, column: &Column, rows: usize) -> u64 {
        if self.dimension.cell_val_num.is_var() {
            // Each text is in the original and in the sorted list, and has a key.
            let of_row = 2 * size_of::<Bytes>() + 8;
            (rows * of_row + column.values.len()) as u64
        } else {
            (rows * 8) as u64
        }
    }

    /// Adds the rows of a column; `before` is the number of points added before, for errors.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^32 points"
    )]
    pub(super) fn add(
        &mut self,
        column: &Column,
        before: usize,
        rows: usize,
    ) -> Result<(), ConditionError> {
        let FieldInfo {
            name,
            datatype,
            cell_val_num,
            ..
        } = &self.dimension;
        if (column.datatype, column.cell_val_num) != (*datatype, *cell_val_num) {
            return Err(ConditionError::PointType {
                dimension: name.clone(),
                datatype: *datatype,
                found: column.datatype,
            });
        }
        let no_point = |row: usize, what| ConditionError::NoPoint {
            point: before as u64 + row as u64,
            dimension: name.clone(),
            what,
        };
        if let Some(row) = (0..rows).find(|row| !column.is_valid(*row)) {
            return Err(no_point(row, "null"));
        }
        let missing = || Bug::new("a column has fewer cells than its batch");
        if cell_val_num.is_var() {
            for row in 0..rows {
                let text = column.cell(row).ok_or_else(missing)?;
                self.texts.push(column.values.slice_ref(text));
            }
            return Ok(());
        }
        let cells = column
            .values
            .get(..rows.exact_mul(datatype.size())?)
            .ok_or_else(missing)?;
        with_scalar!(*datatype, T => {
            // Only NaN differs from itself.
            #[expect(clippy::eq_op, reason = "so is it told from numbers of all types")]
            let nan = T::read_all(cells).position(|value| value != value);
            if let Some(row) = nan {
                return Err(no_point(row, "NaN"));
            }
            self.keys.extend(T::read_all(cells).map(T::key));
        });
        Ok(())
    }

    /// Returns the axis, and the keys of the points along it.
    pub(super) fn finish(self) -> (PointAxis, Vec<u64>) {
        if !self.dimension.cell_val_num.is_var() {
            let axis = PointAxis {
                dimension: self.dimension,
                texts: None,
            };
            return (axis, self.keys);
        }
        let mut texts = self.texts.clone();
        texts.sort_unstable();
        texts.dedup();
        let place = |text: &Bytes| texts.binary_search(text).map_or(NO_TEXT, |at| at as u64);
        let keys = self.texts.iter().map(place).collect();
        let axis = PointAxis {
            dimension: self.dimension,
            texts: Some(texts),
        };
        (axis, keys)
    }
}

/// Conversion of numbers into keys with the same order.
trait OrderKey: Scalar {
    fn key(self) -> u64;

    /// Returns the number with this key.
    fn of_key(key: u64) -> Self;
}

/// The sign bit of a 64-bit number.
const SIGN: u64 = 1 << 63;

macro_rules! whole_keys {
    ($($t:ty, $flips:expr);*) => {$(
        #[allow(
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            trivial_numeric_casts,
            reason = "keys have the bits of a number of this type; not every type needs each cast"
        )]
        impl OrderKey for $t {
            #[inline]
            fn key(self) -> u64 {
                (self as u64) ^ $flips
            }

            fn of_key(key: u64) -> Self {
                (key ^ $flips) as $t
            }
        }
    )*};
}

whole_keys!(i8, SIGN; i16, SIGN; i32, SIGN; i64, SIGN; u8, 0; u16, 0; u32, 0; u64, 0);

impl OrderKey for f64 {
    #[inline]
    fn key(self) -> u64 {
        // Adding 0.0 turns -0.0 into 0.0, which is the same number.
        let bits = (self + 0.0).to_bits();
        if bits & SIGN == 0 { bits | SIGN } else { !bits }
    }

    fn of_key(key: u64) -> Self {
        Self::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
    }
}

impl OrderKey for f32 {
    #[inline]
    fn key(self) -> u64 {
        f64::from(self).key()
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "keys are of numbers of this type"
    )]
    fn of_key(key: u64) -> Self {
        f64::of_key(key) as Self
    }
}
