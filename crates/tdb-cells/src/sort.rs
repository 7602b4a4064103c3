//! Sorts rows by numbers.
//!
//! Of each row, as many of the leading bits of its number as fit are put beside the row's own number into 64 bits, and these are
//! sorted: nothing else is touched by that. Most numbers fit whole. Where they do not, or do not say it all, rows that are equal in
//! what was sorted are sorted once more, by what is left. Numbers are counted from the least of them, so that few bits are needed.

use std::cmp::Ordering;
use std::ops::Range;

use tdb_tile::Bug;

use crate::{Row, threads};

/// How two rows of equal numbers compare.
pub type Compare<'a> = Box<dyn Fn(Row, Row) -> Ordering + Send + Sync + 'a>;

/// Rows in order.
#[derive(Debug, Default)]
pub struct Sorted {
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether no two of them are equal.
    pub are_distinct: bool,
}

/// Rows from which sorting is shared among threads.
pub(crate) const PARALLEL: usize = 1 << 15;

/// Rows that are equal in what was sorted, up to which these are compared with each other.
const FEW: usize = 64;

/// Numbers of 64 or 128 bits.
pub(crate) trait Number: Copy + Ord + Send + Sync {
    /// How many bits it takes to tell it from `least`, which is no greater.
    fn bits_from(self, least: Self) -> u32;

    /// How far it is from `least`, without the last `left_out` bits, of which 64 are left at most.
    fn leading(self, least: Self, left_out: u32) -> u64;
}

impl Number for u64 {
    fn bits_from(self, least: Self) -> u32 {
        Self::BITS.saturating_sub(self.wrapping_sub(least).leading_zeros())
    }

    fn leading(self, least: Self, left_out: u32) -> u64 {
        self.wrapping_sub(least).unbounded_shr(left_out)
    }
}

impl Number for u128 {
    fn bits_from(self, least: Self) -> u32 {
        Self::BITS.saturating_sub(self.wrapping_sub(least).leading_zeros())
    }

    #[expect(clippy::cast_possible_truncation, reason = "64 bits are left at most")]
    fn leading(self, least: Self, left_out: u32) -> u64 {
        self.wrapping_sub(least).unbounded_shr(left_out) as u64
    }
}

/// How the numbers of some rows and the rows' own numbers share 64 bits.
struct Packing<K> {
    least: K,
    /// Bits at the end of the numbers that are left out.
    left_out: u32,
    row_bits: u32,
}

impl<K: Number> Packing<K> {
    fn of(keys: &[K], rows: impl Iterator<Item = Row>) -> Result<Option<Self>, Bug> {
        let mut bounds: Option<(K, K, usize)> = None;
        for row in rows {
            let key = key_of(keys, row)?;
            let (least, most, last) = bounds.unwrap_or((key, key, 0));
            bounds = Some((least.min(key), most.max(key), last.max(row.index())));
        }
        Ok(bounds.map(|(least, most, last)| {
            let row_bits = usize::BITS.saturating_sub(last.leading_zeros());
            let room = u64::BITS.saturating_sub(row_bits);
            Self {
                least,
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

    fn are_equal(&self, a: u64, b: u64) -> bool {
        (a ^ b).unbounded_shr(self.row_bits) == 0
    }
}

fn key_of<K: Copy>(keys: &[K], row: Row) -> Result<K, Bug> {
    let key = keys.get(row.index());
    key.copied()
        .ok_or_else(|| Bug::new("a row that is sorted has no key"))
}

/// Sorts rows, which come in ascending order, by their numbers and then as `compare` says; equal ones stay in their order.
///
/// # Errors
/// A row without a number.
pub(crate) fn by_numbers<K: Number>(
    keys: &[K],
    compare: Option<&Compare<'_>>,
    rows: impl ExactSizeIterator<Item = Row> + Clone,
) -> Result<Sorted, Bug> {
    let Some(packing) = Packing::of(keys, rows.clone())? else {
        return Ok(Sorted::default());
    };
    let mut packed: Vec<u64> = Vec::with_capacity(rows.len());
    for row in rows {
        packed.push(packing.pack(key_of(keys, row)?, row));
    }
    sort(&mut packed);
    let mut rows: Vec<Row> = packed.iter().map(|packed| packing.row(*packed)).collect();
    let mut are_distinct = true;
    for equal in equal_runs(&packed, &packing) {
        let Some(rows) = rows.get_mut(equal) else {
            return Err(Bug::new("sorted rows that are not there"));
        };
        if packing.left_out > 0 || compare.is_some() {
            are_distinct &= sort_equal(keys, compare, packing.left_out > 0, rows)?;
        } else {
            are_distinct = false;
        }
    }
    Ok(Sorted { rows, are_distinct })
}

/// Sorts rows that are equal in the leading bits of their numbers; tells whether no two of them are equal.
fn sort_equal<K: Number>(
    keys: &[K],
    compare: Option<&Compare<'_>>,
    differ_in_numbers: bool,
    rows: &mut [Row],
) -> Result<bool, Bug> {
    if differ_in_numbers && rows.len() > FEW {
        // What they have in common takes no bits now.
        let sorted = by_numbers(keys, compare, rows.iter().copied())?;
        rows.copy_from_slice(&sorted.rows);
        return Ok(sorted.are_distinct);
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
    let mut pairs = rows.iter().zip(rows.iter().skip(1));
    Ok(pairs.all(|(a, b)| by_cell(a, b).is_ne()))
}

/// Sorts numbers that are all different. Merging runs, where there are some, takes longer than this from a hundred of them on, and
/// memory besides.
fn sort(packed: &mut [u64]) {
    if packed.len() < PARALLEL {
        packed.sort_unstable();
    } else {
        threads::sort_unstable_by(packed, u64::cmp);
    }
}

/// Where sorted numbers are equal but for their rows: runs of two and more.
fn equal_runs<'a, K: Number>(
    packed: &'a [u64],
    packing: &'a Packing<K>,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = packed.get(at..)?;
        let mut pairs = rest.iter().zip(rest.iter().skip(1));
        let first = pairs.position(|(a, b)| packing.are_equal(*a, *b))?;
        let run = rest.get(first..)?;
        let one = *run.first()?;
        let others = run.iter().skip(1);
        let len = others
            .take_while(|next| packing.are_equal(one, **next))
            .count()
            .saturating_add(1);
        let start = at.saturating_add(first);
        at = start.saturating_add(len);
        Some(start..at)
    })
}
