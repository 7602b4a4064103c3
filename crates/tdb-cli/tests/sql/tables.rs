//! Tables in nested groups, and tables with their own key.

use std::fs;
use std::path::Path;

use tdb::{Context, Sql};
use tempfile::TempDir;

use crate::copy;

/// Copies a golden array or group into a temporary folder.
fn golden(name: &str, kind: &str) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let place = folder.path().join("it");
    copy(&fixtures.join(name).join(kind), &place);
    (folder, place.display().to_string())
}

/// Runs a query and returns its rows as text.
fn rows(sql: &Sql, query: &str) -> String {
    let batch = sql.query(query).unwrap().to_arrow().unwrap();
    let columns = batch.columns().iter();
    columns.map(|column| format!("{column:?}")).collect()
}

#[test]
fn arrays_in_groups_of_a_group_have_the_names_of_both() {
    let (_folder, uri) = golden("v22_group", "group");
    let sql = Context::new().sql().unwrap();
    sql.group(&uri).unwrap();
    for name in [
        "\"inner\".drei",
        "\"inner\".\"drei\"",
        "\"inner\".DREI",
        "\"inner.drei\"",
    ] {
        let count = rows(&sql, &format!("select count(*) as n from {name}"));
        assert!(count.contains("\n  3,\n"), "{name}: {count}");
    }
    let qualified = rows(
        &sql,
        "select count(drei.a) as n from \"inner\".drei where drei.a is not null",
    );
    assert!(qualified.contains("\n  3,\n"), "{qualified}");
    let Err(wrong) = sql.query("select * from \"inner\".\"DREI\"") else {
        panic!("other letters in quotes");
    };
    assert!(wrong.to_string().contains("not found"), "{wrong}");
}

#[test]
fn a_table_has_a_key_of_its_own() {
    let (folder, uri) = golden("v22_encrypted_sparse", "array");
    let key = folder.path().join("key");
    fs::write(&key, "a key of thirty-two ascii bytes!").unwrap();
    let sql = Context::new().sql().unwrap();
    let create = |name: &str, file: &Path| {
        let file = file.display();
        let create = format!(
            "create external table {name} stored as tiledb location '{uri}' options ('key-file' '{file}')"
        );
        sql.run(&create, |_| Ok::<_, tdb::Error>(()))
    };
    create("closed", &key).unwrap();
    let both = "select count(*) as n from closed, closed for system_time as of 110 as old";
    // 26 cells now, times the 12 cells written first.
    assert!(
        rows(&sql, both).contains("\n  312,\n"),
        "{}",
        rows(&sql, both)
    );
    sql.run("delete from closed where x < 50", |_| {
        Ok::<_, tdb::Error>(())
    })
    .unwrap();
    assert!(rows(&sql, "select count(*) as n from closed where x < 50").contains("\n  0,\n"));
    let lost = create("lost", &folder.path().join("nothing")).unwrap_err();
    assert!(lost.to_string().contains("No such file"), "{lost}");
    fs::write(&key, "short").unwrap();
    let short = create("short", &key).unwrap_err();
    assert!(short.to_string().contains("32 bytes"), "{short}");
}
