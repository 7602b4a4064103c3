use tdb_tile::FormatVersion;

/// How the writer of a sparse fragment put its cells in global order.
///
/// All that differs is how a coordinate is assigned to a space tile or to a Hilbert
/// bucket; see `docs/format/orders.md`, "What old writers did".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WriterRule {
    /// Format versions 1 to 4: tile indices of 32- and 64-bit signed dimensions have a sign;
    /// dimensions of floats have no tiles.
    SignedTiles,
    /// Versions 7 and 8: integer and date dimensions are divided by the number of their
    /// values, not by the steps between them, before they go into Hilbert buckets.
    CountsHilbertValues,
    /// Versions 9 to 13: the last cells of a wide signed dimension are in the first tile.
    MisplacedLastTile,
    /// All other versions, and what is written now.
    #[default]
    Current,
}

impl WriterRule {
    /// The rule of the writers of a format version.
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
