use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::StoreError;

/// A range of the bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteRange {
    /// All bytes.
    Whole,
    /// `len` bytes from `start` on, all of which must exist.
    Bounded {
        /// The first byte.
        start: u64,
        /// The number of bytes.
        len: u64,
    },
    /// All bytes from this offset on, which may be at most the size of the object.
    From(u64),
    /// The last N bytes, or the whole object if it is shorter.
    Tail(u64),
}

impl ByteRange {
    /// Returns the range of these bytes in an object of `size` bytes.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`], with `key`, if the object does not contain all of them.
    pub fn resolve(self, key: &str, size: u64) -> Result<Range<u64>, StoreError> {
        let (start, len) = match self {
            Self::Whole => (0, Some(size)),
            Self::Bounded { start, len } => (start, Some(len)),
            Self::From(start) => (start, size.checked_sub(start)),
            Self::Tail(len) => (size - len.min(size), Some(len.min(size))),
        };
        match len.and_then(|len| start.checked_add(len)) {
            Some(end) if end <= size => Ok(start..end),
            _ => Err(StoreError::OutOfRange {
                key: key.to_owned(),
                offset: start,
                // A range without an end that begins beyond the object wants no certain number.
                wanted: len.unwrap_or(0),
                size,
            }),
        }
    }
}

/// One read of a batch: an object, a range of it, and the most bytes that the caller accepts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// The key of the object.
    pub key: Arc<str>,
    /// The range of its bytes.
    pub range: ByteRange,
    /// Maximum number of bytes: if the range is longer, the read fails with [`StoreError::TooLarge`].
    pub limit: u64,
}

impl Read {
    /// Creates a read of any range of an object, without a limit.
    pub fn new(key: impl Into<Arc<str>>, range: ByteRange) -> Self {
        Self {
            key: key.into(),
            range,
            limit: u64::MAX,
        }
    }

    /// Creates a read of a whole object. For an object of unknown size, set a limit with [`Read::at_most`].
    pub fn whole(key: impl Into<Arc<str>>) -> Self {
        Self::new(key, ByteRange::Whole)
    }

    /// Creates a read of `len` bytes from `start` on.
    pub fn bounded(key: impl Into<Arc<str>>, start: u64, len: u64) -> Self {
        Self::new(key, ByteRange::Bounded { start, len })
    }

    /// Creates a read of the last `len` bytes, or of the whole object if it is shorter.
    pub fn tail(key: impl Into<Arc<str>>, len: u64) -> Self {
        Self::new(key, ByteRange::Tail(len))
    }

    /// Limits the read to `limit` bytes; a longer one fails before it allocates memory.
    #[must_use]
    pub fn at_most(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the range of the bytes in an object of `size` bytes. Every store checks each read with this.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if the object is too short, [`StoreError::TooLarge`] if the range exceeds the limit.
    pub fn resolve(&self, size: u64) -> Result<Range<u64>, StoreError> {
        let range = self.range.resolve(&self.key, size)?;
        let wanted = range.end - range.start;
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

/// The bytes returned for a [`Read`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Offset of the bytes in the object. After a read up to the end of the object, `offset + bytes.len()` is its
    /// size.
    pub offset: u64,
    /// The bytes; never fewer than requested.
    pub bytes: Bytes,
}
