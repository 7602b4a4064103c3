//! Chooses the next tiles of a sparse read, if the cells of each fragment are stored in the order of the result.

use std::ops::Range;

use tdb_array::Snapshot;
use tdb_cells::{CellTable, RowRange, Segment};
use tdb_schema::order::CellComparator;
use tdb_tile::Bug;

use super::bounds::FragmentBounds;
use super::corner::Corner;
use super::fragment_plan::FragmentPlan;
use super::keys::sort_order;
use super::plan::{PlanIndex, SparsePlan};
use super::weights::Supply;
use crate::QueryError;

/// The current position within each fragment.
#[derive(Clone, Debug)]
pub(super) struct Cursors {
    fragments: Vec<Cursor>,
    /// The fragments of which it is known where their cells lie, by where these begin.
    order: Vec<PlanIndex>,
    /// How many of those are being merged, or have been.
    begun: usize,
    /// The fragment that kept the last batch from having more cells.
    limiting: Option<PlanIndex>,
}

/// The current position within one fragment.
#[derive(Clone, Debug, Default)]
struct Cursor {
    /// The next of its tiles, by place in the plan.
    tile: usize,
    /// The weight of that tile and all behind it.
    left: u64,
    /// The last cell that was loaded: the next are not before it.
    last: Option<Corner>,
    /// Where all of its cells lie, if that is known.
    bounds: Option<FragmentBounds>,
    /// Whether it is merged with the others.
    is_begun: bool,
}

/// A position in the order of the result: cells that are not loaded yet come after it.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    pub(super) corner: Corner,
    /// Cells that are equal to it are loaded.
    pub(super) is_loaded: bool,
}

/// Tiles that were chosen, and what they take.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Of each fragment, by their places in the plan.
    parts: Vec<(PlanIndex, Range<usize>)>,
    /// How many cells they have.
    pub(super) rows: u64,
    /// What making a batch of them takes, what is left of the batch before included.
    pub(super) weight: u64,
    /// What decoding one of them takes beside.
    pub(super) decoding: u64,
}

impl Cursors {
    pub(super) fn new(array: &Snapshot, supply: Supply<'_>) -> Result<Self, QueryError> {
        let plan = supply.plan;
        let bounds = if plan.sorts && plan.can_stop() {
            FragmentBounds::of(plan, array)?
        } else {
            vec![None; plan.fragments.len()]
        };
        let fragments = plan.numbered().zip(bounds).map(|((at, fragment), bounds)| {
            Ok(Cursor {
                tile: 0,
                left: supply.weight(at, 0..fragment.tiles.len())?,
                last: None,
                is_begun: bounds.is_none(),
                bounds,
            })
        });
        let fragments: Vec<Cursor> = fragments.collect::<Result<_, Bug>>()?;
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let bounded = plan.numbered().zip(&fragments);
        let bounded = bounded.filter_map(|((at, _), cursor)| Some((at, cursor.bounds.as_ref()?)));
        let mut bounded: Vec<(PlanIndex, &FragmentBounds)> = bounded.collect();
        bounded.sort_by(|(_, a), (_, b)| a.lo().compare(b.lo(), &comparator));
        Ok(Self {
            order: bounded.into_iter().map(|(at, _)| at).collect(),
            begun: 0,
            fragments,
            limiting: None,
        })
    }

    fn cursor(&self, at: PlanIndex) -> Result<&Cursor, Bug> {
        let cursor = self.fragments.get(at.get());
        cursor.ok_or_else(|| Bug::new("a cursor of a fragment that was not planned"))
    }

    fn cursor_mut(&mut self, at: PlanIndex) -> Result<&mut Cursor, Bug> {
        let cursor = self.fragments.get_mut(at.get());
        cursor.ok_or_else(|| Bug::new("a cursor of a fragment that was not planned"))
    }

    /// The weight of all tiles that are still to be read.
    pub(super) fn left(&self) -> u64 {
        let left = self.fragments.iter().map(|cursor| cursor.left);
        left.fold(0, u64::saturating_add)
    }

    /// The next tile of a fragment, both by place in the plan.
    pub(super) fn tile(&self, fragment: PlanIndex) -> Result<usize, Bug> {
        Ok(self.cursor(fragment)?.tile)
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
        let is_all = self.left() <= share || !plan.can_stop();
        self.begin(plan, if is_all { u64::MAX } else { share })?;
        let total = self.left_of_begun(plan);
        let mut chosen = Chosen::default();
        let kept = carried.map_or(0, |table| weights.of_table(table));
        for ((at, fragment), cursor) in plan.numbered().zip(&self.fragments) {
            if cursor.tile >= fragment.tiles.len() {
                continue;
            }
            let part = match (is_all, plan.sorts) {
                (true, _) => u64::MAX,
                (_, true) if !cursor.is_begun => continue,
                (_, true) => {
                    let own = carried.map_or(0, |table| share_of(table, fragment, kept));
                    let part = proportion(share, cursor.left, total).saturating_sub(own);
                    // Without a cell of it in memory, and where it holds up the others, it needs more.
                    part.max(u64::from(own == 0 || self.limiting == Some(at)))
                }
                (_, false) => share.saturating_sub(chosen.weight),
            };
            if part > 0 {
                chosen.add(supply, (at, cursor.tile), part)?;
            } else if !plan.sorts {
                break;
            }
        }
        chosen.weight = chosen.weight.saturating_add(kept);
        Ok(chosen)
    }

    /// Begins to merge the fragments that may have the next cells: those of which it is not known that all their cells come
    /// behind those of the others, and the one that holds up the rest; and more, as long as there is room for them.
    fn begin(&mut self, plan: &SparsePlan, room: u64) -> Result<(), Bug> {
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let mut left = self.left_of_begun(plan);
        // The merged fragment that reaches farthest, unless one may reach anywhere.
        let mut farthest: Option<&FragmentBounds> = None;
        let mut is_known = true;
        let merged = self.fragments.iter().zip(&plan.fragments);
        for (cursor, _) in merged.filter(|(c, f)| c.is_begun && c.tile < f.tiles.len()) {
            match &cursor.bounds {
                Some(bounds) => farthest = Some(bounds.farther(farthest, &comparator)),
                None => is_known = false,
            }
        }
        let mut end = self.begun;
        while let Some(&at) = self.order.get(end) {
            let cursor = self.cursor(at)?;
            let unbounded = Bug::new("a fragment of unknown bounds among those in their order");
            let bounds = cursor.bounds.as_ref().ok_or(unbounded)?;
            let is_behind =
                is_known && farthest.is_none_or(|other| bounds.is_behind(other, &comparator));
            if is_behind && left >= room && self.limiting != Some(at) {
                break;
            }
            left = left.saturating_add(cursor.left);
            farthest = Some(bounds.farther(farthest, &comparator));
            end = end.saturating_add(1);
        }
        for at in self.order.iter().take(end).skip(self.begun) {
            let cursor = self.fragments.get_mut(at.get());
            let unplanned = Bug::new("a cursor of a fragment that was not planned");
            cursor.ok_or(unplanned)?.is_begun = true;
        }
        self.begun = end;
        Ok(())
    }

    /// The weight of the tiles that are still to be read of the fragments that are merged.
    fn left_of_begun(&self, plan: &SparsePlan) -> u64 {
        let begun = self.fragments.iter().zip(&plan.fragments);
        let begun = begun.filter(|(c, f)| c.is_begun && c.tile < f.tiles.len());
        begun
            .map(|(cursor, _)| cursor.left)
            .fold(0, u64::saturating_add)
    }

    /// Goes on behind tiles that were chosen.
    pub(super) fn advance(&mut self, supply: Supply<'_>, chosen: &Chosen) -> Result<(), Bug> {
        for (at, tiles) in &chosen.parts {
            let weight = supply.weight(*at, tiles.clone())?;
            let cursor = self.cursor_mut(*at)?;
            if cursor.tile != tiles.start {
                return Err(Bug::new("tiles that are not the next of their fragment"));
            }
            cursor.left = cursor.left.saturating_sub(weight);
            cursor.tile = tiles.end;
            cursor.last = None;
        }
        Ok(())
    }

    /// Counts tiles of a fragment of this weight no more.
    pub(super) fn forget(&mut self, fragment: PlanIndex, weight: u64) -> Result<(), Bug> {
        let cursor = self.cursor_mut(fragment)?;
        cursor.left = cursor.left.saturating_sub(weight);
        Ok(())
    }

    /// Notes the last cell of each fragment of a table, whose coordinates are loaded.
    pub(super) fn note_last(&mut self, plan: &SparsePlan, table: &CellTable) -> Result<(), Bug> {
        for segment in &table.segments {
            if let Some(row) = segment.rows.last() {
                let last = Corner::of(table, row, plan.schema.dimensions.len())?;
                self.cursor_mut(plan.position(segment.fragment)?)?.last = Some(last);
            }
        }
        Ok(())
    }

    /// Up to where all cells are loaded: the first of the last cells of fragments that have more, and of the bounds of
    /// those that are not begun. `None` where all is loaded.
    pub(super) fn frontier(&mut self, plan: &SparsePlan) -> Result<Option<Frontier>, QueryError> {
        let comparator = CellComparator::new(&plan.schema, sort_order(plan.merge_order()));
        let mut first: Option<(PlanIndex, &Corner, bool)> = None;
        let mut unfinished = 0_usize;
        for ((at, fragment), cursor) in plan.numbered().zip(&self.fragments) {
            if cursor.tile >= fragment.tiles.len() {
                continue;
            }
            unfinished = unfinished.saturating_add(1);
            let bound = cursor.bounds.as_ref().filter(|_| cursor.tile == 0);
            let bound = bound.map(|bounds| (bounds.lo(), false));
            let last = cursor.last.as_ref().map(|last| (last, true)).or(bound);
            let unknown = "no cell of a fragment that is merged is in memory";
            let (corner, is_last) = last.ok_or_else(|| Bug::new(unknown))?;
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
            is_loaded: is_last && plan.is_distinct() && (plan.deduplicates || unfinished == 1),
        }))
    }
}

impl Chosen {
    /// Adds tiles of a fragment from this one on until they have this weight; at least one.
    fn add(
        &mut self,
        supply: Supply<'_>,
        (at, first): (PlanIndex, usize),
        part: u64,
    ) -> Result<(), Bug> {
        let (fragment, stored) = (supply.plan.fragment(at)?, supply.tiles.at(at)?);
        let (mut weight, mut end) = (0_u64, first);
        while let Some(planned) = fragment.tiles.get(end).filter(|_| weight < part) {
            weight = weight.saturating_add(supply.weights.of_tile(stored, planned));
            let decoding = stored.decoding_bytes(planned.tile, planned.cells);
            self.decoding = self.decoding.max(decoding);
            self.rows = self.rows.saturating_add(planned.cells as u64);
            end = end.saturating_add(1);
        }
        self.weight = self.weight.saturating_add(weight);
        self.parts.push((at, first..end));
        Ok(())
    }

    /// The tiles of each fragment, by their places in the plan.
    pub(super) fn parts(&self) -> &[(PlanIndex, Range<usize>)] {
        &self.parts
    }

    /// Whether no tile is left.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The tiles as parts of a table.
    ///
    /// # Errors
    /// More rows than a table can number.
    pub(super) fn segments(&self, supply: Supply<'_>) -> Result<Vec<Segment>, QueryError> {
        let mut end = RowRange::default();
        let parts = self.parts.iter().map(|(at, tiles)| {
            let planned = supply.planned(*at, tiles.clone())?;
            let segment = supply.plan.fragment(*at)?.segment(planned, end)?;
            end = segment.rows;
            Ok(segment)
        });
        parts.collect()
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
