//! Parts of the metadata of fragments: which bytes they take, and what these are once they were read.

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

/// Parts of a fragment's metadata that lie this near are read at once, also of a near store.
const GAP: u64 = 64 << 10;
const MOST: u64 = 16 << 20;

/// What is kept of all fragments may take one part in so many of the memory.
const SHARE: u64 = 8;

/// About the bytes that a part takes beside its content, where it is kept.
const KEPT_BYTES: u64 = 256;

/// The bytes of a part in the lists of what is wanted and of what is read for it, which grow by half as much again at least.
const WANTED_BYTES: u64 = (size_of::<WantedPart>() as u64 + 2 * size_of::<Read>() as u64) * 3 / 2;

/// Parts of the metadata of fragments, on the way to being opened. Nothing is fetched: [`PartsToOpen::reads`] says what to
/// read, and [`Snapshot::open_parts`] makes the parts of it.
///
/// What was opened is kept with its fragment, as long as that takes no more than an eighth of the memory budget, and is
/// not read again.
#[derive(Debug, Default)]
pub struct PartsToOpen {
    parts: Vec<WantedPart>,
    reads: Vec<Read>,
    /// The memory of the lists.
    held: Option<Grant>,
}

/// A part, by its fragment, and what is known of it.
type WantedPart = (FragmentIndex, MetadataPart, Found);

/// What is known of a part.
#[derive(Debug)]
enum Found {
    Opened(OpenedPart),
    /// The generic tile that holds it.
    Tile(Bytes),
    Unread,
}

impl PartsToOpen {
    /// What is to be read for them.
    #[must_use]
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }
}

impl Snapshot {
    /// Looks for parts of the metadata of fragments, each named by its position and the part, in what is at hand.
    ///
    /// # Errors
    /// A fragment of another array; parts that it does not have.
    pub fn find_parts(
        &self,
        wanted: impl IntoIterator<Item = (FragmentIndex, MetadataPart)>,
    ) -> Result<PartsToOpen, ArrayError> {
        let mut found = PartsToOpen::default();
        let place = (&*self.prefix, &self.access);
        let mut held = self.access.limits.budget.take(0)?;
        for (index, part) in wanted {
            let fragment = self.fragment(index)?;
            held.grow(WANTED_BYTES).at(&fragment.metadata_key)?;
            let known = find(place, fragment, part, &mut found.reads)?;
            found.parts.push((index, part, known));
        }
        found.held = Some(held);
        Ok(found)
    }

    /// The parts, in the order in which they were asked for. `pieces` are what [`PartsToOpen::reads`] gave, in its order.
    ///
    /// # Errors
    /// Too few pieces; parts that break the format.
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

impl Found {
    /// The part, or else the tile that holds it: the next of `pieces` where it was to be read.
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

/// Looks for a part in what is at hand; what is not is added to `reads`.
fn find(
    (prefix, access): (&str, &Access),
    fragment: &Fragment,
    part: MetadataPart,
    reads: &mut Vec<Read>,
) -> Result<Found, ArrayError> {
    if let Some(opened) = fragment.kept.get(part) {
        return Ok(Found::Opened(opened));
    }
    let key = &fragment.metadata_key;
    let range = match fragment.metadata.part_place(part).at(key)? {
        PartPlace::Here(payload) => {
            return Ok(Found::Opened(OpenedPart {
                version: fragment.metadata.version,
                payload,
            }));
        }
        PartPlace::Stored(range) => range,
    };
    if let Some(bytes) = in_tail(fragment, &range) {
        return Ok(Found::Tile(bytes));
    }
    let stored_key = tdb_store::join(prefix, key);
    let last = reads.last().filter(|last| *last.key == *stored_key);
    let stored_key: Arc<str> = last.map_or_else(|| stored_key.into(), |last| Arc::clone(&last.key));
    reads.push(Read::new(stored_key, byte_range(&range)).at_most(access.tile_limit()));
    Ok(Found::Unread)
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

/// Keeps what was opened, unless memory is short.
fn keep(access: &Access, fragment: &Fragment, part: MetadataPart, opened: &OpenedPart) {
    let budget = &access.limits.budget;
    let bytes = (opened.payload.len() as u64).saturating_add(KEPT_BYTES);
    if budget.used().saturating_add(bytes) > budget.limit() / SHARE {
        return;
    }
    if let Ok(held) = budget.take(bytes) {
        fragment.kept.keep(part, opened, held);
    }
}

/// Reads and opens parts of the metadata of fragments, in one batch.
pub(crate) fn read_parts(
    place: &ObjectReader,
    wanted: Vec<(&Fragment, MetadataPart)>,
) -> Result<Vec<OpenedPart>, ArrayError> {
    let mut reads = Vec::new();
    let mut found = Vec::with_capacity(wanted.len());
    for &(fragment, part) in &wanted {
        let place = (place.location.prefix(), &place.location.access);
        found.push(find(place, fragment, part, &mut reads)?);
    }
    let (_held, pieces) = place.fetch(&reads)?;
    let mut pieces = pieces.into_iter();
    let (mut spare, mut kept) = (Scratch::default(), place.scratch.try_lock());
    let scratch = kept.as_deref_mut().unwrap_or(&mut spare);
    let opened = wanted.into_iter().zip(found);
    let opened = opened.map(
        |((fragment, part), found)| match found.or_next(&mut pieces)? {
            Ok(opened) => Ok(opened),
            Err(tile) => open(&place.location.access, fragment, part, &tile, scratch),
        },
    );
    opened.collect()
}

impl ObjectReader {
    /// Reads these together, near ranges of an object as one; what they take is held by the grant.
    pub(crate) fn fetch(&self, reads: &[Read]) -> Result<(Grant, Vec<Piece>), ArrayError> {
        let store = &**self.location.store();
        let gap = match store.distance() {
            Distance::Near => GAP,
            Distance::Far { gap } => gap.max(GAP),
        };
        let budget = &self.location.limits().budget;
        let joined = JoinedReads::new(reads, gap, MOST);
        let (joined, held) = match budget.take(joined.bytes()) {
            Ok(held) => (joined, held),
            // What lies in between may be what there is no memory for.
            Err(_) => {
                let joined = JoinedReads::new(reads, 0, MOST);
                let first = reads.first().map_or("", |read| &*read.key);
                let held = budget.take(joined.bytes()).at(first)?;
                (joined, held)
            }
        };
        let pieces = joined.read(store).into_iter();
        Ok((held, pieces.collect::<Result<Vec<Piece>, _>>()?))
    }
}

/// The bytes of a range that are kept since the fragment was opened.
fn in_tail(fragment: &Fragment, range: &Range<u64>) -> Option<Bytes> {
    let tail = fragment.tail.as_ref()?;
    let start = usize::try_from(range.start.checked_sub(tail.offset)?).ok()?;
    let end = usize::try_from(range.end.checked_sub(tail.offset)?).ok()?;
    (start <= end && end <= tail.bytes.len()).then(|| tail.bytes.slice(start..end))
}

/// A range whose end is not known goes to the end of the object.
fn byte_range(range: &Range<u64>) -> ByteRange {
    match range.end {
        u64::MAX => ByteRange::From(range.start),
        end => ByteRange::Bounded {
            start: range.start,
            len: end.saturating_sub(range.start),
        },
    }
}
