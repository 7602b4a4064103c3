//! Finds tiles that need no merging because no cell of another fragment comes between theirs.

use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use tdb_cells::{Row, RowRange};
use tdb_fragment::FragmentIndex;
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, SortOrder};
use tdb_tile::{Bug, Exact};

use super::corner::Corner;
use super::cursors::Cursors;
use super::first_cell::FirstCell;
use super::fragment_plan::FragmentPlan;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::planned_read::PlannedRead;
use crate::QueryError;
use crate::options::Versions;
use crate::piece::{DecodedCells, DecodedPiece, Piece};

/// Function that decodes a piece.
pub(crate) type Decode<'a> = &'a dyn Fn(Piece) -> Result<DecodedPiece, QueryError>;

/// Facts about the cells of the fragments.
#[derive(Debug)]
pub(super) struct WholeTileSearch {
    /// Next cells of the fragments.
    firsts: BinaryHeap<FirstCell>,
    /// End of the tiles of each fragment that were returned for copying; all tiles before it are done.
    pub(super) taken: HashMap<PlanIndex, usize>,
    /// End of the run of full tiles from the next tile of a fragment on, if it was determined.
    full_until: HashMap<PlanIndex, usize>,
}

/// The tiles that a read has not taken, and the function that decodes those that are examined.
#[derive(Clone, Copy)]
pub(super) struct TilesLeft<'a> {
    pub(super) read: &'a PlannedRead,
    pub(super) cursors: &'a Cursors,
    pub(super) decode: Decode<'a>,
}

/// A tile, by position in the plan.
#[derive(Clone, Copy)]
struct TilePlace {
    fragment: PlanIndex,
    tile: usize,
}

impl SparsePlan {
    /// True if all stored cells are part of the result, each once.
    pub(super) fn gives_all_cells(&self) -> bool {
        self.can_stop()
            && self.in_order
            && !self.visibility.has_deletes()
            && self.request.condition.is_none()
            && self.request.subarray.is_all()
            && self.request.limit == u64::MAX
    }

    /// True if a fragment also keeps cells with the same coordinates.
    fn keeps_all(&self, fragment: &FragmentPlan) -> bool {
        let is_merged =
            self.request.versions == Versions::Current && !self.schema.allows_duplicates;
        !(fragment.filters_time || fragment.has_timestamps && is_merged)
    }
}

impl WholeTileSearch {
    pub(super) fn new(left: TilesLeft<'_>) -> Result<Self, QueryError> {
        Ok(Self {
            firsts: left.firsts()?,
            taken: HashMap::new(),
            full_until: HashMap::new(),
        })
    }

    /// Returns the next tiles if they are full and of one fragment that `allows` accepts.
    pub(super) fn next<E: From<QueryError>>(
        &mut self,
        left: TilesLeft<'_>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<(PlanIndex, Range<usize>)>, E> {
        let Some(first) = self.next_first(left)? else {
            return Ok(None);
        };
        let other = self.next_first(left)?;
        let (at, comparator) = (first.fragment, Arc::clone(&first.comparator));
        let behind = other.as_ref().map(|other| other.corner.clone());
        self.firsts.extend(other);
        self.firsts.push(first);
        let plan = &left.read.plan;
        let fragment = plan.fragment(at).map_err(QueryError::from)?;
        if !plan.keeps_all(fragment) || !allows(fragment.fragment)? {
            return Ok(None);
        }
        let is_before = |last: &Corner| {
            behind
                .as_ref()
                .is_none_or(|other| last.compare(other, &comparator).is_lt())
        };
        let tiles = self.tiles_before(left, at, &is_before)?;
        Ok(Some((at, tiles)))
    }

    /// Removes and returns the first of the known next cells. A stale entry comes before the fragment's current cell,
    /// so only entries at the front of the heap must be refreshed.
    fn next_first(&mut self, left: TilesLeft<'_>) -> Result<Option<FirstCell>, QueryError> {
        while let Some(mut first) = self.firsts.pop() {
            let fragment = first.fragment;
            let Some(tile) = left.cursors.tile(fragment)? else {
                continue;
            };
            if tile == first.tile {
                return Ok(Some(first));
            }
            first.tile = tile;
            first.corner = left.corner(TilePlace { fragment, tile }, first_row)?;
            self.firsts.push(first);
        }
        Ok(None)
    }

    /// Returns the run of full tiles of a fragment that end before `is_before` fails, that is, before another
    /// fragment has a cell.
    fn tiles_before(
        &mut self,
        left: TilesLeft<'_>,
        fragment: PlanIndex,
        is_before: &dyn Fn(&Corner) -> bool,
    ) -> Result<Range<usize>, QueryError> {
        let Some(first) = left.cursors.tile(fragment)? else {
            return Ok(0..0);
        };
        let (mut low, mut high) = (first, self.full_until(left.read, fragment, first)?);
        // Binary search: tiles are in the order of their cells.
        while low < high {
            let tile = low.midpoint(high);
            if is_before(&left.corner(TilePlace { fragment, tile }, last_row)?) {
                low = tile.exact_add(1)?;
            } else {
                high = tile;
            }
        }
        Ok(first..low)
    }

    /// Returns the end of the run of full tiles of a fragment from `first` on. Each tile is examined once, however
    /// often this is called.
    fn full_until(
        &mut self,
        read: &PlannedRead,
        at: PlanIndex,
        first: usize,
    ) -> Result<usize, Bug> {
        if let Some(&end) = self.full_until.get(&at).filter(|&&end| first < end) {
            return Ok(end);
        }
        let capacity = read.plan.schema.capacity;
        let tiles = read.plan.fragment(at)?.tiles.iter().skip(first);
        let full = tiles.take_while(|tile| tile.cells as u64 == capacity);
        let count = full.count();
        read.session.counters().add_visited_tiles(count);
        let end = first.exact_add(count)?;
        self.full_until.insert(at, end);
        Ok(end)
    }
}

impl TilesLeft<'_> {
    /// Returns the next cell of each fragment that has more.
    fn firsts(self) -> Result<BinaryHeap<FirstCell>, QueryError> {
        let comparator = CellComparator::new(&self.read.plan.schema, SortOrder::Global);
        let comparator = Arc::new(comparator);
        let mut places = Vec::new();
        for (fragment, _) in self.read.plan.numbered() {
            let tile = self.cursors.tile(fragment)?;
            places.extend(tile.map(|tile| TilePlace { fragment, tile }));
        }
        let mut firsts = BinaryHeap::with_capacity(places.len());
        let mut rest = &places[..];
        while !rest.is_empty() {
            let (together, others) = rest.split_at(self.fitting(rest)?);
            let corners = self.corners(together, first_row)?;
            for (place, corner) in together.iter().zip(corners) {
                firsts.push(FirstCell {
                    corner,
                    fragment: place.fragment,
                    tile: place.tile,
                    comparator: Arc::clone(&comparator),
                });
            }
            rest = others;
        }
        Ok(firsts)
    }

    /// Returns how many of these tiles fit in the memory of a batch; at least one.
    fn fitting(self, places: &[TilePlace]) -> Result<usize, QueryError> {
        let (most, mut weight) = (self.read.most_of_batch(), 0_u64);
        for (count, place) in places.iter().enumerate() {
            let one = self.read.supply().weight(place.fragment, place.only()?)?;
            weight = weight.exact_add(one)?;
            if weight > most {
                return Ok(count.max(1));
            }
        }
        Ok(places.len())
    }

    /// Returns the coordinates of one cell of a tile.
    fn corner(
        self,
        place: TilePlace,
        row: fn(RowRange) -> Option<Row>,
    ) -> Result<Corner, QueryError> {
        let corner = self.corners(&[place], row)?.pop();
        Ok(corner.ok_or_else(|| Bug::new("a tile that was not looked at"))?)
    }

    /// Returns the coordinates of one cell of each of these tiles, which are in the order of the plan.
    fn corners(
        self,
        places: &[TilePlace],
        row: fn(RowRange) -> Option<Row>,
    ) -> Result<Vec<Corner>, QueryError> {
        let Self { read, decode, .. } = self;
        read.session.counters().add_visited_tiles(places.len());
        let mut end = RowRange::default();
        let segments = places.iter().map(|place| {
            let planned = read.supply().planned(place.fragment, place.only()?)?;
            let segment = read.plan.fragment(place.fragment)?.segment(planned, end)?;
            end = segment.rows;
            Ok(segment)
        });
        let table = read.table(segments.collect::<Result<_, QueryError>>()?)?;
        let dimensions = read.plan.schema.dimensions.len();
        let fields: Vec<FieldKind> = (0..dimensions).map(FieldKind::Dimension).collect();
        let DecodedPiece(DecodedCells::Table(table)) = decode(read.piece(table, &fields)?)? else {
            return Err(Bug::new("a table became columns").into());
        };
        let corner = |rows: RowRange| {
            let row = row(rows).ok_or_else(|| Bug::new("a tile without a cell"))?;
            Ok(Corner::of(&table, row, dimensions)?)
        };
        table.segments.iter().map(|s| corner(s.rows)).collect()
    }
}

impl TilePlace {
    /// The range of this tile alone.
    fn only(self) -> Result<Range<usize>, Bug> {
        Ok(self.tile..self.tile.exact_add(1)?)
    }
}

fn first_row(rows: RowRange) -> Option<Row> {
    rows.iter().next()
}

fn last_row(rows: RowRange) -> Option<Row> {
    rows.last()
}
