use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The caps that every decode is given: what the bytes at hand cannot bound, these do.
///
/// All fields are public and may be set; [`Limits::default`] suits trusted and
/// untrusted arrays alike.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Unfiltered bytes of one generic tile (schema, footer part, metadata, group, ...).
    pub metadata_tile: u64,
    /// Unfiltered bytes of one data, offsets or validity tile.
    pub data_tile: u64,
    /// Fragments of one array.
    pub fragments: u64,
    /// Levels of a condition tree.
    pub condition_depth: u64,
    /// Nodes of a condition tree.
    pub condition_nodes: u64,
    /// Levels of groups within groups.
    pub group_depth: u64,
    /// Bytes of one name or URI.
    pub name_len: u64,
    /// Bytes of one list of names (`.con`, `.ign`, `.vac`).
    pub list_bytes: u64,
    /// Memory that all decoding under these limits shares.
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

    /// Fails where `asked` is more than `allowed`; `what` and `setting` go into the error.
    ///
    /// # Errors
    /// [`LimitError`] when the cap is exceeded.
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

/// A cap was reached: what was asked for, what is allowed, and the setting that would help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} of {asked} is over the limit of {allowed} ({setting})")]
pub struct LimitError {
    /// What there would have been too much of.
    pub what: &'static str,
    /// The field of [`Limits`] that sets the cap.
    pub setting: &'static str,
    /// The amount asked for.
    pub asked: u64,
    /// The amount allowed.
    pub allowed: u64,
}

/// A number of bytes or things as memory counts them.
///
/// # Errors
/// More than the memory of this machine can be addressed by.
pub fn length(number: u64) -> Result<usize, LimitError> {
    usize::try_from(number).map_err(|_| LimitError {
        what: "size in memory",
        setting: "width of an address",
        asked: number,
        allowed: usize::MAX as u64,
    })
}

/// One counter of memory, shared by its clones.
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

    /// A budget that is never used up; it still counts.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// Takes `bytes`, which come back when the grant is dropped.
    ///
    /// # Errors
    /// [`LimitError`] when fewer are left.
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
            Err(used) => Err(LimitError {
                what: "memory",
                setting: "memory budget",
                asked: used.saturating_add(bytes),
                allowed: self.shared.limit,
            }),
        }
    }

    /// Bytes that the budget allows in all.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// Bytes granted at this moment.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.shared.used.load(Ordering::Relaxed)
    }

    /// Bytes that can still be taken.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.used())
    }
}

/// Memory taken from a [`Budget`]; given back when dropped.
#[derive(Debug)]
#[must_use = "a grant that is dropped at once bounds nothing"]
pub struct Grant {
    budget: Budget,
    bytes: u64,
}

impl Grant {
    /// Bytes that this grant stands for.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes `bytes` more from the budget.
    ///
    /// # Errors
    /// More than the budget has left; the grant is what it was then.
    pub fn grow(&mut self, bytes: u64) -> Result<(), LimitError> {
        let mut more = self.budget.take(bytes)?;
        self.bytes = self.bytes.saturating_add(std::mem::take(&mut more.bytes));
        Ok(())
    }

    /// Gives back what is above `bytes`.
    pub fn shrink_to(&mut self, bytes: u64) {
        let bytes = self.bytes.min(bytes);
        drop(Self {
            budget: self.budget.clone(),
            bytes: self.bytes.saturating_sub(bytes),
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
