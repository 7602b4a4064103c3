//! Bytes of a far store that are asked for before they are needed.

use std::collections::HashMap;

use tdb_array::ArrayError;
use tdb_cells::Fetched;
use tdb_store::{ByteRange, Piece as StoredPiece, Read as Wish, Store, read_coalesced};
use tdb_tile::{Budget, Bug, Grant, LimitError};

use crate::QueryError;
use crate::piece::Piece;
use crate::read::Read;

/// Bytes that are asked for ahead at most, and in one request.
const MOST: u64 = 64 << 20;

/// What was fetched of a far store and not used yet.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    pieces: HashMap<Wish, (StoredPiece, Grant)>,
}

/// The bytes of one piece of a read, and the memory that they take.
pub(crate) struct PieceBytes {
    pub(crate) bytes: Fetched,
    _held: Vec<Grant>,
}

impl Ahead {
    /// The bytes of a piece. Where some of them are not here yet, they are asked for together with those of the pieces to
    /// come, as many as a part of the memory holds: that is one wait for all of them.
    pub(crate) fn fetch(
        &mut self,
        store: &dyn Store,
        gap: u64,
        read: &Read,
        piece: &Piece,
        budget: &Budget,
    ) -> Result<PieceBytes, QueryError> {
        let wishes = piece.reads()?;
        if wishes.iter().any(|wish| !self.pieces.contains_key(wish)) {
            let mut new = Vec::new();
            for wish in &wishes {
                self.want(wish, budget.take(size_of(wish)), &mut new)?;
            }
            for wish in read.ahead(MOST.min(budget.left() / 4))? {
                if self
                    .want(&wish, budget.take(size_of(&wish)), &mut new)
                    .is_err()
                {
                    // There is no memory for more.
                    break;
                }
            }
            self.ask(store, gap, new)?;
        }
        let missing = || Bug::new("bytes that were fetched are not here");
        let (mut pieces, mut held) = (Vec::new(), Vec::new());
        for wish in &wishes {
            let (piece, grant) = self.pieces.remove(wish).ok_or_else(missing)?;
            pieces.push(piece);
            held.push(grant);
        }
        Ok(PieceBytes {
            bytes: Fetched::new(&wishes, pieces),
            _held: held,
        })
    }

    /// Adds what is neither here nor on the list.
    fn want(
        &self,
        wish: &Wish,
        held: Result<Grant, LimitError>,
        new: &mut Vec<(Wish, Grant)>,
    ) -> Result<(), QueryError> {
        if !self.pieces.contains_key(wish) {
            new.push((wish.clone(), held?));
        }
        Ok(())
    }

    fn ask(
        &mut self,
        store: &dyn Store,
        gap: u64,
        new: Vec<(Wish, Grant)>,
    ) -> Result<(), QueryError> {
        let wishes: Vec<Wish> = new.iter().map(|(wish, _)| wish.clone()).collect();
        let answers = read_coalesced(store, &wishes, gap, MOST);
        for ((wish, held), answer) in new.into_iter().zip(answers) {
            let piece = answer.map_err(ArrayError::from)?;
            self.pieces.insert(wish, (piece, held));
        }
        Ok(())
    }
}

/// The bytes that a read of a tile gives.
fn size_of(wish: &Wish) -> u64 {
    match wish.range {
        ByteRange::Bounded { len, .. } => len,
        // Tiles are bounded.
        ByteRange::Whole | ByteRange::From(_) | ByteRange::Tail(_) => wish.limit,
    }
}
