//! The contents of merged fragments, also after interrupted merges.

use std::sync::Arc;

use tdb_array::{Array, Location};
use tdb_consolidate::History;
use tdb_schema::ArraySchema;
use tdb_store::{FaultyStore, MemoryStore, Store};

use crate::merge::arrays::*;

#[test]
fn stopped_anywhere_it_leaves_what_was_and_goes_on() {
    for kind in [
        Kind::Dense,
        Kind::Sparse,
        Kind::Duplicates,
        Kind::Hilbert,
        Kind::Text,
    ] {
        let mut events = three_writes();
        events.retain(|event| kind != Kind::Dense || !matches!(event, Event::Delete(_)));
        let (store, _) = lived(kind, &events);
        let times = [25, 65];
        let before = seen(&store, &times);
        for operation in 0.. {
            let store = copy(&store);
            let stopping: Arc<dyn Store> =
                Arc::new(FaultyStore::stopping_at(store.clone(), operation));
            let done = merge(&stopping, &options(), None).is_ok();
            assert_eq!(seen(&store, &times), before, "stopped at {operation}");
            let left = fragments(&store);
            merge(&shared(&store), &options(), None).unwrap();
            assert_eq!(
                seen(&store, &times),
                before,
                "begun again after {operation}"
            );
            let ends = |ending: &str| {
                let keys = store.keys().into_iter();
                keys.filter(|key| key.ends_with(ending)).count()
            };
            let clean = || {
                let place = now(&store);
                let debris = tdb_consolidate::debris(&place, &at_once()).unwrap();
                debris.vacuum(place.location(), &at_once()).unwrap();
            };
            // This store keeps no times, so the claim of the stopped merge is in force until somebody removes it.
            if fragments(&store) > 1 {
                assert_eq!((kind, ends(".replaces")), (Kind::Duplicates, 1));
                clean();
                merge(&shared(&store), &options(), None).unwrap();
            }
            assert_eq!(fragments(&store), 1);
            assert_eq!(ends(".vac"), 1, "stopped at {operation}");
            // Interrupted before the commit, the early list belongs to a fragment that never existed.
            clean();
            assert_eq!(ends(".replaces"), 0, "stopped at {operation}");
            assert_eq!(seen(&store, &times), before);
            if done {
                assert_eq!(left, 1);
                break;
            }
        }
    }
}

#[test]
fn merged_fragments_say_what_they_hold() {
    let (store, _) = lived(Kind::Sparse, &three_writes());
    merge(&shared(&store), &options(), None).unwrap();
    let array = now(&store);
    let [fragment] = array.fragments() else {
        panic!("one fragment")
    };
    assert_eq!(fragment.timestamps(), (10, 60));
    let extra = fragment.metadata.extra_fields;
    assert!(extra.timestamps && extra.deletes);
    assert_eq!(
        fragment.processed_conditions(),
        [array.deletes()[0].marker.clone()]
    );
    // Of the 10, 10, 10 and 2 cells, 12 have the same coordinates as others; all are kept.
    assert_eq!(fragment.metadata.cell_count(), 32);
    assert_eq!(array.replaced().len(), 4);
    let list = store
        .keys()
        .into_iter()
        .find(|key| key.ends_with(".vac"))
        .unwrap();
    assert_eq!(list, format!("__commits/{}.vac", fragment.name));
    let lines = tdb_store::read_whole(&store, &list, 1 << 20).unwrap();
    let lines = String::from_utf8(lines.to_vec()).unwrap();
    assert!(
        lines
            .lines()
            .all(|line| line.starts_with("/__fragments/__"))
    );
}

#[test]
fn fragments_of_a_size_come_together() {
    let (store, times) = lived(Kind::Duplicates, &three_writes());
    let before = seen(&store, &times);
    let options = options().max_fragment_bytes(Some(600));
    merge(&shared(&store), &options, None).unwrap();
    assert!(fragments(&store) > 2);
    assert_eq!(seen(&store, &times), before);
    vacuum(&store);
    assert_eq!(seen(&store, &times), before);
}

#[test]
fn a_purge_outlives_the_attributes_that_deletes_ask_about() {
    let (store, _) = lived(
        Kind::Sparse,
        &[line(1, 1), line(2, 9), Event::Delete(5), line(3, 9)],
    );
    let mut schema = ArraySchema::clone(now(&store).newest_schema());
    schema.attributes.remove(0);
    now(&store).evolve(&schema, &[], &change(50)).unwrap();
    let before = seen(&store, &[60]);
    assert_eq!(before[0].1.len(), 8);
    let purge = options()
        .history(History::WithoutDeleted)
        .forget_dropped(true);
    merge(&shared(&store), &purge, None).unwrap();
    vacuum(&store);
    let array = now(&store);
    assert_eq!(array.fragments()[0].metadata.cell_count(), 8);
    assert_eq!(seen(&store, &[60])[0], before[0]);
    // It has delete times, so the deletes are applied, and nothing is left to purge.
    assert!(array.fragments()[0].metadata.extra_fields.deletes);
    assert!(plan(&store, &purge).unwrap().is_empty());
}

#[test]
fn a_purge_says_that_a_fragment_without_a_cell_that_is_left_stays() {
    let (store, _) = lived(Kind::Sparse, &[line(1, 1), Event::Delete(-1)]);
    let purge = options().history(History::WithoutDeleted);
    let before = now(&store).fragments()[0].name.clone();
    let array = now(&store);
    let merged = plan(&store, &purge)
        .unwrap()
        .merge(&session(None), &array, &purge)
        .unwrap();
    assert!(merged.fragments.is_empty());
    assert!(
        matches!(&merged.notes[..], [note] if note.starts_with(before.as_str()) && note.contains("every cell of it is deleted")),
        "{:?}",
        merged.notes
    );
    assert_eq!(now(&store).fragments()[0].name, before);
    assert!(seen(&store, &[60])[0].1.is_empty());
}

#[test]
fn a_purge_rewrites_a_fragment_that_stands_alone_and_no_more_than_once() {
    let (store, times) = lived(Kind::Sparse, &[line(1, 1), line(2, 9)]);
    let purge = options().history(History::WithoutDeleted);
    merge(&shared(&store), &options(), None).unwrap();
    vacuum(&store);
    assert!(plan(&store, &purge).unwrap().is_empty());
    happen(&store, Kind::Sparse, &Event::Delete(5), 30);
    let (before, stored) = (seen(&store, &[40]), now(&store));
    assert_eq!(stored.fragments()[0].metadata.cell_count(), 8);
    // Without a purge, a single fragment stays as it is.
    assert!(plan(&store, &options()).unwrap().is_empty());
    let merged = merge(&shared(&store), &purge, None).unwrap();
    assert_eq!((merged.steps.len(), merged.steps[0].sources.len()), (1, 1));
    vacuum(&store);
    let array = now(&store);
    assert_eq!(array.fragments().len(), 1);
    assert_eq!(array.fragments()[0].metadata.cell_count(), 4);
    assert_eq!(seen(&store, &[40]), before);
    assert!(plan(&store, &purge).unwrap().is_empty());
    // Of separate fragments, those later than the delete are not rewritten.
    happen(&store, Kind::Sparse, &line(3, 9), 50);
    let alone = purge.clone().since(45).until(Some(55));
    assert!(plan(&store, &alone).unwrap().is_empty());
    happen(&store, Kind::Sparse, &Event::Delete(7), 60);
    merge(&shared(&store), &alone, None).unwrap();
    assert_eq!(now(&store).fragments().len(), 2);
    assert!(!times.is_empty() && seen(&store, &[70])[0].1.len() == 4);
}

#[test]
fn fragments_one_behind_the_other_are_not_read_over_and_over_in_little_memory() {
    let rows = |y: i32| {
        let cells = (0..400).map(|cell| (2 * y + cell / 200, cell / 20 % 10, Some(cell)));
        Event::Write(cells.collect())
    };
    // A delete is tested on each cell.
    let events: Vec<Event> = (0..5).map(rows).chain([Event::Delete(390)]).collect();
    // Two tiles per fragment exceed the memory.
    let mut schema = schema(Kind::Duplicates);
    schema.capacity = 100;
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &change(1),
    )
    .unwrap();
    for (event, time) in events.iter().zip(10..) {
        happen(&store, Kind::Duplicates, event, time);
    }
    let before = seen(&store, &[20]);
    let array = now(&store);
    let tiles = array.fragments().iter().map(|f| f.metadata.tile_count());
    let tiles: u64 = tiles.sum();
    let session = session(Some(100_000));
    let plan = plan(&store, &options()).unwrap();
    plan.merge(&session, &array, &options()).unwrap();
    // Coordinates, values, validity, and text with offsets: six tiles each.
    let read = session.profile().tiles_read / 6;
    assert!(read <= 6 * tiles, "{read} reads of {tiles} tiles");
    assert_eq!(seen(&store, &[20]), before);
}
