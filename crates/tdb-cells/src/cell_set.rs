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
mod tests {
    use super::*;

    #[test]
    fn a_set_of_bytes_has_the_rows_that_are_not_zero() {
        for rows in [0, 1, 7, 8, 9, 63, 64, 65, 130, 1000, 70_000] {
            let byte = |row: usize| [0, 1, 0x80, 0xff, 0, 2][row * 7 % 6];
            let bytes: Vec<u8> = (0..rows).map(byte).collect();
            let set = CellSet::of_bytes(&bytes).unwrap();
            let wanted = |is_set: bool| -> Vec<usize> {
                let rows = 0..rows;
                rows.filter(|&row| (byte(row) != 0) == is_set).collect()
            };
            let found: Vec<usize> = set.iter().map(Row::index).collect();
            assert_eq!(found, wanted(true));
            let listed = set.to_rows().into_iter().map(Row::index);
            assert_eq!(listed.collect::<Vec<_>>(), found);
            for size in [1, 2, 3, 4, 8, 16] {
                let mut cells = vec![1; rows * size];
                set.fill_lacking(&mut cells, &vec![9; size]).unwrap();
                let filled: Vec<usize> = (0..rows)
                    .filter(|row| cells[row * size..][..size].iter().all(|byte| *byte == 9))
                    .collect();
                assert_eq!(filled, wanted(false));
                let kept = cells.iter().filter(|byte| **byte == 1).count();
                assert_eq!(kept, wanted(true).len() * size);
                assert!(set.fill_lacking(&mut [1; 3], &[9; 8]).is_err());
            }
            assert_eq!(set.count(), found.len());
            let bitmap = set.to_bitmap().unwrap();
            let bit = |row: &usize| bitmap.as_slice()[row / 8] >> (row % 8) & 1 == 1;
            let of_bits: Vec<usize> = (0..rows).filter(bit).collect();
            assert_eq!(of_bits, found);
            assert_eq!(bitmap.as_slice().len(), rows.div_ceil(8));
        }
    }

    #[test]
    fn sets_are_joined_word_by_word() {
        let rows = RowRange::first(150).unwrap();
        let of = |step: usize| {
            let holds = |row: Row| Ok::<_, Bug>(row.index().is_multiple_of(step));
            CellSet::of_rows(rows, holds).unwrap()
        };
        let (twos, threes) = (of(2), of(3));
        let joined = |join: fn(&mut CellSet, &CellSet) -> Result<(), Bug>| {
            let mut set = twos.clone();
            join(&mut set, &threes).unwrap();
            set
        };
        let sixes = joined(CellSet::keep);
        assert_eq!(sixes, of(6));
        assert_eq!(joined(CellSet::add).count(), 75 + 50 - 25);
        assert_eq!(joined(CellSet::remove).count(), 75 - 25);
        assert_eq!(CellSet::all(rows).count(), 150);
        let all: Vec<Row> = rows.iter().collect();
        assert_eq!(CellSet::all(rows).to_rows(), all);
        assert_eq!(CellSet::none(rows).count(), 0);
        let mut few = CellSet::all(rows);
        few.remove_rows(RowRange::first(70).unwrap()).unwrap();
        assert_eq!(few.iter().next().map(Row::index), Some(70));
        assert!(
            few.keep(&CellSet::all(RowRange::first(149).unwrap()))
                .is_err()
        );
        assert!(few.contains(Row::new(150).unwrap()).is_err());
        let even = |row: Row| Ok(row.index().is_multiple_of(2));
        let end = RowRange::first(70).unwrap().next(80).unwrap();
        few.remove_where(end, even).unwrap();
        assert_eq!(few.iter().next().map(Row::index), Some(71));
        let row = |index| Row::new(index).unwrap();
        let mut list = vec![row(149), row(72), row(71)];
        few.keep_in(&mut list).unwrap();
        assert_eq!(list, [row(149), row(71)]);
        assert!(few.keep_in(&mut vec![row(150)]).is_err());
    }
}
