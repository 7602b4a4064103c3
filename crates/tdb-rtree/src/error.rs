use tdb_tile::{Bug, ErrorKind};

/// Ranges that do not fit the dimensions of a tree.
///
/// What is wrong with stored bytes is a [`WireError`](tdb_tile::WireError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RTreeError {
    /// There are ranges for more or fewer dimensions than the tree has.
    #[error("there are ranges for {found} dimensions, and the array has {wanted}")]
    DimensionCount {
        /// Dimensions of the tree.
        wanted: usize,
        /// Dimensions that were given.
        found: usize,
    },
    /// An end of a range has another size than a coordinate.
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
    /// What cannot happen, and did.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl RTreeError {
    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::DimensionCount { .. } | Self::CoordinateSize { .. } => ErrorKind::Invalid,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }
}
