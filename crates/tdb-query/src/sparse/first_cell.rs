//! The next cell of a fragment, as far as it was looked at.

use std::cmp::Ordering;
use std::sync::Arc;

use tdb_schema::order::CellComparator;

use super::plan_index::PlanIndex;
use tdb_cells::Corner;

/// The next cell of a fragment when it was looked at; the fragment may have gone on since. That of the greatest in a heap
/// comes first, and of equal ones that of the fragment that was planned first.
#[derive(Debug)]
pub(super) struct FirstCell {
    pub(super) corner: Corner,
    pub(super) fragment: PlanIndex,
    /// The tile that it is the first of, by place in the plan.
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
