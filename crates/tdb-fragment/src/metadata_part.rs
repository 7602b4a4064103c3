use std::ops::Range;

use bytes::Bytes;
use tdb_schema::FieldKind;

/// A part of a fragment's metadata that is read only when it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetadataPart {
    /// The MBRs of the tiles.
    RTree,
    /// The offsets of a field's data tiles.
    TileOffsets(FieldKind),
    /// The offsets of a field's tiles of var-sized values.
    VarOffsets(FieldKind),
    /// The unfiltered sizes of a field's tiles of var-sized values.
    VarSizes(FieldKind),
    /// The offsets of a field's validity tiles.
    ValidityOffsets(FieldKind),
    /// The minimum of each tile of a field.
    Mins(FieldKind),
    /// The maximum of each tile of a field.
    Maxs(FieldKind),
    /// The sum of each tile of a field.
    Sums(FieldKind),
    /// The number of null cells in each tile of a field.
    NullCounts(FieldKind),
    /// Statistics of the whole fragment.
    FragmentStatistics,
    /// The delete conditions that have been applied to the fragment.
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

/// The location of a [`MetadataPart`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartPlace {
    /// In the metadata file: a generic tile starts at the start of this range and ends within it.
    ///
    /// The range may end beyond the file.
    Stored(Range<u64>),
    /// In memory, already opened: formats 1 and 2 store everything in one tile.
    Here(Bytes),
}
