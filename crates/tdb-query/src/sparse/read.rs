//! State machine of a sparse read.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use tdb_array::{PartsToOpen, Snapshot};
use tdb_cells::{Batch, CellTable, Segment, Session};
use tdb_schema::FieldKind;
use tdb_store::Read;
use tdb_tile::{Bug, Grant};

use super::chosen::Chosen;
use super::collected::Collected;
use super::cursors::{Cursors, Frontier};
use super::first_cell::FirstCell;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::planned_tiles::PlannedTiles;
use super::ready::{Ready, Selected};
use super::rows::Rows;
use super::slabs::Slabs;
use super::stages::{NextStage, Stage};
use super::tally::Tally;
use super::weights::{SORTED_ROW, Supply, Weights};
use crate::piece::{DecodedCells, Piece};
use crate::table_work::TableWork;
use crate::{ChosenTiles, QueryError};

/// The requested cells are few if there are at least FEW times as many.
const FEW: u64 = 16;

/// Maximum number of rows of a table.
const MOST_ROWS: u64 = u32::MAX as u64;

/// Read of a sparse array whose tiles are known.
#[derive(Debug)]
pub(crate) struct SparseRead {
    pub(super) session: Session,
    pub(super) array: Arc<Snapshot>,
    pub(super) plan: Arc<SparsePlan>,
    pub(super) tiles: Arc<PlannedTiles>,
    pub(super) weights: Weights,
    pub(super) cursors: Cursors,
    /// Next cells of the fragments whose tiles may be copied, once they were examined.
    pub(super) firsts: Option<BinaryHeap<FirstCell>>,
    /// End of the tiles of each fragment that were returned for copying; all tiles before it are done.
    pub(super) taken: HashMap<PlanIndex, usize>,
    /// End of the run of full tiles from the next tile of a fragment on, if it was determined.
    pub(super) full_until: HashMap<PlanIndex, usize>,
    state: State,
    /// Rest of a result that does not fit in memory and is not stored in its order.
    pub(super) slabs: Option<Slabs>,
    /// Metadata parts needed to go on in slabs, while they are fetched.
    pub(super) needs: Option<PartsToOpen>,
    /// Position in the order of the result; the cells before it were returned.
    pub(super) reached: Option<Frontier>,
    /// Cells that were loaded and come after those that were returned.
    pub(super) carried: Option<CellTable>,
    /// Cells of the result that are in memory and were not returned yet.
    pub(super) ready: Ready,
    /// Desired weight of the tiles of a batch, if less than the maximum.
    share: u64,
    /// Whether cells may be taken out of tiles as soon as the bytes are there.
    pub(super) in_portions: bool,
    pub(super) collected: Collected,
    /// Numbers of cells, if they are counted instead of returned.
    pub(super) tally: Option<Tally>,
    /// Grants for the batch that was returned last.
    pub(super) held: Vec<Grant>,
}

/// Result of a step.
#[derive(Debug)]
pub(crate) enum SparseStep {
    /// Byte ranges of R-trees, which give the bounds of tiles.
    Need(Vec<Read>),
    Work(Piece),
    Batch(Batch),
    Done,
}

#[derive(Debug)]
enum State {
    /// No piece is outstanding.
    Between,
    /// A piece was returned; its cells are for this stage.
    Waiting(Stage),
    /// The decoded piece has come back.
    Loaded(Stage, CellTable),
    /// A piece was returned: portions of tiles.
    TakingOut,
}

impl SparseRead {
    pub(crate) fn new(
        session: Session,
        array: Arc<Snapshot>,
        plan: SparsePlan,
        tiles: PlannedTiles,
    ) -> Result<Self, QueryError> {
        let weights = Weights::new(&plan);
        let supply = Supply::new(&plan, &tiles, &weights, &session);
        let cursors = Cursors::new(&array, supply)?;
        let share = match plan.request.limit {
            u64::MAX => u64::MAX,
            limit => weights.of_rows(limit.max(1)),
        };
        Ok(Self {
            session,
            array,
            plan: Arc::new(plan),
            tiles: Arc::new(tiles),
            weights,
            cursors,
            firsts: None,
            taken: HashMap::new(),
            full_until: HashMap::new(),
            state: State::Between,
            slabs: None,
            needs: None,
            reached: None,
            carried: None,
            ready: Ready::default(),
            share,
            in_portions: false,
            collected: Collected::default(),
            tally: None,
            held: Vec::new(),
        })
    }

    /// Returns what tiles are chosen from.
    pub(super) fn supply(&self) -> Supply<'_> {
        Supply::new(&self.plan, &self.tiles, &self.weights, &self.session)
    }

    /// Returns the tiles that are read.
    pub(crate) fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        Ok(self.plan.chosen_tiles(&self.tiles)?)
    }

    /// Counts cells instead of returning them; the condition drops none.
    pub(crate) fn count(&mut self) {
        self.tally.get_or_insert_default();
    }

    /// Returns the numbers of cells counted so far.
    pub(crate) fn tally(&self) -> Result<Tally, QueryError> {
        // A count of zero would let a delete take cells that it must not.
        let lost = || Bug::new("the cells that were counted are lost");
        Ok(self.tally.ok_or_else(lost)?)
    }

    /// Returns the next step: ranges to fetch, a piece to decode, a batch, or the end.
    pub(crate) fn next(&mut self) -> Result<SparseStep, QueryError> {
        self.held.clear();
        loop {
            if let Some(batch) = self.next_ready()? {
                return Ok(SparseStep::Batch(batch));
            }
            let step = match std::mem::replace(&mut self.state, State::Between) {
                State::Between => self.begin()?,
                State::Loaded(stage, table) => self.go_on(stage, table)?,
                State::Waiting(_) | State::TakingOut => {
                    return Err(Bug::new("a piece that was given out has not come back").into());
                }
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Accepts the decoded cells of the piece that was returned last.
    pub(crate) fn take(&mut self, cells: DecodedCells) -> Result<(), QueryError> {
        match (std::mem::replace(&mut self.state, State::Between), cells) {
            (State::Waiting(stage), DecodedCells::Table(table)) => {
                self.state = State::Loaded(stage, table);
                Ok(())
            }
            (State::TakingOut, DecodedCells::Portions(tables, weight)) => {
                self.take_out(tables, weight)
            }
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        }
    }

    /// Chooses the next tiles.
    fn begin(&mut self) -> Result<Option<SparseStep>, QueryError> {
        let most = self.most();
        if let Some(slabs) = &mut self.slabs {
            // The first slab has about as many cells as are requested; if a condition or a delete leaves fewer,
            // larger ones follow.
            let share = self.share;
            self.share = share.saturating_mul(2);
            return match slabs.begin(share, most, self.session.counters()) {
                Some(slab) => self.next_chunk(slab),
                None => Ok(Some(SparseStep::Done)),
            };
        }
        if let Some(work) = self.next_portions()? {
            self.state = State::TakingOut;
            return Ok(Some(SparseStep::Work(work.into())));
        }
        if !self.collected.parts.is_empty() {
            self.give_collected()?;
            return Ok(None);
        }
        let share = self.share.min(self.staged_at_a_time());
        let is_much = self.cursors.left() > most || self.wants_few();
        if !self.plan.can_stop() && is_much {
            return self.go_on_in_slabs();
        }
        let supply = Supply::new(&self.plan, &self.tiles, &self.weights, &self.session);
        let chosen = self.cursors.choose(supply, share, self.carried.as_ref())?;
        if chosen.is_empty() {
            return Ok(Some(SparseStep::Done));
        }
        if self.plan.sorts && chosen.weight > share && !self.fits(&chosen) {
            // Not even one tile of each fragment fits.
            return self.go_on_in_slabs();
        }
        self.cursors.advance(supply, &chosen)?;
        let segments = chosen.segments(supply)?;
        let mut table = self.table(segments)?;
        let next = self.plan.first_stage(&mut table);
        self.enter(next, table)
    }

    /// Loads the fields of a stage, or goes on if they are loaded already.
    fn enter(
        &mut self,
        (stage, fields): NextStage,
        table: CellTable,
    ) -> Result<Option<SparseStep>, QueryError> {
        if fields.iter().all(|&field| table.has(field)) {
            return self.go_on(stage, table);
        }
        Ok(Some(self.load(table, &fields, stage)))
    }

    /// Returns the maximum weight of the tiles of a batch, so that they and what is made of them fit in memory.
    ///
    /// If cells must be sorted as a whole, a batch may be a part of them; otherwise a batch is what was loaded.
    pub(super) fn most(&self) -> u64 {
        let memory = self.session.limits().budget.limit() / 2;
        let rows = self.weights.of_rows(MOST_ROWS / 2);
        let most = memory.min(rows).max(1);
        if self.plan.can_stop() && self.slabs.is_none() {
            return most.min(self.plan.request.batch_bytes.max(1));
        }
        most
    }

    /// True if the requested cells are a small part of those that would have to be sorted as a whole. Not with a
    /// condition: the number of cells that it leaves is unknown, and slabs load all fields of the cells that they
    /// examine.
    fn wants_few(&self) -> bool {
        let has_condition = self.plan.request.condition.is_some();
        !has_condition && self.share.saturating_mul(FEW) <= self.cursors.left()
    }

    /// True if there is memory for tiles that are heavier than a batch should be.
    fn fits(&self, chosen: &Chosen) -> bool {
        let threads = self.session.threads() as u64;
        let beside = chosen.decoding.saturating_mul(threads);
        // Cells that are in memory are counted already.
        let carried = self.carried.as_ref().map_or(0, CellTable::bytes_held);
        let wanted = chosen.weight.saturating_sub(carried).saturating_add(beside);
        wanted <= self.session.limits().budget.left() && chosen.rows <= MOST_ROWS
    }

    /// Creates an empty table of these tiles.
    pub(super) fn table(&self, segments: Vec<Segment>) -> Result<CellTable, QueryError> {
        self.plan.table(segments, &self.session.limits().budget)
    }

    /// Returns a piece that loads those of the fields that the table lacks.
    pub(super) fn piece(&self, table: CellTable, fields: &[FieldKind]) -> Piece {
        let lacking = fields.iter().copied().filter(|&field| !table.has(field));
        let mut later = self.plan.uncut(self.plan.fields());
        later.retain(|field| !table.has(*field) && !fields.contains(field));
        let work = TableWork {
            schema: Arc::clone(&self.plan.schema),
            tiles: Arc::clone(&self.tiles),
            fields: lacking.collect(),
            later,
            weight: self.tiles.weight(&table, self.weights.sizes()),
            table,
        };
        work.into()
    }

    pub(super) fn load(
        &mut self,
        table: CellTable,
        fields: &[FieldKind],
        stage: Stage,
    ) -> SparseStep {
        self.state = State::Waiting(stage);
        SparseStep::Work(self.piece(table, fields))
    }

    /// Continues with loaded tiles, by their stage.
    fn go_on(
        &mut self,
        stage: Stage,
        mut table: CellTable,
    ) -> Result<Option<SparseStep>, QueryError> {
        match stage {
            Stage::Cutting => {
                let next = self.plan.stage_of_cut(&mut table);
                self.enter(next, table)
            }
            Stage::Deciding => {
                let (session, is_counted) = (&self.session, self.tally.is_some());
                let selected = session.install_for(table.bytes_held(), || {
                    let with = (session, &*self.array);
                    self.plan.choose(with, &mut table, is_counted)
                })?;
                let next = self.plan.stage_of_selected(selected);
                self.enter(next, table)
            }
            Stage::Whole(selected) => self.merge(table, selected),
            Stage::Slab(mut slab) => {
                let (plan, session) = (&self.plan, &self.session);
                let budget = &session.limits().budget;
                session.install_for(table.bytes_held(), || {
                    let rows = plan.select(&table)?;
                    slab.add(plan, &self.weights, &table, rows, budget)
                })?;
                drop(table);
                self.next_chunk(*slab)
            }
        }
    }

    /// Merges new cells with the rest of the previous batch; returns those that are known to be next, and keeps the
    /// rest.
    fn merge(
        &mut self,
        table: CellTable,
        selected: Option<Selected>,
    ) -> Result<Option<SparseStep>, QueryError> {
        // With a limit, the first batch was small; later ones grow.
        self.share = self.share.saturating_mul(2);
        if let Some(selected) = selected.as_ref().filter(|s| s.is_final) {
            return self.finish(table, selected.rows.clone(), true);
        }
        let session = self.session.clone();
        let rows = selected.map(|selected| selected.rows);
        let carried = self.carried.as_ref().map_or(0, CellTable::bytes_held);
        let bytes = table.bytes_held().saturating_add(carried);
        match session.install_for(bytes, || self.pick(table, rows))? {
            Some((table, rows)) => self.finish(table, rows, false),
            None => Ok(None),
        }
    }

    /// Returns the next cells in the order of the result; `None` if none is known to be next.
    fn pick(
        &mut self,
        mut table: CellTable,
        selected: Option<Rows>,
    ) -> Result<Option<(CellTable, Rows)>, QueryError> {
        let budget = self.session.limits().budget.clone();
        let mut rows = match selected {
            Some(rows) => rows,
            None => self.plan.select(&table)?,
        };
        if !self.plan.sorts {
            return Ok(Some((table, rows)));
        }
        let mut frontier = None;
        if self.plan.can_stop() {
            self.cursors.note_last(&self.plan, &table)?;
            let supply = Supply::new(&self.plan, &self.tiles, &self.weights, &self.session);
            frontier = self.cursors.frontier(supply)?;
        }
        if let Some(carried) = self.carried.take() {
            if let Some(rows) = rows.take() {
                table = table.compact(&rows, &budget)?;
            }
            table = CellTable::concat(vec![carried, table], &budget)?;
        }
        let _sorted = budget.take(SORTED_ROW.saturating_mul(table.rows().len() as u64))?;
        let (frontier, reached) = (frontier.as_ref(), self.reached.as_ref());
        let between = (reached, frontier);
        let (rows, behind) = self
            .plan
            .merge_between(&self.array, &table, rows, between)?;
        if let Some(frontier) = frontier {
            if !behind.is_empty() {
                self.carried = Some(table.compact(&behind, &budget)?);
            }
            if rows.is_empty() {
                return Ok(None);
            }
            self.reached = Some(frontier.clone());
        }
        Ok(Some((table, Some(rows))))
    }
}
