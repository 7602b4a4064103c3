//! The groups of cells that have the same values in some fields.

use std::borrow::Cow;
use std::collections::HashMap;

use tdb_cells::Batch;
use tdb_tile::{Budget, Bug, Grant, LimitError};

use crate::AggregateError;
use crate::grouping::Keys;

/// About what a group takes beside its values: its place in the table, and its line of the answer.
const GROUP_BYTES: u64 = 192;

/// About what the state of a field takes, and the aggregates of it in the answer.
const STATE_BYTES: u64 = 224;

/// Bytes of memory that are asked for at a time, at most.
const STEP: u64 = 1 << 20;

/// Steps that the memory has at least.
const STEPS: u64 = 64;

/// The values of the fields that make up a group: `None` is null.
pub(crate) type Key = Box<[Option<Box<[u8]>>]>;

/// All groups that were seen, in the order in which they were.
#[derive(Debug)]
pub(crate) struct Groups {
    numbers: HashMap<Key, usize>,
    budget: Budget,
    held: Vec<Grant>,
    /// Bytes that are granted and not used.
    room: u64,
    /// States that each group has.
    states: u64,
}

impl Groups {
    pub(crate) fn new(budget: &Budget, states: usize) -> Self {
        Self {
            numbers: HashMap::new(),
            budget: budget.clone(),
            held: Vec::new(),
            room: 0,
            states: (states as u64).max(1),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of each cell's group, by these values.
    pub(crate) fn of(
        &mut self,
        batch: &Batch,
        by: &mut [Keys],
    ) -> Result<Vec<usize>, AggregateError> {
        let columns = by.iter().map(|keys| batch.column(keys.column()));
        let columns: Option<Vec<_>> = columns.collect();
        let columns = columns.ok_or_else(|| Bug::new("a field to group by was not read"))?;
        let mut numbers = Vec::with_capacity(batch.rows);
        // Cells beside each other are often of one group.
        let mut last: Option<(Key, usize)> = None;
        for row in 0..batch.rows {
            let cells = by.iter_mut().zip(&columns);
            let cells = cells.map(|(keys, column)| keys.of(column, row));
            let cells = cells.collect::<Result<Vec<Option<Cow<'_, [u8]>>>, AggregateError>>()?;
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
            let number = self.number(&key)?;
            numbers.push(number);
            last = Some((key, number));
        }
        Ok(numbers)
    }

    fn number(&mut self, key: &Key) -> Result<usize, AggregateError> {
        if let Some(number) = self.numbers.get(key) {
            return Ok(*number);
        }
        let number = self.numbers.len();
        let cells = key.iter().flatten().map(|cell| cell.len() as u64);
        let states = STATE_BYTES.saturating_mul(self.states);
        // The values stand in the table and in the answer.
        let cells = cells.map(|bytes| bytes.saturating_mul(2).saturating_add(64));
        let bytes = cells.fold(GROUP_BYTES.saturating_add(states), u64::saturating_add);
        self.reserve(bytes)
            .map_err(|source| AggregateError::Groups {
                groups: number,
                source,
            })?;
        self.numbers.insert(key.clone(), number);
        Ok(number)
    }

    fn reserve(&mut self, bytes: u64) -> Result<(), LimitError> {
        if self.room < bytes {
            let step = STEP.min(self.budget.limit() / STEPS);
            let asked = bytes.max(step);
            self.held.push(self.budget.take(asked)?);
            self.room = self.room.saturating_add(asked);
        }
        self.room = self.room.saturating_sub(bytes);
        Ok(())
    }

    /// The groups and their numbers.
    pub(crate) fn into_keys(self) -> impl Iterator<Item = (Key, usize)> {
        self.numbers.into_iter()
    }
}
