//! Sorts rows by numbers.
//!
//! For each row, as many leading bits of its number as fit are packed together with the row's index into 64 bits.
//! Sorting these integers touches no other memory, unlike sorting indexes by numbers stored elsewhere. Most numbers
//! fit completely, because they are counted from the least one and so need few bits. If they do not fit, or do not
//! determine the order completely, each run of rows that came out equal is sorted again, by the remaining bits or by
//! the cells.

use std::cmp::Ordering;
use std::ops::Range;

use tdb_tile::Bug;

use crate::sorted::{SortedRows, equal_runs, mark_repeats, parts};
use crate::{Row, RowList, threads};

/// Compares two rows whose numbers are equal.
pub type Compare<'a> = Box<dyn Fn(Row, Row) -> Ordering + Send + Sync + 'a>;

/// Number of rows per task; from this number on, rows are compared on all threads.
pub(crate) const PARALLEL: usize = 1 << 15;

/// Maximum length of a run of equal rows that is sorted by comparing instead of packing again.
const FEW: usize = 64;

/// Numbers of 64 or 128 bits.
pub(crate) trait Number: Copy + Ord + Send + Sync {
    /// Number of bits needed for the difference to `least`, which is at most `self`.
    fn bits_from(self, least: Self) -> u32;

    /// Returns the difference to `least`, which is at most `self`, without its last `left_out` bits; at most 64 bits
    /// must remain.
    fn leading(self, least: Self, left_out: u32) -> u64;

    /// Like [`Packing::pack_all`], for all rows; reuses the memory of `keys` if they have 64 bits.
    fn pack_own(
        keys: Vec<Self>,
        packing: &Packing<Self>,
        rows: impl RowList,
    ) -> Result<Vec<u64>, Bug>;
}

impl Number for u64 {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the least number is not greater, and no more bits are zero than there are"
    )]
    fn bits_from(self, least: Self) -> u32 {
        Self::BITS - (self - least).leading_zeros()
    }

    fn leading(self, least: Self, left_out: u32) -> u64 {
        self.wrapping_sub(least).unbounded_shr(left_out)
    }

    fn pack_own(
        mut keys: Vec<Self>,
        packing: &Packing<Self>,
        rows: impl RowList,
    ) -> Result<Vec<u64>, Bug> {
        let parts = keys.chunks_mut(PARALLEL).zip(rows.parts(PARALLEL));
        threads::for_each(parts.collect(), |(keys, rows)| {
            for (key, row) in keys.iter_mut().zip(rows.rows()) {
                *key = packing.pack(*key, row);
            }
            Ok::<_, Bug>(())
        })?;
        Ok(keys)
    }
}

impl Number for u128 {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the least number is not greater, and no more bits are zero than there are"
    )]
    fn bits_from(self, least: Self) -> u32 {
        Self::BITS - (self - least).leading_zeros()
    }

    #[expect(clippy::cast_possible_truncation, reason = "64 bits are left at most")]
    fn leading(self, least: Self, left_out: u32) -> u64 {
        self.wrapping_sub(least).unbounded_shr(left_out) as u64
    }

    fn pack_own(
        keys: Vec<Self>,
        packing: &Packing<Self>,
        rows: impl RowList,
    ) -> Result<Vec<u64>, Bug> {
        packing.pack_all(&keys, rows)
    }
}

/// The least and the greatest number of some rows, and the index of the last row.
#[derive(Clone, Copy)]
struct Bounds<K> {
    least: K,
    most: K,
    last: usize,
}

impl<K: Number> Bounds<K> {
    fn of(keys: &[K], rows: impl Iterator<Item = Row>) -> Result<Option<Self>, Bug> {
        let mut bounds: Option<Self> = None;
        for row in rows {
            let key = key_of(keys, row)?;
            let one = Self {
                least: key,
                most: key,
                last: row.index(),
            };
            bounds = Some(bounds.map_or(one, |bounds| bounds.and(one)));
        }
        Ok(bounds)
    }

    fn and(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            last: self.last.max(other.last),
        }
    }
}

/// How numbers and row indexes share 64 bits: the leading bits of a number, then `row_bits` of the index.
pub(crate) struct Packing<K> {
    least: K,
    /// Number of low bits of the numbers that do not fit.
    left_out: u32,
    row_bits: u32,
}

impl<K: Number> Packing<K> {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "no more bits are zero than there are, and an index has at most 64"
    )]
    fn of(keys: &[K], rows: impl RowList) -> Result<Option<Self>, Bug> {
        let parts = threads::map(rows.parts(PARALLEL), |part| Bounds::of(keys, part.rows()))?;
        let bounds = parts.into_iter().flatten().reduce(Bounds::and);
        Ok(bounds.map(|bounds| {
            let Bounds { least, most, last } = bounds;
            let row_bits = usize::BITS - last.leading_zeros();
            let room = u64::BITS - row_bits;
            Self {
                least,
                // Nothing is left out where there is room for all.
                left_out: most.bits_from(least).saturating_sub(room),
                row_bits,
            }
        }))
    }

    fn pack(&self, key: K, row: Row) -> u64 {
        let leading = key.leading(self.least, self.left_out);
        leading.unbounded_shl(self.row_bits) | row.index() as u64
    }

    fn row(&self, packed: u64) -> Row {
        let mask = u64::MAX.unbounded_shl(self.row_bits);
        Row::packed(packed & !mask)
    }

    /// Packs the numbers of all rows, each with the row's index.
    fn pack_all(&self, keys: &[K], rows: impl RowList) -> Result<Vec<u64>, Bug> {
        let mut packed = vec![0_u64; rows.count()];
        let places = packed.chunks_mut(PARALLEL);
        threads::for_each(
            places.zip(rows.parts(PARALLEL)).collect(),
            |(places, rows)| {
                for (place, row) in places.iter_mut().zip(rows.rows()) {
                    *place = self.pack(key_of(keys, row)?, row);
                }
                Ok(())
            },
        )?;
        Ok(packed)
    }

    /// Extracts the rows from sorted packed numbers; two rows are equal if only their row bits differ.
    fn unpack_all(&self, packed: &[u64]) -> Result<SortedRows, Bug> {
        let mut rows = vec![Row::within(0); packed.len()];
        let mut repeats = vec![false; packed.len()];
        let places = rows.chunks_mut(PARALLEL).zip(repeats.chunks_mut(PARALLEL));
        let tasks = places.zip((0..packed.len()).step_by(PARALLEL));
        threads::for_each(tasks.collect(), |((rows, repeats), start)| {
            let own = packed
                .get(start..)
                .ok_or_else(|| Bug::new("sorted rows that are not there"))?;
            for (row, packed) in rows.iter_mut().zip(own) {
                *row = self.row(*packed);
            }
            mark_repeats(own, repeats, |a, b| self.are_equal(a, b));
            let before = start.checked_sub(1).and_then(|last| packed.get(last));
            if let (Some(before), Some(first), [repeats, ..]) = (before, own.first(), repeats) {
                *repeats = self.are_equal(*before, *first);
            }
            Ok::<_, Bug>(())
        })?;
        SortedRows::new(rows, repeats)
    }

    fn are_equal(&self, a: u64, b: u64) -> bool {
        (a ^ b).unbounded_shr(self.row_bits) == 0
    }
}

fn key_of<K: Copy>(keys: &[K], row: Row) -> Result<K, Bug> {
    let key = keys.get(row.index());
    key.copied()
        .ok_or_else(|| Bug::new("a row that is sorted has no key"))
}

/// Sorts rows, which must ascend, by their numbers and then by `compare`; equal rows keep their order.
///
/// # Errors
/// A row has no number.
pub(crate) fn by_numbers<K: Number>(
    keys: Vec<K>,
    compare: Option<&Compare<'_>>,
    rows: impl RowList,
) -> Result<SortedRows, Bug> {
    let Some(packing) = Packing::of(&keys, rows)? else {
        return Ok(SortedRows::default());
    };
    if packing.left_out > 0 || compare.is_some() {
        return by_parts(&keys, &packing, compare, rows);
    }
    // The packed numbers determine the order, so the original ones need not be kept.
    let mut packed = if rows.are_all(keys.len()) {
        K::pack_own(keys, &packing, rows)?
    } else {
        let packed = packing.pack_all(&keys, rows)?;
        drop(keys);
        packed
    };
    threads::sort(&mut packed)?;
    packing.unpack_all(&packed)
}

/// Like [`by_numbers`], for rows that may differ although their packed numbers are equal.
fn by_parts<K: Number>(
    keys: &[K],
    packing: &Packing<K>,
    compare: Option<&Compare<'_>>,
    rows: impl RowList,
) -> Result<SortedRows, Bug> {
    let mut packed = packing.pack_all(keys, rows)?;
    // Merging presorted runs would be slower for a hundred or more of them, and need extra memory.
    threads::sort(&mut packed)?;
    let sorted = packing.unpack_all(&packed)?;
    drop(packed);
    let says_all = packing.left_out == 0 && compare.is_none();
    if says_all || sorted.are_distinct() {
        return Ok(sorted);
    }
    let (mut rows, mut repeats) = sorted.into_parts();
    threads::for_each(parts(&mut rows, &mut repeats), |(rows, repeats)| {
        let equal: Vec<Range<usize>> = equal_runs(repeats).collect();
        for equal in equal {
            let part = rows.get_mut(equal.clone()).zip(repeats.get_mut(equal));
            let (rows, repeats) = part.ok_or_else(|| Bug::new("sorted rows that are not there"))?;
            sort_equal(keys, compare, packing.left_out > 0, rows, repeats)?;
        }
        Ok::<_, Bug>(())
    })?;
    SortedRows::new(rows, repeats)
}

/// Sorts rows whose leading bits are equal, and records for each whether it is equal to the one before it.
fn sort_equal<K: Number>(
    keys: &[K],
    compare: Option<&Compare<'_>>,
    differ_in_numbers: bool,
    rows: &mut [Row],
    repeats: &mut [bool],
) -> Result<(), Bug> {
    if differ_in_numbers && rows.len() > FEW {
        // Packing again leaves out the bits that all of these have in common.
        let Some(packing) = Packing::of(keys, &*rows)? else {
            return Ok(());
        };
        let (sorted, found) = by_parts(keys, &packing, compare, &*rows)?.into_parts();
        rows.copy_from_slice(&sorted);
        repeats.copy_from_slice(&found);
        return Ok(());
    }
    let by_cell = |a: &Row, b: &Row| {
        let by_number = keys.get(a.index()).cmp(&keys.get(b.index()));
        by_number.then_with(|| compare.map_or(Ordering::Equal, |compare| compare(*a, *b)))
    };
    if rows.len() < PARALLEL {
        rows.sort_by(by_cell);
    } else {
        threads::sort_by(rows, by_cell);
    }
    mark_repeats(rows, repeats, |a, b| by_cell(&a, &b).is_eq());
    Ok(())
}
