//! Batches of files: their number of rows, the thread that makes them, and the order in which they are taken.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Mutex;
use std::thread;

use tdb_cells::files::{
    BatchReader, InputError, InputOptions, MadeOn, OutputOptions, for_each_batch,
};
use tdb_cells::{Batch, Column, Session};
use tdb_schema::CellValNum;
use tdb_tile::Datatype;

use crate::support::session;

/// A batch with as many rows as its number, and with this many bytes of values.
fn batch(number: usize, bytes: usize) -> Batch {
    let column = Column {
        name: "a".to_owned(),
        datatype: Datatype::UInt8,
        cell_val_num: CellValNum::Var,
        nullable: false,
        values: vec![0; bytes].into(),
        offsets: None,
        validity: None,
        enumeration: None,
    };
    Batch {
        rows: number,
        columns: vec![column],
    }
}

/// The sequence of events while batches are made and taken, and the batch of each.
fn events(session: &Session, made_on: MadeOn, sizes: &[usize]) -> Vec<(&'static str, usize)> {
    let events = Mutex::new(Vec::new());
    let mut sizes = sizes.iter().copied().zip(0..);
    let next = || {
        let made = sizes.next().map(|(bytes, number)| batch(number, bytes));
        if let Some(batch) = &made {
            events.lock().unwrap().push(("made", batch.rows));
        }
        Ok::<_, ()>(made)
    };
    let take = |batch: &Batch| {
        events.lock().unwrap().push(("taken", batch.rows));
        Ok(())
    };
    for_each_batch(session, made_on, next, take).unwrap();
    events.into_inner().unwrap()
}

const LARGE: usize = (16 << 20) + 1;

#[test]
fn each_batch_is_taken_once_and_in_order() {
    for threads in [1, 3] {
        let session = session(threads);
        for made_on in [MadeOn::Session, MadeOn::Caller] {
            for sizes in [&[][..], &[0], &[5; 9], &[5, LARGE, 5, 5], &[LARGE, LARGE]] {
                let taken = events(&session, made_on, sizes).into_iter();
                let taken = taken
                    .filter(|(what, _)| *what == "taken")
                    .map(|(_, number)| number);
                assert!(
                    taken.eq(0..sizes.len()),
                    "{threads} threads, {made_on:?}, {sizes:?}"
                );
            }
        }
    }
}

#[test]
fn a_batch_is_made_while_the_one_before_it_is_there_unless_one_is_large() {
    let small = events(&session(1), MadeOn::Session, &[1, 1]);
    assert_eq!(
        small,
        [("made", 0), ("made", 1), ("taken", 0), ("taken", 1)]
    );
    let large = events(&session(2), MadeOn::Session, &[LARGE, LARGE, 1]);
    let alone = [
        ("made", 0),
        ("taken", 0),
        ("made", 1),
        ("taken", 1),
        ("made", 2),
        ("taken", 2),
    ];
    assert_eq!(large, alone);
}

#[test]
fn batches_that_wait_are_made_on_the_thread_of_the_caller() {
    let here = thread::current().id();
    for (made_on, is_here) in [(MadeOn::Caller, true), (MadeOn::Session, false)] {
        let mut made = 0..3;
        let mut places = Vec::new();
        let next = || {
            places.push(thread::current().id() == here);
            Ok::<_, ()>(made.next().map(|number| batch(number, 1)))
        };
        for_each_batch(&session(2), made_on, next, |_| Ok(())).unwrap();
        // The first batch is made before any work is shared.
        assert_eq!(places, [true, is_here, is_here, is_here]);
    }
}

#[test]
fn the_first_error_by_the_number_of_its_batch_is_told() {
    for made_on in [MadeOn::Session, MadeOn::Caller] {
        let tried = |fails_to_make: usize, fails_to_take: usize| {
            let mut made = 0..9;
            let next = move || match made.next() {
                Some(number) if number == fails_to_make => Err(format!("make {number}")),
                number => Ok(number.map(|number| batch(number, 1))),
            };
            let take = |batch: &Batch| match batch.rows {
                number if number == fails_to_take => Err(format!("take {number}")),
                _ => Ok(()),
            };
            for_each_batch(&session(2), made_on, next, take)
        };
        assert_eq!(tried(99, 99), Ok(()));
        assert_eq!(tried(0, 99), Err("make 0".to_owned()));
        assert_eq!(tried(3, 2), Err("take 2".to_owned()));
        assert_eq!(tried(3, 3), Err("make 3".to_owned()));
        assert_eq!(tried(4, 2), Err("take 2".to_owned()));
        assert_eq!(tried(99, 8), Err("take 8".to_owned()));
    }
}

/// A reader without cells; true if it waits for other threads.
struct Nothing(bool);

impl BatchReader for Nothing {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        Ok(None)
    }

    fn line(&self, _: u64) -> Option<u64> {
        None
    }

    fn waits(&self) -> bool {
        self.0
    }
}

#[test]
fn a_reader_that_waits_is_read_by_the_caller() {
    assert_eq!(MadeOn::of(&Nothing(true)), MadeOn::Caller);
    assert_eq!(MadeOn::of(&Nothing(false)), MadeOn::Session);
    assert!(Nothing(false).zoned().is_empty());
}

#[test]
fn a_batch_has_as_many_rows_as_its_bytes_are_for() {
    let options = InputOptions::default().batch_bytes(1_000);
    let rows = [1, 8, 300, 1_000, 1_001, u64::MAX].map(|size| options.batch_rows(size));
    assert_eq!(rows, [1_000, 125, 3, 1, 1, 1]);
    assert_eq!(options.batch_rows(0), 1 << 20);
    assert_eq!(InputOptions::default().batch_rows(1), 1 << 20);
    assert_eq!(InputOptions::default().batch_rows(16), 1 << 19);
    let output = OutputOptions::default();
    assert!(!output.ticks && !output.binary_strings);
}
