//! Sources of the stored bytes of tiles during decoding.

use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;
use tdb_store::{ByteRange, Piece, Read, Store, StoreError};
use tdb_tile::{Exact, Grant, LimitError, Limits};

use crate::{Counters, TileError};

/// Context for decoding tiles.
#[derive(Clone, Copy)]
pub struct Decoding<'a> {
    /// The limits, and the memory budget.
    pub limits: &'a Limits,
    /// Source of the stored bytes.
    pub bytes: &'a dyn TileBytes,
    /// Counters of tiles, bytes and time.
    pub counters: &'a Counters,
}

/// A source of the stored bytes of tiles.
pub trait TileBytes: Send + Sync {
    /// Returns a byte range of an object; bytes that are not in memory already are put into `place`.
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        place: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError>;

    /// The store behind this source, if it is near: any part of an object can be read from it directly into given
    /// memory.
    fn near(&self) -> Option<&dyn Store> {
        None
    }
}

/// The stored bytes of a tile.
#[derive(Debug)]
pub enum StoredBytes<'a> {
    /// Bytes borrowed from the source or from the caller's memory.
    Own(&'a [u8]),
    /// Bytes shared by several threads, freed after the last one is done.
    Shared(Arc<dyn SharedBytes + 'a>),
}

/// Bytes shared by several threads.
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

/// Memory that only grows; its current size counts against the budget.
#[derive(Debug, Default)]
pub struct KeptMemory {
    bytes: Vec<u8>,
    held: Option<Grant>,
}

impl KeptMemory {
    /// Returns the first `len` bytes, whose contents are arbitrary; grows if needed.
    pub fn lend(&mut self, len: usize, limits: &Limits) -> Result<&mut [u8], LimitError> {
        if self.bytes.len() < len {
            *self = Self::default();
            self.held = Some(limits.budget.take(len as u64)?);
            self.bytes = vec![0; len];
        }
        Ok(self.bytes.split_at_mut(len).0)
    }

    /// Returns the first `len` bytes, which were lent before.
    ///
    /// # Panics
    /// If the memory has fewer than `len` bytes.
    #[must_use]
    pub fn first(&self, len: usize) -> &[u8] {
        self.bytes.split_at(len).0
    }
}

impl From<KeptMemory> for Bytes {
    /// Takes the bytes out; they no longer count against the budget.
    fn from(kept: KeptMemory) -> Self {
        kept.bytes.into()
    }
}

/// Reads each tile on the thread that decodes it, so that its bytes are in the CPU cache: best for local files.
impl TileBytes for Arc<dyn Store> {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        place: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let wanted = extent.end.exact_sub(extent.start)?;
        let len = tdb_tile::length(wanted)?;
        if place.bytes.len() < len {
            // A length beyond the end of the file must not cause an allocation.
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

/// Bytes that were read in advance.
#[derive(Debug, Default)]
pub struct FetchedBytes {
    pieces: HashMap<(Arc<str>, u64), Bytes>,
}

impl FetchedBytes {
    /// Creates from reads and their results, in the same order.
    pub fn new(reads: &[Read], pieces: Vec<Piece>) -> Self {
        let keys = reads.iter().map(|read| Arc::clone(&read.key));
        let pieces = keys.zip(pieces);
        Self {
            pieces: pieces
                .map(|(key, piece)| ((key, piece.offset), piece.bytes))
                .collect(),
        }
    }
}

impl FetchedBytes {
    /// Returns the bytes that were read for a bounded range; `None` if there are none.
    #[must_use]
    pub fn piece(&self, read: &Read) -> Option<Piece> {
        let ByteRange::Bounded { start, len } = read.range else {
            return None;
        };
        let bytes = self.pieces.get(&(Arc::clone(&read.key), start))?;
        (bytes.len() as u64 == len).then(|| Piece {
            offset: start,
            bytes: bytes.clone(),
        })
    }
}

impl TileBytes for FetchedBytes {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        _: &'a mut KeptMemory,
        _: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let wanted = extent.end.exact_sub(extent.start)?;
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
