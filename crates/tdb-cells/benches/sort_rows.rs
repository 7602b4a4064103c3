//! Sorting the rows of five million cells by their keys.
#![expect(clippy::unwrap_used, reason = "a test or bench may stop there")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tdb_cells::{Keys, Numbers, RowRange};

const CELLS: u64 = 5_000_000;

fn main() {
    divan::main();
}

/// Unordered numbers, made by multiplying with a large odd number.
fn scattered(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn sort(bencher: Bencher<'_, '_>, numbers: impl Fn() -> Numbers) {
    let rows = RowRange::first(usize::try_from(CELLS).unwrap()).unwrap();
    let bencher = bencher.counter(ItemsCount::new(CELLS));
    let bencher = bencher.with_inputs(|| Keys::exact(numbers()));
    bencher.bench_local_values(|keys| black_box(keys).sorted(rows).unwrap().rows().len());
}

/// Numbers of 40 bits, as in a square of a million by a million cells.
#[divan::bench(sample_count = 5)]
fn in_no_order(bencher: Bencher<'_, '_>) {
    sort(bencher, || {
        Numbers::Narrow((0..CELLS).map(|i| scattered(i) >> 24).collect())
    });
}

/// Numbers of 62 bits, as on a Hilbert curve.
#[divan::bench(sample_count = 5)]
fn in_no_order_62_bits(bencher: Bencher<'_, '_>) {
    sort(bencher, || {
        Numbers::Narrow((0..CELLS).map(|i| scattered(i) >> 2).collect())
    });
}

#[divan::bench(sample_count = 5)]
fn in_no_order_128_bits(bencher: Bencher<'_, '_>) {
    let wide = |i| (u128::from(scattered(i)) << 64) | u128::from(scattered(i ^ 77));
    sort(bencher, || Numbers::Wide((0..CELLS).map(wide).collect()));
}

/// Sorted runs, one per fragment, each of which spans the whole square.
#[divan::bench(sample_count = 5, args = [10, 100, 1000])]
fn in_runs(bencher: Bencher<'_, '_>, runs: u64) {
    let of_run = CELLS / runs;
    let number = |i: u64| (i % of_run) * ((1 << 40) / of_run) + scattered(i) % 1000;
    sort(bencher, || {
        Numbers::Narrow((0..CELLS).map(number).collect())
    });
}

#[divan::bench(sample_count = 5)]
fn in_order(bencher: Bencher<'_, '_>) {
    sort(bencher, || Numbers::Narrow((0..CELLS).collect()));
}
