//! Reads an array asynchronously; `driver.rs` holds all the code that this takes. The example's store answers late
//! and out of order.
//!
//! `asynchronous ARRAY` prints the number of cells.

mod driver;

use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use driver::drive;
use tdb_array::{Array, OpenOptions};
use tdb_cells::Session;
use tdb_query::{Read, ReadOptions};
use tdb_store::{LocalStore, Piece, Read as Wish, Store, StoreError};

/// Future that yields the answer to one request.
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

/// Sends a request to the store on a thread of its own, which answers after a delay.
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
        // A real program has a runtime that polls the futures that are ready.
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
