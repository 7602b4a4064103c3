//! Parts of a sparse read, which share its plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_tile::{Budget, Bug};

use super::plan::SparsePlan;
use super::planned_tiles::PlannedTiles;
use crate::QueryError;
use crate::request::Request;

impl SparsePlan {
    /// Lets parts of the read be planned: the plan keeps the bounds of tiles, and locates their coordinates.
    pub(crate) fn plan_in_parts(&mut self) {
        self.in_parts = true;
    }

    /// Returns the plan of a part of the read, of which `request` is the request, and the locations of its tiles: those
    /// that the read located, did not rule out, and that lie in the part.
    pub(super) fn part(
        &self,
        array: &Snapshot,
        located: &PlannedTiles,
        request: Request,
        budget: &Budget,
    ) -> Result<(Self, PlannedTiles), QueryError> {
        if !self.in_parts {
            return Err(Bug::new("a part of a read that was not planned for parts").into());
        }
        let mut tiles = PlannedTiles::default();
        let mut fragments = Vec::new();
        for (at, whole) in self.numbered() {
            let Some(own) = whole.part(array, &request, budget)? else {
                continue;
            };
            tiles.fragments.push(own.fragment);
            tiles.tiles.push(located.shared(at)?);
            fragments.push(own);
        }
        let mut plan = Self {
            request,
            asked: Vec::new(),
            schema: Arc::clone(&self.schema),
            fragments: Vec::new(),
            ruled_out: BTreeMap::new(),
            visibility: Arc::clone(&self.visibility),
            in_parts: false,
            ..*self
        };
        plan.plan_only(fragments);
        Ok((plan, tiles))
    }
}
