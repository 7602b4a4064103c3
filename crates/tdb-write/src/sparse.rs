//! Writes cells of sparse arrays in global order, and sorts unordered ones.

use std::sync::Arc;

use tdb_cells::{CellProblem, Keys, Row, RowRange};
use tdb_schema::ArraySchema;
use tdb_schema::order::{CellComparator, SortOrder};
use tdb_tile::{Bug, Exact};

use crate::buffered_cells::JoinedCells;
use crate::coordinates::keys;
use crate::copies::{Copies, Ends};
use crate::gather::{Rows, Sequence, pick_cells};
use crate::input::CheckedCells;
use crate::metadata::Shape;
use crate::options::Duplicates;
use crate::repeated::{DuplicateRule, RepeatedCell, StoredCells};
use crate::series::Series;
use crate::target::FragmentTarget;
use crate::tile::bound;
use crate::written_tiles::WrittenTiles;
use crate::{OrderProblem, WriteError};

/// Writes a stream of cells in global order, divided into tiles.
#[derive(Debug)]
pub(crate) struct OrderedWriter {
    target: Arc<FragmentTarget>,
    series: Series,
    rule: DuplicateRule,
    /// The first cells with the same coordinates, if these are to be found.
    repeated: Option<RepeatedCell>,
    comparator: CellComparator,
    /// Cells of the last, incomplete tile.
    pending: Vec<CheckedCells>,
    pending_rows: usize,
    /// Index and coordinates of the last cell.
    last: Option<(u64, Vec<Vec<u8>>)>,
    /// Number of cells so far.
    seen: u64,
}

impl OrderedWriter {
    pub(crate) fn new(target: &Arc<FragmentTarget>, series: Series, rule: DuplicateRule) -> Self {
        Self {
            target: Arc::clone(target),
            series,
            rule,
            repeated: None,
            comparator: CellComparator::new(&target.schema, SortOrder::Global),
            pending: Vec::new(),
            pending_rows: 0,
            last: None,
            seen: 0,
        }
    }

    fn capacity(&self) -> usize {
        bound(self.target.schema.capacity).max(1)
    }

    /// Adds cells, which must be within the domain.
    pub(crate) fn push(&mut self, cells: &CheckedCells) -> Result<(), WriteError> {
        if cells.rows == 0 {
            return Ok(());
        }
        let count = check_rows(cells.rows)?;
        let skip = self.check_joint(&coordinates_of(&self.target.schema, cells, 0)?)?;
        let keys = keys(&self.target.schema, cells)?;
        let rows = self.check_order(&keys, count, skip)?;
        self.remember(cells)?;
        self.seen = self.seen.exact_add(cells.rows as u64)?;
        match rows {
            Rows::InPlace(rows) => self.take(cells, rows),
            Rows::Picked(rows) => {
                let kept = pick_cells(cells, &rows)?;
                self.take(&kept, 0..kept.rows)
            }
        }
    }

    /// Compares the next cell with the one before it; returns whether it is a duplicate to leave out.
    fn check_joint(&mut self, first: &[Vec<u8>]) -> Result<bool, WriteError> {
        let Some((other, last)) = &self.last else {
            return Ok(false);
        };
        let other = *other;
        let last: Vec<&[u8]> = last.iter().map(Vec::as_slice).collect();
        let first: Vec<&[u8]> = first.iter().map(Vec::as_slice).collect();
        let ordering = self.comparator.compare(&last, &first);
        self.judge(ordering, self.seen, other)
    }

    /// Decides whether a cell is left out, given the order of the cell before it relative to it; fails if they are out
    /// of order. Remembers the first kept cell that has the coordinates of the one before it.
    fn judge(
        &mut self,
        ordering: std::cmp::Ordering,
        cell: u64,
        other: u64,
    ) -> Result<bool, WriteError> {
        let problem = match (ordering, self.rule.duplicates) {
            (std::cmp::Ordering::Less, _) => return Ok(false),
            (std::cmp::Ordering::Equal, Duplicates::Keep) => {
                if self.rule.finds_first {
                    self.repeated.get_or_insert(RepeatedCell { cell, other });
                }
                return Ok(false);
            }
            (std::cmp::Ordering::Equal, Duplicates::First) => return Ok(true),
            (std::cmp::Ordering::Equal, _) => CellProblem::Duplicate { other },
            _ => CellProblem::NotSorted { other },
        };
        Err(cell_error(&self.target.schema, cell, problem))
    }

    /// Checks the order of cells; returns the cells to write, without duplicates to leave out.
    fn check_order(
        &mut self,
        keys: &Keys<'_>,
        rows: RowRange,
        skip: bool,
    ) -> Result<Rows, WriteError> {
        let mut kept: Option<Vec<Row>> = skip.then(Vec::new);
        let keeps_equal = self.rule.duplicates == Duplicates::Keep;
        let takes_equal = self.rule.keeps_unseen() || (keeps_equal && self.repeated.is_some());
        if !skip
            && keys
                .order(rows.iter())
                .is_some_and(|are_distinct| are_distinct || takes_equal)
        {
            return Ok(Rows::InPlace(rows.indices()));
        }
        for (before, row) in rows.iter().zip(rows.iter().skip(1)) {
            let ordering = keys.compare(before, row);
            let cell = self.seen + row.index() as u64;
            if ordering.is_lt() {
                if let Some(kept) = &mut kept {
                    kept.push(row);
                }
            } else if self.judge(ordering, cell, cell - 1)? {
                kept.get_or_insert_with(|| rows.iter().take(row.index()).collect());
            } else if let Some(kept) = &mut kept {
                kept.push(row);
            }
        }
        Ok(kept.map_or(Rows::InPlace(rows.indices()), Rows::Picked))
    }

    fn remember(&mut self, cells: &CheckedCells) -> Result<(), WriteError> {
        let last = cells.rows.exact_sub(1)?;
        let number = self.seen.exact_add(last as u64)?;
        let coordinates = coordinates_of(&self.target.schema, cells, last)?;
        self.last = Some((number, coordinates));
        Ok(())
    }

    /// Writes full tiles of cells, and buffers the rest.
    fn take(
        &mut self,
        cells: &CheckedCells,
        rows: std::ops::Range<usize>,
    ) -> Result<(), WriteError> {
        let capacity = self.capacity();
        let mut rest = rows;
        if self.pending_rows > 0 {
            let head = (capacity - self.pending_rows).min(rest.len());
            let middle = rest.start + head;
            self.wait(cells, rest.start..middle)?;
            rest.start = middle;
            if self.pending_rows == capacity {
                self.flush()?;
            }
        }
        let whole = rest.len() / capacity * capacity;
        if whole > 0 {
            let rows = Rows::InPlace(rest.start..rest.start + whole);
            let source = Sequence {
                cells,
                rows: &rows,
                capacity,
            };
            self.series.append(&source, 0..source.tiles())?;
            rest.start += whole;
        }
        self.wait(cells, rest)
    }

    /// Whether the last tile is full, so that whole tiles may be copied next.
    pub(crate) fn is_between_tiles(&self) -> bool {
        self.pending_rows == 0
    }

    /// Copies whole tiles, which must follow the cells so far in order.
    pub(crate) fn copy(&mut self, copies: &Copies<'_>) -> Result<(), WriteError> {
        if copies.whole.tiles.is_empty() {
            return Ok(());
        }
        if self.pending_rows > 0 || copies.whole.cells != self.capacity() {
            return Err(WriteError::Order(OrderProblem::WithinTile));
        }
        self.series
            .append(copies, 0..copies.whole.tiles.len() as u64)?;
        // The coordinates are known once the tiles are decoded. Tiles in the wrong place are part of no commit.
        let Ends { first, last } = copies.ends()?;
        if self.check_joint(&first)? {
            return Err(WriteError::Order(OrderProblem::Repeated));
        }
        self.seen = self.seen.exact_add(copies.whole.rows()?)?;
        self.last = Some((self.seen - 1, last));
        Ok(())
    }

    /// Buffers a copy of cells, so that their batch can be released.
    fn wait(
        &mut self,
        cells: &CheckedCells,
        rows: std::ops::Range<usize>,
    ) -> Result<(), WriteError> {
        if !rows.is_empty() {
            self.pending_rows += rows.len();
            self.pending.push(CheckedCells::join(&[(cells, rows)])?);
        }
        Ok(())
    }

    /// Writes the buffered cells as a tile; returns their number.
    fn flush(&mut self) -> Result<usize, WriteError> {
        let pending = std::mem::take(&mut self.pending);
        let parts: Vec<_> = pending.iter().map(|cells| (cells, 0..cells.rows)).collect();
        let cells = CheckedCells::join(&parts)?;
        let count = std::mem::take(&mut self.pending_rows);
        if count > 0 {
            let rows = Rows::InPlace(0..count);
            let source = Sequence {
                cells: &cells,
                rows: &rows,
                capacity: self.capacity(),
            };
            self.series.append(&source, 0..1)?;
        }
        Ok(count)
    }

    /// Abandons the fragment. The second value gives access to the cells so far, if there are any.
    pub(crate) fn give_up(mut self) -> Result<(Series, Option<WrittenTiles>), WriteError> {
        let last_tile_cells = match self.flush()? {
            0 => self.capacity(),
            cells => cells,
        };
        let written = self.series.give_up(last_tile_cells)?;
        Ok((self.series, written))
    }

    pub(crate) fn finish(mut self) -> Result<StoredCells, WriteError> {
        let last_tile_cells = match self.flush()? {
            0 => self.target.schema.capacity,
            cells => cells as u64,
        };
        self.series.seal(Shape::Sparse { last_tile_cells })?;
        Ok(StoredCells {
            series: self.series,
            repeated: self.repeated,
        })
    }
}

/// Sorts cells, which must be within the domain, and writes them.
pub(crate) fn write_sorted(
    target: &FragmentTarget,
    mut series: Series,
    held: JoinedCells,
    rule: DuplicateRule,
) -> Result<StoredCells, WriteError> {
    let cells = &held.cells;
    let SortedRows { rows, repeated } = target
        .session
        .install(|| sorted_rows(&target.schema, cells, rule))?;
    let capacity = bound(target.schema.capacity).max(1);
    let source = Sequence {
        cells,
        rows: &rows,
        capacity,
    };
    series.append(&source, 0..source.tiles())?;
    let last_tile_cells = match rows.len() % capacity {
        0 => capacity,
        cells => cells,
    } as u64;
    // The metadata kept of the cells may take as much memory as the cells did.
    drop(held);
    series.seal(Shape::Sparse { last_tile_cells })?;
    Ok(StoredCells { series, repeated })
}

/// Rows in global order, without duplicates to leave out.
pub(crate) struct SortedRows {
    pub(crate) rows: Rows,
    /// The first cells in input order that repeat coordinates, if these are to be found.
    pub(crate) repeated: Option<RepeatedCell>,
}

impl From<Rows> for SortedRows {
    fn from(rows: Rows) -> Self {
        Self {
            rows,
            repeated: None,
        }
    }
}

/// Sorts cells in global order.
pub(crate) fn sorted_rows(
    schema: &ArraySchema,
    cells: &CheckedCells,
    rule: DuplicateRule,
) -> Result<SortedRows, WriteError> {
    let count = check_rows(cells.rows)?;
    let keys = keys(schema, cells)?;
    let in_place = keys.order(count.iter());
    if in_place.is_some_and(|are_distinct| are_distinct || rule.keeps_unseen()) {
        return Ok(Rows::InPlace(0..cells.rows).into());
    }
    let sorted = keys.sorted(count)?;
    if rule.keeps_unseen() {
        return Ok(Rows::Picked(sorted.into_rows()).into());
    }
    if rule.duplicates == Duplicates::First {
        return Ok(Rows::Picked(sorted.firsts()).into());
    }
    let first = sorted.repeated().min();
    let repeated = first.map(|(cell, other)| RepeatedCell {
        cell: cell.index() as u64,
        other: other.index() as u64,
    });
    if let (Some(RepeatedCell { cell, other }), Duplicates::Error) = (repeated, rule.duplicates) {
        return Err(cell_error(schema, cell, CellProblem::Duplicate { other }));
    }
    Ok(SortedRows {
        rows: Rows::Picked(sorted.into_rows()),
        repeated,
    })
}

/// Returns row numbers for `rows` cells; fails if there are too many to be sorted together.
pub(crate) fn check_rows(rows: usize) -> Result<RowRange, WriteError> {
    RowRange::first(rows).map_err(|_| WriteError::TooManyCells { cells: rows as u64 })
}

/// The error for a cell whose coordinates are wrong; it names the first dimension.
pub(crate) fn cell_error(schema: &ArraySchema, cell: u64, problem: CellProblem) -> WriteError {
    match schema.dimensions.first() {
        Some(dimension) => WriteError::Cell {
            field: dimension.name.clone(),
            cell,
            problem,
        },
        None => Bug::new("coordinates without a dimension").into(),
    }
}

pub(crate) fn coordinates_of(
    schema: &ArraySchema,
    cells: &CheckedCells,
    row: usize,
) -> Result<Vec<Vec<u8>>, Bug> {
    let inputs = cells.first_fields(schema.dimensions.len())?.iter();
    inputs.map(|input| Ok(input.cell(row)?.to_vec())).collect()
}
