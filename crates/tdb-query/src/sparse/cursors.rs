//! Chooses the next tiles of a sparse read, if the cells of each fragment are stored in the order of the result.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::CellTable;
use tdb_schema::order::CellComparator;
use tdb_tile::Bug;

use super::bounds::FragmentBounds;
use super::chosen::Chosen;
use super::fragment_plan::FragmentPlan;
use super::outset::Outset;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::weights::Supply;
use crate::QueryError;
use tdb_cells::Corner;

/// The current position within each fragment.
///
/// A step costs as much as there are fragments whose cells take part in it: those that are done are forgotten, and those
/// that are still to come stand in order.
#[derive(Clone, Debug)]
pub(super) struct Cursors {
    outset: Arc<Outset>,
    /// How many fragments, in the order of [`Outset::order`], were begun.
    begun: usize,
    /// Fragments that were begun and have tiles that are still to be read. Where cells are sorted, these are merged.
    active: BTreeMap<PlanIndex, Cursor>,
    /// Fragments that have tiles that are still to be read, begun or not.
    unfinished: usize,
    /// The weight of all tiles that are still to be read.
    left: u64,
    /// The weight of those of active fragments.
    left_of_active: u64,
    /// The fragment that kept the last batch from having more cells.
    limiting: Option<PlanIndex>,
}

/// The current position within a fragment that was begun.
#[derive(Clone, Debug, Default)]
struct Cursor {
    /// The next of its tiles, by place in the plan.
    tile: usize,
    /// The weight of that tile and all behind it.
    left: u64,
    /// The last cell that was loaded: the next are not before it.
    last: Option<Corner>,
    /// Whether a tile of it was loaded.
    is_loaded: bool,
}

/// A position in the order of the result: cells that are not loaded yet come after it.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    pub(super) corner: Corner,
    /// Cells that are equal to it are loaded.
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
            left: outset.weights.iter().copied().fold(0, u64::saturating_add),
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

    /// All fragments that were begun and have more, where each of them is looked at.
    fn each_active(&self, supply: Supply<'_>) -> impl Iterator<Item = (PlanIndex, &Cursor)> {
        supply.counters.add_visited_fragments(self.active.len());
        self.active.iter().map(|(&at, cursor)| (at, cursor))
    }

    /// The weight of all tiles that are still to be read.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The next tile of a fragment, by place in the plan; `None` if it has no more.
    pub(super) fn tile(&self, at: PlanIndex) -> Result<Option<usize>, Bug> {
        if let Some(cursor) = self.active.get(&at) {
            return Ok(Some(cursor.tile));
        }
        Ok((self.outset.rank(at)? >= self.begun).then_some(0))
    }

    /// The next tiles, of about the weight `share`; `carried` are cells of earlier ones that were not given out.
    ///
    /// Cells that are merged come from all fragments at once that may have the next ones, others from one after the other.
    pub(super) fn choose(
        &mut self,
        supply: Supply<'_>,
        share: u64,
        carried: Option<&CellTable>,
    ) -> Result<Chosen, QueryError> {
        let Supply { plan, weights, .. } = supply;
        let is_all = self.left <= share || !plan.can_stop();
        if is_all {
            self.begin_until(supply, self.outset.order.len())?;
        } else if plan.sorts {
            self.begin(supply, share)?;
        } else {
            return Ok(self.choose_in_turn(supply, share)?);
        }
        let mut chosen = Chosen::default();
        let kept = carried.map_or(0, |table| weights.of_table(table));
        for (at, cursor) in self.each_active(supply) {
            let part = if is_all {
                u64::MAX
            } else {
                let own = carried.map_or(Ok(0), |table| {
                    Ok::<_, Bug>(share_of(table, plan.fragment(at)?, kept))
                })?;
                let part = proportion(share, cursor.left, self.left_of_active);
                // Without a cell of it in memory, and where it holds up the others, it needs more.
                let least = u64::from(own == 0 || self.limiting == Some(at));
                part.saturating_sub(own).max(least)
            };
            if part > 0 {
                chosen.add(supply, (at, cursor.tile), part)?;
            }
        }
        chosen.weight = chosen.weight.saturating_add(kept);
        Ok(chosen)
    }

    /// The next tiles of one fragment after the other; none of their cells are kept for later.
    fn choose_in_turn(&mut self, supply: Supply<'_>, share: u64) -> Result<Chosen, Bug> {
        let mut chosen = Chosen::default();
        let mut done = None;
        while chosen.weight < share {
            supply.counters.add_visited_fragments(1);
            let next = match done {
                None => self.active.first_key_value(),
                Some(done) => {
                    let behind = (Bound::Excluded(done), Bound::Unbounded);
                    self.active.range(behind).next()
                }
            };
            if let Some((&at, cursor)) = next {
                chosen.add(
                    supply,
                    (at, cursor.tile),
                    share.saturating_sub(chosen.weight),
                )?;
                done = Some(at);
            } else if self.begun < self.outset.order.len() {
                self.begin_until(supply, self.begun.saturating_add(1))?;
            } else {
                break;
            }
        }
        Ok(chosen)
    }

    /// Begins to merge the fragments that may have the next cells: those of which it is not known that all their cells come
    /// behind those of the others, and the one that holds up the rest; and more, as long as there is room for them.
    fn begin(&mut self, supply: Supply<'_>, room: u64) -> Result<(), Bug> {
        let plan = supply.plan;
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let outset = Arc::clone(&self.outset);
        let mut left = self.left_of_active;
        // The merged fragment that reaches farthest, unless one may reach anywhere.
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
            left = left.saturating_add(outset.weight(at)?);
            farthest = Some(bounds.farther(farthest, &comparator));
            end = end.saturating_add(1);
        }
        self.begin_until(supply, end)
    }

    /// Begins the fragments before this place in their order.
    fn begin_until(&mut self, supply: Supply<'_>, end: usize) -> Result<(), Bug> {
        let outset = Arc::clone(&self.outset);
        while self.begun < end {
            supply.counters.add_visited_fragments(1);
            let at = outset.order.get(self.begun).copied();
            let at = at.ok_or_else(|| Bug::new("more fragments to begin than were planned"))?;
            self.begun = self.begun.saturating_add(1);
            if supply.plan.fragment(at)?.tiles.is_empty() {
                continue;
            }
            let left = outset.weight(at)?;
            self.left_of_active = self.left_of_active.saturating_add(left);
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

    /// Goes on behind tiles that were chosen.
    pub(super) fn advance(&mut self, supply: Supply<'_>, chosen: &Chosen) -> Result<(), Bug> {
        for (at, tiles) in chosen.parts() {
            let cursor = self.pass(supply, *at, tiles.clone())?;
            cursor.last = None;
            cursor.is_loaded = true;
            self.finish(supply.plan, *at)?;
        }
        Ok(())
    }

    /// Goes on behind tiles of a fragment that are not to be loaded.
    pub(super) fn skip(
        &mut self,
        supply: Supply<'_>,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<(), Bug> {
        let rank = self.outset.rank(at)?;
        self.begin_until(supply, rank.saturating_add(1).max(self.begun))?;
        self.pass(supply, at, tiles)?;
        self.finish(supply.plan, at)
    }

    fn pass(
        &mut self,
        supply: Supply<'_>,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<&mut Cursor, Bug> {
        let weight = supply.weight(at, tiles.clone())?;
        self.left = self.left.saturating_sub(weight);
        self.left_of_active = self.left_of_active.saturating_sub(weight);
        let cursor = self.active(at)?;
        if cursor.tile != tiles.start {
            return Err(Bug::new("tiles that are not the next of their fragment"));
        }
        cursor.left = cursor.left.saturating_sub(weight);
        cursor.tile = tiles.end;
        Ok(cursor)
    }

    /// Forgets a fragment if it has no more tiles.
    fn finish(&mut self, plan: &SparsePlan, at: PlanIndex) -> Result<(), Bug> {
        if self.active(at)?.tile >= plan.fragment(at)?.tiles.len() {
            self.active.remove(&at);
            self.unfinished = self.unfinished.saturating_sub(1);
        }
        Ok(())
    }

    /// Notes the last cell of each fragment of a table, whose coordinates are loaded.
    pub(super) fn note_last(&mut self, plan: &SparsePlan, table: &CellTable) -> Result<(), Bug> {
        for segment in &table.segments {
            let cursor = self.active.get_mut(&plan.position(segment.fragment)?);
            if let (Some(cursor), Some(row)) = (cursor, segment.rows.last()) {
                cursor.last = Some(Corner::of(table, row, plan.schema.dimensions.len())?);
            }
        }
        Ok(())
    }

    /// Up to where all cells are loaded: the first of the last cells of fragments that have more, and of the bounds of
    /// those that are not begun. `None` where all is loaded.
    pub(super) fn frontier(&mut self, supply: Supply<'_>) -> Result<Option<Frontier>, QueryError> {
        let plan = supply.plan;
        let comparator = CellComparator::new(&plan.schema, plan.request.merge_order().sort_order());
        let unknown = || Bug::new("no cell of a fragment that is merged is in memory");
        let mut first: Option<(PlanIndex, &Corner, bool)> = None;
        // Of those that are not begun, the next in their order begins first.
        let waiting = self.outset.order.get(self.begun).map(|&at| (at, None));
        let active = self
            .each_active(supply)
            .map(|(at, cursor)| (at, Some(cursor)));
        for (at, cursor) in active.chain(waiting) {
            let last = match cursor.and_then(|cursor| cursor.last.as_ref()) {
                Some(last) => (last, true),
                None => {
                    let bounds = self.outset.bounds(at)?;
                    let bounds = bounds.filter(|_| cursor.is_none_or(|c| !c.is_loaded));
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
            // A second cell of these coordinates, if its fragment has one, is left out, or comes where it is stored.
            is_loaded: is_last && plan.is_distinct() && (plan.deduplicates || self.unfinished == 1),
        }))
    }
}

/// The part of the weight of a table that the cells of a fragment have.
fn share_of(table: &CellTable, fragment: &FragmentPlan, weight: u64) -> u64 {
    // Segments come in the order of their fragments.
    let segments = &table.segments;
    let own = segments.binary_search_by_key(&fragment.fragment, |segment| segment.fragment);
    let own = own.ok().and_then(|own| segments.get(own));
    let rows = own.map_or(0, |segment| segment.rows.len());
    if rows == 0 {
        return 0;
    }
    proportion(weight, rows as u64, table.rows().len() as u64).min(weight)
}

fn proportion(share: u64, part: u64, total: u64) -> u64 {
    tdb_cells::share(share, part, total).max(1)
}
