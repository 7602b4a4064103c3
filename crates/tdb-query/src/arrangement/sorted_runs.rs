//! External sorting for cells that do not fit into memory: parts are sorted in memory, written as sorted runs to the
//! temporary folder, and merged.
//!
//! Runs are numbered in the order of the read, and of equal cells the one from the earlier run comes first, so the
//! sort stays stable. Merging works on blocks: cells are first picked by their address, and then copied into a result
//! batch together. Until then, blocks whose cells have all been picked stay in memory.

use std::cmp::Ordering;
use std::num::{NonZeroU64, NonZeroUsize};

use tdb_cells::{Batch, CellsError, Column, RunReader, RunWriter, Runs, Session};
use tdb_tile::{Bug, Exact, Grant};

use super::block::{from_bytes, to_bytes};
use super::kept_cells::{BatchRow, KeptCells, gather};
use super::prefix::{ColumnCell, Prefix, for_each_prefix};
use super::sorting::{SortKey, compare, sort};
use crate::QueryError;

/// Cells may use 1/SHARE of the memory before they are spilled, and merging may use as much.
const SHARE: u64 = 4;

/// While merging, blocks whose cells have all been picked but not yet returned may use 1/RETIRED of the merge's share.
const RETIRED: u64 = 4;

/// Sorted runs of cells in the temporary folder.
#[derive(Debug)]
pub(super) struct SortedRuns {
    session: Session,
    keys: Vec<SortKey>,
    runs: Runs,
    /// Maximum number of bytes of cells kept in memory.
    share: u64,
    /// Columns of one batch, which give names and datatypes when blocks are read back.
    like: Vec<Column>,
}

impl SortedRuns {
    /// Creates an empty set of runs; `None` if the session has no temporary folder.
    pub(super) fn new(session: &Session, keys: &[SortKey]) -> Option<Self> {
        let share = session.limits().budget.limit() / SHARE;
        let runs = Runs::new(session, share.checked_sub(share / RETIRED)?)?;
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

    /// True if cells of this many bytes should be spilled.
    pub(super) fn is_too_much(&self, bytes: u64) -> bool {
        bytes > self.share
    }

    /// Sorts the kept cells, writes them as a run, and drops them from memory.
    pub(super) fn spill(&mut self, kept: &mut KeptCells) -> Result<(), QueryError> {
        sort(kept, &self.keys)?;
        if self.like.is_empty() {
            let first = kept.batches().first();
            self.like = first.map_or_else(Vec::new, |batch| batch.columns.clone());
        }
        let rows = NonZeroU64::new(kept.rows()).unwrap_or(NonZeroU64::MIN);
        let size = NonZeroU64::new(kept.bytes() / rows).unwrap_or(NonZeroU64::MIN);
        let most = self.runs.block_bytes() as u64 / size;
        // Every row takes at least a byte, so a block has at most as many rows as bytes.
        let most = usize::try_from(most).unwrap_or(1).max(1);
        let merging = Merging::of(self);
        let write = |run: &mut RunWriter| {
            while let Some(block) = kept.next(most)? {
                run.write(&to_bytes(&block), block.rows as u64)?;
            }
            Ok::<(), QueryError>(())
        };
        self.runs
            .add(write, |readers, run| merging.merge(readers, run))?;
        kept.forget();
        Ok(())
    }

    /// Merges the runs. The result has at most `most` cells, and begins at cell number `first` of the last `tail`
    /// cells, or of all cells if `tail` is `None`.
    pub(super) fn finish(
        self,
        tail: Option<u64>,
        first: u64,
        most: Option<u64>,
    ) -> Result<MergedRuns, QueryError> {
        let merging = Merging::of(&self);
        let readers = self
            .runs
            .finish(|readers, run| merging.merge(readers, run))?;
        let all = readers
            .iter()
            .map(|reader| reader.run().items())
            .try_fold(0, u64::checked_add)
            .ok_or_else(too_many)?;
        // If there are fewer cells than the tail wants, none is skipped.
        let before = all.exact_sub(tail.map_or(all, |tail| tail.min(all)))?;
        let mut merged = merging.begin(readers)?;
        (merged.skip, merged.left) = match before.checked_add(first) {
            Some(skip) => (skip, most),
            // Cells this far are beyond the end of any order.
            None => (0, Some(0)),
        };
        Ok(merged)
    }
}

/// Parameters of a merge.
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

    fn begin(&self, readers: Vec<RunReader>) -> Result<MergedRuns, QueryError> {
        let keys = self.keys.iter().map(|key| {
            let mut columns = self.like.iter();
            let place = columns.position(|column| column.name == key.field);
            Ok((place.ok_or_else(not_there)?, key.descending))
        });
        let held = self.session.limits().budget.take(self.retired);
        let mut merged = MergedRuns {
            keys: keys.collect::<Result<_, QueryError>>()?,
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

    /// Merges several runs into one longer run.
    fn merge(&self, readers: Vec<RunReader>, run: &mut RunWriter) -> Result<(), QueryError> {
        let mut merged = self.begin(readers)?;
        // The merged blocks have as many rows as those they are made of.
        let row_bytes = merged.blocks.first().and_then(|batch| {
            let rows = NonZeroUsize::new(batch.rows)?;
            NonZeroUsize::new(to_bytes(batch).len() / rows)
        });
        let most = (self.block / row_bytes.unwrap_or(NonZeroUsize::MIN)).max(1);
        while let Some(block) = merged.next(most)? {
            run.write(&to_bytes(&block), block.rows as u64)?;
        }
        Ok(())
    }
}

/// Merged cells of several sorted runs.
#[derive(Debug)]
pub(super) struct MergedRuns {
    /// Column index of each key, and whether it is descending.
    keys: Vec<(usize, bool)>,
    like: Vec<Column>,
    /// Blocks with cells that are picked or still to be picked.
    blocks: Vec<Batch>,
    /// Addresses of the cells to return next.
    picks: Vec<BatchRow>,
    /// Runs that are not at their end, in descending order: the run with the first cell is last. Of equal cells, that
    /// of the earlier run comes first.
    cursors: Vec<Cursor>,
    /// Bytes of blocks whose cells have all been picked.
    retired: u64,
    most_retired: u64,
    /// Number of cells still to skip; and, in `left`, still to return, if limited.
    skip: u64,
    left: Option<u64>,
    /// Budget grant for retired blocks.
    _held: Grant,
}

/// Position within a run.
#[derive(Debug)]
struct Cursor {
    /// Number of the run.
    number: usize,
    reader: RunReader,
    /// Index of the current block in `blocks`, and the next row in it.
    block: u32,
    row: u32,
    rows: u32,
    prefix: Option<Prefix>,
}

impl MergedRuns {
    /// Returns the next cells, at most `most`; `None` at the end.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Batch>, QueryError> {
        loop {
            self.pick(most)?;
            let picked = gather(&self.blocks, &self.picks)?;
            self.picks.clear();
            self.drop_retired()?;
            // All picked cells may have been skipped; then there is more to pick.
            if picked.is_some() || self.left == Some(0) || self.cursors.is_empty() {
                return Ok(picked);
            }
        }
    }

    /// Picks the next cells: at most `most`, and until retired blocks use up their memory.
    fn pick(&mut self, most: usize) -> Result<(), QueryError> {
        while self.picks.len() < most && self.retired <= self.most_retired && self.left != Some(0) {
            let Some(mut cursor) = self.cursors.pop() else {
                break;
            };
            if let Some(skip) = self.skip.checked_sub(1) {
                self.skip = skip;
            } else {
                self.picks.push((cursor.block, cursor.row));
                // `left` is not zero here, or the loop would have ended.
                self.left = self.left.and_then(|left| left.checked_sub(1));
            }
            cursor.row = cursor.row.checked_add(1).ok_or_else(too_many)?;
            self.insert(cursor)?;
        }
        Ok(())
    }

    /// Keeps only blocks that still have cells to pick, and renumbers them.
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

    /// Inserts a run among the others by its next cell, after loading the next block if needed. A run at its end is
    /// dropped.
    fn insert(&mut self, mut cursor: Cursor) -> Result<(), QueryError> {
        if cursor.row >= cursor.rows && !self.load(&mut cursor)? {
            return Ok(());
        }
        let (first, descending) = self.keys.first().copied().ok_or_else(not_there)?;
        let column = self.cell(&cursor, first)?.column;
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

    /// Loads the next block of a run; `false` at its end.
    fn load(&mut self, cursor: &mut Cursor) -> Result<bool, QueryError> {
        if cursor.rows > 0 {
            let used = self
                .blocks
                .get(cursor.block as usize)
                .map_or(0, super::kept_cells::bytes_of);
            self.retired = self.retired.checked_add(used).ok_or_else(too_many)?;
        }
        let Some(bytes) = cursor.reader.next_block()? else {
            return Ok(false);
        };
        let block = from_bytes(&bytes, &self.like).ok_or_else(|| cursor.reader.damaged())?;
        // Empty blocks are never written.
        if block.rows == 0 {
            return Err(cursor.reader.damaged().into());
        }
        cursor.block = u32::try_from(self.blocks.len()).map_err(|_| too_many())?;
        cursor.rows = u32::try_from(block.rows).map_err(|_| too_many())?;
        cursor.row = 0;
        self.blocks.push(block);
        Ok(true)
    }

    /// Returns the cell of a column at which a cursor stands.
    fn cell(&self, cursor: &Cursor, place: usize) -> Result<ColumnCell<'_>, Bug> {
        let block = self.blocks.get(cursor.block as usize);
        let column = block.and_then(|block| block.columns.get(place));
        Ok(ColumnCell {
            column: column.ok_or_else(not_there)?,
            row: cursor.row as usize,
        })
    }

    fn order(&self, a: &Cursor, b: &Cursor) -> Result<Ordering, Bug> {
        let by_prefix = a.prefix.cmp(&b.prefix);
        if by_prefix.is_ne() {
            return Ok(by_prefix);
        }
        for (place, descending) in &self.keys {
            let one = self.cell(a, *place)?;
            let other = self.cell(b, *place)?;
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
