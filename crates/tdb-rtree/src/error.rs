use tdb_tile::{Bug, ErrorKind};

/// The reasons why ranges do not fit the dimensions of a tree.
///
/// Defects of stored bytes are reported as [`WireError`](tdb_tile::WireError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RTreeError {
    /// The number of ranges is not the number of the tree's dimensions.
    #[error("there are ranges for {found} dimensions, and the array has {wanted}")]
    DimensionCount {
        /// Number of dimensions of the tree.
        wanted: usize,
        /// Number of ranges given.
        found: usize,
    },
    /// The end of a range does not have the size of a coordinate.
    #[error(
        "the ends of a range of dimension {dimension} (counted from 0) take {lo} and {hi} bytes, and its coordinates {wanted}"
    )]
    CoordinateSize {
        /// Index of the dimension.
        dimension: usize,
        /// Bytes of a coordinate.
        wanted: usize,
        /// Bytes of the lower end.
        lo: usize,
        /// Bytes of the upper end.
        hi: usize,
    },
    /// An invariant of this library is broken.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl RTreeError {
    /// Classifies the error by what the user can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::DimensionCount { .. } | Self::CoordinateSize { .. } => ErrorKind::Invalid,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }
}
