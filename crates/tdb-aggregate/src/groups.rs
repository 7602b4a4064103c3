//! The groups of cells that have the same values in some fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use tdb_cells::Batch;
use tdb_tile::{Budget, Bug, Grant, LimitError};

use crate::AggregateError;
use crate::grouping::Keys;

/// About what a group takes beside its values: its place in the table, and in its order.
const GROUP_BYTES: u64 = 192;

/// About what the state of a field takes, in a list that grows.
const STATE_BYTES: u64 = 224;

/// Bytes of memory that are asked for at a time, at most.
const STEP: u64 = 1 << 20;

/// Steps that the memory has at least.
const STEPS: u64 = 64;

/// Cells whose groups are looked up at a time.
const CELLS: usize = 1 << 16;

/// The values of the fields that make up a group: `None` is null.
pub(crate) type Key = Box<[Option<Box<[u8]>>]>;

/// All groups that were seen, in the order in which they were, as far as they fit.
#[derive(Debug)]
pub(crate) struct Groups {
    numbers: HashMap<Key, usize>,
    budget: Budget,
    held: Vec<Grant>,
    /// Bytes that are granted.
    granted: u64,
    /// Bytes of these that are used by groups.
    used: u64,
    /// Bytes of texts that their states keep beside.
    texts: u64,
    /// Bytes that may be used.
    most: u64,
    /// States that each group has.
    states: u64,
    /// What there was no memory for.
    lacks: Option<LimitError>,
}

impl Groups {
    /// An empty table. Each group will have this number of states, and all of them together may use `most` bytes.
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

    /// Takes all the memory that may be used, so that it does not depend on others how many groups fit. Where there is not that
    /// much, what there is is taken when it is needed.
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

    /// The number of the group of each cell from `first` on, by these values, as far as there is memory for its groups: for some
    /// cells, where `first` is one.
    pub(crate) fn of(
        &mut self,
        batch: &Batch,
        first: usize,
        by: &mut [Keys],
        numbers: &mut Vec<usize>,
    ) -> Result<Range<usize>, AggregateError> {
        let columns = by.iter().map(|keys| batch.column(keys.column()));
        let columns: Option<Vec<_>> = columns.collect();
        let columns = columns.ok_or_else(|| Bug::new("a field to group by was not read"))?;
        numbers.clear();
        let rows = batch.rows.checked_sub(first).ok_or_else(no_cell)?;
        let end = first.checked_add(rows.min(CELLS)).ok_or_else(no_cell)?;
        // Cells beside each other are often of one group.
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

    /// The number of a group; `None` where there is no memory for another.
    fn number(&mut self, key: &Key) -> Option<usize> {
        if let Some(number) = self.numbers.get(key) {
            return Some(*number);
        }
        let cells = key.iter().flatten().map(|cell| cell.len() as u64);
        let states = STATE_BYTES.saturating_mul(self.states);
        let cells = cells.map(|bytes| bytes.saturating_add(64));
        let bytes = cells.fold(GROUP_BYTES.saturating_add(states), u64::saturating_add);
        self.lacks = self.reserve(bytes).err();
        if self.lacks.is_some() {
            return None;
        }
        let number = self.numbers.len();
        self.numbers.insert(key.clone(), number);
        Some(number)
    }

    /// Counts the texts that states keep; whether there is no memory for them, or was none for a group.
    pub(crate) fn are_full(&mut self, texts: u64) -> bool {
        let more = texts.saturating_sub(self.texts);
        if more > 0 && self.lacks.is_none() {
            self.texts = texts;
            self.lacks = self.reserve(more).err();
        }
        self.lacks.is_some()
    }

    /// That there are more groups than the memory holds.
    pub(crate) fn too_many(&self) -> AggregateError {
        let groups = self.numbers.len();
        match self.lacks.clone() {
            Some(source) => AggregateError::Groups { groups, source },
            None => Bug::new("groups that fit are said to be too many").into(),
        }
    }

    fn reserve(&mut self, bytes: u64) -> Result<(), LimitError> {
        let used = self.used.saturating_add(bytes);
        // The only group may take whatever there is: none could take less.
        if used > self.most && !self.numbers.is_empty() {
            return Err(LimitError {
                what: "memory of groups",
                setting: "memory budget",
                asked: used,
                allowed: self.most,
            });
        }
        if let Some(lacking) = used.checked_sub(self.granted).filter(|bytes| *bytes > 0) {
            let step = STEP.min(self.budget.limit() / STEPS);
            let asked = lacking.max(step);
            self.held.push(self.budget.take(asked)?);
            // Grants are part of one budget, whose bytes can be counted.
            self.granted = self.granted.saturating_add(asked);
        }
        self.used = used;
        Ok(())
    }

    /// The groups and their numbers.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&Key, usize)> {
        self.numbers.iter().map(|(key, number)| (key, *number))
    }

    /// Forgets all groups, and keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        (self.used, self.texts, self.lacks) = (0, 0, None);
    }

    /// The groups and their numbers, and what their memory is counted by.
    pub(crate) fn into_keys(self) -> (Vec<(Key, usize)>, Vec<Grant>) {
        (self.numbers.into_iter().collect(), self.held)
    }
}

#[track_caller]
fn no_cell() -> Bug {
    Bug::new("a cell is grouped that is not there")
}
