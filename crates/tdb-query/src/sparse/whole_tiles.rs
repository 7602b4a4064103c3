//! Finds tiles that need no merging, because no cell of another fragment comes between theirs.

use std::cmp::Ordering;

use tdb_cells::{RowRange, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, SortOrder};
use tdb_tile::Bug;

use super::first_cell::{Cell, FirstCell};
use super::fragment_plan::FragmentPlan;
use super::plan::PlanIndex;
use super::read::SparseRead;
use crate::QueryError;
use crate::options::Versions;
use crate::piece::{Decoded, DecodedCells, Piece};

/// What turns a piece into cells.
pub(crate) type Decode<'a> = &'a dyn Fn(Piece) -> Result<Decoded, QueryError>;

impl SparseRead {
    /// The next cells, if they are all those of full tiles of one fragment that `allows` says yes to. `decode` gives the
    /// coordinates of the tiles that are looked at.
    pub(crate) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        decode: Decode<'_>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        // The batch before is written.
        self.held.clear();
        if !self.is_between_batches() || !self.gives_all_cells() {
            return Ok(None);
        }
        let comparator = CellComparator::new(&self.plan.schema, SortOrder::Global);
        let compare = |a: &Cell, b: &Cell| {
            let a: Vec<&[u8]> = a.iter().map(Vec::as_slice).collect();
            let b: Vec<&[u8]> = b.iter().map(Vec::as_slice).collect();
            comparator.compare(&a, &b)
        };
        let mut firsts = self.first_cells(decode)?;
        firsts.sort_by(|(_, a), (_, b)| compare(a, b));
        let mut firsts = firsts.into_iter();
        let Some((at, _)) = firsts.next() else {
            return Ok(None);
        };
        let other = firsts.next().map(|(_, cell)| cell);
        let is_before = |last: &Cell| {
            let ordering = other.as_ref().map(|other| compare(last, other));
            ordering.is_none_or(Ordering::is_lt)
        };
        let plan = self.plan.fragment(at).map_err(QueryError::from)?;
        if !self.keeps_all(plan) || !allows(plan.fragment)? {
            return Ok(None);
        }
        let count = self.tiles_before(decode, at, &is_before)?;
        Ok(self.take_tiles(at, count)?)
    }

    /// Whether all cells that are stored are part of the result, each once.
    fn gives_all_cells(&self) -> bool {
        let (plan, request) = (&self.plan, &self.plan.request);
        plan.can_stop()
            && plan.fragments.iter().all(|fragment| fragment.in_order)
            && !plan.visibility.has_deletes()
            && request.condition.is_none()
            && request.subarray.is_all()
            && request.limit == u64::MAX
    }

    /// Whether that goes for cells with the same coordinates in this fragment, too.
    fn keeps_all(&self, plan: &FragmentPlan) -> bool {
        let is_merged =
            self.plan.request.versions == Versions::Current && !self.plan.schema.allows_duplicates;
        !(plan.filters_time || plan.has_timestamps && is_merged)
    }

    /// The next cell of each fragment that has more, by its place in the plan. Where a fragment stands as before, its
    /// tile is not read again.
    fn first_cells(&mut self, decode: Decode<'_>) -> Result<Vec<(PlanIndex, Cell)>, QueryError> {
        let mut firsts = Vec::new();
        let places: Vec<PlanIndex> = self.plan.numbered().map(|(at, _)| at).collect();
        for at in places {
            let tile = self.cursors.tile(at)?;
            let planned = self.plan.fragment(at)?.tiles.get(tile);
            let Some(number) = planned.map(|planned| planned.tile) else {
                continue;
            };
            let known = self.firsts.get(&at).filter(|first| first.tile == number);
            let cell = match known.map(|first| first.cell.clone()) {
                Some(cell) => cell,
                None => {
                    let cell = self.coordinates(decode, at, tile, |_| 0)?;
                    let first = FirstCell {
                        tile: number,
                        cell: cell.clone(),
                    };
                    self.firsts.insert(at, first);
                    cell
                }
            };
            firsts.push((at, cell));
        }
        Ok(firsts)
    }

    /// How many full tiles of a fragment end, one after the other, before another one has a cell.
    fn tiles_before(
        &mut self,
        decode: Decode<'_>,
        at: PlanIndex,
        is_before: &dyn Fn(&Cell) -> bool,
    ) -> Result<usize, QueryError> {
        let capacity = self.plan.schema.capacity;
        let plan = self.plan.fragment(at)?;
        let first = self.cursors.tile(at)?;
        let tiles = plan.tiles.iter().skip(first);
        let full = tiles.take_while(|tile| tile.cells as u64 == capacity);
        let (mut low, mut high) = (0, full.count());
        // Tiles are in the order of their cells.
        while low < high {
            let middle = low.midpoint(high);
            let tile = first.saturating_add(middle);
            let last = self.coordinates(decode, at, tile, |cells| cells.saturating_sub(1))?;
            if is_before(&last) {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Takes the next tiles of a fragment out of the plan.
    fn take_tiles(
        &mut self,
        at: PlanIndex,
        count: usize,
    ) -> Result<Option<WholeTiles>, QueryError> {
        let first = self.cursors.tile(at)?;
        let end = first.saturating_add(count);
        self.forget(at, first..end)?;
        let plan = self.plan.fragment_mut(at)?;
        // All of them are full.
        let cells = plan.tiles.get(first).filter(|_| count > 0);
        let Some(cells) = cells.map(|tile| tile.cells) else {
            return Ok(None);
        };
        Ok(Some(WholeTiles {
            tiles: plan.tiles.drain(first..end).map(|tile| tile.tile).collect(),
            fragment: plan.fragment,
            cells,
        }))
    }

    /// The coordinates of a cell of a planned tile, by how many cells the tile has.
    fn coordinates(
        &mut self,
        decode: Decode<'_>,
        at: PlanIndex,
        tile: usize,
        row: impl Fn(usize) -> usize,
    ) -> Result<Cell, QueryError> {
        let plan = self.plan.fragment(at)?;
        let behind = Bug::new("a tile behind the last one of a fragment's plan");
        let tile = plan.tiles.get(tile).ok_or(behind)?;
        let row = row(tile.cells);
        let table = self.table(vec![plan.segment([tile], RowRange::default())?])?;
        let dimensions: Vec<FieldKind> = (0..self.plan.schema.dimensions.len())
            .map(FieldKind::Dimension)
            .collect();
        let Decoded(DecodedCells::Table(table)) = decode(self.piece(table, &dimensions))? else {
            return Err(Bug::new("a table became columns").into());
        };
        let cell = |field: &FieldKind| {
            let column = table.column(*field);
            let column =
                column.ok_or_else(|| Bug::new("coordinates that were asked for are not loaded"))?;
            Ok(column.cell(row)?.to_vec())
        };
        dimensions.iter().map(cell).collect()
    }
}
