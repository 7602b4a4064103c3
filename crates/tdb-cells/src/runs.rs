//! Sorted runs in the temporary folder: what memory cannot hold is sorted part by part, and the parts are merged.
//!
//! What a run holds is up to whoever writes it: blocks of items in order. How blocks are merged is, too; here it is known how many
//! runs are merged at a time, and when.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use bytes::Bytes;
use tdb_store::{ObjectWriter, Read, read_one};
use tdb_tile::{Bug, Grant};

use crate::spill_folder::SpillFolder;
use crate::{CellsError, Session};

/// The most runs that are merged at a time.
pub const MOST_MERGED: usize = 32;

/// Bytes of a block, at least and at most, unless one item takes more.
const BLOCK: std::ops::RangeInclusive<u64> = 4 << 10..=1 << 20;

/// A run: an object in the temporary folder, which is removed when this is dropped.
#[derive(Debug)]
pub struct Run {
    folder: SpillFolder,
    key: String,
    /// How often its items were merged.
    level: u32,
    items: u64,
    /// Bytes of each block.
    blocks: Vec<u64>,
}

impl Run {
    /// How many items it holds.
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

/// A run in the making: it is removed if it is not finished.
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
    /// Writes the next block, which holds this number of items.
    ///
    /// # Errors
    /// As the temporary folder reports; [`CellsError::Cancelled`].
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

/// Reads a run block by block, and removes it once it is dropped.
#[derive(Debug)]
pub struct RunReader {
    session: Session,
    run: Run,
    next: usize,
    offset: u64,
    /// The memory of the block that was read last.
    held: Option<Grant>,
}

impl RunReader {
    /// Reads the next block; its memory counts until the one after it is read.
    ///
    /// # Errors
    /// As the temporary folder reports; more than the memory of the session; [`CellsError::Cancelled`].
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

    /// The run that is read.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// That a block is not what was written.
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

/// Runs, in an order that tells which of equal items come first: those of earlier runs.
#[derive(Debug)]
pub struct Runs {
    session: Session,
    folder: SpillFolder,
    /// What the keys of these runs begin with.
    prefix: String,
    /// Runs made so far, which their keys count.
    made: u64,
    /// Bytes that the blocks may take that are merged.
    memory: u64,
    runs: Vec<Run>,
}

impl Runs {
    /// No runs yet, in the temporary folder of the session, if it has one. The blocks that are merged take at most `memory` bytes
    /// together, unless single items are larger.
    #[must_use]
    pub fn new(session: &Session, memory: u64) -> Option<Self> {
        let folder = session.spill()?.clone();
        // Keys of a hash map are seeded at random: other processes have other prefixes.
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

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Bytes of a block, about.
    #[must_use]
    pub fn block_bytes(&self) -> usize {
        let block = self.memory.checked_div(MOST_MERGED as u64);
        let block = block.unwrap_or(0).clamp(*BLOCK.start(), *BLOCK.end());
        usize::try_from(block).unwrap_or(1 << 20)
    }

    /// Adds a run, which `fill` writes. Runs that were merged as often are merged by `merge` once they are many, so that each item is
    /// merged once more for 32 times the runs: it is given readers of runs beside each other, and writes what they hold, in order.
    ///
    /// # Errors
    /// As the temporary folder reports; those of `fill` and of `merge`.
    pub fn add<E: From<CellsError>>(
        &mut self,
        fill: impl FnOnce(&mut RunWriter) -> Result<(), E>,
        mut merge: impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut run = self.begin()?;
        fill(&mut run)?;
        self.runs.push(run.finish(0)?);
        while let Some(last) = self.runs.last() {
            let alike = self.runs.iter().rev();
            let alike = alike.take_while(|run| run.level == last.level).count();
            if alike < MOST_MERGED {
                break;
            }
            let first = self.place_from_end(alike)?;
            self.reduce(first, self.fan_in(first), 1, &mut merge)?;
        }
        Ok(())
    }

    /// Merges runs until blocks of all can be in memory together; gives their readers.
    ///
    /// # Errors
    /// As for [`Runs::add`].
    pub fn finish<E: From<CellsError>>(
        mut self,
        mut merge: impl FnMut(Vec<RunReader>, &mut RunWriter) -> Result<(), E>,
    ) -> Result<Vec<RunReader>, E> {
        let most = self.fan_in(0);
        self.reduce(0, most, most, &mut merge)?;
        let runs = std::mem::take(&mut self.runs);
        Ok(runs.into_iter().map(|run| self.reader(run)).collect())
    }

    /// How many of the runs from this one on can be merged at a time: two, however large their items are.
    fn fan_in(&self, first: usize) -> usize {
        let runs = self.runs.iter().skip(first);
        let largest = runs.map(Run::largest_block).max().unwrap_or(0);
        match self.memory.checked_div(largest).map(usize::try_from) {
            Some(Ok(most)) => most.clamp(2, MOST_MERGED),
            // They have no items, or so few that any number fits.
            _ => MOST_MERGED,
        }
    }

    /// Merges the runs from `first` on, at most `fan_in` at a time, until they are at most `most`.
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
            // Merging a few of the last may do; else all are merged once.
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

    /// The place of the first one of the last runs, of this number.
    fn place_from_end(&self, number: usize) -> Result<usize, CellsError> {
        let place = self.runs.len().checked_sub(number);
        place.ok_or_else(no_run)
    }

    /// Merges a number of runs from this one on into one, which takes their place.
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
        let mut items = parts.iter().map(Run::items);
        let items = items.try_fold(0_u64, u64::checked_add);
        let items = items.ok_or_else(|| CellsError::from(too_large()))?;
        let level = parts.iter().map(|run| run.level).max().unwrap_or(0);
        let readers = parts.into_iter().map(|run| self.reader(run)).collect();
        merge(readers, &mut merged)?;
        if merged.items > items {
            let bug = Bug::new("a merge that gave more items than there were");
            return Err(CellsError::from(bug).into());
        }
        self.runs
            .insert(at, merged.finish(level.saturating_add(1))?);
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
        self.made = self.made.saturating_add(1);
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
