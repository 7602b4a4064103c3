//! Orders of cells, compared with naive implementations of the same rules.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::cmp::Ordering;

use crate::common::{dimension, raw, sparse, strings};
use proptest::prelude::*;
use tdb_schema::order::{
    CellComparator, Column, KeyEncoder, KeyError, KeyWidth, Keys, SortOrder, TextOrder, WriterRule,
};
use tdb_schema::{ArraySchema, CellOrder, Dimension, Order};
use tdb_tile::{Datatype, FormatVersion, Scalar};
use zerocopy::little_endian::U64;

/// A coordinate in the naive rules.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Whole(i128),
    Real(f64),
    Text(Vec<u8>),
}

/// A dimension in the naive rules: its domain and extent.
#[derive(Clone, Debug)]
enum Axis {
    Whole(Datatype, i128, i128, i128),
    Real(Datatype, f64, f64, f64),
    Text,
}

fn stored(datatype: Datatype, value: &Value) -> Vec<u8> {
    match value {
        Value::Text(text) => text.clone(),
        Value::Whole(v) => v.to_le_bytes()[..datatype.size()].to_vec(),
        Value::Real(v) if datatype == Datatype::Float32 => raw(*v as f32).to_vec(),
        Value::Real(v) => raw(*v).to_vec(),
    }
}

impl Axis {
    fn datatype(&self) -> Datatype {
        match self {
            Self::Whole(datatype, ..) | Self::Real(datatype, ..) => *datatype,
            Self::Text => Datatype::StringAscii,
        }
    }

    fn dimension(&self, name: &str) -> Dimension {
        let datatype = self.datatype();
        let (lo, hi, extent) = match self {
            Self::Text => return strings(name),
            Self::Whole(_, lo, hi, extent) => {
                (Value::Whole(*lo), Value::Whole(*hi), Value::Whole(*extent))
            }
            Self::Real(_, lo, hi, extent) => {
                (Value::Real(*lo), Value::Real(*hi), Value::Real(*extent))
            }
        };
        let mut dimension = Dimension::numbers(name, datatype, (0, 0), 1);
        dimension.domain = Some(tdb_tile::Range::new(
            stored(datatype, &lo),
            stored(datatype, &hi),
        ));
        dimension.extent = Some(stored(datatype, &extent).into());
        dimension
    }

    fn tile(&self, value: &Value) -> i128 {
        match (self, value) {
            (Self::Whole(_, lo, _, extent), Value::Whole(v)) => (v - lo) / extent,
            (Self::Real(Datatype::Float32, lo, _, extent), Value::Real(v)) => {
                ((*v as f32 - *lo as f32) / *extent as f32) as i128
            }
            (Self::Real(_, lo, _, extent), Value::Real(v)) => ((v - lo) / extent) as i128,
            _ => 0,
        }
    }

    /// Picks a value within the domain by a number.
    fn pick(&self, seed: u64) -> Value {
        match self {
            Self::Whole(_, lo, hi, _) => Value::Whole(lo + i128::from(seed) % (hi - lo + 1)),
            Self::Real(datatype, lo, hi, _) => {
                let v = lo + (hi - lo) * ((seed % 17) as f64 / 16.0);
                let v = if *datatype == Datatype::Float32 {
                    f64::from(v as f32)
                } else {
                    v
                };
                Value::Real(if v == 0.0 && seed.is_multiple_of(2) {
                    -0.0
                } else {
                    v
                })
            }
            Self::Text => {
                let letters = [b'a', b'b', 0x80, 0xff, 0x01, 0];
                // Strings longer than their part of a key mostly differ only near the end.
                let n = [0, 1, 2, 3, 4, 9, 15, 16, 17, 40][(seed % 10) as usize];
                let letter = |i: usize| {
                    if n > 4 && !i.is_multiple_of(7) {
                        return b'a';
                    }
                    letters[(seed >> (8 + 3 * (i % 16))) as usize % letters.len()]
                };
                Value::Text((0..n).map(letter).collect())
            }
        }
    }
}

fn naive_value(order: SortOrder, a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Whole(a), Value::Whole(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.partial_cmp(b).unwrap(),
        (Value::Text(a), Value::Text(b)) if order != SortOrder::Global => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => {
            let signed = |text: &[u8]| text.iter().map(|&b| b as i8).collect::<Vec<_>>();
            signed(a).cmp(&signed(b))
        }
        _ => unreachable!(),
    }
}

fn naive(
    schema: &ArraySchema,
    axes: &[Axis],
    order: SortOrder,
    a: &[Value],
    b: &[Value],
) -> Ordering {
    let by = |order: Order| -> Vec<usize> {
        match order {
            Order::RowMajor => (0..axes.len()).collect(),
            Order::ColumnMajor => (0..axes.len()).rev().collect(),
        }
    };
    let mut out = Ordering::Equal;
    if order == SortOrder::Global {
        for i in by(schema.tile_order) {
            out = out.then(axes[i].tile(&a[i]).cmp(&axes[i].tile(&b[i])));
        }
    }
    let cells = match order {
        SortOrder::Global => schema.cell_order.of_coordinates(),
        SortOrder::RowMajor => Order::RowMajor,
        SortOrder::ColumnMajor => Order::ColumnMajor,
    };
    for i in by(cells) {
        out = out.then(naive_value(order, &a[i], &b[i]));
    }
    out
}

fn whole_axis() -> impl Strategy<Value = Axis> {
    let types = [
        Datatype::Int8,
        Datatype::UInt8,
        Datatype::Int16,
        Datatype::UInt16,
        Datatype::Int32,
        Datatype::UInt32,
        Datatype::Int64,
        Datatype::UInt64,
        Datatype::DateTimeDay,
    ];
    (
        prop::sample::select(types.to_vec()),
        any::<[u64; 3]>(),
        0_u32..64,
    )
        .prop_map(|(datatype, [a, b, c], shrink)| {
            let bits = datatype.size() * 8;
            let (least, count) = if datatype.is_signed() {
                (-(1_i128 << (bits - 1)), 1_i128 << bits)
            } else {
                (0, 1_i128 << bits)
            };
            let pick = |seed: u64| least + i128::from(seed >> shrink) % count;
            let (lo, hi) = (pick(a).min(pick(b)), pick(a).max(pick(b)));
            // Extents are values of the datatype, too.
            let most = (hi - lo + 1).min(least + count - 1);
            let extent = 1 + i128::from(c) % most;
            let extent = if c.is_multiple_of(3) {
                1 << extent.ilog2()
            } else {
                extent
            };
            Axis::Whole(datatype, lo, hi, extent)
        })
}

fn axis() -> impl Strategy<Value = Axis> {
    prop_oneof![
        4 => whole_axis(),
        1 => Just(Axis::Real(Datatype::Float64, -1.0, 3.5, 0.75)),
        1 => Just(Axis::Real(Datatype::Float32, -7.25, 3.0, 2.0)),
        1 => Just(Axis::Text),
    ]
}

/// Columns of cells in stored form.
struct Cells {
    fixed: Vec<Vec<u8>>,
    offsets: Vec<Vec<U64>>,
}

impl Cells {
    fn new(axes: &[Axis], cells: &[Vec<Value>]) -> Self {
        let mut out = Self {
            fixed: vec![],
            offsets: vec![],
        };
        for (i, axis) in axes.iter().enumerate() {
            let (mut bytes, mut offsets) = (vec![], vec![]);
            for cell in cells {
                offsets.push(U64::new(bytes.len() as u64));
                bytes.extend(stored(axis.datatype(), &cell[i]));
            }
            out.fixed.push(bytes);
            out.offsets.push(offsets);
        }
        out
    }

    fn columns<'a>(&'a self, axes: &[Axis]) -> Vec<Column<'a>> {
        let data = self.fixed.iter().zip(&self.offsets).zip(axes);
        data.map(|((data, offsets), axis)| match axis {
            Axis::Text => Column::Var { offsets, data },
            _ => Column::Fixed(data),
        })
        .collect()
    }
}

fn schema_of(axes: &[Axis], tile_order: Order, cell_order: CellOrder) -> ArraySchema {
    let dimensions = axes
        .iter()
        .enumerate()
        .map(|(i, axis)| axis.dimension(&i.to_string()));
    let mut schema = sparse(dimensions.collect());
    schema.tile_order = tile_order;
    schema.cell_order = cell_order;
    schema
}

fn wide(keys: Keys) -> Vec<u128> {
    match keys {
        Keys::U64(keys) => keys.into_iter().map(u128::from).collect(),
        Keys::U128(keys) => keys,
    }
}

fn cell_orders() -> impl Strategy<Value = CellOrder> {
    prop::sample::select(vec![
        CellOrder::RowMajor,
        CellOrder::ColumnMajor,
        CellOrder::Hilbert,
    ])
}

fn sort_orders() -> impl Strategy<Value = SortOrder> {
    prop::sample::select(vec![
        SortOrder::Global,
        SortOrder::RowMajor,
        SortOrder::ColumnMajor,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn comparator_and_keys_agree_with_the_rules(
        axes in prop::collection::vec(axis(), 1..4),
        seeds in prop::collection::vec(any::<[u64; 4]>(), 12),
        tile_order in prop::sample::select(vec![Order::RowMajor, Order::ColumnMajor]),
        cell_order in cell_orders(),
        order in sort_orders(),
    ) {
        let schema = schema_of(&axes, tile_order, cell_order);
        schema.check().unwrap();
        let cells: Vec<Vec<Value>> = seeds.iter()
            .map(|seeds| axes.iter().zip(seeds).map(|(axis, seed)| axis.pick(*seed)).collect())
            .collect();
        let data = Cells::new(&axes, &cells);
        let columns = data.columns(&axes);
        let comparator = CellComparator::new(&schema, order);
        let encoder = KeyEncoder::new(&schema, order);
        let keys = wide(encoder.encode(&columns).unwrap());
        let is_hilbert = cell_order == CellOrder::Hilbert && order == SortOrder::Global;
        for i in 0..cells.len() {
            for j in 0..cells.len() {
                let found = comparator.compare_rows(&columns, i, &columns, j);
                if !is_hilbert {
                    prop_assert_eq!(found, naive(&schema, &axes, order, &cells[i], &cells[j]));
                }
                let by_key = keys[i].cmp(&keys[j]);
                if encoder.is_exact() {
                    prop_assert_eq!(by_key, found, "{:?} {:?}", &cells[i], &cells[j]);
                } else {
                    prop_assert!(by_key.is_eq() || by_key == found, "{:?} {:?}", &cells[i], &cells[j]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cells_are_stored_in_an_order_that_is_said_to_be_the_global_one(
        axes in prop::collection::vec(axis(), 1..4),
        seeds in prop::collection::vec(any::<[u64; 4]>(), 12),
        tile_order in prop::sample::select(vec![Order::RowMajor, Order::ColumnMajor]),
        cell_order in cell_orders(),
        order in sort_orders(),
    ) {
        let schema = schema_of(&axes, tile_order, cell_order);
        if order == SortOrder::Global || !schema.stores_in(order) {
            return Ok(());
        }
        let cells: Vec<Vec<Value>> = seeds.iter()
            .map(|seeds| axes.iter().zip(seeds).map(|(axis, seed)| axis.pick(*seed)).collect())
            .collect();
        let data = Cells::new(&axes, &cells);
        let columns = data.columns(&axes);
        let global = CellComparator::new(&schema, SortOrder::Global);
        for i in 0..cells.len() {
            for j in 0..cells.len() {
                let stored = global.compare_rows(&columns, i, &columns, j);
                prop_assert_eq!(stored, naive(&schema, &axes, order, &cells[i], &cells[j]));
            }
        }
    }
}

#[test]
fn tiles_of_the_slowest_dimension_alone_leave_the_order_of_cells_as_it_is() {
    let tiled = |slow: i64, fast: i64| {
        let axis = |name, extent| dimension(name, Datatype::Int32, 0, 99, extent);
        let mut schema = sparse(vec![axis("a", slow), axis("b", fast)]);
        schema.cell_order = CellOrder::RowMajor;
        [SortOrder::RowMajor, SortOrder::ColumnMajor].map(|order| schema.stores_in(order))
    };
    assert_eq!(tiled(10, 100), [true, false]);
    assert_eq!(tiled(100, 100), [true, false]);
    assert_eq!(tiled(10, 10), [false, false]);
    assert_eq!(tiled(100, 10), [false, false]);
    let mut line = numbers(1, Datatype::UInt64, 0, 999, 10);
    line.cell_order = CellOrder::ColumnMajor;
    assert!(line.stores_in(SortOrder::RowMajor) && line.stores_in(SortOrder::ColumnMajor));
    line.cell_order = CellOrder::Hilbert;
    assert!(!line.stores_in(SortOrder::RowMajor));
    assert!(!sparse(vec![strings("s")]).stores_in(SortOrder::RowMajor));
}

fn numbers(n: usize, datatype: Datatype, lo: i64, hi: i64, extent: i64) -> ArraySchema {
    sparse(
        (0..n)
            .map(|i| dimension(&i.to_string(), datatype, lo, hi, extent))
            .collect(),
    )
}

#[test]
fn keys_are_as_narrow_as_the_domain_allows() {
    let width = |schema: &ArraySchema| {
        let keys = KeyEncoder::new(schema, SortOrder::Global);
        (keys.width(), keys.is_exact())
    };
    assert_eq!(
        width(&numbers(2, Datatype::Int64, 0, 999_999, 1000)),
        (KeyWidth::U64, true)
    );
    assert_eq!(
        width(&numbers(3, Datatype::Int64, 0, 1 << 40, 1000)),
        (KeyWidth::U128, true)
    );
    assert_eq!(
        width(&numbers(3, Datatype::Int64, 0, 1 << 60, 1000)),
        (KeyWidth::U128, false)
    );
    assert_eq!(width(&sparse(vec![strings("s")])), (KeyWidth::U128, false));
    let hilbert = |n, hi| {
        let mut schema = numbers(n, Datatype::Int64, 0, hi, 1000);
        schema.cell_order = CellOrder::Hilbert;
        width(&schema)
    };
    assert_eq!(hilbert(2, 999_999), (KeyWidth::U64, true));
    // There are more coordinates than the 2^31 buckets: the bits of both dimensions break ties.
    assert_eq!(hilbert(2, (1 << 34) - 1), (KeyWidth::U64, false));
    assert_eq!(hilbert(2, (1 << 33) - 1), (KeyWidth::U128, true));
}

#[test]
fn coordinates_outside_the_domain_have_no_keys() {
    let schema = numbers(2, Datatype::Int64, 0, 99, 10);
    let (good, bad) = (
        [raw(1_i64), raw(99_i64)].concat(),
        [raw(1_i64), raw(100_i64)].concat(),
    );
    for order in [SortOrder::Global, SortOrder::RowMajor] {
        let keys = KeyEncoder::new(&schema, order);
        let error = keys
            .encode(&[Column::Fixed(&good), Column::Fixed(&bad)])
            .unwrap_err();
        assert_eq!(error, KeyError::OutsideDomain { dimension: 1 });
        let error = keys
            .encode(&[Column::Fixed(&good), Column::Fixed(&bad[..8])])
            .unwrap_err();
        assert_eq!(error, KeyError::Columns { dimension: 1 });
    }
    let mut schema = schema;
    schema.cell_order = CellOrder::Hilbert;
    let error = KeyEncoder::new(&schema, SortOrder::Global)
        .encode(&[Column::Fixed(&good), Column::Fixed(&bad)])
        .unwrap_err();
    assert_eq!(error, KeyError::OutsideDomain { dimension: 1 });
}

#[test]
fn floats_that_are_not_numbers_have_no_keys() {
    let schema = sparse(vec![dimension("x", Datatype::Float64, 0.0, 1.0, 0.5)]);
    let keys = KeyEncoder::new(&schema, SortOrder::Global);
    for bad in [f64::NAN, -f64::NAN, f64::INFINITY, -0.5, 1.5] {
        keys.encode(&[Column::Fixed(&raw(bad))]).unwrap_err();
    }
    keys.encode(&[Column::Fixed(&raw(-0.0))]).unwrap();
}

#[test]
fn wide_keys_do_not_fit_narrow_vectors() {
    let schema = numbers(3, Datatype::Int64, 0, 1 << 40, 1000);
    let keys = KeyEncoder::new(&schema, SortOrder::Global);
    let mut narrow: Vec<u64> = vec![];
    let error = keys.encode_into(&[], &mut narrow).unwrap_err();
    assert_eq!(error, KeyError::TooNarrow);
}

#[test]
fn strings_are_stored_by_signed_bytes_and_results_sorted_by_unsigned_ones() {
    let mut texts: Vec<&[u8]> = vec![b"b", b"a", b"\xff", b"", b"ab", b"\x80", b"a\x80"];
    texts.sort_by(|a, b| TextOrder::of(SortOrder::Global).compare(a, b));
    let sorted: Vec<&[u8]> = vec![b"", b"\x80", b"\xff", b"a", b"a\x80", b"ab", b"b"];
    assert_eq!(texts, sorted);
    texts.sort_by(|a, b| TextOrder::of(SortOrder::RowMajor).compare(a, b));
    let sorted: Vec<&[u8]> = vec![b"", b"a", b"ab", b"a\x80", b"b", b"\x80", b"\xff"];
    assert_eq!(texts, sorted);
}

/// Sorts values of one dimension in the order of a version's writers.
fn sorted_by<T: Scalar>(schema: &ArraySchema, version: u32, values: &[T]) -> Vec<T> {
    let comparator = CellComparator::of_writer(schema, FormatVersion::new(version));
    let mut values = values.to_vec();
    values.sort_by(|a, b| comparator.compare(&[&raw(*a)[..]], &[&raw(*b)[..]]));
    values
}

/// Sorts values by their keys, in the order in which tdb writes.
fn written_order<T: Scalar>(schema: &ArraySchema, values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    let encoder = KeyEncoder::new(schema, SortOrder::Global);
    values.sort_by_key(|value| wide(encoder.encode(&[Column::Fixed(&raw(*value))]).unwrap()));
    values
}

#[test]
fn tiles_of_floats_that_64_bits_do_not_count_come_first() {
    let schema = sparse(vec![dimension("x", Datatype::Float64, 0.0, 1e30, 1.0)]);
    let values = [1.0, 1e18, 1.8e19, 1.9e19, 2e25];
    let stored = [1.9e19, 2e25, 1.0, 1e18, 1.8e19];
    assert_eq!(sorted_by(&schema, 22, &values), stored);
    assert_eq!(written_order(&schema, &values), stored);
    let schema = sparse(vec![dimension("x", Datatype::Float32, 0.0, 1e30_f32, 1.0)]);
    let values = [1.0_f32, 3e19];
    assert_eq!(sorted_by(&schema, 22, &values), [3e19, 1.0]);
}

#[test]
fn tiles_without_a_width_are_two() {
    let axis = |name| dimension(name, Datatype::Float64, f64::MIN, f64::MAX, f64::INFINITY);
    let schema = sparse(vec![axis("x"), axis("y")]);
    let encoder = KeyEncoder::new(&schema, SortOrder::Global);
    let comparator = CellComparator::of_writer(&schema, FormatVersion::new(22));
    // The lower half of both dimensions, the lower half of `x` only, that of `y` only, then the
    // upper half of both.
    let cells = [
        (0.0, 0.0),
        (f64::MIN, f64::MAX),
        (f64::MAX, f64::MIN),
        (1e308, 1e308),
    ];
    let bytes = cells.map(|(x, y)| [raw(x), raw(y)]);
    for pair in bytes.windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|cell| [&cell[0][..], &cell[1][..]]);
        assert_eq!(comparator.compare(&a, &b), Ordering::Less, "{a:?} {b:?}");
        let key = |cell: [&[u8]; 2]| wide(encoder.encode(&cell.map(Column::Fixed)).unwrap());
        assert!(key(a) <= key(b), "{a:?} {b:?}");
    }
}

#[test]
fn writers_of_versions_9_to_13_put_the_last_cells_into_the_first_tile() {
    let schema = sparse(vec![dimension("x", Datatype::Int8, -128_i8, 126, 20)]);
    let values = [-128_i8, -109, -108, 0, 52, 100, 108, 109, 126];
    assert_eq!(
        sorted_by(&schema, 9, &values),
        [-128, -109, 109, 126, -108, 0, 52, 100, 108]
    );
    for version in [5, 8, 14, 22] {
        assert_eq!(sorted_by(&schema, version, &values), values);
    }
}

#[test]
fn writers_before_version_5_sort_the_upper_half_of_wide_domains_first() {
    let schema = sparse(vec![dimension(
        "x",
        Datatype::Int32,
        -2_000_000_000,
        2_000_000_000,
        10,
    )]);
    let values = [-2_000_000_000, 0, 2_000_000_000];
    assert_eq!(
        sorted_by(&schema, 4, &values),
        [2_000_000_000, -2_000_000_000, 0]
    );
    assert_eq!(sorted_by(&schema, 5, &values), values);
}

#[test]
fn writers_before_version_5_have_no_tiles_of_floats() {
    let mut schema = sparse(vec![
        dimension("x", Datatype::Float64, 0.0, 10.0, 5.0),
        dimension("y", Datatype::Float64, 0.0, 10.0, 5.0),
    ]);
    schema.cell_order = CellOrder::RowMajor;
    let compare = |version| {
        let cell = |x: f64, y: f64| [raw(x), raw(y)];
        let (a, b) = (cell(1.0, 9.0), cell(2.0, 1.0));
        CellComparator::of_writer(&schema, FormatVersion::new(version))
            .compare(&[&a[0][..], &a[1][..]], &[&b[0][..], &b[1][..]])
    };
    assert_eq!(compare(4), Ordering::Less);
    assert_eq!(compare(5), Ordering::Greater);
}

#[test]
fn rules_belong_to_versions() {
    let rules: Vec<WriterRule> = [1, 4, 5, 7, 8, 9, 13, 14, 23]
        .map(|version| WriterRule::of(FormatVersion::new(version)))
        .to_vec();
    use WriterRule::{CountsHilbertValues, Current, MisplacedLastTile, SignedTiles};
    assert_eq!(
        rules,
        [
            SignedTiles,
            SignedTiles,
            Current,
            CountsHilbertValues,
            CountsHilbertValues,
            MisplacedLastTile,
            MisplacedLastTile,
            Current,
            Current,
        ]
    );
}
