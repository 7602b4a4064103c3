//! Drives a read asynchronously: the bytes of the pieces to come are under way while one is decoded. The answers of this
//! example's store come late and out of order.
//!
//! `asynchronous ARRAY` prints how many cells there are.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Fetched, Session};
use tdb_query::{Next, Read, ReadOptions};
use tdb_store::{LocalStore, Piece, Read as Wish, Store, StoreError};

/// Bytes that are asked for before they are needed.
const AHEAD: u64 = 64 << 20;

/// All cells of a read. `fetch` sends a request at once, and gives its bytes when they come.
async fn drive<F: Future<Output = Result<Piece, StoreError>>>(
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
                let bytes = Fetched::new(&wishes, all(own.collect()).await?);
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

/// The answer to one request, once it has come.
struct Answer(Mutex<Receiver<Result<Piece, StoreError>>>);

impl Future for Answer {
    type Output = Result<Piece, StoreError>;

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = self.0.lock().map(|answers| answers.try_recv());
        answer
            .ok()
            .and_then(Result::ok)
            .map_or(Poll::Pending, Poll::Ready)
    }
}

/// Asks the store on a thread of its own, after a while.
fn send(store: &Arc<dyn Store>, wish: Wish) -> Answer {
    let (sender, answers) = channel();
    let (store, late) = (Arc::clone(store), wish.key.len() as u64 * 7 % 20);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(late));
        sender.send(tdb_store::read_one(&*store, wish))
    });
    Answer(Mutex::new(answers))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("asynchronous ARRAY")?;
    let store: Arc<dyn Store> = Arc::new(LocalStore::open(folder)?);
    let array = Array::open(Arc::clone(&store), "", OpenOptions::default())?;
    let session = Session::default();
    let mut read = Read::new(&session, array.snapshot(), &ReadOptions::default())?;

    let mut reading = pin!(drive(&mut read, &session, |wish| send(&store, wish)));
    let batches = loop {
        // A program has a runtime that polls what is ready.
        if let Poll::Ready(batches) = reading
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            break batches?;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let cells: usize = batches.iter().map(|batch| batch.rows).sum();
    println!("{cells} cells");
    Ok(())
}
