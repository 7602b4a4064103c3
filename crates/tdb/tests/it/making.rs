//! Interrupted imports and rewrites: afterwards there is no array or the complete one, and running the same work again
//! completes it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use tdb::{
    Attribute, Context, Datatype, Dimension, ErrorKind, InputFile, LocalStores, ObjectType,
    RemoteFolder, RewriteOptions, Schema, Stores,
};
use tdb_store::{FaultyStore, MemoryStore, Store, StoreError, copy_tree, name, parent};
use tempfile::NamedTempFile;

/// URI of the new array.
const NEW: &str = "mem://made/folder/new";

/// A store in memory that stops after a given number of operations.
#[derive(Clone, Debug)]
struct Memory(Arc<FaultyStore<MemoryStore>>);

impl Memory {
    fn of(store: &MemoryStore, operations: u64) -> Self {
        Self(Arc::new(FaultyStore::stopping_at(
            store.clone(),
            operations,
        )))
    }

    fn context(&self) -> Context {
        Context::new().threads(1).stores(Arc::new(self.clone()))
    }
}

impl Stores for Memory {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        LocalStores.open(folder)
    }

    fn open_remote(&self, uri: &str) -> tdb::Result<RemoteFolder> {
        Ok(RemoteFolder {
            store: Arc::<FaultyStore<MemoryStore>>::clone(&self.0),
            root_uri: "mem://made".to_owned(),
            folder: uri.strip_prefix("mem://made/").unwrap().to_owned(),
        })
    }
}

fn sound(store: &MemoryStore) -> Context {
    Memory::of(store, u64::MAX).context()
}

/// Copies a store with its contents.
fn copy_of(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::new();
    copy_tree(store, "", &copy, "").unwrap();
    copy
}

/// Simulates the passing of time: claims of stopped processes become old.
fn age_claims(store: &MemoryStore) {
    for object in store.list_recursive("").unwrap() {
        if let Some(rest) = name(&object.key).strip_prefix("__tdb_claim_") {
            let id = rest.split_once('_').unwrap().1;
            let old = format!("{}/__tdb_claim_1_{id}", parent(&object.key));
            store.remove(&object.key).unwrap();
            store.put(&old, bytes::Bytes::new()).unwrap();
        }
    }
}

/// Returns the keys of the new array that TileDB would take for schemas.
fn schema_keys(store: &MemoryStore) -> Vec<String> {
    let found = store.list_recursive("folder/new/__schema").unwrap();
    found.into_iter().map(|object| object.key).collect()
}

/// Stops `work` at each of its operations. Afterwards there must be no array, or one with `cells` cells; a second run
/// must complete it and leave nothing but the array. Returns the number of operations.
fn stop_everywhere(
    before: &MemoryStore,
    cells: u64,
    work: impl Fn(&Context) -> tdb::Result<()> + Sync,
) -> u64 {
    let whole = Memory::of(&copy_of(before), u64::MAX);
    work(&whole.context()).unwrap();
    let operations = whole.0.operations();
    let check = |operation: u64| {
        let store = copy_of(before);
        let stopped = work(&Memory::of(&store, operation).context());
        let context = sound(&store);
        match context.open(NEW) {
            Ok(array) => {
                assert_eq!(array.read().count().unwrap(), cells, "{operation}");
                return true;
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{operation}"),
        }
        assert!(stopped.is_err(), "{operation}");
        let found = context.object_type(NEW).unwrap();
        assert_eq!(found, ObjectType::Invalid, "{operation}");
        let files = schema_keys(&store);
        let is_enumeration = |key: &String| key.contains("/__enumerations/");
        assert!(files.iter().all(is_enumeration), "{operation}: {files:?}");
        age_claims(&store);
        work(&context).unwrap_or_else(|error| panic!("{operation}: {error}"));
        let array = context.open(NEW).unwrap();
        assert_eq!(array.read().count().unwrap(), cells, "{operation}");
        let made = store.list_recursive("folder/new").unwrap().into_iter();
        let left: Vec<String> = made.map(|object| object.key).collect();
        let own = |key: &&String| key.contains("__tdb_");
        assert_eq!(left.iter().find(own), None, "{operation}");
        let folder = |key: &String| key.split('/').nth(3).map(str::to_owned);
        let fragments = left.iter().filter(|key| key.contains("/__fragments/"));
        let mut fragments: Vec<Option<String>> = fragments.map(folder).collect();
        fragments.dedup();
        assert_eq!(fragments.len(), array.fragments(), "{operation}: {left:?}");
        false
    };
    // Each second run waits one second for a claim to expire, so checks run in parallel.
    let stops: Vec<u64> = (0..operations).collect();
    let mut whole = Vec::new();
    for some in stops.chunks(24) {
        thread::scope(|scope| {
            let checks = some.iter().map(|stop| scope.spawn(|| check(*stop)));
            let checks: Vec<_> = checks.collect();
            whole.extend(checks.into_iter().map(|check| check.join().unwrap()));
        });
    }
    // Once the array exists, it stays: operations after the schema is written only clean up.
    assert!(whole.is_sorted(), "{whole:?}");
    assert!(whole.contains(&true) && whole.contains(&false));
    operations
}

fn file(rows: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.write_all(rows.as_bytes()).unwrap();
    file
}

fn rows(count: u64, modulus: u64) -> NamedTempFile {
    let cells = (0..count).map(|row| format!("{},{}\n", row % modulus, row * 7));
    file(&format!("id,value\n{}", cells.collect::<String>()))
}

#[test]
fn an_import_that_is_stopped_anywhere_leaves_no_array_or_the_whole_one() {
    let cells = rows(3_000, 3_000);
    let import = |context: &Context| {
        let import = context.import(InputFile::new(cells.path()), NEW);
        import.key(["id"]).max_fragment(4_000).run().map(drop)
    };
    let operations = stop_everywhere(&MemoryStore::new(), 3_000, import);
    assert!(operations > 40, "{operations}");
}

/// The first rows are distinct, so the duplicate is found late, and the second attempt finds what the first one wrote.
#[test]
fn an_import_that_keeps_rows_of_one_key_begins_anew_and_can_be_stopped() {
    let cells = rows(3_000, 2_990);
    let import = |context: &Context| {
        let import = context.import(InputFile::new(cells.path()), NEW);
        let done = import.dimensions(["id"]).sparse().run()?;
        assert!(done.keeps_duplicates);
        Ok(())
    };
    stop_everywhere(&MemoryStore::new(), 3_000, import);
}

/// Creates another array with two writes, metadata and labels.
fn old_array() -> MemoryStore {
    let store = MemoryStore::new();
    let array = sound(&store)
        .create("mem://made/old", &schema(100))
        .unwrap();
    for first in [0_i64, 300] {
        let x: Vec<i64> = (first..first + 500).collect();
        let sky: Vec<&str> = x
            .iter()
            .map(|x| ["clear", "rain"][usize::from(x % 2 > 0)])
            .collect();
        let write = array.write().column("x", &x).column("sky", &sky);
        write.commit().unwrap();
    }
    array.set_metadata("source", "made").unwrap();
    store
}

fn schema(tile: i64) -> Schema {
    let x = Dimension::new("x", Datatype::Int64)
        .domain(0..=9_999)
        .tile(tile);
    let sky = Attribute::new("sky", Datatype::UInt8).enumeration("skies");
    let schema = Schema::sparse().dimension(x).attribute(sky);
    schema
        .enumeration("skies", ["clear", "rain"])
        .build()
        .unwrap()
}

fn rewritten(context: &Context) -> tdb::Result<u64> {
    let old = context.open("mem://made/old")?;
    let mut options = RewriteOptions::default();
    options.part_bytes = 3_000;
    let done = old.rewrite_with(NEW, &old.full_schema()?, &options)?;
    let new = context.open(NEW)?;
    assert_eq!(new.metadata()?.iter().count(), 1);
    Ok(done.found)
}

#[test]
fn a_rewrite_that_is_stopped_anywhere_leaves_no_array_or_the_whole_one() {
    let old = old_array();
    let operations = stop_everywhere(&old, 800, |context| rewritten(context).map(drop));
    assert!(operations > 60, "{operations}");
}

/// Stops an import in the middle, and returns the store with what it left.
fn left_by_an_import(cells: &NamedTempFile) -> MemoryStore {
    let store = old_array();
    let import = |context: Context| {
        let import = context.import(InputFile::new(cells.path()), NEW);
        import.key(["id"]).run()
    };
    for operations in 15.. {
        let left = copy_of(&store);
        import(Memory::of(&left, operations).context()).unwrap_err();
        let fragments = left.list_recursive("folder/new/__commits").unwrap();
        if !fragments.is_empty() {
            age_claims(&left);
            return left;
        }
    }
    store
}

#[test]
fn what_is_not_whole_is_told_and_removed_and_is_in_the_way_of_all_else() {
    let cells = rows(100, 100);
    let store = left_by_an_import(&cells);
    let context = sound(&store);
    let told = |result: tdb::Result<()>| {
        let error = result.expect_err("it is not whole");
        let hint = error.hint().unwrap_or_default();
        format!("{error} ({hint})")
    };
    let old = context.open("mem://made/old").unwrap();
    let schema = schema(100);
    let all = [
        context.open(NEW).map(drop),
        context.create(NEW, &schema).map(drop),
        context.create_group(NEW).map(drop),
        old.rewrite(NEW, &schema).map(drop),
        context.copy("mem://made/old", NEW),
        context.copy(NEW, "mem://made/copy"),
        context.rename(NEW, "mem://made/copy"),
    ];
    let told = all.map(told);
    insta::assert_snapshot!(told[0], @"mem://made/folder/new: there is an unfinished import here, not an array: it is still running, or was interrupted (run the same import again to finish it, or tdb rm mem://made/folder/new to remove the rest)");
    insta::assert_snapshot!(told[1], @r#"mem://made/folder/new: "folder/new": an unfinished import is here (run the same command again to finish it, or tdb rm to remove the rest)"#);
    for other in &told[2..] {
        assert_eq!(*other, told[0]);
    }
    let before = state(&store);
    let objects = context.objects(NEW).unwrap();
    objects.remove().unwrap();
    assert!(store.list_recursive("folder").unwrap().is_empty());
    assert!(!before.is_empty());
    context.create(NEW, &schema).unwrap();
}

fn state(store: &MemoryStore) -> Vec<String> {
    let objects = store.list_recursive("").unwrap().into_iter();
    objects.map(|object| object.key).collect()
}

#[test]
fn what_is_not_of_an_import_stays() {
    let cells = rows(100, 100);
    let import = |store: &MemoryStore| {
        let context = sound(store);
        context
            .import(InputFile::new(cells.path()), NEW)
            .key(["id"])
            .run()
    };
    // Objects next to the array's own are not touched, before and after.
    let store = left_by_an_import(&cells);
    for key in [
        "folder/new/notes.txt",
        "folder/new/__fragment",
        "folder/new/below/data",
    ] {
        store.put(key, "mine".into()).unwrap();
    }
    import(&store).unwrap();
    for key in [
        "folder/new/notes.txt",
        "folder/new/__fragment",
        "folder/new/below/data",
    ] {
        assert_eq!(store.size(key).unwrap(), 4);
    }
    // This is the rest of an array whose removal was stopped, without a note about it.
    let store = MemoryStore::new();
    let rest = "folder/new/__fragments/__1_1_00000000000000000000000000000001_22/a0.tdb";
    store.put(rest, "cells".into()).unwrap();
    let refused = import(&store)
        .expect_err("it may be somebody's")
        .to_string();
    insta::assert_snapshot!(refused, @"mem://made/folder/new: there are remains of an array here, left by an unknown operation");
    assert_eq!(state(&store), [rest]);
}
