//! Files in arrays, and upkeep as TileDB's settings say.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use tdb::engine::array::TimeWindow;
use tdb::engine::consolidate::suggest_merges;
use tdb::{
    Attribute, Context, Datatype, Dimension, ErrorKind, FileFacts, LocalStores, MemoryStores,
    OpenMode, Schema, Settings, file_schema,
};

fn in_memory() -> Context {
    Context::new().stores(Arc::new(MemoryStores::beside(Arc::new(LocalStores))))
}

#[test]
fn a_file_comes_out_as_it_went_in() {
    let (context, uri) = (in_memory(), "mem://array");
    let files = context.files();
    // More than a tile of this size, and not a whole number of them.
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| at.to_le_bytes()[1]).collect();
    let mut file = files.open("mem://file.bin", OpenMode::Write).unwrap();
    file.write(&bytes).unwrap();
    file.close().unwrap();
    let schema = file_schema(bytes.len() as u64).unwrap();
    context.create(uri, &schema).unwrap();
    assert_eq!(
        context.stored_file(uri).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    let facts = FileFacts {
        name: "file",
        extension: "bin",
        mime_type: "image/tiff",
    };
    context
        .store_file(uri, &files, "mem://file.bin", &facts)
        .unwrap();
    let stored = context.stored_file(uri).unwrap();
    assert_eq!(stored.size(), 3_000_000);
    stored.copy_to(&files, "mem://copy").unwrap();
    let mut copy = vec![0; bytes.len()];
    let mut file = files.open("mem://copy", OpenMode::Read).unwrap();
    file.read_at(0, &mut copy).unwrap();
    assert!(copy == bytes);
    let mut part = [0; 3];
    stored.read_at(2_999_997, &mut part).unwrap();
    assert_eq!(part, bytes[2_999_997..]);
    assert!(stored.read_at(2_999_998, &mut part).is_err());
    stored.read_at(3_000_000, &mut []).unwrap();
}

#[test]
fn each_stored_file_can_be_read_at_its_time() {
    let (context, uri) = (in_memory(), "mem://array");
    context.create(uri, &file_schema(0).unwrap()).unwrap();
    for text in ["a", "bb", "ccc"] {
        let facts = FileFacts::default();
        context.store_bytes(uri, text.as_bytes(), &facts).unwrap();
    }
    context
        .store_bytes(uri, b"", &FileFacts::default())
        .unwrap();
    assert_eq!(context.stored_file(uri).unwrap().size(), 3);
    let array = context.open(uri).unwrap();
    let fragments = array.engine().fragments().iter();
    for (size, fragment) in (1_u64..).zip(fragments) {
        let time = fragment.timestamps().1;
        let past = array.as_of(Some(time)).unwrap().metadata().unwrap();
        let found = past.get("file_size").map(|value| value.bytes.to_vec());
        assert_eq!(found, Some(size.to_le_bytes().to_vec()));
    }
}

/// An array with fragments of the times 1 to 4, each of its own cells.
fn four_fragments(context: &Context, uri: &str) {
    let schema = Schema::sparse()
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=99).tile(10))
        .attribute(Attribute::new("a", Datatype::Int32))
        .build()
        .unwrap();
    let array = context.create(uri, &schema).unwrap();
    for time in 1..=4_i32 {
        let write = array.write().at(u64::try_from(time).unwrap());
        let write = write.column("x", [10 * time]).column("a", [time]);
        write.commit().unwrap();
    }
}

fn fragments(context: &Context, uri: &str) -> Vec<(u64, u64)> {
    let array = context.open(uri).unwrap();
    let fragments = array.engine().fragments().iter();
    fragments.map(|fragment| fragment.timestamps()).collect()
}

#[test]
fn settings_say_what_is_merged_and_removed() {
    let (context, uri) = (in_memory(), "mem://array");
    four_fragments(&context, uri);
    let mut settings = Settings::new();
    settings.set("sm.consolidation.timestamp_end", "2").unwrap();
    context.consolidate_by(uri, &settings).unwrap();
    assert_eq!(fragments(&context, uri), [(1, 2), (3, 3), (4, 4)]);
    context.vacuum_by(uri, &settings).unwrap();
    let array = context.open(uri).unwrap();
    assert!(array.engine().replaced().is_empty());
    for mode in ["commits", "fragment_meta", "array_meta"] {
        settings.set("sm.consolidation.mode", mode).unwrap();
        settings.set("sm.vacuum.mode", mode).unwrap();
        context.consolidate_by(uri, &settings).unwrap();
        context.vacuum_by(uri, &settings).unwrap();
        assert_eq!(fragments(&context, uri).len(), 3);
    }
    settings.set("sm.consolidation.mode", "nothing").unwrap();
    settings.set("sm.vacuum.mode", "nothing").unwrap();
    assert!(context.consolidate_by(uri, &settings).is_err());
    assert!(context.vacuum_by(uri, &settings).is_err());
    assert!(context.vacuum_by("mem://none", &Settings::new()).is_err());
}

#[test]
fn fragments_are_merged_and_removed_by_name_and_time() {
    let (context, uri) = (in_memory(), "mem://array");
    four_fragments(&context, uri);
    let array = context.open(uri).unwrap();
    let names: Vec<String> = (array.engine().fragments().iter())
        .map(|fragment| format!("{uri}/__fragments/{}", fragment.name.as_str()))
        .collect();
    let settings = Settings::new();
    let merged = [&*names[1], &*names[2]];
    context
        .consolidate_fragments(uri, &merged, &settings)
        .unwrap();
    assert_eq!(fragments(&context, uri), [(1, 1), (2, 3), (4, 4)]);
    assert!(
        context
            .consolidate_fragments(uri, &["none"], &settings)
            .is_err()
    );
    context.delete_fragments(uri, &[&names[3]]).unwrap();
    assert!(context.delete_fragments(uri, &[&names[3]]).is_err());
    let window = TimeWindow { since: 0, at: 2 };
    context.delete_fragments_within(uri, window).unwrap();
    assert_eq!(fragments(&context, uri), [(2, 3)]);
}

#[test]
fn suggested_merges_join_what_overlaps_and_what_is_small() {
    let (context, uri) = (in_memory(), "mem://array");
    four_fragments(&context, uri);
    let suggest = |size| {
        let array = context.open(uri).unwrap();
        let nodes = suggest_merges(array.engine(), size).unwrap();
        nodes.iter().map(Vec::len).collect::<Vec<_>>()
    };
    // Each fragment is far larger: each should be split.
    assert_eq!(suggest(2), [1, 1, 1, 1]);
    assert_eq!(suggest(1 << 30), [4]);
    let array = context.open(uri).unwrap();
    let write = array
        .write()
        .at(5_u64)
        .column("x", [10, 20])
        .column("a", [0, 0]);
    write.commit().unwrap();
    // The new one overlaps with two of them.
    assert_eq!(suggest(2), [3, 1, 1]);
}
