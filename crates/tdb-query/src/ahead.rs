//! Prefetching: bytes of a far store that are fetched before they are needed.

use std::collections::{HashMap, HashSet};

use tdb_array::ArrayError;
use tdb_cells::Fetched;
use tdb_store::{ByteRange, Piece as StoredPiece, Read as Wish, Store, read_coalesced};
use tdb_tile::{Budget, Bug, Grant};

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
    /// The bytes of a piece. If some of them are missing, they are fetched together with the bytes of later pieces,
    /// as many of those of `read` as a part of the memory holds, with one wait for all.
    pub(crate) fn fetch(
        &mut self,
        store: &dyn Store,
        gap: u64,
        read: Option<&Read>,
        piece: &Piece,
        budget: &Budget,
    ) -> Result<PieceBytes, QueryError> {
        let wishes = piece.reads()?;
        if wishes.iter().any(|wish| !self.pieces.contains_key(wish)) {
            let mut known: HashSet<Wish> = self.pieces.keys().cloned().collect();
            let mut new = Vec::new();
            for wish in &wishes {
                if known.insert(wish.clone()) {
                    new.push((wish.clone(), budget.take(size_of(wish))?));
                }
            }
            let needed = new.len();
            let most = MOST.min(budget.left() / 4);
            let ahead = read.map_or(Ok(Vec::new()), |read| read.ahead(most))?;
            for wish in ahead {
                if !known.insert(wish.clone()) {
                    continue;
                }
                // There may be no memory for more.
                let Ok(held) = budget.take(size_of(&wish)) else {
                    break;
                };
                new.push((wish, held));
            }
            self.ask(store, gap, new, needed)?;
        }
        let missing = || Bug::new("bytes that were fetched are not here");
        let (mut pieces, mut held) = (HashMap::new(), Vec::new());
        for wish in &wishes {
            if let Some((piece, grant)) = self.pieces.remove(wish) {
                pieces.insert(wish, piece);
                held.push(grant);
            }
        }
        // Damaged metadata may name the same bytes for two tiles.
        let own = wishes.iter().map(|wish| pieces.get(wish).cloned());
        let pieces = own.map(|piece| piece.ok_or_else(missing));
        let pieces = pieces.collect::<Result<Vec<StoredPiece>, Bug>>()?;
        Ok(PieceBytes {
            bytes: Fetched::new(&wishes, pieces),
            _held: held,
        })
    }

    /// Fetches these ranges. A failure is an error only for the first `needed` of them, which are needed now; the
    /// others are fetched again when they are needed.
    fn ask(
        &mut self,
        store: &dyn Store,
        gap: u64,
        new: Vec<(Wish, Grant)>,
        needed: usize,
    ) -> Result<(), QueryError> {
        let wishes: Vec<Wish> = new.iter().map(|(wish, _)| wish.clone()).collect();
        let answers = read_coalesced(store, &wishes, gap, MOST);
        for (number, ((wish, held), answer)) in new.into_iter().zip(answers).enumerate() {
            match answer {
                Ok(piece) => {
                    self.pieces.insert(wish, (piece, held));
                }
                Err(error) if number < needed => return Err(ArrayError::from(error).into()),
                Err(_) => {}
            }
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
