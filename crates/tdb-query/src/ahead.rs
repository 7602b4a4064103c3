//! Prefetching: bytes of a far store that are fetched before they are needed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tdb_array::ArrayError;
use tdb_cells::FetchedBytes;
use tdb_store::{ByteRange, JoinedReads, Piece as StoredPiece, Read as Wish, StoreError};
use tdb_tile::{Budget, Bug, Grant};

use crate::QueryError;
use crate::piece::Piece;
use crate::read::Read;

/// Maximum number of bytes that are fetched ahead, and that one request asks for.
const MOST: u64 = 64 << 20;

/// Ranges that the tiles of a piece may need later are fetched with the piece if they have at most GAPS times the
/// bytes of a gap. Requests to several objects run side by side, so one wait is worth a gap for each of them.
const GAPS: u128 = 8;

/// Bytes that were fetched from a far store and are not used yet.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    pieces: HashMap<Wish, Fetch>,
    /// Fetched ranges that may turn out not to be needed.
    likely: HashSet<Wish>,
}

/// Fetched bytes, with the grant for their memory.
#[derive(Debug)]
struct Fetch {
    piece: StoredPiece,
    held: FetchGrants,
}

/// Grants for fetched bytes, and for the bytes between them and others that the same request fetched.
#[derive(Debug)]
struct FetchGrants {
    _own: Grant,
    _between: Option<Arc<Grant>>,
}

/// Bytes of one piece of a read, with the grants for their memory.
pub(crate) struct PieceBytes {
    pub(crate) bytes: FetchedBytes,
    _held: Vec<FetchGrants>,
}

/// Ranges to fetch, each with the grant for its bytes; the `needed` first ones are needed now.
#[derive(Debug)]
struct Wishes {
    new: Vec<(Wish, Grant)>,
    known: HashSet<Wish>,
    needed: usize,
}

impl Wishes {
    /// Adds the ranges that are not known already, in order, until the budget has no memory left.
    fn add(&mut self, wishes: &[Wish], budget: &Budget) {
        for wish in wishes {
            if !self.known.insert(wish.clone()) {
                continue;
            }
            let Ok(held) = budget.take(size_of(wish)) else {
                break;
            };
            self.new.push((wish.clone(), held));
        }
    }
}

/// Ranges that are to be fetched for a piece, with the grants for their memory.
#[derive(Debug)]
pub(crate) struct AheadFetch {
    pub(crate) joined: JoinedReads,
    wishes: Wishes,
    /// Grant for the bytes between the ranges.
    between: Option<Arc<Grant>>,
}

impl Ahead {
    /// Returns what has to be fetched before a piece with the byte ranges `wishes` can be decoded; `None` if all of it is
    /// here. The ranges that the same tiles may need later are fetched as well, if those are small, and the bytes of
    /// later pieces of `read`, up to a quarter of the memory that is left.
    pub(crate) fn missing(
        &mut self,
        gap: u64,
        read: Option<&Read>,
        piece: &Piece,
        wishes: &[Wish],
        budget: &Budget,
    ) -> Result<Option<AheadFetch>, QueryError> {
        let likely = if read.is_some() {
            piece.likely()?
        } else {
            Vec::new()
        };
        self.forget(wishes, &likely);
        if wishes.iter().all(|wish| self.pieces.contains_key(wish)) {
            return Ok(None);
        }
        let mut asked = self.needed(wishes, budget)?;
        let bytes: u128 = likely.iter().map(|wish| u128::from(size_of(wish))).sum();
        let are_few = bytes.div_ceil(GAPS) <= u128::from(gap);
        if are_few && bytes <= u128::from(budget.left() / 4) {
            asked.add(&likely, budget);
            self.likely.extend(likely);
        }
        let most = MOST.min(budget.left() / 4);
        let ahead = read.map_or(Ok(Vec::new()), |read| read.ahead(most))?;
        asked.add(&ahead, budget);
        Ok(Some(AheadFetch::new(asked, gap, budget)))
    }

    /// Hands out the bytes of a piece, which were fetched.
    pub(crate) fn take(&mut self, wishes: &[Wish]) -> Result<PieceBytes, QueryError> {
        let missing = || Bug::new("bytes that were fetched are not here");
        let (mut pieces, mut held) = (HashMap::new(), Vec::new());
        for wish in wishes {
            if let Some(fetch) = self.pieces.remove(wish) {
                pieces.insert(wish, fetch.piece);
                held.push(fetch.held);
            }
        }
        // Damaged metadata may give two tiles the same byte range.
        let own = wishes.iter().map(|wish| pieces.get(wish).cloned());
        let pieces = own
            .map(|piece| piece.ok_or_else(missing))
            .collect::<Result<Vec<StoredPiece>, Bug>>()?;
        Ok(PieceBytes {
            bytes: FetchedBytes::new(wishes, pieces),
            _held: held,
        })
    }

    /// Drops fetched ranges that were likely to be needed and no longer are.
    fn forget(&mut self, wishes: &[Wish], likely: &[Wish]) {
        if self.likely.is_empty() {
            return;
        }
        let left: HashSet<&Wish> = wishes.iter().chain(likely).collect();
        let (kept, gone): (HashSet<Wish>, HashSet<Wish>) =
            self.likely.drain().partition(|wish| left.contains(wish));
        self.likely = kept;
        self.pieces.retain(|wish, _| !gone.contains(wish));
    }

    /// Returns the ranges that are needed now and were not fetched yet.
    fn needed(&self, wishes: &[Wish], budget: &Budget) -> Result<Wishes, QueryError> {
        let mut asked = Wishes {
            new: Vec::new(),
            known: self.pieces.keys().cloned().collect(),
            needed: 0,
        };
        for wish in wishes {
            if asked.known.insert(wish.clone()) {
                asked.new.push((wish.clone(), budget.take(size_of(wish))?));
            }
        }
        asked.needed = asked.new.len();
        Ok(asked)
    }

    /// Keeps fetched ranges. A failure is an error only for the ranges that are needed now; the others are fetched again
    /// when they are needed.
    pub(crate) fn keep(
        &mut self,
        fetch: AheadFetch,
        answers: Vec<Result<StoredPiece, StoreError>>,
    ) -> Result<(), QueryError> {
        let AheadFetch {
            wishes, between, ..
        } = fetch;
        for (number, ((wish, own), answer)) in wishes.new.into_iter().zip(answers).enumerate() {
            match answer {
                Ok(piece) => {
                    let held = FetchGrants {
                        _own: own,
                        _between: between.clone(),
                    };
                    self.pieces.insert(wish, Fetch { piece, held });
                }
                Err(error) if number < wishes.needed => {
                    return Err(ArrayError::from(error).into());
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

impl AheadFetch {
    fn new(asked: Wishes, gap: u64, budget: &Budget) -> Self {
        let wishes: Vec<Wish> = asked.new.iter().map(|(wish, _)| wish.clone()).collect();
        let bytes: u128 = wishes.iter().map(|wish| u128::from(size_of(wish))).sum();
        let mut joined = JoinedReads::new(&wishes, gap, MOST);
        // Ranges that overlap are joined to less than the sum of them, and have nothing between them.
        let more = u64::try_from(bytes).map_or(0, |all| joined.bytes().saturating_sub(all));
        let between = match budget.take(more) {
            Ok(held) => Some(Arc::new(held)),
            // If there is no memory for the bytes between the ranges, each range is read alone.
            Err(_) => {
                joined = JoinedReads::new(&wishes, 0, MOST);
                None
            }
        };
        Self {
            joined,
            wishes: asked,
            between,
        }
    }
}

/// Returns the number of bytes of a range.
fn size_of(wish: &Wish) -> u64 {
    match wish.range {
        ByteRange::Bounded { len, .. } => len,
        // Reads of tiles are bounded; the other kinds are counted by their limit.
        ByteRange::Whole | ByteRange::From(_) | ByteRange::Tail(_) => wish.limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdb_store::{MemoryStore, Store};

    /// Returns two ranges of 10 bytes, 80 bytes apart.
    fn asked(budget: &Budget) -> Wishes {
        let mut asked = Wishes {
            new: Vec::new(),
            known: HashSet::new(),
            needed: 2,
        };
        let wishes = [Wish::bounded("a", 0, 10), Wish::bounded("a", 90, 10)];
        asked.add(&wishes, budget);
        asked
    }

    fn store() -> MemoryStore {
        let store = MemoryStore::new();
        store.put("a", vec![7; 100].into()).unwrap();
        store.take_counts();
        store
    }

    fn fetch(ahead: &mut Ahead, store: &dyn Store, gap: u64, budget: &Budget) {
        let fetch = AheadFetch::new(asked(budget), gap, budget);
        let answers = fetch.joined.read(store);
        ahead.keep(fetch, answers).unwrap();
    }

    #[test]
    fn bytes_between_ranges_count_for_as_long_as_any_of_these_is_there() {
        let (store, budget) = (store(), Budget::new(1000));
        let mut ahead = Ahead::default();
        fetch(&mut ahead, &store, 80, &budget);
        assert_eq!((store.take_counts().reads, budget.used()), (1, 100));
        ahead.pieces.remove(&Wish::bounded("a", 0, 10));
        assert_eq!(budget.used(), 90);
        ahead.pieces.clear();
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn without_memory_for_bytes_between_ranges_each_is_read_alone() {
        let (store, budget) = (store(), Budget::new(99));
        let mut ahead = Ahead::default();
        fetch(&mut ahead, &store, 80, &budget);
        let counts = store.take_counts();
        assert_eq!((counts.reads, counts.bytes, budget.used()), (2, 20, 20));
    }

    #[test]
    fn what_was_likely_is_dropped_once_it_is_not() {
        let (store, budget) = (store(), Budget::new(1000));
        let mut ahead = Ahead::default();
        fetch(&mut ahead, &store, 0, &budget);
        let first = Wish::bounded("a", 0, 10);
        ahead.likely.extend(ahead.pieces.keys().cloned());
        ahead.forget(&[], std::slice::from_ref(&first));
        assert_eq!((ahead.pieces.len(), budget.used()), (1, 10));
        ahead.forget(&[first], &[]);
        assert_eq!(ahead.pieces.len(), 1);
    }
}
