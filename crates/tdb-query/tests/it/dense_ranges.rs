//! Ranges of dense arrays in any order: each returns the same cells as a read of the whole array.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Session};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_store::LocalStore;
use tdb_tile::Range;

/// Cells of all columns by coordinates, and the coordinates in the order of the result.
type Cells = (
    HashMap<Vec<Vec<u8>>, Vec<(bool, Vec<u8>)>>,
    Vec<Vec<Vec<u8>>>,
);

fn read(ranges: Vec<(String, Range)>, order: ResultOrder) -> Cells {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/v22_dense_basics/array");
    let store = LocalStore::open(path).unwrap();
    let array = Arc::new(Array::open(Arc::new(store), "", OpenOptions::default()).unwrap());
    let dimensions = array.schema().dimensions.len();
    let options = ReadOptions::default().ranges(ranges).order(Some(order));
    let (mut cells, mut coordinates) = (HashMap::new(), Vec::new());
    for batch in Reader::open(&Session::default(), &array, &options).unwrap() {
        let batch: Batch = batch.unwrap();
        for row in 0..batch.rows {
            let place = |i: usize| batch.columns[i].cell(row).unwrap().to_vec();
            let place: Vec<Vec<u8>> = (0..dimensions).map(place).collect();
            let values = batch.columns[dimensions..].iter();
            let values = values
                .map(|c| (c.is_valid(row), c.cell(row).unwrap().to_vec()))
                .collect();
            cells.insert(place.clone(), values);
            coordinates.push(place);
        }
    }
    (cells, coordinates)
}

#[test]
fn ranges_in_any_order_give_each_cell_its_own_bytes() {
    let (whole, _) = read(Vec::new(), ResultOrder::RowMajor);
    for order in [ResultOrder::RowMajor, ResultOrder::ColumnMajor] {
        let rows = [Range::of(5_i32, 6), Range::of(2_i32, 5)].map(|r| ("row".to_owned(), r));
        let columns = [Range::of(3_i32, 4), Range::of(-2_i32, 3)].map(|r| ("col".to_owned(), r));
        let (part, coordinates) = read(rows.into_iter().chain(columns).collect(), order);
        // Cells that two ranges share come twice.
        assert_eq!(coordinates.len(), (2 + 4) * (2 + 6));
        assert_eq!(part.len(), 5 * 7);
        for (place, cells) in &part {
            assert_eq!(whole.get(place), Some(cells), "cell {place:?}");
        }
    }
}
