//! Tells which tiles a read takes, before any is read.

use tdb_cells::FragmentTiles;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::ByteRange;

/// The tiles of one fragment that a read takes, and how many of those that meet its ranges it can do without. Fragments of
/// single cells in dense arrays are not among them: they are read while the read is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenTiles {
    /// The fragment, in the list of [`Reader::array`](crate::Reader::array).
    pub fragment: FragmentIndex,
    /// How many tiles are read.
    pub tiles: u64,
    /// How many are not, since the condition holds for none of their cells, as their statistics prove.
    pub ruled_out: u64,
    /// Dense arrays: how many are not, since newer fragments have all of their cells.
    pub hidden: u64,
    /// The fields that are read, each with the bytes of these tiles at most: where a condition leaves no cell of a batch, the
    /// other fields are not read.
    pub bytes: Vec<(FieldKind, u64)>,
}

impl ChosenTiles {
    /// No tiles yet.
    pub(crate) fn new(fragment: FragmentIndex) -> Self {
        Self {
            fragment,
            tiles: 0,
            ruled_out: 0,
            hidden: 0,
            bytes: Vec::new(),
        }
    }

    /// Adds a tile of these fields that is read.
    pub(crate) fn add(&mut self, tiles: &FragmentTiles, fields: &[FieldKind], tile: TileNumber) {
        self.tiles = self.tiles.saturating_add(1);
        if self.bytes.is_empty() {
            self.bytes = fields.iter().map(|field| (*field, 0)).collect();
        }
        let mut is_zipped_read = false;
        for (field, bytes) in &mut self.bytes {
            let is_zipped = tiles.zipped().is_some() && matches!(field, FieldKind::Dimension(_));
            // Coordinates of all dimensions that lie in one tile count for the first.
            if is_zipped && std::mem::replace(&mut is_zipped_read, true) {
                continue;
            }
            let reads = tiles.reads(&[*field], tile);
            let lengths = reads.iter().map(|read| match read.range {
                ByteRange::Bounded { len, .. } | ByteRange::Tail(len) => len,
                ByteRange::Whole | ByteRange::From(_) => 0,
            });
            *bytes = lengths.fold(*bytes, u64::saturating_add);
        }
    }
}
