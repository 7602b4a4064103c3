//! Drives a read with a store, on the threads of a session.

use std::sync::Arc;

use tdb_array::{Array, Delete};
use tdb_cells::{Batch, FieldInfo, Session, WholeTiles};
use tdb_store::Distance;

use crate::ahead::Ahead;
use crate::options::ReadOptions;
use crate::piece::{Decoded, Piece};
use crate::read::{Next, Read};
use crate::sparse::Tally;
use crate::{QueryError, labels};

/// The cells of a read, batch by batch.
///
/// Each batch fits the session's memory; together they are the result, in its order. It is a [`Read`] with its driver.
#[derive(Debug)]
pub struct Reader {
    session: Session,
    array: Arc<Array>,
    read: Read,
    /// What was fetched of a store that is far away, and is still to be decoded.
    ahead: Ahead,
    warnings: Vec<String>,
    is_done: bool,
}

impl Reader {
    /// Begins to read an array, with the threads and the memory of a session.
    ///
    /// # Errors
    /// [`QueryError::Invalid`] where the request does not fit the array; what opening its fragments finds.
    pub fn open(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
    ) -> Result<Self, QueryError> {
        let plan = &session.counters().plan;
        plan.time(|| {
            let mut warnings = Vec::new();
            let options = labels::resolve(session, array, options, &mut warnings)?;
            let read = Read::new(session, array.snapshot(), &options)?;
            Self::plan(session, array, read, warnings)
        })
    }

    /// Counts the cells that a condition fits and that a delete would take.
    pub(crate) fn tally(
        session: &Session,
        array: &Arc<Array>,
        options: &ReadOptions,
        delete: Option<&Delete>,
    ) -> Result<Tally, QueryError> {
        let read = Read::counting(session, array.snapshot(), options, delete)?;
        let mut reader = Self::plan(session, array, read, Vec::new())?;
        reader.read.count()?;
        while reader.next_batch()?.is_some() {}
        reader.read.tally()
    }

    fn plan(
        session: &Session,
        array: &Arc<Array>,
        read: Read,
        mut warnings: Vec<String>,
    ) -> Result<Self, QueryError> {
        let mut reader = Self {
            session: session.clone(),
            array: Arc::clone(array),
            read,
            ahead: Ahead::default(),
            warnings: Vec::new(),
            is_done: false,
        };
        while !reader.read.is_planned() {
            let next = reader.read.next()?;
            reader.step(next)?;
        }
        warnings.extend_from_slice(reader.read.warnings());
        reader.warnings = warnings;
        Ok(reader)
    }

    /// What the columns of each batch are.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        self.read.fields()
    }

    /// What was asked for and cannot be given; what is odd about labels that were read.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many cells so far have fill values because they failed the condition: [`Failing::Fill`](crate::Failing::Fill).
    #[must_use]
    pub fn filled(&self) -> u64 {
        self.read.filled()
    }

    /// As [`Read::whole_tiles`].
    ///
    /// # Errors
    /// Those of reading, and of `allows`.
    pub fn whole_tiles<E: From<QueryError>>(
        &mut self,
        allows: &mut dyn FnMut(usize) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        let (session, store) = (&self.session, self.array.store());
        let decode = |piece: Piece| -> Result<Decoded, QueryError> { piece.decode(session, store) };
        self.read.whole_tiles(&decode, allows)
    }

    /// The loop that drives the read, until it has cells.
    fn next_batch(&mut self) -> Result<Option<Batch>, QueryError> {
        loop {
            let next = self.read.next()?;
            if let Some(batch) = self.step(next)? {
                return Ok(batch);
            }
        }
    }

    /// Fetches what a read asks for; the batch, or the end, once it has one.
    fn step(&mut self, next: Next) -> Result<Option<Option<Batch>>, QueryError> {
        match next {
            Next::Need(reads) => {
                let (_held, pieces) = self.array.fetch(&reads)?;
                self.read.answer(pieces)?;
                Ok(None)
            }
            Next::Work(piece) => {
                let store = self.array.store();
                let decoded = match store.distance() {
                    Distance::Near => piece.decode(&self.session, store)?,
                    Distance::Far { gap } => {
                        let budget = &self.session.limits().budget;
                        let fetched = self
                            .ahead
                            .fetch(&**store, gap, &self.read, &piece, budget)?;
                        piece.decode(&self.session, &fetched.bytes)?
                    }
                };
                self.read.take(decoded)?;
                Ok(None)
            }
            Next::Batch(batch) => Ok(Some(Some(batch))),
            Next::Done => Ok(Some(None)),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Batch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let session = self.session.clone();
        let next = session.counters().batches.time(|| self.next_batch());
        self.is_done = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}
