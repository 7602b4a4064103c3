//! Buffers unordered cells and sorts them before they are written.

use std::sync::Arc;

use tdb_schema::order::{CellComparator, Column, SortOrder};
use tdb_tile::{Bug, Exact, LimitError};

use crate::WriteError;
use crate::buffered_cells::BufferedCells;
use crate::coordinates::{columns, keys};
use crate::gather::{Rows, pick_cells};
use crate::input::CheckedCells;
use crate::options::Duplicates;
use crate::repeated::{DuplicateRule, StoredCells};
use crate::runs::{MOST_MERGED, Runs};
use crate::series::Series;
use crate::sparse::{OrderedWriter, check_rows, coordinates_of, sorted_rows, write_sorted};
use crate::target::FragmentTarget;
use crate::tile::bound;

/// Maximum size in bytes of a tile for which buffered batches are written one by one instead of being joined first.
const MOST_COPIED: usize = 16 << 20;

/// Size of a block of a run in bytes, if `most` bytes are sorted at a time: one block of each of [`MOST_MERGED`] runs
/// fits into that memory.
fn bytes_of_block(most: usize) -> usize {
    most / MOST_MERGED
}

/// Number of cells at the beginning of a batch that are compared before sort keys are computed for all of them.
const LOOKED_AT: usize = 1 << 10;

fn too_many(limit: LimitError) -> WriteError {
    let hint = "sorted outside of memory, with a `sort_store`, they take less";
    WriteError::BufferedCells { limit, hint }
}

/// Buffers cells until all have arrived or they take too much memory. In the latter case, they are written immediately
/// if all cells so far arrived in global order and the write has a single fragment; otherwise they are spilled as a
/// sorted run. If a cell arrives out of order after others were written, these are read again and merged like a run.
#[derive(Debug)]
pub(crate) struct UnorderedWriter {
    target: Arc<FragmentTarget>,
    out: Out,
    rule: DuplicateRule,
    order: OrderSoFar,
    waiting: BufferedCells,
    /// The store for sorted runs, and the number of bytes of cells above which a run is spilled.
    runs: Option<(Runs, usize)>,
}

#[derive(Debug)]
enum Out {
    /// No cell is written yet.
    Unwritten(Box<Series>),
    /// Cells are written as they arrive, in global order.
    InOrder(Box<OrderedWriter>),
    /// The write has failed.
    Failed,
}

/// Tracks whether cells arrive in global order, so that they can be written immediately.
#[derive(Debug)]
struct OrderSoFar {
    /// Whether all cells so far are in order.
    holds: bool,
    /// Whether cells with equal coordinates count as in order.
    takes_equal: bool,
    comparator: CellComparator,
    /// Coordinates of the last cell.
    last: Option<Vec<Vec<u8>>>,
}

impl OrderSoFar {
    fn new(target: &FragmentTarget, rule: DuplicateRule) -> Self {
        Self {
            holds: true,
            // If duplicates are an error, it is reported after all cells are sorted, so that it names the first one.
            takes_equal: rule.duplicates != Duplicates::Error,
            comparator: CellComparator::new(&target.schema, SortOrder::Global),
            last: None,
        }
    }

    /// Checks the next cells.
    fn see(&mut self, target: &FragmentTarget, cells: &CheckedCells) -> Result<(), WriteError> {
        if self.holds && cells.rows > 0 {
            self.holds = self.follow(target, cells)?;
        }
        Ok(())
    }

    fn follow(
        &mut self,
        target: &FragmentTarget,
        cells: &CheckedCells,
    ) -> Result<bool, WriteError> {
        let schema = &target.schema;
        let first = coordinates_of(schema, cells, 0)?;
        let takes_equal = self.takes_equal;
        let is_next =
            |ordering: std::cmp::Ordering| ordering.is_lt() || (takes_equal && ordering.is_eq());
        if let Some(last) = &self.last {
            let last: Vec<&[u8]> = last.iter().map(Vec::as_slice).collect();
            let first: Vec<&[u8]> = first.iter().map(Vec::as_slice).collect();
            if !is_next(self.comparator.compare(&last, &first)) {
                return Ok(false);
            }
        }
        if !self.begin_in_order(&columns(schema, cells)?, cells.rows) {
            return Ok(false);
        }
        let order = keys(schema, cells)?.order(check_rows(cells.rows)?.iter());
        if !order.is_some_and(|are_distinct| are_distinct || takes_equal) {
            return Ok(false);
        }
        self.last = Some(coordinates_of(schema, cells, cells.rows.exact_sub(1)?)?);
        Ok(true)
    }

    /// Whether the first cells are in order. Unordered cells usually fail here, before any sort key is computed.
    fn begin_in_order(&self, columns: &[Column<'_>], rows: usize) -> bool {
        let pairs = (1..rows.min(LOOKED_AT))
            .map(|row| self.comparator.compare_rows(columns, row - 1, columns, row));
        pairs.into_iter().all(|order| order.is_le())
    }
}

impl UnorderedWriter {
    pub(crate) fn new(target: &Arc<FragmentTarget>, series: Series, rule: DuplicateRule) -> Self {
        Self {
            target: Arc::clone(target),
            out: Out::Unwritten(Box::new(series)),
            rule,
            order: OrderSoFar::new(target, rule),
            waiting: BufferedCells::within(Some(target.session.limits().budget.clone())),
            runs: None,
        }
    }

    /// Makes cells spill to `runs` when they take more than `most` bytes.
    pub(crate) fn keep_runs(&mut self, runs: Runs, most: u64) {
        self.runs = Some((runs, bound(most)));
    }

    /// Adds cells, which must be within the domain.
    pub(crate) fn push(&mut self, cells: CheckedCells) -> Result<(), WriteError> {
        self.order.see(&self.target, &cells)?;
        match std::mem::replace(&mut self.out, Out::Failed) {
            Out::InOrder(mut ordered) if self.order.holds => {
                ordered.push(&cells)?;
                self.out = Out::InOrder(ordered);
                return Ok(());
            }
            Out::InOrder(ordered) => {
                self.out = Out::Unwritten(Box::new(self.read_again(*ordered)?))
            }
            out @ (Out::Unwritten(_) | Out::Failed) => self.out = out,
        }
        self.waiting.push(cells, too_many)?;
        let bytes = self.waiting.bytes();
        if self.runs.as_ref().is_none_or(|(_, most)| bytes <= *most) {
            return Ok(());
        }
        if self.order.holds && self.is_one_fragment() {
            return self.write_waiting();
        }
        match &mut self.runs {
            Some((runs, most)) => spill(&self.target, &mut self.waiting, runs, *most),
            None => Ok(()),
        }
    }

    /// Whether nothing is written yet and all cells go into a single fragment, which could be abandoned as a whole.
    fn is_one_fragment(&self) -> bool {
        matches!(&self.out, Out::Unwritten(series) if series.is_one_fragment())
    }

    /// Whether buffered cells, which are in order, take less memory if they are written batch by batch: then only
    /// parts of tiles are copied, instead of all cells.
    fn are_better_apart(&self) -> bool {
        let row = self.waiting.bytes() / self.waiting.rows().max(1);
        let most = MOST_COPIED.min(self.waiting.bytes() / 4);
        let rows = most.checked_div(row);
        let is_little = rows.is_none_or(|rows| bound(self.target.schema.capacity) <= rows);
        self.waiting.parts() > 1 && is_little
    }

    /// Writes all buffered cells, which are in global order; later cells are written as they arrive.
    fn write_waiting(&mut self) -> Result<(), WriteError> {
        let Out::Unwritten(series) = std::mem::replace(&mut self.out, Out::Failed) else {
            return Err(Bug::new("cells wait while others are written").into());
        };
        let mut ordered = OrderedWriter::new(&self.target, *series, self.rule);
        self.waiting.for_each(|cells| ordered.push(cells))?;
        self.out = Out::InOrder(Box::new(ordered));
        Ok(())
    }

    /// Abandons the written cells, so that they can be read again and merged with the others.
    fn read_again(&mut self, ordered: OrderedWriter) -> Result<Series, WriteError> {
        let (series, written) = ordered.give_up()?;
        if let (Some((runs, _)), Some(written)) = (&mut self.runs, written) {
            runs.add_written(written);
        }
        Ok(series)
    }

    pub(crate) fn finish(mut self) -> Result<StoredCells, WriteError> {
        let runs = self.runs.take().filter(|(runs, _)| !runs.is_empty());
        if let (None, Out::Unwritten(_)) = (&runs, &self.out)
            && self.order.holds
            && self.are_better_apart()
        {
            self.write_waiting()?;
        }
        let series = match self.out {
            Out::InOrder(ordered) => return ordered.finish(),
            Out::Unwritten(series) => *series,
            Out::Failed => return Err(WriteError::Failed),
        };
        let Some((mut runs, most)) = runs else {
            let held = self.waiting.join(too_many)?;
            return match held.cells.rows {
                0 => Ok(series.into()),
                _ => write_sorted(&self.target, series, held, self.rule),
            };
        };
        spill(&self.target, &mut self.waiting, &mut runs, most)?;
        let mut ordered = OrderedWriter::new(&self.target, series, self.rule);
        let block = bytes_of_block(most);
        runs.merge(&self.target.schema, block, |cells| ordered.push(cells))?;
        ordered.finish()
    }
}
/// Sorts the buffered cells and spills them as a run.
fn spill(
    target: &FragmentTarget,
    waiting: &mut BufferedCells,
    runs: &mut Runs,
    most: usize,
) -> Result<(), WriteError> {
    let held = waiting.join(too_many)?;
    let cells = &held.cells;
    if cells.rows == 0 {
        return Ok(());
    }
    let schema = &target.schema;
    // Duplicates are found when runs are merged.
    let sort = || sorted_rows(schema, cells, DuplicateRule::KEEP);
    let rows = match target.session.install(sort)?.rows {
        Rows::Picked(rows) => rows,
        Rows::InPlace(rows) => check_rows(rows.end)?.iter().skip(rows.start).collect(),
    };
    let size = cells.size_in_memory().div_ceil(cells.rows).max(1);
    let block = (bytes_of_block(most) / size).max(1);
    runs.add(rows.chunks(block).map(|rows| pick_cells(cells, rows)))?;
    drop(held);
    runs.merge_some(&target.schema, bytes_of_block(most))
}
