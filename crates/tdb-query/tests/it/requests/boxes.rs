//! Number of waits and requests to a far store for reading a box of four fragments with 23 attributes.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_cells::Session;
use tdb_condition::Condition;
use tdb_filters::seal_generic_tile;
use tdb_fragment::{ConsolidatedMetadata, FragmentIndex};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_store::{MemoryStore, Store};
use tdb_tile::{FormatVersion, Range};

use crate::requests::counting::{Counting, Counts};

/// Returns an array with 23 attributes (fixed, nullable and text) whose last fragment was written a second time.
fn four_fragments(fixture: &str) -> MemoryStore {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let store = MemoryStore::from_folder(folder.join(fixture).join("array")).unwrap();
    let keys = store.keys();
    let name = keys
        .iter()
        .rev()
        .find_map(|key| Some(key.strip_prefix("__fragments/")?.split_once('/')?.0))
        .unwrap();
    let later = "__140_140_00000000000000000000000000000140_22";
    for key in keys.iter().filter(|key| key.contains(name)) {
        let object = tdb_store::read_one(&store, tdb_store::Read::whole(key.clone())).unwrap();
        store.overwrite(&key.replace(name, later), object.bytes);
    }
    store
}

/// Merges the footers of all fragments into one object.
fn merge_footers(store: &MemoryStore) {
    let array = Array::open(Arc::new(store.clone()), "", OpenOptions::default()).unwrap();
    let indexes: Vec<FragmentIndex> = (0..array.fragments().len())
        .map(FragmentIndex::new)
        .collect();
    let footers = array.footers(&indexes).unwrap();
    let names = array
        .fragments()
        .iter()
        .map(|fragment| fragment.name.as_str());
    let footers = names.zip(footers.iter().map(|footer| &footer[..]));
    let merged = ConsolidatedMetadata::encode(footers).unwrap();
    let tile = seal_generic_tile(&merged, FormatVersion::WRITTEN, None).unwrap();
    let key = "__fragment_meta/__110_140_00000000000000000000000000000150_22.meta";
    store.put(key, tile.into()).unwrap();
}

fn dense_box() -> ReadOptions {
    ReadOptions::default().ranges(vec![
        ("row".into(), Range::of(2_i32, 5)),
        ("col".into(), Range::of(-1_i32, 3)),
    ])
}

fn sparse_box() -> ReadOptions {
    ReadOptions::default().ranges(vec![("x".into(), Range::of(-40_i32, 10))])
}

/// Returns several ways to read the same box.
fn ways(of_box: &ReadOptions) -> [(&'static str, ReadOptions); 4] {
    let of_box = || of_box.clone();
    [
        ("a box", of_box()),
        (
            "one attribute",
            of_box()
                .attributes(Some(vec!["i32".to_owned()]))
                .dimensions(Some(Vec::new())),
        ),
        (
            "and a condition",
            of_box().condition(Some(Condition::field("i16").gt(0))),
        ),
        ("row-major", of_box().order(Some(ResultOrder::RowMajor))),
    ]
}

/// Reads a box, and returns the requests of each step as text.
fn line(store: &MemoryStore, options: &ReadOptions) -> String {
    let counting = Counting::far(store);
    let opened = Array::open(Arc::new(counting.clone()), "", OpenOptions::default());
    let array = Arc::new(opened.unwrap());
    let open = counting.take();
    let reader = Reader::open(&Session::default(), &array, options).unwrap();
    let plan = counting.take();
    let rows: usize = reader.map(|batch| batch.unwrap().rows).sum();
    let read = counting.take();
    assert!(open.waits <= 2, "{open:?}");
    assert!(plan.waits + read.waits <= 2, "{plan:?}, {read:?}");
    let told = [open, plan, read].map(|counts: Counts| {
        let Counts {
            waits, requests, ..
        } = counts;
        format!("{waits} {requests}")
    });
    format!("{} | {rows}", told.join(" | "))
}

#[test]
fn a_box_of_four_fragments_is_waited_for_twice_whatever_its_fields() {
    let mut table = String::from("waits and requests of: opening | planning | reading | rows\n");
    for (fixture, of_box) in [
        ("v22_dense_basics", dense_box()),
        ("v22_sparse_basics", sparse_box()),
    ] {
        let store = four_fragments(fixture);
        for metadata in ["as written", "merged"] {
            if metadata == "merged" {
                merge_footers(&store);
            }
            for (way, options) in ways(&of_box) {
                let told = line(&store, &options);
                writeln!(table, "{fixture}, {metadata}, {way}: {told}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn metadata_of_an_array_are_waited_for_once() {
    let counting = Counting::far(&four_fragments("v22_dense_basics"));
    let opened = Array::open(Arc::new(counting.clone()), "", OpenOptions::default());
    let array = opened.unwrap();
    counting.take();
    assert_eq!(array.metadata().unwrap().len(), 8);
    assert_eq!(counting.take().waits, 1);
}
