use std::sync::Weak;

use bytes::Bytes;

use crate::CellsError;
use crate::memory::Memory;
use crate::spare::{LEAST, Spare};

/// Alignment of results in bytes, as recommended by Arrow.
const ALIGNMENT: usize = 64;

/// Byte that fills unwritten memory in debug builds, so that tests notice cells that were never written.
const POISON: u8 = 0xa5;

/// Memory for results, aligned to 64 bytes.
///
/// A buffer of a [`Session`](crate::Session) returns its memory to the session when it is dropped or, if it was
/// [frozen](Buffer::freeze), when the last [`Bytes`] that shares it is dropped.
///
/// The allocator is not asked for aligned memory: it would overwrite aligned memory with zeros instead of taking
/// zeroed pages from the system. Instead, the buffer asks for 64 bytes more than it needs and starts at the first
/// aligned byte.
#[derive(Default)]
pub struct Buffer {
    bytes: Memory,
    start: usize,
    len: usize,
    home: Weak<Spare>,
}

impl Buffer {
    /// Creates a buffer of `len` zero bytes. The system provides their pages when they are first touched.
    ///
    /// # Errors
    /// [`CellsError::Limit`] if the system cannot provide `len` bytes.
    pub fn zeroed(len: usize) -> Result<Self, CellsError> {
        Self::new(len, Weak::new())
    }

    /// Creates a buffer of `len` bytes, which the caller must write, for the session that this buffer belongs to.
    ///
    /// # Errors
    /// [`CellsError::Limit`] if the system cannot provide `len` bytes.
    pub fn another(&self, len: usize) -> Result<Self, CellsError> {
        Self::unwritten(len, &self.home)
    }

    /// Creates a buffer of `len` bytes, which the caller must write: until then the contents are arbitrary, possibly
    /// cells of other results.
    pub(crate) fn unwritten(len: usize, home: &Weak<Spare>) -> Result<Self, CellsError> {
        let wanted = size(len)?;
        let kept = home.upgrade().and_then(|spare| spare.take(wanted));
        let mut buffer = match kept {
            Some(bytes) => Self::of(bytes, len, Weak::clone(home)),
            None => Self::new(len, Weak::clone(home))?,
        };
        if cfg!(debug_assertions) {
            buffer.as_mut_slice().fill(POISON);
        }
        Ok(buffer)
    }

    fn new(len: usize, home: Weak<Spare>) -> Result<Self, CellsError> {
        let bytes = Memory::zeroed(size(len)?, len).ok_or_else(|| too_large(len))?;
        Ok(Self::of(bytes, len, home))
    }

    fn of(bytes: Memory, len: usize, home: Weak<Spare>) -> Self {
        if let Some(spare) = home.upgrade() {
            spare.lend(bytes.len());
        }
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Self {
            bytes,
            start,
            len,
            home,
        }
    }

    /// The bytes, for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // The memory has at least `start + len` bytes and never shrinks.
        let (_, behind) = self.bytes.split_at_mut(self.start);
        behind.split_at_mut(self.len).0
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        let (_, behind) = self.bytes.split_at(self.start);
        behind.split_at(self.len).0
    }

    /// Converts the buffer into shared bytes, without a copy.
    #[must_use]
    pub fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

/// Returns the number of bytes to allocate for `len` aligned bytes. Large sizes are rounded up to a sixteenth of the
/// next power of two, so that buffers of similar sizes can reuse each other's memory; the unused end is never touched
/// and costs nothing.
fn size(len: usize) -> Result<usize, CellsError> {
    let all = len.checked_add(ALIGNMENT).ok_or_else(|| too_large(len))?;
    if all < LEAST {
        return Ok(all);
    }
    let step = all.checked_next_power_of_two().map_or(1, |next| next / 16);
    all.checked_next_multiple_of(step)
        .ok_or_else(|| too_large(len))
}

fn too_large(len: usize) -> CellsError {
    let asked = len as u64;
    CellsError::Limit(tdb_tile::LimitError::of_memory(
        "memory of a column",
        asked,
        0,
    ))
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(spare) = self.home.upgrade() {
            spare.keep(std::mem::take(&mut self.bytes));
        }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_aligned_also_when_shared() {
        for len in [0, 1, 63, 64, 65, 1 << 20] {
            let mut buffer = Buffer::zeroed(len).unwrap();
            assert_eq!(buffer.as_slice(), vec![0; len]);
            assert_eq!(buffer.as_mut_slice().len(), len);
            let shared = buffer.freeze();
            assert_eq!(shared.as_ptr().align_offset(ALIGNMENT), 0);
        }
        assert!(Buffer::zeroed(usize::MAX).is_err());
    }
}
