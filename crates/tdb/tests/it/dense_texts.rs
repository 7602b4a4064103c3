//! Texts of dense arrays compared with a model: overlapping boxes are written, and boxes are read in each order, with
//! one thread and with two.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::boxes::{Rectangle, context, interval, order, places};
use proptest::prelude::*;
use tdb::{Array, Attribute, Batch, Context, Datatype, Dimension, Order, Schema};
use tempfile::TempDir;

#[derive(Clone, Debug)]
struct Case {
    /// Number of rows and columns of the array.
    cells: [i32; 2],
    /// Number of rows and columns of a tile.
    tile: [i32; 2],
    tile_order: Order,
    cell_order: Order,
    /// Written boxes, oldest first, each with the texts of its cells in row-major order.
    written: Vec<(Rectangle, Vec<String>)>,
    wanted: Rectangle,
    batch_bytes: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let side = || (1..=23_i32, 1..=9_i32);
    (side(), side(), 0..3_u8).prop_flat_map(|(rows, columns, shape)| {
        // Tiles as wide as the array have the same cell order as the result; so do tiles of an array with one column.
        let columns = match shape {
            0 => columns,
            1 => (columns.0, columns.0),
            _ => (1, 1),
        };
        let cells = [rows.0, columns.0];
        let rectangle = move || (interval(cells[0]), interval(cells[1])).prop_map(|(a, b)| [a, b]);
        let text = prop_oneof![Just(String::new()), "[a-zé]{1,5}"];
        let written = rectangle().prop_flat_map(move |at| {
            let texts = proptest::collection::vec(text.clone(), places(&at).count());
            texts.prop_map(move |texts| (at.clone(), texts))
        });
        let tile = [rows.1.min(rows.0), columns.1.min(columns.0)];
        let batch_bytes = prop_oneof![Just(u64::MAX), 1..2000_u64];
        (
            (order(), order()),
            proptest::collection::vec(written, 0..4),
            rectangle(),
            batch_bytes,
        )
            .prop_map(
                move |((tile_order, cell_order), written, wanted, batch_bytes)| Case {
                    cells,
                    tile,
                    tile_order,
                    cell_order,
                    written,
                    wanted,
                    batch_bytes,
                },
            )
    })
}

fn made(case: &Case, folder: &TempDir, context: &Context) -> Array {
    let dimension = |name: &str, at: usize| {
        let dimension = Dimension::new(name, Datatype::Int32);
        dimension.domain(0..=case.cells[at] - 1).tile(case.tile[at])
    };
    let schema = Schema::dense()
        .dimension(dimension("y", 0))
        .dimension(dimension("x", 1))
        .attribute(Attribute::new("t", Datatype::StringUtf8).fill("none"))
        .tile_order(case.tile_order)
        .cell_order(case.cell_order)
        .build()
        .unwrap();
    let uri = folder.path().join("texts").display().to_string();
    let mut array = context.create(&uri, &schema).unwrap();
    for (at, ([y, x], texts)) in (10..).zip(&case.written) {
        let write = array.write().range("y", y.clone()).range("x", x.clone());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let write = write.order(Order::Row).column("t", &texts).at(at);
        write.commit().unwrap();
        array = array.reopen().unwrap();
    }
    array
}

/// Returns the texts of all batches, sorted by place in row-major order.
fn texts(batches: &[Batch]) -> Vec<String> {
    let mut found = Vec::new();
    for batch in batches {
        let number = |name: &str, row: usize| {
            let bytes = batch.column(name).unwrap().cell(row).unwrap();
            i32::from_le_bytes(bytes.try_into().unwrap())
        };
        for row in 0..batch.rows {
            let text = batch.column("t").unwrap().cell(row).unwrap().to_vec();
            let text = String::from_utf8(text).unwrap();
            found.push(((number("y", row), number("x", row)), text));
        }
    }
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn texts_are_those_of_the_model(case in case()) {
        let folder = TempDir::new().unwrap();
        let written = case.written.iter().cloned();
        let expected = crate::boxes::expected(case.cells, "none".to_owned(), written, &case.wanted);
        for threads in [1, 2] {
            let context = context(threads);
            let folder = TempDir::new_in(folder.path()).unwrap();
            let array = made(&case, &folder, &context);
            for order in [Order::Row, Order::Col, Order::Global] {
                let [y, x] = case.wanted.clone();
                let read = array.read().range("y", y).range("x", x);
                let read = read.dims(["y", "x"]).order(order).batch_bytes(case.batch_bytes);
                let batches: Vec<Batch> = read.batches().unwrap().map(Result::unwrap).collect();
                prop_assert_eq!(&texts(&batches), &expected, "{:?}", order);
            }
        }
    }
}
