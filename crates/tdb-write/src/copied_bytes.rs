//! The stored bytes of tiles to copy, fetched together from a far store.

use tdb_cells::{FetchedBytes, FragmentTiles};
use tdb_fragment::TileNumber;
use tdb_schema::FieldKind;
use tdb_store::{ByteRange, Distance, JoinedReads, Read, Store};
use tdb_tile::{Grant, Limits};

/// Maximum number of bytes that one request asks for.
const MOST: u64 = 64 << 20;

/// The tiles of a group are fetched together if they have at most 1/PART of the memory that is left.
const PART: u64 = 4;

/// The stored bytes of tiles, as far as they were fetched, with the grant for their memory.
#[derive(Debug, Default)]
pub(crate) struct CopiedBytes {
    pub(crate) bytes: FetchedBytes,
    _held: Option<Grant>,
}

impl CopiedBytes {
    /// Fetches these tiles of all `fields` in one wait, in which ranges that are near each other are joined. Nothing is
    /// fetched from a near store, where the thread that copies a tile reads it, or if there is not enough memory
    /// for all of the tiles. Ranges that cannot be read are left out.
    pub(crate) fn fetch(
        store: &dyn Store,
        limits: &Limits,
        from: &FragmentTiles,
        fields: &[FieldKind],
        tiles: &[TileNumber],
    ) -> Self {
        let Distance::Far { gap } = store.distance() else {
            return Self::default();
        };
        let each = fields.iter().filter_map(|kind| from.field(*kind));
        let mut reads: Vec<Read> = each
            .flat_map(|field| tiles.iter().flat_map(|tile| field.reads(*tile)))
            .filter(|read| is_plausible(read, limits))
            .collect();
        // The rest of the memory is for decoding, and for the group before, which is being written.
        let room = limits.budget.left() / PART;
        let Some((joined, held)) = [gap, 0].into_iter().find_map(|gap| {
            let joined = JoinedReads::new(&reads, gap, MOST);
            let held = (joined.bytes() <= room).then(|| limits.budget.take(joined.bytes()));
            held?.ok().map(|held| (joined, held))
        }) else {
            return Self::default();
        };
        let mut answers = joined.read(store).into_iter();
        let mut pieces = Vec::with_capacity(reads.len());
        reads.retain(|_| {
            let piece = answers.next().and_then(Result::ok);
            pieces.extend(piece.clone());
            piece.is_some()
        });
        Self {
            bytes: FetchedBytes::new(&reads, pieces),
            _held: Some(held),
        }
    }
}

/// Whether a tile may have this many bytes. Larger ones are read alone, and refused there.
fn is_plausible(read: &Read, limits: &Limits) -> bool {
    matches!(read.range, ByteRange::Bounded { len, .. } if len <= limits.data_tile)
}
