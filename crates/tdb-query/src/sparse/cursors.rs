//! Chooses the next tiles of a sparse read whose fragments store their cells in the order of the result.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::CellTable;
use tdb_schema::order::CellComparator;
use tdb_tile::{Bug, Exact};

use super::batch_tiles::TileChoice;
use super::bounds::FragmentBounds;
use super::corner::Corner;
use super::fragment_order::Outset;
use super::fragment_plan::FragmentPlan;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::weights::Supply;
use crate::QueryError;

/// Current position within each fragment.
///
/// The cost of a step depends on the number of fragments that take part in it, not on that of all fragments: finished
/// fragments are removed, and those that have not begun are kept in order.
#[derive(Clone, Debug)]
pub(super) struct Cursors {
    outset: Arc<Outset>,
    /// Number of fragments that have begun, in the order of [`Outset::order`].
    begun: usize,
    /// Fragments that have begun and still have tiles to read. If cells are sorted, these are merged.
    active: BTreeMap<PlanIndex, Cursor>,
    /// Number of fragments that still have tiles to read, begun or not.
    unfinished: usize,
    /// Weight of all tiles that are still to be read.
    left: u64,
    /// Weight of the tiles of active fragments that are still to be read.
    left_of_active: u64,
    /// Fragment that limited the number of cells of the last batch.
    limiting: Option<PlanIndex>,
}

/// Current position within a fragment that has begun.
#[derive(Clone, Debug, Default)]
struct Cursor {
    /// Next tile, by position in the plan.
    tile: usize,
    /// Weight of that tile and all later ones.
    left: u64,
    /// Last cell that was loaded; the following cells do not come before it.
    last: Option<Corner>,
    /// Whether any tile of the fragment was loaded.
    is_loaded: bool,
}

/// Position in the order of the result; all cells that are not loaded yet come after it.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    pub(super) corner: Corner,
    /// Whether all cells equal to the corner are loaded.
    pub(super) is_loaded: bool,
}

impl Cursors {
    pub(super) fn new(array: &Snapshot, supply: Supply<'_>) -> Result<Self, QueryError> {
        let outset = Outset::new(array, supply)?;
        let unbounded = outset.bounds.iter().filter(|bounds| bounds.is_none());
        let first = if supply.plan.sorts {
            unbounded.count()
        } else {
            0
        };
        let tiles = supply.plan.fragments.iter().map(|f| f.tiles.len());
        let mut cursors = Self {
            begun: 0,
            active: BTreeMap::new(),
            unfinished: tiles.filter(|&tiles| tiles > 0).count(),
            left: outset.weight,
            left_of_active: 0,
            limiting: None,
            outset: Arc::new(outset),
        };
        cursors.begin_until(supply, first)?;
        Ok(cursors)
    }

    fn active(&mut self, at: PlanIndex) -> Result<&mut Cursor, Bug> {
        let cursor = self.active.get_mut(&at);
        cursor.ok_or_else(|| Bug::new("tiles of a fragment that has no more"))
    }

    /// Iterates over all fragments that have begun and have more tiles, and counts the visits.
    fn each_active(&self, supply: Supply<'_>) -> impl Iterator<Item = (PlanIndex, &Cursor)> {
        supply.counters.add_visited_fragments(self.active.len());
        self.active.iter().map(|(&at, cursor)| (at, cursor))
    }

    /// Returns the weight of all tiles that are still to be read.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Returns the next tile of a fragment, by position in the plan; `None` if it has no more.
    pub(super) fn tile(&self, at: PlanIndex) -> Result<Option<usize>, Bug> {
        if let Some(cursor) = self.active.get(&at) {
            return Ok(Some(cursor.tile));
        }
        Ok((self.outset.rank(at)? >= self.begun).then_some(0))
    }

    /// Chooses the next tiles, of about the weight `share`; `carried` are cells of earlier tiles that were not
    /// returned yet.
    ///
    /// If cells are merged, tiles come from all fragments at once that may have the next cells; otherwise from one
    /// fragment after another.
    pub(super) fn choose(
        &mut self,
        supply: Supply<'_>,
        share: u64,
        carried: Option<&CellTable>,
    ) -> Result<TileChoice, QueryError> {
        let Supply { plan, weights, .. } = supply;
        let is_all = self.left <= share || !plan.can_stop();
        if is_all {
            self.begin_until(supply, self.outset.order.len())?;
        } else if plan.sorts {
            self.begin(supply, share)?;
        } else {
            return self.choose_in_turn(supply, share);
        }
        let mut chosen = TileChoice::default();
        let kept = carried.map_or(Ok(0), |table| weights.of_table(table))?;
        for (at, cursor) in self.each_active(supply) {
            let part = if is_all {
                u64::MAX
            } else {
                let own = carried.map_or(Ok(0), |table| {
                    Ok::<_, Bug>(share_of(table, plan.fragment(at)?, kept))
                })?;
                let part = proportion(share, cursor.left, self.left_of_active);
                // A fragment needs at least one more tile if it has no cell in memory, or if it holds up the others.
                let least = u64::from(own == 0 || self.limiting == Some(at));
                // A fragment may have more cells in memory than its part.
                part.saturating_sub(own).max(least)
            };
            if part > 0 {
                chosen.add(supply, at, cursor.tile, part)?;
            }
        }
        chosen.weight = chosen.weight.exact_add(kept)?;
        Ok(chosen)
    }

    /// Chooses the next tiles of one fragment after another; none of their cells are carried over to a later batch.
    fn choose_in_turn(&mut self, supply: Supply<'_>, share: u64) -> Result<TileChoice, QueryError> {
        let mut chosen = TileChoice::default();
        let mut done = None;
        while let Some(part @ 1..) = share.checked_sub(chosen.weight) {
            supply.counters.add_visited_fragments(1);
            let next = match done {
                None => self.active.first_key_value(),
                Some(done) => {
                    let behind = (Bound::Excluded(done), Bound::Unbounded);
                    self.active.range(behind).next()
                }
            };
            if let Some((&at, cursor)) = next {
                chosen.add(supply, at, cursor.tile, part)?;
                done = Some(at);
            } else if self.begun < self.outset.order.len() {
                self.begin_until(supply, self.begun.exact_add(1)?)?;
            } else {
                break;
            }
        }
        Ok(chosen)
    }

    /// Begins to merge the fragments that may have the next cells: all whose cells do not certainly come after those
    /// of the active fragments, and the one that holds up the rest; more while the active weight is below `room`.
    ///
    /// Fragments are ordered by their lower bounds, so the search ends at the first that begins after all active
    /// ones. Only fragments that overlap are merged at a time: many fragments that follow each other cost no more
    /// than a few.
    fn begin(&mut self, supply: Supply<'_>, room: u64) -> Result<(), Bug> {
        let plan = supply.plan;
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let outset = Arc::clone(&self.outset);
        let mut left = self.left_of_active;
        // Active fragment that ends last, unless the end of one is unknown.
        let mut farthest: Option<&FragmentBounds> = None;
        let mut is_known = true;
        for (at, _) in self.each_active(supply) {
            match outset.bounds(at)? {
                Some(bounds) => farthest = Some(bounds.farther(farthest, &comparator)),
                None => is_known = false,
            }
        }
        let mut end = self.begun;
        while let Some(&at) = outset.order.get(end) {
            supply.counters.add_visited_fragments(1);
            let unbounded = Bug::new("a fragment of unknown bounds among those in their order");
            let bounds = outset.bounds(at)?.ok_or(unbounded)?;
            let is_behind =
                is_known && farthest.is_none_or(|other| bounds.is_behind(other, &comparator));
            if is_behind && left >= room && self.limiting != Some(at) {
                break;
            }
            left = left.exact_add(outset.weight(at)?)?;
            farthest = Some(bounds.farther(farthest, &comparator));
            end = end.exact_add(1)?;
        }
        self.begin_until(supply, end)
    }

    /// Begins the fragments before position `end` in their order.
    fn begin_until(&mut self, supply: Supply<'_>, end: usize) -> Result<(), Bug> {
        let outset = Arc::clone(&self.outset);
        while self.begun < end {
            supply.counters.add_visited_fragments(1);
            let at = outset
                .order
                .get(self.begun)
                .copied()
                .ok_or_else(|| Bug::new("more fragments to begin than were planned"))?;
            self.begun = self.begun.exact_add(1)?;
            if supply.plan.fragment(at)?.tiles.is_empty() {
                continue;
            }
            let left = outset.weight(at)?;
            self.left_of_active = self.left_of_active.exact_add(left)?;
            self.active.insert(
                at,
                Cursor {
                    left,
                    ..Cursor::default()
                },
            );
        }
        Ok(())
    }

    /// Advances past the chosen tiles.
    pub(super) fn advance(
        &mut self,
        supply: Supply<'_>,
        chosen: &TileChoice,
    ) -> Result<(), QueryError> {
        for (at, tiles) in chosen.parts() {
            let cursor = self.pass(supply, *at, tiles.clone())?;
            cursor.last = None;
            cursor.is_loaded = true;
            self.finish(supply.plan, *at)?;
        }
        Ok(())
    }

    /// Advances past tiles of a fragment that are not to be loaded.
    pub(super) fn skip(
        &mut self,
        supply: Supply<'_>,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<(), QueryError> {
        let rank = self.outset.rank(at)?;
        self.begin_until(supply, rank.exact_add(1)?.max(self.begun))?;
        self.pass(supply, at, tiles)?;
        Ok(self.finish(supply.plan, at)?)
    }

    fn pass(
        &mut self,
        supply: Supply<'_>,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<&mut Cursor, QueryError> {
        let weight = supply.weight(at, tiles.clone())?;
        self.left = self.left.exact_sub(weight)?;
        self.left_of_active = self.left_of_active.exact_sub(weight)?;
        let cursor = self.active(at)?;
        if cursor.tile != tiles.start {
            return Err(Bug::new("tiles that are not the next of their fragment").into());
        }
        cursor.left = cursor.left.exact_sub(weight)?;
        cursor.tile = tiles.end;
        Ok(cursor)
    }

    /// Removes a fragment if it has no more tiles.
    fn finish(&mut self, plan: &SparsePlan, at: PlanIndex) -> Result<(), Bug> {
        if self.active(at)?.tile >= plan.fragment(at)?.tiles.len() {
            self.active.remove(&at);
            self.unfinished = self.unfinished.exact_sub(1)?;
        }
        Ok(())
    }

    /// Records the last cell of each fragment in a table, whose coordinates are loaded.
    pub(super) fn note_last(&mut self, plan: &SparsePlan, table: &CellTable) -> Result<(), Bug> {
        for segment in &table.segments {
            let cursor = self.active.get_mut(&plan.position(segment.fragment)?);
            if let (Some(cursor), Some(row)) = (cursor, segment.rows.last()) {
                cursor.last = Some(Corner::of(table, row, plan.schema.dimensions.len())?);
            }
        }
        Ok(())
    }

    /// Returns the position up to which all cells are loaded: the first among the last loaded cells of the fragments
    /// that have more, and the lower bounds of those that have not begun. `None` if all cells are loaded.
    ///
    /// The cells of a fragment come in order, so none before its last loaded cell can follow, and a fragment that has
    /// not begun adds cells only from its lower bound on. The fragment that determines the position becomes
    /// `limiting`: it gets more tiles next time, since loading others would not move the position.
    pub(super) fn frontier(&mut self, supply: Supply<'_>) -> Result<Option<Frontier>, QueryError> {
        let plan = supply.plan;
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let unknown = || Bug::new("no cell of a fragment that is merged is in memory");
        let mut first: Option<(PlanIndex, &Corner, bool)> = None;
        // Of the fragments that have not begun, the next in order starts first.
        let waiting = self.outset.order.get(self.begun).map(|&at| (at, None));
        let active = self
            .each_active(supply)
            .map(|(at, cursor)| (at, Some(cursor)));
        for (at, cursor) in active.chain(waiting) {
            let last = match cursor.and_then(|cursor| cursor.last.as_ref()) {
                Some(last) => (last, true),
                None => {
                    let bounds = self
                        .outset
                        .bounds(at)?
                        .filter(|_| cursor.is_none_or(|c| !c.is_loaded));
                    (bounds.ok_or_else(unknown)?.lo(), false)
                }
            };
            let (corner, is_last) = last;
            let is_first = first.is_none_or(|(_, first, was_last)| {
                let order = corner.compare(first, &comparator);
                order.is_lt() || (order.is_eq() && was_last && !is_last)
            });
            if is_first {
                first = Some((at, corner, is_last));
            }
        }
        let found = first.map(|(at, corner, is_last)| (at, corner.clone(), is_last));
        self.limiting = found.as_ref().map(|(at, ..)| *at);
        Ok(found.map(|(_, corner, is_last)| Frontier {
            corner,
            // A second cell with these coordinates, if the fragment has one, is either dropped as a duplicate, or no
            // other fragment is left and it comes in stored order.
            is_loaded: is_last && plan.is_distinct() && (plan.deduplicates || self.unfinished == 1),
        }))
    }
}

/// Returns the part of a table's weight that the cells of a fragment account for.
fn share_of(table: &CellTable, fragment: &FragmentPlan, weight: u64) -> u64 {
    // Segments are in the order of their fragments.
    let segments = &table.segments;
    let own = segments
        .binary_search_by_key(&fragment.fragment, |segment| segment.fragment)
        .ok()
        .and_then(|own| segments.get(own));
    let rows = own.map_or(0, |segment| segment.rows.len());
    if rows == 0 {
        return 0;
    }
    proportion(weight, rows as u64, table.rows().len() as u64).min(weight)
}

fn proportion(share: u64, part: u64, total: u64) -> u64 {
    tdb_cells::share(share, part, total).max(1)
}
