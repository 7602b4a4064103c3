//! Reads a sparse array batch by batch: load, select, sort, keep the newest, drop what is deleted, gather.

use std::sync::Arc;

use tdb_array::{Array, ErrorKind};
use tdb_tile::{Grant, LimitError};

use super::gather::gather;
use super::keys::{Coordinates, dimension_types, row_keys};
use super::plan::{FragmentPlan, SparsePlan, deciding_fields, plan};
use super::predicate::Predicate;
use super::select::select;
use super::sort::{Keys, keep_newest};
use super::table::{CellTable, Segment, TileRows};
use super::visible::{Visibility, time_of};
use crate::QueryError;
use crate::column::{Batch, Column};
use crate::field::{Field, FieldInfo, unit_size};
use crate::fragment_tiles::FragmentTiles;
use crate::options::ResultOrder;
use crate::session::Session;
use crate::subarray::Subarray;

/// Rows that a table can number.
const MOST_ROWS: usize = u32::MAX as usize;

/// Bytes for each row that is sorted: its key, the pair of key and row, its number.
const SORTED_ROW: usize = 40;

/// Bytes for each row that may be left out: how often it counts, and its number.
const PICKED_ROW: usize = 8;

/// Bytes of a var-sized cell, before any is known.
const ASSUMED_VAR_SIZE: usize = 32;

/// What is read, as the caller asked for it.
pub(crate) struct SparseQuery {
    pub(crate) subarray: Subarray,
    pub(crate) order: ResultOrder,
    pub(crate) condition: Option<Arc<Predicate>>,
    pub(crate) fields: Vec<FieldInfo>,
    /// Bytes that a batch may have.
    pub(crate) batch_bytes: u64,
}

/// Where the reading of one fragment stopped.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Index of the next tile among those planned.
    tile: usize,
    /// Cells of that tile that are done with.
    done: usize,
}

/// A sparse read under way.
pub(crate) struct SparseReader {
    session: Session,
    array: Arc<Array>,
    query: SparseQuery,
    plan: SparsePlan,
    tiles: Vec<Option<FragmentTiles>>,
    cursors: Vec<Cursor>,
    visibility: Visibility,
    /// Cells to load at a time, where more were too many.
    most: usize,
    /// The memory of the batch that was given out last.
    held: Vec<Grant>,
}

impl SparseReader {
    pub(crate) fn new(
        session: Session,
        array: Arc<Array>,
        query: SparseQuery,
    ) -> Result<Self, QueryError> {
        let plan = plan(&array, &query.subarray, query.order, session.limits())?;
        let visibility = Visibility::new(&array, &plan)?;
        let cursors = vec![Cursor::default(); plan.fragments.len()];
        let tiles = plan.fragments.iter().map(|_| None).collect();
        Ok(Self {
            session,
            array,
            query,
            plan,
            tiles,
            cursors,
            visibility,
            most: MOST_ROWS / 2,
            held: Vec::new(),
        })
    }

    /// The next cells; `None` after the last. A batch may be empty.
    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>, QueryError> {
        self.held.clear();
        let mut share = self.rows_at_a_time();
        let mut has_grown = false;
        loop {
            let segments = self.choose(share);
            if segments.is_empty() {
                return Ok(None);
            }
            let session = self.session.clone();
            let before = self.cursors.clone();
            let loaded = segments.last().map_or(0, |segment| segment.rows.end);
            match session.install(|| self.read(segments)) {
                Ok(Some(batch)) => return Ok(Some(batch)),
                // No cell is known to be next: more tiles have to be looked at together.
                Ok(None) => {
                    share = share.saturating_mul(2);
                    has_grown = true;
                }
                // Values were longer, or tiles larger, than was to be expected.
                Err(error)
                    if error.kind() == ErrorKind::Limit
                        && self.can_stop()
                        && !has_grown
                        && share > 1 =>
                {
                    self.cursors = before;
                    share = share.min(loaded).div_ceil(2);
                    self.most = share;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Cells to load at a time, so that they and what is made of them fit the memory.
    fn rows_at_a_time(&self) -> usize {
        let schema = self.array.schema();
        let mut bytes = 0_usize;
        for kind in self.loaded_fields() {
            let Some(field) = schema.field_of(kind) else {
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
        // Keys and row numbers, and the result beside the table.
        let per_row = if self.plan.sorts {
            bytes.saturating_mul(2).saturating_add(SORTED_ROW)
        } else {
            bytes.saturating_add(PICKED_ROW)
        };
        let bytes = self
            .query
            .batch_bytes
            .min(self.session.limits().budget.limit() / 2);
        (usize::try_from(bytes).unwrap_or(usize::MAX) / per_row.max(1)).clamp(1, self.most)
    }

    fn mean_var_size(&self, kind: Field) -> usize {
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

    /// All fields that a table will hold in the course of a batch.
    fn loaded_fields(&self) -> Vec<Field> {
        let mut fields = self.deciding_fields();
        fields.extend(self.visibility.fields());
        fields.extend(
            self.query
                .condition
                .iter()
                .flat_map(|condition| condition.fields()),
        );
        fields.extend(self.query.fields.iter().map(|info| info.field));
        let mut seen = std::collections::HashSet::new();
        fields.retain(|&field| seen.insert(field));
        fields
    }

    fn deciding_fields(&self) -> Vec<Field> {
        deciding_fields(
            &self.plan,
            self.array.schema().dimensions.len(),
            self.visibility.has_deletes(),
        )
    }

    /// The tiles to load next: about `share` cells, from where each fragment stopped.
    fn choose(&self, share: usize) -> Vec<Segment> {
        let left = |(plan, cursor): (&FragmentPlan, &Cursor)| -> usize {
            let cells = plan.tiles.iter().skip(cursor.tile).map(|t| t.cells);
            cells.fold(0, usize::saturating_add)
        };
        let remaining: Vec<usize> = self
            .plan
            .fragments
            .iter()
            .zip(&self.cursors)
            .map(left)
            .collect();
        let total = remaining.iter().copied().fold(0, usize::saturating_add);
        let all = total <= share || !self.can_stop();
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

    /// Whether reading can stop between tiles: cells of each fragment come in the order of the result.
    fn can_stop(&self) -> bool {
        !self.plan.sorts
            || (self.merge_order() == ResultOrder::Global
                && self.plan.fragments.iter().all(|f| f.in_order))
    }

    /// The order in which cells of several fragments are brought together.
    fn merge_order(&self) -> ResultOrder {
        match self.query.order {
            ResultOrder::Unordered => ResultOrder::Global,
            order => order,
        }
    }

    /// One batch out of these tiles; `None` where they do not say which cell is next.
    fn read(&mut self, segments: Vec<Segment>) -> Result<Option<Batch>, QueryError> {
        let mut table = CellTable::new(segments);
        if table.rows > MOST_ROWS {
            return Err(QueryError::Limit(LimitError {
                what: "cells to be sorted together",
                setting: "memory budget",
                asked: table.rows as u64,
                allowed: MOST_ROWS as u64,
            }));
        }
        let budget = self.session.limits().budget.clone();
        let memory = |per_row: usize| budget.take(table.rows.saturating_mul(per_row) as u64);
        let picked = memory(PICKED_ROW)?;
        let sorted = memory(if self.plan.sorts { SORTED_ROW } else { 0 })?;
        table.hold(picked);
        let deciding = self.deciding_fields();
        self.load(&mut table, &deciding)?;
        let Some(mut rows) = self.pick(&mut table)? else {
            return Ok(None);
        };
        drop(sorted);

        let fields: Vec<Field> = self.visibility.fields().collect();
        self.load(&mut table, &fields)?;
        self.visibility.retain(&self.array, &table, &mut rows)?;
        if let Some(condition) = self.query.condition.clone() {
            let fields: Vec<Field> = condition.fields().collect();
            self.load(&mut table, &fields)?;
            let keep = condition.evaluate(&table)?;
            filter(&mut rows, table.rows, |row| {
                keep.get(row as usize).is_some_and(|&k| k != 0)
            });
        }
        let fields: Vec<Field> = self.query.fields.iter().map(|info| info.field).collect();
        if rows.as_ref().is_none_or(|rows| !rows.is_empty()) {
            self.load(&mut table, &fields)?;
        }
        self.columns(table, rows.as_deref()).map(Some)
    }

    /// The cells of the table that count, in the order of the result; `None` inside for all as they are.
    fn pick(&mut self, table: &mut CellTable) -> Result<Option<Option<Vec<u32>>>, QueryError> {
        let schema = self.array.schema();
        let counts = select(
            table,
            &self.query.subarray,
            &dimension_types(schema),
            self.plan.repeats,
        );
        let mut rows: Option<Vec<u32>> = counts.map(|counts| {
            let mut rows = Vec::with_capacity(counts.len());
            for (row, &count) in (0_u32..).zip(&counts) {
                rows.extend(std::iter::repeat_n(row, count as usize));
            }
            rows
        });
        self.visibility.filter_times(table, &mut rows);
        if !self.plan.sorts {
            self.advance(table, |_| usize::MAX);
            return Ok(Some(rows));
        }
        let coordinates = Coordinates::new(table, schema.dimensions.len());
        let keys = row_keys(schema, table, &coordinates, self.merge_order());
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        keys.sort(&mut rows);
        let frontier = self.frontier(table, &keys);
        if let Some(frontier) = frontier {
            let known = rows.partition_point(|&row| keys.compare(row, frontier).is_lt());
            rows.truncate(known);
            let before = |row: u32| keys.compare(row, frontier).is_lt();
            let moved = self.advance(table, |segment: &Segment| {
                let all: Vec<u32> = segment_rows(segment).collect();
                all.partition_point(|&row| before(row))
            });
            if !moved {
                return Ok(None);
            }
        } else {
            self.advance(table, |_| usize::MAX);
        }
        if self.plan.deduplicates {
            let newer = |row: u32, kept: u32| {
                let (a, b) = (
                    time_of(&self.array, table, row),
                    time_of(&self.array, table, kept),
                );
                a > b || (a == b && is_later_fragment(table, row, kept))
            };
            keep_newest(&keys, &mut rows, newer);
        }
        Ok(Some(Some(rows)))
    }

    /// The row from which on cells that are not loaded yet may come between.
    fn frontier(&self, table: &CellTable, keys: &Keys<'_>) -> Option<u32> {
        let unfinished = table.segments.iter().filter(|segment| {
            let plan = self
                .plan
                .fragments
                .iter()
                .position(|f| f.fragment == segment.fragment);
            plan.is_some_and(|i| {
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
            let at = self
                .plan
                .fragments
                .iter()
                .position(|f| f.fragment == segment.fragment);
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

    fn load(&mut self, table: &mut CellTable, fields: &[Field]) -> Result<(), QueryError> {
        let fields: Vec<Field> = fields
            .iter()
            .copied()
            .filter(|&field| !table.has(field))
            .collect();
        if fields.is_empty() {
            return Ok(());
        }
        let all = self.loaded_fields();
        for (plan, tiles) in self.plan.fragments.iter().zip(&mut self.tiles) {
            let wanted = table
                .segments
                .iter()
                .any(|segment| segment.fragment == plan.fragment);
            if wanted && tiles.is_none() {
                *tiles = Some(FragmentTiles::open(&self.array, plan.fragment, &all)?);
            }
        }
        let find = |fragment: usize| -> Option<&FragmentTiles> {
            let at = self
                .plan
                .fragments
                .iter()
                .position(|plan| plan.fragment == fragment)?;
            self.tiles.get(at)?.as_ref()
        };
        super::load::load(&self.session, &self.array, table, &fields, &find)
    }

    /// The result's columns out of the table's.
    fn columns(&mut self, mut table: CellTable, rows: Option<&[u32]>) -> Result<Batch, QueryError> {
        let count = rows.map_or(table.rows, <[u32]>::len);
        let in_table = table.take_held();
        match rows {
            // The table's columns become those of the result.
            None => self.held.extend(in_table),
            Some(_) => {
                let bytes = in_table.iter().map(Grant::bytes);
                let all = u128::from(bytes.fold(0, u64::saturating_add));
                let part = all * count as u128 / (table.rows as u128).max(1);
                let part = u64::try_from(part).unwrap_or(u64::MAX);
                self.held.push(self.session.limits().budget.take(part)?);
            }
        }
        let mut columns = Vec::with_capacity(self.query.fields.len());
        for info in &self.query.fields {
            let column = table.take(info.field).unwrap_or_default();
            let gathered = gather(column, rows)?;
            columns.push(Column {
                name: info.name.clone(),
                datatype: info.datatype,
                cell_val_num: info.cell_val_num,
                nullable: info.nullable,
                values: gathered.values,
                offsets: gathered.offsets,
                validity: gathered.validity,
                enumeration: info.enumeration.clone(),
            });
        }
        Ok(Batch {
            rows: count,
            columns,
        })
    }
}

fn proportion(share: usize, part: usize, total: usize) -> usize {
    let exact = share as u128 * part as u128 / (total as u128).max(1);
    usize::try_from(exact).unwrap_or(usize::MAX).max(1)
}

/// The next tiles of a fragment, until they hold `share` cells; at least one.
fn segment(plan: &FragmentPlan, cursor: Cursor, share: usize, first: usize) -> Segment {
    let mut tiles: Vec<TileRows> = Vec::new();
    let mut end = first;
    for planned in plan.tiles.iter().skip(cursor.tile) {
        if end - first >= share {
            break;
        }
        let done = if tiles.is_empty() { cursor.done } else { 0 };
        let rows = end..end.saturating_add(planned.cells);
        end = rows.end;
        tiles.push(TileRows {
            tile: planned.tile,
            rows,
            full: planned.full,
            done,
        });
    }
    Segment {
        fragment: plan.fragment,
        rows: first..end,
        tiles,
    }
}

fn segment_rows(segment: &Segment) -> impl Iterator<Item = u32> + use<> {
    let number = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    number(segment.rows.start)..number(segment.rows.end)
}

fn all_rows(table: &CellTable) -> Vec<u32> {
    table.segments.iter().flat_map(segment_rows).collect()
}

fn is_later_fragment(table: &CellTable, a: u32, b: u32) -> bool {
    let segment = |row: u32| {
        table
            .segments
            .partition_point(|s| s.rows.end <= row as usize)
    };
    segment(a) > segment(b)
}

/// Keeps rows; where all are still in place, first writes them down.
pub(crate) fn filter(rows: &mut Option<Vec<u32>>, count: usize, keep: impl Fn(u32) -> bool) {
    match rows {
        Some(rows) => rows.retain(|&row| keep(row)),
        None => {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let kept: Vec<u32> = (0..count).filter(|&row| keep(row)).collect();
            if kept.len() < count as usize {
                *rows = Some(kept);
            }
        }
    }
}
