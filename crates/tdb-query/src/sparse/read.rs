//! State machine of a sparse read.

use std::sync::Arc;

use tdb_array::{PartsToOpen, Snapshot};
use tdb_cells::{Session, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_store::{Piece as StoredPiece, Read};
use tdb_tile::Bug;

use super::output::Output;
use super::plan::SparsePlan;
use super::planned_read::PlannedRead;
use super::planned_tiles::PlannedTiles;
use super::slab_beginning::SlabBeginning;
use super::slab_read::SlabRead;
use super::slabs::Slabs;
use super::step::SparseStep;
use super::tally::Tally;
use super::tile_read::{TileRead, TileStep};
use super::weights::Weights;
use super::whole_tile_search::Decode;
use crate::piece::DecodedCells;
use crate::request::Request;
use crate::{ChosenTiles, LoneTiles, QueryError};

/// Read of a sparse array whose tiles are known.
#[derive(Debug)]
pub(crate) struct SparseRead {
    planned: PlannedRead,
    state: State,
    output: Output,
}

/// Where a sparse read stands.
#[derive(Debug)]
enum State {
    /// Tiles are read in the order in which fragments store them, or all at once.
    Tiles(Box<TileRead>),
    /// The result is to be read in slabs, which need metadata that is being fetched.
    SlabMetadata(PartsToOpen, SlabBeginning),
    /// The rest of the result is read in slabs: it does not fit in memory and is not stored in its order.
    Slabs(Box<SlabRead>),
    /// All cells were returned, or the read failed.
    Done,
}

impl SparseRead {
    pub(crate) fn new(
        session: Session,
        array: Arc<Snapshot>,
        plan: SparsePlan,
        tiles: PlannedTiles,
    ) -> Result<Self, QueryError> {
        let planned = PlannedRead {
            session,
            array,
            weights: Weights::new(&plan),
            plan: Arc::new(plan),
            tiles: Arc::new(tiles),
        };
        let tiles = TileRead::new(&planned)?;
        Ok(Self {
            planned,
            state: State::Tiles(Box::new(tiles)),
            output: Output::default(),
        })
    }

    /// Lets the read take cells out of a portion of the tiles at a time, if nothing else has to be done with them.
    /// For stores whose bytes come without a wait.
    pub(crate) fn load_in_portions(&mut self) {
        if let State::Tiles(tiles) = &mut self.state {
            tiles.load_in_portions(&self.planned.plan);
        }
    }

    pub(crate) fn request(&self) -> &Request {
        &self.planned.plan.request
    }

    /// Returns the tiles that are read.
    pub(crate) fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        Ok(self.planned.plan.chosen_tiles(&self.planned.tiles)?)
    }

    /// Counts cells instead of returning them; the condition drops none.
    pub(crate) fn count(&mut self) {
        self.output.tally.get_or_insert_default();
    }

    /// Returns the numbers of cells counted so far.
    pub(crate) fn tally(&self) -> Result<Tally, QueryError> {
        // A count of zero would let a delete take cells that it must not.
        let lost = || Bug::new("the cells that were counted are lost");
        Ok(self.output.tally.ok_or_else(lost)?)
    }

    /// Returns the next step: ranges to fetch, a piece to decode, a batch, or the end.
    pub(crate) fn next(&mut self) -> Result<SparseStep, QueryError> {
        self.output.release();
        loop {
            if let Some(batch) = self.output.next(&self.planned)? {
                return Ok(SparseStep::Batch(batch));
            }
            let step = match &mut self.state {
                State::Tiles(tiles) => match tiles.step(&self.planned, &mut self.output)? {
                    TileStep::Next(step) => step,
                    TileStep::Slabs(beginning) => self.go_on_in_slabs(beginning)?,
                },
                State::SlabMetadata(parts, _) => Some(SparseStep::Need(parts.reads().to_vec())),
                State::Slabs(slabs) => slabs.step(&self.planned, &mut self.output)?,
                State::Done => Some(SparseStep::Done),
            };
            match step {
                Some(SparseStep::Done) => {
                    self.state = State::Done;
                    return Ok(SparseStep::Done);
                }
                Some(step) => return Ok(step),
                None => {}
            }
        }
    }

    /// Accepts the decoded cells of the piece that was returned last.
    pub(crate) fn take(&mut self, cells: DecodedCells) -> Result<(), QueryError> {
        match (&mut self.state, cells) {
            (State::Tiles(tiles), cells) => tiles.take(&self.planned, &mut self.output, cells),
            (State::Slabs(slabs), DecodedCells::Table(table)) => Ok(slabs.take(table)?),
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        }
    }

    /// Goes on slab by slab; first requests the R-trees that slabs need.
    fn go_on_in_slabs(
        &mut self,
        beginning: SlabBeginning,
    ) -> Result<Option<SparseStep>, QueryError> {
        let PlannedRead { array, plan, .. } = &self.planned;
        let parts = array.find_parts(Slabs::parts(array, plan)?)?;
        let needs_nothing = parts.reads().is_empty();
        self.state = State::SlabMetadata(parts, beginning);
        if needs_nothing {
            self.answer(Vec::new())?;
        }
        Ok(None)
    }

    /// Accepts the pieces of the last [`SparseStep::Need`].
    pub(crate) fn answer(&mut self, pieces: Vec<StoredPiece>) -> Result<(), QueryError> {
        let State::SlabMetadata(parts, beginning) = std::mem::replace(&mut self.state, State::Done)
        else {
            return Err(Bug::new("an answer to nothing that was asked").into());
        };
        let opened = self.planned.array.open_parts(parts, pieces)?;
        let slabs = SlabRead::new(&self.planned, beginning, opened)?;
        self.state = State::Slabs(Box::new(slabs));
        Ok(())
    }

    /// Returns the byte ranges of the tiles after the chosen ones, about `most` bytes, as far as they are certain to
    /// be needed.
    pub(crate) fn ahead(&self, most: u64) -> Result<Vec<Read>, QueryError> {
        match &self.state {
            State::Tiles(tiles) => tiles.ahead(&self.planned, most),
            State::SlabMetadata(..) | State::Slabs(_) | State::Done => Ok(Vec::new()),
        }
    }

    /// Returns the next cells if they are full tiles of one fragment that `allows` accepts. `decode` decodes the
    /// coordinates of the tiles that are examined.
    pub(crate) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        decode: Decode<'_>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        // The previous batch is written by now.
        self.output.release();
        match &mut self.state {
            State::Tiles(tiles) if self.output.is_empty() && tiles.is_between_batches() => {
                tiles.whole_tiles(&self.planned, decode, allows)
            }
            _ => Ok(None),
        }
    }

    /// Returns the tiles whose cells are all part of the result, for a read that has not begun.
    pub(crate) fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        match &self.state {
            State::Tiles(tiles) if self.output.is_empty() && tiles.is_between_batches() => {
                self.planned.lone_tiles()
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns a read of a part of the cells, of which `request` is the request. This read must have been planned for
    /// that.
    pub(crate) fn part(&self, request: Request) -> Result<Self, QueryError> {
        let PlannedRead {
            session,
            array,
            plan,
            tiles,
            ..
        } = &self.planned;
        let (plan, tiles) = plan.part(array, tiles, request, &session.limits().budget)?;
        Self::new(session.clone(), Arc::clone(array), plan, tiles)
    }

    /// Returns the same read without the cells of these tiles. Fragments without remaining tiles are removed from the
    /// plan.
    pub(crate) fn without(self, lone: &[LoneTiles]) -> Result<Self, QueryError> {
        let PlannedRead {
            session,
            array,
            plan,
            tiles,
            ..
        } = self.planned;
        let used = || Bug::new("tiles are left out of a read that has begun");
        let mut plan = Arc::try_unwrap(plan).map_err(|_| used())?;
        let tiles = Arc::try_unwrap(tiles).map_err(|_| used())?;
        let left = plan.leave_out(tiles, lone)?;
        Self::new(session, array, plan, left)
    }
}
