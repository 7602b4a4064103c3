//! Fragments that are merged and vacuumed while their cells are read.

use std::sync::Arc;

use tdb_query::{QueryError, ReadOptions, Reader};

use crate::merge::arrays::{
    Event, Kind, fragments, lived, merge, now, options, session, shared, vacuum,
};

/// Three fragments with interleaved cells.
fn writes() -> Vec<Event> {
    let write = |number: i32| {
        let cells = (0..8).map(|cell| (cell, number, Some(cell)));
        Event::Write(cells.collect())
    };
    (1..=3).map(write).collect()
}

fn values(reader: &mut Reader) -> Result<Vec<i32>, QueryError> {
    let mut values = Vec::new();
    for batch in reader {
        values.extend(batch?.column("a").unwrap().numbers::<i32>()?);
    }
    Ok(values)
}

#[test]
fn a_read_looks_again_where_fragments_vanish_before_its_first_cells() {
    for kind in [Kind::Sparse, Kind::Duplicates, Kind::Dense] {
        let (store, _) = lived(kind, &writes());
        let open = || {
            let (array, session) = (Arc::new(now(&store)), session(None));
            Reader::open(&session, &array, &ReadOptions::default()).unwrap()
        };
        let mut expected = values(&mut open()).unwrap();
        let mut reader = open();
        merge(&shared(&store), &options(), None).unwrap();
        vacuum(&store);
        assert_eq!(fragments(&store), 1);
        let mut found = values(&mut reader).unwrap();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{kind:?}");
    }
}

#[test]
fn a_read_says_that_fragments_vanished_after_its_first_cells() {
    let (store, _) = lived(Kind::Sparse, &writes());
    let small = ReadOptions::default().batch_bytes(Some(1));
    let mut reader = Reader::open(&session(None), &Arc::new(now(&store)), &small).unwrap();
    assert!(reader.next().unwrap().is_ok());
    merge(&shared(&store), &options(), None).unwrap();
    vacuum(&store);
    let error = values(&mut reader).unwrap_err();
    insta::assert_snapshot!(
        format!("{error}; {}", error.hint().unwrap()),
        @"the array was merged and vacuumed while it was read; read it again, or vacuum with a grace period"
    );
}

/// Damage is not mistaken for a vacuum: the error names the object.
#[test]
fn a_file_that_is_gone_from_its_fragment_is_an_error() {
    let (store, _) = lived(Kind::Sparse, &writes());
    let reader = Reader::open(
        &session(None),
        &Arc::new(now(&store)),
        &ReadOptions::default(),
    );
    let keys = tdb_store::Store::list(&store, "__fragments", None).unwrap();
    let gone = format!("{}/a0.tdb", keys.prefixes[0]);
    tdb_store::Store::remove(&store, &gone).unwrap();
    let error = values(&mut reader.unwrap()).unwrap_err();
    assert_eq!(error.kind(), tdb_array::ErrorKind::NotFound);
    assert!(matches!(error, QueryError::Cells(_)), "{error:?}");
}
