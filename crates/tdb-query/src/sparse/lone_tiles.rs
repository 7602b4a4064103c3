//! Finds the tiles of a sparse result whose cells need not be examined one by one, and excludes tiles from the
//! result.

use std::collections::HashMap;

use tdb_array::fragments_apart;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_tile::{Bug, Exact};

use super::fragment_plan::{FragmentPlan, PlannedTile};
use super::plan::SparsePlan;
use super::planned_read::PlannedRead;
use super::planned_tiles::PlannedTiles;
use crate::options::Versions;
use crate::{LoneTiles, QueryError};

impl PlannedRead {
    /// Returns the tiles whose cells are all part of the result.
    pub(super) fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        let (plan, request) = (&self.plan, &self.plan.request);
        let is_all = request.condition.is_none()
            && request.limit == u64::MAX
            && request.versions == Versions::Current
            && !plan.visibility.has_deletes();
        if !is_all || plan.repeats {
            return Ok(Vec::new());
        }
        let merges = !plan.schema.allows_duplicates;
        let indexes: Vec<FragmentIndex> = plan.fragments.iter().map(|f| f.fragment).collect();
        let apart = if merges {
            fragments_apart(&self.array, &indexes)?
        } else {
            vec![true; indexes.len()]
        };
        let mut found = Vec::new();
        for (fragment, is_apart) in plan.fragments.iter().zip(apart) {
            // If cells have timestamps of their own, some may be older versions of others.
            let is_plain = !(fragment.filters_time || merges && fragment.has_timestamps);
            let metadata = &self.array.fragment(fragment.fragment)?.metadata;
            if !is_apart || !is_plain || metadata.extra_fields.deletes {
                continue;
            }
            let full = fragment.tiles.iter().filter(|tile| tile.full);
            let tiles: Vec<TileNumber> = full.map(|tile| tile.tile).collect();
            if !tiles.is_empty() {
                found.push(LoneTiles {
                    fragment: fragment.fragment,
                    tiles,
                });
            }
        }
        Ok(found)
    }
}

impl SparsePlan {
    /// Removes these tiles, and fragments of which none remain. Returns the locations of those that remain.
    pub(super) fn leave_out(
        &mut self,
        tiles: PlannedTiles,
        lone: &[LoneTiles],
    ) -> Result<PlannedTiles, Bug> {
        let mut left_out: HashMap<FragmentIndex, &[TileNumber]> = HashMap::new();
        for LoneTiles { fragment, tiles } in lone {
            left_out.insert(*fragment, tiles);
        }
        let mut located = PlannedTiles::default();
        let mut left = Vec::new();
        let each = std::mem::take(&mut self.fragments).into_iter();
        for ((mut planned, index), tiles) in each.zip(tiles.fragments).zip(tiles.tiles) {
            if let Some(numbers) = left_out.get(&planned.fragment) {
                leave_out(&mut planned, numbers)?;
            }
            if !planned.tiles.is_empty() {
                left.push(planned);
                located.fragments.push(index);
                located.tiles.push(tiles);
            }
        }
        self.plan_only(left);
        Ok(located)
    }
}

/// Removes the tiles `numbers` from a plan; both lists are ascending.
fn leave_out(planned: &mut FragmentPlan, numbers: &[TileNumber]) -> Result<(), Bug> {
    let before = planned.tiles.len();
    let is_left_out = |tile: &PlannedTile| numbers.binary_search(&tile.tile).is_ok();
    planned.tiles.retain(|tile| !is_left_out(tile));
    let gone = before.exact_sub(planned.tiles.len())?;
    if gone == numbers.len() {
        Ok(())
    } else {
        Err(Bug::new("tiles to leave out that are not of this read"))
    }
}
