use std::sync::Weak;

use bytes::Bytes;

use crate::CellsError;
use crate::memory::Memory;
use crate::spare::{LEAST, Spare};

/// What results begin at a multiple of, as Arrow wants it.
const ALIGNMENT: usize = 64;

/// What memory holds that is all about to be written, where defects are looked for: a byte that is not written shows.
const POISON: u8 = 0xa5;

/// Memory for results, aligned to 64 bytes.
///
/// A buffer of a [`Session`](crate::Session) returns its memory to it when it is dropped, or, once it was
/// [frozen](Buffer::freeze), when the last that shares its bytes is dropped.
///
/// It asks the allocator for no alignment, only for a little more than it needs: memory that is asked for with one is not
/// taken from the system as zeros, but overwritten with them, all of it.
#[derive(Default)]
pub struct Buffer {
    bytes: Memory,
    start: usize,
    len: usize,
    home: Weak<Spare>,
}

impl Buffer {
    /// `len` zero bytes, not touched before they are written.
    ///
    /// # Errors
    /// [`CellsError::Limit`] where the system has no such amount.
    pub fn zeroed(len: usize) -> Result<Self, CellsError> {
        Self::new(len, Weak::new())
    }

    /// `len` bytes that are all about to be written, of the same session as this memory.
    ///
    /// # Errors
    /// [`CellsError::Limit`] where the system has no such amount.
    pub fn another(&self, len: usize) -> Result<Self, CellsError> {
        Self::unwritten(len, &self.home)
    }

    /// `len` bytes that are all about to be written: what they hold until then is anything, also cells of other
    /// results.
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

    /// The bytes to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // The memory is as long as both together, and nothing makes it shorter.
        let (_, behind) = self.bytes.split_at_mut(self.start);
        behind.split_at_mut(self.len).0
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        let (_, behind) = self.bytes.split_at(self.start);
        behind.split_at(self.len).0
    }

    /// The bytes as something that can be shared, without a copy.
    #[must_use]
    pub fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

/// What is asked for to have `len` bytes that are aligned. Sizes of one kind become the same, so that one can take
/// the memory of another: the last of what is asked for in large amounts is not touched, and costs nothing.
fn size(len: usize) -> Result<usize, CellsError> {
    let all = len.checked_add(ALIGNMENT);
    let all = all.ok_or_else(|| too_large(len))?;
    if all < LEAST {
        return Ok(all);
    }
    let step = all.checked_next_power_of_two().map_or(1, |next| next / 16);
    all.checked_next_multiple_of(step)
        .ok_or_else(|| too_large(len))
}

fn too_large(len: usize) -> CellsError {
    CellsError::Limit(tdb_tile::LimitError {
        what: "memory of a column",
        setting: "memory budget",
        asked: len as u64,
        allowed: 0,
    })
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
