//! Whole pipelines: round trips, and the input that is refused.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "helpers of tests"
)]
#![cfg(all(
    feature = "gzip",
    feature = "zstd",
    feature = "lz4",
    feature = "bzip2",
    feature = "checksums",
    feature = "encryption",
    feature = "webp"
))]

use tdb_filters::{
    Description, EncryptionKey, FilterError, FilterList, FilterRecord, OptionValue, Pipeline,
    Registry, Scratch, TileKind, open_generic_tile, seal_generic_tile,
};
use tdb_tile::{ChunkWriter, Datatype, FormatVersion, GenericTile, Limits, Record};

const V: FormatVersion = FormatVersion::WRITTEN;

fn list(names: &[&str]) -> FilterList {
    let record = |name: &&str| {
        Description::new(*name)
            .record(V, Registry::builtin())
            .unwrap()
    };
    FilterList::new(names.iter().map(record).collect())
}

fn pipeline(names: &[&str], kind: TileKind) -> Pipeline {
    Pipeline::new(&list(names), V, kind, None, Registry::builtin()).unwrap()
}

fn there_and_back(pipeline: &Pipeline, values: &[u8]) -> Vec<u8> {
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(values, None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let back = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    assert!(back == values, "{pipeline:?}");
    stored
}

#[test]
fn every_pair_of_plain_filters_is_reversible() {
    let names = [
        "none",
        "gzip",
        "zstd",
        "lz4",
        "bzip2",
        "byteshuffle",
        "bitshuffle",
        "checksum_md5",
        "checksum_sha256",
    ];
    for length in [0_u32, 1, 7, 8, 9, 4096, 70_001] {
        let values: Vec<u8> = (0..length)
            .map(|i| (i.wrapping_mul(i) / 300) as u8)
            .collect();
        for first in names {
            for second in names {
                for datatype in [
                    Datatype::UInt8,
                    Datatype::Int16,
                    Datatype::Float32,
                    Datatype::Int64,
                ] {
                    let kind = TileKind::new(V, datatype);
                    there_and_back(&pipeline(&[first, second], kind), &values);
                }
            }
        }
    }
}

#[test]
fn generic_tiles_open_with_their_key_only() {
    let (key, other) = (
        EncryptionKey::new(&[7; 32]).unwrap(),
        EncryptionKey::new(&[8; 32]).unwrap(),
    );
    let payload: Vec<u8> = (0..200_000_u32).map(|i| (i / 100) as u8).collect();
    let limits = Limits::default();
    for sealed_with in [None, Some(&key)] {
        let sealed = seal_generic_tile(&payload, V, sealed_with).unwrap();
        let tile = GenericTile::parse(&sealed.into(), &limits).unwrap();
        assert_eq!(
            open_generic_tile(&tile, sealed_with, &limits).unwrap(),
            payload
        );
        let wrong = if sealed_with.is_some() {
            None
        } else {
            Some(&key)
        };
        for key in [wrong, Some(&other)] {
            let error = open_generic_tile(&tile, key, &limits).unwrap_err();
            assert!(matches!(error, FilterError::Crypto(_)), "{error}");
        }
    }
    assert!(EncryptionKey::new(&[0; 31]).is_err());
    assert_eq!(format!("{key:?}"), "EncryptionKey(redacted)");
}

#[test]
fn unknown_and_withdrawn_filters_are_refused() {
    let error = |code: u8, options: &'static [u8]| {
        let list = FilterList::new(vec![FilterRecord::new(code, options)]);
        let kind = TileKind::new(V, Datatype::Int32);
        Pipeline::new(&list, V, kind, None, Registry::builtin())
            .unwrap_err()
            .to_string()
    };
    let errors = [
        error(17, &[]),
        error(20, &[]),
        error(255, &[]),
        error(11, &[]),
        error(2, &[2]),
        error(2, &[1, 0, 0, 0, 0]),
        error(2, &[2, 0, 0, 0, 0, 0]),
        error(9, &[0]),
        error(18, &[0; 11]),
        error(18, &[0; 13]),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_pipeline_keeps_its_bytes() {
    let list = FilterList::new(vec![
        FilterRecord::new(200, &b"anything"[..]),
        FilterRecord::new(2, &[2, 5, 0, 0, 0][..]),
    ]);
    let bytes = list.encode(V, &()).unwrap();
    assert_eq!(
        FilterList::decode(&bytes.clone().into(), V, &(), &Limits::default()).unwrap(),
        list
    );
    let (text, _) = FilterList::describe(&bytes.into(), V, &(), &Limits::default());
    insta::assert_snapshot!(text);
}

#[test]
fn options_are_checked_by_name_and_type() {
    let error = |description: Description| {
        description
            .record(V, Registry::builtin())
            .unwrap_err()
            .to_string()
    };
    let errors = [
        error(Description::new("zst")),
        error(Description::new("zstd").with("lvl", OptionValue::Integer(1))),
        error(Description::new("zstd").with("level", OptionValue::Integer(1 << 40))),
        error(Description::new("zstd").with("level", OptionValue::Text("high".into()))),
        error(Description::new("byteshuffle").with("level", OptionValue::Integer(1))),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_schema_of_version_11_opens() {
    let stored = bytes::Bytes::from_static(include_bytes!("../data/v11_schema.tdb"));
    let limits = Limits::default();
    let tile = GenericTile::parse(&stored, &limits).unwrap();
    let payload = open_generic_tile(&tile, None, &limits).unwrap();
    assert_eq!(payload.len() as u64, tile.header.tile_size.get());
    assert_eq!(payload[..4], [11, 0, 0, 0]);
}

#[test]
fn pipelines_that_nobody_could_read_are_not_written() {
    let error = |names: &[&str], kind: TileKind| {
        let pipeline = pipeline(names, kind);
        let mut out = Vec::new();
        let (mut scratch, limits) = (Scratch::default(), Limits::default());
        let error = pipeline.encode_tile(&[0; 24], None, &mut out, &mut scratch, &limits);
        assert_eq!(error.clone().err(), pipeline.check().err());
        assert!(out.is_empty());
        format!("{names:?}: {}", error.unwrap_err())
    };
    let ints = TileKind::new(V, Datatype::Int32);
    let text = TileKind::new(V, Datatype::StringAscii).var();
    let errors = [
        error(&["zstd", "double_delta"], ints),
        error(&["zstd", "byteshuffle", "xor"], ints),
        error(&["zstd", "xor"], TileKind::new(V, Datatype::Int8)),
        error(&["double_delta", "delta"], ints),
        error(&["bit_width_reduction", "double_delta"], ints),
        error(&["delta"], TileKind::new(V, Datatype::Float32)),
        error(&["positive_delta"], TileKind::new(V, Datatype::Float64)),
        error(
            &["bit_width_reduction"],
            TileKind::new(V, Datatype::StringUtf8),
        ),
        error(&["scale_float"], TileKind::new(V, Datatype::Int16)),
        error(&["webp"], ints),
        error(&["dictionary"], ints),
        error(
            &["dictionary"],
            TileKind::new(FormatVersion::new(12), Datatype::StringAscii).var(),
        ),
        error(
            &["zstd", "rle"],
            TileKind::new(FormatVersion::new(11), Datatype::StringUtf8).var(),
        ),
    ];
    insta::assert_snapshot!(errors.join("\n"));
    let error = Pipeline::new(&list(&["zstd", "rle"]), V, text, None, Registry::builtin());
    insta::assert_snapshot!(error.unwrap_err(),
        @"rle cannot be used here: it must be the first filter of var-sized text");
    for fine in [
        ["zstd", "delta"],
        ["delta", "delta"],
        ["bit_width_reduction", "xor"],
    ] {
        pipeline(&fine, TileKind::new(V, Datatype::UInt8))
            .check()
            .unwrap();
    }
    for fine in [
        ["byteshuffle", "delta"],
        ["xor", "zstd"],
        ["positive_delta", "bit_width_reduction"],
    ] {
        pipeline(&fine, ints).check().unwrap();
    }
}

#[test]
fn starts_that_lose_or_mix_values_are_refused_also_chunk_by_chunk() {
    let text = TileKind::new(V, Datatype::StringUtf8).var();
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    for name in ["rle", "dictionary"] {
        let pipeline = pipeline(&[name], text);
        let wrong: [Option<&[u64]>; 6] = [
            None,
            Some(&[]),
            Some(&[1]),
            Some(&[0, 2, 1]),
            Some(&[0, 4]),
            Some(&[0, u64::MAX]),
        ];
        for starts in wrong {
            let mut out = Vec::new();
            let tile = pipeline.encode_tile(b"abc", starts, &mut out, &mut scratch, &limits);
            assert!(matches!(tile, Err(FilterError::Values { .. })), "{tile:?}");
            assert!(out.is_empty());
            let mut writer = ChunkWriter::new(&mut out);
            let chunk = pipeline.encode_chunk(b"abc", starts, &mut writer, &mut scratch, &limits);
            assert_eq!(chunk, tile, "{name} {starts:?}");
        }
        let mut out = Vec::new();
        let mut writer = ChunkWriter::new(&mut out);
        pipeline
            .encode_chunk(b"abc", Some(&[0, 1]), &mut writer, &mut scratch, &limits)
            .unwrap();
        writer.finish().unwrap();
        let mut starts = Vec::new();
        let back = pipeline.decode_tile_to_vec(&out, Some(&mut starts), &mut scratch, &limits);
        assert_eq!((back.unwrap(), starts), (b"abc".to_vec(), vec![0, 1]));
    }
}

#[cfg(feature = "webp-lossy")]
#[test]
fn lossy_images_come_back_near_what_they_were() {
    let webp = Description::new("webp")
        .with("format", OptionValue::Text("rgba".into()))
        .with("y_extent", OptionValue::Integer(16))
        .with("x_extent", OptionValue::Integer(64));
    let list = FilterList::new(vec![webp.record(V, Registry::builtin()).unwrap()]);
    let kind = TileKind::new(V, Datatype::UInt8);
    let pipeline = Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap();
    let values: Vec<u8> = (0..1024_u32).map(|i| 100 + (i % 64) as u8).collect();
    let (mut scratch, limits, mut stored) = (Scratch::default(), Limits::default(), Vec::new());
    pipeline
        .encode_tile(&values, None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let back = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    let near = values
        .iter()
        .zip(&back)
        .filter(|(a, b)| a.abs_diff(**b) < 24)
        .count();
    assert!(near > 900, "{near}");
}

#[cfg(not(feature = "webp-lossy"))]
#[test]
fn lossy_images_need_a_feature_to_be_written() {
    let webp = Description::new("webp")
        .with("format", OptionValue::Text("rgb".into()))
        .with("y_extent", OptionValue::Integer(1))
        .with("x_extent", OptionValue::Integer(3));
    let list = FilterList::new(vec![webp.record(V, Registry::builtin()).unwrap()]);
    let kind = TileKind::new(V, Datatype::UInt8);
    let pipeline = Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap();
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let error = pipeline.encode_tile(&[1, 2, 3], None, &mut Vec::new(), &mut scratch, &limits);
    insta::assert_snapshot!(error.unwrap_err(),
        @r#"lossy webp encoding (code 18) is not compiled in; enable feature "webp-lossy""#);
}

/// True if an error expects the value that it found: "is 256, expected 256".
fn contradicts_itself(error: &str) -> bool {
    let Some((before, wanted)) = error.split_once(", expected ") else {
        return false;
    };
    before.rsplit(' ').next() == Some(wanted)
}

/// Shortens a stored tile of one chunk of one part: drops the last bytes of the part, and adjusts
/// the lengths.
fn cut(stored: &[u8], by: usize) -> Vec<u8> {
    const LENGTHS: [usize; 2] = [12, 32];
    let mut tile: Vec<u8> = stored.iter().copied().take(stored.len() - by).collect();
    for place in LENGTHS {
        let length = tile.get_mut(place..place + 4).unwrap();
        let whole = u32::from_le_bytes((&*length).try_into().unwrap());
        length.copy_from_slice(&(whole - by as u32).to_le_bytes());
    }
    tile
}

#[test]
fn errors_about_streams_that_end_early_do_not_contradict_themselves() {
    assert!(contradicts_itself(
        "bzip2.data: length is 256, expected 256"
    ));
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let values: Vec<u8> = (0..=255).collect();
    for name in ["gzip", "zstd", "lz4", "bzip2"] {
        let pipeline = pipeline(&[name], TileKind::new(V, Datatype::UInt8));
        let stored = there_and_back(&pipeline, &values);
        let mut refused = 0;
        for by in 1..stored.len() - 36 {
            let found = pipeline.decode_tile_to_vec(&cut(&stored, by), None, &mut scratch, &limits);
            let Err(error) = found else { continue };
            let error = error.to_string();
            assert!(!contradicts_itself(&error), "{name}: {error}");
            assert!(error.starts_with(name), "{error}");
            refused += 1;
        }
        assert!(refused > 50, "{name}: {refused}");
    }
}
