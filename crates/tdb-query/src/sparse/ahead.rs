//! Prefetching for sparse reads: the byte ranges of tiles that later pieces are certain to need.

use tdb_store::Read;

use super::read::SparseRead;
use crate::QueryError;

impl SparseRead {
    /// Returns the byte ranges of the tiles after the chosen ones, about `most` bytes, as far as they are certain to
    /// be needed.
    pub(crate) fn ahead(&self, most: u64) -> Result<Vec<Read>, QueryError> {
        let (mut reads, mut weight) = (Vec::new(), 0_u64);
        let mut cursors = self.cursors.clone();
        let is_certain = self.slabs.is_none()
            && self.needs.is_none()
            && self.plan.request.limit == u64::MAX
            && (self.plan.can_stop() || cursors.left() <= self.most());
        let (plan, supply) = (&self.plan, self.supply());
        let (_, of_cut) = plan.to_load(true);
        let (_, of_full) = plan.to_load(false);
        let of_cut = [plan.cutting_fields(), of_cut].concat();
        while is_certain && weight < most {
            let chosen = cursors.choose(supply, self.most(), None)?;
            if chosen.is_empty() {
                break;
            }
            cursors.advance(supply, &chosen)?;
            weight = weight.saturating_add(chosen.weight.max(1));
            for (at, tiles) in chosen.parts() {
                let found = self.tiles.at(*at)?;
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
