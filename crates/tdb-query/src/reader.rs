//! Synchronous driver of a [`Read`]: fetches from a store, and decodes on the threads of a session.

use std::sync::Arc;

use tdb_array::{Array, Delete, ErrorKind};
use tdb_cells::{Batch, FieldInfo, Session, TileBytes, WholeTiles};
use tdb_fragment::FragmentIndex;
use tdb_store::{Distance, Store};
use tdb_tile::Bug;

use crate::ahead::Ahead;
use crate::labels::{FoundLabels, narrow_by_labels};
use crate::options::{ReadOptions, Versions};
use crate::piece::{DecodedPiece, Piece};
use crate::planning::Purpose;
use crate::read::{Next, Read};
use crate::sparse::Tally;
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
    session: Session,
    array: Arc<Array>,
    asked: ReaderRequest,
    read: Read,
    /// Bytes fetched from a far store that are not decoded yet.
    ahead: Ahead,
    warnings: Vec<String>,
    /// Whether cells were returned, or tiles were returned for copying.
    has_given: bool,
    is_done: bool,
}

/// Result of [`Reader::next_into`].
#[derive(Debug)]
pub enum NextCells {
    /// The values were written to the start of the memory; the number of bytes.
    Written(usize),
    /// A batch of cells.
    Batch(Batch),
}

/// Arguments that a read is begun with, kept to begin it again.
#[derive(Debug)]
struct ReaderRequest {
    options: ReadOptions,
    purpose: Purpose,
}

impl ReaderRequest {
    fn begin(&self, session: &Session, array: &Array) -> Result<Read, QueryError> {
        let mut read = Read::begin(session, array.snapshot(), &self.options, &self.purpose)?;
        if matches!(array.store().distance(), Distance::Near) {
            read.load_in_portions();
        }
        Ok(read)
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
            Self::begin(session, array, asked, warnings)
        })
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
        let mut reader = Self::begin(session, array, asked, Vec::new())?;
        while reader.next_cells(&mut [])?.is_some() {}
        reader.read.tally()
    }

    fn begin(
        session: &Session,
        array: &Arc<Array>,
        asked: ReaderRequest,
        mut warnings: Vec<String>,
    ) -> Result<Self, QueryError> {
        let mut reader = Self {
            session: session.clone(),
            array: Arc::clone(array),
            read: asked.begin(session, array)?,
            asked,
            ahead: Ahead::default(),
            warnings: Vec::new(),
            has_given: false,
            is_done: false,
        };
        while let Err(error) = reader.plan() {
            reader.look_again(error)?;
        }
        warnings.extend_from_slice(reader.read.warnings());
        reader.warnings = warnings;
        Ok(reader)
    }

    /// Drives the read until its tiles are known.
    fn plan(&mut self) -> Result<(), QueryError> {
        while !self.read.is_planned() {
            self.step(&mut [])?;
        }
        match self.asked.purpose {
            Purpose::Tally(_) => self.read.count(),
            Purpose::Cells => Ok(()),
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
        let Ok(Some(again)) = self.array.again() else {
            return Err(error);
        };
        let names = |array: &Array| -> Vec<String> {
            let fragments = array.fragments().iter();
            fragments.map(|f| f.name.as_str().to_owned()).collect()
        };
        if names(&again) == names(&self.array) {
            return Err(error);
        }
        if self.has_given {
            let source = Box::new(error);
            return Err(QueryError::Vanished { source });
        }
        self.array = Arc::new(again);
        self.ahead = Ahead::default();
        self.read = self.asked.begin(&self.session, &self.array)?;
        Ok(())
    }

    /// Returns the columns of each batch.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        self.read.fields()
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
        self.read.filled()
    }

    /// Like [`Read::whole_tiles`].
    ///
    /// # Errors
    /// Errors of reading, and of `allows`.
    pub fn whole_tiles<E: From<QueryError>>(
        &mut self,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        let (session, store) = (&self.session, self.array.store());
        let decode = |piece: Piece| -> Result<DecodedPiece, QueryError> {
            let decoder = PieceDecoder {
                session,
                store,
                ahead: &mut Ahead::default(),
                read: None,
            };
            decoder.decode(piece, None)
        };
        let whole = self.read.whole_tiles(&decode, allows)?;
        self.has_given |= whole.is_some();
        Ok(whole)
    }

    /// Returns the array that is read. If fragments had vanished, this is a new opening of the array that was passed
    /// in.
    #[must_use]
    pub fn array(&self) -> &Arc<Array> {
        &self.array
    }

    /// Like [`Read::chosen_tiles`].
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        self.read.chosen_tiles()
    }

    /// Like [`Read::lone_tiles`].
    ///
    /// # Errors
    /// [`QueryError::Bug`].
    pub fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        self.read.lone_tiles()
    }

    /// Like [`Read::leave_out`]. From then on, vanished fragments are an error.
    ///
    /// # Errors
    /// Tiles that are not among the [`Reader::lone_tiles`].
    pub fn leave_out(&mut self, tiles: &[LoneTiles]) -> Result<(), QueryError> {
        self.has_given = true;
        self.read.leave_out(tiles)
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
        let session = self.session.clone();
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
            if let Some(cells) = self.step(memory)? {
                return Ok(cells);
            }
        }
    }

    /// Does the next step of the read. Returns `None` if it has no cells yet, `Some(None)` at the end.
    fn step(&mut self, memory: &mut [u8]) -> Result<Option<Option<NextCells>>, QueryError> {
        match self.read.next()? {
            Next::Need(reads) => {
                let (_held, pieces) = self.array.fetch(&reads)?;
                self.read.answer(pieces)?;
                Ok(None)
            }
            Next::Work(piece) => {
                let size = self.read.next_bytes().filter(|size| *size > 0);
                let place = size.and_then(|size| memory.get_mut(..size));
                let written = place.as_ref().map(|place| NextCells::Written(place.len()));
                let decoder = PieceDecoder {
                    session: &self.session,
                    store: self.array.store(),
                    ahead: &mut self.ahead,
                    read: Some(&self.read),
                };
                let decoded = decoder.decode(piece, place)?;
                self.read.take(decoded)?;
                Ok(written.map(Some))
            }
            Next::Batch(batch) => Ok(Some(Some(NextCells::Batch(batch)))),
            Next::Done => Ok(Some(None)),
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Batch, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_into(&mut []).transpose()? {
            Ok(NextCells::Batch(batch)) => Some(Ok(batch)),
            Ok(NextCells::Written(_)) => {
                let bug = Bug::new("cells were written into memory that is none");
                Some(Err(bug.into()))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// Decodes the pieces of a read.
struct PieceDecoder<'a> {
    session: &'a Session,
    store: &'a Arc<dyn Store>,
    /// Bytes of a far store that were fetched before.
    ahead: &'a mut Ahead,
    /// The read that says which bytes it needs later.
    read: Option<&'a Read>,
}

impl PieceDecoder<'_> {
    /// Decodes a piece, into `memory` if given, which it [fills](Piece::decode_into). Bytes of a far store are fetched
    /// first, with one wait, together with some that the read needs later.
    fn decode(self, piece: Piece, memory: Option<&mut [u8]>) -> Result<DecodedPiece, QueryError> {
        let Self {
            session,
            store,
            ahead,
            read,
        } = self;
        let decode = |piece: Piece, bytes: &dyn TileBytes| match memory {
            Some(memory) => piece.decode_into(session, bytes, memory),
            None => piece.decode(session, bytes),
        };
        match store.distance() {
            Distance::Near => decode(piece, store),
            Distance::Far { gap } => {
                let budget = &session.limits().budget;
                let fetched = ahead.fetch(&**store, gap, read, &piece, budget)?;
                decode(piece, &fetched.bytes)
            }
        }
    }
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
