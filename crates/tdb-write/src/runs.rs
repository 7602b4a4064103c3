//! External sorting: sorted runs of cells are spilled to a temporary store and merged.

use std::cmp::Ordering;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::ArrayError;
use tdb_cells::Row;
use tdb_schema::order::{CellComparator, Column, SortOrder};
use tdb_schema::{ArraySchema, Field};
use tdb_store::{ObjectWriter, Store, read_one};
use tdb_tile::{Bug, Exact};

use crate::WriteError;
use crate::coordinates::columns;
use crate::gather::{pick_cells, pick_from};
use crate::input::{CheckedCells, Input, fields_of, written_fields};
use crate::sparse::check_rows;
use crate::written_tiles::WrittenTiles;

/// Maximum number of runs that are merged at a time, with one block of each in memory.
pub(crate) const MOST_MERGED: usize = 32;

/// Sorted runs of cells in a store, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Runs {
    store: Arc<dyn Store>,
    /// The prefix of the object keys of these runs.
    prefix: String,
    /// Number of objects made so far; the number of the next one in its key.
    made: usize,
    runs: Vec<Run>,
}

/// One run of sorted cells.
#[derive(Debug)]
enum Run {
    Spilled(SpilledRun),
    /// Cells that arrived in order and were written before others arrived out of order.
    Written(WrittenTiles),
}

/// An object in the temporary store, made of blocks.
#[derive(Debug)]
struct SpilledRun {
    key: String,
    /// How often the cells were merged already.
    level: u32,
    /// Number of cells and size in bytes of each block.
    blocks: Vec<(usize, u64)>,
}

impl Run {
    /// How often the cells were merged already; `None` for written cells, which take part only in the final merge.
    fn level(&self) -> Option<u32> {
        match self {
            Self::Spilled(run) => Some(run.level),
            Self::Written(_) => None,
        }
    }

    /// Key of the run's object in the temporary store.
    fn key(&self) -> Option<&str> {
        match self {
            Self::Spilled(run) => Some(&run.key),
            Self::Written(_) => None,
        }
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        let keys: Vec<&str> = self.runs.iter().filter_map(Run::key).collect();
        // Errors are ignored, because the folder is temporary.
        drop(self.store.remove_many(&keys));
    }
}

impl Runs {
    pub(crate) fn new(store: Arc<dyn Store>, prefix: String) -> Self {
        Self {
            store,
            prefix,
            made: 0,
            runs: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds cells that were already written, as the first run.
    pub(crate) fn add_written(&mut self, written: WrittenTiles) {
        self.runs.insert(0, Run::Written(written));
    }

    /// Spills blocks of cells, which are in global order, as the next run.
    pub(crate) fn add(
        &mut self,
        blocks: impl Iterator<Item = Result<CheckedCells, Bug>>,
    ) -> Result<(), WriteError> {
        let mut run = self.begin(0)?;
        for cells in blocks {
            run.write(&cells?)?;
        }
        self.runs.push(run.finish()?);
        Ok(())
    }

    /// Merges the last runs into one whenever 32 of them have been merged equally often. A block of the new run takes
    /// about `block` bytes.
    ///
    /// Only runs of the same level are merged, so a cell is merged once more only when there are 32 times as many
    /// runs.
    pub(crate) fn merge_some(
        &mut self,
        schema: &ArraySchema,
        block: usize,
    ) -> Result<(), WriteError> {
        while let Some(last) = self.runs.last() {
            let latest = self.runs.iter().rev();
            let alike = latest.take_while(|run| run.level() == last.level()).count();
            if alike < MOST_MERGED {
                return Ok(());
            }
            self.merge_last(MOST_MERGED, schema, block)?;
        }
        Ok(())
    }

    /// Merges all runs in global order and passes the cells to `take`; of equal cells, those of earlier runs come
    /// first. If there are more runs than can be merged at a time, the last ones are merged into one before.
    pub(crate) fn merge(
        &mut self,
        schema: &ArraySchema,
        block: usize,
        take: impl FnMut(&CheckedCells) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        while let Some(more) = self.runs.len().checked_sub(MOST_MERGED).filter(|n| *n > 0) {
            let last = (more + 1).min(MOST_MERGED);
            self.merge_last(last, schema, block)?;
        }
        merge(&*self.store, &self.runs, schema, take)
    }

    /// Merges the last `count` runs into one, which takes their place.
    fn merge_last(
        &mut self,
        count: usize,
        schema: &ArraySchema,
        block: usize,
    ) -> Result<(), WriteError> {
        let first = self.runs.len().exact_sub(count)?;
        let level = self.runs.iter().skip(first).filter_map(Run::level).max();
        let mut merged = self.begin(level.map_or(Ok(0), |level| level.exact_add(1))?)?;
        let parts = self
            .runs
            .get(first..)
            .ok_or_else(|| Bug::new("runs are merged that are not there"))?;
        merge(&*self.store, parts, schema, |cells| {
            let size = cells.size_in_memory().div_ceil(cells.rows.max(1)).max(1);
            let rows: Vec<Row> = check_rows(cells.rows)?.iter().collect();
            for rows in rows.chunks((block / size).max(1)) {
                merged.write(&pick_cells(cells, rows)?)?;
            }
            Ok(())
        })?;
        let merged = merged.finish()?;
        let parts: Vec<Run> = self.runs.drain(first..).collect();
        self.runs.push(merged);
        let keys: Vec<&str> = parts.iter().filter_map(Run::key).collect();
        for removed in self.store.remove_many(&keys) {
            removed.map_err(ArrayError::from)?;
        }
        Ok(())
    }

    fn begin(&mut self, level: u32) -> Result<NewRun, WriteError> {
        let key = format!("{}-{}", self.prefix, self.made);
        self.made = self.made.exact_add(1)?;
        Ok(NewRun {
            object: self.store.create(&key).map_err(ArrayError::from)?,
            run: SpilledRun {
                key,
                level,
                blocks: Vec::new(),
            },
        })
    }
}

/// A run that is being written.
struct NewRun {
    object: Box<dyn ObjectWriter>,
    run: SpilledRun,
}

impl NewRun {
    fn write(&mut self, block: &CheckedCells) -> Result<(), WriteError> {
        let bytes = to_bytes(block);
        self.object.write(&bytes).map_err(ArrayError::from)?;
        self.run.blocks.push((block.rows, bytes.len() as u64));
        Ok(())
    }

    fn finish(self) -> Result<Run, WriteError> {
        self.object.finish().map_err(ArrayError::from)?;
        Ok(Run::Spilled(self.run))
    }
}

/// Merges runs, and passes the cells to `take` in blocks.
///
/// Each round picks cells up to the end of the current block of one run, since the next block of that run may contain
/// cells that precede the rest of the other blocks.
fn merge(
    store: &dyn Store,
    runs: &[Run],
    schema: &ArraySchema,
    mut take: impl FnMut(&CheckedCells) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let comparator = CellComparator::new(schema, SortOrder::Global);
    let mut cursors: Vec<Cursor<'_>> = Vec::new();
    for run in runs {
        let mut cursor = Cursor::new(store, run);
        if cursor.load(schema)? {
            cursors.push(cursor);
        }
    }
    while !cursors.is_empty() {
        let (picks, exhausted) = round(schema, &comparator, &cursors)?;
        let blocks: Vec<&CheckedCells> = cursors.iter().map(|cursor| &cursor.block).collect();
        take(&pick_from(&blocks, &picks)?)?;
        for (run, row) in &picks {
            let cursor = at(&mut cursors, *run)?;
            cursor.row = cursor.row.max(row.exact_add(1)?);
        }
        if !at(&mut cursors, exhausted)?.load(schema)? {
            cursors.remove(exhausted);
        }
    }
    Ok(())
}

/// Picks the next cells of the merge, as run and row, until the current block of some run is exhausted; also returns
/// the number of that run.
fn round(
    schema: &ArraySchema,
    comparator: &CellComparator,
    cursors: &[Cursor<'_>],
) -> Result<(Vec<(usize, usize)>, usize), Bug> {
    let columns: Vec<Vec<Column<'_>>> = cursors
        .iter()
        .map(|cursor| columns(schema, &cursor.block))
        .collect::<Result<_, _>>()?;
    let compare = |a: &Head<'_>, b: &Head<'_>| -> Ordering {
        let cells = comparator.compare_rows(a.columns, a.row, b.columns, b.row);
        cells.then(a.run.cmp(&b.run))
    };
    // The next cell of each run, in descending order, so that the least is at the end. A sorted list is as good as a
    // heap for so few runs, and as long as the same run stays first, its cell is put back without moving any other.
    let mut heads: Vec<Head<'_>> = cursors
        .iter()
        .zip(&columns)
        .enumerate()
        .map(|(run, (cursor, columns))| Head {
            run,
            row: cursor.row,
            rows: cursor.block.rows,
            columns,
        })
        .collect();
    heads.sort_by(|a, b| compare(b, a));
    let mut picks = Vec::new();
    while let Some(mut head) = heads.pop() {
        picks.push((head.run, head.row));
        head.row = head.row.exact_add(1)?;
        if head.row >= head.rows {
            return Ok((picks, head.run));
        }
        let place = heads.partition_point(|other| compare(other, &head).is_gt());
        heads.insert(place, head);
    }
    Err(Bug::new("runs that are merged have no cells"))
}

/// The next cell of a run.
struct Head<'a> {
    run: usize,
    row: usize,
    /// Number of cells in the block.
    rows: usize,
    columns: &'a [Column<'a>],
}

fn at<'a, 'b>(cursors: &'a mut [Cursor<'b>], run: usize) -> Result<&'a mut Cursor<'b>, Bug> {
    let cursor = cursors.get_mut(run);
    cursor.ok_or_else(|| Bug::new("a cell of a run that is not there"))
}

/// The current position within a run.
struct Cursor<'a> {
    store: &'a dyn Store,
    run: &'a Run,
    next: usize,
    offset: u64,
    block: CheckedCells,
    row: usize,
}

impl<'a> Cursor<'a> {
    fn new(store: &'a dyn Store, run: &'a Run) -> Self {
        Self {
            store,
            run,
            next: 0,
            offset: 0,
            block: CheckedCells::default(),
            row: 0,
        }
    }

    /// Reads the next block; returns false if there is none.
    fn load(&mut self, schema: &ArraySchema) -> Result<bool, WriteError> {
        let block = match self.run {
            Run::Spilled(run) => self.spilled(run, schema)?,
            Run::Written(written) => written.cells(self.next)?,
        };
        let Some(block) = block else { return Ok(false) };
        self.block = block;
        self.next += 1;
        self.row = 0;
        Ok(true)
    }

    /// Reads the next block of a spilled run; `None` after the last.
    fn spilled(
        &mut self,
        run: &SpilledRun,
        schema: &ArraySchema,
    ) -> Result<Option<CheckedCells>, WriteError> {
        let Some((rows, len)) = run.blocks.get(self.next).copied() else {
            return Ok(None);
        };
        let read = tdb_store::Read::bounded(run.key.as_str(), self.offset, len);
        let bytes = read_one(self.store, read).map_err(ArrayError::from)?.bytes;
        let fields = fields_of(schema, &written_fields(schema))?;
        let block = from_bytes(&fields, rows, &bytes).ok_or_else(|| WriteError::SortedCells {
            key: run.key.clone(),
        })?;
        self.offset = self.offset.exact_add(len)?;
        Ok(Some(block))
    }
}

/// Encodes cells as a block of a run: for each field the lengths of its parts, then the parts.
fn to_bytes(cells: &CheckedCells) -> Vec<u8> {
    let mut out = Vec::with_capacity(cells.size_in_memory());
    for input in &cells.fields {
        for part in input.parts() {
            let len = part.map_or(u64::MAX, |part| part.len() as u64);
            out.extend_from_slice(&len.to_le_bytes());
        }
        for part in input.parts().into_iter().flatten() {
            out.extend_from_slice(part);
        }
    }
    out
}

/// Decodes the cells of a block; `None` if the bytes do not fit the number of cells.
fn from_bytes(fields: &[Field<'_>], rows: usize, bytes: &Bytes) -> Option<CheckedCells> {
    let mut at = 0_usize;
    let mut next = |len: usize| {
        let end = at.checked_add(len)?;
        let part = (end <= bytes.len()).then(|| bytes.slice(at..end))?;
        at = end;
        Some(part)
    };
    let field = |field: &Field<'_>| -> Option<Input> {
        let mut lens = [0_u64; 3];
        for len in &mut lens {
            *len = u64::from_le_bytes(next(8)?.as_ref().try_into().ok()?);
        }
        let mut parts = [const { None }; 3];
        for (part, len) in parts.iter_mut().zip(lens) {
            if len != u64::MAX {
                *part = Some(next(usize::try_from(len).ok()?)?);
            }
        }
        Input::of_parts(field, rows, parts)
    };
    let fields = fields.iter().map(field).collect::<Option<_>>()?;
    (at == bytes.len()).then_some(CheckedCells { rows, fields })
}
