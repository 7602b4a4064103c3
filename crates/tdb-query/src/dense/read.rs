//! The state machine of a dense read.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::dense::Runs;
use tdb_cells::{Batch, CellSet, Session, TableColumn, gather, gather_set};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{FieldKind, Order};
use tdb_tile::{Budget, Bug, Exact, Grant};

use super::bands::Bands;
use super::condition::{blank, evaluate};
use super::cutter::{BatchPart, Cutter, Room};
use super::plan::{DensePlan, LocatedPlan, all_fields};
use super::ruled_out::RuledOutRows;
use super::sparse_tiles::SparseTiles;
use super::walk::Walk;
use crate::QueryError;
use crate::options::{Failing, ResultOrder};
use crate::piece::{BandsWork, DecodedCells, Piece};
use crate::request::Request;

/// Columns that are collected for a batch.
type Columns = Vec<(FieldKind, TableColumn)>;

/// Read of a dense array whose tiles are located.
#[derive(Debug)]
pub(crate) struct DenseRead {
    session: Session,
    pub(crate) request: Request,
    pub(super) plan: Arc<DensePlan>,
    /// Sparse fragments whose cells are still to be read; they come before anything else.
    sparse: Vec<SparseTiles>,
    /// All fields to read, each once.
    fields: Vec<FieldKind>,
    pub(super) walk: Walk,
    state: State,
    /// Number of cells that are still wanted.
    left: u64,
    /// Number of cells of the result that failed the condition and have fill values.
    filled: u64,
    /// Grant for the batch that was returned last.
    pub(super) held: Option<Grant>,
}

/// Result of a step.
#[derive(Debug)]
pub(crate) enum DenseStep {
    Work(Piece),
    Batch(Batch),
    Done,
}

#[derive(Debug)]
enum State {
    /// No piece is outstanding.
    Between,
    /// A piece was returned: the cells of a sparse fragment.
    Sparse(SparseTiles),
    /// A piece was returned: columns of the bands of this batch, in addition to those that are here already.
    Waiting(Making),
    /// The decoded piece has come back.
    Loaded(Making),
}

/// Batch under construction.
#[derive(Debug)]
struct Making {
    bands: Arc<Bands>,
    columns: Columns,
    /// Rows that are ruled out before the condition is evaluated.
    ruled_out: RuledOutRows,
    /// Rows for which the condition holds; `None` until it is evaluated.
    keep: Option<CellSet>,
    /// Grant for the columns.
    held: Grant,
}

impl DenseRead {
    pub(crate) fn new(
        session: Session,
        request: Request,
        located: LocatedPlan,
    ) -> Result<Self, QueryError> {
        let LocatedPlan { plan, sparse, .. } = located;
        let read = Self::of_plan(session, plan, request)?;
        Ok(Self { sparse, ..read })
    }

    /// Creates a read of which all layers are known.
    fn of_plan(session: Session, plan: DensePlan, request: Request) -> Result<Self, QueryError> {
        let walk = walk(&plan.shape.grid, &plan.runs, &request)?;
        Ok(Self {
            session,
            fields: all_fields(&request),
            left: request.limit,
            request,
            plan: Arc::new(plan),
            sparse: Vec::new(),
            walk,
            state: State::Between,
            filled: 0,
            held: None,
        })
    }

    /// Returns a read of a part of the cells, of which `request` is the request. This read must be planned.
    pub(crate) fn part(&self, array: &Snapshot, request: Request) -> Result<Self, QueryError> {
        if !self.is_planned() {
            return Err(Bug::new("a part of a read whose layers are not known").into());
        }
        Self::of_plan(
            self.session.clone(),
            self.plan.part(array, &request)?,
            request,
        )
    }

    /// Returns the number of cells of the result so far that have fill values because they failed the condition.
    pub(crate) fn filled(&self) -> u64 {
        self.filled
    }

    /// Returns all fields to read, each once.
    pub(super) fn fields(&self) -> &[FieldKind] {
        &self.fields
    }

    /// Returns the memory budget of the session.
    pub(super) fn budget(&self) -> &Budget {
        &self.session.limits().budget
    }

    /// True if the cells of all sparse fragments are known, so that the layers are complete.
    pub(crate) fn is_planned(&self) -> bool {
        self.sparse.is_empty() && !matches!(self.state, State::Sparse(_))
    }

    /// Returns the next step: a piece to decode, a batch, or the end.
    pub(crate) fn next(&mut self) -> Result<DenseStep, QueryError> {
        self.held = None;
        loop {
            let step = match std::mem::replace(&mut self.state, State::Between) {
                State::Between => self.begin()?,
                State::Loaded(making) => self.go_on(making)?,
                State::Waiting(_) | State::Sparse(_) => {
                    return Err(Bug::new("a piece that was given out has not come back").into());
                }
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// Accepts the decoded cells of the piece that was returned last.
    pub(crate) fn take(&mut self, array: &Snapshot, cells: DecodedCells) -> Result<(), QueryError> {
        match (std::mem::replace(&mut self.state, State::Between), cells) {
            (State::Sparse(tiles), DecodedCells::Table(table)) => {
                let budget = &self.session.limits().budget;
                let (layer, tiles) = tiles.place(array, &self.plan.shape.grid, table, budget)?;
                let plan = Arc::get_mut(&mut self.plan)
                    .ok_or_else(|| Bug::new("a plan in use before it was made"))?;
                plan.add(layer, tiles);
                Ok(())
            }
            (State::Waiting(mut making), DecodedCells::Columns(columns)) => {
                making.columns.extend(columns);
                self.state = State::Loaded(making);
                Ok(())
            }
            // The values are already in the memory of the caller.
            (State::Waiting(_), DecodedCells::Written(_)) => Ok(()),
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        }
    }

    /// Returns the number of rows of the outstanding piece and the bytes of their values, if the result is just that:
    /// one field of fixed size that is never null, without a condition.
    pub(crate) fn next_values(&self) -> Option<(u64, usize)> {
        let (State::Waiting(making), None, [field]) =
            (&self.state, &self.request.condition, &*self.request.fields)
        else {
            return None;
        };
        let rows = making.bands.rows();
        let size = field.cell_size().filter(|_| !field.nullable)?;
        Some((rows as u64, rows.checked_mul(size)?))
    }

    /// Returns the byte ranges of the parts that follow, up to `most` bytes, as far as they are certain to be needed.
    pub(crate) fn ahead(&self, most: u64) -> Result<Vec<tdb_store::Read>, QueryError> {
        let (mut reads, mut bytes) = (Vec::new(), 0_u64);
        let mut walk = self.walk.clone();
        while bytes < most && self.request.limit == u64::MAX {
            let Some(part) = self.cutter().next(&mut walk, self.room())? else {
                break;
            };
            bytes = bytes.exact_add(part.bytes.max(1))?;
            let fields = self.first_fields();
            reads.extend(super::byte_ranges::reads_of(
                &self.plan,
                &part.bands,
                &fields,
            )?);
        }
        Ok(reads)
    }

    /// Begins the next sparse fragment or the next part of the result.
    fn begin(&mut self) -> Result<Option<DenseStep>, QueryError> {
        if let Some(tiles) = self.sparse.pop() {
            let piece = tiles.work(&self.plan.schema, &self.session)?.into();
            self.state = State::Sparse(tiles);
            return Ok(Some(DenseStep::Work(piece)));
        }
        let mut walk = self.walk.clone();
        let Some(part) = self.cutter().next(&mut walk, self.room())? else {
            return Ok(Some(DenseStep::Done));
        };
        let BatchPart { bands, bytes, rows } = part;
        let ruled_out = self.plan.ruled_out(&bands)?;
        if self.drops() && matches!(ruled_out, RuledOutRows::All) {
            self.walk = walk;
            return Ok(None);
        }
        let held = self.session.limits().budget.take(bytes)?;
        self.walk = walk;
        if !self.drops() {
            self.left -= rows.min(self.left);
        }
        let making = Making {
            bands: Arc::new(bands),
            columns: Vec::new(),
            ruled_out,
            keep: None,
            held,
        };
        Ok(Some(self.load(making, self.first_fields())))
    }

    /// Evaluates the condition once the tested fields are loaded, then loads the rest or returns the batch.
    fn go_on(&mut self, mut making: Making) -> Result<Option<DenseStep>, QueryError> {
        if let (Some(condition), None) = (&self.request.condition, &making.keep) {
            let (plan, columns) = (&self.plan, &mut making.columns);
            let keep = self.session.install_for(making.bands.bytes, || {
                evaluate(plan, &making.bands, condition, &making.ruled_out, columns)
            })?;
            let is_any = keep.count() > 0;
            making.keep = Some(keep);
            if !is_any && self.drops() {
                return Ok(None);
            }
            let has = |field: &FieldKind| making.columns.iter().any(|(other, _)| other == field);
            let fields = self.fields.iter().copied();
            let rest: Vec<FieldKind> = fields.filter(|field| !has(field)).collect();
            if !rest.is_empty() {
                return Ok(Some(self.load(making, rest)));
            }
        }
        let batch = self.batch(making)?;
        Ok(Some(DenseStep::Batch(batch)))
    }

    fn load(&mut self, making: Making, fields: Vec<FieldKind>) -> DenseStep {
        let mut later = self.fields.clone();
        later.retain(|field| {
            let is_here = making.columns.iter().any(|(here, _)| here == field);
            !is_here && !fields.contains(field)
        });
        let work = BandsWork {
            plan: Arc::clone(&self.plan),
            fields,
            later,
            bands: Arc::clone(&making.bands),
        };
        self.state = State::Waiting(making);
        DenseStep::Work(work.into())
    }

    /// Returns the fields to read first: those that the condition tests; all if there is no condition.
    fn first_fields(&self) -> Vec<FieldKind> {
        let Some(condition) = &self.request.condition else {
            return self.fields.clone();
        };
        let tested: Vec<FieldKind> = condition.fields().collect();
        let fields = self.fields.iter().copied();
        fields.filter(|field| tested.contains(field)).collect()
    }

    fn batch(&mut self, making: Making) -> Result<Batch, QueryError> {
        let Making {
            bands,
            mut columns,
            keep,
            held,
            ..
        } = making;
        self.held = Some(held);
        let mut kept = None;
        if let Some(keep) = keep {
            let failing = keep.rows() - keep.count();
            match self.request.failing {
                _ if failing == 0 => {}
                Failing::Drop => kept = Some(keep),
                Failing::Fill => {
                    columns = self
                        .session
                        .install_for(bands.bytes, || blank(&self.plan.schema, columns, &keep))?;
                    self.filled = self.filled.exact_add(failing as u64)?;
                }
            }
        }
        let count = kept.as_ref().map_or_else(|| bands.rows(), CellSet::count);
        let mut columns: HashMap<FieldKind, TableColumn> = columns.into_iter().collect();
        self.request.batch(count, |field| {
            let column = columns
                .remove(&field)
                .ok_or_else(|| Bug::new("a column of the result was not read"))?;
            let Some(kept) = &kept else {
                return Ok(gather(column, None)?);
            };
            let bytes = column.values.as_slice().len() as u64;
            let gathered = self.session.install_for(bytes, || gather_set(column, kept));
            Ok(gathered?)
        })
    }

    fn cutter(&self) -> Cutter<'_> {
        Cutter {
            plan: &self.plan,
            fields: &self.fields,
        }
    }

    fn room(&self) -> Room {
        Room {
            aim: self.request.batch_bytes,
            memory: self.session.limits().budget.left() / 2,
            rows: self.rows_wanted(),
            threads: self.session.threads() as u64,
            part: self.session.share_from() / 2,
        }
    }

    /// True if cells that fail the condition are left out of the result.
    fn drops(&self) -> bool {
        self.request.failing == Failing::Drop && self.request.condition.is_some()
    }

    /// Returns the number of rows beyond which a larger batch is of no use.
    fn rows_wanted(&self) -> u64 {
        match self.request.limit {
            u64::MAX => u64::MAX,
            // The number of cells that will pass the condition is unknown. Far more than a batch are as good as all.
            limit if self.drops() => limit.saturating_mul(16).max(1 << 16),
            _ => self.left.max(1),
        }
    }
}

fn walk(grid: &SpaceTileGrid, runs: &[Runs], request: &Request) -> Result<Walk, QueryError> {
    let points = request.points_alone();
    Ok(match request.order {
        ResultOrder::RowMajor | ResultOrder::Unordered => Walk::cells(runs, Order::RowMajor),
        ResultOrder::ColumnMajor => Walk::cells(runs, Order::ColumnMajor),
        ResultOrder::Global => {
            let takes_one = points.is_some()
                || runs
                    .iter()
                    .all(|runs| runs.single().is_some() || runs.is_empty());
            let mut walk = Walk::tiles(grid, runs)
                .filter(|_| takes_one)
                .ok_or(QueryError::GlobalOrder)?;
            if let (Walk::Tiles(walk), Some((points, dimensions))) = (&mut walk, points)
                && let Some(with) = points.tiles(grid, walk.tiles(), dimensions)
            {
                walk.leave_out(with.others());
            }
            walk
        }
    })
}
