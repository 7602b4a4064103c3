//! Reads a sparse array batch by batch: load, select, merge, leave out what is deleted, gather.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tdb_array::{Array, ErrorKind};
use tdb_cells::{
    Batch, CellTable, FragmentTiles, Keys, Loading, Segment, Session, load, unit_size,
};
use tdb_schema::FieldKind;
use tdb_tile::{Grant, LimitError};

use super::deletes::apply_deletes;
use super::keys::Coordinates;
use super::merge::{Rows, all_rows, segment_rows};
use super::plan::{FragmentPlan, SparsePlan};
use super::slabs::{Corner, Slabs};
use super::tally::Tally;
use super::whole::First;
use crate::request::Request;
use crate::{QueryError, fragment_tiles};

/// Rows that a table can number.
const MOST_ROWS: usize = u32::MAX as usize;

/// Bytes for each row that is sorted: its key, the pair of key and row, its number.
const SORTED_ROW: usize = 40;

/// Bytes for each row that may be left out: how often it counts, and its number.
const PICKED_ROW: usize = 8;

/// Bytes of a var-sized cell, before any is known.
const ASSUMED_VAR_SIZE: usize = 32;

/// Where the reading of one fragment stopped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    /// Index of the next tile among those planned.
    pub(super) tile: usize,
    /// Cells of that tile that are done with.
    pub(super) done: usize,
}

/// Cells of the result, more than a batch may have.
struct Ready {
    table: CellTable,
    /// Those of the result, in its order.
    rows: Vec<u32>,
    /// How many of them were given out.
    given: usize,
}

/// A sparse read under way.
pub(crate) struct SparseReader {
    pub(super) session: Session,
    pub(super) array: Arc<Array>,
    pub(super) plan: SparsePlan,
    /// The tiles of each planned fragment, once they are needed.
    tiles: Vec<Option<FragmentTiles>>,
    pub(super) cursors: Vec<Cursor>,
    /// The next cell of fragments whose tiles may be copied, by their place in the plan.
    pub(super) firsts: HashMap<usize, First>,
    /// What is left of a result that does not fit the memory and is not stored in its order.
    slabs: Option<Slabs>,
    /// The cells before this one, in the order of the result, were given out.
    reached: Option<Corner>,
    /// What is in memory of the result and was not given out yet.
    ready: Option<Ready>,
    /// Cells to load at a time, where more were too many.
    most: usize,
    /// Where cells are to be counted and not given out.
    pub(super) tally: Option<Tally>,
    /// The memory of the batch that was given out last.
    pub(super) held: Vec<Grant>,
}

impl SparseReader {
    pub(crate) fn new(
        session: Session,
        array: Arc<Array>,
        request: Request,
    ) -> Result<Self, QueryError> {
        let plan = plan(&session, &array, request)?;
        let cursors = vec![Cursor::default(); plan.fragments.len()];
        let tiles = plan.fragments.iter().map(|_| None).collect();
        Ok(Self {
            session,
            array,
            plan,
            tiles,
            cursors,
            firsts: HashMap::new(),
            slabs: None,
            reached: None,
            ready: None,
            most: MOST_ROWS / 2,
            tally: None,
            held: Vec::new(),
        })
    }

    /// The next cells; `None` after the last. A batch may be empty.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, QueryError> {
        self.held.clear();
        if let Some(batch) = self.next_ready()? {
            return Ok(Some(batch));
        }
        let share = self.rows_at_a_time();
        if self.slabs.is_none() && !self.plan.can_stop() && self.cells_left() > share {
            self.go_on_in_slabs()?;
        }
        match self.slabs.is_some() {
            true => self.next_slab(share),
            false => self.next_in_order(share),
        }
    }

    /// Whether nothing is in memory that is to be given out, and cells come in the order of the fragments.
    pub(super) fn is_between_batches(&self) -> bool {
        self.ready.is_none() && self.slabs.is_none()
    }

    /// More of the cells that are in memory.
    fn next_ready(&mut self) -> Result<Option<Batch>, QueryError> {
        let Some(mut ready) = self.ready.take() else {
            return Ok(None);
        };
        let most = self.rows_of_a_batch();
        let end = ready.given.saturating_add(most).min(ready.rows.len());
        let rows = ready.rows.get(ready.given..end).unwrap_or_default();
        self.held.push(self.share_of(&ready.table, rows.len())?);
        let columns = || self.plan.columns_of(&ready.table, rows);
        let batch = self.session.install(columns)?;
        ready.given = end;
        self.ready = (end < ready.rows.len()).then_some(ready);
        Ok(Some(batch))
    }

    /// The next cells, where those of each fragment come in the order of the result, or all fit the memory.
    fn next_in_order(&mut self, mut share: usize) -> Result<Option<Batch>, QueryError> {
        let mut has_grown = false;
        let mut too_many = usize::MAX;
        loop {
            let segments = self.choose(share);
            if segments.is_empty() {
                return Ok(None);
            }
            let session = self.session.clone();
            let before = (self.cursors.clone(), self.reached.clone());
            let loaded = segments.last().map_or(0, |segment| segment.rows.end);
            match session.install(|| self.read(segments)) {
                Ok(Some(batch)) => return Ok(Some(batch)),
                // No cell is known to be next: more tiles have to be looked at together.
                Ok(None) => {
                    share = share.saturating_mul(2);
                    has_grown = true;
                }
                // Values were longer, or tiles larger, than was to be expected.
                Err(error) if error.kind() == ErrorKind::Limit && share > 1 => {
                    (self.cursors, self.reached) = before;
                    let least = !self.plan.can_stop() || has_grown || loaded == too_many;
                    too_many = loaded;
                    share = share.min(loaded).div_ceil(2);
                    self.most = share;
                    if least && self.plan.sorts {
                        // Not even one tile of each fragment fits.
                        self.go_on_in_slabs()?;
                        return self.next_slab(share);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads what is left slab by slab.
    fn go_on_in_slabs(&mut self) -> Result<(), QueryError> {
        let reached = self.reached.take();
        self.slabs = Some(Slabs::new(&self.array, &self.plan, &self.session, reached)?);
        Ok(())
    }

    /// The next cells in the order of the result, out of all tiles that may have them.
    fn next_slab(&mut self, mut share: usize) -> Result<Option<Batch>, QueryError> {
        let Some(mut slabs) = self.slabs.take() else {
            return Ok(None);
        };
        let session = self.session.clone();
        let result = loop {
            match session.install(|| self.read_slab(&mut slabs, share)) {
                Err(error) if error.kind() == ErrorKind::Limit && share > 1 => {
                    share = share.div_ceil(2);
                    self.most = share;
                }
                result => break result,
            }
        };
        self.slabs = Some(slabs);
        result
    }

    /// One slab: chunk by chunk, all cells that may belong to it are loaded and the others let go.
    fn read_slab(&mut self, slabs: &mut Slabs, share: usize) -> Result<Option<Batch>, QueryError> {
        let Some(mut slab) = slabs.begin(share) else {
            return Ok(None);
        };
        let fields = self.plan.fields();
        while let Some(segments) = slabs.next_chunk(&self.plan, &mut slab) {
            let mut table = self.table(segments)?;
            self.load(&mut table, &fields)?;
            let rows = self.plan.select(&table);
            let budget = &self.session.limits().budget;
            slab.add(&self.plan, &table, rows, budget)?;
        }
        let budget = self.session.limits().budget.clone();
        let (table, next) = slab.finish(&self.plan, &budget)?;
        let sorted = budget.take(table.rows.saturating_mul(SORTED_ROW) as u64)?;
        let rows = self.plan.merge(&self.array, &table, None);
        drop(sorted);
        let batch = self.finish(table, rows)?;
        slabs.next = next;
        Ok(Some(batch))
    }

    /// Cells that are still to be read.
    fn cells_left(&self) -> usize {
        let left = |(plan, cursor): (&FragmentPlan, &Cursor)| cells_from(plan, *cursor);
        let fragments = self.plan.fragments.iter().zip(&self.cursors);
        fragments.map(left).fold(0, usize::saturating_add)
    }

    /// Cells to load at a time, so that they and what is made of them fit the memory.
    ///
    /// Where cells have to be sorted as a whole, a batch may be a part of them; else it is what was loaded.
    fn rows_at_a_time(&self) -> usize {
        let bytes = self.bytes_of_a_row(&self.plan.fields());
        // Keys and row numbers, and the result beside the table.
        let per_row = if self.plan.sorts {
            bytes.saturating_mul(2).saturating_add(SORTED_ROW)
        } else {
            bytes.saturating_add(PICKED_ROW)
        };
        let mut bytes = self.session.limits().budget.limit() / 2;
        if self.plan.can_stop() {
            bytes = bytes.min(self.plan.request.batch_bytes);
        }
        (usize::try_from(bytes).unwrap_or(usize::MAX) / per_row.max(1)).clamp(1, self.most)
    }

    /// Cells of the result to give out at a time.
    fn rows_of_a_batch(&self) -> usize {
        let fields: Vec<FieldKind> = self.plan.request.fields.iter().map(|i| i.field).collect();
        let per_row = self.bytes_of_a_row(&fields).max(1);
        let bytes = self.plan.request.batch_bytes;
        (usize::try_from(bytes).unwrap_or(usize::MAX) / per_row).max(1)
    }

    fn bytes_of_a_row(&self, fields: &[FieldKind]) -> usize {
        let mut bytes = 0_usize;
        for &kind in fields {
            let Some(field) = self.plan.schema.field_of(kind) else {
                continue;
            };
            let value = if field.is_var() {
                self.mean_var_size(kind).saturating_add(8)
            } else {
                unit_size(&field)
            };
            bytes = bytes
                .saturating_add(value)
                .saturating_add(usize::from(field.nullable));
        }
        bytes
    }

    fn mean_var_size(&self, kind: FieldKind) -> usize {
        let sampled = self
            .plan
            .fragments
            .iter()
            .zip(&self.tiles)
            .find_map(|(plan, tiles)| {
                let field = tiles.as_ref()?.field(kind)?;
                let bytes: u64 = plan
                    .tiles
                    .iter()
                    .map(|tile| field.var_size(tile.tile))
                    .fold(0, u64::saturating_add);
                Some(bytes / (plan.cells() as u64).max(1))
            });
        sampled.map_or(ASSUMED_VAR_SIZE, |bytes| {
            usize::try_from(bytes).unwrap_or(usize::MAX)
        })
    }

    /// The tiles to load next: about `share` cells, from where each fragment stopped.
    fn choose(&self, share: usize) -> Vec<Segment> {
        let left = |(plan, cursor): (&FragmentPlan, &Cursor)| cells_from(plan, *cursor);
        let fragments = self.plan.fragments.iter().zip(&self.cursors);
        let remaining: Vec<usize> = fragments.map(left).collect();
        let total = remaining.iter().copied().fold(0, usize::saturating_add);
        let all = total <= share || !self.plan.can_stop();
        let mut segments = Vec::new();
        let mut rows = 0;
        for ((plan, cursor), left) in self.plan.fragments.iter().zip(&self.cursors).zip(remaining) {
            if left == 0 {
                continue;
            }
            // Cells that are merged come from all fragments at once, others from one after the other.
            let part = match (all, self.plan.sorts) {
                (true, _) => usize::MAX,
                (_, true) => proportion(share, left, total),
                (_, false) => share.saturating_sub(rows),
            };
            if part == 0 {
                break;
            }
            let segment = segment(plan, *cursor, part, rows);
            rows = segment.rows.end;
            segments.push(segment);
        }
        segments
    }

    /// An empty table of these tiles, with the memory to sort and choose among its rows.
    pub(super) fn table(&self, segments: Vec<Segment>) -> Result<CellTable, QueryError> {
        let mut table = CellTable::new(segments);
        if table.rows > MOST_ROWS {
            return Err(QueryError::Limit(LimitError {
                what: "cells to be sorted together",
                setting: "memory budget",
                asked: table.rows as u64,
                allowed: MOST_ROWS as u64,
            }));
        }
        let picked = table.rows.saturating_mul(PICKED_ROW) as u64;
        table.hold(self.session.limits().budget.take(picked)?);
        Ok(table)
    }

    /// One batch out of these tiles; `None` where they do not say which cell is next.
    fn read(&mut self, segments: Vec<Segment>) -> Result<Option<Batch>, QueryError> {
        let mut table = self.table(segments)?;
        let per_row = if self.plan.sorts { SORTED_ROW } else { 0 };
        let sorted = table.rows.saturating_mul(per_row) as u64;
        let sorted = self.session.limits().budget.take(sorted)?;
        let deciding = self.plan.deciding_fields();
        self.load(&mut table, &deciding)?;
        let Some(rows) = self.pick(&table) else {
            return Ok(None);
        };
        drop(sorted);
        self.finish(table, rows).map(Some)
    }

    /// Leaves out what is deleted or fails the condition, and makes columns of the rest, or of the first of it.
    fn finish(&mut self, mut table: CellTable, mut rows: Rows) -> Result<Batch, QueryError> {
        let fields: Vec<FieldKind> = self.plan.visibility.fields().collect();
        self.load(&mut table, &fields)?;
        apply_deletes(
            &self.session,
            &self.array,
            &self.plan,
            &mut table,
            &mut rows,
        )?;
        let fields: Vec<FieldKind> = self.plan.condition_fields().collect();
        self.load(&mut table, &fields)?;
        if let Some(tally) = &mut self.tally {
            tally.add(&self.plan, &self.array, &table, &rows)?;
            return Ok(Batch::default());
        }
        self.plan.apply_condition(&table, &mut rows)?;
        if rows.as_ref().is_none_or(|rows| !rows.is_empty()) {
            let fields: Vec<FieldKind> = self.plan.request.fields.iter().map(|i| i.field).collect();
            self.load(&mut table, &fields)?;
        }
        match rows {
            Some(rows) if rows.len() > self.rows_of_a_batch() => {
                self.ready = Some(Ready {
                    table,
                    rows,
                    given: 0,
                });
                Ok(self.next_ready()?.unwrap_or_default())
            }
            Some(rows) => {
                let part = self.share_of(&table, rows.len())?;
                self.held.push(part);
                self.plan.columns(&mut table, Some(&rows))
            }
            None => {
                // The table's columns become those of the result.
                self.held.extend(table.take_held());
                self.plan.columns(&mut table, None)
            }
        }
    }

    /// The cells of the table that count, in the order of the result; `None` where none is known to be next.
    fn pick(&mut self, table: &CellTable) -> Option<Rows> {
        let rows = self.plan.select(table);
        if !self.plan.sorts {
            self.advance(table, |_| usize::MAX);
            return Some(rows);
        }
        let coordinates = Coordinates::new(table, self.plan.schema.dimensions.len());
        let keys = self.plan.keys(table, &coordinates);
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        keys.sort(&mut rows);
        if let Some(frontier) = self.frontier(table, &keys) {
            let before = |row: u32| keys.compare(row, frontier).is_lt();
            rows.truncate(rows.partition_point(|&row| before(row)));
            let moved = self.advance(table, |segment: &Segment| {
                let all: Vec<u32> = segment_rows(segment).collect();
                all.partition_point(|&row| before(row))
            });
            if !moved {
                return None;
            }
            let dimensions = self.plan.schema.dimensions.len();
            self.reached = Some(Corner::of(table, frontier, dimensions));
        } else {
            self.advance(table, |_| usize::MAX);
        }
        self.plan.settle(&self.array, table, &keys, &mut rows);
        Some(Some(rows))
    }

    /// The row from which on cells that are not loaded yet may come between.
    fn frontier(&self, table: &CellTable, keys: &Keys<'_>) -> Option<u32> {
        let unfinished = table.segments.iter().filter(|segment| {
            self.plan.position(segment.fragment).is_some_and(|i| {
                let (Some(plan), Some(cursor)) = (self.plan.fragments.get(i), self.cursors.get(i))
                else {
                    return false;
                };
                cursor.tile + segment.tiles.len() < plan.tiles.len()
            })
        });
        let last =
            unfinished.filter_map(|segment| u32::try_from(segment.rows.end.checked_sub(1)?).ok());
        last.min_by(|&a, &b| keys.compare(a, b))
    }

    /// Moves the cursors past the first cells of each segment, as many as `count` says; whether any moved.
    fn advance(&mut self, table: &CellTable, count: impl Fn(&Segment) -> usize) -> bool {
        let mut moved = false;
        for segment in &table.segments {
            let at = self.plan.position(segment.fragment);
            let Some(cursor) = at.and_then(|i| self.cursors.get_mut(i)) else {
                continue;
            };
            let mut left = count(segment);
            for tile in &segment.tiles {
                if left < tile.rows.len() {
                    moved |= left > tile.done;
                    cursor.done = left.max(tile.done);
                    break;
                }
                left = left.saturating_sub(tile.rows.len());
                cursor.tile += 1;
                cursor.done = 0;
                moved = true;
            }
        }
        moved
    }

    pub(super) fn load(
        &mut self,
        table: &mut CellTable,
        fields: &[FieldKind],
    ) -> Result<(), QueryError> {
        let fields: Vec<FieldKind> = fields
            .iter()
            .copied()
            .filter(|&field| !table.has(field))
            .collect();
        if fields.is_empty() {
            return Ok(());
        }
        let all = self.plan.fields();
        let wanted: HashSet<usize> = table.segments.iter().map(|s| s.fragment).collect();
        for (plan, tiles) in self.plan.fragments.iter().zip(&mut self.tiles) {
            if wanted.contains(&plan.fragment) && tiles.is_none() {
                let opened =
                    fragment_tiles::open(&self.array, &self.plan.schema, plan.fragment, &all);
                *tiles = Some(opened?);
            }
        }
        let find = |fragment: usize| -> Option<&FragmentTiles> {
            self.tiles.get(self.plan.position(fragment)?)?.as_ref()
        };
        let how = Loading {
            session: &self.session,
            schema: &self.plan.schema,
            bytes: self.array.store(),
        };
        let time = &self.session.counters().load;
        Ok(time.time(|| load(how, table, &fields, &find))?)
    }

    /// Memory for so many of a table's rows, once more.
    fn share_of(&self, table: &CellTable, rows: usize) -> Result<Grant, QueryError> {
        let part = u128::from(table.bytes_held()) * rows as u128 / (table.rows as u128).max(1);
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        Ok(self.session.limits().budget.take(part)?)
    }
}

/// Plans a read, with what that takes of each fragment's metadata.
fn plan(session: &Session, array: &Array, request: Request) -> Result<SparsePlan, QueryError> {
    let mut fragments = Vec::new();
    for index in 0..array.fragments().len() {
        let parts = FragmentPlan::parts(array, index, &request);
        let opened = array.metadata_parts(index, &parts)?;
        let plan = FragmentPlan::new(array, index, &request, opened, session.limits())?;
        fragments.extend(plan);
    }
    SparsePlan::new(array, request, fragments)
}

fn cells_from(plan: &FragmentPlan, cursor: Cursor) -> usize {
    let cells = plan.tiles.iter().skip(cursor.tile).map(|tile| tile.cells);
    cells.fold(0, usize::saturating_add)
}

fn proportion(share: usize, part: usize, total: usize) -> usize {
    let exact = share as u128 * part as u128 / (total as u128).max(1);
    usize::try_from(exact).unwrap_or(usize::MAX).max(1)
}

/// The next tiles of a fragment, until they hold `share` cells that are not done with; at least one.
fn segment(plan: &FragmentPlan, cursor: Cursor, share: usize, first: usize) -> Segment {
    let (mut cells, mut done) = (0_usize, cursor.done);
    let tiles = plan.tiles.iter().skip(cursor.tile).take_while(|tile| {
        let wanted = cells < share;
        let left = tile.cells.saturating_sub(std::mem::take(&mut done));
        cells = cells.saturating_add(left);
        wanted
    });
    let mut segment = plan.segment(tiles, first);
    if let Some(tile) = segment.tiles.first_mut() {
        tile.done = cursor.done;
    }
    segment
}
