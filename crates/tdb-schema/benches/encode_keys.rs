//! Encoding the keys of a million cells with two int64 dimensions.
#![expect(clippy::unwrap_used, reason = "a test or bench may stop there")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tdb_schema::order::{Column, KeyEncoder, SortOrder};
use tdb_schema::{ArraySchema, ArrayType, CellOrder, Dimension};
use tdb_tile::Datatype;

const CELLS: u64 = 1_000_000;
const DOMAIN: (i64, i64) = (0, 999_999);

fn main() {
    divan::main();
}

fn schema(extent: i64, cell_order: CellOrder) -> ArraySchema {
    let dimension = |name| Dimension::numbers(name, Datatype::Int64, DOMAIN, extent);
    let dimensions = vec![dimension("y"), dimension("x")];
    ArraySchema {
        cell_order,
        ..ArraySchema::new(ArrayType::Sparse, dimensions, vec![])
    }
}

/// Coordinates spread over the whole domain, by multiplication with a large odd number.
fn coordinates(seed: u64) -> Vec<u8> {
    let cells =
        (0..CELLS).map(|i| (i.wrapping_add(seed)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
    cells.flat_map(|v| (v % 1_000_000).to_le_bytes()).collect()
}

fn encode(bencher: Bencher<'_, '_>, schema: &ArraySchema, order: SortOrder) {
    let (y, x) = (coordinates(1), coordinates(2));
    let encoder = KeyEncoder::new(schema, order);
    let mut keys: Vec<u64> = Vec::new();
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let columns = [Column::Fixed(&y), Column::Fixed(&x)];
        encoder.encode_into(black_box(&columns), &mut keys).unwrap();
    });
}

#[divan::bench]
fn global_order(bencher: Bencher<'_, '_>) {
    encode(
        bencher,
        &schema(1000, CellOrder::RowMajor),
        SortOrder::Global,
    );
}

#[divan::bench]
fn global_order_in_tiles_of_a_power_of_two(bencher: Bencher<'_, '_>) {
    encode(
        bencher,
        &schema(1024, CellOrder::RowMajor),
        SortOrder::Global,
    );
}

#[divan::bench]
fn row_major(bencher: Bencher<'_, '_>) {
    encode(
        bencher,
        &schema(1000, CellOrder::RowMajor),
        SortOrder::RowMajor,
    );
}

#[divan::bench]
fn hilbert(bencher: Bencher<'_, '_>) {
    encode(
        bencher,
        &schema(1000, CellOrder::Hilbert),
        SortOrder::Global,
    );
}
