//! Values read into the caller's memory, compared with a model and with batches: overlapping boxes are written, and
//! boxes are read in each order, with one thread and with two.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::boxes::{Rectangle, context, interval, order, places};
use proptest::prelude::*;
use tdb::{Array, Attribute, Context, Datatype, Dimension, Filter, Order, ReadBuilder, Schema};
use tempfile::TempDir;

/// Value of cells that were never written.
const FILL: i32 = -7;

#[derive(Clone, Debug)]
struct Case {
    /// Number of rows and columns of the array.
    cells: [i32; 2],
    /// Number of rows and columns of a tile.
    tile: [i32; 2],
    tile_order: Order,
    cell_order: Order,
    is_compressed: bool,
    /// Written boxes, oldest first. The cells of box N count up from N times 1000.
    written: Vec<Rectangle>,
    wanted: Rectangle,
    batch_bytes: u64,
    limit: Option<u64>,
}

fn case() -> impl Strategy<Value = Case> {
    let side = || (1..=23_i32, 1..=9_i32);
    (side(), side(), any::<bool>()).prop_flat_map(|(rows, columns, is_wide)| {
        // Tiles as wide as the array have the same cell order as the result.
        let width = if is_wide { columns.0 } else { columns.1 };
        let cells = [rows.0, columns.0];
        let rectangle = move || (interval(cells[0]), interval(cells[1])).prop_map(|(y, x)| [y, x]);
        let batch_bytes = prop_oneof![Just(u64::MAX), 1..900_u64];
        (
            (order(), order(), any::<bool>()),
            proptest::collection::vec(rectangle(), 0..4),
            rectangle(),
            batch_bytes,
            proptest::option::of(0..400_u64),
        )
            .prop_map(move |(how, written, wanted, batch_bytes, limit)| Case {
                cells,
                tile: [rows.1.min(rows.0), width.min(columns.0)],
                tile_order: how.0,
                cell_order: how.1,
                is_compressed: how.2,
                written,
                wanted,
                batch_bytes,
                limit,
            })
    })
}

/// Returns the values written to a rectangle, in row-major order.
fn values(number: usize, rectangle: &Rectangle) -> Vec<i32> {
    let first = i32::try_from(number).unwrap() * 1000;
    (first..).take(places(rectangle).count()).collect()
}

fn made(case: &Case, folder: &TempDir, context: &Context) -> Array {
    let dimension = |name: &str, at: usize| {
        let dimension = Dimension::new(name, Datatype::Int32);
        dimension.domain(0..=case.cells[at] - 1).tile(case.tile[at])
    };
    let mut attribute = Attribute::new("a", Datatype::Int32).fill(FILL);
    if case.is_compressed {
        attribute = attribute
            .filter(Filter::named("byteshuffle"))
            .filter(Filter::zstd(3));
    }
    let schema = Schema::dense()
        .dimension(dimension("y", 0))
        .dimension(dimension("x", 1))
        .attribute(attribute)
        .tile_order(case.tile_order)
        .cell_order(case.cell_order)
        .build()
        .unwrap();
    let uri = folder.path().join("values").display().to_string();
    let mut array = context.create(&uri, &schema).unwrap();
    for (number, rectangle) in case.written.iter().enumerate() {
        let [y, x] = rectangle.clone();
        let write = array.write().range("y", y).range("x", x).order(Order::Row);
        let write = write.column("a", values(number, rectangle));
        write.at(10 + number as u64).commit().unwrap();
        array = array.reopen().unwrap();
    }
    array
}

/// Returns the values of a field, read batch by batch.
fn by_batches(read: ReadBuilder, field: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for batch in read.batches().unwrap() {
        let batch = batch.unwrap();
        found.extend(batch.column(field).unwrap().numbers::<i32>().unwrap());
    }
    found
}

/// Values after the result in the caller's memory, which must not change.
const BEHIND: [i32; 3] = [1, 2, 3];

fn brought(read: ReadBuilder, field: &str, count: usize) -> Vec<i32> {
    let mut memory = vec![0; count];
    memory.extend(BEHIND);
    assert_eq!(read.read_into(field, &mut memory).unwrap(), count);
    assert_eq!(memory[count..], BEHIND);
    memory.truncate(count);
    memory
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn values_are_those_of_the_model(case in case()) {
        let folder = TempDir::new().unwrap();
        let written = case.written.iter().enumerate();
        let written = written.map(|(number, at)| (at.clone(), values(number, at)));
        let mut wanted = crate::boxes::expected(case.cells, FILL, written, &case.wanted);
        wanted.truncate(usize::try_from(case.limit.unwrap_or(u64::MAX)).unwrap());
        for threads in [1, 2] {
            let context = context(threads);
            let folder = TempDir::new_in(folder.path()).unwrap();
            let array = made(&case, &folder, &context);
            let [y, x] = case.wanted.clone();
            let mut read = array.read().range("y", y).range("x", x).batch_bytes(case.batch_bytes);
            if let Some(limit) = case.limit {
                read = read.limit(limit);
            }
            let rows = read.clone().order(Order::Row);
            prop_assert_eq!(&rows.clone().to_vec::<i32>("a").unwrap(), &wanted);
            prop_assert_eq!(&brought(rows, "a", wanted.len()), &wanted);
            for (order, field) in [(Order::Col, "a"), (Order::Global, "a"), (Order::Row, "x"), (Order::Col, "y")] {
                let read = read.clone().order(order);
                let cells = by_batches(read.clone(), field);
                prop_assert_eq!(&read.clone().to_vec::<i32>(field).unwrap(), &cells, "{:?}", order);
                prop_assert_eq!(&brought(read, field, cells.len()), &cells, "{:?}", order);
            }
        }
    }
}
