//! From loaded cells to those of the result: selected, in order, the newest of equal ones, without what is deleted
//! or fails the condition.

use tdb_array::Snapshot;
use tdb_cells::{Batch, CellTable, Keys, Segment, gather, keep_newest};
use tdb_schema::order::CellComparator;

use super::cursors::Frontier;
use super::keys::{Coordinates, dimension_types, row_keys, sort_order};
use super::plan::SparsePlan;
use super::select::select;
use super::visible::time_of;
use crate::QueryError;
use crate::options::Versions;

/// Rows of a table: those of the result, in its order; `None` for all as they are.
pub(crate) type Rows = Option<Vec<u32>>;

impl SparsePlan {
    /// The cells that lie within the subarray and the window of time, in the order of the table.
    ///
    /// The [deciding fields](SparsePlan::deciding_fields) are loaded.
    pub(crate) fn select(&self, table: &CellTable) -> Rows {
        let counts = select(
            table,
            &self.request.subarray,
            &dimension_types(&self.schema),
            self.repeats,
        );
        let mut rows: Rows = counts.map(|counts| {
            let mut rows = Vec::with_capacity(counts.len());
            for (row, &count) in (0_u32..).zip(&counts) {
                rows.extend(std::iter::repeat_n(row, count as usize));
            }
            rows
        });
        self.visibility.filter_times(table, &mut rows);
        rows
    }

    /// What the cells of a table are put in order by.
    pub(crate) fn keys<'a>(&self, table: &'a CellTable, coordinates: &'a Coordinates) -> Keys<'a> {
        row_keys(&self.schema, table, coordinates, self.merge_order())
    }

    /// Puts selected cells in order, and of equal ones keeps the newest, as far as the plan says so.
    pub(crate) fn merge(&self, array: &Snapshot, table: &CellTable, rows: Rows) -> Rows {
        if !self.sorts {
            return rows;
        }
        let (rows, _) = self.merge_between(array, table, rows, (None, None));
        Some(rows)
    }

    /// Puts selected cells in order, and of those of which all that come before are in memory does as [`SparsePlan::merge`];
    /// the others are given back as they are, in the order of the table. All are in memory that come before the second
    /// frontier, and all were given out that come before the first.
    pub(crate) fn merge_between(
        &self,
        array: &Snapshot,
        table: &CellTable,
        rows: Rows,
        (reached, frontier): (Option<&Frontier>, Option<&Frontier>),
    ) -> (Vec<u32>, Vec<u32>) {
        let coordinates = Coordinates::new(table, self.schema.dimensions.len());
        let keys = self.keys(table, &coordinates);
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        keys.sort(&mut rows);
        let mut behind = Vec::new();
        let comparator = CellComparator::new(&self.schema, sort_order(self.merge_order()));
        let columns = coordinates.columns(table);
        let before = |rows: &[u32], frontier: &Frontier| {
            let corner = frontier.corner.columns();
            rows.partition_point(|&row| {
                let order = comparator.compare_rows(&columns, row as usize, &corner, 0);
                order.is_lt() || (order.is_eq() && frontier.is_loaded)
            })
        };
        if let Some(reached) = reached.filter(|_| self.deduplicates) {
            // Cells that are equal to the last one: it was the newest of them.
            rows.drain(..before(&rows, reached));
        }
        if let Some(frontier) = frontier {
            behind = rows.split_off(before(&rows, frontier));
            behind.sort_unstable();
        }
        self.settle(array, table, &keys, &mut rows);
        (rows, behind)
    }

    /// Whether no fragment can have two cells with the same coordinates.
    pub(crate) fn is_distinct(&self) -> bool {
        // Zeros of either sign are equal, and a fragment may have both.
        let mut types = self.schema.dimensions.iter();
        !self.schema.allows_duplicates
            && self.fragments.iter().all(|f| !f.has_timestamps)
            && types.all(|dimension| !dimension.datatype.is_real())
    }

    /// Of sorted cells with equal coordinates, keeps the newest, or puts it first, as far as the plan says so.
    pub(crate) fn settle(
        &self,
        array: &Snapshot,
        table: &CellTable,
        keys: &Keys<'_>,
        rows: &mut Vec<u32>,
    ) {
        if self.request.versions != Versions::Current {
            newest_first(array, table, keys, rows);
        }
        if !self.deduplicates {
            return;
        }
        let newer = |row: u32, kept: u32| {
            let (a, b) = (time_of(array, table, row), time_of(array, table, kept));
            a > b || (a == b && is_later_fragment(table, row, kept))
        };
        keep_newest(keys, rows, newer);
    }

    /// Leaves out what fails the condition, whose fields are loaded.
    ///
    /// Not before the newest of equal cells are known: one that fails hides older ones all the same.
    pub(crate) fn apply_condition(
        &self,
        table: &CellTable,
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        if let Some(condition) = &self.request.condition {
            let keep = condition.evaluate(table)?;
            filter(rows, table.rows, |row| {
                keep.get(row as usize).is_some_and(|&k| k != 0)
            });
        }
        Ok(())
    }

    /// The result's columns out of the table's, which are given away.
    pub(crate) fn columns(
        &self,
        table: &mut CellTable,
        rows: Option<&[u32]>,
    ) -> Result<Batch, QueryError> {
        let count = rows.map_or(table.rows, <[u32]>::len);
        // Without rows nothing was loaded.
        self.request.batch(count, |field| {
            Ok(gather(table.take(field).unwrap_or_default(), rows)?)
        })
    }

    /// Columns of some rows, which leave the table as it is.
    pub(crate) fn columns_of(&self, table: &CellTable, rows: &[u32]) -> Result<Batch, QueryError> {
        self.request.batch(rows.len(), |field| {
            let picked = table.column(field).map(|column| column.at(rows));
            Ok(gather(picked.transpose()?.unwrap_or_default(), None)?)
        })
    }
}

pub(crate) fn segment_rows(segment: &Segment) -> impl Iterator<Item = u32> + use<> {
    let number = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    number(segment.rows.start)..number(segment.rows.end)
}

pub(crate) fn all_rows(table: &CellTable) -> Vec<u32> {
    table.segments.iter().flat_map(segment_rows).collect()
}

/// Puts the newest first of sorted cells with equal coordinates.
fn newest_first(array: &Snapshot, table: &CellTable, keys: &Keys<'_>, rows: &mut [u32]) {
    let equal = |a: &u32, b: &u32| keys.compare(*a, *b).is_eq();
    for same in rows.chunk_by_mut(equal).filter(|same| same.len() > 1) {
        let age = |row: &u32| {
            let newest = (time_of(array, table, *row), segment_of(table, *row));
            (std::cmp::Reverse(newest), *row)
        };
        same.sort_by_cached_key(age);
    }
}

fn segment_of(table: &CellTable, row: u32) -> usize {
    let segments = &table.segments;
    segments.partition_point(|s| s.rows.end <= row as usize)
}

fn is_later_fragment(table: &CellTable, a: u32, b: u32) -> bool {
    segment_of(table, a) > segment_of(table, b)
}

/// Keeps rows; where all are still in place, first writes them down.
pub(crate) fn filter(rows: &mut Rows, count: usize, keep: impl Fn(u32) -> bool) {
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
