use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::StoreError;

/// Which bytes of an object to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteRange {
    /// All bytes.
    Whole,
    /// `len` bytes from `start` on, all of which must exist.
    Bounded {
        /// The first byte.
        start: u64,
        /// How many bytes.
        len: u64,
    },
    /// All bytes from this one on; the object must reach at least that far.
    From(u64),
    /// The last bytes, this many, or the whole object if it has fewer.
    Tail(u64),
}

impl ByteRange {
    /// Where the bytes lie in an object of `size` bytes.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if the object has not all of them; `key` is for that error.
    pub fn resolve(self, key: &str, size: u64) -> Result<Range<u64>, StoreError> {
        let (start, len) = match self {
            Self::Whole => (0, size),
            Self::Bounded { start, len } => (start, len),
            Self::From(start) => (start, size.saturating_sub(start)),
            Self::Tail(len) => (size.saturating_sub(len), len.min(size)),
        };
        match start.checked_add(len) {
            Some(end) if end <= size => Ok(start..end),
            _ => Err(StoreError::OutOfRange {
                key: key.to_owned(),
                offset: start,
                wanted: len,
                size,
            }),
        }
    }
}

/// One wish in a batch of reads: an object, a range of it, and how much the reader is ready to hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// The object.
    pub key: Arc<str>,
    /// Which of its bytes.
    pub range: ByteRange,
    /// The read fails with [`StoreError::TooLarge`] if it would give more bytes than this.
    pub limit: u64,
}

impl Read {
    /// Any range of an object, without a limit.
    pub fn new(key: impl Into<Arc<str>>, range: ByteRange) -> Self {
        Self {
            key: key.into(),
            range,
            limit: u64::MAX,
        }
    }

    /// A whole object. Bytes that a stranger wrote want a limit: see [`Read::at_most`].
    pub fn whole(key: impl Into<Arc<str>>) -> Self {
        Self::new(key, ByteRange::Whole)
    }

    /// `len` bytes from `start` on.
    pub fn bounded(key: impl Into<Arc<str>>, start: u64, len: u64) -> Self {
        Self::new(key, ByteRange::Bounded { start, len })
    }

    /// The last `len` bytes, or the whole object if it has fewer.
    pub fn tail(key: impl Into<Arc<str>>, len: u64) -> Self {
        Self::new(key, ByteRange::Tail(len))
    }

    /// The same read, which fails before it takes more than `limit` bytes of memory.
    #[must_use]
    pub fn at_most(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Where the bytes lie in an object of `size` bytes; what every store checks before it reads.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`], [`StoreError::TooLarge`].
    pub fn resolve(&self, size: u64) -> Result<Range<u64>, StoreError> {
        let range = self.range.resolve(&self.key, size)?;
        let wanted = range.end.saturating_sub(range.start);
        if wanted > self.limit {
            return Err(StoreError::TooLarge {
                key: self.key.to_string(),
                size: wanted,
                limit: self.limit,
            });
        }
        Ok(range)
    }
}

/// The answer to a [`Read`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where in the object the bytes begin. After a read that goes to the object's end,
    /// `offset + bytes.len()` is the object's size.
    pub offset: u64,
    /// The bytes; never fewer than asked for.
    pub bytes: Bytes,
}
