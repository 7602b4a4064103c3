//! Synchronous driver of a [`Read`]: fetches from a store, and decodes on the threads of a session.

use std::sync::Arc;

use tdb_array::{Array, Delete, ErrorKind};
use tdb_cells::{Batch, FieldInfo, Session, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_store::{Piece as StoredPiece, StoreError};
use tdb_tile::{Bug, Range};

use crate::labels::{FoundLabels, narrow_by_labels};
use crate::options::{ReadOptions, Versions};
use crate::piece::Piece;
use crate::planning::Purpose;
use crate::read::Read;
use crate::sparse::Tally;
use crate::steps::{Fetch, NextCells, Step, Steps, decode_alone};
use crate::{ChosenTiles, LabelSearch, LoneTiles, QueryError};

/// Iterates over the batches of a read.
///
/// Each batch fits in the session's memory; together, in order, they are the result. A `Reader` is a [`Read`] with a
/// driver that fetches from the array's store.
///
/// The memory of a batch is reused for later ones once the batch, and everything that shares its columns, was
/// dropped.
#[derive(Debug)]
pub struct Reader {
    asked: ReaderRequest,
    steps: Steps,
    warnings: Vec<String>,
    /// Whether cells were returned, or tiles were returned for copying.
    has_given: bool,
    is_done: bool,
}

/// Result of [`Reader::advance`].
#[derive(Debug)]
pub enum Advance {
    /// Bytes have to be fetched, and given to [`Reader::accept`].
    Wait(Fetch),
    /// The next cells.
    Batch(Batch),
    /// All cells were returned.
    Done,
}

/// Arguments that a read is begun with, kept to begin it again.
#[derive(Clone, Debug)]
struct ReaderRequest {
    options: ReadOptions,
    purpose: Purpose,
}

impl ReaderRequest {
    fn begin(&self, session: &Session, array: &Arc<Array>) -> Result<Steps, QueryError> {
        let read = Read::begin(session, array.snapshot(), &self.options, &self.purpose)?;
        Ok(Steps::new(read, session.clone(), Arc::clone(array)))
    }
}

impl Reader {
    /// Begins a read of an array, with the threads and the memory of a session.
    ///
    /// If another process vacuums fragments that the read needs before the first cells were returned, the array is
    /// opened again for the same time window.
    ///
    /// # Errors
    /// An error of kind [`Invalid`](tdb_tile::ErrorKind::Invalid) if the request is not possible for the array; errors
    /// of opening its fragments.
    pub fn open(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        let plan = &session.counters().plan;
        plan.time(|| {
            let mut warnings = Vec::new();
            let options = resolve_labels(session, array, options, &mut warnings)?;
            let asked = ReaderRequest {
                options,
                purpose: Purpose::Cells,
            };
            Self::planned(session, array, asked, warnings)
        })
    }

    /// Begins a read that [`Reader::advance`] goes on with. Ranges of labels must be resolved
    /// [before](crate::LabelSearch).
    ///
    /// # Errors
    /// An error of kind [`Invalid`](tdb_tile::ErrorKind::Invalid) if the request is not possible for the array.
    pub fn begin(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        Self::begin_for(Purpose::Cells, session, array, options)
    }

    /// Begins a read whose tiles are not searched yet, to be planned once for all of its parts: [`Reader::plan_parts`].
    pub(crate) fn of_parts(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        Self::begin_for(Purpose::Parts, session, array, options)
    }

    fn begin_for(
        purpose: Purpose,
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        let options = options.clone();
        let asked = ReaderRequest { options, purpose };
        Ok(Self::of(asked.begin(session, array)?, asked))
    }

    /// Returns what planning has to wait for; `None` once it is done.
    pub(crate) fn plan_parts(&mut self) -> Result<Option<Fetch>, QueryError> {
        let session = self.steps.session.clone();
        session.counters().plan.time(|| {
            while !self.steps.read.is_planned() {
                match self.steps.next(&mut []) {
                    Ok(Step::Wait(fetch)) => return Ok(Some(fetch)),
                    Ok(_) => {}
                    Err(error) => self.look_again(error)?,
                }
            }
            Ok(None)
        })
    }

    /// Returns a read of the part of the cells within these ranges of dimensions, which shares the plan.
    pub(crate) fn part(&self, ranges: Vec<(String, Range)>) -> Result<Self, QueryError> {
        let Steps {
            read,
            session,
            array,
            ..
        } = &self.steps;
        let asked = ReaderRequest {
            options: ReadOptions {
                ranges,
                ..self.asked.options.clone()
            },
            purpose: Purpose::Cells,
        };
        let part = session.counters().plan.time(|| read.part(&asked.options))?;
        let steps = Steps::new(part, session.clone(), Arc::clone(array));
        Ok(Self::of(steps, asked))
    }

    /// Counts the cells of a sparse array that match the condition of `options`, and those that a delete would take
    /// which is not stored yet.
    ///
    /// # Errors
    /// As for [`Reader::open`], and errors of reading the cells.
    pub fn tally(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
        delete: Option<&Delete>,
    ) -> Result<Tally, QueryError> {
        let asked = ReaderRequest {
            options: options.clone(),
            purpose: Purpose::Tally(delete.cloned()),
        };
        let mut reader = Self::planned(session, array, asked, Vec::new())?;
        while reader.next_cells(&mut [])?.is_some() {}
        reader.steps.read.tally()
    }

    fn planned(
        session: &Session,
        array: &Arc<Array>,
        asked: ReaderRequest,
        mut warnings: Vec<String>,
    ) -> Result<Self, QueryError> {
        let mut reader = Self::of(asked.begin(session, array)?, asked);
        while let Err(error) = reader.plan() {
            reader.look_again(error)?;
        }
        warnings.extend_from_slice(reader.steps.read.warnings());
        reader.warnings = warnings;
        Ok(reader)
    }

    fn of(steps: Steps, asked: ReaderRequest) -> Self {
        Self {
            asked,
            steps,
            warnings: Vec::new(),
            has_given: false,
            is_done: false,
        }
    }

    /// Drives the read until its tiles are known.
    fn plan(&mut self) -> Result<(), QueryError> {
        while !self.steps.read.is_planned() {
            if let Step::Wait(fetch) = self.steps.next(&mut [])? {
                self.wait(fetch)?;
            }
        }
        match self.asked.purpose {
            Purpose::Tally(_) => self.steps.read.count(),
            Purpose::Cells | Purpose::Parts => Ok(()),
        }
    }

    /// Starts again if an object is missing because another process consolidated and vacuumed its fragment. Returns
    /// the error if that is not the cause, or if cells were returned already.
    fn look_again(&mut self, error: QueryError) -> Result<(), QueryError> {
        // Older versions refer to deletes by their positions in the array that the caller opened.
        let is_current = self.asked.options.versions == Versions::Current;
        if error.kind() != ErrorKind::NotFound || !is_current {
            return Err(error);
        }
        // If the array cannot be opened again, this error says more than that one.
        let Ok(Some(again)) = self.steps.array.again() else {
            return Err(error);
        };
        let names = |array: &Array| -> Vec<String> {
            let fragments = array.fragments().iter();
            fragments.map(|f| f.name.as_str().to_owned()).collect()
        };
        if names(&again) == names(&self.steps.array) {
            return Err(error);
        }
        if self.has_given {
            let source = Box::new(error);
            return Err(QueryError::Vanished { source });
        }
        self.steps = self.asked.begin(&self.steps.session, &Arc::new(again))?;
        Ok(())
    }

    /// Returns the columns of each batch.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        self.steps.read.fields()
    }

    /// Returns warnings about the request, and about the arrays of labels that it used.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the number of cells so far that were set to the fill value because they failed the condition:
    /// [`Failing::Fill`](crate::Failing::Fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        self.steps.read.filled()
    }

    /// Like [`Read::whole_tiles`].
    ///
    /// # Errors
    /// Errors of reading, and of `allows`.
    pub fn whole_tiles<E: From<QueryError>>(
        &mut self,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        let (session, store) = (&self.steps.session, self.steps.array.store());
        let decode = |piece: Piece| decode_alone(session, store, piece);
        let whole = self.steps.read.whole_tiles(&decode, allows)?;
        self.has_given |= whole.is_some();
        Ok(whole)
    }

    /// Returns the array that is read. If fragments had vanished, this is a new opening of the array that was passed
    /// in.
    #[must_use]
    pub fn array(&self) -> &Arc<Array> {
        &self.steps.array
    }

    /// Like [`Read::chosen_tiles`].
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        self.steps.read.chosen_tiles()
    }

    /// Like [`Read::lone_tiles`].
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        self.steps.read.lone_tiles()
    }

    /// Like [`Read::leave_out`]. From then on, vanished fragments are an error.
    ///
    /// # Errors
    /// Tiles that are not among the [`Reader::lone_tiles`].
    pub fn leave_out(&mut self, tiles: &[LoneTiles]) -> Result<(), QueryError> {
        self.has_given = true;
        self.steps.read.leave_out(tiles)
    }

    /// Returns the next cells; `None` after the last. If the result is one field of a dense array, of fixed size,
    /// never null and without a condition, its values are decoded right into `memory`. Anything else, and values that
    /// do not fit in the memory, are returned as a batch.
    ///
    /// # Errors
    /// Those of the batches; the memory may then contain a part of the values.
    pub fn next_into(&mut self, memory: &mut [u8]) -> Result<Option<NextCells>, QueryError> {
        if self.is_done {
            return Ok(None);
        }
        let session = self.steps.session.clone();
        let next = session.counters().batches.time(|| self.next_cells(memory));
        self.is_done = !matches!(next, Ok(Some(_)));
        next
    }

    fn next_cells(&mut self, memory: &mut [u8]) -> Result<Option<NextCells>, QueryError> {
        loop {
            match self.drive(memory) {
                Ok(cells) => {
                    self.has_given = true;
                    return Ok(cells);
                }
                Err(error) => self.look_again(error)?,
            }
        }
    }

    /// Drives the read until it has cells.
    fn drive(&mut self, memory: &mut [u8]) -> Result<Option<NextCells>, QueryError> {
        self.plan()?;
        loop {
            match self.steps.next(memory)? {
                Step::Wait(fetch) => self.wait(fetch)?,
                Step::Further => {}
                Step::Cells(cells) => return Ok(Some(cells)),
                Step::Done => return Ok(None),
            }
        }
    }

    /// Returns the next batch, or what has to be fetched of a far store before there is one: for callers that wait for
    /// it by other means than a thread. Neither waits for a far store, unless an array has to be opened again, but
    /// decodes, and so keeps the thread busy.
    ///
    /// # Errors
    /// Those of the batches.
    pub fn advance(&mut self) -> Result<Advance, QueryError> {
        let session = self.steps.session.clone();
        let counters = session.counters();
        let stage = if self.steps.read.is_planned() {
            &counters.batches
        } else {
            &counters.plan
        };
        stage.time(|| {
            loop {
                match self.steps.next(&mut []) {
                    Ok(Step::Wait(fetch)) => return Ok(Advance::Wait(fetch)),
                    Ok(Step::Further) => {}
                    Ok(Step::Cells(NextCells::Batch(batch))) => {
                        self.has_given = true;
                        return Ok(Advance::Batch(batch));
                    }
                    Ok(Step::Cells(NextCells::Written(_))) => return Err(written_nowhere()),
                    Ok(Step::Done) => return Ok(Advance::Done),
                    Err(error) => self.look_again(error)?,
                }
            }
        })
    }

    /// Accepts the answers to the [reads](Fetch::reads) that [`Reader::advance`] asked for, in their order.
    ///
    /// # Errors
    /// Those of the batches.
    pub fn accept(
        &mut self,
        fetch: Fetch,
        answers: Vec<Result<StoredPiece, StoreError>>,
    ) -> Result<(), QueryError> {
        match self.steps.accept(fetch, answers) {
            Ok(()) => Ok(()),
            Err(error) => self.look_again(error),
        }
    }

    /// Waits for what a far store is asked for.
    fn wait(&mut self, fetch: Fetch) -> Result<(), QueryError> {
        let answers = fetch.reads().read(&**self.steps.array.store());
        self.steps.accept(fetch, answers)
    }
}

impl Iterator for Reader {
    type Item = Result<Batch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_into(&mut []).transpose()? {
            Ok(NextCells::Batch(batch)) => Some(Ok(batch)),
            Ok(NextCells::Written(_)) => Some(Err(written_nowhere())),
            Err(error) => Some(Err(error)),
        }
    }
}

fn written_nowhere() -> QueryError {
    Bug::new("cells were written into memory that is none").into()
}

/// Returns the options with ranges of labels replaced by ranges of dimensions. Oddities of the arrays of labels are
/// added to `warnings`.
fn resolve_labels(
    session: &Session,
    array: &Array,
    options: &ReadOptions,
    warnings: &mut Vec<String>,
) -> Result<ReadOptions, QueryError> {
    let mut options = options.clone();
    let mut found = Vec::new();
    for (name, range) in std::mem::take(&mut options.label_ranges) {
        let mut search = LabelSearch::new(array, &name, &range)?;
        let labels = Arc::new(array.open_label(search.label())?);
        let odd = labels.warnings().iter();
        warnings.extend(odd.map(|warning| format!("label {name:?}: {warning}")));
        for batch in Reader::open(session, &labels, &search.options(&labels)?)? {
            search.add(&batch?)?;
        }
        found.push(FoundLabels {
            range: search.finish().map(|(_, range)| range),
            label: name,
        });
    }
    narrow_by_labels(&mut options, array.schema(), &found)?;
    Ok(options)
}
