//! Tiles that are copied as stored, and tiles that cannot be.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::Batch;
use tdb_consolidate::{History, MergeOptions};
use tdb_filters::{Description, FilterList, Registry};
use tdb_fragment::MetadataPart;
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension, FieldKind};
use tdb_store::{MemoryStore, read_whole};
use tdb_tile::{Datatype, FormatVersion, Range};
use tdb_write::{WriteOptions, Writer};

use crate::merge::arrays::*;

/// Merges fragments; returns the number of copied tiles.
fn copied(store: &MemoryStore, options: &MergeOptions) -> u64 {
    let array = open(&shared(store), OpenOptions::default()).unwrap();
    let plan = plan(store, options).unwrap();
    let session = session(None);
    plan.merge(&session, &array, options).unwrap();
    session.profile().tiles_copied
}

/// A box of a dense array, both corners included.
fn cells(y: (i32, i32), x: (i32, i32), value: i32) -> Event {
    Event::Write(vec![(y.0, x.0, Some(value)), (y.1, x.1, Some(value))])
}

/// Cells with these first coordinates.
fn rows_of(y: std::ops::Range<i32>) -> Event {
    Event::Write(y.map(|y| (y, 5, Some(y))).collect())
}

#[test]
fn tiles_of_one_dense_fragment_alone_are_copied() {
    // 10 x 10 cells in tiles of 4 x 3: six tiles are full, those in the last rows and columns are not.
    let (store, times) = lived(
        Kind::Dense,
        &[cells((0, 9), (0, 9), 0), cells((1, 2), (1, 4), 100)],
    );
    let before = seen(&store, &times[3..]);
    assert_eq!(copied(&store, &options()), 4, "two of them are merged");
    assert_eq!(seen(&store, &times[3..]), before);
    vacuum(&store);
    assert!(seen(&store, &[25])[..3] == before[6..9]);
}

#[test]
fn copied_tiles_have_the_bytes_and_the_statistics_that_they_had() {
    let (store, _) = lived(
        Kind::Dense,
        &[cells((0, 3), (0, 8), 0), cells((4, 7), (0, 8), 0)],
    );
    let file = |fragment: usize| {
        let array = now(&store);
        let key = format!("{}/a0.tdb", array.fragments()[fragment].prefix);
        read_whole(&store, &key, 1 << 20).unwrap()
    };
    let parts = [file(0), file(1)].concat();
    assert_eq!(copied(&store, &options()), 6);
    assert_eq!(file(0), parts);
    let (at_once, _) = lived(Kind::Dense, &[cells((0, 7), (0, 8), 0)]);
    assert_eq!(statistics(&store), statistics(&at_once));
}

/// Returns the statistics of the tiles of the first attribute, and of the fragment.
fn statistics(store: &MemoryStore) -> Vec<Bytes> {
    let field = FieldKind::Attribute(0);
    let parts = [
        MetadataPart::Mins(field),
        MetadataPart::Maxs(field),
        MetadataPart::Sums(field),
        MetadataPart::NullCounts(field),
        MetadataPart::FragmentStatistics,
    ];
    let opened = now(store)
        .metadata_parts(tdb_fragment::FragmentIndex::new(0), &parts)
        .unwrap();
    opened.into_iter().map(|part| part.payload).collect()
}

#[test]
fn full_tiles_of_a_sparse_fragment_are_copied_up_to_where_another_begins() {
    for kind in [Kind::Sparse, Kind::Duplicates, Kind::Hilbert, Kind::Text] {
        // Two full tiles and a cell, then the same again.
        let (store, times) = lived(kind, &[rows_of(0..4), rows_of(4..8), rows_of(8..10)]);
        let before = seen(&store, &times);
        let tiles = copied(&store, &options());
        match kind {
            // The Hilbert curve leads back.
            Kind::Hilbert => assert!(tiles <= 1, "{tiles}"),
            _ => assert_eq!(tiles, 1, "{kind:?}"),
        }
        assert_eq!(seen(&store, &times), before);
        vacuum(&store);
        assert_eq!(seen(&store, &times), before);
    }
}

#[test]
fn fragments_of_full_tiles_are_copied_one_after_the_other() {
    let (store, times) = lived(
        Kind::Sparse,
        &[
            rows_of(3..6),
            rows_of(0..3),
            rows_of(6..9),
            Event::Delete(100),
        ],
    );
    let before = seen(&store, &times);
    // A delete that the fragments have not recorded must be tested on each cell.
    assert_eq!(copied(&store, &options()), 0);
    assert_eq!(seen(&store, &times), before);
    let (store, times) = lived(Kind::Sparse, &[rows_of(3..6), rows_of(0..3), rows_of(6..9)]);
    let before = seen(&store, &times);
    assert_eq!(copied(&store, &options()), 3);
    assert_eq!(seen(&store, &times), before);
    assert!(now(&store).fragments()[0].metadata.extra_fields.timestamps);
}

#[test]
fn cells_that_meet_are_merged() {
    // The end of one fragment and the beginning of the other have the same coordinates.
    let (store, times) = lived(Kind::Sparse, &[rows_of(0..3), rows_of(2..5)]);
    let before = seen(&store, &times);
    assert_eq!(copied(&store, &options()), 0);
    assert_eq!(seen(&store, &times), before);
    let (store, times) = lived(Kind::Sparse, &[rows_of(0..3), rows_of(2..5)]);
    let dropped = options().history(History::Dropped);
    assert_eq!(copied(&store, &dropped), 0);
    let end = *times.last().unwrap();
    assert_eq!(seen(&store, &[end])[0], before[before.len() - 6]);
}

#[test]
fn what_lacks_an_attribute_or_filters_otherwise_is_written_again() {
    let (store, times) = lived(
        Kind::Sparse,
        &[rows_of(0..3), Event::Grow, rows_of(3..6), rows_of(6..9)],
    );
    let before = seen(&store, &times);
    assert_eq!(copied(&store, &options()), 0, "the first of them lacks one");
    assert_eq!(seen(&store, &times), before);

    // The attribute is dropped and added again: unchanged, or with a filter.
    let byteshuffle = Description::new("byteshuffle");
    let byteshuffle = byteshuffle.record(FormatVersion::WRITTEN, Registry::builtin());
    for (filters, tiles) in [(vec![], 2), (vec![byteshuffle.unwrap()], 0)] {
        let (store, _) = lived(Kind::Sparse, &[rows_of(0..3)]);
        let mut schema = ArraySchema::clone(now(&store).newest_schema());
        let mut attribute = schema.attributes.remove(0);
        now(&store).evolve(&schema, &[], &change(2)).unwrap();
        attribute.filters = FilterList::new(filters);
        schema.attributes.insert(0, attribute);
        now(&store).evolve(&schema, &[], &change(3)).unwrap();
        happen(&store, Kind::Sparse, &rows_of(3..6), 20);
        let before = seen(&store, &[25]);
        assert_eq!(copied(&store, &options()), tiles);
        assert_eq!(seen(&store, &[25]), before);
    }
}

#[test]
fn dense_fragments_are_cut_into_boxes() {
    let (store, times) = lived(
        Kind::Dense,
        &[cells((0, 9), (0, 9), 0), cells((1, 5), (1, 4), 100)],
    );
    let before = seen(&store, &times[3..]);
    let one = store.clone();
    let size = |store: &MemoryStore| {
        let array = now(store);
        let all = array.fragments().iter();
        all.map(|f| f.metadata.non_empty_domain.clone())
            .collect::<Vec<_>>()
    };
    let small = options().max_fragment_bytes(Some(1500));
    merge(&shared(&one), &small, None).unwrap();
    let boxes = size(&one);
    assert!(boxes.len() > 1, "{boxes:?}");
    let rows = |ends: &Range| ends.ends::<i32>().map(|(lo, hi)| hi - lo + 1).unwrap_or(0);
    let cells: i32 = boxes.iter().map(|b| rows(&b[0]) * rows(&b[1])).sum();
    assert_eq!(cells, 100, "{boxes:?}");
    assert_eq!(seen(&one, &times[3..]), before);
    vacuum(&one);
    assert!(seen(&one, &[25])[..3] == before[6..9]);
}

#[test]
fn tiles_that_are_read_in_pieces_are_followed_by_copied_ones() {
    // Two tiles, each larger than a batch, and cells above the first.
    let x = Dimension::numbers("x", Datatype::Int32, (0_i32, 4095), 2048);
    let names: Vec<String> = (0..8).map(|i| format!("a{i}")).collect();
    let attributes = names
        .iter()
        .map(|name| Attribute::new(name, Datatype::Int32));
    let schema = ArraySchema::new(ArrayType::Dense, vec![x], attributes.collect());
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &change(1),
    )
    .unwrap();
    for (time, end) in [(10, 4095), (20, 99)] {
        let values = numbers((0..=end).map(|x: i32| x + i32::try_from(time).unwrap()));
        let batch = Batch {
            rows: usize::try_from(end + 1).unwrap(),
            columns: names
                .iter()
                .map(|name| column(name, values.clone(), None))
                .collect(),
        };
        let options = WriteOptions::at(time).ranges(vec![("x".to_owned(), Range::of(0, end))]);
        let array = Arc::new(now(&store));
        let mut writer = Writer::open(&session(None), &array, &options).unwrap();
        writer.push(&batch).unwrap();
        writer.finish().unwrap();
    }
    let before = seen(&store, &[25]);
    let session = session(Some(100_000));
    let plan = plan(&store, &options()).unwrap();
    plan.merge(&session, &now(&store), &options()).unwrap();
    assert_eq!(session.profile().tiles_copied, 1);
    assert!(seen(&store, &[25])[..3] == before[..3]);
}

#[test]
fn many_fragments_of_full_tiles_are_each_looked_at_once() {
    // Sixty fragments of one tile each, in order of coordinates.
    let x = Dimension::numbers("x", Datatype::Int32, (0_i32, 999), 1000);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], Vec::new());
    schema.capacity = 2;
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &change(1),
    )
    .unwrap();
    for i in 0..60 {
        let batch = Batch {
            rows: 2,
            columns: vec![column("x", numbers([2 * i, 2 * i + 1].into_iter()), None)],
        };
        let options = WriteOptions::at(10 + u64::try_from(i).unwrap()).names(names());
        let array = Arc::new(now(&store));
        let mut writer = Writer::open(&session(None), &array, &options).unwrap();
        writer.push(&batch).unwrap();
        writer.finish().unwrap();
    }
    let session = session(None);
    let plan = plan(&store, &options()).unwrap();
    plan.merge(&session, &now(&store), &options()).unwrap();
    let profile = session.profile();
    assert_eq!(profile.tiles_copied, 60);
    assert!(profile.tiles_read <= 60 * 6, "{} reads", profile.tiles_read);
}
