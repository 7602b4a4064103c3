//! The footers of many fragments in one object.
#![expect(clippy::cast_possible_truncation, reason = "a test may stop there")]

use crate::support::{Fragment, data, open};
use bytes::Bytes;
use tdb_fragment::{ConsolidatedEntry, ConsolidatedMetadata, FieldLayout, Footer};
use tdb_tile::{Limits, Record};

#[test]
fn each_fragment_has_its_footer() {
    let (payload, _) = open(&data("v22.meta"));
    let limits = Limits::default();
    let metadata = ConsolidatedMetadata::decode(&payload, &limits).unwrap();
    let layout = FieldLayout::of(&Fragment::new("v22_deletes").schema);
    let mut footers = Vec::new();
    for entry in metadata.entries() {
        let bytes = metadata.footer(entry).unwrap();
        let footer = Footer::read(&bytes, &layout, &limits).unwrap();
        assert_eq!(footer.encode(footer.version, &layout).unwrap(), bytes);
        footers.push((entry.key.as_str(), bytes));
    }
    assert_eq!(footers.len(), 2);
    assert!(footers[1].0.starts_with("__110_110_"), "{}", footers[1].0);
    let again = footers.iter().map(|(key, bytes)| (*key, &bytes[..]));
    assert_eq!(ConsolidatedMetadata::encode(again).unwrap(), payload);
}

#[test]
fn the_list_is_described_field_by_field() {
    let footers = [("__1", &b"one"[..]), ("__2", b"second")];
    let payload = Bytes::from(ConsolidatedMetadata::encode(footers).unwrap());
    let (text, metadata) = ConsolidatedMetadata::describe(&payload, &Limits::default());
    assert_eq!(metadata.unwrap().entries().len(), 2);
    insta::assert_snapshot!(text, @r#"
             0..4  fragment count = 2
            4..12  entries[0].key = 3
           12..15  entries[0].key = "__1"
           15..23  entries[0].offset = 42
           23..31  entries[1].key = 3
           31..34  entries[1].key = "__2"
           34..42  entries[1].offset = 45
    "#);
}

#[test]
fn a_footer_that_is_not_there_is_none() {
    let footers = [("__1", &b"one"[..]), ("__2", b"second")];
    let payload = Bytes::from(ConsolidatedMetadata::encode(footers).unwrap());
    let metadata = ConsolidatedMetadata::decode(&payload, &Limits::default()).unwrap();
    let footer = |offset| {
        let key = String::new();
        metadata.footer(&ConsolidatedEntry { key, offset })
    };
    let [first, second] = metadata.entries() else {
        panic!("two are expected");
    };
    assert_eq!(metadata.footer(first).unwrap(), "one");
    assert_eq!(metadata.footer(second).unwrap(), "second");
    assert_eq!(footer(payload.len() as u64), None);
    assert_eq!(footer(u64::MAX), None);
}

#[test]
fn every_cut_through_the_list_errs() {
    let (payload, _) = open(&data("v22.meta"));
    let limits = Limits::default();
    let metadata = ConsolidatedMetadata::decode(&payload, &limits).unwrap();
    let list = metadata.entries()[0].offset as usize;
    for end in 0..list {
        let cut = ConsolidatedMetadata::decode(&payload.slice(..end), &limits);
        assert!(cut.is_err(), "{end} bytes decoded");
    }
    let many = Bytes::from_static(&[0xff; 100]);
    let error = ConsolidatedMetadata::decode(&many, &limits).unwrap_err();
    insta::assert_snapshot!(error, @"ConsolidatedMetadata.entries at byte 4: needs 68719476720 bytes, but the data ends after 96");
}
