//! Steps of a read over an array: bytes of a near store are read where they are needed, those of a far one have to be
//! waited for.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{Batch, Session};
use tdb_store::{Distance, JoinedReads, Piece as StoredPiece, Read as Wish, Store, StoreError};
use tdb_tile::{Bug, Grant};

use crate::QueryError;
use crate::ahead::{Ahead, AheadFetch, PieceBytes};
use crate::piece::{DecodedPiece, Piece};
use crate::read::{Next, Read};

/// Byte ranges of a far store that a [`Reader`](crate::Reader) has to wait for, with the memory for their bytes.
#[derive(Debug)]
pub struct Fetch(Box<Fetching>);

#[derive(Debug)]
enum Fetching {
    /// Metadata that planning needs.
    Metadata { joined: JoinedReads, _held: Grant },
    /// Tiles of a piece, and of others that are likely to follow.
    Tiles {
        fetch: AheadFetch,
        piece: Box<PieceToDecode>,
    },
}

impl Fetch {
    /// Returns the ranges.
    #[must_use]
    pub fn reads(&self) -> &JoinedReads {
        match &*self.0 {
            Fetching::Metadata { joined, .. } => joined,
            Fetching::Tiles { fetch, .. } => &fetch.joined,
        }
    }
}

/// Result of a step.
#[derive(Debug)]
pub(crate) enum Step {
    /// Bytes have to be fetched, and given to [`Steps::accept`], before the next step.
    Wait(Fetch),
    /// There is no result yet.
    Further,
    Cells(NextCells),
    Done,
}

/// Result of [`Reader::next_into`](crate::Reader::next_into).
#[derive(Debug)]
pub enum NextCells {
    /// The values were written to the start of the memory; the number of bytes.
    Written(usize),
    /// A batch of cells.
    Batch(Batch),
}

/// Piece with its byte ranges.
#[derive(Debug)]
struct PieceToDecode {
    piece: Piece,
    wishes: Vec<Wish>,
}

/// A read over an array, with the bytes that were fetched for it ahead.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) read: Read,
    pub(crate) session: Session,
    pub(crate) array: Arc<Array>,
    /// Bytes fetched from a far store that are not decoded yet.
    ahead: Ahead,
    /// Piece whose bytes were fetched.
    fetched: Option<Box<PieceToDecode>>,
}

impl Steps {
    pub(crate) fn new(mut read: Read, session: Session, array: Arc<Array>) -> Self {
        if matches!(array.store().distance(), Distance::Near) {
            read.load_in_portions();
        }
        Self {
            read,
            session,
            array,
            ahead: Ahead::default(),
            fetched: None,
        }
    }

    /// Does the next step. Values that [just fill](Read::next_bytes) the start of `memory` are decoded into it.
    pub(crate) fn next(&mut self, memory: &mut [u8]) -> Result<Step, QueryError> {
        if let Some(fetched) = self.fetched.take() {
            let PieceToDecode { piece, wishes } = *fetched;
            let fetched = self.ahead.take(&wishes)?;
            return self.decode(piece, Some(&fetched), memory);
        }
        match self.read.next()? {
            Next::Need(reads) => self.need(&reads),
            Next::Work(piece) => self.work(piece, memory),
            Next::Batch(batch) => Ok(Step::Cells(NextCells::Batch(batch))),
            Next::Done => Ok(Step::Done),
        }
    }

    fn need(&mut self, reads: &[Wish]) -> Result<Step, QueryError> {
        match self.array.store().distance() {
            Distance::Near => {
                let (_held, pieces) = self.array.fetch(reads)?;
                self.read.answer(pieces)?;
                Ok(Step::Further)
            }
            Distance::Far { .. } => {
                let (held, joined) = self.array.join(reads)?;
                let fetching = Fetching::Metadata {
                    joined,
                    _held: held,
                };
                Ok(Step::Wait(Fetch(Box::new(fetching))))
            }
        }
    }

    fn work(&mut self, piece: Piece, memory: &mut [u8]) -> Result<Step, QueryError> {
        let Distance::Far { gap } = self.array.store().distance() else {
            return self.decode(piece, None, memory);
        };
        let (wishes, budget) = (piece.reads()?, &self.session.limits().budget);
        let missing = self
            .ahead
            .missing(gap, Some(&self.read), &piece, &wishes, budget)?;
        let piece = Box::new(PieceToDecode { piece, wishes });
        match missing {
            Some(fetch) => {
                let fetching = Fetching::Tiles { fetch, piece };
                Ok(Step::Wait(Fetch(Box::new(fetching))))
            }
            None => {
                self.fetched = Some(piece);
                Ok(Step::Further)
            }
        }
    }

    /// Decodes a piece, of the bytes that were fetched for it, or else of the store.
    fn decode(
        &mut self,
        piece: Piece,
        fetched: Option<&PieceBytes>,
        memory: &mut [u8],
    ) -> Result<Step, QueryError> {
        let size = self.read.next_bytes().filter(|size| *size > 0);
        let place = size.and_then(|size| memory.get_mut(..size));
        let written = place.as_ref().map(|place| NextCells::Written(place.len()));
        let store = self.array.store();
        let decoded = match (fetched, place) {
            (Some(fetched), Some(memory)) => {
                piece.decode_into(&self.session, &fetched.bytes, memory)
            }
            (Some(fetched), None) => piece.decode(&self.session, &fetched.bytes),
            (None, Some(memory)) => piece.decode_into(&self.session, store, memory),
            (None, None) => piece.decode(&self.session, store),
        };
        self.read.take(decoded?)?;
        Ok(written.map_or(Step::Further, Step::Cells))
    }

    /// Accepts the answers to the [reads](Fetch::reads) of the last step.
    pub(crate) fn accept(
        &mut self,
        fetch: Fetch,
        answers: Vec<Result<StoredPiece, StoreError>>,
    ) -> Result<(), QueryError> {
        match *fetch.0 {
            Fetching::Metadata { _held, .. } => {
                let pieces = answers.into_iter().collect::<Result<_, _>>();
                self.read
                    .answer(pieces.map_err(tdb_array::ArrayError::from)?)
            }
            Fetching::Tiles { fetch, piece } => {
                self.ahead.keep(fetch, answers)?;
                match self.fetched.replace(piece) {
                    None => Ok(()),
                    Some(_) => Err(Bug::new("bytes of a piece while another is decoded").into()),
                }
            }
        }
    }
}

/// Decodes a piece whose bytes are waited for, and nothing else.
pub(crate) fn decode_alone(
    session: &Session,
    store: &Arc<dyn Store>,
    piece: Piece,
) -> Result<DecodedPiece, QueryError> {
    let Distance::Far { gap } = store.distance() else {
        return piece.decode(session, store);
    };
    let (mut ahead, wishes) = (Ahead::default(), piece.reads()?);
    let budget = &session.limits().budget;
    if let Some(fetch) = ahead.missing(gap, None, &piece, &wishes, budget)? {
        let answers = fetch.joined.read(&**store);
        ahead.keep(fetch, answers)?;
    }
    piece.decode(session, &ahead.take(&wishes)?.bytes)
}
