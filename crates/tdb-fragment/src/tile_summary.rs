//! Facts about a tile's cells that its stored statistics prove.

use tdb_schema::value::{Value, read};
use tdb_tile::Scalar;

use crate::TileStatistics;
use crate::trust::{Nulls, Trust};

/// The largest absolute sum that a tile's floats may reach for their stored sum to be trusted. It
/// is far below the value at which writers stop adding, and so small that no later addition could
/// bring a stopped sum back below it.
const FLOAT_LIMIT: f64 = 1e290;

/// The sum of a tile's cells, nulls excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TileSum {
    /// The sum of signed integers.
    Signed(i64),
    /// The sum of unsigned integers.
    Unsigned(u64),
    /// The sum of floats.
    Float(f64),
}

impl TileStatistics {
    /// The number of null cells of a tile; `None` if the stored count cannot be trusted.
    #[must_use]
    pub fn known_nulls(&self, tile: usize) -> Option<u64> {
        match self.nulls {
            Nulls::Never => Some(0),
            Nulls::Counted => self.null_count(tile),
            Nulls::Unknown => None,
        }
    }

    /// Returns the minimum and the maximum of a tile of `cells` cells; `None` if the stored values
    /// do not prove them. Like [`TileStatistics::bounds`], but also for floats. A zero may have
    /// either sign.
    #[must_use]
    pub fn extremes(&self, tile: usize, cells: u64) -> Option<(&[u8], &[u8])> {
        if self.datatype.is_real() && self.trust == Trust::Floats {
            self.float_sum(tile, cells)?;
            return self.min(tile).zip(self.max(tile));
        }
        self.bounds(tile, cells)
    }

    /// Returns the sum of a tile of `cells` cells; `None` if the stored sum is not proved to be
    /// exact. Writers stop adding at the limits of the type.
    #[must_use]
    pub fn known_sum(&self, tile: usize, cells: u64) -> Option<TileSum> {
        if self.datatype.is_real() {
            return self.float_sum(tile, cells).map(TileSum::Float);
        }
        let (min, max) = self.bounds(tile, cells)?;
        let sum = self.sum(tile)?.to_le_bytes();
        let cells = i128::from(cells);
        // If `cells` times the largest value fits the type, then so does every partial sum.
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

    /// Returns the sum of floats if it proves that no cell is NaN and that the writer did not stop
    /// adding.
    ///
    /// A NaN makes the sum NaN, unless the writer had stopped adding before it, at the greatest
    /// float. The values after the last NaN lie between the stored bounds; they are then too small
    /// to bring the sum back from there.
    fn float_sum(&self, tile: usize, cells: u64) -> Option<f64> {
        let (min, max) = (self.float(self.min(tile)?)?, self.float(self.max(tile)?)?);
        if self.trust != Trust::Floats || self.known_nulls(tile)? >= cells {
            return None;
        }
        let sum = f64::from_le_bytes(self.sum(tile)?.to_le_bytes());
        let most = min.abs().max(max.abs()) * cells as f64;
        let is_within = min <= max && most < FLOAT_LIMIT;
        // Each addition may round a little.
        (is_within && sum.abs() <= most * 2.0).then_some(sum)
    }

    fn whole(&self, bytes: &[u8]) -> Option<i128> {
        match read(self.datatype, bytes)?.as_ticks() {
            Value::Signed(value) => Some(value.into()),
            Value::Unsigned(value) => Some(value.into()),
            // Writers add the byte as a number, even if it is not 0 or 1.
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

    /// Returns the statistics that TileDB stores for floats in several runs: a NaN replaces the
    /// bounds of the values before it, and adding stops for the rest of a run once the sum would
    /// exceed the type.
    fn stored(runs: &[Vec<f64>]) -> TileStatistics {
        let (mut min, mut max, mut sum) = (f64::MAX, f64::MIN, 0.0_f64);
        for run in runs {
            let mut adds = true;
            for &value in run {
                // As in TileDB: a comparison with NaN is false either way.
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
