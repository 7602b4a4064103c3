use std::ops::Range;

use bytes::Bytes;
use tdb_schema::FieldKind;

/// A part of a fragment's metadata that is read when it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetadataPart {
    /// The bounding rectangles of the tiles.
    RTree,
    /// Where the data tiles of a field begin.
    TileOffsets(FieldKind),
    /// Where the tiles of var-sized values of a field begin.
    VarOffsets(FieldKind),
    /// Unfiltered sizes of the tiles of var-sized values of a field.
    VarSizes(FieldKind),
    /// Where the validity tiles of a field begin.
    ValidityOffsets(FieldKind),
    /// The least value of each tile of a field.
    Mins(FieldKind),
    /// The greatest value of each tile of a field.
    Maxs(FieldKind),
    /// The sum of each tile of a field.
    Sums(FieldKind),
    /// The nulls of each tile of a field.
    NullCounts(FieldKind),
    /// Statistics of the whole fragment.
    FragmentStatistics,
    /// Delete conditions that the fragment has taken in already.
    ProcessedConditions,
    /// The coordinate of the first cell of each tile, along the dimension with this index.
    FirstCoordinates(usize),
    /// The coordinate of the last cell of each tile, along the dimension with this index.
    LastCoordinates(usize),
}

impl MetadataPart {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::RTree => "R-tree",
            Self::TileOffsets(_) => "tile offsets",
            Self::VarOffsets(_) => "offsets of var-sized tiles",
            Self::VarSizes(_) => "sizes of var-sized tiles",
            Self::ValidityOffsets(_) => "offsets of validity tiles",
            Self::Mins(_) => "least values",
            Self::Maxs(_) => "greatest values",
            Self::Sums(_) => "sums",
            Self::NullCounts(_) => "null counts",
            Self::FragmentStatistics => "fragment statistics",
            Self::ProcessedConditions => "processed conditions",
            Self::FirstCoordinates(_) => "first coordinates",
            Self::LastCoordinates(_) => "last coordinates",
        }
    }
}

/// Where a [`MetadataPart`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartPlace {
    /// In the metadata file: a generic tile begins with this range, and ends within it.
    ///
    /// The range may end beyond the file.
    Stored(Range<u64>),
    /// Here, opened: formats 1 and 2 keep everything in one tile.
    Here(Bytes),
}
