//! What a field may take of the memory.

use tdb_tile::{Budget, Grant};

/// Of the memory that a session allows, one part in so many is for what is kept of values.
const PART: u64 = 8;

/// Bytes that are asked for at a time, at most.
const STEP: u64 = 1 << 20;

/// Steps that a share has at least.
const STEPS: u64 = 16;

/// A share of the memory: taken step by step, and refused beyond.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Budget,
    held: Vec<Grant>,
    /// Bytes that are granted and not used.
    room: u64,
    /// Bytes that may still be asked for.
    left: u64,
    step: u64,
}

impl Share {
    /// The share of one of so many fields.
    pub(crate) fn new(budget: &Budget, fields: usize) -> Self {
        let all = budget.limit() / PART;
        // Without fields there is nobody to share with.
        let left = all.checked_div(fields as u64).unwrap_or(all);
        Self {
            budget: budget.clone(),
            held: Vec::new(),
            room: 0,
            left,
            step: STEP.min(left / STEPS).max(1),
        }
    }

    /// Takes so many bytes; says whether there were as many.
    pub(crate) fn take(&mut self, bytes: u64) -> bool {
        if self.room < bytes {
            let asked = bytes.max(self.step);
            let granted = (asked <= self.left).then(|| self.budget.take(asked).ok());
            let Some(grant) = granted.flatten() else {
                return false;
            };
            self.held.push(grant);
            self.left = self.left.saturating_sub(asked);
            self.room = self.room.saturating_add(asked);
        }
        self.room = self.room.saturating_sub(bytes);
        true
    }
}
