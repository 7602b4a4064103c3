//! Where slabs begin.

use std::collections::HashMap;

use super::cursors::Frontier;
use super::plan_index::PlanIndex;

/// The point of the result at which slabs begin: all cells before it have been returned.
#[derive(Debug)]
pub(super) struct SlabBeginning {
    /// Position in the order of the result; the cells before it were returned. `None` at the start.
    pub(super) reached: Option<Frontier>,
    /// End of the tiles of each fragment that were returned for copying.
    pub(super) taken: HashMap<PlanIndex, usize>,
    /// Desired weight of the cells of a slab, if less than the maximum.
    pub(super) share: u64,
}
