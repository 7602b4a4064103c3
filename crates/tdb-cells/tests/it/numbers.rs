//! Conversion of numbers and dates of files into values of fields, and ranges of numbers.

use proptest::prelude::*;
use tdb_cells::Column;
use tdb_cells::files::{ColumnGuess, Recount, SeenRange, write_float, write_whole};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Range, Scalar};

use crate::support::{cases, set_of};

/// The least and the greatest integer of each type.
const WHOLE: [(Datatype, i128, i128); 8] = [
    (Datatype::Int8, i8::MIN as i128, i8::MAX as i128),
    (Datatype::Int16, i16::MIN as i128, i16::MAX as i128),
    (Datatype::Int32, i32::MIN as i128, i32::MAX as i128),
    (Datatype::Int64, i64::MIN as i128, i64::MAX as i128),
    (Datatype::UInt8, 0, u8::MAX as i128),
    (Datatype::UInt16, 0, u16::MAX as i128),
    (Datatype::UInt32, 0, u32::MAX as i128),
    (Datatype::UInt64, 0, u64::MAX as i128),
];

/// Attoseconds per tick of each datatype whose ticks have a fixed length.
const UNITS: [(Datatype, i128); 11] = [
    (Datatype::DateTimeWeek, 604_800_000_000_000_000_000_000),
    (Datatype::DateTimeDay, 86_400_000_000_000_000_000_000),
    (Datatype::DateTimeHour, 3_600_000_000_000_000_000_000),
    (Datatype::DateTimeMinute, 60_000_000_000_000_000_000),
    (Datatype::DateTimeSecond, 1_000_000_000_000_000_000),
    (Datatype::DateTimeMillisecond, 1_000_000_000_000_000),
    (Datatype::DateTimeMicrosecond, 1_000_000_000_000),
    (Datatype::DateTimeNanosecond, 1_000_000_000),
    (Datatype::DateTimePicosecond, 1_000_000),
    (Datatype::DateTimeFemtosecond, 1_000),
    (Datatype::DateTimeAttosecond, 1),
];

fn whole(value: i128, datatype: Datatype) -> Result<Vec<u8>, String> {
    let mut out = vec![9];
    write_whole(value, datatype, &mut out)?;
    Ok(out)
}

fn float(value: f64, datatype: Datatype) -> Result<Vec<u8>, String> {
    let mut out = vec![9];
    write_float(value, datatype, &mut out)?;
    Ok(out)
}

/// The bytes that were in the output already, followed by `bytes`.
fn behind(bytes: &[u8]) -> Vec<u8> {
    [&[9], bytes].concat()
}

/// Numbers at and around the limits of types.
fn near_ends() -> impl Strategy<Value = i128> {
    let ends = WHOLE.iter().flat_map(|(_, least, most)| [*least, *most]);
    let ends = prop::sample::select(ends.collect::<Vec<_>>());
    prop_oneof![
        (ends, -2_i128..3).prop_map(|(end, more)| end + more),
        any::<i64>().prop_map(i128::from)
    ]
}

/// The expected conversion of ticks, by the ratio of the two units.
fn recounted(ticks: i64, from: i128, to: i128) -> Option<i64> {
    if ticks == i64::MIN {
        return Some(ticks);
    }
    let ticks = i128::from(ticks);
    let counted = match from >= to {
        true => ticks.checked_mul(from / to)?,
        false if ticks % (to / from) == 0 => ticks / (to / from),
        false => return None,
    };
    i64::try_from(counted)
        .ok()
        .filter(|counted| *counted != i64::MIN)
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn whole_numbers_are_values_of_the_types_that_have_them(value in near_ends()) {
        for (datatype, least, most) in WHOLE {
            let model = (least..=most).contains(&value);
            let bytes = &value.to_le_bytes()[..datatype.size()];
            let wrong = format!("{value} is not a valid {datatype}");
            prop_assert_eq!(whole(value, datatype), if model { Ok(behind(bytes)) } else { Err(wrong) });
        }
    }

    #[test]
    fn floats_are_values_of_the_types_that_lose_nothing(
        value in prop_oneof![any::<f64>(), (-300_i32..300).prop_map(|n| f64::from(n) / 4.0)],
    ) {
        prop_assert_eq!(float(value, Datatype::Float64).unwrap(), behind(&value.to_le_bytes()));
        for (datatype, least, most) in WHOLE {
            // Larger values are checked only for types of fewer than 64 bits, which cannot hold them.
            let fits = value % 1.0 == 0.0 && value.abs() < 1e15 && (least..=most).contains(&i128::from(as_int(value)));
            let model = fits.then(|| behind(&i128::from(as_int(value)).to_le_bytes()[..datatype.size()]));
            if value.abs() < 1e15 || datatype != Datatype::Int64 && datatype != Datatype::UInt64 {
                prop_assert_eq!(float(value, datatype).ok(), model);
            }
        }
    }

    #[test]
    fn ticks_of_one_unit_are_recounted_in_another(
        from in prop::sample::select(&UNITS[..]),
        to in prop::sample::select(&UNITS[..]),
        ticks in prop_oneof![any::<i64>(), -100_000_i64..100_000, Just(i64::MIN), Just(i64::MAX), Just(i64::MIN + 1)],
        times in prop::sample::select(vec![1_i64, 60, 1_000, 86_400, 1_000_000]),
    ) {
        let recount = Recount::between(from.0, to.0).unwrap();
        for ticks in [ticks, ticks.wrapping_mul(times)] {
            prop_assert_eq!(recount.ticks(ticks), recounted(ticks, from.1, to.1));
        }
    }

    #[test]
    fn the_range_of_numbers_is_that_of_those_that_are_valid(
        batches in prop::collection::vec(prop::collection::vec((-9_i16..9, any::<bool>()), 0..8), 0..4),
    ) {
        let (mut seen, mut apart) = (SeenRange::default(), SeenRange::default());
        for batch in &batches {
            let values: Vec<i16> = batch.iter().map(|cell| cell.0).collect();
            let valid: Vec<bool> = batch.iter().map(|cell| cell.1).collect();
            let column = column(Datatype::Int16, &values, Some(&valid));
            seen.see(&column);
            let mut own = SeenRange::default();
            own.see(&column);
            apart.join(Datatype::Int16, own);
        }
        let valid = batches.iter().flatten().filter(|cell| cell.1).map(|cell| cell.0);
        let ends = valid.clone().min().zip(valid.max());
        prop_assert_eq!(seen.finish().and_then(|range| range.ends::<i16>()), ends);
        prop_assert_eq!(apart.finish().and_then(|range| range.ends::<i16>()), ends);
    }
}

/// A whole number of less than 2^53.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
fn as_int(value: f64) -> i64 {
    value as i64
}

fn column<T: Scalar>(datatype: Datatype, values: &[T], valid: Option<&[bool]>) -> Column {
    let mut bytes = Vec::new();
    values.iter().for_each(|value| value.write(&mut bytes));
    let bitmap = |valid| set_of(valid).to_bitmap().expect("a few bits").freeze();
    Column {
        name: "a".to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: valid.is_some(),
        values: bytes.into(),
        offsets: None,
        validity: valid.map(bitmap),
        enumeration: None,
    }
}

#[test]
fn floats_have_whole_numbers_as_long_as_they_tell_them_apart() {
    for (datatype, most) in [
        (Datatype::Float32, 1_i128 << 24),
        (Datatype::Float64, 1 << 53),
    ] {
        assert!(whole(most, datatype).is_ok() && whole(-most, datatype).is_ok());
        let text = format!("{} is not a valid {datatype}", most + 1);
        assert_eq!(whole(most + 1, datatype), Err(text));
        assert!(whole(-most - 1, datatype).is_err());
    }
    assert_eq!(
        whole(-3, Datatype::Float32),
        Ok(behind(&(-3_f32).to_le_bytes()))
    );
    assert_eq!(
        whole(3, Datatype::DateTimeDay),
        Ok(behind(&3_i64.to_le_bytes()))
    );
}

#[test]
fn a_float_of_32_bits_takes_what_is_one() {
    assert_eq!(
        float(0.5, Datatype::Float32),
        Ok(behind(&0.5_f32.to_le_bytes()))
    );
    assert_eq!(
        float(0.1, Datatype::Float32),
        Err("0.1 is not a valid float32".to_owned())
    );
    assert_eq!(
        float(f64::INFINITY, Datatype::Float32),
        Ok(behind(&f32::INFINITY.to_le_bytes()))
    );
    assert!(float(f64::NAN, Datatype::Float32).is_ok() && float(1e300, Datatype::Float32).is_err());
    for value in [f64::NAN, f64::INFINITY, 0.5, 2_f64.powi(64), -1.0] {
        assert!(float(value, Datatype::UInt64).is_err(), "{value}");
    }
    assert_eq!(
        float(2_f64.powi(63), Datatype::UInt64),
        Ok(behind(&(1_u64 << 63).to_le_bytes()))
    );
}

#[test]
fn months_and_years_are_recounted_by_the_calendar() {
    let (day, month, year) = (
        Datatype::DateTimeDay,
        Datatype::DateTimeMonth,
        Datatype::DateTimeYear,
    );
    let ticks = |from, to, ticks| Recount::between(from, to).unwrap().ticks(ticks);
    assert_eq!(
        [0, 30, 31, 59].map(|days| ticks(day, month, days)),
        [Some(0), None, Some(1), Some(2)]
    );
    assert_eq!(
        [1, 2, 12, -1].map(|months| ticks(month, day, months)),
        [Some(31), Some(59), Some(365), Some(-31)]
    );
    assert_eq!(
        (
            ticks(year, month, 3),
            ticks(month, year, 36),
            ticks(month, year, 35)
        ),
        (Some(36), Some(3), None)
    );
    assert_eq!(ticks(day, year, i64::MIN), Some(i64::MIN));
    let (hour, second) = (Datatype::TimeHour, Datatype::TimeSecond);
    assert_eq!(
        (ticks(hour, second, 2), ticks(second, hour, 5_400)),
        (Some(7_200), None)
    );
    assert!(Recount::between(hour, Datatype::DateTimeHour).is_none());
    assert!(Recount::between(Datatype::Int64, day).is_none());
}

#[test]
fn what_is_no_number_has_no_part_in_the_range() {
    let range = |column: &Column| {
        let mut seen = SeenRange::default();
        seen.see(column);
        seen.finish()
    };
    let floats = column(Datatype::Float64, &[f64::NAN, 2.5, -1.0, f64::NAN], None);
    assert_eq!(range(&floats), Some(Range::of(-1.0, 2.5)));
    assert_eq!(range(&column(Datatype::Float64, &[f64::NAN], None)), None);
    let dates = column(Datatype::DateTimeDay, &[5, i64::MIN, 3], None);
    assert_eq!(range(&dates), Some(Range::of(3_i64, 5)));
    let numbers = column(Datatype::Int64, &[5, i64::MIN, 3], None);
    assert_eq!(range(&numbers), Some(Range::of(i64::MIN, 5)));
    let mut pairs = column(Datatype::Int16, &[1_i16, 2], None);
    pairs.cell_val_num = CellValNum::Fixed(2);
    assert_eq!(range(&pairs), None);
}

#[test]
fn a_guess_is_a_field_of_its_column() {
    let guess = ColumnGuess {
        name: "rain".to_owned(),
        datatype: Datatype::UInt16,
        cell_val_num: CellValNum::Fixed(3),
        nullable: true,
        is_ascii: false,
        range: None,
        labels: None,
        cells: 7,
    };
    let field = guess.field(FieldKind::Dimension(1));
    assert_eq!(
        (field.name.as_str(), field.datatype),
        ("rain", Datatype::UInt16)
    );
    assert_eq!(
        (field.cell_val_num, field.nullable),
        (CellValNum::Fixed(3), true)
    );
    assert_eq!(
        (field.field, field.cell_size()),
        (FieldKind::Dimension(1), Some(6))
    );
    assert!(field.enumeration.is_none());
}
