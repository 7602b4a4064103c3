//! Values that `set` gives to cells.

use tdb::{Array, Attribute, Datatype, Dimension, Schema};
use tempfile::TempDir;

/// Creates an array of one cell with a day and bytes.
fn array() -> (TempDir, Array) {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = Schema::sparse()
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=3).tile(2))
        .attribute(Attribute::new("day", Datatype::DateTimeDay))
        .attribute(Attribute::new("bytes", Datatype::Blob))
        .build()
        .expect("a schema");
    let uri = folder.path().join("array").display().to_string();
    let array = tdb::create(&uri, &schema).expect("created");
    let write = array.write().column("x", [1]).column("day", ["1971"]);
    let write = write.column("bytes", [vec![0_u8, 255]]);
    write.at(10).commit().expect("written");
    (folder, array.reopen().expect("opened"))
}

fn days(array: &Array) -> Vec<i64> {
    let array = array.reopen().expect("opened");
    array.read().to_vec("day").expect("read")
}

#[test]
fn a_year_as_text_is_a_date_unless_text_is_ticks() {
    let (_folder, array) = array();
    assert_eq!(days(&array), [365]);
    let set = array.set("x = 1").value("day", "1972");
    set.clone().at(20).commit().expect("set");
    assert_eq!(days(&array), [730]);
    set.ticks(true).at(30).commit().expect("set");
    assert_eq!(days(&array), [1972]);
    // A number always means ticks.
    let set = array.set("x = 1").value("day", 1970);
    set.at(40).commit().expect("set");
    assert_eq!(days(&array), [1970]);
}

#[test]
fn text_for_bytes_stands_for_its_own_bytes() {
    let (_folder, array) = array();
    let bytes = |array: &Array| {
        let mut batches = array
            .reopen()
            .expect("opened")
            .read()
            .batches()
            .expect("begun");
        let batch = batches.next().expect("cells").expect("read");
        batch
            .column("bytes")
            .and_then(|column| column.cell(0))
            .map(<[u8]>::to_vec)
    };
    assert_eq!(bytes(&array), Some(vec![0, 255]));
    let set = array.set("x = 1").value("bytes", "00ff");
    set.at(20).commit().expect("set");
    assert_eq!(bytes(&array), Some(b"00ff".to_vec()));
    let set = array.set("x = 1").value("bytes", [1_u8, 2].as_slice());
    set.at(30).commit().expect("set");
    assert_eq!(bytes(&array), Some(vec![1, 2]));
}
