//! The state machine of a dense read.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{Batch, CellSet, Session, TableColumn, gather, gather_set};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{FieldKind, Order};
use tdb_tile::{Budget, Bug, Grant};

use super::bands::Bands;
use super::condition::{blank, evaluate};
use super::cutter::{BatchPart, Cutter, Room};
use super::plan::{DensePlan, Located, all_fields};
use super::ruled_out::RuledOutRows;
use super::sparse_tiles::SparseTiles;
use crate::QueryError;
use crate::options::{Failing, ResultOrder};
use crate::piece::{BandsWork, DecodedCells, Piece};
use crate::request::Request;
use tdb_cells::dense::{Runs, Walk};

/// Columns that are on their way into a batch.
type Columns = Vec<(FieldKind, TableColumn)>;

/// A read of a dense array whose tiles are known.
#[derive(Debug)]
pub(crate) struct DenseRead {
    session: Session,
    pub(super) request: Request,
    pub(super) plan: Arc<DensePlan>,
    /// Fragments of single cells, which are read before anything else.
    sparse: Vec<SparseTiles>,
    /// All fields to be read, each once.
    fields: Vec<FieldKind>,
    pub(super) walk: Walk,
    state: State,
    /// Cells that are still wanted.
    left: u64,
    /// Cells of the result that failed the condition, and have fill values.
    filled: u64,
    /// The memory of the batch that was given out last.
    pub(super) held: Option<Grant>,
}

/// What comes of a step.
#[derive(Debug)]
pub(crate) enum DenseStep {
    Work(Piece),
    Batch(Batch),
    Done,
}

#[derive(Debug)]
enum State {
    /// Nothing is on the way.
    Between,
    /// A piece was given out: the cells of a fragment of single ones.
    Sparse(SparseTiles),
    /// A piece was given out: columns of these bands, beside those that have come before.
    Waiting(Making),
    /// The piece has come back.
    Loaded(Making),
}

/// A batch in the making.
#[derive(Debug)]
struct Making {
    bands: Arc<Bands>,
    columns: Columns,
    /// The rows that the condition rules out before it is asked.
    ruled_out: RuledOutRows,
    /// Where the condition was asked: the rows for which it holds.
    keep: Option<CellSet>,
    /// The memory of the columns.
    held: Grant,
}

impl DenseRead {
    pub(crate) fn new(
        session: Session,
        request: Request,
        located: Located,
    ) -> Result<Self, QueryError> {
        let Located { plan, sparse, .. } = located;
        let walk = walk(&plan.shape.grid, &plan.runs, &request)?;
        Ok(Self {
            session,
            fields: all_fields(&request),
            left: request.limit,
            request,
            plan: Arc::new(plan),
            sparse,
            walk,
            state: State::Between,
            filled: 0,
            held: None,
        })
    }

    /// How many cells of the result have fill values so far because they failed the condition.
    pub(crate) fn filled(&self) -> u64 {
        self.filled
    }

    /// All fields to be read, each once.
    pub(super) fn fields(&self) -> &[FieldKind] {
        &self.fields
    }

    /// The memory of the session.
    pub(super) fn budget(&self) -> &Budget {
        &self.session.limits().budget
    }

    /// Whether all is known that the order of the fragments takes.
    pub(crate) fn is_planned(&self) -> bool {
        self.sparse.is_empty() && !matches!(self.state, State::Sparse(_))
    }

    /// What comes next.
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

    /// Takes what came of the piece that was given out last.
    pub(crate) fn take(&mut self, array: &Snapshot, cells: DecodedCells) -> Result<(), QueryError> {
        match (std::mem::replace(&mut self.state, State::Between), cells) {
            (State::Sparse(tiles), DecodedCells::Table(table)) => {
                let budget = &self.session.limits().budget;
                let (layer, tiles) = tiles.place(array, &self.plan.shape.grid, table, budget)?;
                let plan = Arc::get_mut(&mut self.plan);
                let plan = plan.ok_or_else(|| Bug::new("a plan in use before it was made"))?;
                plan.add(layer, tiles);
                Ok(())
            }
            (State::Waiting(mut making), DecodedCells::Columns(columns)) => {
                making.columns.extend(columns);
                self.state = State::Loaded(making);
                Ok(())
            }
            // They are where they belong.
            (State::Waiting(_), DecodedCells::Written(_)) => Ok(()),
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        }
    }

    /// The rows of the piece that was given out last, and the bytes of their values, where these are all that comes of it: of one
    /// field of fixed size, without null cells, of all rows.
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

    /// The bytes of the parts that come after what was given out, as many as are certain to be asked for.
    pub(crate) fn ahead(&self, most: u64) -> Result<Vec<tdb_store::Read>, QueryError> {
        let (mut reads, mut bytes) = (Vec::new(), 0_u64);
        let mut walk = self.walk.clone();
        while bytes < most && self.request.limit == u64::MAX {
            let Some(part) = self.cutter().next(&mut walk, self.room())? else {
                break;
            };
            bytes = bytes.saturating_add(part.bytes.max(1));
            let fields = self.first_fields();
            reads.extend(super::byte_ranges::reads_of(
                &self.plan,
                &part.bands,
                &fields,
            )?);
        }
        Ok(reads)
    }

    /// The next fragment of single cells, or the next part of the result.
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

    /// Asks the condition once what it tests is there, and then for the rest.
    fn go_on(&mut self, mut making: Making) -> Result<Option<DenseStep>, QueryError> {
        if let (Some(condition), None) = (&self.request.condition, &making.keep) {
            let asked = (&**condition, &making.ruled_out);
            let keep = self.session.install_for(making.bands.bytes, || {
                evaluate(&self.plan, &making.bands, asked, &mut making.columns)
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

    /// The fields that are read at first: those that the condition tests, where there is one.
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
                    self.filled = self.filled.saturating_add(failing as u64);
                }
            }
        }
        let count = kept.as_ref().map_or_else(|| bands.rows(), CellSet::count);
        let mut columns: HashMap<FieldKind, TableColumn> = columns.into_iter().collect();
        self.request.batch(count, |field| {
            let column = columns.remove(&field);
            let column = column.ok_or_else(|| Bug::new("a column of the result was not read"))?;
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

    /// Whether cells are left out of the result.
    fn drops(&self) -> bool {
        self.request.failing == Failing::Drop && self.request.condition.is_some()
    }

    /// Rows beyond which a batch is of no use.
    fn rows_wanted(&self) -> u64 {
        match self.request.limit {
            u64::MAX => u64::MAX,
            // How many of the cells will stay is not known.
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
