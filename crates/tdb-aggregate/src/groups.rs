//! The groups of cells with equal values in some fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use tdb_cells::Batch;
use tdb_tile::{Budget, Bug, Grant, LimitError};

use crate::AggregateError;
use crate::grouping::Keys;

/// Approximate bytes of a group without its values: its entry in the table, and in the sorted order.
const GROUP_BYTES: u64 = 192;

/// Approximate bytes of a field's state, in a growing list.
const STATE_BYTES: u64 = 224;

/// Maximum bytes requested from the budget at a time.
const STEP: u64 = 1 << 20;

/// The budget is requested in at least this many steps.
const STEPS: u64 = 64;

/// Number of cells whose groups are looked up at a time.
const CELLS: usize = 1 << 16;

/// The values of the fields that identify a group; `None` is null.
pub(crate) type Key = Box<[Option<Box<[u8]>>]>;

/// The groups found so far, numbered in the order of their first cells, as far as they fit in memory.
#[derive(Debug)]
pub(crate) struct Groups {
    numbers: HashMap<Key, usize>,
    budget: Budget,
    held: Vec<Grant>,
    /// Bytes granted by the budget.
    granted: u64,
    /// Bytes used by groups, out of those granted.
    used: u64,
    /// Bytes of strings in the states of the groups.
    texts: u64,
    /// Maximum bytes that may be used.
    most: u64,
    /// Number of states per group.
    states: u64,
    /// The limit that prevented another group, if there was one.
    lacks: Option<LimitError>,
}

impl Groups {
    /// Creates an empty table for groups with `states` states each, which together use at most `most` bytes.
    pub(crate) fn new(budget: &Budget, states: usize, most: u64) -> Self {
        Self {
            numbers: HashMap::new(),
            budget: budget.clone(),
            held: Vec::new(),
            granted: 0,
            used: 0,
            texts: 0,
            most,
            states: (states as u64).max(1),
            lacks: None,
        }
    }

    /// Takes the maximum memory at once, so that the number of groups that fit does not depend on other users of the
    /// budget. If that is not available, memory is taken when needed.
    pub(crate) fn take_all(&mut self) {
        if let Ok(held) = self.budget.take(self.most) {
            self.held.push(held);
            self.granted = self.most;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Determines the group of each cell from `first` on, as far as there is memory for its groups; returns the rows
    /// of these cells. The range is empty if not even one more group fits.
    pub(crate) fn of(
        &mut self,
        batch: &Batch,
        first: usize,
        by: &mut [Keys],
        numbers: &mut Vec<usize>,
    ) -> Result<Range<usize>, AggregateError> {
        let columns = by
            .iter()
            .map(|keys| batch.column(keys.column()))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Bug::new("a field to group by was not read"))?;
        numbers.clear();
        let rows = batch.rows.checked_sub(first).ok_or_else(no_cell)?;
        let end = first.checked_add(rows.min(CELLS)).ok_or_else(no_cell)?;
        // Adjacent cells are often in the same group.
        let mut last: Option<(Key, usize)> = None;
        let mut cells: Vec<Option<Cow<'_, [u8]>>> = Vec::with_capacity(by.len());
        for row in first..end {
            cells.clear();
            for (keys, column) in by.iter_mut().zip(&columns) {
                cells.push(keys.of(column, row)?);
            }
            let same = |key: &Key| {
                let mut pairs = key.iter().zip(&cells);
                pairs.all(|(known, cell)| known.as_deref() == cell.as_deref())
            };
            if let Some((_, number)) = last.as_ref().filter(|(key, _)| same(key)) {
                numbers.push(*number);
                continue;
            }
            let key: Key = cells
                .iter()
                .map(|cell| cell.as_deref().map(Into::into))
                .collect();
            let Some(number) = self.number(&key) else {
                return Ok(first..row);
            };
            numbers.push(number);
            last = Some((key, number));
        }
        Ok(first..end)
    }

    /// Returns the index of a group, which is added if it is new; `None` if there is no memory for it.
    fn number(&mut self, key: &Key) -> Option<usize> {
        if let Some(number) = self.numbers.get(key) {
            return Some(*number);
        }
        let cells = key.iter().flatten().map(|cell| cell.len() as u64);
        let states = STATE_BYTES.saturating_mul(self.states);
        let cells = cells.flat_map(|bytes| [bytes, 64]);
        let bytes = cells.fold(GROUP_BYTES.saturating_add(states), u64::saturating_add);
        self.lacks = self.reserve(bytes).err();
        if self.lacks.is_some() {
            return None;
        }
        let number = self.numbers.len();
        self.numbers.insert(key.clone(), number);
        Some(number)
    }

    /// Takes memory for the strings in the states. Returns true if memory is exhausted, now or since an earlier group.
    pub(crate) fn are_full(&mut self, texts: u64) -> bool {
        let more = texts.saturating_sub(self.texts);
        if more > 0 && self.lacks.is_none() {
            self.texts = texts;
            self.lacks = self.reserve(more).err();
        }
        self.lacks.is_some()
    }

    /// Returns the error for more groups than fit in memory.
    pub(crate) fn too_many(&self) -> AggregateError {
        let groups = self.numbers.len();
        match self.lacks.clone() {
            Some(source) => AggregateError::Groups { groups, source },
            None => Bug::new("groups that fit are said to be too many").into(),
        }
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "all grants are part of one budget"
    )]
    fn reserve(&mut self, bytes: u64) -> Result<(), LimitError> {
        let used = self.used.saturating_add(bytes);
        // A single group may exceed the maximum: it cannot be divided.
        if used > self.most && !self.numbers.is_empty() {
            return Err(LimitError::of_memory("memory of groups", used, self.most));
        }
        if let Some(lacking) = used.checked_sub(self.granted).filter(|bytes| *bytes > 0) {
            let step = STEP.min(self.budget.limit() / STEPS);
            let asked = lacking.max(step);
            self.held.push(self.budget.take(asked)?);
            self.granted += asked;
        }
        self.used = used;
        Ok(())
    }

    /// Iterates over the groups with their indexes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&Key, usize)> {
        self.numbers.iter().map(|(key, number)| (key, *number))
    }

    /// Removes all groups, but keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        (self.used, self.texts, self.lacks) = (0, 0, None);
    }

    /// Returns the groups with their indexes, and the grants for their memory.
    pub(crate) fn into_keys(self) -> (Vec<(Key, usize)>, Vec<Grant>) {
        (self.numbers.into_iter().collect(), self.held)
    }
}

#[track_caller]
fn no_cell() -> Bug {
    Bug::new("a cell is grouped that is not there")
}
