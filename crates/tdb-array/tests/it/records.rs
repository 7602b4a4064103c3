//! Records of metadata and groups, and the result of a sequence of them.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use bytes::Bytes;
use tdb_array::{GroupDetails, GroupMember, Metadata, MetadataRecord, MetadataValue, ObjectType};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

const VERSION: FormatVersion = FormatVersion::WRITTEN;

fn value(datatype: Datatype, bytes: &'static [u8]) -> Option<MetadataValue> {
    Some(MetadataValue::try_new(datatype, bytes).unwrap())
}

fn record(key: &str, value: Option<MetadataValue>) -> MetadataRecord {
    MetadataRecord {
        key: key.to_owned(),
        value,
    }
}

fn records() -> Vec<MetadataRecord> {
    vec![
        record("count", value(Datatype::Int32, &[1, 0, 0, 0, 2, 0, 0, 0])),
        record("empty", value(Datatype::StringUtf8, b"")),
        record("gone", None),
        record("name", value(Datatype::StringUtf8, b"apple")),
    ]
}

#[test]
fn metadata_reads_as_it_was_written() {
    let bytes = Bytes::from(MetadataRecord::encode_all(&records(), VERSION).unwrap());
    let decoded = MetadataRecord::decode_all(&bytes, VERSION, &Limits::default()).unwrap();
    assert_eq!(decoded, records());
    let (text, result) = MetadataRecord::describe_all(&bytes, VERSION, &Limits::default());
    assert!(result.is_ok());
    insta::assert_snapshot!(text);
}

#[test]
fn metadata_that_ends_early_is_an_error_with_its_place() {
    let whole = Bytes::from(MetadataRecord::encode_all(&records(), VERSION).unwrap());
    let mut complete = 0;
    for end in 0..whole.len() {
        match MetadataRecord::decode_all(&whole.slice(..end), VERSION, &Limits::default()) {
            Ok(_) => complete += 1,
            Err(error) => assert!(error.offset <= end, "{error}"),
        }
    }
    assert_eq!(
        complete,
        records().len(),
        "an object may end after any record"
    );
    let error = MetadataRecord::decode_all(&whole.slice(..30), VERSION, &Limits::default());
    assert_eq!(
        error.unwrap_err().to_string(),
        "Metadata.key at byte 27: needs 5 bytes, but the data ends after 3"
    );
}

#[test]
fn a_count_of_values_is_bounded_by_the_bytes() {
    let bytes = Bytes::from_static(b"\x01\0\0\0k\0\x0a\xff\xff\xff\xff12345678");
    let error = MetadataRecord::decode_all(&bytes, VERSION, &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "MetadataValue.bytes at byte 11: needs 34359738360 bytes, but the data ends after 8"
    );
}

#[test]
fn later_records_win_and_removals_remove() {
    let later = vec![
        record("count", None),
        record("name", value(Datatype::StringUtf8, b"pear")),
        record("name", value(Datatype::StringUtf8, b"plum")),
    ];
    let metadata = Metadata::replay(records().into_iter().chain(later));
    let keys: Vec<&str> = metadata.iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["empty", "name"]);
    assert_eq!(metadata.get("name").unwrap().bytes, "plum");
    assert_eq!(metadata.get("empty").unwrap().count, 0);
}

#[test]
fn a_value_is_a_whole_number_of_its_type() {
    assert!(MetadataValue::try_new(Datatype::Int32, &b"12345"[..]).is_err());
    let value = MetadataValue::try_new(Datatype::Float64, vec![0; 24]).unwrap();
    assert_eq!(value.count, 3);
}

fn member(version: u32, name: Option<&str>, uri: &str, deleted: bool) -> GroupMember {
    GroupMember {
        version,
        object_type: ObjectType::Array,
        relative: true,
        uri: uri.to_owned(),
        name: name.map(str::to_owned),
        deleted,
    }
}

fn details(version: u32, members: Vec<GroupMember>) -> GroupDetails {
    GroupDetails { version, members }
}

#[test]
fn group_details_read_as_they_were_written() {
    let both = vec![
        member(1, None, "a", false),
        member(1, Some("bee"), "b", false),
    ];
    let newer = vec![
        member(2, Some("bee"), "b", true),
        member(1, None, "file:///c", false),
    ];
    let mut texts = String::new();
    for details in [details(1, both), details(2, newer), details(2, vec![])] {
        let bytes = Bytes::from(details.encode(VERSION, &()).unwrap());
        assert_eq!(
            GroupDetails::open(&bytes, &Limits::default()).unwrap(),
            details
        );
        assert_eq!(details.size(VERSION, &()).unwrap(), bytes.len() as u64);
        for end in 0..bytes.len() {
            assert!(GroupDetails::open(&bytes.slice(..end), &Limits::default()).is_err());
        }
        texts += &GroupDetails::describe(&bytes, VERSION, &(), &Limits::default()).0;
        texts += "\n";
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn a_count_of_members_is_bounded_by_the_bytes() {
    let bytes = Bytes::from_static(b"\x02\0\0\0\xff\xff\xff\xff\0\0\0\0");
    let error = GroupDetails::open(&bytes, &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GroupDetails.members at byte 12: needs 64424509425 bytes, but the data ends after 0"
    );
    let bytes = Bytes::from_static(b"\x03\0\0\0\0\0\0\0\0\0\0\0");
    let error = GroupDetails::open(&bytes, &Limits::default()).unwrap_err();
    assert!(error.is_unsupported());
}

#[test]
fn details_of_version_2_change_what_was_and_of_version_1_replace_it() {
    let keys = |all: Vec<GroupDetails>| -> Vec<String> {
        let members = GroupDetails::replay(all);
        members
            .iter()
            .map(|member| member.key().to_owned())
            .collect()
    };
    let first = details(
        2,
        vec![
            member(2, Some("a"), "x", false),
            member(2, None, "b", false),
        ],
    );
    let second = details(
        2,
        vec![
            member(2, Some("a"), "x", true),
            member(2, Some("c"), "y", false),
        ],
    );
    let whole = details(1, vec![member(1, None, "d", false)]);
    assert_eq!(keys(vec![first.clone()]), ["a", "b"]);
    assert_eq!(keys(vec![first.clone(), second.clone()]), ["b", "c"]);
    assert_eq!(keys(vec![first.clone(), whole.clone()]), ["d"]);
    assert_eq!(keys(vec![whole, first]), ["a", "b", "d"]);
    assert_eq!(keys(vec![]), Vec::<String>::new());
    assert_eq!(keys(vec![second]), ["c"]);
}
