//! Prefetching for sparse reads: the byte ranges of tiles that later pieces are certain to need.

use tdb_store::Read;
use tdb_tile::Exact;

use super::planned_read::PlannedRead;
use super::tile_read::TileRead;
use crate::QueryError;

impl TileRead {
    /// Returns the byte ranges of the tiles after the chosen ones, about `most` bytes, as far as they are certain to
    /// be needed.
    pub(super) fn ahead(&self, read: &PlannedRead, most: u64) -> Result<Vec<Read>, QueryError> {
        let (mut reads, mut weight) = (Vec::new(), 0_u64);
        let mut cursors = self.cursors.clone();
        let (plan, supply) = (&read.plan, read.supply());
        let at_a_time = read.most_of_batch();
        let is_certain =
            plan.request.limit == u64::MAX && (plan.can_stop() || cursors.left() <= at_a_time);
        let of_cut = [plan.cutting_fields(), plan.to_load(true).fields].concat();
        let of_full = plan.to_load(false).fields;
        while is_certain && weight < most {
            let chosen = cursors.choose(supply, at_a_time, None)?;
            if chosen.is_empty() {
                break;
            }
            cursors.advance(supply, &chosen)?;
            weight = weight.exact_add(chosen.weight.max(1))?;
            for (at, tiles) in chosen.parts() {
                let found = read.tiles.at(*at)?;
                let own = supply.planned(*at, tiles.clone())?.iter();
                reads.extend(own.flat_map(|tile| {
                    let fields = if tile.full { &of_full } else { &of_cut };
                    found.reads(fields, tile.tile)
                }));
            }
        }
        Ok(reads)
    }
}
