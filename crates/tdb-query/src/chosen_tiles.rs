//! Lists the tiles that a read takes, before any of them is read.

use tdb_cells::FragmentTiles;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::ByteRange;

/// Tiles of one fragment that a read takes, and the numbers of tiles in its ranges that it can skip. Sparse fragments
/// in dense arrays are not included: their cells are read while the read is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenTiles {
    /// Index of the fragment in the list of [`Reader::array`](crate::Reader::array).
    pub fragment: FragmentIndex,
    /// Number of tiles that are read.
    pub tiles: u64,
    /// Number of tiles that are skipped because their statistics prove that no cell matches the condition.
    pub ruled_out: u64,
    /// Dense arrays: the number of tiles that are skipped because newer fragments contain all of their cells.
    pub hidden: u64,
    /// Fields that are read, each with the maximum number of bytes read of these tiles. If the condition leaves no
    /// cell of a batch, the other fields of the batch are not read.
    pub bytes: Vec<(FieldKind, u64)>,
}

impl ChosenTiles {
    /// Creates an entry without tiles.
    pub(crate) fn new(fragment: FragmentIndex) -> Self {
        Self {
            fragment,
            tiles: 0,
            ruled_out: 0,
            hidden: 0,
            bytes: Vec::new(),
        }
    }

    /// Counts a tile that is read, with the bytes of its fields.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a tile is counted once, and tiles do not overlap in their files"
    )]
    pub(crate) fn add(&mut self, tiles: &FragmentTiles, fields: &[FieldKind], tile: TileNumber) {
        self.tiles += 1;
        if self.bytes.is_empty() {
            self.bytes = fields.iter().map(|field| (*field, 0)).collect();
        }
        let mut is_zipped_read = false;
        for (field, bytes) in &mut self.bytes {
            let is_zipped = tiles.zipped().is_some() && matches!(field, FieldKind::Dimension(_));
            // Coordinates of all dimensions that are zipped in one tile count for the first dimension.
            if is_zipped && std::mem::replace(&mut is_zipped_read, true) {
                continue;
            }
            let reads = tiles.reads(&[*field], tile);
            let lengths = reads.iter().map(|read| match read.range {
                ByteRange::Bounded { len, .. } | ByteRange::Tail(len) => len,
                ByteRange::Whole | ByteRange::From(_) => 0,
            });
            *bytes += lengths.sum::<u64>();
        }
    }
}
