//! Tiles that need not be merged, since no cell of another fragment comes between theirs.

use std::cmp::Ordering;

use tdb_cells::WholeTiles;
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, SortOrder};
use tdb_tile::Bug;

use super::read::SparseRead;
use crate::QueryError;
use crate::options::Versions;
use crate::piece::{Cells, Decoded, Piece};

/// What turns a piece into cells.
pub(crate) type Decode<'a> = &'a dyn Fn(Piece) -> Result<Decoded, QueryError>;

/// Coordinates as they are stored, by dimension.
type Cell = Vec<Vec<u8>>;

/// The next cell of a fragment, once it was looked at.
#[derive(Debug)]
pub(super) struct First {
    /// The number of the tile that it is the first of.
    tile: usize,
    cell: Cell,
}

impl SparseRead {
    /// The next cells, if they are all those of full tiles of one fragment that `allows` says yes to. `decode` gives the
    /// coordinates of the tiles that are looked at.
    pub(crate) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        decode: Decode<'_>,
        allows: &mut dyn FnMut(usize) -> Result<bool, E>,
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
        let fragment = self.plan.fragments.get(at).map(|plan| plan.fragment);
        let is_allowed = match fragment {
            Some(fragment) => self.keeps_all(at) && allows(fragment)?,
            None => false,
        };
        let count = match is_allowed {
            true => self.tiles_before(decode, at, &is_before)?,
            false => 0,
        };
        Ok(self.take_tiles(at, count))
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
    fn keeps_all(&self, at: usize) -> bool {
        let plan = self.plan.fragments.get(at);
        plan.is_some_and(|plan| {
            let is_merged = self.plan.request.versions == Versions::Current
                && !self.plan.schema.allows_duplicates;
            !(plan.filters_time || plan.has_timestamps && is_merged)
        })
    }

    /// The next cell of each fragment that has more, by its place in the plan. Where a fragment stands as before, its
    /// tile is not read again.
    fn first_cells(&mut self, decode: Decode<'_>) -> Result<Vec<(usize, Cell)>, QueryError> {
        let mut firsts = Vec::new();
        for at in 0..self.plan.fragments.len() {
            let tile = self.cursors.tile(at);
            let planned = self.plan.fragments.get(at).and_then(|f| f.tiles.get(tile));
            let Some(number) = planned.map(|planned| planned.tile) else {
                continue;
            };
            let known = self.firsts.get(&at).filter(|first| first.tile == number);
            let cell = match known.map(|first| first.cell.clone()) {
                Some(cell) => cell,
                None => {
                    let Some(cell) = self.coordinates(decode, at, tile, |_| 0)? else {
                        continue;
                    };
                    let first = First {
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
        at: usize,
        is_before: &dyn Fn(&Cell) -> bool,
    ) -> Result<usize, QueryError> {
        let capacity = self.plan.schema.capacity;
        let Some(plan) = self.plan.fragments.get(at) else {
            return Ok(0);
        };
        let first = self.cursors.tile(at);
        let tiles = plan.tiles.iter().skip(first);
        let full = tiles.take_while(|tile| tile.cells as u64 == capacity);
        let (mut low, mut high) = (0, full.count());
        // Tiles are in the order of their cells.
        while low < high {
            let middle = low.midpoint(high);
            let tile = first.saturating_add(middle);
            let last = self.coordinates(decode, at, tile, |cells| cells.saturating_sub(1))?;
            match last.is_some_and(|last| is_before(&last)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// Takes the next tiles of a fragment out of the plan.
    fn take_tiles(&mut self, at: usize, count: usize) -> Option<WholeTiles> {
        let first = self.cursors.tile(at);
        let end = first.checked_add(count).filter(|_| count > 0)?;
        self.forget(at, first..end);
        let plan = self.plan.fragments.get_mut(at)?;
        let cells = plan.tiles.get(first)?.cells;
        Some(WholeTiles {
            tiles: plan.tiles.drain(first..end).map(|tile| tile.tile).collect(),
            fragment: plan.fragment,
            cells,
        })
    }

    /// The coordinates of a cell of a planned tile, by how many cells the tile has.
    fn coordinates(
        &mut self,
        decode: Decode<'_>,
        at: usize,
        tile: usize,
        row: impl Fn(usize) -> usize,
    ) -> Result<Option<Cell>, QueryError> {
        let plan = self.plan.fragments.get(at);
        let Some((plan, tile)) = plan.and_then(|plan| Some((plan, plan.tiles.get(tile)?))) else {
            return Ok(None);
        };
        let row = row(tile.cells);
        let table = self.table(vec![plan.segment([tile], 0)])?;
        let dimensions: Vec<FieldKind> = (0..self.plan.schema.dimensions.len())
            .map(FieldKind::Dimension)
            .collect();
        let Decoded(Cells::Table(table)) = decode(self.piece(table, &dimensions))? else {
            return Err(Bug::new("a table became columns").into());
        };
        let cell = |field: &FieldKind| Some(table.column(*field)?.cell(row).to_vec());
        Ok(dimensions.iter().map(cell).collect())
    }
}
