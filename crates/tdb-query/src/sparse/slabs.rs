//! A sorted result that does not fit the memory, of cells that are not stored in its order: slab by slab.
//!
//! A slab is as many of the next cells as fit. To find them, all tiles that may have some are looked at, a chunk at a
//! time; cells that turn out to come later are let go, and are read again for the slab that they belong to.

use std::cmp::Ordering;

use tdb_array::Array;
use tdb_cells::{CellTable, Segment, Session};
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, Column};
use tdb_tile::{Budget, Datatype, Grant, Range};
use zerocopy::little_endian::U64;

use super::keys::{Coordinates, sort_order};
use super::merge::{Rows, all_rows};
use super::plan::{FragmentPlan, PlannedTile, SparsePlan};
use crate::QueryError;
use crate::options::ResultOrder;

/// Of the cells that memory allows, so many are looked at together.
const CHUNK: usize = 4;

/// Of the cells that memory allows, so many make a slab: twice as many are kept before it is cut, and
/// twice again while that is done.
const SLAB: usize = 8;

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

/// The coordinates of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Corner {
    /// One for each dimension.
    coordinates: Vec<Coordinate>,
}

#[derive(Clone, Debug)]
struct Coordinate {
    value: Vec<u8>,
    is_var: bool,
}

/// A slab on the way.
#[derive(Debug)]
pub(crate) struct Slab {
    /// Its first cell is not before this.
    from: Option<Corner>,
    /// Its last cell is before this.
    end: Option<Corner>,
    parts: Vec<CellTable>,
    rows: usize,
    /// Cells that it may have.
    most: usize,
    /// Cells to look at together.
    chunk: usize,
    /// The next tile to look at.
    at: usize,
}

impl Slabs {
    /// The cells from `reached` on; all of them without.
    pub(crate) fn new(
        array: &Array,
        plan: &SparsePlan,
        session: &Session,
        reached: Option<Corner>,
    ) -> Result<Self, QueryError> {
        let dimensions = &plan.schema.dimensions;
        let slowest = match plan.merge_order() {
            ResultOrder::RowMajor => Some(0),
            ResultOrder::ColumnMajor => dimensions.len().checked_sub(1),
            ResultOrder::Global | ResultOrder::Unordered => None,
        };
        let slowest = slowest.and_then(|d| Some((d, dimensions.get(d)?.datatype)));
        let count = plan.fragments.iter().map(|f| f.tiles.len());
        let count = count.fold(0, usize::saturating_add);
        let bytes = count.saturating_mul(size_of::<Bounds>());
        let held = session.limits().budget.take(bytes as u64)?;
        let mut tiles = Vec::with_capacity(count);
        for (fragment, planned) in plan.fragments.iter().enumerate() {
            let ranges = ranges(array, planned, slowest)?;
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
            next: reached.map_or(Next::Start, Next::At),
            _held: held,
        })
    }

    /// The next slab, where about `share` cells fit the memory; `None` after the last.
    pub(crate) fn begin(&self, share: usize) -> Option<Slab> {
        let from = match &self.next {
            Next::Start => None,
            Next::At(corner) => Some(corner.clone()),
            Next::End => return None,
        };
        Some(Slab {
            from,
            end: None,
            parts: Vec::new(),
            rows: 0,
            most: (share / SLAB).max(1),
            chunk: (share / CHUNK).max(1),
            at: 0,
        })
    }

    /// The next tiles that may have cells of the slab; `None` after the last.
    pub(crate) fn next_chunk(&self, plan: &SparsePlan, slab: &mut Slab) -> Option<Vec<Segment>> {
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let mut cells = 0_usize;
        while let Some(bounds) = self.tiles.get(slab.at).filter(|_| cells < slab.chunk) {
            if self.begins_behind(bounds, slab) {
                slab.at = self.tiles.len();
                break;
            }
            slab.at += 1;
            if self.ends_before(bounds, slab) {
                continue;
            }
            let tile = plan.fragments.get(bounds.fragment);
            let tile = tile.and_then(|f| f.tiles.get(bounds.tile));
            cells = cells.saturating_add(tile.map_or(0, |tile| tile.cells));
            chosen.push((bounds.fragment, bounds.tile));
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
        datatype.compare(value?, &corner?.coordinates.get(dimension)?.value)
    }
}

impl Slab {
    /// Takes the cells that may belong to the slab out of `table`, in which all fields are loaded.
    pub(crate) fn add(
        &mut self,
        plan: &SparsePlan,
        table: &CellTable,
        rows: Rows,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let mut rows = rows.unwrap_or_else(|| all_rows(table));
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let coordinates = Coordinates::new(table, plan.schema.dimensions.len());
        let columns = coordinates.columns(table);
        let is_before = |row: u32, corner: &[Column<'_>]| {
            let order = comparator.compare_rows(&columns, row as usize, corner, 0);
            order.is_lt()
        };
        if let Some(from) = &self.from {
            let from = from.columns();
            rows.retain(|&row| !is_before(row, &from));
        }
        if let Some(end) = &self.end {
            let end = end.columns();
            rows.retain(|&row| is_before(row, &end));
        }
        if !rows.is_empty() {
            self.rows = self.rows.saturating_add(rows.len());
            self.parts.push(table.compact(&rows, budget)?);
        }
        if self.rows > self.most.saturating_mul(2) {
            self.cut(plan, budget)?;
        }
        Ok(())
    }

    /// Keeps the first cells, as many as a slab may have. Cells of equal coordinates stay together.
    fn cut(&mut self, plan: &SparsePlan, budget: &Budget) -> Result<(), QueryError> {
        let whole = CellTable::concat(std::mem::take(&mut self.parts), budget)?;
        let coordinates = Coordinates::new(&whole, plan.schema.dimensions.len());
        let keys = plan.keys(&whole, &coordinates);
        let mut rows = all_rows(&whole);
        keys.sort(&mut rows);
        let mut end = rows.get(self.most).copied().map_or(rows.len(), |at| {
            rows.partition_point(|&row| keys.compare(row, at).is_lt())
        });
        if let Some(&first) = rows.first().filter(|_| end == 0) {
            end = rows.partition_point(|&row| keys.compare(row, first).is_le());
        }
        let Some(&behind) = rows.get(end) else {
            // All are equal.
            self.most = whole.rows;
            drop(keys);
            self.parts.push(whole);
            return Ok(());
        };
        self.end = Some(Corner::of(&whole, behind, plan.schema.dimensions.len()));
        rows.truncate(end);
        rows.sort_unstable();
        self.rows = rows.len();
        self.parts.push(whole.compact(&rows, budget)?);
        Ok(())
    }

    /// All cells of the slab, and where the next one begins.
    pub(crate) fn finish(
        mut self,
        plan: &SparsePlan,
        budget: &Budget,
    ) -> Result<(CellTable, Next), QueryError> {
        if self.rows > self.most {
            self.cut(plan, budget)?;
        }
        let next = self.end.map_or(Next::End, Next::At);
        Ok((CellTable::concat(self.parts, budget)?, next))
    }
}

impl Corner {
    pub(crate) fn of(table: &CellTable, row: u32, dimensions: usize) -> Self {
        let coordinate = |dimension| {
            let column = table.column(FieldKind::Dimension(dimension));
            Coordinate {
                value: column.map_or(&[][..], |c| c.cell(row as usize)).to_vec(),
                is_var: column.is_some_and(|c| c.offsets.is_some()),
            }
        };
        Self {
            coordinates: (0..dimensions).map(coordinate).collect(),
        }
    }

    /// As columns of one row.
    fn columns(&self) -> Vec<Column<'_>> {
        self.coordinates.iter().map(Coordinate::column).collect()
    }
}

impl Coordinate {
    fn column(&self) -> Column<'_> {
        match self.is_var {
            true => Column::Var {
                offsets: &[U64::ZERO],
                data: &self.value,
            },
            false => Column::Fixed(&self.value),
        }
    }
}

/// What the tiles of a fragment hold along a dimension, as far as their bounds can be trusted.
fn ranges(
    array: &Array,
    plan: &FragmentPlan,
    slowest: Option<(usize, Datatype)>,
) -> Result<Vec<Option<Range>>, QueryError> {
    let fragment = array.fragments().get(plan.fragment);
    let is_string = |d: usize| {
        let dimension = array.schema().dimensions.get(d);
        dimension.is_some_and(|dimension| dimension.cell_val_num.is_var())
    };
    let doubted = fragment.is_some_and(|f| f.metadata.version.misstates_empty_string_bounds());
    let Some((dimension, datatype)) = slowest.filter(|(d, _)| !(doubted && is_string(*d))) else {
        return Ok(vec![None; plan.tiles.len()]);
    };
    let tree = array.rtree(plan.fragment)?;
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
