use tdb_tile::FormatVersion;

/// The rule by which the writer of a sparse fragment put its cells in global order.
///
/// The rules differ only in the assignment of a coordinate to a space tile or to a Hilbert bucket;
/// see `docs/format/orders.md`, "What old writers did".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WriterRule {
    /// Format versions 1 to 4: tile indices of 32- and 64-bit signed dimensions are signed; float
    /// dimensions have no tiles.
    SignedTiles,
    /// Versions 7 and 8: for Hilbert buckets, the coordinates of integer and date dimensions are
    /// divided by the number of values of the domain, not by the number of steps between them.
    CountsHilbertValues,
    /// Versions 9 to 13: the last cells of a wide signed dimension are in the first tile.
    MisplacedLastTile,
    /// All other versions, and current writers.
    #[default]
    Current,
}

impl WriterRule {
    /// Returns the rule of the writers of a format version.
    #[must_use]
    pub fn of(version: FormatVersion) -> Self {
        if version.sorts_by_signed_tiles() {
            Self::SignedTiles
        } else if version.counts_hilbert_values() {
            Self::CountsHilbertValues
        } else if version.misplaces_last_signed_tile() {
            Self::MisplacedLastTile
        } else {
            Self::Current
        }
    }
}
