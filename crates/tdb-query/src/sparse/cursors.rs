//! Which tiles a sparse read takes next, where cells of each fragment come in the order of the result.

use tdb_cells::{CellSizes, CellTable, Segment};
use tdb_schema::order::CellComparator;
use tdb_tile::Bug;

use super::corner::Corner;
use super::fragment_plan::FragmentPlan;
use super::keys::sort_order;
use super::plan::{PlannedTiles, SparsePlan};
use crate::QueryError;

/// Bytes for each row that is sorted: its key, the pair of key and row, its number.
pub(super) const SORTED_ROW: u64 = 40;

/// Bytes for each row that may be left out: how often it counts, and its number.
pub(super) const PICKED_ROW: u64 = 8;

/// What tiles take in memory while a batch is made of them: their cells, the result, and what sorts it.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    sizes: CellSizes,
    /// How often the cells are in memory at a time.
    times: u64,
    per_row: u64,
}

impl Weights {
    pub(super) fn new(plan: &SparsePlan) -> Self {
        // Keys and row numbers, and the result beside the table.
        let (times, per_row) = match plan.sorts {
            true => (2, SORTED_ROW),
            false => (1, PICKED_ROW),
        };
        Self {
            sizes: plan.sizes(),
            times,
            per_row,
        }
    }

    fn of_cells(&self, bytes: u64, cells: usize) -> u64 {
        let rows = self.per_row.saturating_mul(cells as u64);
        bytes.saturating_mul(self.times).saturating_add(rows)
    }

    /// Of a planned tile, by its fragment's and its own place in the plan.
    pub(super) fn of_tile(
        &self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        (fragment, tile): (usize, usize),
    ) -> u64 {
        let planned = plan.fragments.get(fragment);
        let planned = planned.and_then(|f| f.tiles.get(tile));
        let known = planned.zip(tiles.tiles.get(fragment));
        known.map_or(0, |(tile, tiles)| {
            let bytes = self.sizes.of_tile(tiles, tile.tile, tile.cells);
            self.of_cells(bytes, tile.cells)
        })
    }

    /// Of cells that are in memory already.
    pub(super) fn of_table(&self, table: &CellTable) -> u64 {
        self.of_cells(table.bytes_held(), table.rows)
    }

    /// Rows of so much weight, where values of varying size are not counted.
    pub(super) fn of_rows(&self, rows: u64) -> u64 {
        let row = self.of_cells(self.sizes.per_row(), 1);
        row.saturating_mul(rows)
    }
}

/// Where the reading of each fragment stands.
#[derive(Clone, Debug)]
pub(super) struct Cursors {
    fragments: Vec<Cursor>,
    /// The fragment that kept the last batch from having more cells.
    limiting: Option<usize>,
}

/// Where the reading of one fragment stands.
#[derive(Clone, Debug, Default)]
struct Cursor {
    /// The next of its tiles, by place in the plan.
    tile: usize,
    /// The weight of that tile and all behind it.
    left: u64,
    /// The last cell that was loaded: the next are not before it.
    last: Option<Corner>,
}

/// Tiles that were chosen, and what they take.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) segments: Vec<Segment>,
    /// What making a batch of them takes, what is left of the batch before included.
    pub(super) weight: u64,
    /// What decoding one of them takes beside.
    pub(super) decoding: u64,
}

impl Cursors {
    pub(super) fn new(plan: &SparsePlan, tiles: &PlannedTiles, weights: &Weights) -> Self {
        let fragments = plan.fragments.iter().enumerate().map(|(at, fragment)| {
            let all = 0..fragment.tiles.len();
            let all = all.map(|tile| weights.of_tile(plan, tiles, (at, tile)));
            Cursor {
                tile: 0,
                left: all.fold(0, u64::saturating_add),
                last: None,
            }
        });
        Self {
            fragments: fragments.collect(),
            limiting: None,
        }
    }

    /// The weight of all tiles that are still to be read.
    pub(super) fn left(&self) -> u64 {
        let left = self.fragments.iter().map(|cursor| cursor.left);
        left.fold(0, u64::saturating_add)
    }

    /// The next tile of a fragment, both by place in the plan.
    pub(super) fn tile(&self, fragment: usize) -> usize {
        self.fragments.get(fragment).map_or(0, |cursor| cursor.tile)
    }

    /// The next tiles, of about the weight `share`; `carried` are cells of earlier ones that were not given out.
    ///
    /// Cells that are merged come from all fragments at once, others from one after the other.
    pub(super) fn choose(
        &self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        weights: &Weights,
        share: u64,
        carried: Option<&CellTable>,
    ) -> Chosen {
        let total = self.left();
        let is_all = total <= share || !plan.can_stop();
        let mut chosen = Chosen::default();
        let kept = carried.map_or(0, |table| weights.of_table(table));
        for (at, (fragment, cursor)) in plan.fragments.iter().zip(&self.fragments).enumerate() {
            if cursor.tile >= fragment.tiles.len() {
                continue;
            }
            let part = match (is_all, plan.sorts) {
                (true, _) => u64::MAX,
                (_, true) => {
                    let own = carried.map_or(0, |table| share_of(table, fragment, kept));
                    let part = proportion(share, cursor.left, total).saturating_sub(own);
                    // Without a cell of it in memory, and where it holds up the others, it needs more.
                    part.max(u64::from(own == 0 || self.limiting == Some(at)))
                }
                (_, false) => share.saturating_sub(chosen.weight),
            };
            if part == 0 {
                match plan.sorts {
                    true => continue,
                    false => break,
                }
            }
            chosen.add(plan, tiles, weights, (at, cursor.tile), part);
        }
        chosen.weight = chosen.weight.saturating_add(kept);
        chosen
    }

    /// Goes on behind tiles that were chosen.
    pub(super) fn advance(
        &mut self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        weights: &Weights,
        segments: &[Segment],
    ) {
        for segment in segments {
            if let Some(at) = plan.position(segment.fragment) {
                self.skip(plan, tiles, weights, at, segment.tiles.len());
            }
        }
    }

    /// Goes on behind so many tiles of a fragment.
    pub(super) fn skip(
        &mut self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        weights: &Weights,
        fragment: usize,
        count: usize,
    ) {
        let Some(cursor) = self.fragments.get_mut(fragment) else {
            return;
        };
        let end = cursor.tile.saturating_add(count);
        for tile in cursor.tile..end {
            let weight = weights.of_tile(plan, tiles, (fragment, tile));
            cursor.left = cursor.left.saturating_sub(weight);
        }
        cursor.tile = end;
        cursor.last = None;
    }

    /// Notes the last cell of each fragment of a table, whose coordinates are loaded.
    pub(super) fn note_last(&mut self, plan: &SparsePlan, table: &CellTable) {
        for segment in &table.segments {
            let cursor = plan.position(segment.fragment);
            let cursor = cursor.and_then(|at| self.fragments.get_mut(at));
            let last = segment.rows.end.checked_sub(1);
            if let (Some(cursor), Some(row)) = (cursor, last) {
                cursor.last = Some(Corner::of(table, row, plan.schema.dimensions.len()));
            }
        }
    }

    /// The first of the last cells of fragments that have more: cells that are not loaded yet come behind it, or are
    /// equal to it. `None` where all is loaded.
    pub(super) fn frontier(&mut self, plan: &SparsePlan) -> Result<Option<Corner>, QueryError> {
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let mut first: Option<(usize, &Corner)> = None;
        for (at, (fragment, cursor)) in plan.fragments.iter().zip(&self.fragments).enumerate() {
            if cursor.tile >= fragment.tiles.len() {
                continue;
            }
            let last = cursor.last.as_ref();
            let last = last.ok_or_else(|| Bug::new("no cell of a fragment that is merged is in memory"))?;
            if first.is_none_or(|(_, first)| last.compare(first, &comparator).is_lt()) {
                first = Some((at, last));
            }
        }
        let found = first.map(|(at, corner)| (at, corner.clone()));
        self.limiting = found.as_ref().map(|(at, _)| *at);
        Ok(found.map(|(_, corner)| corner))
    }
}

impl Chosen {
    /// Adds tiles of a fragment from this one on until they have this weight; at least one.
    fn add(
        &mut self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        weights: &Weights,
        (at, first): (usize, usize),
        part: u64,
    ) {
        let (Some(fragment), Some(stored)) = (plan.fragments.get(at), tiles.tiles.get(at)) else {
            return;
        };
        let (mut weight, mut end) = (0_u64, first);
        while let Some(planned) = fragment.tiles.get(end).filter(|_| weight < part) {
            weight = weight.saturating_add(weights.of_tile(plan, tiles, (at, end)));
            let decoding = stored.decoding_bytes(planned.tile, planned.cells);
            self.decoding = self.decoding.max(decoding);
            end = end.saturating_add(1);
        }
        let taken = fragment.tiles.get(first..end).unwrap_or_default();
        let segment = fragment.segment(taken, self.rows());
        self.weight = self.weight.saturating_add(weight);
        self.segments.push(segment);
    }

    /// How many cells the tiles have.
    pub(super) fn rows(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.rows.end)
    }
}

/// The part of the weight of a table that the cells of a fragment have.
fn share_of(table: &CellTable, fragment: &FragmentPlan, weight: u64) -> u64 {
    let own = table
        .segments
        .iter()
        .find(|segment| segment.fragment == fragment.fragment);
    let rows = own.map_or(0, |segment| segment.rows.len());
    proportion(weight, rows as u64, table.rows as u64).min(weight * u64::from(rows > 0))
}

fn proportion(share: u64, part: u64, total: u64) -> u64 {
    let exact = u128::from(share) * u128::from(part) / u128::from(total).max(1);
    u64::try_from(exact).unwrap_or(u64::MAX).max(1)
}
