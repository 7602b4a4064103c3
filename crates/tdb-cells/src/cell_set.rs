//! Sets of cells: those that match a condition, those that are deleted, those that are not null.

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;
use tdb_tile::{Bug, Exact, LimitError};

use crate::threads::{self, CELLS_PER_TASK};
use crate::{Buffer, CellsError, Row, RowRange};

/// Number of cells per word of a set.
const WORD: usize = 64;

/// A set of rows of a table, stored as one bit per row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSet {
    bits: BitVec<u64, Lsb0>,
}

impl CellSet {
    /// Creates an empty set over the rows from 0 to the end of `rows`.
    #[must_use]
    pub fn none(rows: RowRange) -> Self {
        let bits = BitVec::repeat(false, rows.end());
        Self { bits }
    }

    /// Creates a set of all rows from 0 to the end of `rows`.
    #[must_use]
    pub fn all(rows: RowRange) -> Self {
        let bits = BitVec::repeat(true, rows.end());
        Self { bits }
    }

    /// Creates a set of the rows whose byte is not zero.
    ///
    /// # Errors
    /// There are more bytes than rows can be numbered.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, LimitError> {
        RowRange::first(bytes.len())?;
        let words = bytes.chunks(WORD).map(|chunk| {
            let (eights, rest) = chunk.as_chunks::<8>();
            // The last chunk may be shorter: its missing rows are not in the set.
            let mut last = [0; 8];
            let (place, _) = last.split_at_mut(rest.len());
            place.copy_from_slice(rest);
            let mut word = [0; 8];
            for (place, eight) in word.iter_mut().zip(eights.iter().chain([&last])) {
                *place = packed(*eight);
            }
            u64::from_le_bytes(word)
        });
        let mut bits = BitVec::from_vec(words.collect());
        bits.truncate(bytes.len());
        Ok(Self { bits })
    }

    /// Concatenates several sets: the rows of each follow those of the previous one.
    ///
    /// # Errors
    /// There are more rows than can be numbered.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^32 rows, and a remainder is less than the divisor"
    )]
    pub fn concat(sets: &[Self]) -> Result<Self, LimitError> {
        let rows = RowRange::first(sets.iter().map(Self::rows).sum())?.end();
        // While a set is joined, there is a word more than its rows need.
        let mut words: Vec<u64> = Vec::with_capacity(rows / WORD + 2);
        let mut end = 0_usize;
        for set in sets {
            let begun = end % WORD;
            for word in set.words() {
                match words.last_mut() {
                    Some(last) if begun > 0 => {
                        *last |= word << begun;
                        words.push(word >> (WORD - begun));
                    }
                    _ => words.push(word),
                }
            }
            end += set.rows();
            words.truncate(end.div_ceil(WORD));
        }
        let mut bits = BitVec::from_vec(words);
        bits.truncate(rows);
        Ok(Self { bits })
    }

    /// Creates a set of those rows in `rows` for which `holds` returns true.
    ///
    /// # Errors
    /// The first error of `holds`.
    pub fn of_rows<E>(rows: RowRange, holds: impl Fn(Row) -> Result<bool, E>) -> Result<Self, E> {
        let mut set = Self::none(rows);
        for row in rows.iter() {
            if holds(row)? {
                set.bits.set(row.index(), true);
            }
        }
        Ok(set)
    }

    /// Number of rows that the set covers, whether they are members or not.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.bits.len()
    }

    /// Number of rows in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bits.count_ones()
    }

    /// Whether the set contains this row.
    ///
    /// # Errors
    /// The row is beyond those that the set covers.
    pub fn contains(&self, row: Row) -> Result<bool, Bug> {
        let bit = self.bits.get(row.index()).as_deref().copied();
        bit.ok_or_else(|| Bug::new("a row that a set of cells does not tell of"))
    }

    /// The rows in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        self.bits.iter_ones().map(Row::within)
    }

    /// Collects the rows in the set in ascending order, word by word, which is faster than [`CellSet::iter`].
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "all bits of a set are rows, and one is subtracted from a word that is not 0"
    )]
    pub fn to_rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.count());
        for (first, mut word) in (0..self.rows()).step_by(WORD).zip(self.words()) {
            if word == u64::MAX {
                rows.extend((first..first + WORD).map(Row::within));
                continue;
            }
            while word != 0 {
                rows.push(Row::within(first + word.trailing_zeros() as usize));
                word &= word - 1;
            }
        }
        rows
    }

    /// One bit per row, starting with the lowest bit of the first word; bits after the last row are 0.
    pub(crate) fn words(&self) -> impl ExactSizeIterator<Item = u64> + Clone + '_ {
        let words = self.bits.as_raw_slice().iter();
        let (last, behind) = (self.rows() / WORD, self.rows() % WORD);
        words.enumerate().map(move |(place, &word)| {
            let beyond = if place == last { u64::MAX << behind } else { 0 };
            word & !beyond
        })
    }

    /// Overwrites the cells whose rows are not in the set with `value`, which has the size of one cell. Does nothing
    /// if `value` is empty.
    ///
    /// # Errors
    /// `cells` has another number of cells than the set has rows.
    pub fn fill_lacking(&self, cells: &mut [u8], value: &[u8]) -> Result<(), Bug> {
        if value.is_empty() {
            return Ok(());
        }
        if self.rows().checked_mul(value.len()) != Some(cells.len()) {
            return Err(Bug::new("cells of another number than a set of them"));
        }
        let words: Vec<u64> = self.words().collect();
        let cells = cells.chunks_mut(CELLS_PER_TASK.exact_mul(value.len())?);
        let tasks: Vec<_> = cells.zip(words.chunks(CELLS_PER_TASK / WORD)).collect();
        threads::for_each(tasks, |(cells, words)| {
            match value.len() {
                1 => fill_sized::<1>(cells, words, value),
                2 => fill_sized::<2>(cells, words, value),
                4 => fill_sized::<4>(cells, words, value),
                8 => fill_sized::<8>(cells, words, value),
                _ => fill_any(cells, words, value),
            }
            Ok(())
        })
    }

    /// Adds the rows of another set (union).
    ///
    /// # Errors
    /// The other set covers another number of rows.
    pub fn add(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word | other)
    }

    /// Keeps only the rows that are also in another set (intersection).
    ///
    /// # Errors
    /// The other set covers another number of rows.
    pub fn keep(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word & other)
    }

    /// Removes the rows of another set (difference).
    ///
    /// # Errors
    /// The other set covers another number of rows.
    pub fn remove(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word & !other)
    }

    /// Removes a range of rows.
    ///
    /// # Errors
    /// The set does not cover the range.
    pub fn remove_rows(&mut self, rows: RowRange) -> Result<(), Bug> {
        let part = self
            .bits
            .get_mut(rows.indices())
            .ok_or_else(|| Bug::new("rows that a set of cells does not tell of"))?;
        part.fill(false);
        Ok(())
    }

    /// Removes those rows of a range for which `goes` returns true.
    ///
    /// # Errors
    /// The set does not cover the range, or `goes` fails.
    pub fn remove_where(
        &mut self,
        rows: RowRange,
        goes: impl Fn(Row) -> Result<bool, Bug>,
    ) -> Result<(), Bug> {
        let part = self
            .bits
            .get_mut(rows.indices())
            .ok_or_else(|| Bug::new("rows that a set of cells does not tell of"))?;
        for (mut bit, row) in part.iter_mut().zip(rows.iter()) {
            if goes(row)? {
                bit.set(false);
            }
        }
        Ok(())
    }

    /// Removes the rows that are not in the set from a list, whose order does not change.
    ///
    /// # Errors
    /// The list has a row that the set does not cover.
    pub fn keep_in(&self, rows: &mut Vec<Row>) -> Result<(), Bug> {
        let mut unknown = None;
        rows.retain(|&row| match self.contains(row) {
            Ok(is_in) => is_in,
            Err(bug) => {
                unknown = Some(bug);
                false
            }
        });
        unknown.map_or(Ok(()), Err)
    }

    fn join(&mut self, other: &Self, joins: impl Fn(u64, u64) -> u64) -> Result<(), Bug> {
        if self.rows() != other.rows() {
            return Err(Bug::new("two sets of cells of different tables"));
        }
        let words = self.bits.as_raw_mut_slice().iter_mut();
        for (word, other) in words.zip(other.bits.as_raw_slice()) {
            *word = joins(*word, *other);
        }
        Ok(())
    }

    /// Returns a bitmap with one bit per row, starting with the lowest bit of the first byte, as result columns store
    /// validity.
    ///
    /// # Errors
    /// [`CellsError::Limit`] if there is not enough memory.
    pub fn to_bitmap(&self) -> Result<Buffer, CellsError> {
        let mut out = Buffer::zeroed(self.rows().div_ceil(8))?;
        let words = self.bits.as_raw_slice().iter();
        for (place, word) in out.as_mut_slice().chunks_mut(8).zip(words) {
            let bytes = word.to_le_bytes();
            place.copy_from_slice(bytes.split_at(place.len()).0);
        }
        // Bits after the last row of the words are arbitrary.
        let behind = self.rows() % 8;
        if let (1.., Some(last)) = (behind, out.as_mut_slice().last_mut()) {
            *last &= !(0xff << behind);
        }
        Ok(out)
    }
}

/// Overwrites the cells of `N` bytes whose bit is 0. Words with all bits equal are handled at once; within a mixed
/// word, every cell is written, so that no branch depends on single bits.
fn fill_sized<const N: usize>(cells: &mut [u8], words: &[u64], value: &[u8]) {
    let Some(value) = value.first_chunk::<N>() else {
        return;
    };
    let (cells, _) = cells.as_chunks_mut::<N>();
    for (cells, &word) in cells.chunks_mut(WORD).zip(words) {
        match word {
            0 => cells.fill(*value),
            u64::MAX => {}
            _ => {
                for (place, cell) in (0..u64::BITS).zip(cells) {
                    let is_in = word.unbounded_shr(place) & 1 == 1;
                    *cell = if is_in { *cell } else { *value };
                }
            }
        }
    }
}

/// Like [`fill_sized`], for cells of any size; `value` is not empty.
fn fill_any(cells: &mut [u8], words: &[u64], value: &[u8]) {
    let mut cells = cells.chunks_exact_mut(value.len());
    for &word in words {
        for (place, cell) in (0..u64::BITS).zip(&mut cells) {
            if word.unbounded_shr(place) & 1 == 0 {
                cell.copy_from_slice(value);
            }
        }
    }
}

/// Packs eight bytes into eight bits, 1 where the byte is not zero; the first byte gives the lowest bit.
fn packed(eight: [u8; 8]) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let bytes = u64::from_le_bytes(eight);
    // Sets the highest bit of each nonzero byte: adding 0x7f to the lower seven bits carries into it if any of them is
    // set.
    let set = ((bytes & LOW).wrapping_add(LOW) | bytes) & !LOW;
    // Moves bit 7 of each byte to bit 0 and collects these bits in the highest byte.
    let [.., highest] = ((set >> 7).wrapping_mul(0x0102_0408_1020_4080)).to_le_bytes();
    highest
}

#[cfg(test)]
mod tests;
