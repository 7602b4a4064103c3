/// Ranges that do not fit the dimensions of a tree.
///
/// What is wrong with stored bytes is a [`WireError`](tdb_tile::WireError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RTreeError {
    /// There are more or fewer ranges, or lists of them, than dimensions.
    #[error("ranges of {found} dimensions, expected {wanted}")]
    DimensionCount {
        /// Dimensions of the tree.
        wanted: usize,
        /// Dimensions that were given.
        found: usize,
    },
    /// An end of a range has not the size of a coordinate.
    #[error("range on dimension {dimension} has ends of {lo} and {hi} bytes, expected {wanted}")]
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
}
