//! Opening whole arrays.

use std::sync::Arc;

use crate::support::{describe, key_of, open, unpack};
use bytes::Bytes;
use tdb_array::{Array, ErrorKind, Location, OpenOptions};
use tdb_fragment::{FragmentIndex, MetadataPart};
use tdb_schema::FieldKind;
use tdb_store::{FaultyStore, MemoryStore, Store};
use tdb_tile::Limits;

const NOW: u64 = u64::MAX - 1;

#[test]
fn an_array_is_seen_as_of_any_time() {
    let store = unpack("evolved");
    let mut text = String::new();
    for (since, at) in [
        (0, 5),
        (0, 10),
        (0, 15),
        (0, 24),
        (0, 45),
        (0, NOW),
        (15, NOW),
    ] {
        text += &format!("--- from {since} to {at}\n");
        text += &describe(&open(&store, since, at).unwrap());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn consolidated_commits_metadata_and_deletes_count() {
    let mut text = String::new();
    for name in ["consolidated_sparse", "consolidated_dense"] {
        for at in [12, 27, 33, NOW] {
            text += &format!("--- {name} at {at}\n");
            text += &describe(&open(&unpack(name), 0, at).unwrap());
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn arrays_of_old_versions_open() {
    let mut text = String::new();
    for name in [
        "v3_sparse_basics",
        "v5_sparse_basics",
        "v9_sparse_dups",
        "v11_sparse_dups",
        "v12_sparse_dups",
        "v22_tour",
    ] {
        text += &format!("--- {name}\n");
        text += &describe(&open(&unpack(name), 0, NOW).unwrap());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn opening_lists_each_folder_and_the_commits_twice_and_reads_each_object_once() {
    let store = unpack("v12_sparse_dups");
    let array = open(&store, 0, NOW).unwrap();
    let counts = store.take_counts();
    // Five folders, then the root and the commits again, to check that nothing has changed.
    assert_eq!((array.fragments().len(), counts.lists), (2, 5 + 2));
    assert_eq!(array.tries(), 1);
    // The schema, and the metadata of two fragments.
    assert_eq!((counts.reads, counts.sizes), (3, 0));
    let field = FieldKind::Attribute(0);
    array.rtree(FragmentIndex::new(0)).unwrap();
    array
        .metadata_parts(FragmentIndex::new(0), &[MetadataPart::TileOffsets(field)])
        .unwrap();
    assert_eq!(store.take_counts().reads, 0, "what was read once is kept");
}

#[test]
fn consolidated_metadata_saves_the_reads_of_its_fragments() {
    let store = unpack("consolidated_dense");
    let array = open(&store, 0, 30).unwrap();
    assert_eq!(array.fragments().len(), 1);
    store.take_counts();
    let array = open(&store, 0, 25).unwrap();
    assert_eq!(array.fragments().len(), 2);
    // The schema, the lists (.con and .vac), and the consolidated metadata.
    assert_eq!(store.take_counts().reads, 4);
    assert_eq!(array.rtree(FragmentIndex::new(1)).unwrap().tile_count(), 0);
    let parts = [
        MetadataPart::RTree,
        MetadataPart::TileOffsets(FieldKind::Attribute(0)),
    ];
    let parts = array.metadata_parts(FragmentIndex::new(1), &parts).unwrap();
    assert_eq!((parts.len(), store.take_counts().reads), (2, 2));
}

#[test]
fn footers_that_make_no_sense_together_are_read_where_they_belong() {
    let store = unpack("consolidated_dense");
    let good = describe(&open(&store, 0, 25).unwrap());
    let key = key_of(&store, "__fragment_meta/", ".meta");
    let tile = tdb_store::read_whole(&store, &key, 1 << 20).unwrap();
    let tile = tdb_tile::GenericTile::parse(&tile, &Limits::default()).unwrap();
    let payload = tdb_filters::open_generic_tile(&tile, None, &Limits::default()).unwrap();
    for shift in [1, 8, 300, u64::MAX / 2] {
        let mut damaged = payload.to_vec();
        // The offset of the first fragment's footer is after the count and the name with its length.
        let name = u64::from_le_bytes(damaged[4..12].try_into().unwrap());
        let at = 12 + usize::try_from(name).unwrap();
        let offset = u64::from_le_bytes(damaged[at..at + 8].try_into().unwrap());
        damaged[at..at + 8].copy_from_slice(&offset.wrapping_add(shift).to_le_bytes());
        let version = tdb_tile::FormatVersion::WRITTEN;
        let sealed = tdb_filters::seal_generic_tile(&damaged, version, None).unwrap();
        store.overwrite(&key, sealed);
        let array = open(&store, 0, 25).unwrap();
        assert_eq!(describe(&array), good, "by {shift}");
        assert_eq!(array.warnings().len(), 1);
        let warning = array.warnings()[0].to_string();
        assert!(warning.ends_with("its footer in the consolidated metadata makes no sense"));
    }
}

#[test]
fn an_enumeration_is_read_by_its_name() {
    let store = unpack("evolved");
    let array = open(&store, 0, NOW).unwrap();
    let fruit = array.enumeration("fruit").unwrap();
    assert_eq!(fruit.iter().collect::<Vec<_>>(), [&b"apple"[..], b"pear"]);
    let error = array.enumeration("stone").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let error = open(&store, 0, 20)
        .unwrap()
        .enumeration("fruit")
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn a_label_is_an_array_of_its_own() {
    let array = open(&unpack("labelled"), 0, NOW).unwrap();
    let label = array.schema().labels[0].clone();
    let opened = array.open_label(&label).unwrap();
    assert_eq!(opened.prefix(), "__labels/l0");
    for uri in ["../../elsewhere", "file:///elsewhere"] {
        let mut label = label.clone();
        label.relative = !uri.starts_with("file");
        label.uri = uri.to_owned();
        assert_eq!(
            array.open_label(&label).unwrap_err().kind(),
            ErrorKind::EscapesRoot
        );
    }
}

#[test]
fn an_array_may_lie_deep_in_its_store() {
    let packed = unpack("evolved");
    let store = MemoryStore::new();
    tdb_store::copy_tree(&packed, "", &store, "a/b").unwrap();
    let array = Array::open(Arc::new(store.clone()), "a/b", OpenOptions::default()).unwrap();
    assert_eq!(describe(&array), describe(&open(&packed, 0, NOW).unwrap()));
    assert!(array.fragments()[0].prefix.starts_with("a/b/__fragments/"));
    let error = Array::open(Arc::new(store), "a", OpenOptions::default()).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::NotFound, "\"a\": there is no array here")
    );
}

#[test]
fn a_committed_fragment_that_is_not_there_is_told() {
    let store = unpack("v12_sparse_dups");
    let key = store
        .keys()
        .into_iter()
        .find(|key| key.ends_with("__fragment_metadata.tdb"));
    let key = key.unwrap();
    store.remove(&key).unwrap();
    store.take_counts();
    let error = open(&store, 0, NOW).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        format!("{key}: not there, though it is committed")
    );
    // One attempt to open, then listings until the object counts as missing.
    assert_eq!(store.counts().lists, 5 + 2 + 9 * 5);
}

#[test]
fn of_many_fragments_that_are_not_there_the_first_is_told_soon() {
    let store = unpack("v12_sparse_dups");
    let mut names = String::new();
    for number in 0..30_000 {
        names += &format!("__commits/__1_1_{number:032x}_22.wrt\n");
    }
    let key = "__commits/__1_1_00000000000000000000000000000000_22.con";
    store.put(key, names.into()).unwrap();
    store.take_counts();
    let error = open(&store, 0, NOW).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(store.counts().reads < 1000);
}

#[test]
fn empty_objects_are_corrupt_or_passed_over_and_empty_deletes_always_corrupt() {
    let cases = [
        ("__schema/__60_60_", "", true),
        ("__fragment_meta/", ".meta", true),
        ("__commits/__35_35_", ".del", false),
    ];
    for (start, end, tolerable) in cases {
        let store = unpack("consolidated_sparse");
        store.overwrite(
            "__schema/__60_60_00000000000000000000000000000000",
            Bytes::new(),
        );
        let key = key_of(&store, start, end);
        if !key.starts_with("__schema") {
            store
                .remove("__schema/__60_60_00000000000000000000000000000000")
                .unwrap();
        }
        store.overwrite(&key, Bytes::new());
        let error = open(&store, 0, NOW).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Corrupt, key));
        let options = OpenOptions::default().tolerate_torn(true);
        let opened = Array::open(Arc::new(store), "", options);
        assert_eq!(opened.is_ok(), tolerable, "{start}");
        let warnings: Vec<_> = opened.iter().flat_map(|array| array.warnings()).collect();
        assert_eq!(warnings.len(), usize::from(tolerable));
    }
    let store = unpack("evolved");
    let key = key_of(&store, "__meta/__41_41_", "");
    store.overwrite(&key, Bytes::new());
    let error = open(&store, 0, NOW).unwrap().metadata().unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Corrupt, key));
}

#[test]
fn errors_say_object_record_field_and_place() {
    let store = unpack("v12_sparse_dups");
    let key = key_of(&store, "__schema/", "");
    let bytes = tdb_store::read_whole(&store, &key, 1 << 20).unwrap();
    store.overwrite(&key, bytes.slice(..20));
    let error = open(&store, 0, NOW).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!((error.to_string(), error.kind()), (key, ErrorKind::Corrupt));
    assert_eq!(
        source,
        "GenericTile.header at byte 0: needs 34 bytes, but the data ends after 20"
    );
}

#[test]
fn every_cut_of_every_object_is_an_error_or_harmless() {
    for name in [
        "evolved",
        "consolidated_sparse",
        "v5_sparse_basics",
        "v3_sparse_basics",
    ] {
        let whole = unpack(name);
        for key in whole.keys() {
            let bytes = tdb_store::read_whole(&whole, &key, 1 << 20).unwrap();
            for end in (0..bytes.len()).step_by(bytes.len() / 7 + 1) {
                let store = unpack(name);
                store.overwrite(&key, bytes.slice(..end));
                if let Ok(array) = open(&store, 0, NOW) {
                    let _ = array.metadata();
                    for (fragment, _) in array.numbered_fragments() {
                        let _ = array.rtree(fragment);
                    }
                }
            }
        }
    }
}

#[test]
fn a_store_that_fails_once_is_an_error_or_no_matter() {
    let memory = unpack("consolidated_sparse");
    let good = describe(&open(&memory, 0, NOW).unwrap());
    let sound = Arc::new(FaultyStore::failing_at(memory.clone(), u64::MAX));
    Array::open(
        Arc::clone(&sound) as Arc<dyn Store>,
        "",
        OpenOptions::default(),
    )
    .unwrap();
    let operations = sound.operations();
    assert!(operations > 8);
    for operation in 0..operations {
        let store = FaultyStore::failing_at(memory.clone(), operation);
        match Array::open(Arc::new(store), "", OpenOptions::default()) {
            Ok(array) => assert_eq!(describe(&array), good),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Store, "{error}"),
        }
    }
}

#[test]
fn an_update_acts_as_a_delete_and_is_warned_of() {
    let store = unpack("evolved");
    let key = key_of(&store, "__commits/__50_50_", ".del");
    let bytes = tdb_store::read_whole(&store, &key, 1 << 20).unwrap();
    let tile = tdb_tile::GenericTile::parse(&bytes, &Limits::default()).unwrap();
    let payload = tdb_filters::open_generic_tile(&tile, None, &Limits::default()).unwrap();
    // In an update, the values to write follow the condition: here none, with a u64 as count.
    let update = [&payload[..], &[0; 8]].concat();
    let version = tdb_tile::FormatVersion::WRITTEN;
    let sealed = tdb_filters::seal_generic_tile(&update, version, None).unwrap();
    store.remove(&key).unwrap();
    let key = key.replace(".del", ".upd");
    store.put(&key, sealed.into()).unwrap();
    let array = open(&store, 0, NOW).unwrap();
    assert_eq!(
        (array.deletes().len(), array.deletes()[0].timestamp),
        (1, 50)
    );
    let expected =
        format!("{key}: an update, which acts as a delete of the cells that it would change");
    assert_eq!(array.warnings()[0].to_string(), expected);
    assert!(open(&store, 0, 49).unwrap().warnings().is_empty());
}

#[test]
fn limits_hold() {
    let store = unpack("consolidated_sparse");
    let tight: [(&str, Limits); 3] = [
        (
            "lists",
            Limits {
                list_bytes: 10,
                ..Limits::default()
            },
        ),
        (
            "tiles",
            Limits {
                metadata_tile: 10,
                ..Limits::default()
            },
        ),
        (
            "fragments",
            Limits {
                fragments: 0,
                ..Limits::default()
            },
        ),
    ];
    for (what, limits) in tight {
        let place = Location::new(Arc::new(store.clone()), "").with_limits(limits);
        let error = Array::open_location(&place, OpenOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{what}: {error}");
    }
}

#[test]
fn listings_in_pages_of_any_size_give_the_same_array() {
    let store = unpack("consolidated_sparse");
    let good = describe(&open(&store, 0, NOW).unwrap());
    for entries in 1..4 {
        let paged = store.clone().with_page_size(entries);
        assert_eq!(describe(&open(&paged, 0, NOW).unwrap()), good);
    }
}

#[test]
fn open_fragments_count_against_the_memory_as_long_as_any_is_kept() {
    let store: Arc<dyn Store> = Arc::new(unpack("v22_tour"));
    let limits = Limits::with_budget(64 << 20);
    let open = |limits: &Limits| {
        let place = Location::new(Arc::clone(&store), "").with_limits(limits.clone());
        Array::open_location(&place, OpenOptions::default())
    };
    let array = open(&limits).unwrap();
    let count = array.fragments().len() as u64;
    let used = limits.budget.used();
    assert!(used > count * 2_000, "{used} bytes of {count} fragments");
    let last = array.fragments().last().cloned();
    drop(array);
    assert!(limits.budget.used() > 2_000, "one of them is kept");
    drop(last);
    assert_eq!(limits.budget.used(), 0);
    // With little memory, the ends of their metadata are not kept, so only the fragments are counted.
    let tight = Limits::with_budget(used - 1_000);
    let array = open(&tight).unwrap();
    let fragments = tight.budget.used();
    assert!(
        fragments > count * 2_000,
        "{fragments} bytes of {count} fragments"
    );
    drop(array);
    assert_eq!(tight.budget.used(), 0);
    let kind = open(&Limits::with_budget(fragments / 2))
        .unwrap_err()
        .kind();
    assert_eq!(kind, ErrorKind::Memory);
}
