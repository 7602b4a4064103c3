/// The place of a fragment in an array's list of fragments, which has the oldest first.
///
/// The list of one opened array gives it out; of another opening, or of a part of the list, it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FragmentIndex(usize);

impl FragmentIndex {
    /// The fragment at this place in the list, counted from 0.
    #[must_use]
    pub fn new(index: usize) -> Self {
        Self(index)
    }

    /// The place in the list, counted from 0.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

/// The number of a tile in its fragment, counted from 0 in the order in which the fragment stores its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileNumber(u64);

impl TileNumber {
    /// The tile with this number.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, as the metadata of the fragment counts.
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
