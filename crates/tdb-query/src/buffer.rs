use bytes::Bytes;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// Memory that begins at a multiple of 64, as Arrow wants it.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Zeroed memory for results: aligned to 64 bytes, and not touched before it is written.
#[derive(Default)]
pub struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` zero bytes; `None` where the system has no such amount.
    #[must_use]
    pub fn zeroed(len: usize) -> Option<Self> {
        let lines = Line::new_vec_zeroed(len.div_ceil(64)).ok()?;
        Some(Self { lines, len })
    }

    /// The bytes to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.lines
            .as_mut_slice()
            .as_mut_bytes()
            .split_at_mut(self.len)
            .0
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        self.lines.as_slice().as_bytes().split_at(self.len).0
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
