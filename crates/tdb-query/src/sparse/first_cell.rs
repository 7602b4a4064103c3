//! Next cell of a fragment, in a heap over all fragments.

use std::cmp::Ordering;
use std::sync::Arc;

use tdb_schema::order::CellComparator;

use super::corner::Corner;
use super::plan_index::PlanIndex;

/// Next cell of a fragment when it was last examined; the fragment may have advanced since. The greatest in a heap is
/// the cell that comes first; among equal cells, that of the fragment planned first.
#[derive(Debug)]
pub(super) struct FirstCell {
    pub(super) corner: Corner,
    pub(super) fragment: PlanIndex,
    /// Tile whose first cell it is, by position in the plan.
    pub(super) tile: usize,
    pub(super) comparator: Arc<CellComparator>,
}

impl Ord for FirstCell {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = other.corner.compare(&self.corner, &self.comparator);
        order.then_with(|| other.fragment.cmp(&self.fragment))
    }
}

impl PartialOrd for FirstCell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for FirstCell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for FirstCell {}
