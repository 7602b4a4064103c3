//! Chunks and generic tiles: round trips, and the input that is refused.
use bytes::Bytes;
use proptest::prelude::*;
use tdb_tile::{
    Budget, ChunkTable, ChunkWriter, Code, Datatype, EncryptionType, FormatVersion, GenericTile,
    Limits, Range, U64Column, WireErrorKind,
};

fn tile(chunks: &[(u32, &[u8], &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = ChunkWriter::new(&mut out);
    for (original, metadata, filtered) in chunks {
        let written = writer.chunk(*original, metadata, filtered);
        written.expect("short pieces");
    }
    writer.finish().expect("room for the count");
    out
}

#[test]
fn chunks_are_found_by_the_bytes_they_hold() {
    let tile = tile(&[(10, b"m", b"aa"), (0, b"", b""), (5, b"", b"bbb")]);
    let mut table = ChunkTable::default();
    table.parse_sized(&tile, 15, &Limits::default()).unwrap();
    assert_eq!(table.entries().len(), 3);
    assert_eq!(table.entries()[2].filtered(&tile).unwrap(), b"bbb");
    assert_eq!(table.entries()[0].metadata(&tile).unwrap(), b"m");
    let hit: Vec<_> = table.overlapping(3..10).iter().map(|e| e.start).collect();
    assert_eq!(hit, [0]);
    assert_eq!(table.overlapping(10..11).last().map(|e| e.start), Some(10));
    assert!(table.overlapping(15..20).is_empty());
}

#[test]
fn a_chunk_of_another_tile_is_not_empty_but_a_defect() {
    let stored = tile(&[(10, b"m", b"aa"), (5, b"", b"bbb")]);
    let mut table = ChunkTable::default();
    table.parse(&stored, &Limits::default()).unwrap();
    let other = tile(&[(10, b"m", b"aa")]);
    let last = table.entries()[1];
    for bug in [last.metadata(&other[..20]), last.filtered(&other)] {
        let bug = bug.unwrap_err().to_string();
        assert!(bug.contains("a chunk of another tile"), "{bug}");
    }
}

#[test]
fn a_tile_without_chunks_is_eight_zero_bytes() {
    let mut table = ChunkTable::default();
    table.parse(&[0; 8], &Limits::default()).unwrap();
    assert!(table.entries().is_empty());
}

#[test]
fn a_chunk_count_that_cannot_fit_is_refused() {
    let mut bytes = tile(&[(4, b"", b"abcd")]);
    bytes[..8].copy_from_slice(&(1_u64 << 61).to_le_bytes());
    let error = ChunkTable::default()
        .parse(&bytes, &Limits::default())
        .unwrap_err();
    insta::assert_snapshot!(error, @"TileChunks.count at byte 0: needs 18446744073709551615 bytes, but the data ends after 16");
}

#[test]
fn unfiltered_sizes_are_bounded_before_anything_is_reserved() {
    let bytes = tile(&[(u32::MAX, b"", b"abcd")]);
    let error = ChunkTable::default()
        .parse(&bytes, &Limits::default())
        .unwrap_err();
    assert!(error.limit().is_some(), "{error}");
    let error =
        ChunkTable::default().parse_sized(&tile(&[(3, b"", b"abc")]), 4, &Limits::default());
    insta::assert_snapshot!(error.unwrap_err(),
        @"TileChunks.original size at byte 8: unfiltered tile size is 3, expected 4");
}

#[test]
fn generic_tiles_follow_one_another() {
    let one = GenericTile::try_new(
        FormatVersion::WRITTEN,
        EncryptionType::None,
        3,
        Bytes::from_static(&[0, 0, 1, 0, 0, 0, 0, 0]),
        Bytes::from(tile(&[(3, b"", b"abc")])),
    )
    .unwrap();
    let mut bytes = one.encode();
    bytes.extend_from_slice(&one.encode());
    let bytes = Bytes::from(bytes);
    let first = GenericTile::parse(&bytes, &Limits::default()).unwrap();
    let second =
        GenericTile::parse(&bytes.slice(first.stored_size()..), &Limits::default()).unwrap();
    assert_eq!(first.chunks, second.chunks);
    for end in 0..first.stored_size() {
        assert!(GenericTile::parse(&bytes.slice(..end), &Limits::default()).is_err());
    }
    insta::assert_snapshot!(first.describe());
}

#[test]
fn a_generic_tile_says_what_is_wrong_with_it() {
    let good = GenericTile::try_new(
        FormatVersion::WRITTEN,
        EncryptionType::None,
        3,
        Bytes::new(),
        Bytes::from(tile(&[(3, b"", b"abc")])),
    )
    .unwrap()
    .encode();
    let error = |at: usize, with: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        GenericTile::parse(&Bytes::from(bytes), &Limits::default())
            .unwrap_err()
            .to_string()
    };
    let errors = [
        error(0, &u32::MAX.to_le_bytes()),
        error(0, &[0; 4]),
        error(4, &(3_u64 << 30).to_le_bytes()),
        error(12, &(1_u64 << 62).to_le_bytes()),
        error(20, &[44]),
        error(29, &[2]),
        error(30, &u32::MAX.to_le_bytes()),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn tiles_of_releases_before_versions_are_recognised() {
    let kind = |bytes: &[u8]| {
        let bytes = Bytes::copy_from_slice(bytes);
        GenericTile::parse(&bytes, &Limits::default())
            .unwrap_err()
            .kind
    };
    // 1.0 to 1.3: two sizes, a datatype, the size of a cell, a compressor and its level.
    let mut headed = Vec::new();
    headed.extend(81_u64.to_le_bytes());
    headed.extend(240_u64.to_le_bytes());
    headed.push(4);
    headed.extend(1_u64.to_le_bytes());
    headed.extend([2, 255, 255, 255, 255]);
    headed.resize(30 + 81, 0);
    assert_eq!(kind(&headed), WireErrorKind::BeforeVersions);
    // Before 1.0: the length of a path, and the path.
    let mut bare = b"\x28\0\0\0/arrays/weather/of/the/nineteen-nineties".to_vec();
    bare.extend([1, 0, 0, 16, 39, 0, 0]);
    bare[0] = u8::try_from("/arrays/weather/of/the/nineteen-nineties".len()).unwrap();
    assert_eq!(kind(&bare), WireErrorKind::BeforeVersions);

    // Cut short or without a path, the same bytes pass for a version that is too new.
    headed.truncate(60);
    assert!(matches!(
        kind(&headed),
        WireErrorKind::NewerVersion { found: 81, .. }
    ));
    bare[4] = 0;
    assert!(matches!(
        kind(&bare),
        WireErrorKind::NewerVersion { found: 40, .. }
    ));
}

#[test]
fn a_budget_is_shared_and_given_back() {
    let budget = Budget::new(100);
    let grant = budget.clone().take(60).unwrap();
    insta::assert_snapshot!(budget.take(60).unwrap_err(),
        @"memory of 120 is over the limit of 100 (memory budget)");
    drop(grant);
    assert_eq!(budget.left(), 100);
    assert!(budget.take(100).is_ok());
}

#[test]
fn a_grant_grows_and_shrinks() {
    let budget = Budget::new(100);
    let mut grant = budget.take(0).unwrap();
    grant.grow(70).unwrap();
    assert_eq!((grant.bytes(), budget.left()), (70, 30));
    insta::assert_snapshot!(grant.grow(31).unwrap_err(),
        @"memory of 101 is over the limit of 100 (memory budget)");
    assert_eq!((grant.bytes(), budget.left()), (70, 30));
    grant.shrink_to(80);
    assert_eq!((grant.bytes(), budget.left()), (70, 30));
    grant.shrink_to(20);
    assert_eq!((grant.bytes(), budget.left()), (20, 80));
    drop(grant);
    assert_eq!(budget.left(), 100);
}

#[test]
fn codes_and_names_of_datatypes_are_their_own_inverse() {
    assert_eq!(Datatype::ALL.len(), 44);
    for (code, datatype) in Datatype::ALL.iter().enumerate() {
        assert_eq!(usize::from(datatype.code()), code);
        assert_eq!(Datatype::from_code(datatype.code()), Some(*datatype));
        assert_eq!(Datatype::from_name(datatype.name()), Some(*datatype));
        assert_eq!(datatype.default_fill().len(), datatype.size());
    }
    assert_eq!(Datatype::from_code(44), None);
}

#[test]
fn ranges_compare_numbers_by_value_and_strings_by_unsigned_bytes() {
    let range = Range::of(-5_i32, 5);
    assert!(range.contains(Datatype::Int32, &(-1_i32).to_le_bytes()));
    assert!(!range.contains(Datatype::Int32, &6_i32.to_le_bytes()));
    assert!(!Range::of(0.0, f64::NAN).is_ordered(Datatype::Float64));
    let text = Range::new(&b""[..], &b"\x80"[..]);
    assert!(text.contains(Datatype::StringAscii, b"\x7fzzz"));
    assert!(!text.contains(Datatype::StringAscii, b"\x80\x00"));
    assert_eq!(range.ends::<i32>(), Some((-5, 5)));
    assert_eq!(range.ends::<i64>(), None);
}

proptest! {
    #[test]
    fn no_bytes_make_the_framing_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut table = ChunkTable::default();
        let _ = table.parse(&bytes, &Limits::default());
        let _ = GenericTile::parse(&Bytes::from(bytes), &Limits::default());
    }

    #[test]
    fn a_column_holds_its_values(values in proptest::collection::vec(any::<u64>(), 0..50)) {
        let column = U64Column::from_values(values.iter().copied());
        prop_assert_eq!(column.iter().collect::<Vec<_>>(), values);
        prop_assert!(U64Column::new(Bytes::from_static(b"1234567")).is_none());
    }
}

#[test]
fn trailing_bytes_in_a_tile_are_refused() {
    let mut bytes = tile(&[(1, b"", b"a")]);
    bytes.push(7);
    let error = ChunkTable::default()
        .parse(&bytes, &Limits::default())
        .unwrap_err();
    assert_eq!(error.kind, WireErrorKind::Trailing { left: 1 });
}

#[test]
fn delta_options_grew_in_two_versions() {
    let stores = |version| {
        let version = FormatVersion::new(version);
        (
            version.stores_delta_reinterpretation(),
            version.stores_double_delta_reinterpretation(),
        )
    };
    assert_eq!(
        [18, 19, 20].map(stores),
        [(false, false), (true, false), (true, true)]
    );
}
