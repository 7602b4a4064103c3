//! Sets of cells: those that a condition holds for, those that a delete takes, those that are not null.

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;
use tdb_tile::{Bug, LimitError};

use crate::threads::{self, CELLS_PER_TASK};
use crate::{Buffer, CellsError, Row, RowRange};

/// Cells that one word tells of.
const WORD: usize = 64;

/// A set of the rows of a table: a bit for each, of no more rows than can be numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSet {
    bits: BitVec<u64, Lsb0>,
}

impl CellSet {
    /// None of the rows up to the end of `rows`.
    #[must_use]
    pub fn none(rows: RowRange) -> Self {
        let bits = BitVec::repeat(false, rows.end());
        Self { bits }
    }

    /// All rows up to the end of `rows`.
    #[must_use]
    pub fn all(rows: RowRange) -> Self {
        let bits = BitVec::repeat(true, rows.end());
        Self { bits }
    }

    /// The rows whose byte is not zero.
    ///
    /// # Errors
    /// More bytes than rows can be numbered.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, LimitError> {
        RowRange::first(bytes.len())?;
        let words = bytes.chunks(WORD).map(|chunk| {
            let (eights, rest) = chunk.as_chunks::<8>();
            // The last chunk may be shorter: what it lacks is not in the set.
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

    /// The rows of several sets: those of each come behind all of the one before.
    ///
    /// # Errors
    /// More rows than can be numbered.
    pub fn concat(sets: &[Self]) -> Result<Self, LimitError> {
        let rows = sets.iter().map(Self::rows).fold(0, usize::saturating_add);
        RowRange::first(rows)?;
        let mut words: Vec<u64> = Vec::with_capacity(rows.div_ceil(WORD).saturating_add(1));
        let mut end = 0_usize;
        for set in sets {
            let begun = end % WORD;
            for word in set.words() {
                match words.last_mut() {
                    Some(last) if begun > 0 => {
                        *last |= word << begun;
                        words.push(word >> WORD.saturating_sub(begun));
                    }
                    _ => words.push(word),
                }
            }
            end = end.saturating_add(set.rows());
            words.truncate(end.div_ceil(WORD));
        }
        let mut bits = BitVec::from_vec(words);
        bits.truncate(rows);
        Ok(Self { bits })
    }

    /// The rows of `rows` that `holds` says yes to.
    ///
    /// # Errors
    /// What `holds` finds.
    pub fn of_rows<E>(rows: RowRange, holds: impl Fn(Row) -> Result<bool, E>) -> Result<Self, E> {
        let mut set = Self::none(rows);
        for row in rows.iter() {
            if holds(row)? {
                set.bits.set(row.index(), true);
            }
        }
        Ok(set)
    }

    /// Rows of which the set tells.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.bits.len()
    }

    /// How many rows it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bits.count_ones()
    }

    /// Whether it has this row.
    ///
    /// # Errors
    /// A row that the set does not tell of.
    pub fn contains(&self, row: Row) -> Result<bool, Bug> {
        let bit = self.bits.get(row.index()).as_deref().copied();
        bit.ok_or_else(|| Bug::new("a row that a set of cells does not tell of"))
    }

    /// Its rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        self.bits.iter_ones().map(Row::within)
    }

    /// A list of its rows in ascending order: faster than one by one.
    #[must_use]
    pub fn to_rows(&self) -> Vec<Row> {
        let mut rows = Vec::with_capacity(self.count());
        for (first, mut word) in (0..self.rows()).step_by(WORD).zip(self.words()) {
            if word == u64::MAX {
                rows.extend((first..first.saturating_add(WORD)).map(Row::within));
                continue;
            }
            while word != 0 {
                let place = word.trailing_zeros() as usize;
                rows.push(Row::within(first.saturating_add(place)));
                word &= word.wrapping_sub(1);
            }
        }
        rows
    }

    /// A bit for each row, the first the lowest of the first word; 0 behind the last row.
    pub(crate) fn words(&self) -> impl ExactSizeIterator<Item = u64> + Clone + '_ {
        let words = self.bits.as_raw_slice().iter();
        let (last, behind) = (self.rows() / WORD, self.rows() % WORD);
        words.enumerate().map(move |(place, &word)| {
            let beyond = if place == last { u64::MAX << behind } else { 0 };
            word & !beyond
        })
    }

    /// Writes a value over those of some cells, of the size of the value, whose rows it lacks; without a value, nothing.
    ///
    /// # Errors
    /// Another number of cells than the set tells of.
    pub fn fill_lacking(&self, cells: &mut [u8], value: &[u8]) -> Result<(), Bug> {
        if value.is_empty() {
            return Ok(());
        }
        if self.rows().checked_mul(value.len()) != Some(cells.len()) {
            return Err(Bug::new("cells of another number than a set of them"));
        }
        let words: Vec<u64> = self.words().collect();
        let cells = cells.chunks_mut(CELLS_PER_TASK.saturating_mul(value.len()));
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

    /// Adds the rows of another set.
    ///
    /// # Errors
    /// A set of another number of rows.
    pub fn add(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word | other)
    }

    /// Keeps the rows that another set has, too.
    ///
    /// # Errors
    /// A set of another number of rows.
    pub fn keep(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word & other)
    }

    /// Takes out the rows of another set.
    ///
    /// # Errors
    /// A set of another number of rows.
    pub fn remove(&mut self, other: &Self) -> Result<(), Bug> {
        self.join(other, |word, other| word & !other)
    }

    /// Takes out some rows.
    ///
    /// # Errors
    /// Rows that the set does not tell of.
    pub fn remove_rows(&mut self, rows: RowRange) -> Result<(), Bug> {
        let part = self.bits.get_mut(rows.indices());
        let part = part.ok_or_else(|| Bug::new("rows that a set of cells does not tell of"))?;
        part.fill(false);
        Ok(())
    }

    /// Takes out those of some rows that `goes` says yes to.
    ///
    /// # Errors
    /// Rows that the set does not tell of; what `goes` finds.
    pub fn remove_where(
        &mut self,
        rows: RowRange,
        goes: impl Fn(Row) -> Result<bool, Bug>,
    ) -> Result<(), Bug> {
        let part = self.bits.get_mut(rows.indices());
        let part = part.ok_or_else(|| Bug::new("rows that a set of cells does not tell of"))?;
        for (mut bit, row) in part.iter_mut().zip(rows.iter()) {
            if goes(row)? {
                bit.set(false);
            }
        }
        Ok(())
    }

    /// Keeps those rows of a list that the set has, in the order of the list.
    ///
    /// # Errors
    /// A row that the set does not tell of.
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

    /// A bit for each row, the first the lowest of the first byte, as columns of results have them.
    ///
    /// # Errors
    /// [`CellsError::Limit`] where there is no memory for it.
    pub fn to_bitmap(&self) -> Result<Buffer, CellsError> {
        let mut out = Buffer::zeroed(self.rows().div_ceil(8))?;
        let words = self.bits.as_raw_slice().iter();
        for (place, word) in out.as_mut_slice().chunks_mut(8).zip(words) {
            let bytes = word.to_le_bytes();
            place.copy_from_slice(bytes.split_at(place.len()).0);
        }
        // What stands behind the last row says nothing.
        let behind = self.rows() % 8;
        if let (1.., Some(last)) = (behind, out.as_mut_slice().last_mut()) {
            *last &= !(0xff << behind);
        }
        Ok(out)
    }
}

/// Writes a value over the cells of `N` bytes whose bit is 0. It looks at all cells of a word at once, and does not branch where
/// the word has some of them.
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

/// The same for cells of the size of the value, which is some.
fn fill_any(cells: &mut [u8], words: &[u64], value: &[u8]) {
    let of_words = cells.chunks_mut(WORD.saturating_mul(value.len()));
    for (cells, &word) in of_words.zip(words) {
        for (place, cell) in (0..u64::BITS).zip(cells.chunks_exact_mut(value.len())) {
            if word.unbounded_shr(place) & 1 == 0 {
                cell.copy_from_slice(value);
            }
        }
    }
}

/// A bit for each of eight bytes, 1 where it is not zero; the first is the lowest.
fn packed(eight: [u8; 8]) -> u8 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let bytes = u64::from_le_bytes(eight);
    // The highest bit of each byte that is not zero: of the lower seven, any carries into it.
    let set = ((bytes & LOW).wrapping_add(LOW) | bytes) & !LOW;
    // Brings bit 7 of each byte, moved to bit 0, next to the others in the highest byte.
    let [.., highest] = ((set >> 7).wrapping_mul(0x0102_0408_1020_4080)).to_le_bytes();
    highest
}

#[cfg(test)]
mod tests;
