//! A result is the same in batches of any size, and its beginning is the same under a limit.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

mod support;

use std::sync::Arc;

use bytes::Bytes;
use support::Golden;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_tile::Range;

/// A text for each cell, in the order of the result.
fn rows(session: &Session, array: &Arc<Array>, options: &ReadOptions) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in Reader::open(session, array, options).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.rows {
            let cell = |column: &tdb_cells::Column| {
                if column.is_valid(row) {
                    format!("{:?}", column.cell(row).unwrap())
                } else {
                    "null".to_owned()
                }
            };
            rows.push(batch.columns.iter().map(cell).collect());
        }
    }
    rows
}

/// Where the cells of a sparse array's first fragment begin and end along a dimension: some of the cells of some tiles.
fn ends(array: &Array) -> Vec<(String, Range)> {
    let schema = array.schema();
    let dimension = schema.dimensions.first();
    let bounds = array.fragments().first();
    let bounds = bounds.and_then(|fragment| fragment.metadata.non_empty_domain.first());
    let Some((dimension, bounds)) = dimension.zip(bounds).filter(|_| !schema.is_dense()) else {
        return Vec::new();
    };
    let range = |end: &Bytes| {
        let range = Range::new(end.clone(), end.clone());
        (dimension.name.clone(), range)
    };
    vec![range(&bounds.lo), range(&bounds.hi)]
}

#[test]
fn a_result_is_the_same_in_batches_of_any_size() {
    let two = SessionOptions {
        threads: Some(2.try_into().unwrap()),
        share_from: Some(0),
        ..SessionOptions::default()
    };
    let session = Session::new(two);
    let mut compared = 0;
    for golden in Golden::all() {
        if golden.is_group || golden.name.contains("lost_tiles") {
            continue;
        }
        let place = Location::new(Arc::new(golden.store()), "").with_key(golden.key.clone());
        let array = Array::open_location(&place, OpenOptions::default());
        let array = Arc::new(array.unwrap());
        let cells = array.fragments().iter().map(|f| f.metadata.cell_count());
        if cells.sum::<u64>() > 5000 {
            continue;
        }
        let orders = [ResultOrder::Global, ResultOrder::RowMajor];
        let places = [Vec::new(), ends(&array)];
        for (order, ranges) in orders
            .into_iter()
            .flat_map(|order| places.clone().map(|r| (order, r)))
        {
            let all = ReadOptions {
                order: Some(order),
                ranges,
                ..ReadOptions::default()
            };
            let sized = |bytes| ReadOptions {
                batch_bytes: Some(bytes),
                ..all.clone()
            };
            let limited = ReadOptions {
                limit: Some(3),
                ..all.clone()
            };
            let whole = rows(&session, &array, &all);
            let name = format!("{}, {order:?}", golden.name);
            let has_duplicates = array.schema().allows_duplicates;
            for bytes in [1, 700] {
                let (mut whole, mut small) = (whole.clone(), rows(&session, &array, &sized(bytes)));
                if has_duplicates {
                    // Which of equal cells comes first is not said.
                    whole.sort();
                    small.sort();
                }
                assert_eq!(small, whole, "{name}, batches of {bytes} bytes");
            }
            let first = rows(&session, &array, &limited);
            assert_eq!(first.len(), whole.len().min(3), "{name}");
            if !has_duplicates {
                assert_eq!(first, whole[..first.len()], "{name}");
            }
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared} results");
}
