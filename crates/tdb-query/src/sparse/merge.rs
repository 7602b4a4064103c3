//! Merges decoded cells: selects those of the result, sorts them, and keeps the newest of those with the same
//! coordinates, without cells that are deleted or fail the condition.

use tdb_array::Snapshot;
use tdb_cells::{Batch, CellTable, Keys, Row, SortedRows, TableColumn, gather, threads};
use tdb_schema::order::CellComparator;
use tdb_tile::Bug;

use super::cursors::Frontier;
use super::plan::SparsePlan;
use super::row_keys::{Coordinates, dimension_types, row_keys};
use super::row_times::RowTimes;
use super::rows::{Rows, keep_in};
use super::select::select;
use crate::QueryError;
use crate::options::Versions;

/// The next rows of a result in its order, and the later rows in the order of the table.
pub(crate) type Split = (Vec<Row>, Vec<Row>);

impl SparsePlan {
    /// Returns the cells that lie within the subarray and the time window, in the order of the table.
    ///
    /// The [deciding fields](SparsePlan::deciding_fields) must be loaded.
    pub(crate) fn select(&self, table: &CellTable) -> Result<Rows, QueryError> {
        let counts = select(
            table,
            &self.request.subarray,
            &dimension_types(&self.schema),
            self.repeats,
        )?;
        let mut rows: Rows = counts.map(|counts| {
            let mut rows = Vec::with_capacity(counts.len());
            for (row, &count) in table.rows().iter().zip(&counts) {
                rows.extend(std::iter::repeat_n(row, count as usize));
            }
            rows
        });
        if self.filters_time {
            self.visibility.filter_times(table, &mut rows)?;
        }
        Ok(rows)
    }

    /// Returns the sort keys of the cells of a table.
    pub(crate) fn keys<'a>(
        &self,
        table: &'a CellTable,
        coordinates: &'a Coordinates,
    ) -> Result<Keys<'a>, Bug> {
        row_keys(
            &self.schema,
            table,
            coordinates,
            self.request.merge_order().sort_order(),
        )
    }

    /// Sorts selected cells, and keeps only the newest of equal ones if the plan requires that.
    pub(crate) fn merge(
        &self,
        array: &Snapshot,
        table: &CellTable,
        rows: Rows,
    ) -> Result<Rows, QueryError> {
        // A slab without cells has no columns either.
        if !self.sorts || table.rows().is_empty() {
            return Ok(rows);
        }
        let (rows, _) = self.merge_between(array, table, rows, (None, None))?;
        Ok(Some(rows))
    }

    /// Merges a part of the selected cells: sorts them, and handles those before `frontier` as [`SparsePlan::merge`]
    /// does, since all cells before it are in memory. The others are returned unchanged, in the order of the table.
    /// All cells before `reached` were returned earlier.
    ///
    /// Cells equal to the frontier count as before it only if all of their equals are loaded: otherwise an older
    /// version could be returned before the newest is known.
    pub(crate) fn merge_between(
        &self,
        array: &Snapshot,
        table: &CellTable,
        rows: Rows,
        (reached, frontier): (Option<&Frontier>, Option<&Frontier>),
    ) -> Result<Split, QueryError> {
        let coordinates = Coordinates::new(table, self.schema.dimensions.len())?;
        let keys = self.keys(table, &coordinates)?;
        let mut sorted = match rows {
            Some(rows) => keys.sorted(&rows[..])?,
            None => keys.sorted(table.rows())?,
        };
        let mut behind = Vec::new();
        let comparator = CellComparator::new(&self.schema, self.request.merge_order().sort_order());
        let columns = coordinates.columns(table)?;
        let before = |rows: &[Row], frontier: &Frontier| {
            let corner = frontier.corner.columns();
            rows.partition_point(|&row| {
                let order = comparator.compare_rows(&columns, row.index(), &corner, 0);
                order.is_lt() || (order.is_eq() && frontier.is_loaded)
            })
        };
        if let Some(reached) = reached.filter(|_| self.deduplicates) {
            // Skips cells that are equal to the last one returned, which was the newest of them.
            sorted.skip(before(sorted.rows(), reached));
        }
        if let Some(frontier) = frontier {
            behind = sorted.split_off(before(sorted.rows(), frontier));
            threads::sort(&mut behind)?;
        }
        Ok((self.settle(array, table, sorted)?, behind))
    }

    /// True if no fragment can have two cells with the same coordinates.
    pub(crate) fn is_distinct(&self) -> bool {
        // Zeros of either sign are equal, and a fragment may have both.
        let mut types = self.schema.dimensions.iter();
        !self.schema.allows_duplicates
            && !self.has_timestamps
            && types.all(|dimension| !dimension.datatype.is_real())
    }

    /// Handles sorted cells with equal coordinates: keeps the newest, or puts it first, as the plan requires.
    fn settle(
        &self,
        array: &Snapshot,
        table: &CellTable,
        mut sorted: SortedRows,
    ) -> Result<Vec<Row>, QueryError> {
        if sorted.are_distinct() {
            return Ok(sorted.into_rows());
        }
        if self.request.versions != Versions::Current {
            newest_first(array, table, &mut sorted)?;
        }
        if !self.deduplicates {
            return Ok(sorted.into_rows());
        }
        let times = RowTimes::new(array, table)?;
        sorted.newest(|row, kept| Ok(times.age(row)? > times.age(kept)?))
    }

    /// Drops cells that fail the condition, whose fields must be loaded.
    ///
    /// Not before the newest of equal cells are known: a cell that fails still hides older ones.
    pub(crate) fn apply_condition(
        &self,
        table: &CellTable,
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        if let Some(condition) = &self.request.condition {
            keep_in(rows, &condition.evaluate(table)?)?;
        }
        Ok(())
    }

    /// Makes a batch of the result's columns, which are taken out of the table.
    pub(crate) fn columns(
        &self,
        table: &mut CellTable,
        rows: Option<&[Row]>,
    ) -> Result<Batch, QueryError> {
        let count = rows.map_or(table.rows().len(), <[Row]>::len);
        self.request.batch(count, |field| {
            let column = table.take(field);
            Ok(gather(column.map_or_else(|| not_loaded(count), Ok)?, rows)?)
        })
    }
}

/// Returns the column of a field that was not loaded because no row was left.
fn not_loaded(rows: usize) -> Result<TableColumn, Bug> {
    if rows > 0 {
        return Err(Bug::new("a column of the result was not loaded"));
    }
    Ok(TableColumn::default())
}

/// Orders sorted cells with equal coordinates newest first.
fn newest_first(
    array: &Snapshot,
    table: &CellTable,
    sorted: &mut SortedRows,
) -> Result<(), QueryError> {
    let times = RowTimes::new(array, table)?;
    sorted.order_equal(|same| {
        let mut aged = same
            .iter()
            .map(|&row| Ok((std::cmp::Reverse(times.age(row)?), row)))
            .collect::<Result<Vec<_>, QueryError>>()?;
        aged.sort_unstable();
        for (place, (_, row)) in same.iter_mut().zip(aged) {
            *place = row;
        }
        Ok(())
    })
}
