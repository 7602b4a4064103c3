//! `ORDER BY … LIMIT` over a dimension, which reads only one end of the array, compared with sorting all rows.

use std::path::Path;

use tdb::Session;
use tdb::{Attribute, Context, Datatype, Dimension, FileFormat, OutputFile, Schema, Sql};
use tempfile::TempDir;

use crate::InMemory;

/// Number of cells, stored in small tiles.
const CELLS: i64 = 20_000;

/// Creates an array with a cell at every third coordinate, in overlapping fragments, with some cells deleted.
fn sparse(folder: &Path) -> String {
    let uri = folder.join("sparse").display().to_string();
    let place = Dimension::new("place", Datatype::Int64).domain(-10..=3 * CELLS);
    let line = Dimension::new("line", Datatype::Int64).domain(0..=9);
    let schema = Schema::sparse()
        .dimension(place.tile(300))
        .dimension(line.tile(10))
        .attribute(Attribute::new("value", Datatype::Float64))
        .capacity(50);
    let array = tdb::create(&uri, &schema.build().unwrap()).unwrap();
    for fragment in 0..3 {
        let rows: Vec<i64> = (0..CELLS).filter(|row| row * 5 % 3 == fragment).collect();
        let places: Vec<i64> = rows.iter().map(|row| row * 3).collect();
        let lines: Vec<i64> = rows.iter().map(|row| row * 7 % 10).collect();
        let values: Vec<f64> = rows.iter().map(|row| value(*row)).collect();
        let write = array.write().column("place", places).column("line", lines);
        write.column("value", values).commit().unwrap();
    }
    let last = tdb::field("place").ge(3 * CELLS - 40);
    tdb::open(&uri).unwrap().delete(&last).unwrap();
    uri
}

fn value(row: i64) -> f64 {
    if row % 11 == 0 {
        f64::NAN
    } else {
        (row * 37 % 1000) as f64
    }
}

fn dense(folder: &Path) -> String {
    let uri = folder.join("dense").display().to_string();
    let place = Dimension::new("place", Datatype::Int64).domain(0..=CELLS - 1);
    let schema = Schema::dense()
        .dimension(place.tile(50))
        .attribute(Attribute::new("line", Datatype::Int64))
        .attribute(Attribute::new("value", Datatype::Float64));
    let array = tdb::create(&uri, &schema.build().unwrap()).unwrap();
    let rows = 0..CELLS;
    let lines: Vec<i64> = rows.clone().map(|row| row * 7 % 10).collect();
    let values: Vec<f64> = rows.map(value).collect();
    let write = array.write().column("line", lines);
    write.column("value", values).commit().unwrap();
    uri
}

fn rows(sql: &Sql, query: &str) -> Vec<(i64, i64)> {
    let text = InMemory::default();
    let like = OutputFile::new("rows").format(FileFormat::Csv);
    let rows = sql.query(query).unwrap();
    rows.write_to(text.clone(), &like).unwrap();
    let text = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let (place, line) = line.split_once(',').unwrap();
        (place.parse().unwrap(), line.parse().unwrap())
    });
    rows.collect()
}

#[test]
fn ends_of_an_order_are_those_of_all_rows() {
    let folder = TempDir::new().unwrap();
    let arrays = [sparse(folder.path()), dense(folder.path())];
    let conditions = [
        "",
        "where value > 500",
        "where value > 998.5",
        "where line = 3",
        "where place between 1000 and 4000 and value < 10",
        "where value < 0",
    ];
    let orders = [
        "place",
        "place desc",
        "place desc, line",
        "place, line desc",
        "place desc nulls last, line desc",
        "line desc, place",
    ];
    for threads in [1, 3] {
        let sql = Context::new().threads(threads).sql().unwrap();
        for (uri, condition) in arrays.iter().flat_map(|uri| conditions.map(|c| (uri, c))) {
            for order in orders {
                let all = format!("select place, line from '{uri}' {condition} order by {order}");
                let wanted = rows(&sql, &all);
                for (limit, offset) in [(1, 0), (7, 30), (3000, 0)] {
                    let some = format!("{all} limit {limit} offset {offset}");
                    let wanted = wanted.iter().skip(offset).take(limit);
                    let found = rows(&sql, &some);
                    assert!(found.iter().eq(wanted), "{some}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn the_first_and_the_last_rows_are_read_without_the_others() {
    let folder = TempDir::new().unwrap();
    for uri in [sparse(folder.path()), dense(folder.path())] {
        for order in ["place", "place desc", "place desc, line desc"] {
            let session = Session::default();
            let sql = Context::new()
                .threads(2)
                .session(session.clone())
                .sql()
                .unwrap();
            let query = format!("select place, line from '{uri}' order by {order} limit 5");
            assert_eq!(rows(&sql, &query).len(), 5);
            // Of 400 tiles, at most those of three columns are read.
            let tiles = session.profile().tiles_read;
            assert!(tiles <= 60, "{query}: {tiles} tiles");
        }
    }
}
