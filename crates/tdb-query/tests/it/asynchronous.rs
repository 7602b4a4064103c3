//! The asynchronous driver of the example returns the same cells as the reader, whenever the answers come.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

#[path = "../../examples/asynchronous/driver.rs"]
mod driver;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::support::Golden;
use driver::drive;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Batch, Session};
use tdb_query::{Read, ReadOptions, Reader};
use tdb_store::{Piece, Read as Wish, Store, StoreError};

/// Slot for an answer that has come.
type Place = Rc<RefCell<Option<Wish>>>;

/// Outstanding requests, by the time of their answers; the order differs from that of sending.
#[derive(Default)]
struct Network {
    asked: u64,
    now: u64,
    under_way: BTreeMap<u64, (Wish, Place)>,
    /// Maximum number of requests outstanding at a time.
    most: usize,
    /// Number of answers that came before that of an earlier request.
    overtaking: u64,
}

impl Network {
    fn send(&mut self, wish: Wish) -> Place {
        self.asked += 1;
        // Every third answer is late, so that later ones overtake it.
        let late = if self.asked.is_multiple_of(3) {
            1000
        } else {
            10
        };
        let place = Rc::new(RefCell::new(None));
        let at = (self.now + late) * 10_000 + self.asked;
        self.under_way.insert(at, (wish, Rc::clone(&place)));
        self.most = self.most.max(self.under_way.len());
        place
    }

    /// Delivers the next answer; false if there is none.
    fn answer(&mut self) -> bool {
        let Some((at, (wish, place))) = self.under_way.pop_first() else {
            return false;
        };
        self.now = at / 10_000;
        let sent_before = |other: &u64| other % 10_000 < at % 10_000;
        self.overtaking += u64::from(self.under_way.keys().any(sent_before));
        *place.borrow_mut() = Some(wish);
        true
    }
}

/// Answer to a request, once the network has it.
struct Answer {
    store: Arc<dyn Store>,
    place: Place,
}

impl Future for Answer {
    type Output = Result<Piece, StoreError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        match self.place.borrow_mut().take() {
            Some(wish) => Poll::Ready(tdb_store::read_one(&*self.store, wish)),
            None => Poll::Pending,
        }
    }
}

fn rows(batches: &[Batch]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.rows {
            let cell = |column: &tdb_cells::Column| {
                if column.is_valid(row) {
                    format!("{:?}", column.cell(row).unwrap())
                } else {
                    "null".to_owned()
                }
            };
            rows.push(batch.columns.iter().map(cell).collect());
        }
    }
    rows
}

#[test]
fn an_asynchronous_driver_gives_the_cells_of_the_reader() {
    let session = Session::default();
    let (mut compared, mut most, mut overtaking) = (0, 0, 0);
    for golden in Golden::all() {
        if golden.is_group || golden.name.contains("lost_tiles") {
            continue;
        }
        let store: Arc<dyn Store> = Arc::new(golden.store());
        let location = Location::new(Arc::clone(&store), "").with_key(golden.key.clone());
        let array = Array::open_location(&location, OpenOptions::default()).unwrap();
        let array = Arc::new(array);
        let small = ReadOptions::default().batch_bytes(Some(1 << 12));
        let network = RefCell::new(Network::default());
        let fetch = |wish| Answer {
            store: Arc::clone(&store),
            place: network.borrow_mut().send(wish),
        };
        let mut read = Read::new(&session, array.snapshot(), &small).unwrap();
        let mut driving = pin!(drive(&mut read, &session, fetch));
        let batches = loop {
            match driving
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
            {
                Poll::Ready(batches) => break batches.unwrap(),
                Poll::Pending => assert!(network.borrow_mut().answer(), "{}", golden.name),
            }
        };
        let wanted: Result<Vec<Batch>, _> =
            Reader::open(&session, &array, &small).unwrap().collect();
        assert_eq!(rows(&batches), rows(&wanted.unwrap()), "{}", golden.name);
        most = most.max(network.borrow().most);
        overtaking += network.borrow().overtaking;
        compared += 1;
    }
    assert!(compared > 200, "{compared} arrays");
    assert!(
        most > 3 && overtaking > 100,
        "{most} at a time, {overtaking} overtook another"
    );
}
