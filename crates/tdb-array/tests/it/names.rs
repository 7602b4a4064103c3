//! Timestamped names of all versions.

use proptest::prelude::*;
use tdb_array::{NameError, NameForm, TimeWindow, TimestampedName};
use tdb_tile::FormatVersion;

const UUID: &str = "0123456789abcdef0123456789abcdef";

fn parse(text: &str) -> Result<(u64, u64, u32), NameError> {
    let name = TimestampedName::parse(&text.replace("UUID", UUID))?;
    Ok((name.start(), name.end(), name.version().number()))
}

#[test]
fn every_era_has_its_form() {
    assert_eq!(
        parse("__UUID_1561492235844"),
        Ok((1561492235844, 1561492235844, 2))
    );
    assert_eq!(
        parse("__UUID_7_1561492235844"),
        Ok((1561492235844, 1561492235844, 2))
    );
    assert_eq!(parse("__10_20_UUID"), Ok((10, 20, 4)));
    assert_eq!(parse("__10_20_UUID_5"), Ok((10, 20, 5)));
    assert_eq!(parse("__10_20_UUID_22"), Ok((10, 20, 22)));
}

#[test]
fn largest_numbers_are_read_and_larger_ones_refused() {
    assert_eq!(
        parse("__0_18446744073709551615_UUID_4294967295"),
        Ok((0, u64::MAX, u32::MAX))
    );
    assert_eq!(
        parse("__0_18446744073709551616_UUID_1"),
        Err(NameError::Time)
    );
    assert_eq!(
        parse("__0_123456789012345678901234567890_UUID"),
        Err(NameError::Time)
    );
    assert_eq!(parse("__0_1_UUID_4294967296"), Err(NameError::Version));
    assert_eq!(
        parse("__0_1_UUID_99999999999999999999"),
        Err(NameError::Version)
    );
}

#[test]
fn what_is_no_name_is_refused() {
    for text in [
        "",
        "_",
        "__",
        "__schema",
        "__fragment_meta",
        "__labels",
        "10_20_UUID",
        "__10_20",
        "__10_20_UUID_22_1",
        "__10_20__22",
        "__array_schema",
        "__10_20_abc",
        "__10_20_0123456789abcdef/123456789abcdef",
    ] {
        assert_eq!(parse(text), Err(NameError::Form), "{text}");
    }
    for text in [
        "__-1_2_UUID",
        "__+1_2_UUID",
        "__1_ 2_UUID",
        "__1__UUID",
        "__ü_1_UUID",
        "__UUID_x",
    ] {
        assert_eq!(parse(text), Err(NameError::Time), "{text}");
    }
    assert_eq!(parse("__2_1_UUID"), Err(NameError::Reversed));
}

#[test]
fn the_name_of_a_key_has_neither_folder_nor_ending() {
    let key = format!("__commits/__1_2_{UUID}_22.wrt");
    let name = TimestampedName::of_key(&key).unwrap();
    assert_eq!(name.as_str(), format!("__1_2_{UUID}_22"));
    assert_eq!(name.form(), NameForm::Versioned(FormatVersion::new(22)));
}

#[test]
fn a_window_has_both_its_ends() {
    let name = |start, end| TimestampedName::unversioned(start, end, 0).unwrap();
    let window = TimeWindow { since: 10, at: 20 };
    let cases = [
        (10, 20, true, true),
        (9, 20, false, true),
        (10, 21, false, true),
    ];
    let outside = [
        (0, 9, false, false),
        (21, 21, false, false),
        (0, 99, false, true),
    ];
    for (start, end, contained, overlaps) in cases.into_iter().chain(outside) {
        assert_eq!(
            window.contains(&name(start, end)),
            contained,
            "{start}..{end}"
        );
        assert_eq!(
            window.overlaps(&name(start, end)),
            overlaps,
            "{start}..{end}"
        );
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(start: u64, length in 0_u64..1000, uuid: u128, version: u32) {
        let (start, end) = (start.min(u64::MAX - length), start.saturating_add(length));
        let version = FormatVersion::new(version);
        let name = TimestampedName::versioned(start, end, uuid, version).unwrap();
        prop_assert_eq!(&TimestampedName::parse(name.as_str()).unwrap(), &name);
        let name = TimestampedName::unversioned(start, end, uuid).unwrap();
        prop_assert_eq!(&TimestampedName::parse(name.as_str()).unwrap(), &name);
    }

    #[test]
    fn any_text_is_a_name_or_an_error(text in "_{0,2}[0-9a-f_.]{0,50}") {
        if let Ok(name) = TimestampedName::parse(&text) {
            prop_assert_eq!(name.as_str(), text);
            prop_assert!(name.start() <= name.end());
        }
    }
}
