//! Computes tile statistics: see `docs/format/fragments.md`, "Tile statistics".
//!
//! Some statistics that TileDB stores are unreliable. tdb stores correct ones instead: minimum and maximum of floats
//! ignore NaN, text is compared as a whole, nulls are counted in every nullable field, and var-sized text in dense
//! tiles has a minimum and a maximum.

use std::ops::Range;

use bytes::Bytes;
use tdb_cells::unit_size;
use tdb_fragment::FieldStatistics;
use tdb_schema::{Field, FieldKind};
use tdb_tile::{Bug, Datatype, Exact, Scalar, with_scalar};

use crate::number::{Number, Sum};
use crate::number_statistics::NumberStatistics;
use crate::tile::Tile;

/// The kinds of statistics that the tiles of a field have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    datatype: Datatype,
    /// Bytes of a cell; `None` for var-sized cells.
    cell_size: Option<usize>,
    /// How minimum and maximum are stored.
    pub(crate) bounds: Bounds,
    pub(crate) sums: bool,
    pub(crate) counts_nulls: bool,
}

/// How the minimum and maximum of a tile are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Minimum and maximum are not stored.
    None,
    /// Minimum and maximum are stored as statistics of the tile.
    Stored,
    /// Minimum and maximum are stored as a side of the tile's MBR.
    Rectangle,
}

/// The statistics of one tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TileSummary {
    /// Minimum and maximum; `None` if all cells are null.
    pub(crate) ends: Option<(Bytes, Bytes)>,
    /// Bits of the sum, which is an `i64`, `u64` or `f64`.
    pub(crate) sum: u64,
    pub(crate) nulls: u64,
}

impl Rule {
    pub(crate) fn of(field: &Field<'_>) -> Self {
        let datatype = field.datatype;
        let is_text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
        let is_single = field.cell_val_num.fixed() == Some(1);
        let is_number = !datatype.is_string()
            && !datatype.is_byte_like()
            && !matches!(datatype, Datatype::Any | Datatype::Char);
        let bounds = match field.kind {
            FieldKind::Dimension(_) => Bounds::Rectangle,
            _ if is_text || (is_number && is_single) => Bounds::Stored,
            _ => Bounds::None,
        };
        Self {
            datatype,
            cell_size: field.cell_val_num.fixed().map(|_| unit_size(field)),
            bounds,
            sums: is_single && (is_number || datatype == Datatype::Char),
            counts_nulls: field.nullable,
        }
    }

    /// Bytes of a stored bound; `None` for var-sized fields.
    pub(crate) fn cell_size(&self) -> Option<usize> {
        self.cell_size
    }

    /// Whether a cell is a single value.
    pub(crate) fn is_number(&self) -> bool {
        self.cell_size == Some(self.datatype.size())
    }

    /// Computes the statistics of a tile.
    pub(crate) fn summarize(&self, tile: &Tile<'_>) -> Result<TileSummary, Bug> {
        let mut summary = TileSummary::default();
        if self.counts_nulls {
            let validity = tile
                .validity
                .ok_or_else(|| Bug::new("a nullable tile has no validity"))?;
            for cells in tile.written() {
                let valid = part(validity, cells)?;
                summary.nulls += valid.iter().filter(|valid| **valid == 0).count() as u64;
            }
        }
        if self.bounds == Bounds::None && !self.sums {
            return Ok(summary);
        }
        if self.is_number() {
            with_scalar!(self.datatype, T => self.numbers::<T>(tile, &mut summary)?);
        } else if self.bounds != Bounds::None {
            summary.ends = self.text(tile)?;
        }
        Ok(summary)
    }

    fn numbers<T: Number>(&self, tile: &Tile<'_>, summary: &mut TileSummary) -> Result<(), Bug> {
        let mut numbers = NumberStatistics::<T>::default();
        let mut valid_cells = 0_usize;
        for cells in tile.written() {
            let bytes = cells.start.exact_mul(T::SIZE)?..cells.end.exact_mul(T::SIZE)?;
            let values = part(tile.values, bytes)?;
            match tile.validity {
                None => {
                    valid_cells += cells.len();
                    numbers.all(values);
                }
                Some(validity) => valid_cells += numbers.valid(values, part(validity, cells)?),
            }
        }
        summary.sum = Sum::<T>::bits(numbers.sum);
        let is_whole = tile.cells as u64 == summary.nulls;
        let ends = numbers.ends(valid_cells, is_whole);
        summary.ends = ends.map(|(min, max)| (stored(min), stored(max)));
        Ok(())
    }

    /// Minimum and maximum of text, compared as unsigned bytes; `None` if all cells are null.
    fn text(&self, tile: &Tile<'_>) -> Result<Option<(Bytes, Bytes)>, Bug> {
        let mut ends: Option<(&[u8], &[u8])> = None;
        for cell in tile.written().flatten() {
            let valid = tile.validity.map(|validity| validity.get(cell));
            match valid {
                None | Some(Some(1..)) => {}
                Some(Some(0)) => continue,
                Some(None) => return Err(Bug::new("a cell of a tile has no validity")),
            }
            let value = tile.cell(cell, self.cell_size)?;
            ends = Some(match ends {
                None => (value, value),
                Some((min, max)) => (min.min(value), max.max(value)),
            });
        }
        Ok(ends.map(|(min, max)| {
            let least = tile.kept(min);
            let greatest = if max == min {
                least.clone()
            } else {
                tile.kept(max)
            };
            (least, greatest)
        }))
    }
}

/// Returns some bytes of a tile.
fn part(bytes: &[u8], range: Range<usize>) -> Result<&[u8], Bug> {
    let part = bytes.get(range);
    part.ok_or_else(|| Bug::new("a tile has fewer cells than it says"))
}

fn stored<T: Scalar>(value: T) -> Bytes {
    let mut out = Vec::with_capacity(T::SIZE);
    value.write(&mut out);
    out.into()
}

/// Combines the statistics of the tiles of a field into those of the fragment.
pub(crate) fn fold(rule: &Rule, tiles: &[TileSummary]) -> Result<FieldStatistics, Bug> {
    let mut whole = FieldStatistics {
        null_count: tiles.iter().map(|tile| tile.nulls).sum(),
        ..FieldStatistics::default()
    };
    if rule.bounds == Bounds::Rectangle || rule.is_number() {
        with_scalar!(rule.datatype, T => fold_numbers::<T>(rule, tiles, &mut whole)?);
    } else if rule.bounds == Bounds::Stored {
        let ends = || tiles.iter().filter_map(|tile| tile.ends.as_ref());
        // If all cells are null, empty bounds are stored.
        let stored = |end: Option<&Bytes>| end.map_or_else(Bytes::new, Bytes::clone);
        whole.min = stored(ends().map(|(min, _)| min).min());
        whole.max = stored(ends().map(|(_, max)| max).max());
    }
    Ok(whole)
}

fn fold_numbers<T: Number>(
    rule: &Rule,
    tiles: &[TileSummary],
    whole: &mut FieldStatistics,
) -> Result<(), Bug>
where
    T::Sum: Number + Sum<T::Sum>,
{
    if rule.sums {
        let (mut sum, mut adds) = (T::Sum::default(), true);
        for tile in tiles {
            let value = number::<T::Sum>(&tile.sum.to_le_bytes())?;
            adds = adds && Sum::<T::Sum>::add(&mut sum, value);
        }
        whole.sum = Sum::<T::Sum>::bits(sum);
    }
    if rule.bounds != Bounds::Stored {
        return Ok(());
    }
    let (mut min, mut max) = (T::HIGHEST, T::LOWEST);
    for (low, high) in tiles.iter().filter_map(|tile| tile.ends.as_ref()) {
        let (low, high) = (number(low)?, number(high)?);
        min = if low < min { low } else { min };
        max = if high > max { high } else { max };
    }
    (whole.min, whole.max) = (stored(min), stored(max));
    Ok(())
}

fn number<T: Scalar>(bytes: &[u8]) -> Result<T, Bug> {
    T::read(bytes).ok_or_else(|| Bug::new("a number of a tile is too short"))
}

#[cfg(test)]
mod tests {
    use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};

    use super::*;

    fn rule(datatype: Datatype, n: CellValNum, nullable: bool) -> Rule {
        let mut attribute = Attribute::new("a", datatype).with_cell_val_num(n);
        attribute.nullable = nullable;
        let x = Dimension::numbers("x", Datatype::Int32, (1_i32, 9), 3);
        let schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![attribute]);
        Rule::of(&schema.field_of(FieldKind::Attribute(0)).unwrap())
    }

    const ONE: CellValNum = CellValNum::Fixed(1);

    fn tile<'a>(values: &'a [u8], cells: usize, validity: Option<&'a [u8]>) -> Tile<'a> {
        Tile {
            cells,
            values,
            validity,
            ..Tile::default()
        }
    }

    fn ends<T: Scalar>(summary: &TileSummary) -> Option<(T, T)> {
        let (min, max) = summary.ends.as_ref()?;
        Some((T::read(min)?, T::read(max)?))
    }

    #[test]
    fn nan_is_neither_least_nor_greatest_unless_there_is_nothing_else() {
        let rule = rule(Datatype::Float64, ONE, false);
        let of = |values: [f64; 3]| {
            let bytes: Vec<u8> = values.into_iter().flat_map(f64::to_le_bytes).collect();
            rule.summarize(&tile(&bytes, 3, None)).unwrap()
        };
        let some = of([1.0, f64::NAN, 3.0]);
        assert_eq!(ends::<f64>(&some), Some((1.0, 3.0)));
        assert!(f64::from_bits(some.sum).is_nan());
        let infinite = of([f64::INFINITY; 3]);
        assert_eq!(ends::<f64>(&infinite), Some((f64::INFINITY, f64::INFINITY)));
        // Like TileDB: infinity exceeds the largest finite number, at which the sum stays.
        assert_eq!(f64::from_bits(infinite.sum), f64::MAX);
        let none = ends::<f64>(&of([f64::NAN; 3])).unwrap();
        assert!(none.0.is_nan() && none.1.is_nan());
    }

    #[test]
    fn sums_stop_at_the_ends_of_their_type() {
        let rule = rule(Datatype::Int64, ONE, false);
        let values = [i64::MAX, 1, -5];
        let bytes: Vec<u8> = values.into_iter().flat_map(i64::to_le_bytes).collect();
        let summary = rule.summarize(&tile(&bytes, 3, None)).unwrap();
        assert_eq!(summary.sum, i64::MAX.cast_unsigned());
        assert_eq!(ends::<i64>(&summary), Some((-5, i64::MAX)));
        let whole = fold(&rule, &[summary.clone(), summary]).unwrap();
        assert_eq!(whole.sum, i64::MAX.cast_unsigned());
    }

    #[test]
    fn nulls_count_and_have_no_bounds() {
        let rule = rule(Datatype::Int8, ONE, true);
        let some = rule
            .summarize(&tile(&[1, 100, 3], 3, Some(&[1, 0, 1])))
            .unwrap();
        assert_eq!(
            (ends::<i8>(&some), some.sum, some.nulls),
            (Some((1, 3)), 4, 1)
        );
        let none = rule.summarize(&tile(&[1, 2], 2, Some(&[0, 0]))).unwrap();
        assert_eq!((none.ends, none.sum, none.nulls), (None, 0, 2));
        // Only the middle cell was written; the values of the others do not count.
        let written = std::slice::from_ref(&(1..2));
        let partial = Tile {
            written: Some(written),
            ..tile(&[9, 5, 9], 3, Some(&[0, 0, 0]))
        };
        let partial = rule.summarize(&partial).unwrap();
        assert_eq!(
            (ends::<i8>(&partial), partial.nulls),
            (Some((127, -128)), 1)
        );
    }

    #[test]
    fn text_is_compared_whole_and_numbers_of_several_have_no_bounds() {
        let text = rule(Datatype::StringAscii, CellValNum::Var, false);
        let cells = Tile {
            starts: Some(&[0, 3, 3]),
            ..tile(b"a\0cab", 3, None)
        };
        let summary = text.summarize(&cells).unwrap();
        assert_eq!(
            summary.ends,
            Some((Bytes::new(), Bytes::from_static(b"ab")))
        );
        let pairs = rule(Datatype::Int8, CellValNum::Fixed(2), true);
        let summary = pairs
            .summarize(&tile(&[1, 2, 3, 4], 2, Some(&[1, 0])))
            .unwrap();
        assert_eq!((summary.ends, summary.sum, summary.nulls), (None, 0, 1));
    }
}
