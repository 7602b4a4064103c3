use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::{MetadataPart, OpenedPart, PartPlace};
use tdb_store::{ByteRange, Piece, Read, StoreError, join, read_coalesced};

use crate::open::Place;
use crate::{ArrayError, At, Fragment};

/// Parts of a fragment's metadata that lie this near are read at once.
const GAP: u64 = 64 << 10;
const MOST: u64 = 16 << 20;

/// Reads and opens parts of a fragment's metadata: from what is kept of it, else in one batch.
pub(crate) fn read_parts(
    place: &Place,
    fragment: &Fragment,
    parts: &[MetadataPart],
) -> Result<Vec<OpenedPart>, ArrayError> {
    let key = &fragment.metadata_key;
    let stored_key: Arc<str> = join(&place.prefix, key).into();
    let mut reads = Vec::new();
    let mut found = Vec::with_capacity(parts.len());
    for part in parts {
        let part = match fragment.metadata.part_place(*part).at(key)? {
            PartPlace::Here(payload) => Found::Opened(payload),
            PartPlace::Stored(range) => match kept(fragment, &range) {
                Some(bytes) => Found::Tile(bytes),
                None => {
                    let range = byte_range(&range);
                    reads.push(
                        Read::new(Arc::clone(&stored_key), range).at_most(place.tile_limit()),
                    );
                    Found::Unread
                }
            },
        };
        found.push(part);
    }
    let wanted = reads.iter().map(|read| match read.range {
        ByteRange::Bounded { len, .. } => len.min(read.limit),
        _ => 0,
    });
    let wanted = wanted.fold(0, u64::saturating_add);
    // What is not kept counts until it is opened.
    let _held = place.options.limits.budget.take(wanted).at(key)?;
    let answers = read_coalesced(&*place.store, &reads, GAP, MOST);
    let mut answers = answers.into_iter();
    let opened = found.into_iter().map(|part| {
        let bytes = match part {
            Found::Opened(payload) => {
                return Ok(OpenedPart {
                    version: fragment.metadata.version,
                    payload,
                });
            }
            Found::Tile(bytes) => bytes,
            Found::Unread => next_answer(&mut answers, key)?.bytes,
        };
        let tile = place.open_tile(key, &bytes)?;
        Ok(OpenedPart {
            version: tile.version,
            payload: tile.payload,
        })
    });
    opened.collect()
}

/// A part of a fragment's metadata, on the way to being opened.
enum Found {
    Opened(Bytes),
    Tile(Bytes),
    Unread,
}

fn next_answer(
    answers: &mut impl Iterator<Item = Result<Piece, StoreError>>,
    key: &str,
) -> Result<Piece, ArrayError> {
    let missing = || ArrayError::Missing {
        key: key.to_owned(),
        by: "asked for",
    };
    Ok(answers.next().ok_or_else(missing)??)
}

/// The bytes of a range that are kept since the fragment was opened.
fn kept(fragment: &Fragment, range: &Range<u64>) -> Option<Bytes> {
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
