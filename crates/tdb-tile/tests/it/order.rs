//! The total order by which values are sorted.

use std::cmp::Ordering;

use tdb_tile::Datatype;

/// Values in ascending order; the values of one inner list are equal.
fn doubles() -> Vec<Vec<Vec<u8>>> {
    let bytes = |value: f64| value.to_le_bytes().to_vec();
    let nan = [
        0x7ff8_0000_0000_0000,
        0xfff8_0000_0000_0001,
        0x7ff0_0000_0000_0001,
    ];
    vec![
        vec![bytes(f64::NEG_INFINITY)],
        vec![bytes(-1.0)],
        vec![bytes(-5e-324)],
        vec![bytes(-0.0), bytes(0.0)],
        vec![bytes(5e-324)],
        vec![bytes(2.0)],
        vec![bytes(f64::INFINITY)],
        nan.map(|bits| bytes(f64::from_bits(bits))).to_vec(),
        vec![vec![0; 7], Vec::new()],
    ]
}

fn assert_ordered(datatype: Datatype, places: &[Vec<Vec<u8>>]) {
    let values = places.iter().enumerate();
    let values = values.flat_map(|(place, equal)| equal.iter().map(move |value| (place, value)));
    let values: Vec<(usize, &Vec<u8>)> = values.collect();
    for (place, value) in &values {
        for (other_place, other) in &values {
            let found = datatype.total_order(value, other);
            assert_eq!(
                found,
                place.cmp(other_place),
                "{datatype}: {value:?} {other:?}"
            );
            if let Some(order) = datatype.compare(value, other) {
                assert_eq!(found, order, "{datatype}: {value:?} {other:?}");
            }
        }
    }
}

#[test]
fn every_value_has_a_place_and_nan_comes_behind_all_numbers() {
    assert_ordered(Datatype::Float64, &doubles());
    let numbers = [i32::MIN, -1, 0, 1, i32::MAX];
    let numbers = numbers.map(|number| vec![number.to_le_bytes().to_vec()]);
    assert_ordered(Datatype::Int32, &numbers);
    let texts = ["", "B", "a", "ab", "\u{e4}"].map(|text| vec![text.as_bytes().to_vec()]);
    assert_ordered(Datatype::StringUtf8, &texts);
    let singles = [f32::NAN, -f32::NAN].map(f32::to_le_bytes);
    assert_eq!(
        Datatype::Float32.total_order(&singles[0], &singles[1]),
        Ordering::Equal
    );
    assert_eq!(Datatype::Float32.compare(&singles[0], &singles[1]), None);
}
