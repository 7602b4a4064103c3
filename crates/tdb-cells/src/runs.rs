//! Sorted runs in the temporary folder: data that does not fit in memory is sorted part by part, and the parts are
//! merged.
//!
//! The caller decides what a run contains, as long as it is blocks of items in order, and how blocks are merged. This
//! module decides how many runs are merged at a time, and when.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use bytes::Bytes;
use tdb_store::{ObjectWriter, Read, read_one};
use tdb_tile::{Bug, Exact, Grant};

use crate::spill_folder::SpillFolder;
use crate::{CellsError, Session};

/// Maximum number of runs that are merged at a time.
pub const MOST_MERGED: usize = 32;

/// Minimum and maximum size of a block in bytes, unless a single item is larger.
const BLOCK: std::ops::RangeInclusive<u64> = 4 << 10..=1 << 20;

/// A sorted run: an object in the temporary folder, removed when this is dropped.
#[derive(Debug)]
pub struct Run {
    folder: SpillFolder,
    key: String,
    /// How often the items were merged already.
    level: u32,
    items: u64,
    /// Size of each block, in bytes.
    blocks: Vec<u64>,
}

impl Run {
    /// Number of items in the run.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items
    }

    fn largest_block(&self) -> u64 {
        self.blocks.iter().copied().max().unwrap_or(0)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.folder.remove(&self.key);
    }
}

/// Writes a run. An unfinished run is removed.
#[derive(Debug)]
pub struct RunWriter {
    session: Session,
    object: Box<dyn ObjectWriter>,
    folder: SpillFolder,
    key: String,
    items: u64,
    blocks: Vec<u64>,
}

impl RunWriter {
    /// Writes the next block, which contains `items` items.
    ///
    /// # Errors
    /// Errors of the temporary folder; [`CellsError::Cancelled`].
    pub fn write(&mut self, block: &[u8], items: u64) -> Result<(), CellsError> {
        self.session.check_cancelled()?;
        let written = self.object.write(block);
        written.map_err(|error| self.folder.failed(error))?;
        self.blocks.push(block.len() as u64);
        self.items = self.items.checked_add(items).ok_or_else(too_large)?;
        Ok(())
    }

    fn finish(self, level: u32) -> Result<Run, CellsError> {
        let finished = self.object.finish();
        finished.map_err(|error| self.folder.failed(error))?;
        Ok(Run {
            folder: self.folder,
            key: self.key,
            level,
            items: self.items,
            blocks: self.blocks,
        })
    }
}

#[track_caller]
fn too_large() -> Bug {
    Bug::new("a run of more items or bytes than can be counted")
}

/// Reads a run block by block. The run is removed when this is dropped.
#[derive(Debug)]
pub struct RunReader {
    session: Session,
    run: Run,
    next: usize,
    offset: u64,
    /// Grant for the block that was read last.
    held: Option<Grant>,
}

impl RunReader {
    /// Reads the next block; `None` after the last. Its memory counts against the budget until the next call.
    ///
    /// # Errors
    /// Errors of the temporary folder; [`CellsError::Limit`] if the budget is exhausted; [`CellsError::Cancelled`].
    pub fn next_block(&mut self) -> Result<Option<Bytes>, CellsError> {
        self.session.check_cancelled()?;
        self.held = None;
        let Some(len) = self.run.blocks.get(self.next).copied() else {
            return Ok(None);
        };
        self.held = Some(self.session.limits().budget.take(len)?);
        let folder = &self.run.folder;
        let read = Read::bounded(self.run.key.as_str(), self.offset, len);
        let piece = read_one(folder.open()?, read).map_err(|error| folder.failed(error))?;
        self.next = self.next.checked_add(1).ok_or_else(too_large)?;
        self.offset = self.offset.checked_add(len).ok_or_else(too_large)?;
        Ok(Some(piece.bytes))
    }

    /// The run that is being read.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the error for a block that differs from what was written.
    #[must_use]
    pub fn damaged(&self) -> CellsError {
        CellsError::Spilled {
            folder: self.run.folder.name(),
            key: self.run.key.clone(),
        }
    }
}

#[track_caller]
fn no_run() -> CellsError {
    Bug::new("runs are merged that are not there").into()
}

/// Runs in order of age: of equal items, those of earlier runs come first.
#[derive(Debug)]
pub struct Runs {
    session: Session,
    folder: SpillFolder,
    /// Prefix of the keys of these runs.
    prefix: String,
    /// Number of runs made so far; the number of the next run in its key.
    made: u64,
    /// Maximum memory in bytes for the blocks that are merged at a time.
    memory: u64,
    runs: Vec<Run>,
}

impl Runs {
    /// Creates an empty list of runs in the session's temporary folder; `None` if it has none. The blocks that are
    /// merged at a time take at most `memory` bytes together, unless single items are larger.
    #[must_use]
    pub fn new(session: &Session, memory: u64) -> Option<Self> {
        let folder = session.spill()?.clone();
        // Hash map keys are seeded at random, so other processes get other prefixes.
        let random = || RandomState::new().build_hasher().finish();
        Some(Self {
            session: session.clone(),
            folder,
            prefix: format!("sort-{:016x}{:016x}", random(), random()),
            made: 0,
            memory,
            runs: Vec::new(),
        })
    }

    /// Whether there are no runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Recommended size of a block, in bytes.
    #[must_use]
    pub fn block_bytes(&self) -> usize {
        let share = self.memory.checked_div(MOST_MERGED as u64);
        let block = share.map_or(*BLOCK.start(), |share| {
            share.clamp(*BLOCK.start(), *BLOCK.end())
        });
        usize::try_from(block).unwrap_or(1 << 20)
    }

    /// Adds a run, which `fill` writes. As soon as 32 runs have been merged equally often, `merge` merges them into
    /// one: it gets readers of adjacent runs, and must write their items in order.
    ///
    /// Each run has a level, the number of merges behind it. Only runs of equal level are merged, so an item is merged
    /// once more only when there are 32 times as many runs, and the number of open runs stays small.
    ///
    /// # Errors
    /// Errors of the temporary folder, of `fill` and of `merge`.
    pub fn add<E: From<CellsError>>(
        &mut self,
        fill: impl FnOnce(&mut RunWriter) -> Result<(), E>,
        mut merge: impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut run = self.begin()?;
        fill(&mut run)?;
        self.runs.push(run.finish(0)?);
        while let Some(last) = self.runs.last() {
            let alike = self
                .runs
                .iter()
                .rev()
                .take_while(|run| run.level == last.level)
                .count();
            if alike < MOST_MERGED {
                break;
            }
            let first = self.place_from_end(alike)?;
            self.reduce(first, self.fan_in(first), 1, &mut merge)?;
        }
        Ok(())
    }

    /// Merges runs until one block of each fits in memory; returns readers of the remaining runs.
    ///
    /// # Errors
    /// Errors of the temporary folder and of `merge`.
    pub fn finish<E: From<CellsError>>(
        mut self,
        mut merge: impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<Vec<RunReader>, E> {
        let most = self.fan_in(0);
        self.reduce(0, most, most, &mut merge)?;
        let runs = std::mem::take(&mut self.runs);
        Ok(runs.into_iter().map(|run| self.reader(run)).collect())
    }

    /// Number of runs, from `first` on, that can be merged at a time: at least 2, however large their items are.
    fn fan_in(&self, first: usize) -> usize {
        let runs = self.runs.iter().skip(first);
        let largest = runs.map(Run::largest_block).max().unwrap_or(0);
        match self.memory.checked_div(largest).map(usize::try_from) {
            Some(Ok(most)) => most.clamp(2, MOST_MERGED),
            // The runs are empty, or their blocks so small that any number fits.
            _ => MOST_MERGED,
        }
    }

    /// Merges the runs from `first` on, at most `fan_in` at a time, until at most `most` are left.
    fn reduce<E: From<CellsError>>(
        &mut self,
        first: usize,
        fan_in: usize,
        most: usize,
        merge: &mut impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let count = self.runs.iter().skip(first).count();
            let Some(more) = count.checked_sub(most).filter(|more| *more > 0) else {
                return Ok(());
            };
            // Merging only the last few may be enough; otherwise all runs are merged once.
            let mut at = if more < fan_in {
                let before = self.place_from_end(more)?;
                before.checked_sub(1).ok_or_else(no_run)?
            } else {
                first
            };
            loop {
                let left = self.runs.iter().skip(at).count();
                if left < 2 {
                    break;
                }
                self.merge_some(at, left.min(fan_in), merge)?;
                at = at.checked_add(1).ok_or_else(no_run)?;
            }
        }
    }

    /// Place of the first of the last `number` runs.
    fn place_from_end(&self, number: usize) -> Result<usize, CellsError> {
        let place = self.runs.len().checked_sub(number);
        place.ok_or_else(no_run)
    }

    /// Merges `number` runs from `at` on into one, which takes their place.
    fn merge_some<E: From<CellsError>>(
        &mut self,
        at: usize,
        number: usize,
        merge: &mut impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut merged = self.begin()?;
        let behind = self.runs.get(at..).map_or(0, <[Run]>::len);
        if number > behind {
            return Err(no_run().into());
        }
        let mut parts = self.runs.split_off(at);
        let others = parts.split_off(number);
        self.runs.extend(others);
        let items = parts
            .iter()
            .map(Run::items)
            .try_fold(0_u64, u64::checked_add)
            .ok_or_else(|| CellsError::from(too_large()))?;
        let level = parts.iter().map(|run| run.level).max().unwrap_or(0);
        let readers = parts.into_iter().map(|run| self.reader(run)).collect();
        merge(readers, &mut merged)?;
        if merged.items > items {
            let bug = Bug::new("a merge that gave more items than there were");
            return Err(CellsError::from(bug).into());
        }
        let level = level.exact_add(1).map_err(CellsError::from)?;
        self.runs.insert(at, merged.finish(level)?);
        Ok(())
    }

    fn reader(&self, run: Run) -> RunReader {
        RunReader {
            session: self.session.clone(),
            run,
            next: 0,
            offset: 0,
            held: None,
        }
    }

    fn begin(&mut self) -> Result<RunWriter, CellsError> {
        let key = format!("{}-{}", self.prefix, self.made);
        self.made = self.made.exact_add(1)?;
        let object = self.folder.open()?.create(&key);
        Ok(RunWriter {
            session: self.session.clone(),
            object: object.map_err(|error| self.folder.failed(error))?,
            folder: self.folder.clone(),
            key,
            items: 0,
            blocks: Vec::new(),
        })
    }
}
