//! Cells that memory does not hold together: they are sorted part by part, kept as sorted runs in the temporary folder, and merged.

use std::cmp::Ordering;

use tdb_cells::{Batch, CellsError, Column, RunReader, RunWriter, Runs, Session};
use tdb_tile::{Bug, Grant};

use super::block::{from_bytes, to_bytes};
use super::kept::{BatchRow, Kept, gather};
use super::prefix::{Prefix, for_each_prefix};
use super::sorting::{SortKey, compare, sort};
use crate::{Error, Result};

/// The part of the memory that cells may take before they are put into the temporary folder, and those that are merged.
const SHARE: u64 = 4;

/// The part of that which is for blocks whose cells were all taken, and wait to be given.
const RETIRED: u64 = 4;

/// Sorted runs of cells.
#[derive(Debug)]
pub(super) struct SortedRuns {
    session: Session,
    keys: Vec<SortKey>,
    runs: Runs,
    /// Bytes of cells that are kept in memory.
    share: u64,
    /// The columns, of some cells.
    like: Vec<Column>,
}

impl SortedRuns {
    /// No runs yet, if there is a temporary folder.
    pub(super) fn new(session: &Session, keys: &[SortKey]) -> Option<Self> {
        let share = session.limits().budget.limit() / SHARE;
        let runs = Runs::new(session, share.saturating_sub(share / RETIRED))?;
        Some(Self {
            session: session.clone(),
            keys: keys.to_vec(),
            runs,
            share,
            like: Vec::new(),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether this is more than should be kept in memory.
    pub(super) fn is_too_much(&self, bytes: u64) -> bool {
        bytes > self.share
    }

    /// Writes the cells that are kept as a run, in order, and forgets them.
    pub(super) fn spill(&mut self, kept: &mut Kept) -> Result<()> {
        sort(kept, &self.keys)?;
        if self.like.is_empty() {
            let first = kept.batches().first();
            self.like = first.map_or_else(Vec::new, |batch| batch.columns.clone());
        }
        let size = kept.bytes().checked_div(kept.rows()).unwrap_or(1).max(1);
        let most = self.runs.block_bytes() as u64 / size;
        // A block has no more rows than bytes.
        let most = usize::try_from(most).unwrap_or(1).max(1);
        let merging = Merging::of(self);
        let write = |run: &mut RunWriter| {
            while let Some(block) = kept.next(most)? {
                run.write(&to_bytes(&block), block.rows as u64)?;
            }
            Ok::<(), Error>(())
        };
        self.runs
            .add(write, |readers, run| merging.merge(readers, run))?;
        kept.forget();
        Ok(())
    }

    /// The cells in order: of the last `tail` ones, or of all, those from the number `first` on, at most `most`.
    pub(super) fn finish(self, tail: Option<u64>, first: u64, most: Option<u64>) -> Result<Merged> {
        let merging = Merging::of(&self);
        let readers = self
            .runs
            .finish(|readers, run| merging.merge(readers, run))?;
        let mut all = readers.iter().map(|reader| reader.run().items());
        let all = all.try_fold(0, u64::checked_add).ok_or_else(too_many)?;
        // Of fewer cells than the tail has, all are.
        let before = tail.and_then(|tail| all.checked_sub(tail)).unwrap_or(0);
        let mut merged = merging.begin(readers)?;
        (merged.skip, merged.left) = match before.checked_add(first) {
            Some(skip) => (skip, most),
            // No order has a cell of such a number.
            None => (0, Some(0)),
        };
        Ok(merged)
    }
}

/// How runs are merged.
struct Merging {
    session: Session,
    keys: Vec<SortKey>,
    like: Vec<Column>,
    block: usize,
    retired: u64,
}

impl Merging {
    fn of(sorted: &SortedRuns) -> Self {
        Self {
            session: sorted.session.clone(),
            keys: sorted.keys.clone(),
            like: sorted.like.clone(),
            block: sorted.runs.block_bytes(),
            retired: sorted.share / RETIRED,
        }
    }

    fn begin(&self, readers: Vec<RunReader>) -> Result<Merged> {
        let keys = self.keys.iter().map(|key| {
            let mut columns = self.like.iter();
            let place = columns.position(|column| column.name == key.field);
            Ok((place.ok_or_else(not_there)?, key.descending))
        });
        let held = self.session.limits().budget.take(self.retired);
        let mut merged = Merged {
            keys: keys.collect::<Result<_>>()?,
            like: self.like.clone(),
            blocks: Vec::new(),
            picks: Vec::new(),
            cursors: Vec::new(),
            retired: 0,
            most_retired: self.retired,
            skip: 0,
            left: None,
            _held: held.map_err(CellsError::from)?,
        };
        for (number, reader) in readers.into_iter().enumerate() {
            let cursor = Cursor {
                number,
                reader,
                block: 0,
                row: 0,
                rows: 0,
                prefix: None,
            };
            merged.insert(cursor)?;
        }
        Ok(merged)
    }

    /// Merges runs into one.
    fn merge(&self, readers: Vec<RunReader>, run: &mut RunWriter) -> Result<()> {
        let mut merged = self.begin(readers)?;
        // As many rows as those of the blocks that are merged.
        let size = |batch: &Batch| to_bytes(batch).len() / batch.rows.max(1);
        let size = merged.blocks.first().map_or(1, size);
        let most = (self.block / size.max(1)).max(1);
        while let Some(block) = merged.next(most)? {
            run.write(&to_bytes(&block), block.rows as u64)?;
        }
        Ok(())
    }
}

/// The cells of sorted runs, in order.
#[derive(Debug)]
pub(super) struct Merged {
    /// The column of each key, and whether the greatest value comes first.
    keys: Vec<(usize, bool)>,
    like: Vec<Column>,
    /// Blocks of which cells are picked, or are to be.
    blocks: Vec<Batch>,
    /// Cells that come next.
    picks: Vec<BatchRow>,
    /// Runs that are not at their ends, the one with the first cell last; of equal cells, that of an earlier run comes first.
    cursors: Vec<Cursor>,
    /// Bytes of the blocks whose cells were all taken.
    retired: u64,
    most_retired: u64,
    /// Cells that are still to be left out, and still to be given, where that is limited.
    skip: u64,
    left: Option<u64>,
    /// The memory of such blocks.
    _held: Grant,
}

/// A place within a run.
#[derive(Debug)]
struct Cursor {
    /// The number of the run.
    number: usize,
    reader: RunReader,
    /// The block that was read last, and the next cell in it.
    block: u32,
    row: u32,
    rows: u32,
    prefix: Option<Prefix>,
}

impl Merged {
    /// The next cells, at most `most`.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Batch>> {
        loop {
            self.pick(most)?;
            let picked = gather(&self.blocks, &self.picks)?;
            self.picks.clear();
            self.drop_retired()?;
            // Blocks may be used up by cells that are left out.
            if picked.is_some() || self.left == Some(0) || self.cursors.is_empty() {
                return Ok(picked);
            }
        }
    }

    /// Finds the next cells: at most `most`, and no more than the memory allows.
    fn pick(&mut self, most: usize) -> Result<()> {
        while self.picks.len() < most && self.retired <= self.most_retired && self.left != Some(0) {
            let Some(mut cursor) = self.cursors.pop() else {
                break;
            };
            if let Some(skip) = self.skip.checked_sub(1) {
                self.skip = skip;
            } else {
                self.picks.push((cursor.block, cursor.row));
                // It is not zero: no cell would be picked.
                self.left = self.left.and_then(|left| left.checked_sub(1));
            }
            cursor.row = cursor.row.checked_add(1).ok_or_else(too_many)?;
            self.insert(cursor)?;
        }
        Ok(())
    }

    /// Keeps the blocks alone that have cells to come.
    fn drop_retired(&mut self) -> Result<(), Bug> {
        let mut blocks = Vec::with_capacity(self.cursors.len());
        for cursor in &mut self.cursors {
            let block = self.blocks.get(cursor.block as usize);
            let number = u32::try_from(blocks.len()).map_err(|_| too_many())?;
            blocks.push(block.ok_or_else(not_there)?.clone());
            cursor.block = number;
        }
        self.blocks = blocks;
        self.retired = 0;
        Ok(())
    }

    /// Brings a run to its place among the others, by its next cell.
    fn insert(&mut self, mut cursor: Cursor) -> Result<()> {
        if cursor.row >= cursor.rows && !self.load(&mut cursor)? {
            return Ok(());
        }
        let (first, descending) = self.keys.first().copied().ok_or_else(not_there)?;
        let column = self.column(cursor.block, first)?;
        for_each_prefix(
            column,
            descending,
            std::iter::once(cursor.row),
            |_, prefix| {
                cursor.prefix = Some(prefix);
            },
        )?;
        let (mut low, mut high) = (0, self.cursors.len());
        while low < high {
            let middle = low.midpoint(high);
            let other = self.cursors.get(middle).ok_or_else(not_there)?;
            if self.order(other, &cursor)?.is_gt() {
                low = middle.checked_add(1).ok_or_else(not_there)?;
            } else {
                high = middle;
            }
        }
        self.cursors.insert(low, cursor);
        Ok(())
    }

    /// Reads the next block of a run; `false` where there is none.
    fn load(&mut self, cursor: &mut Cursor) -> Result<bool> {
        if cursor.rows > 0 {
            let used = self.blocks.get(cursor.block as usize);
            let used = used.map_or(0, super::kept::bytes_of);
            self.retired = self.retired.checked_add(used).ok_or_else(too_many)?;
        }
        let Some(bytes) = cursor.reader.next_block()? else {
            return Ok(false);
        };
        let block = from_bytes(&bytes, &self.like);
        let block = block.ok_or_else(|| cursor.reader.damaged())?;
        // A block is written for its cells.
        if block.rows == 0 {
            return Err(cursor.reader.damaged().into());
        }
        cursor.block = u32::try_from(self.blocks.len()).map_err(|_| too_many())?;
        cursor.rows = u32::try_from(block.rows).map_err(|_| too_many())?;
        cursor.row = 0;
        self.blocks.push(block);
        Ok(true)
    }

    fn column(&self, block: u32, place: usize) -> Result<&Column, Bug> {
        let block = self.blocks.get(block as usize);
        let column = block.and_then(|block| block.columns.get(place));
        column.ok_or_else(not_there)
    }

    fn order(&self, a: &Cursor, b: &Cursor) -> Result<Ordering, Bug> {
        let by_prefix = a.prefix.cmp(&b.prefix);
        if by_prefix.is_ne() {
            return Ok(by_prefix);
        }
        for (place, descending) in &self.keys {
            let one = (self.column(a.block, *place)?, a.row as usize);
            let other = (self.column(b.block, *place)?, b.row as usize);
            let order = compare(one, other, *descending);
            if order.is_ne() {
                return Ok(order);
            }
        }
        Ok(a.number.cmp(&b.number))
    }
}

#[track_caller]
fn too_many() -> Bug {
    Bug::new("more cells or blocks than can be numbered")
}

#[track_caller]
fn not_there() -> Bug {
    Bug::new("a column or a block of sorted cells is not there")
}
