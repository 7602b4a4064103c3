//! Memory of dropped buffers, kept for new ones.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb_tile::Budget;

use crate::memory::Memory;

/// Size in bytes below which memory is not kept, because the allocator reuses it just as well.
pub(crate) const LEAST: usize = 64 << 10;

/// At most one part in `SHARE` of the budget is kept.
const SHARE: u64 = 8;

/// Maximum number of kept parts, so that searching them stays fast.
const MOST_PARTS: usize = 256;

/// Number of bytes that may always be kept, because buffers of a few tiles have many different sizes.
const LITTLE: u64 = 2 << 20;

/// Memory of dropped buffers that a session keeps.
///
/// Except for [`LITTLE`] bytes, kept memory and buffers in use together never exceed the maximum that buffers in use
/// ever had. So reads of many sizes take no more memory than the largest of them.
///
/// Kept memory has no grant, so that no read fails because of it. Instead, it is freed as soon as it would exceed the
/// budget together with granted memory.
#[derive(Debug)]
pub(crate) struct Spare {
    budget: Budget,
    kept: Mutex<SpareBuffers>,
}

#[derive(Debug, Default)]
struct SpareBuffers {
    /// The kept parts, oldest first.
    parts: VecDeque<Memory>,
    bytes: u64,
    /// Bytes of buffers in use.
    lent: u64,
    /// Maximum of `lent` so far.
    most_lent: u64,
}

impl Spare {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget,
            kept: Mutex::default(),
        }
    }

    /// Counts a new buffer of `len` bytes, and frees kept memory beyond the bound.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "lengths of buffers that are in memory"
    )]
    pub(crate) fn lend(&self, len: usize) {
        let mut kept = self.lock();
        kept.lent += len as u64;
        kept.most_lent = kept.most_lent.max(kept.lent);
        let room = kept.room();
        let given_up = kept.shrink(room);
        drop(kept);
        drop(given_up);
    }

    /// Takes kept memory of at least `len` bytes, but little more; its contents are arbitrary. The caller has its
    /// grant already.
    pub(crate) fn take(&self, len: usize) -> Option<Memory> {
        if len < LEAST {
            return None;
        }
        let mut kept = self.lock();
        let found = kept.best(len).and_then(|at| kept.remove(at));
        // Requested sizes have changed: the oldest part is freed.
        let outdated = if found.is_none() && kept.bytes > LITTLE {
            kept.remove(0)
        } else {
            None
        };
        let given_up = kept.shrink(self.budget.left());
        // The lock is released before memory is returned to the system.
        drop(kept);
        drop((outdated, given_up));
        found
    }

    /// Keeps the memory of a dropped buffer if there is room for it.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the part and what is kept beside it have room in the budget"
    )]
    pub(crate) fn keep(&self, part: Memory) {
        let len = part.len() as u64;
        let mut kept = self.lock();
        // This runs where a buffer is dropped, which must not panic: also not for a buffer that was never lent.
        kept.lent -= len.min(kept.lent);
        let room = (self.budget.limit() / SHARE)
            .min(self.budget.left())
            .min(kept.room());
        let Some(beside) = room.checked_sub(len).filter(|_| part.len() >= LEAST) else {
            return;
        };
        let mut given_up = kept.shrink(beside);
        if kept.parts.len() >= MOST_PARTS {
            given_up.extend(kept.remove(0));
        }
        kept.bytes += len;
        kept.parts.push_back(part);
        drop(kept);
    }

    fn lock(&self) -> MutexGuard<'_, SpareBuffers> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpareBuffers {
    /// Place of the smallest part of at least `len` bytes that is at most a quarter larger.
    fn best(&self, len: usize) -> Option<usize> {
        let parts = self.parts.iter().enumerate();
        let fits = |more: usize| more <= len / 4;
        let fitting = parts.filter(|(_, part)| part.len().checked_sub(len).is_some_and(fits));
        let (at, _) = fitting.min_by_key(|(_, part)| part.len())?;
        Some(at)
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the part was counted when it was kept"
    )]
    fn remove(&mut self, at: usize) -> Option<Memory> {
        let part = self.parts.remove(at)?;
        self.bytes -= part.len() as u64;
        Some(part)
    }

    /// Number of bytes that may be kept beside the buffers in use.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "no more is lent than was ever lent"
    )]
    fn room(&self) -> u64 {
        (self.most_lent - self.lent).max(LITTLE)
    }

    /// Removes the oldest parts until at most `bytes` bytes are kept.
    fn shrink(&mut self, bytes: u64) -> Vec<Memory> {
        let mut given_up = Vec::new();
        while self.bytes > bytes {
            let Some(oldest) = self.remove(0) else { break };
            given_up.push(oldest);
        }
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    const MIB: usize = 1 << 20;

    fn spare(mib: u64) -> Spare {
        let spare = Spare::new(Budget::new(mib << 20));
        spare.lend(64 << 20);
        spare
    }

    fn memory(len: usize) -> Memory {
        Memory::zeroed(len, len).unwrap()
    }

    #[test]
    fn no_more_is_kept_than_was_lent_at_a_time() {
        let spare = Spare::new(Budget::new(512 << 20));
        for len in [24 * MIB, 8 * MIB, 16 * MIB, 12 * MIB] {
            spare.lend(len);
            spare.keep(memory(len));
            assert!(spare.lock().bytes <= 24 << 20);
        }
        assert_eq!(spare.lock().bytes, 12 << 20);
        spare.lend(8 * MIB);
        assert_eq!(spare.lock().bytes, 12 << 20);
        // The buffers in use reach their maximum again.
        spare.lend(16 * MIB);
        assert_eq!(spare.lock().bytes, 0);
    }

    #[test]
    fn a_little_is_kept_beside_all_that_was_lent() {
        let spare = Spare::new(Budget::new(64 << 20));
        for _ in 0..2 {
            spare.lend(MIB);
            spare.keep(memory(MIB));
        }
        assert_eq!(spare.lock().bytes, 2 << 20);
        spare.lend(MIB);
        spare.keep(memory(MIB));
        assert_eq!(spare.lock().bytes, LITTLE);
        // At most `LITTLE` bytes are kept, so a request for another size frees nothing.
        assert!(spare.take(3 * MIB).is_none());
        assert_eq!(spare.lock().bytes, LITTLE);
    }

    #[test]
    fn what_was_dropped_is_taken_for_what_is_little_smaller() {
        let spare = spare(64);
        for len in [LEAST - 1, 4 * MIB, MIB] {
            spare.keep(memory(len));
        }
        assert_eq!(spare.lock().bytes, 5 << 20);
        assert!(spare.take(LEAST - 1).is_none());
        let taken = spare.take(MIB - 1).map(|part| part.len());
        assert_eq!(taken, Some(MIB));
        assert!(spare.take(4 * MIB + 1).is_none());
        // The request for another size freed the oldest part.
        assert_eq!(spare.lock().bytes, 0);
    }

    #[test]
    fn no_more_than_a_share_of_the_budget_is_kept() {
        let spare = spare(64);
        for _ in 0..20 {
            spare.keep(memory(MIB));
        }
        assert_eq!(spare.lock().bytes, 8 << 20);
        spare.keep(memory(9 * MIB));
        assert_eq!(spare.lock().bytes, 8 << 20);
        for _ in 0..2 * MOST_PARTS {
            spare.keep(memory(LEAST));
        }
        assert!(spare.lock().parts.len() <= MOST_PARTS);
    }

    #[test]
    fn what_is_kept_makes_room_for_what_is_granted() {
        let spare = spare(64);
        for _ in 0..8 {
            spare.keep(memory(MIB));
        }
        let granted = spare.budget.take(59 << 20).unwrap();
        assert!(spare.take(MIB).is_some());
        assert_eq!(spare.lock().bytes, 5 << 20);
        spare.keep(memory(6 * MIB));
        assert_eq!(spare.lock().bytes, 5 << 20);
        spare.keep(memory(3 * MIB));
        assert_eq!(spare.lock().bytes, 5 << 20);
        drop(granted);
    }

    #[test]
    fn memory_that_is_about_to_be_written_holds_no_cells_where_defects_are_looked_for() {
        let session = Session::new(SessionOptions::default());
        let mut first = session.buffer(MIB).unwrap();
        first.as_mut_slice().fill(7);
        let at = first.as_slice().as_ptr();
        drop(first.freeze());
        let second = session.buffer(MIB - 5000).unwrap();
        assert_eq!(second.as_slice().as_ptr(), at);
        assert!(second.as_slice().iter().all(|byte| *byte == 0xa5));
        drop(second);
        let third = session.buffer(MIB).unwrap();
        drop(session);
        assert_eq!(third.another(MIB).unwrap().as_slice().len(), MIB);
    }
}
