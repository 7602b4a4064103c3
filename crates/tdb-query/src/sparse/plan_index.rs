//! Positions of fragments in the plan of a sparse read.

/// Position of a fragment in the plan of a read, as opposed to its position in the array's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PlanIndex(usize);

impl PlanIndex {
    /// Creates a position, counted from 0.
    pub(super) fn new(place: usize) -> Self {
        Self(place)
    }

    /// Returns the position as a number.
    pub(crate) fn get(self) -> usize {
        self.0
    }
}
