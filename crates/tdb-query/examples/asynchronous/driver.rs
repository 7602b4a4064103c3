//! Drives a read asynchronously: the bytes of later pieces are fetched while one piece is decoded.

use std::collections::HashMap;

use tdb_cells::{Batch, FetchedBytes, Session};
use tdb_query::{Next, Read};
use tdb_store::{Piece, Read as Wish, StoreError};

/// Maximum number of bytes that are requested before they are needed.
const AHEAD: u64 = 64 << 20;

/// Returns all batches of a read. `fetch` sends a request at once; its future yields the bytes.
pub(crate) async fn drive<F: Future<Output = Result<Piece, StoreError>>>(
    read: &mut Read,
    session: &Session,
    fetch: impl Fn(Wish) -> F,
) -> Result<Vec<Batch>, Box<dyn std::error::Error>> {
    let mut under_way = HashMap::new();
    let mut batches = Vec::new();
    loop {
        match read.next()? {
            Next::Need(wishes) => {
                let requests: Vec<F> = wishes.into_iter().map(&fetch).collect();
                read.answer(all(requests).await?)?;
            }
            Next::Work(piece) => {
                let wishes = piece.reads()?;
                for wish in wishes.iter().chain(&read.ahead(AHEAD)?) {
                    let request = || Box::pin(fetch(wish.clone()));
                    under_way.entry(wish.clone()).or_insert_with(request);
                }
                let own = wishes.iter().filter_map(|wish| under_way.remove(wish));
                let bytes = FetchedBytes::new(&wishes, all(own.collect()).await?);
                read.take(piece.decode(session, &bytes)?)?;
            }
            Next::Batch(batch) => batches.push(batch),
            Next::Done => return Ok(batches),
        }
    }
}

async fn all<F: Future<Output = Result<Piece, StoreError>>>(
    requests: Vec<F>,
) -> Result<Vec<Piece>, StoreError> {
    let mut pieces = Vec::with_capacity(requests.len());
    for request in requests {
        pieces.push(request.await?);
    }
    Ok(pieces)
}
