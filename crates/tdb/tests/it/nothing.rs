//! Reads of an empty list of intervals return no cell, whatever else is requested.

use tdb::{Array, Attribute, Datatype, Dimension, ErrorKind, Schema};
use tempfile::TempDir;

fn array(dense: bool) -> (TempDir, Array) {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = if dense {
        Schema::dense()
    } else {
        Schema::sparse()
    };
    let schema = schema
        .dimension(Dimension::new("y", Datatype::Int32).domain(0..=3).tile(2))
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=2).tile(2))
        .attribute(Attribute::new("a", Datatype::Int32))
        .build()
        .expect("a schema");
    let uri = folder.path().join("array").display().to_string();
    let array = tdb::create(&uri, &schema).expect("created");
    let cells: Vec<i32> = (0..12).collect();
    let mut write = array.write();
    if !dense {
        let ys: Vec<i32> = cells.iter().map(|cell| cell / 3).collect();
        let xs: Vec<i32> = cells.iter().map(|cell| cell % 3).collect();
        write = write.column("y", ys).column("x", xs);
    }
    write.column("a", cells).commit().expect("written");
    (folder, array.reopen().expect("opened"))
}

/// An empty list of intervals.
const NONE: [i32; 0] = [];

#[test]
fn no_intervals_of_a_dimension_are_no_cells() {
    for dense in [true, false] {
        let (_folder, array) = array(dense);
        let read = array.read().ranges("y", NONE);
        assert_eq!(read.clone().count().expect("counted"), 0);
        assert_eq!(read.clone().to_vec::<i32>("a").expect("read"), NONE);
        assert_eq!(read.clone().fill().to_vec::<i32>("a").expect("read"), NONE);
        assert_eq!(
            read.clone().sort(["-a"]).to_vec::<i32>("a").expect("read"),
            NONE
        );
        let batches = read.clone().batches().expect("begun");
        assert_eq!(
            batches
                .map(|batch| batch.expect("read").rows)
                .sum::<usize>(),
            0
        );
        let table = read
            .clone()
            .aggregate("count(*)", &["x"])
            .expect("answered");
        assert!(table.groups.is_empty());
        // The other dimension has a range.
        let other = read.range("x", 0..=1);
        assert_eq!(other.count().expect("counted"), 0);
    }
}

#[test]
fn intervals_in_a_list_are_read_with_those_given_one_by_one() {
    for dense in [true, false] {
        let (_folder, array) = array(dense);
        let read = array
            .read()
            .ranges("y", [0, 3])
            .ranges("x", NONE)
            .range("x", 1);
        assert_eq!(read.to_vec::<i32>("a").expect("read"), [1, 10]);
        let error = array
            .read()
            .ranges("z", NONE)
            .count()
            .expect_err("no dimension");
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
}
