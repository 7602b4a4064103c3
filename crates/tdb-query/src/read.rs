//! State machine of a read: it does no I/O, and states what it needs next.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{Batch, FieldInfo, Session, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_schema::FieldKind;
use tdb_store::Piece as StoredPiece;
use tdb_tile::{Bug, Exact};

use crate::dense::{DenseRead, DenseStep};
use crate::options::ReadOptions;
use crate::piece::{DecodedCells, DecodedPiece, Piece};
use crate::planning::{LocatedRead, Planning, Purpose};
use crate::sparse::{SparseRead, SparseStep, Tally};
use crate::{ChosenTiles, LoneTiles, QueryError};

/// A read of an array as a state machine without I/O: [`Read::next`] returns what it needs next.
///
/// A driver fetches the bytes that the read needs and passes them in. [`Reader`](crate::Reader) is the driver for a
/// store, on the threads of a session. A program that fetches bytes by other means, for example asynchronously,
/// writes its own loop:
///
/// ```
/// use tdb_array::Snapshot;
/// use tdb_cells::{Batch, FetchedBytes, Session};
/// use tdb_query::{Next, QueryError, Read};
/// use tdb_store::Piece;
///
/// /// The next cells; `fetch` gives the bytes of each range.
/// fn next_batch(
///     read: &mut Read,
///     session: &Session,
///     fetch: &dyn Fn(&[tdb_store::Read]) -> Vec<Piece>,
/// ) -> Result<Option<Batch>, QueryError> {
///     loop {
///         match read.next()? {
///             Next::Need(reads) => read.answer(fetch(&reads))?,
///             Next::Work(piece) => {
///                 let reads = piece.reads()?;
///                 let bytes = FetchedBytes::new(&reads, fetch(&reads));
///                 let decoded = piece.decode(session, &bytes)?;
///                 read.take(decoded)?;
///             }
///             Next::Batch(batch) => return Ok(Some(batch)),
///             Next::Done => return Ok(None),
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Read {
    session: Session,
    array: Arc<Snapshot>,
    fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    /// Number of cells that are still wanted.
    left: u64,
    /// Number of columns whose cells are stored.
    stored: u64,
    /// Whether cells may be taken out of a few tiles at a time.
    in_portions: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Planning(Box<Planning>),
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
    /// The read ended, or failed.
    Done,
}

/// Next step of a [`Read`]: a need or a result.
#[derive(Debug)]
pub enum Next {
    /// Byte ranges of metadata that planning needs, to be fetched and passed to [`Read::answer`].
    Need(Vec<tdb_store::Read>),
    /// Tiles to fetch and decode; the result is passed to [`Read::take`].
    Work(Piece),
    /// Next cells of the result, in its order.
    Batch(Batch),
    /// The read has ended: all cells were returned.
    Done,
}

impl Read {
    /// Begins a read of an array. Label ranges must be resolved [before](crate::LabelSearch).
    ///
    /// # Errors
    /// An error of kind [`Invalid`](tdb_tile::ErrorKind::Invalid) if the request is not possible for the array.
    pub fn new(
        session: &Session,
        array: &Arc<Snapshot>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        Self::begin(session, array, options, &Purpose::Cells)
    }

    /// Like [`Read::new`], for any purpose.
    pub(crate) fn begin(
        session: &Session,
        array: &Arc<Snapshot>,
        options: &ReadOptions,
        purpose: &Purpose,
    ) -> Result<Self, QueryError> {
        if !options.label_ranges.is_empty() {
            return Err(QueryError::LabelRanges);
        }
        let planning = Planning::new(session, array, options, purpose)?;
        let needs_nothing = planning.reads(array)?.is_empty();
        let mut read = Self {
            session: session.clone(),
            array: Arc::clone(array),
            fields: Vec::new(),
            warnings: Vec::new(),
            left: options.limit.unwrap_or(u64::MAX),
            stored: 0,
            in_portions: false,
            state: State::Planning(Box::new(planning)),
        };
        if needs_nothing {
            read.answer(Vec::new())?;
        }
        Ok(read)
    }

    /// Returns a read of the part of the cells within the ranges of `options`, which shares the plan of this one. This
    /// read must have been begun for [`Purpose::Parts`], be planned, and not be read itself.
    pub(crate) fn part(&self, options: &ReadOptions) -> Result<Self, QueryError> {
        let (array, session) = (&self.array, &self.session);
        let (request, state) = match &self.state {
            State::Dense(read) => {
                let request = read.request.part(array, options)?;
                let part = read.part(array, request.clone())?;
                (request, State::Dense(Box::new(part)))
            }
            State::Sparse(read) => {
                let request = read.request().part(array, options)?;
                let part = read.part(request.clone())?;
                (request, State::Sparse(Box::new(part)))
            }
            State::Planning(_) | State::Done => {
                return Err(Bug::new("a part of a read that is not planned").into());
            }
        };
        Ok(Self {
            session: session.clone(),
            array: Arc::clone(array),
            fields: request.fields,
            warnings: self.warnings.clone(),
            left: request.limit,
            stored: self.stored,
            in_portions: false,
            state,
        })
    }

    /// Lets the read take cells out of a few tiles at a time, if nothing else has to be done with them. Only for
    /// stores whose bytes come without a wait.
    pub(crate) fn load_in_portions(&mut self) {
        self.in_portions = true;
        if let State::Sparse(read) = &mut self.state {
            read.load_in_portions();
        }
    }

    /// True if planning is done. Before that there are no [fields](Read::fields) and no batches.
    #[must_use]
    pub fn is_planned(&self) -> bool {
        match &self.state {
            State::Planning(_) => false,
            State::Dense(read) => read.is_planned(),
            State::Sparse(_) | State::Done => true,
        }
    }

    /// Returns the columns of each batch.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// Returns warnings about the request, such as ranges that were clipped to the domain.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the number of cells so far that were set to the fill value because they failed the condition:
    /// [`Failing::Fill`](crate::Failing::Fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        match &self.state {
            State::Dense(read) => read.filled(),
            _ => 0,
        }
    }

    /// Returns the next step. What the previous step requested must have been passed in by [`Read::answer`] or
    /// [`Read::take`].
    ///
    /// # Errors
    /// Corrupt data; a [limit](QueryError::Limit). An error ends the read.
    #[expect(
        clippy::should_implement_trait,
        reason = "what is asked for in between is no item"
    )]
    pub fn next(&mut self) -> Result<Next, QueryError> {
        let next = self.step();
        if next.is_err() {
            self.state = State::Done;
        }
        next
    }

    fn step(&mut self) -> Result<Next, QueryError> {
        if self.left == 0 && self.is_planned() {
            return Ok(Next::Done);
        }
        loop {
            let batch = match &mut self.state {
                State::Planning(planning) => {
                    return Ok(Next::Need(planning.reads(&self.array)?));
                }
                State::Dense(read) => match read.next()? {
                    DenseStep::Work(piece) => return Ok(Next::Work(piece)),
                    DenseStep::Batch(batch) => batch,
                    DenseStep::Done => return Ok(Next::Done),
                },
                State::Sparse(read) => match read.next()? {
                    SparseStep::Need(reads) => return Ok(Next::Need(reads)),
                    SparseStep::Work(piece) => return Ok(Next::Work(piece)),
                    SparseStep::Batch(batch) => batch,
                    SparseStep::Done => return Ok(Next::Done),
                },
                State::Done => return Ok(Next::Done),
            };
            if batch.rows > 0 {
                return Ok(Next::Batch(self.give(batch)?));
            }
        }
    }

    /// Accepts the bytes of the ranges of [`Next::Need`], in the same order.
    ///
    /// # Errors
    /// Corrupt data; a condition that cannot be resolved; a [limit](QueryError::Limit).
    pub fn answer(&mut self, pieces: Vec<StoredPiece>) -> Result<(), QueryError> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Planning(planning) => {
                let (request, planned) = planning.finish(&self.session, &self.array, pieces)?;
                self.warnings.extend_from_slice(request.subarray.warnings());
                let unknown = request.unknown_labels.iter();
                self.warnings.extend(unknown.map(ToString::to_string));
                let is_dense = matches!(planned, LocatedRead::Dense(_));
                let is_stored = |info: &&FieldInfo| {
                    !(is_dense && matches!(info.field, FieldKind::Dimension(_)))
                };
                self.stored = request.fields.iter().filter(is_stored).count() as u64;
                self.fields = request.fields;
                self.state = match planned {
                    LocatedRead::Dense(read) => State::Dense(read),
                    LocatedRead::Sparse(mut read) => {
                        if self.in_portions {
                            read.load_in_portions();
                        }
                        State::Sparse(read)
                    }
                };
                Ok(())
            }
            State::Sparse(mut read) => {
                read.answer(pieces)?;
                self.state = State::Sparse(read);
                Ok(())
            }
            State::Dense(_) | State::Done => Err(Bug::new("an answer to nothing asked").into()),
        }
    }

    /// Accepts the decoded cells of the last [`Piece`].
    ///
    /// # Errors
    /// A [limit](QueryError::Limit).
    pub fn take(&mut self, decoded: DecodedPiece) -> Result<(), QueryError> {
        let written = match decoded.0 {
            DecodedCells::Written(rows) => Some(rows as u64),
            _ => None,
        };
        let taken = match (&mut self.state, decoded.0) {
            (State::Dense(read), cells) => read.take(&self.array, cells),
            (State::Sparse(read), cells) => read.take(cells),
            _ => Err(Bug::new("cells of a piece that was not given out").into()),
        };
        match (&taken, written) {
            (Err(_), _) => self.state = State::Done,
            (Ok(()), Some(rows)) => self.note_given(rows)?,
            (Ok(()), None) => {}
        }
        taken
    }

    /// Returns the number of bytes of memory that the outstanding piece [fills](Piece::decode_into), if it yields
    /// only the values of one field.
    pub(crate) fn next_bytes(&self) -> Option<usize> {
        let State::Dense(read) = &self.state else {
            return None;
        };
        let (rows, bytes) = read.next_values()?;
        (rows <= self.left).then_some(bytes)
    }

    /// Returns byte ranges that later pieces are certain to need, about `most` bytes, for prefetching.
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn ahead(&self, most: u64) -> Result<Vec<tdb_store::Read>, QueryError> {
        match &self.state {
            State::Dense(read) => read.ahead(most),
            State::Sparse(read) => read.ahead(most),
            State::Planning(_) | State::Done => Ok(Vec::new()),
        }
    }

    /// Returns the next cells as whole tiles, if they are whole tiles of one fragment for which `allows` returns
    /// true. Only in global order and between two batches. These cells are not returned again in batches. `decode`
    /// decodes pieces with the coordinates that must be examined.
    ///
    /// # Errors
    /// Those of `decode` and of `allows`.
    pub fn whole_tiles<E: From<QueryError>>(
        &mut self,
        decode: &dyn Fn(Piece) -> Result<DecodedPiece, QueryError>,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        match &mut self.state {
            State::Dense(read) => read.whole_tiles(allows),
            State::Sparse(read) => read.whole_tiles(decode, allows),
            State::Planning(_) | State::Done => Ok(None),
        }
    }

    /// Returns the tiles whose cells are all part of the result, each once, whatever other fragments contain, as far
    /// as planning can tell. Dense arrays must be read in global order; sparse arrays must have no deletes, and the
    /// order must not repeat cells. Returns none after the first step that follows planning, or with a condition or a
    /// limit.
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        match &self.state {
            State::Dense(read) if read.is_planned() => read.lone_tiles(),
            State::Sparse(read) => read.lone_tiles(),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the tiles that a read takes which has not begun, for each fragment that has tiles in the ranges. None
    /// before planning is done.
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        match &self.state {
            State::Dense(read) if read.is_planned() => read.chosen_tiles(),
            State::Sparse(read) => read.chosen_tiles(),
            _ => Ok(Vec::new()),
        }
    }

    /// Excludes the cells of some of the [`Read::lone_tiles`]: they are not read, and are in no batch.
    ///
    /// # Errors
    /// Tiles that are not among the lone tiles.
    pub fn leave_out(&mut self, tiles: &[LoneTiles]) -> Result<(), QueryError> {
        self.state = match std::mem::replace(&mut self.state, State::Done) {
            State::Dense(mut read) => {
                read.leave_out(tiles)?;
                State::Dense(read)
            }
            State::Sparse(read) => State::Sparse(Box::new(read.without(tiles)?)),
            State::Planning(_) | State::Done => {
                return Err(Bug::new("tiles are left out of a read that is not planned").into());
            }
        };
        if self.in_portions {
            self.load_in_portions();
        }
        Ok(())
    }

    /// Counts cells from now on instead of returning them. Planning must be done.
    pub(crate) fn count(&mut self) -> Result<(), QueryError> {
        match &mut self.state {
            State::Sparse(read) => {
                read.count();
                Ok(())
            }
            _ => Err(Bug::new("cells are counted of planned reads of sparse arrays").into()),
        }
    }

    /// Returns the numbers of cells counted so far.
    pub(crate) fn tally(&self) -> Result<Tally, QueryError> {
        match &self.state {
            State::Sparse(read) => read.tally(),
            _ => Err(Bug::new("cells are counted of planned reads of sparse arrays").into()),
        }
    }

    /// Cuts a batch to the number of cells that are still wanted.
    fn give(&mut self, batch: Batch) -> Result<Batch, QueryError> {
        let batch = batch.first(self.left)?;
        self.note_given(batch.rows as u64)?;
        Ok(batch)
    }

    /// Counts cells that are returned.
    fn note_given(&mut self, rows: u64) -> Result<(), Bug> {
        if self.left != u64::MAX {
            self.left = self.left.exact_sub(rows)?;
        }
        let counters = self.session.counters();
        counters.add_given(rows.exact_mul(self.stored)?);
        Ok(())
    }
}
