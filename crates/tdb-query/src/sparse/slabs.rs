//! Reads a sorted result that does not fit in memory, if cells are not stored in its order: slab by slab.
//!
//! A slab is as many of the next cells as fit in memory. To find them, all tiles that may contain some are scanned, a
//! chunk at a time. Cells that turn out to belong to a later slab are dropped, and read again for that slab.

use std::cmp::Ordering;
use std::collections::VecDeque;

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::{CellTable, Counters, Row, RowRange, Segment, share, threads};
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::order::{CellComparator, Column};
use tdb_tile::{Budget, Bug, Exact, Grant, Range, length};

use super::corner::Corner;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::planned_read::PlannedRead;
use super::row_keys::Coordinates;
use super::rows::{Rows, all_rows};
use super::slab_beginning::SlabBeginning;
use super::slowest_dimension::SlowestDimension;
use super::weights::{Supply, Weights};
use crate::QueryError;

/// A chunk is 1/CHUNK of the cells that fit in memory.
const CHUNK: u64 = 4;

/// Desired size of a chunk in bytes if memory allows: enough for several threads, and for one request to a store.
const LEAST_CHUNK: u64 = 1 << 20;

/// A slab is 1/SLAB of the cells that fit in memory: up to twice as many are collected before it is cut, and cutting
/// needs twice that again.
const SLAB: u64 = 8;

/// Rest of a result, to be read in slabs.
#[derive(Debug)]
pub(crate) struct Slabs {
    /// Tiles that were examined and may also have cells of the next slab.
    open: Vec<TileRange>,
    /// Tiles that were not examined yet. Both lists are sorted by the start of the tiles along the slowest dimension.
    rest: VecDeque<TileRange>,
    /// Dimension that changes slowest in the order of the result; `None` if the result is in global order.
    slowest: Option<SlowestDimension>,
    pub(crate) next: SlabStart,
    _held: Grant,
}

/// Start of the next slab.
#[derive(Clone, Debug)]
pub(crate) enum SlabStart {
    Start,
    At(Corner),
    /// After all cells that are equal to this one.
    Behind(Corner),
    End,
}

/// Tile with its range along the slowest dimension; `None` if the range is unknown.
#[derive(Debug)]
struct TileRange {
    /// Fragment and tile, by position in the plan.
    fragment: PlanIndex,
    tile: usize,
    range: Option<Range>,
}

/// Slab under construction.
#[derive(Debug)]
pub(crate) struct Slab {
    /// Lower bound: the slab has no cell before this.
    from: Option<Corner>,
    /// Whether cells equal to the lower bound are excluded.
    is_behind: bool,
    /// Upper bound: all cells of the slab are before this.
    end: Option<Corner>,
    parts: Vec<CellTable>,
    /// Weight of the cells so far.
    weight: u64,
    /// Maximum weight of the cells.
    most: u64,
    /// Maximum weight of a chunk.
    chunk: u64,
    /// Index of the next open tile to examine.
    at: usize,
    /// Whether all further tiles begin after the slab.
    is_through: bool,
}

impl Slabs {
    /// Returns the metadata parts that give the ranges of tiles along the slowest dimension, by fragment.
    pub(crate) fn parts(
        array: &Snapshot,
        plan: &SparsePlan,
    ) -> Result<Vec<(FragmentIndex, MetadataPart)>, Bug> {
        let mut parts = Vec::new();
        if let Some(slowest) = SlowestDimension::of(plan) {
            for planned in &plan.fragments {
                if slowest.is_bounded(array, planned)? {
                    parts.push((planned.fragment, MetadataPart::RTree));
                }
            }
        }
        Ok(parts)
    }

    /// Prepares the cells that were not returned before the beginning. `opened` are the opened [`Slabs::parts`].
    pub(super) fn new(
        read: &PlannedRead,
        beginning: SlabBeginning,
        opened: Vec<OpenedPart>,
    ) -> Result<Self, QueryError> {
        let (array, plan) = (&*read.array, &*read.plan);
        let slowest = SlowestDimension::of(plan);
        let count: usize = plan.fragments.iter().map(|f| f.tiles.len()).sum();
        let bytes = count.exact_mul(size_of::<TileRange>())?;
        let held = read.budget().take(bytes as u64)?;
        let mut tiles = Vec::with_capacity(count);
        let mut opened = opened.into_iter();
        for (fragment, planned) in plan.numbered() {
            let ranges = match slowest {
                Some(slowest) if slowest.is_bounded(array, planned)? => {
                    slowest.ranges(array, planned, opened.next())?
                }
                _ => vec![None; planned.tiles.len()],
            };
            let taken = beginning.taken.get(&fragment).copied().unwrap_or(0);
            let numbered = ranges.into_iter().enumerate().skip(taken);
            tiles.extend(numbered.map(|(tile, range)| TileRange {
                fragment,
                tile,
                range,
            }));
        }
        if let Some(SlowestDimension { datatype, .. }) = slowest {
            // Tiles of unknown range come first.
            tiles.sort_by(|a, b| match (&a.range, &b.range) {
                (Some(a), Some(b)) => datatype.compare(&a.lo, &b.lo).unwrap_or(Ordering::Equal),
                (a, b) => a.is_some().cmp(&b.is_some()),
            });
        }
        Ok(Self {
            open: Vec::new(),
            rest: tiles.into(),
            slowest,
            next: match beginning.reached {
                None => SlabStart::Start,
                Some(frontier) if frontier.is_loaded => SlabStart::Behind(frontier.corner),
                Some(frontier) => SlabStart::At(frontier.corner),
            },
            _held: held,
        })
    }

    /// Begins the next slab, of about the weight `share`, with `memory` as the limit of all cells in memory; `None`
    /// after the last.
    pub(crate) fn begin(&mut self, share: u64, memory: u64, counters: &Counters) -> Option<Slab> {
        let (from, is_behind) = match &self.next {
            SlabStart::Start => (None, false),
            SlabStart::At(corner) => (Some(corner.clone()), false),
            SlabStart::Behind(corner) => (Some(corner.clone()), true),
            SlabStart::End => return None,
        };
        counters.add_visited_tiles(self.open.len());
        let mut open = std::mem::take(&mut self.open);
        open.retain(|tile| !self.ends_before(tile, from.as_ref()));
        self.open = open;
        Some(Slab {
            from,
            is_behind,
            end: None,
            parts: Vec::new(),
            weight: 0,
            most: share.min(memory / SLAB).max(1),
            chunk: share.max(LEAST_CHUNK).min(memory / CHUNK).max(1),
            at: 0,
            is_through: false,
        })
    }

    /// Returns the next tiles that may have cells of the slab; `None` after the last.
    pub(crate) fn next_chunk(
        &mut self,
        supply: Supply<'_>,
        slab: &mut Slab,
    ) -> Result<Option<Vec<Segment>>, QueryError> {
        let mut chosen: Vec<(PlanIndex, usize)> = Vec::new();
        let mut weight = 0_u64;
        while weight < slab.chunk && !slab.is_through {
            let Some(tile) = self.open.get(slab.at) else {
                slab.is_through = !self.open_next(slab, supply.counters);
                continue;
            };
            if self.begins_behind(tile, slab) {
                slab.is_through = true;
                break;
            }
            slab.at = slab.at.exact_add(1)?;
            let only = tile.tile..tile.tile.exact_add(1)?;
            weight = weight.exact_add(supply.weight(tile.fragment, only)?)?;
            chosen.push((tile.fragment, tile.tile));
        }
        chosen.sort_unstable();
        if chosen.is_empty() {
            return Ok(None);
        }
        segments(supply.plan, &chosen).map(Some)
    }

    /// Opens the next tile that may have cells from the start of the slab on; false if no tile begins before its end.
    fn open_next(&mut self, slab: &Slab, counters: &Counters) -> bool {
        while let Some(tile) = self.rest.pop_front() {
            counters.add_visited_tiles(1);
            if self.begins_behind(&tile, slab) {
                self.rest.push_front(tile);
                return false;
            }
            if !self.ends_before(&tile, slab.from.as_ref()) {
                self.open.push(tile);
                return true;
            }
        }
        false
    }

    fn begins_behind(&self, tile: &TileRange, slab: &Slab) -> bool {
        self.compare(tile.range.as_ref().map(|r| &r.lo[..]), slab.end.as_ref())
            .is_some_and(Ordering::is_gt)
    }

    fn ends_before(&self, tile: &TileRange, corner: Option<&Corner>) -> bool {
        self.compare(tile.range.as_ref().map(|r| &r.hi[..]), corner)
            .is_some_and(Ordering::is_lt)
    }

    /// Compares a value along the slowest dimension with that of a corner; `None` if either is unknown.
    fn compare(&self, value: Option<&[u8]>, corner: Option<&Corner>) -> Option<Ordering> {
        let SlowestDimension { index, datatype } = self.slowest?;
        datatype.compare(value?, corner?.value(index)?)
    }
}

impl Slab {
    /// Copies the cells that may belong to the slab out of `table`, in which all fields are loaded.
    pub(crate) fn add(
        &mut self,
        plan: &SparsePlan,
        weights: &Weights,
        table: &CellTable,
        rows: Rows,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let coordinates = Coordinates::new(table, plan.schema.dimensions.len())?;
        let columns = coordinates.columns(table)?;
        let compare = |row: Row, corner: &[Column<'_>]| {
            comparator.compare_rows(&columns, row.index(), corner, 0)
        };
        if let Some(from) = &self.from {
            let from = from.columns();
            let least = if self.is_behind {
                Ordering::Greater
            } else {
                Ordering::Equal
            };
            rows.retain(|&row| compare(row, &from) >= least);
        }
        if let Some(end) = &self.end {
            let end = end.columns();
            rows.retain(|&row| compare(row, &end).is_lt());
        }
        if !rows.is_empty() {
            let part = table.compact(&rows, budget)?;
            self.weight = self.weight.exact_add(weights.of_table(&part)?)?;
            self.parts.push(part);
        }
        if self.weight.div_ceil(2) > self.most {
            self.cut(plan, weights, budget)?;
        }
        Ok(())
    }

    /// Keeps the first cells, as many as a slab may have. Cells with equal coordinates stay together.
    fn cut(
        &mut self,
        plan: &SparsePlan,
        weights: &Weights,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let whole = CellTable::concat(std::mem::take(&mut self.parts), budget)?;
        let coordinates = Coordinates::new(&whole, plan.schema.dimensions.len())?;
        let keys = plan.keys(&whole, &coordinates)?;
        let sorted = keys.sorted(whole.rows())?;
        let all = whole.rows().len() as u64;
        let most = length(share(all, self.most, self.weight))?;
        let end = sorted.end_near(most);
        let Some(&behind) = sorted.rows().get(end) else {
            // All cells are equal.
            self.most = self.weight;
            self.parts.push(whole);
            return Ok(());
        };
        let dimensions = plan.schema.dimensions.len();
        self.end = Some(Corner::of(&whole, behind, dimensions)?);
        let mut rows = sorted.into_rows();
        rows.truncate(end);
        threads::sort(&mut rows)?;
        let part = whole.compact(&rows, budget)?;
        self.weight = weights.of_table(&part)?;
        self.parts.push(part);
        Ok(())
    }

    /// Returns all cells of the slab, and the start of the next one.
    pub(crate) fn finish(
        mut self,
        plan: &SparsePlan,
        weights: &Weights,
        budget: &Budget,
    ) -> Result<(CellTable, SlabStart), QueryError> {
        if self.weight > self.most {
            self.cut(plan, weights, budget)?;
        }
        let next = self.end.map_or(SlabStart::End, SlabStart::At);
        Ok((CellTable::concat(self.parts, budget)?, next))
    }
}

/// Returns tiles, sorted by fragment, as segments of a table.
fn segments(plan: &SparsePlan, chosen: &[(PlanIndex, usize)]) -> Result<Vec<Segment>, QueryError> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut end = RowRange::default();
    for same in chosen.chunk_by(|a, b| a.0 == b.0) {
        let Some((at, _)) = same.first() else {
            continue;
        };
        let fragment = plan.fragment(*at)?;
        let tiles = same
            .iter()
            .map(|(_, tile)| fragment.tiles.get(*tile))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Bug::new("tiles behind the last one of a fragment's plan"))?;
        let segment = fragment.segment(tiles, end)?;
        end = segment.rows;
        segments.push(segment);
    }
    Ok(segments)
}
