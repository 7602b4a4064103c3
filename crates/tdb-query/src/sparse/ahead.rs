//! Which bytes a read of a sparse array will ask for later.

use tdb_store::Read;

use super::read::SparseRead;

impl SparseRead {
    /// The bytes of the tiles behind those that were chosen, as far as all of them are certain to be asked for.
    pub(crate) fn ahead(&self, most: u64) -> Vec<Read> {
        let (mut reads, mut weight) = (Vec::new(), 0_u64);
        let mut cursors = self.cursors.clone();
        let is_certain = self.slabs.is_none()
            && self.needs.is_none()
            && self.plan.request.limit == u64::MAX
            && (self.plan.can_stop() || cursors.left() <= self.most());
        let (plan, tiles, weights) = (&self.plan, &self.tiles, &self.weights);
        let fields = match plan.decides_first() {
            true => plan.first_fields(),
            false => plan.fields(),
        };
        while is_certain && weight < most {
            let chosen = cursors.choose(plan, tiles, weights, self.most(), None);
            if chosen.segments.is_empty() {
                break;
            }
            cursors.advance(plan, tiles, weights, &chosen.segments);
            weight = weight.saturating_add(chosen.weight.max(1));
            for segment in &chosen.segments {
                let Some(found) = tiles.find(segment.fragment) else {
                    continue;
                };
                let own = segment.tiles.iter();
                reads.extend(own.flat_map(|tile| found.reads(&fields, tile.tile)));
            }
        }
        reads
    }
}
