/// The index of a fragment in an array's list of fragments, the oldest first.
///
/// An index is valid only for the list that it comes from: not for another opening of the array,
/// and not for a part of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FragmentIndex(usize);

impl FragmentIndex {
    /// Creates the index of the fragment at this position, counted from 0.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(index)
    }

    /// The position in the list, counted from 0.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

/// The number of a tile in its fragment, counted from 0 in stored order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileNumber(u64);

impl TileNumber {
    /// Creates a tile number.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, counted from 0.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for TileNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
