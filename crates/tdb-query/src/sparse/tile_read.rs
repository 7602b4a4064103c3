//! Reads tiles in the order in which fragments store them, or all at once; a batch of tiles passes through [`Stage`]s.

use tdb_cells::{Batch, CellTable};
use tdb_tile::{Bug, Exact};

use super::batch_tiles::TileChoice;
use super::cursors::Cursors;
use super::merge_position::MergePosition;
use super::output::Output;
use super::plan::SparsePlan;
use super::planned_read::{MOST_ROWS, PlannedRead};
use super::portions::Portions;
use super::rows::Rows;
use super::slab_beginning::SlabBeginning;
use super::stages::{NextStage, Stage};
use super::step::SparseStep;
use super::waiting_cells::Selection;
use super::whole_tile_search::WholeTileSearch;
use crate::QueryError;
use crate::piece::DecodedCells;

/// The requested cells are few if there are at least FEW times as many.
const FEW: u64 = 16;

/// Read of a sparse array that takes tiles as [`Cursors`] choose them.
#[derive(Debug)]
pub(super) struct TileRead {
    pub(super) cursors: Cursors,
    /// Desired weight of the tiles of a batch, if less than the maximum.
    share: u64,
    progress: BatchProgress,
    pub(super) sequence: CellSequence,
    /// Search for tiles to copy; `None` before the first.
    pub(super) copying: Option<WholeTileSearch>,
}

/// How the cells of tiles become the next cells of the result.
#[derive(Debug)]
pub(super) enum CellSequence {
    /// They are not sorted. With portions, they are taken out of the tiles as soon as the bytes are there.
    Stored(Option<Portions>),
    /// They are sorted, and merged with those of earlier tiles.
    Merged(MergePosition),
}

impl CellSequence {
    /// True if there are cells of the result in memory.
    fn has_cells(&self) -> bool {
        match self {
            Self::Stored(portions) => portions.as_ref().is_some_and(|cells| !cells.is_empty()),
            Self::Merged(position) => position.carried.is_some(),
        }
    }

    /// Returns the cells that were loaded for a later batch.
    fn carried(&self) -> Option<&CellTable> {
        match self {
            Self::Stored(_) => None,
            Self::Merged(position) => position.carried.as_ref(),
        }
    }

    fn carried_bytes(&self) -> u64 {
        self.carried().map_or(0, CellTable::bytes_held)
    }
}

/// How far the next batch of tiles has come.
#[derive(Debug)]
enum BatchProgress {
    /// No piece is outstanding.
    Between,
    /// A piece was returned; its cells are for this stage.
    Waiting(Stage),
    /// The decoded piece has come back.
    Loaded(Stage, CellTable),
    /// A piece was returned: portions of tiles.
    TakingOut,
}

/// Result of a step.
#[derive(Debug)]
pub(super) enum TileStep {
    /// The next step of the read; `None` if a later one will return something.
    Next(Option<SparseStep>),
    /// The rest of the result must be read in slabs.
    Slabs(SlabBeginning),
}

impl TileRead {
    pub(super) fn new(read: &PlannedRead) -> Result<Self, QueryError> {
        Ok(Self {
            cursors: Cursors::new(&read.array, read.supply())?,
            share: match read.plan.request.limit {
                u64::MAX => u64::MAX,
                limit => read.weights.of_rows(limit.max(1)),
            },
            progress: BatchProgress::Between,
            sequence: if read.plan.sorts {
                CellSequence::Merged(MergePosition::default())
            } else {
                CellSequence::Stored(None)
            },
            copying: None,
        })
    }

    /// Lets the read take cells out of a portion of the tiles at a time, if nothing else has to be done with them.
    pub(super) fn load_in_portions(&mut self, plan: &SparsePlan) {
        if let CellSequence::Stored(portions) = &mut self.sequence
            && plan.takes_out()
        {
            portions.get_or_insert_default();
        }
    }

    /// True if no piece is outstanding, and no cells of the result are in memory.
    pub(super) fn is_between_batches(&self) -> bool {
        !self.sequence.has_cells() && matches!(self.progress, BatchProgress::Between)
    }

    /// Goes on, with the piece that has come back or with the next tiles.
    pub(super) fn step(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
    ) -> Result<TileStep, QueryError> {
        match std::mem::replace(&mut self.progress, BatchProgress::Between) {
            BatchProgress::Between => self.begin(read, output),
            BatchProgress::Loaded(stage, table) => {
                Ok(TileStep::Next(self.go_on(read, output, stage, table)?))
            }
            BatchProgress::Waiting(_) | BatchProgress::TakingOut => {
                Err(Bug::new("a piece that was given out has not come back").into())
            }
        }
    }

    /// Accepts the decoded cells of the piece that was returned last.
    pub(super) fn take(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        cells: DecodedCells,
    ) -> Result<(), QueryError> {
        let progress = std::mem::replace(&mut self.progress, BatchProgress::Between);
        match (progress, &mut self.sequence, cells) {
            (BatchProgress::Waiting(stage), _, DecodedCells::Table(table)) => {
                self.progress = BatchProgress::Loaded(stage, table);
                Ok(())
            }
            (
                BatchProgress::TakingOut,
                CellSequence::Stored(Some(portions)),
                DecodedCells::Portions(tables, weight),
            ) => portions.take_out(read, output, tables, weight),
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        }
    }

    /// Chooses the next tiles.
    fn begin(&mut self, read: &PlannedRead, output: &mut Output) -> Result<TileStep, QueryError> {
        let most = read.most_of_batch();
        let mut at_a_time = most;
        if let CellSequence::Stored(Some(portions)) = &mut self.sequence {
            if output.tally.is_none()
                && let Some(work) = portions.next(read, &mut self.cursors)?
            {
                self.progress = BatchProgress::TakingOut;
                return Ok(TileStep::Next(Some(SparseStep::Work(work.into()))));
            }
            if portions.give(read, output)? {
                return Ok(TileStep::Next(None));
            }
            at_a_time = Portions::staged_at_a_time(read);
        }
        let share = self.share.min(at_a_time);
        let is_much = self.cursors.left() > most || self.wants_few(&read.plan);
        if !read.plan.can_stop() && is_much {
            return Ok(self.end_with_slabs());
        }
        let supply = read.supply();
        let carried = self.sequence.carried();
        let chosen = self.cursors.choose(supply, share, carried)?;
        if chosen.is_empty() {
            return Ok(TileStep::Next(Some(SparseStep::Done)));
        }
        if read.plan.sorts && chosen.weight > share && !self.fits(read, &chosen)? {
            // Not even one tile of each fragment fits.
            return Ok(self.end_with_slabs());
        }
        self.cursors.advance(supply, &chosen)?;
        let mut table = read.table(chosen.segments(supply)?)?;
        let next = read.plan.first_stage(&mut table);
        Ok(TileStep::Next(self.enter(read, output, next, table)?))
    }

    /// True if the requested cells are a small part of those that would have to be sorted as a whole. Not with a
    /// condition: the number of cells that it leaves is unknown, and slabs load all fields of the cells that they
    /// examine.
    fn wants_few(&self, plan: &SparsePlan) -> bool {
        let has_condition = plan.request.condition.is_some();
        !has_condition && self.share <= self.cursors.left() / FEW
    }

    /// True if there is memory for tiles that are heavier than a batch should be.
    fn fits(&self, read: &PlannedRead, chosen: &TileChoice) -> Result<bool, Bug> {
        // Cells that are in memory are counted already.
        let fresh = chosen.weight.exact_sub(self.sequence.carried_bytes())?;
        let Some(room) = read.budget().left().checked_sub(fresh) else {
            return Ok(false);
        };
        let of_thread = u128::from(room).checked_div(read.session.threads() as u128);
        let decodes = of_thread.is_some_and(|room| chosen.decoding <= room);
        Ok(decodes && chosen.rows <= MOST_ROWS)
    }

    /// Leaves the rest of the result to slabs. Cells in memory that were not returned are read again.
    fn end_with_slabs(&mut self) -> TileStep {
        let reached = match &mut self.sequence {
            CellSequence::Stored(_) => None,
            CellSequence::Merged(position) => std::mem::take(position).reached,
        };
        let copying = self.copying.take();
        TileStep::Slabs(SlabBeginning {
            reached,
            taken: copying.map_or_else(Default::default, |search| search.taken),
            share: self.share,
        })
    }

    /// Loads the fields of a stage, or goes on if they are loaded already.
    fn enter(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        next: NextStage,
        table: CellTable,
    ) -> Result<Option<SparseStep>, QueryError> {
        let NextStage { stage, fields } = next;
        if fields.iter().all(|&field| table.has(field)) {
            return self.go_on(read, output, stage, table);
        }
        self.progress = BatchProgress::Waiting(stage);
        Ok(Some(SparseStep::Work(read.piece(table, &fields)?)))
    }

    /// Continues with loaded tiles, by their stage.
    fn go_on(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        stage: Stage,
        mut table: CellTable,
    ) -> Result<Option<SparseStep>, QueryError> {
        let PlannedRead {
            session,
            array,
            plan,
            ..
        } = read;
        let next = match stage {
            Stage::Cutting => plan.stage_of_cut(&mut table),
            Stage::Deciding => {
                let is_counted = output.tally.is_some();
                let selection = session.install_for(table.bytes_held(), || {
                    plan.choose(session, array, &mut table, is_counted)
                })?;
                plan.stage_of_selected(selection)
            }
            Stage::Whole(selection) => {
                let batch = self.merge(read, output, table, selection)?;
                return Ok(batch.map(SparseStep::Batch));
            }
        };
        self.enter(read, output, next, table)
    }

    /// Merges new cells with the rest of the previous batch; returns those that are known to be next, and keeps the
    /// rest.
    fn merge(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        table: CellTable,
        selection: Option<Selection>,
    ) -> Result<Option<Batch>, QueryError> {
        // With a limit, the first batch was small; later ones grow.
        self.share = self.share.saturating_mul(2);
        let rows = match selection {
            Some(selection) if selection.is_final => {
                return output.finish_selected(read, table, selection.rows);
            }
            selection => selection.map(|selection| selection.rows),
        };
        let bytes = table
            .bytes_held()
            .exact_add(self.sequence.carried_bytes())?;
        let picked = read
            .session
            .install_for(bytes, || self.pick(read, table, rows))?;
        match picked {
            Some((table, rows)) => output.finish(read, table, rows),
            None => Ok(None),
        }
    }

    /// Returns the next cells in the order of the result; `None` if none is known to be next.
    fn pick(
        &mut self,
        read: &PlannedRead,
        table: CellTable,
        selected: Option<Rows>,
    ) -> Result<Option<(CellTable, Rows)>, QueryError> {
        let rows = match selected {
            Some(rows) => rows,
            None => read.plan.select(&table)?,
        };
        let CellSequence::Merged(position) = &mut self.sequence else {
            return Ok(Some((table, rows)));
        };
        let mut frontier = None;
        if read.plan.can_stop() {
            self.cursors.note_last(&read.plan, &table)?;
            frontier = self.cursors.frontier(read.supply())?;
        }
        position.advance(read, table, rows, frontier)
    }
}
