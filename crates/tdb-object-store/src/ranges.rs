//! Reads of one range of an object.

use std::ops::Range;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt};
use tdb_store::{ByteRange, Piece, Read, StoreError};

use crate::error::{broken, failed};
use crate::messages::FailedRequest;

/// Memory allocated before any byte has arrived, however long the server says the range is.
const FIRST: u64 = 1 << 20;

/// Whether a store answers requests for the last N bytes (`Answered`), or must be asked for the size first (`BySize`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TailReads {
    Answered,
    BySize,
}

/// Performs one read, with a single request if the range and the store allow it.
pub(crate) async fn read(
    store: &dyn ObjectStore,
    path: &Path,
    read: &Read,
    tails: TailReads,
) -> Result<Piece, StoreError> {
    let Some(range) = asked(read, tails) else {
        let size = size(store, path, &read.key).await?;
        let range = read.resolve(size)?;
        let piece = get(store, path, read, Some(GetRange::Bounded(range))).await;
        return piece.map_err(|unread| unread.error);
    };
    let is_part = range.is_some();
    match get(store, path, read, range).await {
        // Servers report a range outside the object in various ways: compare it with the size.
        Err(unread) if is_part && unread.is_of_range => {
            let size = size(store, path, &read.key).await?;
            let range = read.resolve(size)?;
            if range.is_empty() {
                return Ok(nothing(&range));
            }
            Err(unread.error)
        }
        answer => answer.map_err(|unread| unread.error),
    }
}

/// A failed read.
struct ReadFailure {
    error: StoreError,
    /// True if the error may mean that the range is not within the object.
    is_of_range: bool,
}

impl From<StoreError> for ReadFailure {
    fn from(error: StoreError) -> Self {
        Self {
            error,
            is_of_range: false,
        }
    }
}

/// Requests the size of an object.
pub(crate) async fn size(
    store: &dyn ObjectStore,
    path: &Path,
    key: &str,
) -> Result<u64, StoreError> {
    let meta = store.head(path).await;
    Ok(meta.map_err(|error| failed(key, error))?.size)
}

/// Converts a range into that of a request. `Some(None)` requests the whole object; `None` means that the size must be
/// requested first.
fn asked(read: &Read, tails: TailReads) -> Option<Option<GetRange>> {
    match read.range {
        ByteRange::Whole => Some(None),
        ByteRange::Bounded { start, len } if 0 < len && len <= read.limit => {
            Some(Some(GetRange::Bounded(start..start.checked_add(len)?)))
        }
        ByteRange::From(start) => Some(Some(GetRange::Offset(start))),
        ByteRange::Tail(len) if 0 < len && tails == TailReads::Answered => {
            Some(Some(GetRange::Suffix(len)))
        }
        ByteRange::Bounded { .. } | ByteRange::Tail(_) => None,
    }
}

async fn get(
    store: &dyn ObjectStore,
    path: &Path,
    read: &Read,
    range: Option<GetRange>,
) -> Result<Piece, ReadFailure> {
    if let Some(GetRange::Bounded(range)) = &range
        && range.is_empty()
    {
        return Ok(nothing(range));
    }
    let options = GetOptions {
        range,
        ..GetOptions::default()
    };
    let answer = store
        .get_opts(path, options)
        .await
        .map_err(|error| ReadFailure {
            is_of_range: FailedRequest::of(&error).is_of_range,
            error: failed(&read.key, error),
        })?;
    Ok(take(answer, read).await?)
}

/// Reads the body of an answer; it is an error unless its length is exactly the requested one.
async fn take(answer: GetResult, read: &Read) -> Result<Piece, StoreError> {
    let range = read.resolve(answer.meta.size)?;
    if answer.range != range {
        let what = format!(
            "the server gave bytes {} to {}, and {} to {} were asked for",
            answer.range.start, answer.range.end, range.start, range.end
        );
        return Err(broken(&read.key, what));
    }
    let wanted = range.end - range.start;
    let first = usize::try_from(wanted.min(FIRST));
    let mut bytes = BytesMut::with_capacity(first.unwrap_or(0));
    let mut stream = answer.into_stream();
    while let Some(more) = stream.next().await {
        let more = more.map_err(|error| failed(&read.key, error))?;
        if more.len() as u64 > wanted - bytes.len() as u64 {
            return Err(broken(&read.key, "the server gave more bytes than it said"));
        }
        bytes.extend_from_slice(&more);
    }
    if (bytes.len() as u64) < wanted {
        return Err(broken(
            &read.key,
            "the server gave fewer bytes than it said",
        ));
    }
    Ok(Piece {
        offset: range.start,
        bytes: bytes.freeze(),
    })
}

fn nothing(range: &Range<u64>) -> Piece {
    Piece {
        offset: range.start,
        bytes: Bytes::new(),
    }
}
