//! One description of a record decodes, encodes, measures and dumps it.
use bytes::Bytes;
use tdb_tile::{Datatype, FormatVersion, Limits, Record, Walk, WireError, WireErrorKind};

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    datatype: Datatype,
    name: String,
}

impl Record for Leaf {
    const NAME: &'static str = "Leaf";
    const MIN_SIZE: usize = 5;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { datatype, name } = self;
        w.code("datatype", datatype)?;
        w.text32("name", name)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Tree {
    version: u32,
    capacity: u64,
    nullable: bool,
    sizes: Vec<u16>,
    later: Vec<u16>,
    blob: Bytes,
    leaves: Vec<Leaf>,
}

impl Record for Tree {
    const NAME: &'static str = "Tree";
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            version,
            capacity,
            nullable,
            sizes,
            later,
            blob,
            leaves,
        } = self;
        w.scalar("version", version)?;
        w.set_version(FormatVersion::new(*version));
        w.scalar("capacity", capacity)?;
        w.flag_since(7, "nullable", nullable)?;
        w.array("sizes", 3, sizes)?;
        w.array_since(23, "later", 2, later)?;
        w.bytes64("blob", blob)?;
        let n = w.count::<u32>("leaf count", leaves.len())?;
        w.list("leaves", n, leaves, &())
    }
}

fn tree() -> Tree {
    Tree {
        version: 7,
        capacity: 10_000,
        nullable: true,
        sizes: vec![1, 2, 3],
        later: vec![],
        blob: Bytes::from_static(b"\x00\xff"),
        leaves: vec![
            Leaf {
                datatype: Datatype::Float64,
                name: "x".into(),
            },
            Leaf {
                datatype: Datatype::StringUtf8,
                name: "label".into(),
            },
        ],
    }
}

fn decode(bytes: &[u8]) -> Result<Tree, WireError> {
    Tree::decode(
        &Bytes::copy_from_slice(bytes),
        FormatVersion::WRITTEN,
        &(),
        &Limits::default(),
    )
}

#[test]
fn encoding_is_decoded_back_and_has_the_measured_size() {
    let bytes = tree().encode(FormatVersion::WRITTEN, &()).unwrap();
    assert_eq!(decode(&bytes).unwrap(), tree());
    assert_eq!(
        tree().size(FormatVersion::WRITTEN, &()).unwrap(),
        bytes.len() as u64
    );
}

#[test]
fn every_prefix_is_an_error() {
    let bytes = tree().encode(FormatVersion::WRITTEN, &()).unwrap();
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end]).is_err(), "{end} bytes decoded");
    }
}

#[test]
fn bytes_behind_the_record_are_an_error() {
    let mut bytes = tree().encode(FormatVersion::WRITTEN, &()).unwrap();
    bytes.push(0);
    assert_eq!(
        decode(&bytes).unwrap_err().kind,
        WireErrorKind::Trailing { left: 1 }
    );
}

#[test]
fn a_field_that_the_version_lacks_must_hold_its_default() {
    let old = Tree {
        version: 6,
        ..tree()
    };
    let error = old.encode(FormatVersion::WRITTEN, &()).unwrap_err();
    insta::assert_snapshot!(error, @"Tree.nullable at byte 12: needs format version 7 or newer");
}

#[test]
fn numbers_that_the_version_lacks_must_not_be_there() {
    let new = Tree {
        version: 23,
        later: vec![8, 9],
        ..tree()
    };
    let bytes = new.encode(FormatVersion::WRITTEN, &()).unwrap();
    assert_eq!(decode(&bytes).unwrap(), new);
    let old = Tree { version: 22, ..new };
    let error = old.encode(FormatVersion::WRITTEN, &()).unwrap_err();
    insta::assert_snapshot!(error, @"Tree.later at byte 19: needs format version 23 or newer");
}

#[test]
fn a_count_that_cannot_fit_is_refused_before_anything_is_reserved() {
    let mut bytes = tree().encode(FormatVersion::WRITTEN, &()).unwrap();
    let at = bytes.len() - (1 + 4 + 1) - (1 + 4 + 5) - 4;
    bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    insta::assert_snapshot!(decode(&bytes).unwrap_err(),
        @"Tree.leaves at byte 33: needs 21474836475 bytes, but the data ends after 16");
}

#[test]
fn an_unknown_code_names_the_enumeration_and_its_place() {
    let mut bytes = tree().encode(FormatVersion::WRITTEN, &()).unwrap();
    bytes[33] = 99;
    insta::assert_snapshot!(decode(&bytes).unwrap_err(), @"Leaf.datatype at byte 33: no datatype has code 99");
}

#[test]
fn a_name_over_the_limit_is_a_limit_error() {
    let bytes = Bytes::from(tree().encode(FormatVersion::WRITTEN, &()).unwrap());
    let limits = Limits {
        name_len: 4,
        ..Limits::default()
    };
    let error = Tree::decode(&bytes, FormatVersion::WRITTEN, &(), &limits).unwrap_err();
    insta::assert_snapshot!(error, @"Leaf.name at byte 44: name length of 5 is over the limit of 4 (name_len)");
    assert!(error.limit().is_some());
}

#[test]
fn a_description_has_a_line_for_every_field_up_to_the_error() {
    let bytes = Bytes::from(tree().encode(FormatVersion::WRITTEN, &()).unwrap());
    let (text, result) = Tree::describe(
        &bytes.slice(..45),
        FormatVersion::WRITTEN,
        &(),
        &Limits::default(),
    );
    insta::assert_snapshot!(text, @r#"
                0..4  version = 7
               4..12  capacity = 10000
              12..13  nullable = 1
              13..19  sizes = [1, 2, 3]
              19..27  blob = 2
              27..29  blob = 0x00ff
              29..33  leaf count = 2
              33..34  leaves[0].datatype = float64 (3)
              34..38  leaves[0].name = 1
              38..39  leaves[0].name = "x"
              39..40  leaves[1].datatype = string_utf8 (12)
              40..44  leaves[1].name = 5
    "#);
    assert!(result.is_err());
}

/// A record whose length is given and not that of its values, as a reader measures it.
#[derive(Clone, Debug, Default)]
struct Measured(Vec<u64>);

impl Record for Measured {
    const NAME: &'static str = "Measured";
    type Cx = u64;

    fn walk<W: Walk>(&mut self, w: &mut W, count: &u64) -> Result<(), WireError> {
        w.scalar("capacity", &mut 0_u64)?;
        w.array("values", *count, &mut self.0)
    }
}

#[test]
fn a_size_beyond_64_bits_is_an_error_and_no_size() {
    let size = |count| Measured::default().size(FormatVersion::WRITTEN, &count);
    assert_eq!(size((1 << 61) - 2).unwrap(), u64::MAX - 7);
    for count in [(1 << 61) - 1, 1 << 61, u64::MAX] {
        let error = size(count).unwrap_err().to_string();
        assert!(error.contains("beyond 2^64 bytes"), "{error}");
    }
}
