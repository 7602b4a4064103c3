//! Groups that do not fit in memory: they are stored as sorted runs in the temporary folder, and merged. The states of
//! a group in several runs are merged in the order of the runs, so that the same cells always return the same result.

use std::ops::Range;

use bytes::Bytes;
use tdb_cells::{CellsError, FieldInfo, RunReader, RunWriter, Runs};
use tdb_tile::Bug;

use crate::AggregateError;
use crate::accumulator::Accumulator;
use crate::groups::{Groups, Key};
use crate::key_order::by_keys;
use crate::packed::{Unpacking, write};
use crate::states::{GroupState, States};

/// Writes all groups to a new run, then removes them from memory.
pub(crate) fn spill(
    runs: &mut Runs,
    groups: &mut Groups,
    states: &mut States,
    by: &[FieldInfo],
) -> Result<(), AggregateError> {
    let block = runs.block_bytes();
    let known = &*states;
    let write_all = |run: &mut RunWriter| {
        let mut keys: Vec<(&Key, usize)> = groups.keys().collect();
        keys.sort_unstable_by(|(a, _), (b, _)| by_keys(by, a, b));
        let mut packer = Packer::new(run, block);
        for (key, number) in keys {
            let lost = || Bug::new("a group without a state");
            let cells = known.cells.get(number).ok_or_else(lost)?;
            let fields = known
                .fields
                .iter()
                .map(|field| Some((field, field.groups.get(number)?)))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(lost)?;
            write(&mut packer.bytes, key, *cells, fields.into_iter())?;
            packer.next()?;
        }
        packer.finish()
    };
    runs.add(write_all, |readers, run| {
        merge_into(readers, run, block, by, known)
    })?;
    groups.clear();
    states.clear();
    Ok(())
}

/// Merges several runs into one.
fn merge_into(
    readers: Vec<RunReader>,
    run: &mut RunWriter,
    block: usize,
    by: &[FieldInfo],
    states: &States,
) -> Result<(), AggregateError> {
    let mut merge = Merge::new(readers, by)?;
    let mut packer = Packer::new(run, block);
    while let Some((key, state)) = merge.next(by, states)? {
        let fields: Vec<&Accumulator> = state.fields.iter().collect();
        let fields = states.fields.iter().zip(fields);
        write(&mut packer.bytes, &key, state.cells, fields)?;
        packer.next()?;
    }
    packer.finish()
}

/// Merges runs until only a few are left; these are merged while the groups are read.
pub(crate) fn merge(
    runs: Runs,
    by: &[FieldInfo],
    states: &States,
) -> Result<Merge, AggregateError> {
    let block = runs.block_bytes();
    let readers = runs.finish(|readers, run| merge_into(readers, run, block, by, states))?;
    Merge::new(readers, by)
}

/// Writer that collects groups into blocks of a run.
struct Packer<'a> {
    run: &'a mut RunWriter,
    block: usize,
    bytes: Vec<u8>,
    groups: u64,
}

impl<'a> Packer<'a> {
    fn new(run: &'a mut RunWriter, block: usize) -> Self {
        Self {
            run,
            block,
            bytes: Vec::with_capacity(block),
            groups: 0,
        }
    }

    /// Completes a group, whose bytes have been appended.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer groups than cells"
    )]
    fn next(&mut self) -> Result<(), CellsError> {
        self.groups += 1;
        if self.bytes.len() < self.block {
            return Ok(());
        }
        self.write()
    }

    fn write(&mut self) -> Result<(), CellsError> {
        self.run.write(&self.bytes, self.groups)?;
        self.bytes.clear();
        self.groups = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<(), AggregateError> {
        if self.groups > 0 {
            self.write()?;
        }
        Ok(())
    }
}

/// The k-way merge of sorted runs. The runs are few, so a sorted list serves as the priority queue.
#[derive(Debug)]
pub(crate) struct Merge {
    cursors: Vec<Cursor>,
    /// Indexes of the runs that are not at their end, sorted descending by their current group, so that the next one
    /// is last. Of equal groups, that of the earliest run is last.
    order: Vec<usize>,
}

impl Merge {
    fn new(readers: Vec<RunReader>, by: &[FieldInfo]) -> Result<Self, AggregateError> {
        let cursors = readers.into_iter().map(Cursor::new);
        let mut merge = Self {
            cursors: cursors.collect(),
            order: Vec::new(),
        };
        for number in 0..merge.cursors.len() {
            merge.advance(number, by)?;
        }
        Ok(merge)
    }

    /// Returns the next group, with its state merged from all runs.
    pub(crate) fn next(
        &mut self,
        by: &[FieldInfo],
        states: &States,
    ) -> Result<Option<(Key, GroupState)>, AggregateError> {
        let Some(first) = self.order.pop() else {
            return Ok(None);
        };
        let cursor = self.cursor(first)?;
        let (key, mut state) = (cursor.key(), cursor.state(states)?);
        self.advance(first, by)?;
        while let Some(next) = self.order.last().copied() {
            let cursor = self.cursor(next)?;
            if !cursor.is_at(&key) {
                break;
            }
            state.merge(cursor.state(states)?);
            self.order.pop();
            self.advance(next, by)?;
        }
        Ok(Some((key, state)))
    }

    /// Moves a run to its next group, and inserts it into the order.
    fn advance(&mut self, number: usize, by: &[FieldInfo]) -> Result<(), AggregateError> {
        let cursor = self.cursors.get_mut(number).ok_or_else(no_run)?;
        if !cursor.advance(by.len())? {
            return Ok(());
        }
        let cursor = self.cursor(number)?;
        let mut is_missing = false;
        let is_behind = |other: &usize| {
            let Some(run) = self.cursors.get(*other) else {
                is_missing = true;
                return false;
            };
            let order = by_keys(by, &run.values, &cursor.values);
            order.then(other.cmp(&number)).is_gt()
        };
        let place = self.order.partition_point(is_behind);
        if is_missing {
            return Err(no_run().into());
        }
        self.order.insert(place, number);
        Ok(())
    }

    fn cursor(&self, number: usize) -> Result<&Cursor, Bug> {
        self.cursors.get(number).ok_or_else(no_run)
    }
}

#[track_caller]
fn no_run() -> Bug {
    Bug::new("a group of a run that is not there")
}

/// A position in a run: a group of the block that was read last.
#[derive(Debug)]
struct Cursor {
    reader: RunReader,
    block: Bytes,
    /// Offset of the next group in the block.
    next: usize,
    /// The keys of the current group.
    values: Vec<Option<Bytes>>,
    /// Range of the bytes of the group's state in the block.
    state: Range<usize>,
}

impl Cursor {
    fn new(reader: RunReader) -> Self {
        Self {
            reader,
            block: Bytes::new(),
            next: 0,
            values: Vec::new(),
            state: 0..0,
        }
    }

    /// Moves to the next group, which has `values` keys. Returns `false` at the end of the run.
    fn advance(&mut self, values: usize) -> Result<bool, CellsError> {
        self.values.clear();
        if self.next >= self.block.len() {
            self.block = Bytes::new();
            let Some(block) = self.reader.next_block()? else {
                return Ok(false);
            };
            (self.block, self.next) = (block, 0);
        }
        let is_read = self.unpack(values).is_some();
        is_read.then_some(true).ok_or_else(|| self.reader.damaged())
    }

    fn unpack(&mut self, values: usize) -> Option<()> {
        let all = self.block.len();
        let mut rest = Unpacking(self.block.get(self.next..)?);
        let mut group = Unpacking(rest.group()?);
        let end = all.checked_sub(rest.0.len())?;
        for _ in 0..values {
            let value = group.value()?;
            self.values
                .push(value.map(|value| self.block.slice_ref(value)));
        }
        self.state = end.checked_sub(group.0.len())?..end;
        self.next = end;
        Some(())
    }

    fn key(&self) -> Key {
        let values = self.values.iter();
        values
            .map(|value| value.as_deref().map(Into::into))
            .collect()
    }

    fn is_at(&self, key: &Key) -> bool {
        let mut pairs = self.values.iter().zip(key);
        pairs.all(|(value, known)| value.as_deref() == known.as_deref())
    }

    fn state(&self, states: &States) -> Result<GroupState, CellsError> {
        let bytes = self.block.get(self.state.clone());
        let state = bytes.and_then(|bytes| Unpacking(bytes).state(states));
        state.ok_or_else(|| self.reader.damaged())
    }
}
