//! A set of tiles, many of which are adjacent.

use std::ops::Range;

/// A set of tile numbers, stored as ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileSet {
    /// Ascending ranges that neither overlap nor touch.
    ranges: Vec<Range<u64>>,
}

impl TileSet {
    /// Creates a set of these tiles, which can be in any order.
    #[must_use]
    pub fn of(mut tiles: Vec<u64>) -> Self {
        tiles.sort_unstable();
        tiles.dedup();
        let mut set = Self::default();
        for tile in tiles {
            set.push(tile);
        }
        set
    }

    /// Adds a tile, which must be greater than all others in the set.
    pub fn push(&mut self, tile: u64) {
        // There are fewer than 2^64 tiles.
        let end = tile + 1;
        match self.ranges.last_mut().filter(|range| range.end == tile) {
            Some(range) => range.end = end,
            None => self.ranges.push(tile..end),
        }
    }

    /// Returns the complement: all tiles that are not in the set.
    #[must_use]
    pub fn others(&self) -> Self {
        let begins = std::iter::once(0).chain(self.ranges.iter().map(|range| range.end));
        let ends = self.ranges.iter().map(|range| range.start);
        let between = begins
            .zip(ends.chain([u64::MAX]))
            .map(|(begin, end)| begin..end);
        Self {
            ranges: between.filter(|range| !range.is_empty()).collect(),
        }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether the set contains this tile.
    #[must_use]
    pub fn contains(&self, tile: u64) -> bool {
        self.first_other(tile) != tile
    }

    /// Returns the first tile from `tile` on that is not in the set.
    #[must_use]
    pub fn first_other(&self, tile: u64) -> u64 {
        let next = self.ranges.partition_point(|range| range.end <= tile);
        let next = self.ranges.get(next);
        next.filter(|range| range.start <= tile)
            .map_or(tile, |range| range.end)
    }

    /// Bytes of memory that the set takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.ranges) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_next_to_each_other_are_one_range() {
        let set = TileSet::of(vec![7, 3, 4, 9, 4, 5]);
        assert_eq!(set.ranges, [3..6, 7..8, 9..10]);
        let inside: Vec<u64> = (0..12).filter(|tile| set.contains(*tile)).collect();
        assert_eq!(inside, [3, 4, 5, 7, 9]);
        let next = [0, 3, 5, 6, 7, 9].map(|tile| set.first_other(tile));
        assert_eq!(next, [0, 6, 6, 6, 8, 10]);
        assert_eq!(set.others().ranges, [0..3, 6..7, 8..9, 10..u64::MAX]);
        assert_eq!(set.others().others(), set);
        let all = TileSet::default().others();
        assert!(all.contains(0) && all.first_other(0) == u64::MAX);
        let without_first = TileSet::of(vec![0]).others();
        assert!(!without_first.contains(0) && without_first.first_other(1) == u64::MAX);
    }
}
