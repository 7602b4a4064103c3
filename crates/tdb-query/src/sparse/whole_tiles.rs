//! Takes tiles out of a read that are copied as they are stored.

use std::ops::Range;

use tdb_cells::WholeTiles;
use tdb_fragment::FragmentIndex;

use super::plan_index::PlanIndex;
use super::planned_read::PlannedRead;
use super::tile_read::TileRead;
use super::whole_tile_search::{Decode, TilesLeft, WholeTileSearch};
use crate::QueryError;

impl TileRead {
    /// Returns the next cells if they are full tiles of one fragment that `allows` accepts. `decode` decodes the
    /// coordinates of the tiles that are examined.
    pub(super) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        read: &PlannedRead,
        decode: Decode<'_>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        if !read.plan.gives_all_cells() {
            return Ok(None);
        }
        let left = TilesLeft {
            read,
            cursors: &self.cursors,
            decode,
        };
        let search = match &mut self.copying {
            Some(search) => search,
            none => none.insert(WholeTileSearch::new(left)?),
        };
        match search.next(left, allows)? {
            Some((at, tiles)) => Ok(self.take_tiles(read, at, tiles)?),
            None => Ok(None),
        }
    }

    /// Takes the next tiles of a fragment out of the read.
    fn take_tiles(
        &mut self,
        read: &PlannedRead,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<Option<WholeTiles>, QueryError> {
        let (fragment, supply) = (read.plan.fragment(at)?.fragment, read.supply());
        let planned = supply.planned(at, tiles.clone())?;
        // All of them are full.
        let Some(cells) = planned.first().map(|tile| tile.cells) else {
            return Ok(None);
        };
        if let Some(search) = &mut self.copying {
            search.taken.insert(at, tiles.end);
        }
        self.cursors.skip(supply, at, tiles)?;
        Ok(Some(WholeTiles {
            tiles: planned.iter().map(|tile| tile.tile).collect(),
            fragment,
            cells,
        }))
    }
}
