//! What the stored statistics of a tile prove about its cells.

use tdb_schema::value::{Value, read};
use tdb_tile::Scalar;

use crate::TileStatistics;
use crate::trust::{Nulls, Trust};

/// What floats of a tile may come to at most for their stored sum to be believed: far below where writers stop adding,
/// and so little that nothing brings a sum that has stopped there back below it.
const FLOAT_LIMIT: f64 = 1e290;

/// The sum of the cells of a tile that are not null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TileSum {
    /// Of integers with a sign.
    Signed(i64),
    /// Of integers without one.
    Unsigned(u64),
    /// Of floats.
    Float(f64),
}

impl TileStatistics {
    /// How many cells of a tile are null, where what is stored can be relied on.
    #[must_use]
    pub fn known_nulls(&self, tile: usize) -> Option<u64> {
        match self.nulls {
            Nulls::Never => Some(0),
            Nulls::Counted => self.null_count(tile),
            Nulls::Unknown => None,
        }
    }

    /// The least and the greatest value of a tile of so many cells, where what is stored proves them: as
    /// [`TileStatistics::bounds`], also of floats. A zero may be of either sign.
    #[must_use]
    pub fn extremes(&self, tile: usize, cells: u64) -> Option<(&[u8], &[u8])> {
        if self.datatype.is_real() && self.trust == Trust::Floats {
            self.float_sum(tile, cells)?;
            return self.min(tile).zip(self.max(tile));
        }
        self.bounds(tile, cells)
    }

    /// The sum of a tile of so many cells, where what is stored proves it: writers stop adding at the end of the type.
    #[must_use]
    pub fn known_sum(&self, tile: usize, cells: u64) -> Option<TileSum> {
        if self.datatype.is_real() {
            return self.float_sum(tile, cells).map(TileSum::Float);
        }
        let (min, max) = self.bounds(tile, cells)?;
        let sum = self.sum(tile)?.to_le_bytes();
        let cells = i128::from(cells);
        // Where all cells together stay within the type, no part of them leaves it.
        let fits = |limit: i128, end: i128| end.checked_mul(cells).is_some_and(|all| all <= limit);
        if self.datatype.is_signed() {
            let ends = (self.whole(min)?, self.whole(max)?);
            let limit = i128::from(i64::MAX);
            let is_known = fits(limit, ends.0.checked_abs()?) && fits(limit, ends.1.checked_abs()?);
            return is_known.then(|| TileSum::Signed(i64::from_le_bytes(sum)));
        }
        let is_known = fits(i128::from(u64::MAX), self.whole(max)?);
        is_known.then(|| TileSum::Unsigned(u64::from_le_bytes(sum)))
    }

    /// The sum of floats, where it proves that there is no NaN among them and that it is no place where writers stopped.
    ///
    /// A NaN makes the sum NaN, unless the writer had stopped adding before it, at the greatest float. What comes after the
    /// last NaN lies between the stored ends, which are then too small to take the sum back from there.
    fn float_sum(&self, tile: usize, cells: u64) -> Option<f64> {
        let (min, max) = (self.float(self.min(tile)?)?, self.float(self.max(tile)?)?);
        if self.trust != Trust::Floats || self.known_nulls(tile)? >= cells {
            return None;
        }
        let sum = f64::from_le_bytes(self.sum(tile)?.to_le_bytes());
        let most = min.abs().max(max.abs()) * cells as f64;
        let is_within = min <= max && most < FLOAT_LIMIT;
        // Each addition rounds a little.
        (is_within && sum.abs() <= most * 2.0).then_some(sum)
    }

    fn whole(&self, bytes: &[u8]) -> Option<i128> {
        match read(self.datatype, bytes)?.as_ticks() {
            Value::Signed(value) => Some(value.into()),
            Value::Unsigned(value) => Some(value.into()),
            // Writers add what stands in the byte.
            Value::Bool(_) => Some((*bytes.first()?).into()),
            _ => None,
        }
    }

    fn float(&self, bytes: &[u8]) -> Option<f64> {
        match bytes.len() {
            4 => Some(f32::read(bytes)?.into()),
            _ => f64::read(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use tdb_tile::{Datatype, U64Column};

    use super::*;
    use crate::TileBounds;

    fn statistics(datatype: Datatype, ends: [&[u8]; 2], sum: u64) -> TileStatistics {
        let [mins, maxs] = ends.map(|end| TileBounds {
            fixed: Bytes::copy_from_slice(end),
            var: Bytes::new(),
        });
        let trust = if datatype.is_real() {
            Trust::Floats
        } else {
            Trust::Full
        };
        TileStatistics {
            mins,
            maxs,
            sums: U64Column::new(sum.to_le_bytes().to_vec().into()).unwrap(),
            null_counts: U64Column::default(),
            datatype,
            cell_size: Some(8),
            trust,
            nulls: Nulls::Never,
        }
    }

    /// What TileDB stores of floats that come in several runs: a NaN takes the place of what came before, and a run ends where
    /// adding goes beyond the type.
    fn stored(runs: &[Vec<f64>]) -> TileStatistics {
        let (mut min, mut max, mut sum) = (f64::MAX, f64::MIN, 0.0_f64);
        for run in runs {
            let mut adds = true;
            for &value in run {
                // As written there: a comparison with a NaN fails either way.
                min = if min < value { min } else { value };
                max = if max > value { max } else { value };
                let goes_on = (sum < 0.0) == (value < 0.0) && sum.abs() > f64::MAX - value.abs();
                if adds && goes_on {
                    (sum, adds) = (f64::MAX.copysign(sum), false);
                } else if adds {
                    sum += value;
                }
            }
        }
        statistics(
            Datatype::Float64,
            [&min.to_le_bytes(), &max.to_le_bytes()],
            sum.to_bits(),
        )
    }

    proptest! {
        #[test]
        fn what_floats_are_told_to_come_to_they_do(
            runs in prop::collection::vec(prop::collection::vec(prop_oneof![
                6 => -9.0..9.0_f64,
                1 => prop::sample::select(vec![
                    f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e300, -1e300, 0.0, -0.0,
                ]),
            ], 1..5), 1..4)
        ) {
            let all: Vec<f64> = runs.iter().flatten().copied().collect();
            let statistics = stored(&runs);
            let cells = all.len() as u64;
            let is_plain = all.iter().all(|value| value.abs() < 1e280);
            prop_assert_eq!(statistics.known_sum(0, cells).is_some(), is_plain);
            if let Some((least, greatest)) = statistics.extremes(0, cells) {
                prop_assert_eq!(f64::read(least), all.iter().copied().reduce(f64::min));
                prop_assert_eq!(f64::read(greatest), all.iter().copied().reduce(f64::max));
            }
            if let Some(TileSum::Float(sum)) = statistics.known_sum(0, cells) {
                prop_assert!((sum - all.iter().sum::<f64>()).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn sums_of_integers_are_known_where_no_part_of_them_can_leave_the_type() {
        let known = |min: i64, max: i64, cells| {
            let ends = [min.to_le_bytes(), max.to_le_bytes()];
            let statistics = statistics(Datatype::Int64, [&ends[0], &ends[1]], 7);
            statistics.known_sum(0, cells)
        };
        assert_eq!(known(-5, i64::MAX / 4, 4), Some(TileSum::Signed(7)));
        assert_eq!(known(-5, i64::MAX / 4 + 1, 4), None);
        assert_eq!(known(i64::MIN, 0, 1), None);
    }
}
