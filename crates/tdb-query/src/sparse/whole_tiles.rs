//! Finds tiles that need no merging because no cell of another fragment comes between theirs.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use tdb_cells::{Row, RowRange, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, SortOrder};
use tdb_tile::Bug;

use super::corner::Corner;
use super::first_cell::FirstCell;
use super::fragment_plan::FragmentPlan;
use super::plan_index::PlanIndex;
use super::read::SparseRead;
use super::weights::Supply;
use crate::QueryError;
use crate::options::Versions;
use crate::piece::{Decoded, DecodedCells, Piece};

/// Function that decodes a piece.
pub(crate) type Decode<'a> = &'a dyn Fn(Piece) -> Result<Decoded, QueryError>;

impl SparseRead {
    /// Returns the next cells if they are full tiles of one fragment that `allows` accepts. `decode` decodes the
    /// coordinates of the tiles that are examined.
    pub(crate) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        decode: Decode<'_>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        // The previous batch is written by now.
        self.held.clear();
        if !self.is_between_batches() || !self.gives_all_cells() {
            return Ok(None);
        }
        let Some((first, other)) = self.first_two(decode)? else {
            return Ok(None);
        };
        let (at, comparator) = (first.fragment, Arc::clone(&first.comparator));
        let other = other.map(|other| {
            let corner = other.corner.clone();
            self.firsts.get_or_insert_default().push(other);
            corner
        });
        self.firsts.get_or_insert_default().push(first);
        let plan = self.plan.fragment(at).map_err(QueryError::from)?;
        if !self.keeps_all(plan) || !allows(plan.fragment)? {
            return Ok(None);
        }
        let is_before = |last: &Corner| {
            let mut other = other.iter();
            other.all(|other| last.compare(other, &comparator).is_lt())
        };
        let tiles = self.tiles_before(decode, at, &is_before)?;
        Ok(self.take_tiles(at, tiles)?)
    }

    /// True if all stored cells are part of the result, each once.
    fn gives_all_cells(&self) -> bool {
        let (plan, request) = (&self.plan, &self.plan.request);
        plan.can_stop()
            && plan.in_order
            && !plan.visibility.has_deletes()
            && request.condition.is_none()
            && request.subarray.is_all()
            && request.limit == u64::MAX
    }

    /// True if a fragment also keeps cells with the same coordinates.
    fn keeps_all(&self, plan: &FragmentPlan) -> bool {
        let is_merged =
            self.plan.request.versions == Versions::Current && !self.plan.schema.allows_duplicates;
        !(plan.filters_time || plan.has_timestamps && is_merged)
    }

    /// Returns the fragment with the next cell, and the one with the next cell after that.
    fn first_two(
        &mut self,
        decode: Decode<'_>,
    ) -> Result<Option<(FirstCell, Option<FirstCell>)>, QueryError> {
        if self.firsts.is_none() {
            self.firsts = Some(self.all_firsts(decode)?);
        }
        match self.next_first(decode)? {
            Some(first) => Ok(Some((first, self.next_first(decode)?))),
            None => Ok(None),
        }
    }

    /// Removes and returns the first of the known next cells. A stale entry comes before the fragment's current cell,
    /// so only entries at the front of the heap must be refreshed.
    fn next_first(&mut self, decode: Decode<'_>) -> Result<Option<FirstCell>, QueryError> {
        while let Some(mut first) = self.firsts.as_mut().and_then(BinaryHeap::pop) {
            let at = first.fragment;
            let Some(tile) = self.cursors.tile(at)? else {
                continue;
            };
            if tile == first.tile {
                return Ok(Some(first));
            }
            first.tile = tile;
            let corner = self.corners(decode, &[(at, tile)], first_row)?.pop();
            first.corner = corner.ok_or_else(|| Bug::new("a tile that was not looked at"))?;
            self.firsts.get_or_insert_default().push(first);
        }
        Ok(None)
    }

    /// Returns the next cell of each fragment that has more.
    fn all_firsts(&mut self, decode: Decode<'_>) -> Result<BinaryHeap<FirstCell>, QueryError> {
        let comparator = CellComparator::new(&self.plan.schema, SortOrder::Global);
        let comparator = Arc::new(comparator);
        let places = self
            .plan
            .numbered()
            .map(|(at, _)| (at, self.cursors.tile(at)));
        let places = places.filter_map(|(at, tile)| Some(tile.transpose()?.map(|tile| (at, tile))));
        let places = places.collect::<Result<Vec<(PlanIndex, usize)>, Bug>>()?;
        let mut firsts = BinaryHeap::with_capacity(places.len());
        let mut rest = &places[..];
        while !rest.is_empty() {
            let (together, others) = rest.split_at(self.fitting(rest)?);
            let corners = self.corners(decode, together, first_row)?;
            for (&(fragment, tile), corner) in together.iter().zip(corners) {
                firsts.push(FirstCell {
                    corner,
                    fragment,
                    tile,
                    comparator: Arc::clone(&comparator),
                });
            }
            rest = others;
        }
        Ok(firsts)
    }

    /// Returns how many of these tiles fit in the memory of a batch; at least one.
    fn fitting(&self, tiles: &[(PlanIndex, usize)]) -> Result<usize, QueryError> {
        let (most, mut weight) = (self.most(), 0_u64);
        for (count, &(at, tile)) in tiles.iter().enumerate() {
            let one = self.supply().weight(at, one(tile))?;
            weight = weight.saturating_add(one);
            if weight > most {
                return Ok(count.max(1));
            }
        }
        Ok(tiles.len())
    }

    /// Returns the run of full tiles of a fragment that end before `is_before` fails, that is, before another
    /// fragment has a cell.
    fn tiles_before(
        &mut self,
        decode: Decode<'_>,
        at: PlanIndex,
        is_before: &dyn Fn(&Corner) -> bool,
    ) -> Result<Range<usize>, QueryError> {
        let Some(first) = self.cursors.tile(at)? else {
            return Ok(0..0);
        };
        let (mut low, mut high) = (first, self.full_until(at, first)?);
        // Binary search: tiles are in the order of their cells.
        while low < high {
            let middle = low.midpoint(high);
            let last = self.corners(decode, &[(at, middle)], last_row)?;
            if last.iter().all(is_before) {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        Ok(first..low)
    }

    /// Returns the end of the run of full tiles of a fragment from `first` on. Each tile is examined once, however
    /// often this is called.
    fn full_until(&mut self, at: PlanIndex, first: usize) -> Result<usize, Bug> {
        if let Some(&end) = self.full_until.get(&at).filter(|&&end| first < end) {
            return Ok(end);
        }
        let capacity = self.plan.schema.capacity;
        let tiles = self.plan.fragment(at)?.tiles.iter().skip(first);
        let full = tiles.take_while(|tile| tile.cells as u64 == capacity);
        let count = full.count();
        self.session.counters().add_visited_tiles(count);
        let end = first.saturating_add(count);
        self.full_until.insert(at, end);
        Ok(end)
    }

    /// Takes the next tiles of a fragment out of the read.
    fn take_tiles(
        &mut self,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<Option<WholeTiles>, QueryError> {
        let fragment = self.plan.fragment(at)?.fragment;
        let supply = Supply::new(&self.plan, &self.tiles, &self.weights, &self.session);
        let planned = supply.planned(at, tiles.clone())?;
        // All of them are full.
        let Some(cells) = planned.first().map(|tile| tile.cells) else {
            return Ok(None);
        };
        self.taken.insert(at, tiles.end);
        self.cursors.skip(supply, at, tiles)?;
        Ok(Some(WholeTiles {
            tiles: planned.iter().map(|tile| tile.tile).collect(),
            fragment,
            cells,
        }))
    }

    /// Returns the coordinates of one cell of each of these tiles, which are in the order of the plan.
    fn corners(
        &mut self,
        decode: Decode<'_>,
        tiles: &[(PlanIndex, usize)],
        row: fn(RowRange) -> Option<Row>,
    ) -> Result<Vec<Corner>, QueryError> {
        self.session.counters().add_visited_tiles(tiles.len());
        let mut end = RowRange::default();
        let segments = tiles.iter().map(|&(at, tile)| {
            let planned = self.supply().planned(at, one(tile))?;
            let segment = self.plan.fragment(at)?.segment(planned, end)?;
            end = segment.rows;
            Ok(segment)
        });
        let table = self.table(segments.collect::<Result<_, QueryError>>()?)?;
        let dimensions = self.plan.schema.dimensions.len();
        let fields: Vec<FieldKind> = (0..dimensions).map(FieldKind::Dimension).collect();
        let Decoded(DecodedCells::Table(table)) = decode(self.piece(table, &fields))? else {
            return Err(Bug::new("a table became columns").into());
        };
        let corner = |rows: RowRange| {
            let row = row(rows).ok_or_else(|| Bug::new("a tile without a cell"))?;
            Ok(Corner::of(&table, row, dimensions)?)
        };
        table.segments.iter().map(|s| corner(s.rows)).collect()
    }
}

fn one(tile: usize) -> Range<usize> {
    tile..tile.saturating_add(1)
}

fn first_row(rows: RowRange) -> Option<Row> {
    rows.iter().next()
}

fn last_row(rows: RowRange) -> Option<Row> {
    rows.last()
}
