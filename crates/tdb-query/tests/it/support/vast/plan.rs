//! Fragments of a vast array and their positions in it.

use tdb_array::TimestampedName;
use tdb_tile::FormatVersion;

/// Number of cells of a space tile along each dimension.
pub(crate) const EXTENT: u64 = 1000;

/// Number of space tiles of the array along each dimension.
pub(crate) const TILES: u64 = 1000;

/// Timestamp of the first write, in milliseconds.
const BEGUN: u64 = 1_700_000_000_000;

/// Upkeep of an array after the writes. Objects that a step makes superfluous are vacuumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upkeep {
    Nothing,
    /// Commits are consolidated.
    Commits,
    /// Commits and the footers of fragments are consolidated.
    Footers,
    /// All writes of a block are consolidated into one fragment; the number of tiles of a block along each dimension.
    Fragments(u64),
}

/// Array that is written tile by tile, one fragment each: block by block, and row by row within a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) writes: u64,
    pub(crate) upkeep: Upkeep,
}

/// Space tiles along each dimension, both ends inclusive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) rows: (u64, u64),
    pub(crate) columns: (u64, u64),
}

impl Block {
    pub(crate) fn tiles(&self) -> u64 {
        (self.rows.1 - self.rows.0 + 1) * (self.columns.1 - self.columns.0 + 1)
    }
}

impl Plan {
    /// Returns the number of writes per fragment.
    pub(crate) fn merged(&self) -> u64 {
        match self.upkeep {
            Upkeep::Fragments(side) => (side * side).min(self.writes),
            _ => 1,
        }
    }

    pub(crate) fn fragments(&self) -> u64 {
        self.writes / self.merged()
    }

    /// Returns the block of a fragment.
    pub(crate) fn block(&self, fragment: u64) -> Block {
        let side = match self.upkeep {
            Upkeep::Fragments(side) => side,
            _ => 100,
        };
        let write = fragment * self.merged();
        let (block, within) = (write / (side * side), write % (side * side));
        let row = block / (TILES / side) * side + within / side;
        let column = block % (TILES / side) * side + within % side;
        let merged = self.merged();
        let (height, width) = (merged.div_ceil(side), merged.min(side));
        Block {
            rows: (row, row + height - 1),
            columns: (column, column + width - 1),
        }
    }

    /// Returns the name of a fragment, whose first timestamp encodes its number.
    pub(crate) fn name(&self, fragment: u64) -> String {
        let first = fragment * self.merged();
        let times = (BEGUN + first, BEGUN + first + self.merged() - 1);
        let id = u128::from(first + 1);
        let name = TimestampedName::versioned(times.0, times.1, id, FormatVersion::WRITTEN);
        name.unwrap().as_str().to_owned()
    }

    /// Returns the number of the fragment with this name.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        let first = TimestampedName::parse(name)
            .ok()?
            .start()
            .checked_sub(BEGUN)?;
        let number = first / self.merged();
        (number < self.fragments() && self.name(number) == name).then_some(number)
    }

    /// Returns the first and last timestamp of all writes.
    pub(crate) fn times(&self) -> (u64, u64) {
        (BEGUN, BEGUN + self.writes - 1)
    }
}
