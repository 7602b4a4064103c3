//! Names of objects that no release writes.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, OpenOptions};
use tdb_store::Store;

use crate::hostile::{cells, refusal};
use crate::support::Golden;

const NAME: &str = "v22_sparse_basics";
const UUID: &str = "00000000000000000000000000000001";

/// Names whose timestamps exceed 64 bits, run backwards, or are missing.
fn odd() -> [String; 5] {
    [
        format!("__18446744073709551616_18446744073709551616_{UUID}_22"),
        format!("__1_{}_{UUID}_22", "9".repeat(30)),
        format!("__-5_-5_{UUID}_22"),
        format!("__2_1_{UUID}_22"),
        "__what".to_owned(),
    ]
}

#[test]
fn row_35_odd_names_among_fragments_are_passed_over() {
    let whole = cells(NAME, |_, _| {});
    let found = cells(NAME, |_, store| {
        for name in odd() {
            store.overwrite(&format!("__commits/{name}.wrongly"), Bytes::new());
            store.overwrite(&format!("__fragments/{name}/a0.tdb"), Bytes::new());
            store.overwrite(&format!("{name}/a0.tdb"), Bytes::new());
        }
    });
    assert_eq!(found, whole);
}

#[test]
fn row_35_odd_names_among_schemas_and_metadata_are_errors() {
    let error = |key: String| refusal(NAME, |_, store| store.overwrite(&key, Bytes::new()));
    let all = |folder: &str, ending: &str| {
        let errors = odd().map(|name| error(format!("{folder}/{name}{ending}")));
        errors.join("\n")
    };
    insta::assert_snapshot!(all("__schema", ""), @"
    Corrupt: __schema/__18446744073709551616_18446744073709551616_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __schema/__1_999999999999999999999999999999_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __schema/__-5_-5_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __schema/__2_1_UUID_22: the name ends before it starts
    Corrupt: __schema/__what: not a name with times
    ");
    insta::assert_snapshot!(all("__meta", ""), @"
    Corrupt: __meta/__18446744073709551616_18446744073709551616_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __meta/__1_999999999999999999999999999999_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __meta/__-5_-5_UUID_22: a time in the name is not a number below 2^64
    Corrupt: __meta/__2_1_UUID_22: the name ends before it starts
    Corrupt: __meta/__what: not a name with times
    ");
}

#[test]
fn row_35_odd_names_among_commits_are_errors_where_cells_are_read() {
    for ending in ["wrt", "ok", "del", "con", "ign", "vac", "upd"] {
        let late = u64::from(u32::MAX) + 1;
        for name in odd().into_iter().chain([format!("__1_1_{UUID}_{late}")]) {
            let key = format!("__commits/{name}.{ending}");
            let error = refusal(NAME, |_, store| store.overwrite(&key, Bytes::new()));
            let begin = format!("Corrupt: __commits/{}", name.replace(UUID, "UUID"));
            assert!(error.starts_with(&begin), "{key}: {error}");
        }
    }
    let golden = Golden::named(NAME);
    let store = golden.store();
    store.overwrite("__commits/__what.wrt", Bytes::new());
    insta::assert_snapshot!(crate::hostile::refusal_of(&golden, &store), @"Corrupt: __commits/__what.wrt: not a name with times, so what it commits is not known; give it the name that it had, or remove it");
    let shared: Arc<dyn Store> = Arc::new(store);
    let array = Array::open(shared, "", OpenOptions::default()).unwrap();
    insta::assert_snapshot!(array.warnings()[0], @"__commits/__what.wrt: not a name with times, so what it commits is not known, and no cell can be read");
}

#[test]
fn row_35_versions_to_come() {
    let version = |version: u32| {
        refusal(NAME, |_, store| {
            store.overwrite(
                &format!("__commits/__1_1_{UUID}_{version}.wrt"),
                Bytes::new(),
            );
        })
    };
    insta::assert_snapshot!(version(99), @"Unsupported: __fragments/__1_1_UUID_99: version 99 is not among those that this tdb reads, 1 to 23");
    insta::assert_snapshot!(version(u32::MAX), @"Unsupported: __fragments/__1_1_UUID_4294967295: version 4294967295 is not among those that this tdb reads, 1 to 23");
}

#[test]
fn a_schema_of_a_version_to_come() {
    let error = refusal(NAME, |golden, store| {
        let key = golden.key_of("__schema/");
        crate::support::tiles::edit_object(store, &key, |bytes| bytes[..4].fill(0xFF));
    });
    insta::assert_snapshot!(error, @"
    Unsupported: __schema/__100_100_UUID
      GenericTile.version at byte 0: version 4294967295 is too new for this tdb, which reads up to version 23
    ");
    let error = refusal(NAME, |golden, store| {
        let key = golden.key_of("__schema/");
        crate::support::tiles::edit_tile(store, &key, None, |payload| payload[..4].fill(0xFF));
    });
    insta::assert_snapshot!(error, @"
    Unsupported: __schema/__100_100_UUID
      ArraySchema.version at byte 4: version 4294967295 is too new for this tdb, which reads up to version 23
    ");
}
