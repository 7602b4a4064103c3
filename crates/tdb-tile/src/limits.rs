use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ErrorKind;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The caps on everything whose size stored data determines, given to every decode function.
///
/// All fields are public and may be set; [`Limits::default`] suits trusted and untrusted arrays
/// alike.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum unfiltered bytes of one generic tile (schema, footer part, metadata, group, ...).
    pub metadata_tile: u64,
    /// Maximum unfiltered bytes of one data, offsets or validity tile.
    pub data_tile: u64,
    /// Maximum number of fragments of one array.
    pub fragments: u64,
    /// Maximum depth of a condition tree.
    pub condition_depth: u64,
    /// Maximum number of nodes of a condition tree.
    pub condition_nodes: u64,
    /// Maximum depth of groups within groups.
    pub group_depth: u64,
    /// Maximum bytes of one name or URI.
    pub name_len: u64,
    /// Maximum bytes of one list of names (`.con`, `.ign`, `.vac`).
    pub list_bytes: u64,
    /// The memory budget that all decoding under these limits shares.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            metadata_tile: 256 * MIB,
            data_tile: 2 * GIB,
            fragments: 10_000_000,
            condition_depth: 512,
            condition_nodes: 1_000_000,
            group_depth: 64,
            name_len: 64 << 10,
            list_bytes: 256 * MIB,
            budget: Budget::unlimited(),
        }
    }
}

impl Limits {
    /// The default caps with a memory budget of `bytes`.
    #[must_use]
    pub fn with_budget(bytes: u64) -> Self {
        Self {
            budget: Budget::new(bytes),
            ..Self::default()
        }
    }

    /// Fails if `asked` bytes of memory are more than `allowed`; `what` goes into the error.
    ///
    /// # Errors
    /// [`LimitError`] of the kind [`ErrorKind::Memory`].
    pub fn check_memory(what: &'static str, asked: u64, allowed: u64) -> Result<(), LimitError> {
        Self::check(what, MEMORY_BUDGET, asked, allowed)
    }

    /// Fails if `asked` is more than `allowed`; `what` and `setting` go into the error.
    ///
    /// # Errors
    /// [`LimitError`] if the cap is exceeded.
    pub fn check(
        what: &'static str,
        setting: &'static str,
        asked: u64,
        allowed: u64,
    ) -> Result<(), LimitError> {
        if asked <= allowed {
            Ok(())
        } else {
            Err(LimitError {
                what,
                setting,
                asked,
                allowed,
            })
        }
    }
}

/// A cap was exceeded: the amount asked for, the amount allowed, and the setting to raise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} of {asked} is over the limit of {allowed} ({setting})")]
pub struct LimitError {
    /// The quantity that is too large.
    pub what: &'static str,
    /// The field of [`Limits`], or another setting, that determines the cap.
    pub setting: &'static str,
    /// The amount asked for.
    pub asked: u64,
    /// The amount allowed.
    pub allowed: u64,
}

/// The setting of errors about memory.
const MEMORY_BUDGET: &str = "memory budget";

impl LimitError {
    /// Creates the error of a memory budget.
    #[must_use]
    pub fn of_memory(what: &'static str, asked: u64, allowed: u64) -> Self {
        Self {
            what,
            setting: MEMORY_BUDGET,
            asked,
            allowed,
        }
    }

    /// Returns [`ErrorKind::Memory`] for a memory budget, [`ErrorKind::Limit`] for any other cap. No valid object
    /// exceeds the other caps, whereas the memory budget says nothing about stored data.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        if self.setting == MEMORY_BUDGET {
            ErrorKind::Memory
        } else {
            ErrorKind::Limit
        }
    }
}

/// Converts a stored number of bytes or items to `usize`.
///
/// # Errors
/// Fails if the number is larger than any address of this machine.
pub fn length(number: u64) -> Result<usize, LimitError> {
    usize::try_from(number).map_err(|_| LimitError {
        what: "size in memory",
        setting: "width of an address",
        asked: number,
        allowed: usize::MAX as u64,
    })
}

/// A counter of memory with a limit, shared by its clones.
#[derive(Clone, Debug)]
pub struct Budget {
    shared: Arc<Counter>,
}

#[derive(Debug)]
struct Counter {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    /// A budget of `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self {
            shared: Arc::new(Counter {
                limit,
                used: AtomicU64::new(0),
            }),
        }
    }

    /// A budget without a limit; it still counts.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Reserves `bytes`, which are given back when the grant is dropped.
    ///
    /// # Errors
    /// [`LimitError`] if fewer bytes are left.
    pub fn take(&self, bytes: u64) -> Result<Grant, LimitError> {
        let taken = self
            .shared
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes)
                    .filter(|&sum| sum <= self.shared.limit)
            });
        match taken {
            Ok(_) => Ok(Grant {
                budget: self.clone(),
                bytes,
            }),
            Err(used) => Err(LimitError::of_memory(
                "memory",
                used.saturating_add(bytes),
                self.shared.limit,
            )),
        }
    }

    /// The limit of the budget in bytes.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// The number of bytes currently granted.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.shared.used.load(Ordering::Relaxed)
    }

    /// The number of bytes that can still be reserved.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.used())
    }
}

/// Memory reserved in a [`Budget`]; given back when dropped.
#[derive(Debug)]
#[must_use = "a grant that is dropped at once bounds nothing"]
pub struct Grant {
    budget: Budget,
    bytes: u64,
}

impl Grant {
    /// The number of bytes that this grant reserves.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reserves `bytes` more.
    ///
    /// # Errors
    /// [`LimitError`] if fewer bytes are left; the grant is then unchanged.
    pub fn grow(&mut self, bytes: u64) -> Result<(), LimitError> {
        let mut more = self.budget.take(bytes)?;
        // The budget counts the bytes of all grants in a number of the same type, so the sum is in it.
        let sum = self.bytes.checked_add(more.bytes);
        self.bytes =
            sum.ok_or_else(|| LimitError::of_memory("memory", bytes, self.budget.limit()))?;
        more.bytes = 0;
        Ok(())
    }

    /// Gives back the bytes above `bytes`; does nothing if the grant is smaller.
    pub fn shrink_to(&mut self, bytes: u64) {
        let Some(surplus) = self.bytes.checked_sub(bytes) else {
            return;
        };
        drop(Self {
            budget: self.budget.clone(),
            bytes: surplus,
        });
        self.bytes = bytes;
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        self.budget
            .shared
            .used
            .fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
