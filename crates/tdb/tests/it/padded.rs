//! Text shorter than its cell of fixed size, written and read by programs.

use tdb::{Attribute, Datatype, Dimension, Order, Schema};

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Row {
    x: i32,
    c: String,
}

fn row(x: i32, c: &str) -> Row {
    Row { x, c: c.to_owned() }
}

#[test]
fn shorter_text_is_filled_up_and_read_without_what_fills_it() {
    let folder = tempfile::tempdir().unwrap();
    let uri = folder.path().join("array").display().to_string();
    let schema = Schema::sparse()
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=9).tile(10))
        .attribute(Attribute::new("c", Datatype::StringAscii).values(3))
        .build()
        .unwrap();
    let array = tdb::create(&uri, &schema).unwrap();
    array
        .write()
        .rows([row(1, "ab"), row(2, "abc"), row(3, "")])
        .unwrap();
    let columns = array.reopen().unwrap();
    let texts = ["b", "", "xyz"];
    columns
        .write()
        .column("x", [4, 5, 6])
        .column("c", texts)
        .commit()
        .unwrap();
    let rows = array
        .reopen()
        .unwrap()
        .read()
        .order(Order::Row)
        .rows::<Row>()
        .unwrap();
    let rows: Vec<Row> = rows.collect::<tdb::Result<_>>().unwrap();
    let wanted = ["ab", "abc", "", "b", "", "xyz"];
    let wanted: Vec<Row> = (1..).zip(wanted).map(|(x, c)| row(x, c)).collect();
    assert_eq!(rows, wanted);
    let long = array
        .write()
        .rows([row(7, "abcd")])
        .unwrap_err()
        .to_string();
    assert!(long.contains("got 4 values, expected 3 per cell"), "{long}");
    let long = array
        .write()
        .column("x", [7])
        .column("c", ["abcd"])
        .commit();
    let long = long.unwrap_err().to_string();
    assert!(
        long.contains("expected 3 values of type string_ascii per cell"),
        "{long}"
    );
}
