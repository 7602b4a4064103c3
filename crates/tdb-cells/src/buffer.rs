use bytes::Bytes;
use zerocopy::FromZeros;

use crate::CellsError;

/// What results begin at a multiple of, as Arrow wants it.
const ALIGNMENT: usize = 64;

/// Zeroed memory for results: aligned to 64 bytes, and not touched before it is written.
///
/// It asks for no alignment, only for a little more than it needs: memory that is asked for with one is not taken
/// from the system as zeros, but overwritten with them, all of it.
#[derive(Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// `len` zero bytes; `None` where the system has no such amount.
    #[must_use]
    pub fn zeroed(len: usize) -> Option<Self> {
        let bytes = u8::new_vec_zeroed(len.checked_add(ALIGNMENT)?).ok()?;
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Some(Self { bytes, start, len })
    }

    /// The bytes to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // `zeroed` made the memory as long as both together, and nothing makes it shorter.
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

/// Zeroed memory for a column.
///
/// # Errors
/// [`CellsError::Limit`] where the system has no such amount.
pub fn buffer(len: usize) -> Result<Buffer, CellsError> {
    Buffer::zeroed(len).ok_or_else(|| {
        CellsError::Limit(tdb_tile::LimitError {
            what: "memory of a column",
            setting: "memory budget",
            asked: len as u64,
            allowed: 0,
        })
    })
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
        assert!(Buffer::zeroed(usize::MAX).is_none());
    }
}
