use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;
use zerocopy::FromZeros;

/// Size in bytes from which memory is mapped from the system directly, and returned to it as a whole.
///
/// The allocator would take it from a heap, where buffers of many sizes leave holes between results that no other
/// buffer fits into and that are never returned. In a read of a box these holes were a quarter of all memory.
const MAPPED: usize = 256 << 10;

/// Size of a huge page, which the system can provide at once instead of 512 small pages one by one.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Memory that is zero when it is new, and occupies physical memory only where it has been written.
pub(crate) enum Memory {
    Allocated(Vec<u8>),
    Mapped(MmapMut),
}

impl Memory {
    /// Allocates `len` zero bytes, of which the caller is about to write the first `used`; `None` if the system lacks
    /// memory.
    pub(crate) fn zeroed(len: usize, used: usize) -> Option<Self> {
        if len >= MAPPED
            && let Ok(map) = MmapMut::map_anon(len)
        {
            prefer_huge_pages(&map, used);
            return Some(Self::Mapped(map));
        }
        // Some systems do not support anonymous maps.
        u8::new_vec_zeroed(len).ok().map(Self::Allocated)
    }
}

/// Requests huge pages for the part of the first `used` bytes that fills whole ones; a page beyond would be mostly
/// unused.
#[cfg(target_os = "linux")]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a remainder is at most what was divided"
)]
fn prefer_huge_pages(map: &MmapMut, used: usize) {
    let whole = used - used % HUGE_PAGE;
    if whole > 0 {
        // If this fails, small pages do the same, only slower.
        let _ = map.advise_range(memmap2::Advice::HugePage, 0, whole);
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_: &MmapMut, _: usize) {}

impl Default for Memory {
    fn default() -> Self {
        Self::Allocated(Vec::new())
    }
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_zero_and_can_be_written() {
        for len in [0, 1, MAPPED - 1, MAPPED, MAPPED + 1, 5 << 20] {
            for used in [0, len / 2, len] {
                let mut memory = Memory::zeroed(len, used).unwrap();
                assert_eq!(memory.len(), len);
                assert!(memory.iter().all(|byte| *byte == 0));
                memory.fill(7);
                assert!(memory.iter().all(|byte| *byte == 7));
            }
        }
        assert!(Memory::zeroed(usize::MAX, 0).is_none());
    }
}
