//! The numbers by which a sparse read knows its fragments.

/// The place of a fragment in the plan of a read, which is not its place in the array's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PlanIndex(usize);

impl PlanIndex {
    /// A place, counted from 0.
    pub(super) fn new(place: usize) -> Self {
        Self(place)
    }

    /// The same as a number.
    pub(crate) fn get(self) -> usize {
        self.0
    }
}
