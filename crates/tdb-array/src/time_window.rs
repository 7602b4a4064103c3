use crate::TimestampedName;
use crate::name_parts::NameParts;

/// The span of time that an array is opened for, both ends included, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    /// What was written before is not seen.
    pub since: u64,
    /// What was written after is not seen.
    pub at: u64,
}

impl TimeWindow {
    /// Everything ever written. The last time is one short of the largest number, which as the time
    /// of a cell's deletion means "never".
    pub const ALL: Self = Self {
        since: 0,
        at: u64::MAX - 1,
    };

    /// Everything written up to a time.
    pub fn until(at: u64) -> Self {
        Self { since: 0, at }
    }

    /// Whether all that `name` stands for lies within.
    pub fn contains(self, name: &TimestampedName) -> bool {
        self.contains_all(name.parts())
    }

    /// Whether anything that `name` stands for can lie within.
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
