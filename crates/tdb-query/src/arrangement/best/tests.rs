//! The kept end of a sort order, compared with sorting all cells.

use std::cmp::Ordering;

use proptest::prelude::*;
use tdb_cells::{Batch, Column};
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, Limits};

use super::{Best, End};
use crate::SortKey;
use crate::arrangement::kept_cells::KeptCells;
use crate::arrangement::sorting::sort;

/// A nullable number, a float, and a text.
type Cell = (Option<i64>, f64, &'static str);

fn column(name: &str, datatype: Datatype, values: Vec<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

/// Builds a batch, with a column that numbers the cells from `first`.
fn batch(first: usize, cells: &[Cell]) -> Batch {
    let numbers = cells.iter().flat_map(|c| c.0.unwrap_or(7).to_le_bytes());
    let floats = cells.iter().flat_map(|c| c.1.to_le_bytes());
    let places = (first..first + cells.len()).flat_map(|n| (n as u64).to_le_bytes());
    let mut validity = vec![0_u8; cells.len().div_ceil(8)];
    let (mut texts, mut offsets) = (Vec::new(), vec![0; 8]);
    for (row, cell) in cells.iter().enumerate() {
        validity[row / 8] |= u8::from(cell.0.is_some()) << (row % 8);
        texts.extend_from_slice(cell.2.as_bytes());
        offsets.extend_from_slice(&(texts.len() as u64).to_le_bytes());
    }
    Batch {
        rows: cells.len(),
        columns: vec![
            Column {
                nullable: true,
                validity: Some(validity.into()),
                ..column("number", Datatype::Int64, numbers.collect())
            },
            column("float", Datatype::Float64, floats.collect()),
            Column {
                cell_val_num: CellValNum::Var,
                offsets: Some(offsets.into()),
                ..column("text", Datatype::StringUtf8, texts)
            },
            column("place", Datatype::UInt64, places.collect()),
        ],
    }
}

/// Compares two cells by one key: values sort before NaN, and NaN before null.
fn order(key: &SortKey, a: &Cell, b: &Cell) -> Ordering {
    let turned = |order: Ordering| {
        if key.descending {
            order.reverse()
        } else {
            order
        }
    };
    match key.field.as_str() {
        "number" => match (a.0, b.0) {
            (Some(a), Some(b)) => turned(a.cmp(&b)),
            (a, b) => a.is_none().cmp(&b.is_none()),
        },
        "float" => match a.1.partial_cmp(&b.1) {
            Some(order) => turned(order),
            None => a.1.is_nan().cmp(&b.1.is_nan()),
        },
        _ => turned(a.2.cmp(b.2)),
    }
}

fn cell() -> impl Strategy<Value = Cell> {
    let number = prop_oneof![
        Just(None),
        (-3_i64..4).prop_map(Some),
        any::<i64>().prop_map(Some)
    ];
    const FLOATS: [f64; 7] = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        f64::INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
    ];
    const TEXTS: [&str; 6] = [
        "",
        "a",
        "ab",
        "longer than a number",
        "longer than a Number",
        "\u{ff}",
    ];
    (
        number,
        prop::sample::select(&FLOATS[..]),
        prop::sample::select(&TEXTS[..]),
    )
        .prop_map(|(number, float, text)| (number, float, text))
}

fn keys() -> impl Strategy<Value = Vec<SortKey>> {
    const NAMES: [&str; 6] = ["number", "-number", "float", "-float", "text", "-text"];
    prop::sample::subsequence(&NAMES[..], 1..4)
        .prop_shuffle()
        .prop_map(|names| names.into_iter().map(SortKey::from).collect())
}

proptest! {
    #[test]
    fn what_is_kept_is_the_end_of_the_order_of_all_cells(
        cells in prop::collection::vec(cell(), 0..120),
        size in 1_usize..40,
        keys in keys(),
        wanted in 0_usize..20,
        is_last: bool,
    ) {
        let mut expected: Vec<usize> = (0..cells.len()).collect();
        expected.sort_by(|a, b| {
            let orders = keys.iter().map(|key| order(key, &cells[*a], &cells[*b]));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        let most = wanted.min(cells.len());
        let expected = if is_last {
            expected.split_off(cells.len() - most)
        } else {
            expected.truncate(most);
            expected
        };
        let end = if is_last { End::Last } else { End::First };
        let mut kept = KeptCells::new(&Limits::default().budget);
        let mut best = Best::new(&keys, end(wanted as u64));
        best.spare = 3;
        for (number, part) in cells.chunks(size).enumerate() {
            best.add(&mut kept, &batch(number * size, part)).expect("kept");
            prop_assert!(kept.rows() <= 2 * wanted as u64 + 3 + 2 * wanted as u64 + 3);
        }
        sort(&mut kept, &keys).expect("sorted");
        let first = if is_last { kept.rows() - most as u64 } else { 0 };
        kept.cut(first, most as u64);
        let found = kept.next(usize::MAX).expect("gathered");
        let places = found.iter().flat_map(|found| {
            let places = found.column("place").expect("places");
            places.numbers::<u64>().expect("numbers").map(|place| usize::try_from(place).expect("small")).collect::<Vec<_>>()
        });
        prop_assert_eq!(places.collect::<Vec<usize>>(), expected);
    }
}
