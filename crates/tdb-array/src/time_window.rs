use crate::TimestampedName;
use crate::name_parts::NameParts;

/// The time window for which an array is opened, both ends included, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    /// Earlier writes are not visible.
    pub since: u64,
    /// Later writes are not visible.
    pub at: u64,
}

impl TimeWindow {
    /// All times. The end is one less than the maximum, which as the time of a cell's deletion means "never".
    pub const ALL: Self = Self {
        since: 0,
        at: u64::MAX - 1,
    };

    /// Returns the window of all times up to `at`.
    pub fn until(at: u64) -> Self {
        Self { since: 0, at }
    }

    /// True if all times of `name` are in the window.
    pub fn contains(self, name: &TimestampedName) -> bool {
        self.contains_all(name.parts())
    }

    /// True if any time of `name` is in the window.
    pub fn overlaps(self, name: &TimestampedName) -> bool {
        self.overlaps_some(name.parts())
    }

    pub(crate) fn contains_all(self, name: NameParts) -> bool {
        self.since <= name.start && name.end <= self.at
    }

    pub(crate) fn overlaps_some(self, name: NameParts) -> bool {
        name.start <= self.at && self.since <= name.end
    }
}

impl Default for TimeWindow {
    fn default() -> Self {
        Self::ALL
    }
}
