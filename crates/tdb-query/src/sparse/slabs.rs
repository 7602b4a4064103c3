//! A sorted result that does not fit the memory, of cells that are not stored in its order: slab by slab.
//!
//! A slab is as many of the next cells as fit. To find them, all tiles that may have some are looked at, a chunk at a
//! time; cells that turn out to come later are let go, and are read again for the slab that they belong to.

use std::cmp::Ordering;

use tdb_array::{At, OpenedPart, Snapshot};
use tdb_cells::{CellTable, Segment};
use tdb_fragment::MetadataPart;
use tdb_rtree::RTree;
use tdb_schema::order::{CellComparator, Column};
use tdb_tile::{Budget, Bug, Datatype, Grant, Range};

use super::corner::Corner;
use super::cursors::Frontier;
use super::fragment_plan::{FragmentPlan, PlannedTile};
use super::keys::{Coordinates, sort_order};
use super::merge::{Rows, all_rows};
use super::plan::{PlannedTiles, SparsePlan};
use super::weights::Weights;
use crate::QueryError;
use crate::fragment_tiles::planned;
use crate::options::ResultOrder;

/// Of the cells that memory allows, one part in so many is looked at together.
const CHUNK: u64 = 4;

/// Of the cells that memory allows, one part in so many makes a slab: twice as many are kept before it is cut, and
/// twice again while that is done.
const SLAB: u64 = 8;

/// What is left of a result.
#[derive(Debug)]
pub(crate) struct Slabs {
    /// All tiles, by where they begin along the dimension that changes slowest.
    tiles: Vec<Bounds>,
    /// The dimension that changes slowest, and its type.
    slowest: Option<(usize, Datatype)>,
    pub(crate) next: Next,
    _held: Grant,
}

/// Where the next slab begins.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    Start,
    At(Corner),
    /// Behind all cells that are equal to this one.
    Behind(Corner),
    End,
}

/// What a tile holds along the dimension that changes slowest; `None` if nothing is known.
#[derive(Debug)]
struct Bounds {
    /// Its fragment, and itself, by position in the plan.
    fragment: usize,
    tile: usize,
    range: Option<Range>,
}

/// A slab on the way.
#[derive(Debug)]
pub(crate) struct Slab {
    /// Its first cell is not before this.
    from: Option<Corner>,
    /// Nor is it equal to that.
    is_behind: bool,
    /// Its last cell is before this.
    end: Option<Corner>,
    parts: Vec<CellTable>,
    /// What its cells take.
    weight: u64,
    /// What they may take.
    most: u64,
    /// What is looked at together may take.
    chunk: u64,
    /// The next tile to look at.
    at: usize,
}

impl Slabs {
    /// The parts of metadata that tell where tiles begin along the dimension that changes slowest, by the fragment's
    /// position.
    pub(crate) fn parts(array: &Snapshot, plan: &SparsePlan) -> Vec<(usize, MetadataPart)> {
        let Some((dimension, _)) = slowest(plan) else {
            return Vec::new();
        };
        let fragments = plan.fragments.iter();
        let bounded = fragments.filter(|planned| is_bounded(array, planned, dimension));
        bounded
            .map(|planned| (planned.fragment, MetadataPart::RTree))
            .collect()
    }

    /// The cells from `reached` on; all of them without. `opened` are [`Slabs::parts`].
    pub(crate) fn new(
        array: &Snapshot,
        plan: &SparsePlan,
        budget: &Budget,
        reached: Option<Frontier>,
        opened: Vec<OpenedPart>,
    ) -> Result<Self, QueryError> {
        let slowest = slowest(plan);
        let count = plan.fragments.iter().map(|f| f.tiles.len());
        let count = count.fold(0, usize::saturating_add);
        let bytes = count.saturating_mul(size_of::<Bounds>());
        let held = budget.take(bytes as u64)?;
        let mut tiles = Vec::with_capacity(count);
        let mut opened = opened.into_iter();
        for (fragment, planned) in plan.fragments.iter().enumerate() {
            let bounded = slowest.filter(|(d, _)| is_bounded(array, planned, *d));
            let ranges = match bounded {
                Some(slowest) => ranges(array, planned, slowest, opened.next())?,
                None => vec![None; planned.tiles.len()],
            };
            let numbered = ranges.into_iter().enumerate();
            tiles.extend(numbered.map(|(tile, range)| Bounds {
                fragment,
                tile,
                range,
            }));
        }
        if let Some((_, datatype)) = slowest {
            // Those of which nothing is known come first.
            let lo = |bounds: &Bounds| bounds.range.as_ref().map(|range| range.lo.clone());
            tiles.sort_by(|a, b| match (lo(a), lo(b)) {
                (Some(a), Some(b)) => datatype.compare(&a, &b).unwrap_or(Ordering::Equal),
                (a, b) => a.is_some().cmp(&b.is_some()),
            });
        }
        Ok(Self {
            tiles,
            slowest,
            next: match reached {
                None => Next::Start,
                Some(frontier) if frontier.is_loaded => Next::Behind(frontier.corner),
                Some(frontier) => Next::At(frontier.corner),
            },
            _held: held,
        })
    }

    /// The next slab, where cells of about the weight `share` fit the memory; `None` after the last.
    pub(crate) fn begin(&self, share: u64) -> Option<Slab> {
        let (from, is_behind) = match &self.next {
            Next::Start => (None, false),
            Next::At(corner) => (Some(corner.clone()), false),
            Next::Behind(corner) => (Some(corner.clone()), true),
            Next::End => return None,
        };
        Some(Slab {
            from,
            is_behind,
            end: None,
            parts: Vec::new(),
            weight: 0,
            most: (share / SLAB).max(1),
            chunk: (share / CHUNK).max(1),
            at: 0,
        })
    }

    /// The next tiles that may have cells of the slab; `None` after the last.
    pub(crate) fn next_chunk(
        &self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        weights: &Weights,
        slab: &mut Slab,
    ) -> Option<Vec<Segment>> {
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let mut weight = 0_u64;
        while let Some(bounds) = self.tiles.get(slab.at).filter(|_| weight < slab.chunk) {
            if self.begins_behind(bounds, slab) {
                slab.at = self.tiles.len();
                break;
            }
            slab.at += 1;
            if self.ends_before(bounds, slab) {
                continue;
            }
            let place = (bounds.fragment, bounds.tile);
            weight = weight.saturating_add(weights.of_tile(plan, tiles, place));
            chosen.push(place);
        }
        chosen.sort_unstable();
        (!chosen.is_empty()).then(|| segments(plan, &chosen))
    }

    fn begins_behind(&self, bounds: &Bounds, slab: &Slab) -> bool {
        self.compare(bounds.range.as_ref().map(|r| &r.lo[..]), slab.end.as_ref())
            .is_some_and(Ordering::is_gt)
    }

    fn ends_before(&self, bounds: &Bounds, slab: &Slab) -> bool {
        self.compare(bounds.range.as_ref().map(|r| &r.hi[..]), slab.from.as_ref())
            .is_some_and(Ordering::is_lt)
    }

    /// A value along the slowest dimension, with that of a corner.
    fn compare(&self, value: Option<&[u8]>, corner: Option<&Corner>) -> Option<Ordering> {
        let (dimension, datatype) = self.slowest?;
        datatype.compare(value?, corner?.value(dimension)?)
    }
}

impl Slab {
    /// Takes the cells that may belong to the slab out of `table`, in which all fields are loaded.
    pub(crate) fn add(
        &mut self,
        plan: &SparsePlan,
        weights: &Weights,
        table: &CellTable,
        rows: Rows,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let coordinates = Coordinates::new(table, plan.schema.dimensions.len());
        let columns = coordinates.columns(table);
        let compare = |row: u32, corner: &[Column<'_>]| {
            comparator.compare_rows(&columns, row as usize, corner, 0)
        };
        if let Some(from) = &self.from {
            let from = from.columns();
            let least = match self.is_behind {
                true => Ordering::Greater,
                false => Ordering::Equal,
            };
            rows.retain(|&row| compare(row, &from) >= least);
        }
        if let Some(end) = &self.end {
            let end = end.columns();
            rows.retain(|&row| compare(row, &end).is_lt());
        }
        if !rows.is_empty() {
            let part = table.compact(&rows, budget)?;
            self.weight = self.weight.saturating_add(weights.of_table(&part));
            self.parts.push(part);
        }
        if self.weight > self.most.saturating_mul(2) {
            self.cut(plan, weights, budget)?;
        }
        Ok(())
    }

    /// Keeps the first cells, as many as a slab may have. Cells of equal coordinates stay together.
    fn cut(
        &mut self,
        plan: &SparsePlan,
        weights: &Weights,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let whole = CellTable::concat(std::mem::take(&mut self.parts), budget)?;
        let coordinates = Coordinates::new(&whole, plan.schema.dimensions.len());
        let keys = plan.keys(&whole, &coordinates);
        let mut rows = all_rows(&whole);
        keys.sort(&mut rows);
        let kept = whole.rows as u128 * u128::from(self.most) / u128::from(self.weight).max(1);
        let kept = rows.get(usize::try_from(kept).map_err(|_| Bug::new("a slab that grows"))?);
        let mut end = kept.copied().map_or(rows.len(), |at| {
            rows.partition_point(|&row| keys.compare(row, at).is_lt())
        });
        if let Some(&first) = rows.first().filter(|_| end == 0) {
            end = rows.partition_point(|&row| keys.compare(row, first).is_le());
        }
        let Some(&behind) = rows.get(end) else {
            // All are equal.
            self.most = self.weight;
            drop(keys);
            self.parts.push(whole);
            return Ok(());
        };
        self.end = Some(Corner::of(
            &whole,
            behind as usize,
            plan.schema.dimensions.len(),
        ));
        rows.truncate(end);
        rows.sort_unstable();
        let part = whole.compact(&rows, budget)?;
        self.weight = weights.of_table(&part);
        self.parts.push(part);
        Ok(())
    }

    /// All cells of the slab, and where the next one begins.
    pub(crate) fn finish(
        mut self,
        plan: &SparsePlan,
        weights: &Weights,
        budget: &Budget,
    ) -> Result<(CellTable, Next), QueryError> {
        if self.weight > self.most {
            self.cut(plan, weights, budget)?;
        }
        let next = self.end.map_or(Next::End, Next::At);
        Ok((CellTable::concat(self.parts, budget)?, next))
    }
}

/// The dimension that changes slowest, and its type, where the order of the result has one.
fn slowest(plan: &SparsePlan) -> Option<(usize, Datatype)> {
    let dimensions = &plan.schema.dimensions;
    let dimension = match plan.merge_order() {
        ResultOrder::RowMajor => 0,
        ResultOrder::ColumnMajor => dimensions.len().checked_sub(1)?,
        ResultOrder::Global | ResultOrder::Unordered => return None,
    };
    Some((dimension, dimensions.get(dimension)?.datatype))
}

/// Whether the bounds of a fragment's tiles along a dimension can be trusted.
fn is_bounded(array: &Snapshot, plan: &FragmentPlan, dimension: usize) -> bool {
    let fragment = array.fragments().get(plan.fragment);
    let dimension = array.schema().dimensions.get(dimension);
    let is_string = dimension.is_some_and(|dimension| dimension.cell_val_num.is_var());
    !is_string || fragment.is_some_and(|f| !f.metadata.version.misstates_empty_string_bounds())
}

/// What the tiles of a fragment hold along a dimension.
fn ranges(
    array: &Snapshot,
    plan: &FragmentPlan,
    (dimension, datatype): (usize, Datatype),
    opened: Option<OpenedPart>,
) -> Result<Vec<Option<Range>>, QueryError> {
    let opened = opened.ok_or_else(|| Bug::new("an R-tree that was asked for is not there"))?;
    let fragment = planned(array, plan.fragment)?;
    let tree = fragment.metadata.rtree(&opened.payload, array.limits());
    let tree: RTree = tree.at(&fragment.metadata_key)?;
    let range = |tile: &PlannedTile| {
        let range = tree.leaf(tile.tile, dimension)?;
        // Bounds out of order say nothing.
        range.is_ordered(datatype).then_some(range)
    };
    Ok(plan.tiles.iter().map(range).collect())
}

/// These tiles as parts of a table; they come by fragment.
fn segments(plan: &SparsePlan, chosen: &[(usize, usize)]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut end = 0_usize;
    for same in chosen.chunk_by(|a, b| a.0 == b.0) {
        let Some(fragment) = same.first().and_then(|(at, _)| plan.fragments.get(*at)) else {
            continue;
        };
        let tiles = same
            .iter()
            .filter_map(|(_, tile)| fragment.tiles.get(*tile));
        let segment = fragment.segment(tiles, end);
        end = segment.rows.end;
        segments.push(segment);
    }
    segments
}
