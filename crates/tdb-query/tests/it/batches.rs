//! A result is the same in batches of any size, and its beginning is the same under a limit.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::sync::Arc;

use crate::support::Golden;
use bytes::Bytes;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_query::{NextCells, ReadOptions, Reader, ResultOrder};
use tdb_schema::FieldKind;
use tdb_tile::Range;

/// Returns a text for each cell, in the order of the result.
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

/// Returns the bounds of a sparse array's first fragment along the first dimension, each as a range of one value:
/// these take some of the cells of some tiles.
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

/// Returns the golden arrays with few cells, and their names.
fn small_arrays() -> impl Iterator<Item = (String, Arc<Array>)> {
    let goldens = Golden::all().into_iter();
    let whole = goldens.filter(|golden| !golden.is_group && !golden.name.contains("lost_tiles"));
    let arrays = whole.map(|golden| {
        let place = Location::new(Arc::new(golden.store()), "").with_key(golden.key.clone());
        let array = Array::open_location(&place, OpenOptions::default());
        (golden.name.clone(), Arc::new(array.unwrap()))
    });
    arrays.filter(|(_, array)| {
        let cells = array.fragments().iter().map(|f| f.metadata.cell_count());
        cells.sum::<u64>() <= 5000
    })
}

#[test]
fn a_result_is_the_same_in_batches_of_any_size() {
    let two = SessionOptions::default()
        .threads(Some(2.try_into().unwrap()))
        .share_from(Some(0));
    let session = Session::new(two);
    let mut compared = 0;
    for (name, array) in small_arrays() {
        let mut orders = vec![ResultOrder::Global, ResultOrder::RowMajor];
        if !array.schema().is_dense() {
            orders.push(ResultOrder::ColumnMajor);
        }
        let places = [Vec::new(), ends(&array)];
        for (order, ranges) in orders
            .into_iter()
            .flat_map(|order| places.clone().map(|r| (order, r)))
        {
            let all = ReadOptions::default().order(Some(order)).ranges(ranges);
            let sized = |bytes| all.clone().batch_bytes(Some(bytes));
            let limited = |limit| all.clone().limit(Some(limit));
            let whole = rows(&session, &array, &all);
            let name = format!("{name}, {order:?}");
            let has_duplicates = array.schema().allows_duplicates;
            for bytes in [1, 700] {
                let (mut whole, mut small) = (whole.clone(), rows(&session, &array, &sized(bytes)));
                if has_duplicates {
                    // The order of equal cells is unspecified.
                    whole.sort();
                    small.sort();
                }
                assert_eq!(small, whole, "{name}, batches of {bytes} bytes");
            }
            for limit in [1, 3, 40] {
                let first = rows(&session, &array, &limited(limit as u64));
                assert_eq!(first.len(), whole.len().min(limit), "{name}");
                if !has_duplicates {
                    assert_eq!(first, whole[..first.len()], "{name}");
                }
            }
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared} results");
}

/// Returns options for a single field.
fn only(field: &str, is_dimension: bool) -> ReadOptions {
    let (one, none) = (Some(vec![field.to_owned()]), Some(Vec::new()));
    let (dimensions, attributes) = if is_dimension {
        (one, none)
    } else {
        (none, one)
    };
    ReadOptions::default()
        .dimensions(dimensions)
        .attributes(attributes)
}

/// Reads all values of one field, and whether each part was decoded right into the memory.
fn into_memory(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
) -> (Vec<u8>, Vec<bool>) {
    let mut reader = Reader::open(session, array, options).unwrap();
    let (mut memory, mut end, mut written) = (vec![0xa5; 1 << 20], 0, Vec::new());
    while let Some(cells) = reader.next_into(&mut memory[end..]).unwrap() {
        written.push(matches!(cells, NextCells::Written(_)));
        end += match cells {
            NextCells::Written(bytes) => bytes,
            NextCells::Batch(batch) => {
                let values = &batch.columns[0].values;
                memory[end..][..values.len()].copy_from_slice(values);
                values.len()
            }
        };
    }
    memory.truncate(end);
    (memory, written)
}

/// In dense arrays, values are decoded in place if nothing else is requested; everything else comes in batches.
#[test]
fn values_of_one_field_are_decoded_where_they_belong() {
    let session = Session::new(SessionOptions::default());
    let (mut fields, mut right_there) = (0, 0);
    for (name, array) in small_arrays() {
        let schema = array.schema();
        if schema.allows_duplicates {
            continue;
        }
        for field in schema.fields() {
            let options = only(field.name, matches!(field.kind, FieldKind::Dimension(_)));
            let batches = Reader::open(&session, &array, &options).unwrap();
            let columns = batches.flat_map(|batch| batch.unwrap().columns);
            let wanted: Vec<u8> = columns.flat_map(|column| column.values).collect();
            if wanted.len() > 1 << 20 {
                continue;
            }
            let name = format!("{name}, {}", field.name);
            for batch_bytes in [1, u64::MAX] {
                let options = options.clone().batch_bytes(Some(batch_bytes));
                let (found, written) = into_memory(&session, &array, &options);
                assert_eq!(found, wanted, "{name}");
                let may = schema.is_dense() && !field.is_var() && !field.nullable;
                assert!(written.iter().all(|written| *written == may), "{name}");
                right_there += usize::from(may && !written.is_empty());
            }
            fields += 1;
        }
    }
    assert!(
        fields > 400 && right_there > 100,
        "{right_there} of {fields}"
    );
}
