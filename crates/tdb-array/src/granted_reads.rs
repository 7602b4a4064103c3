//! Reads whose memory is taken from the budget.

use bytes::Bytes;
use tdb_store::{Piece, Read, ReadAndListed, Store, StoreError};
use tdb_tile::{Budget, Grant};

/// Objects up to this many bytes are read before their size is known.
const SMALL: u64 = 1 << 20;

/// Maximum bytes of small objects that are read before the budget is asked.
const AT_ONCE: u64 = 64 << 20;

/// Performs reads; their bytes count against the budget as long as any slice of them is kept.
///
/// Small objects are read together. A large object is read alone, after the budget has granted its memory: a damaged
/// array may contain a huge file that is a hole and takes no space on disk.
pub(crate) fn read(
    store: &dyn Store,
    reads: &[Read],
    budget: &Budget,
) -> Vec<Result<Piece, StoreError>> {
    let mut answers = Vec::with_capacity(reads.len());
    let mut rest = reads;
    while !rest.is_empty() {
        let (batch, behind) = rest.split_at(fitting(rest));
        rest = behind;
        answers.extend(held(store, budget, batch, store.read(&small(batch))));
    }
    answers
}

/// Performs reads like [`read`], and lists the first pages of folders at the same time as the first batch.
pub(crate) fn read_and_list(
    store: &dyn Store,
    reads: &[Read],
    prefixes: &[&str],
    budget: &Budget,
) -> ReadAndListed {
    let (batch, rest) = reads.split_at(fitting(reads).min(reads.len()));
    let ReadAndListed { pieces, listings } = store.read_and_list(&small(batch), prefixes);
    let mut pieces = held(store, budget, batch, pieces);
    pieces.extend(read(store, rest, budget));
    ReadAndListed { pieces, listings }
}

/// Takes memory for the answers to a batch of small reads, and reads the objects that turned out to be large.
fn held(
    store: &dyn Store,
    budget: &Budget,
    batch: &[Read],
    given: Vec<Result<Piece, StoreError>>,
) -> Vec<Result<Piece, StoreError>> {
    let given = tdb_store::answers(batch.iter().map(|read| &*read.key), given);
    let answers = batch.iter().zip(given).map(|(read, answer)| match answer {
        Ok(piece) => take(budget, read, piece.bytes.len() as u64).map(|held| hold(piece, held)),
        Err(StoreError::TooLarge { size, .. }) if size <= read.limit => {
            take(budget, read, size).and_then(|held| alone(store, read, size, held))
        }
        Err(StoreError::TooLarge { key, size, .. }) => Err(StoreError::TooLarge {
            key,
            size,
            limit: read.limit,
        }),
        Err(error) => Err(error),
    });
    answers.collect()
}

fn small(reads: &[Read]) -> Vec<Read> {
    reads.iter().map(as_small).collect()
}

fn as_small(read: &Read) -> Read {
    read.clone().at_most(read.limit.min(SMALL))
}

/// Returns how many of the reads are performed together; at least one.
fn fitting(reads: &[Read]) -> usize {
    let mut left = AT_ONCE;
    let fits = reads.iter().take_while(|read| {
        let most = as_small(read).limit;
        left.checked_sub(most).map(|less| left = less).is_some()
    });
    fits.count().max(1)
}

fn alone(store: &dyn Store, read: &Read, size: u64, held: Grant) -> Result<Piece, StoreError> {
    let read = read.clone().at_most(size);
    let piece = tdb_store::read_one(store, read)?;
    Ok(hold(piece, held))
}

fn take(budget: &Budget, read: &Read, size: u64) -> Result<Grant, StoreError> {
    budget.take(size).map_err(|_| StoreError::OutOfMemory {
        key: read.key.to_string(),
        size,
        left: budget.left(),
    })
}

fn hold(piece: Piece, held: Grant) -> Piece {
    Piece {
        offset: piece.offset,
        bytes: Bytes::from_owner(GrantedBytes {
            bytes: piece.bytes,
            _grant: held,
        }),
    }
}

/// Bytes together with the grant for their memory.
struct GrantedBytes {
    bytes: Bytes,
    _grant: Grant,
}

impl AsRef<[u8]> for GrantedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdb_store::MemoryStore;

    #[test]
    fn what_is_kept_counts_and_what_does_not_fit_is_not_read() {
        let store = MemoryStore::new();
        store.put("small", vec![1; 10].into()).unwrap();
        store.put("large", vec![2; 3 << 20].into()).unwrap();
        let budget = Budget::new(4 << 20);
        let wanted = ["small", "large", "large"].map(|key| Read::whole(key).at_most(8 << 20));
        let mut answers = read(&store, &wanted, &budget);
        assert_eq!(budget.used(), 10 + (3 << 20));
        let error = answers.pop().unwrap().unwrap_err();
        insta::assert_snapshot!(error, @"large: reading it takes 3145728 bytes of memory, and 1048566 are left");
        let sizes: Vec<usize> = answers
            .iter()
            .map(|a| a.as_ref().unwrap().bytes.len())
            .collect();
        assert_eq!(sizes, [10, 3 << 20]);
        drop(answers);
        assert_eq!(budget.used(), 0);
        let most = Read::whole("large").at_most(2 << 20);
        let error = read(&store, &[most], &budget).remove(0).unwrap_err();
        insta::assert_snapshot!(error, @"large: reading it takes 3145728 bytes of memory, and 2097152 are allowed");
    }
}
