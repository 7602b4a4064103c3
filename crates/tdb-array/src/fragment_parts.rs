//! Parts of the metadata of fragments: finding their bytes, and opening them.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tdb_filters::{Scratch, open_generic_tile_with};
use tdb_fragment::{FragmentIndex, MetadataPart, OpenedPart, PartPlace};
use tdb_store::{ByteRange, Distance, JoinedReads, Piece, Read};
use tdb_tile::{Bug, GenericTile, Grant};

use crate::location::Access;
use crate::open::ObjectReader;
use crate::{ArrayError, At, Fragment, Snapshot};

/// Parts of a fragment's metadata that are at most this many bytes apart are read together, even from a near store.
const GAP: u64 = 64 << 10;
const MOST: u64 = 16 << 20;

/// The kept parts of all fragments take at most 1/SHARE of the memory budget.
const SHARE: u64 = 8;

/// Approximate bytes of overhead for a kept part.
const KEPT_BYTES: u64 = 256;

/// Bytes per part in the lists of wanted parts and reads, including the spare capacity of growing vectors.
const WANTED_BYTES: u64 = (size_of::<WantedPart>() as u64 + 2 * size_of::<Read>() as u64) * 3 / 2;

/// Parts of the metadata of fragments that are being opened, without I/O. [`PartsToOpen::reads`] returns the reads to
/// perform, and [`Snapshot::open_parts`] decodes their results.
///
/// Opened parts are kept with their fragment and not read again, up to an eighth of the memory budget.
#[derive(Debug, Default)]
pub struct PartsToOpen {
    parts: Vec<WantedPart>,
    reads: Vec<Read>,
    /// Grant for both lists.
    held: Option<Grant>,
}

/// A part of a fragment's metadata, with its state.
type WantedPart = (FragmentIndex, MetadataPart, PartSource);

/// State of a part.
#[derive(Debug)]
enum PartSource {
    Opened(OpenedPart),
    /// Bytes of the generic tile that contains the part.
    Tile(Bytes),
    Unread,
}

impl PartsToOpen {
    /// Returns the reads to perform.
    #[must_use]
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }
}

impl Snapshot {
    /// Looks up parts of the metadata of fragments among what is in memory; for the others, determines the reads.
    ///
    /// # Errors
    /// An index that is not one of the array's fragments, or a part that the fragment does not have.
    pub fn find_parts(
        &self,
        wanted: impl IntoIterator<Item = (FragmentIndex, MetadataPart)>,
    ) -> Result<PartsToOpen, ArrayError> {
        let mut found = PartsToOpen::default();
        let mut held = self.access.limits.budget.take(0)?;
        for (index, part) in wanted {
            let fragment = self.fragment(index)?;
            held.grow(WANTED_BYTES).at(&fragment.metadata_key)?;
            let known = find(&self.prefix, &self.access, fragment, part, &mut found.reads)?;
            found.parts.push((index, part, known));
        }
        found.held = Some(held);
        Ok(found)
    }

    /// Returns the parts in the order of the request. `pieces` contains the results of [`PartsToOpen::reads`], in
    /// their order.
    ///
    /// # Errors
    /// Too few pieces, or parts that break the format.
    pub fn open_parts(
        &self,
        parts: PartsToOpen,
        pieces: Vec<Piece>,
    ) -> Result<Vec<OpenedPart>, ArrayError> {
        let (mut pieces, mut scratch) = (pieces.into_iter(), Scratch::default());
        let opened = parts.parts.into_iter().map(|(index, part, found)| {
            let tile = match found.or_next(&mut pieces)? {
                Ok(opened) => return Ok(opened),
                Err(tile) => tile,
            };
            open(
                &self.access,
                self.fragment(index)?,
                part,
                &tile,
                &mut scratch,
            )
        });
        opened.collect()
    }
}

impl PartSource {
    /// Returns the opened part, or else the bytes of its tile: these are the next piece if the tile had to be read.
    fn or_next(
        self,
        pieces: &mut impl Iterator<Item = Piece>,
    ) -> Result<Result<OpenedPart, Bytes>, Bug> {
        Ok(match self {
            Self::Opened(opened) => Ok(opened),
            Self::Tile(bytes) => Err(bytes),
            Self::Unread => {
                let piece = pieces.next();
                Err(piece
                    .ok_or_else(|| Bug::new("a part that was to be read has no bytes"))?
                    .bytes)
            }
        })
    }
}

/// Looks up a part in memory; adds a read to `reads` if it is not there.
fn find(
    prefix: &str,
    access: &Access,
    fragment: &Fragment,
    part: MetadataPart,
    reads: &mut Vec<Read>,
) -> Result<PartSource, ArrayError> {
    if let Some(opened) = fragment.kept.get(part) {
        return Ok(PartSource::Opened(opened));
    }
    let key = &fragment.metadata_key;
    let range = match fragment.metadata.part_place(part).at(key)? {
        PartPlace::Here(payload) => {
            return Ok(PartSource::Opened(OpenedPart {
                version: fragment.metadata.version,
                payload,
            }));
        }
        PartPlace::Stored(range) => range,
    };
    if let Some(bytes) = in_tail(fragment, &range) {
        return Ok(PartSource::Tile(bytes));
    }
    let stored_key = tdb_store::join(prefix, key);
    let last = reads.last().filter(|last| *last.key == *stored_key);
    let stored_key: Arc<str> = last.map_or_else(|| stored_key.into(), |last| Arc::clone(&last.key));
    reads.push(Read::new(stored_key, byte_range(&range)).at_most(access.tile_limit()));
    Ok(PartSource::Unread)
}

/// Opens a part, and keeps it with its fragment.
fn open(
    access: &Access,
    fragment: &Fragment,
    part: MetadataPart,
    bytes: &Bytes,
    scratch: &mut Scratch,
) -> Result<OpenedPart, ArrayError> {
    let (key, limits) = (&fragment.metadata_key, &access.limits);
    let tile = GenericTile::parse(bytes, limits).at(key)?;
    let key_of_tile = access.key.as_ref();
    let payload = open_generic_tile_with(&tile, key_of_tile, scratch, limits).at(key)?;
    let opened = OpenedPart {
        version: tile.version(),
        payload,
    };
    keep(access, fragment, part, &opened);
    Ok(opened)
}

/// Keeps an opened part, unless memory is short.
fn keep(access: &Access, fragment: &Fragment, part: MetadataPart, opened: &OpenedPart) {
    let budget = &access.limits.budget;
    if let Some(bytes) = access.room_for([opened.payload.len() as u64, KEPT_BYTES], SHARE)
        && let Ok(held) = budget.take(bytes)
    {
        fragment.kept.keep(part, opened, held);
    }
}

/// Reads and opens parts of the metadata of fragments in one batch.
pub(crate) fn read_parts(
    place: &ObjectReader,
    wanted: Vec<(&Fragment, MetadataPart)>,
) -> Result<Vec<OpenedPart>, ArrayError> {
    let mut reads = Vec::new();
    let mut found = Vec::with_capacity(wanted.len());
    for &(fragment, part) in &wanted {
        let location = &place.location;
        found.push(find(
            location.prefix(),
            &location.access,
            fragment,
            part,
            &mut reads,
        )?);
    }
    let (_held, pieces) = place.fetch(&reads)?;
    let mut pieces = pieces.into_iter();
    let (mut spare, mut kept) = (Scratch::default(), place.scratch.try_lock());
    let scratch = kept.as_deref_mut().unwrap_or(&mut spare);
    let opened = wanted
        .into_iter()
        .zip(found)
        .map(
            |((fragment, part), found)| match found.or_next(&mut pieces)? {
                Ok(opened) => Ok(opened),
                Err(tile) => open(&place.location.access, fragment, part, &tile, scratch),
            },
        );
    opened.collect()
}

impl ObjectReader {
    /// Performs several reads together; joins ranges of an object that are near each other. The returned grant
    /// accounts for their memory.
    pub(crate) fn fetch(&self, reads: &[Read]) -> Result<(Grant, Vec<Piece>), ArrayError> {
        let (held, joined) = self.join(reads)?;
        let pieces = joined.read(&**self.location.store()).into_iter();
        Ok((held, pieces.collect::<Result<Vec<Piece>, _>>()?))
    }

    /// Joins ranges of an object that are near each other, and takes the memory for their bytes.
    pub(crate) fn join(&self, reads: &[Read]) -> Result<(Grant, JoinedReads), ArrayError> {
        let store = self.location.store();
        let gap = match store.distance() {
            Distance::Near => GAP,
            Distance::Far { gap } => gap.max(GAP),
        };
        let budget = &self.location.limits().budget;
        let joined = JoinedReads::new(reads, gap, MOST);
        match budget.take(joined.bytes()) {
            Ok(held) => Ok((held, joined)),
            // There may be no memory for the bytes between the ranges.
            Err(_) => {
                let joined = JoinedReads::new(reads, 0, MOST);
                let first = reads.first().map_or("", |read| &*read.key);
                Ok((budget.take(joined.bytes()).at(first)?, joined))
            }
        }
    }
}

/// Returns the bytes of a range, if they are in the tail that was kept on opening.
fn in_tail(fragment: &Fragment, range: &Range<u64>) -> Option<Bytes> {
    let tail = fragment.tail.as_ref()?;
    let start = usize::try_from(range.start.checked_sub(tail.offset)?).ok()?;
    let end = usize::try_from(range.end.checked_sub(tail.offset)?).ok()?;
    (start <= end && end <= tail.bytes.len()).then(|| tail.bytes.slice(start..end))
}

/// Converts a range; an end of `u64::MAX` means the end of the object.
fn byte_range(range: &Range<u64>) -> ByteRange {
    match range.end {
        u64::MAX => ByteRange::From(range.start),
        end => ByteRange::Bounded {
            start: range.start,
            len: end.saturating_sub(range.start),
        },
    }
}
