//! The labels that a condition names are needs of planning, like R-trees and tile indexes.

use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_cells::Session;
use tdb_condition::Condition;
use tdb_query::{Next, Read, ReadOptions};
use tdb_tile::Limits;

use super::counting::Counting;
use super::{cells, row};

/// Asks for null in every attribute with labels; only their labels tell which indexes are null.
fn asking_for_all_labels(array: &Array) -> ReadOptions {
    let attributes = array.schema().attributes.iter();
    let labelled = attributes.filter(|attribute| attribute.enumeration.is_some());
    let tests: Vec<String> = labelled
        .map(|attribute| format!("\"{}\" is not null", attribute.name))
        .collect();
    assert!(tests.len() > 1, "{tests:?}");
    ReadOptions::default()
        .attributes(Some(Vec::new()))
        .condition(Some(
            Condition::parse(&tests.join(" or "), &Limits::default()).unwrap(),
        ))
}

#[test]
fn labels_of_a_condition_are_needed_with_all_else_that_planning_needs() {
    let store = row("", "v22_enumerations_sparse", ReadOptions::default()).store;
    let array = Array::open(Arc::new(store.clone()), "", OpenOptions::default()).unwrap();
    let options = asking_for_all_labels(&array);
    let named = array.schema().attributes.iter();
    let mut named: Vec<&String> = named.filter_map(|a| a.enumeration.as_ref()).collect();
    named.sort();
    named.dedup();

    let session = Session::default();
    let mut read = Read::new(&session, array.snapshot(), &options).unwrap();
    let Next::Need(reads) = read.next().unwrap() else {
        panic!("planning needs nothing");
    };
    let labels = reads
        .iter()
        .filter(|read| read.key.contains("__enumerations/"));
    // Attributes that share an enumeration ask for it once.
    assert_eq!(labels.count(), named.len());
    let fetched = tdb_store::Store::read(&store, &reads).into_iter();
    read.answer(fetched.map(Result::unwrap).collect()).unwrap();
    assert!(
        !matches!(read.next().unwrap(), Next::Need(_)),
        "planning asks twice"
    );
}

#[test]
fn labels_of_a_condition_take_no_wait_of_their_own() {
    let store = row("", "v22_enumerations_sparse", ReadOptions::default()).store;
    let counting = Counting::far(&store);
    let array = Array::open(Arc::new(counting.clone()), "", OpenOptions::default());
    let array = Arc::new(array.unwrap());
    let options = asking_for_all_labels(&array);
    counting.take();
    cells(&array, &options).unwrap();
    assert_eq!(counting.take().waits, 2, "to plan, and for the tiles");
}
