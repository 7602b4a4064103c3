//! A share of the memory budget for one field.

use tdb_tile::{Budget, Grant};

/// The values that are kept for all fields take at most 1/PART of the memory budget.
const PART: u64 = 8;

/// Maximum bytes requested from the budget at a time.
const STEP: u64 = 1 << 20;

/// A share is requested in at least this many steps.
const STEPS: u64 = 16;

/// A share of the memory budget, which is taken step by step up to its limit.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Budget,
    held: Vec<Grant>,
    /// Bytes granted, but not used yet.
    room: u64,
    /// Bytes that may still be requested.
    left: u64,
    step: u64,
}

impl Share {
    /// Creates the share of one of `fields` fields.
    pub(crate) fn new(budget: &Budget, fields: usize) -> Self {
        let all = budget.limit() / PART;
        // With zero fields, the share is the whole.
        let left = all.checked_div(fields as u64).unwrap_or(all);
        Self {
            budget: budget.clone(),
            held: Vec::new(),
            room: 0,
            left,
            step: STEP.min(left / STEPS).max(1),
        }
    }

    /// Takes memory; returns false if that many bytes are not available.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "what is taken is at most what is left, and at least what is needed"
    )]
    pub(crate) fn take(&mut self, bytes: u64) -> bool {
        if self.room < bytes {
            let asked = bytes.max(self.step);
            let granted = (asked <= self.left).then(|| self.budget.take(asked).ok());
            let Some(grant) = granted.flatten() else {
                return false;
            };
            self.held.push(grant);
            self.left -= asked;
            self.room += asked;
        }
        self.room -= bytes;
        true
    }
}
