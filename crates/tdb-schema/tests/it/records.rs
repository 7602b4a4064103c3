//! Stored bytes are decoded, and the decoded records are encoded to the same bytes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{full, plane};
use bytes::Bytes;
use tdb_schema::{
    ArraySchema, CellValNum, Enumeration, EnumerationRecord, SchemaRecord, SchemaWarning,
};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

#[test]
fn every_version_is_written_and_read() {
    for version in 1..=23 {
        let schema = full(version);
        let bytes = Bytes::from(schema.encode().unwrap());
        let record = SchemaRecord::from(&schema);
        assert_eq!(
            record.size(schema.version, &()).unwrap(),
            bytes.len() as u64
        );
        assert_eq!(
            ArraySchema::decode(&bytes, &Limits::default()).unwrap(),
            schema,
            "{version}"
        );
    }
}

#[test]
fn every_prefix_of_a_schema_errs() {
    for version in [1, 5, 22] {
        let bytes = Bytes::from(full(version).encode().unwrap());
        for end in 0..bytes.len() {
            ArraySchema::decode(&bytes.slice(..end), &Limits::default()).unwrap_err();
        }
    }
}

#[test]
fn a_schema_is_described_byte_by_byte() {
    let bytes = Bytes::from(full(22).encode().unwrap());
    insta::assert_snapshot!(ArraySchema::describe(&bytes, &Limits::default()).0);
}

#[test]
fn old_versions_have_no_place_for_new_fields() {
    let mut errors = String::new();
    for version in [21, 19, 17, 6, 5, 4] {
        let mut schema = full(version + 1);
        schema.version = FormatVersion::new(version);
        errors.push_str(&format!("{version}: {}\n", schema.encode().unwrap_err()));
    }
    insta::assert_snapshot!(errors);
}

#[test]
fn bytes_after_a_schema_are_a_warning() {
    let mut bytes = plane().encode().unwrap();
    bytes.extend_from_slice(b"more");
    let (schema, warnings) =
        ArraySchema::decode_with_warnings(&bytes.into(), &Limits::default()).unwrap();
    assert_eq!(schema, plane());
    assert_eq!(warnings, [SchemaWarning::TrailingBytes { left: 4 }]);
}

#[test]
fn a_count_beyond_the_bytes_is_refused_before_anything_is_reserved() {
    let mut bytes = plane().encode().unwrap();
    let count = bytes
        .windows(8)
        .position(|w| w == [2, 0, 0, 0, 1, 0, 0, 0])
        .unwrap();
    bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = ArraySchema::decode(&bytes.into(), &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ArraySchema.dimensions at byte 64: needs 21474836475 bytes, but the data ends after 136"
    );
}

fn colours() -> Enumeration {
    Enumeration::from_values(
        "colours",
        "__01_0",
        Datatype::StringAscii,
        CellValNum::Var,
        true,
        ["red", "", "green"],
    )
    .unwrap()
}

#[test]
fn an_enumeration_is_written_and_read() {
    let bytes = Bytes::from(colours().encode().unwrap());
    let read = Enumeration::decode(&bytes, &Limits::default()).unwrap();
    assert_eq!(read, colours());
    assert_eq!(
        read.iter().collect::<Vec<_>>(),
        [&b"red"[..], b"", b"green"]
    );
    assert_eq!(read.index_of(b""), Some(1));
    for end in 0..bytes.len() {
        Enumeration::decode(&bytes.slice(..end), &Limits::default()).unwrap_err();
    }
    insta::assert_snapshot!(
        EnumerationRecord::describe(&bytes, FormatVersion::default(), &(), &Limits::default()).0
    );
}

#[test]
fn an_extended_enumeration_keeps_its_indices() {
    let more = colours().extended("__02_0", ["blue"]).unwrap();
    assert!(more.extends(&colours()));
    assert!(!colours().extends(&more));
    assert_eq!(more.index_of(b"blue"), Some(3));
    let error = colours().extended("__02_0", ["red"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "values of enumeration \"colours\": value 3 is there twice"
    );
}

#[test]
fn hostile_enumerations_are_refused() {
    let record = EnumerationRecord::from(&colours());
    let offsets =
        |values: &[u64]| -> Bytes { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let cases = [
        EnumerationRecord {
            file: "../outside/e".to_owned(),
            ..record.clone()
        },
        EnumerationRecord {
            file: "__../outside/e".to_owned(),
            ..record.clone()
        },
        EnumerationRecord {
            file: "e".to_owned(),
            ..record.clone()
        },
        EnumerationRecord {
            offsets: offsets(&[0, 3, 2]),
            ..record.clone()
        },
        EnumerationRecord {
            offsets: offsets(&[0, 3, 9]),
            ..record.clone()
        },
        EnumerationRecord {
            offsets: offsets(&[1, 3, 3]),
            ..record.clone()
        },
        EnumerationRecord {
            offsets: Bytes::from_static(b"1234567"),
            ..record.clone()
        },
        EnumerationRecord {
            cell_val_num: 0,
            offsets: Bytes::new(),
            ..record.clone()
        },
        EnumerationRecord {
            cell_val_num: 3,
            offsets: Bytes::new(),
            ..record.clone()
        },
    ];
    let errors: String = cases
        .into_iter()
        .map(|record| format!("{}\n", Enumeration::try_from(record).unwrap_err()))
        .collect();
    insta::assert_snapshot!(errors);
}
