//! Statements on an array that contains data with a future timestamp: it stays unchanged, with a warning.

use std::sync::{Arc, Mutex};

use tdb::{Attribute, Context, Datatype, Dimension, Schema, Time};
use tempfile::TempDir;

/// The start of the year 2100.
const TO_COME: Time = Time(4_102_444_800_000);

#[test]
fn statements_that_change_cells_tell_what_is_to_come() {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::sparse()
        .dimension(Dimension::new("k", Datatype::Int64).domain(0..=9).tile(10))
        .attribute(Attribute::new("v", Datatype::Int64));
    let array = tdb::create(&uri, &schema.build().unwrap()).unwrap();
    let later = array.write().at(TO_COME);
    let later = later.column("k", vec![1_i64]).column("v", vec![3_i64]);
    later.commit().unwrap();
    let warning = format!(
        "{uri}: 1 fragment of a time to come (up to 2100-01-01T00:00:00Z) will override this change from then on"
    );
    for statement in [
        "insert into 'DIR' values (1, 1), (2, 1)",
        "update 'DIR' set v = 2 where k = 2",
        "delete from 'DIR' where k = 2",
    ] {
        // A new context for each statement, since a warning is issued only once.
        assert_eq!(told(&uri, statement), std::slice::from_ref(&warning));
    }
    // These statements change nothing.
    for statement in [
        "select * from 'DIR'",
        "update 'DIR' set v = 2 where k = 7",
        "delete from 'DIR' where v = 3",
    ] {
        assert!(told(&uri, statement).is_empty(), "{statement}");
    }
    let then = Context::new().open_at(&uri, Time(TO_COME.0 + 1)).unwrap();
    assert_eq!(then.read().to_vec::<i64>("v").unwrap(), [3]);
}

/// Runs a statement and returns its warnings.
fn told(uri: &str, statement: &str) -> Vec<String> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let sql = Context::new().sql().unwrap();
    let sql = sql.warnings(move |what| listener.lock().unwrap().push(what.to_owned()));
    sql.run(&statement.replace("DIR", uri), |_| Ok::<_, tdb::Error>(()))
        .unwrap();
    let told = told.lock().unwrap();
    told.clone()
}
