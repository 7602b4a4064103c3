//! Where the stored bytes of tiles come from while they are decoded.

use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use tdb_store::{Read, Store, StoreError};
use tdb_tile::{Grant, LimitError, Limits};

use crate::{Counters, TileError};

/// How tiles are decoded: within which caps, and out of what.
#[derive(Clone, Copy)]
pub struct Decoding<'a> {
    /// The caps, and the budget of memory.
    pub limits: &'a Limits,
    /// What gives the stored bytes.
    pub bytes: &'a dyn TileBytes,
    /// What counts tiles, bytes and time.
    pub counters: &'a Counters,
}

/// Gives the stored bytes of tiles.
pub trait TileBytes: Send + Sync {
    /// Those bytes of an object, put into `place` unless they are in memory already.
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        place: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError>;

    /// The store that the bytes come from, if it is near: it is read into the memory that is handed over, any part by itself.
    fn near(&self) -> Option<&dyn Store> {
        None
    }
}

/// The stored bytes of a tile.
#[derive(Debug)]
pub enum StoredBytes<'a> {
    /// Bytes that nobody else uses, or that stay.
    Own(&'a [u8]),
    /// Bytes that several threads use, and that go when the last of them is done.
    Shared(Arc<dyn SharedBytes + 'a>),
}

/// Bytes that several threads use.
pub trait SharedBytes: AsRef<[u8]> + std::fmt::Debug + Send + Sync {}

impl<T: AsRef<[u8]> + std::fmt::Debug + Send + Sync> SharedBytes for T {}

impl Deref for StoredBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(bytes) => (**bytes).as_ref(),
        }
    }
}

/// Memory that only grows, and counts against the budget it grew under.
#[derive(Debug, Default)]
pub struct KeptMemory {
    bytes: Vec<u8>,
    held: Option<Grant>,
}

impl KeptMemory {
    /// The first `len` bytes, whatever they hold.
    pub fn lend(&mut self, len: usize, limits: &Limits) -> Result<&mut [u8], LimitError> {
        if self.bytes.len() < len {
            *self = Self::default();
            self.held = Some(limits.budget.take(len as u64)?);
            self.bytes = vec![0; len];
        }
        Ok(self.bytes.split_at_mut(len).0)
    }

    /// The first `len` bytes, which were lent before.
    ///
    /// # Panics
    /// Where fewer were ever lent.
    #[must_use]
    pub fn first(&self, len: usize) -> &[u8] {
        self.bytes.split_at(len).0
    }
}

impl From<KeptMemory> for Bytes {
    /// The bytes, which count no more.
    fn from(kept: KeptMemory) -> Self {
        kept.bytes.into()
    }
}

/// Reads each tile on the thread that decodes it, so that it is in the cache then: best for local files.
impl TileBytes for Arc<dyn Store> {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        place: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let wanted = extent.end.saturating_sub(extent.start);
        let len = tdb_tile::length(wanted)?;
        if place.bytes.len() < len {
            // A length that the file does not have must not be taken for memory.
            let size = self.size(key)?;
            if size < extent.end {
                return Err(out_of_range(key, extent.start, wanted, size).into());
            }
        }
        let place = place.lend(len, limits)?;
        self.read_into(key, extent.start, place)?;
        Ok(StoredBytes::Own(place))
    }

    fn near(&self) -> Option<&dyn Store> {
        Some(&**self)
    }
}

/// Bytes that were read before.
#[derive(Debug, Default)]
pub struct Fetched {
    pieces: HashMap<(Arc<str>, u64), Bytes>,
}

impl Fetched {
    /// What these reads gave, in their order.
    pub fn new(reads: &[Read], pieces: Vec<tdb_store::Piece>) -> Self {
        let keys = reads.iter().map(|read| Arc::clone(&read.key));
        let pieces = keys.zip(pieces);
        Self {
            pieces: pieces
                .map(|(key, piece)| ((key, piece.offset), piece.bytes))
                .collect(),
        }
    }
}

impl TileBytes for Fetched {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        _: &'a mut KeptMemory,
        _: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let wanted = extent.end.saturating_sub(extent.start);
        let bytes = self.pieces.get(&(Arc::clone(key), extent.start));
        bytes
            .filter(|bytes| bytes.len() as u64 == wanted)
            .map(|bytes| StoredBytes::Own(bytes))
            .ok_or_else(|| {
                let size = bytes.map_or(0, |bytes| bytes.len() as u64);
                out_of_range(key, extent.start, wanted, size).into()
            })
    }
}

fn out_of_range(key: &Arc<str>, offset: u64, wanted: u64, size: u64) -> StoreError {
    StoreError::OutOfRange {
        key: key.to_string(),
        offset,
        wanted,
        size,
    }
}
