//! Laws for all input: values survive a round trip, and no bytes make a filter panic.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use proptest::prelude::*;
use tdb_filters::filters::ALL;
use tdb_filters::{Description, FilterError, FilterList, Pipeline, Registry, Scratch, TileKind};
use tdb_tile::{ChunkTable, Datatype, FormatVersion, Limits};

const V: FormatVersion = FormatVersion::WRITTEN;

fn pipeline(names: &[&str], kind: TileKind) -> Pipeline {
    let record = |name: &&str| {
        Description::new(*name)
            .record(V, Registry::builtin())
            .unwrap()
    };
    let list = FilterList::new(names.iter().map(record).collect());
    Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap()
}

/// Filters that need neither a key nor the shape of an image.
fn names() -> impl Strategy<Value = Vec<&'static str>> {
    let plain = ALL
        .iter()
        .filter(|entry| entry.compiled && !matches!(entry.code, 11 | 14 | 18))
        .map(|entry| entry.name);
    let one = proptest::sample::select(plain.collect::<Vec<_>>());
    proptest::collection::vec(one, 1..4)
}

fn datatypes() -> impl Strategy<Value = Datatype> {
    proptest::sample::select(Datatype::ALL)
}

/// Returns the filtered data of the only chunk.
fn filtered(name: &str, datatype: Datatype, values: &[u8]) -> Vec<u8> {
    let pipeline = pipeline(&[name], TileKind::new(V, datatype));
    let (mut stored, limits) = (Vec::new(), Limits::default());
    pipeline
        .encode_tile(values, None, &mut stored, &mut Scratch::default(), &limits)
        .unwrap();
    let mut table = ChunkTable::default();
    table.parse(&stored, &limits).unwrap();
    let chunks = table.entries().iter();
    chunks
        .flat_map(|entry| entry.filtered(&stored).unwrap().to_vec())
        .collect()
}

proptest! {
    #[test]
    fn what_a_pipeline_takes_it_gives_back(
        names in names(),
        datatype in datatypes(),
        values in proptest::collection::vec(any::<u8>(), 0..3000),
    ) {
        prop_assume!(!names.contains(&"scale_float"));
        let pipeline = pipeline(&names, TileKind::new(V, datatype));
        let (mut scratch, limits) = (Scratch::default(), Limits::default());
        let mut stored = Vec::new();
        match pipeline.encode_tile(&values, None, &mut stored, &mut scratch, &limits) {
            Ok(()) => {
                let back = pipeline.decode_tile_to_vec(&stored, None, &mut scratch, &limits);
                prop_assert_eq!(back, Ok(values));
            }
            Err(FilterError::InvalidPipeline { .. } | FilterError::Values { .. }) => {
                prop_assert!(stored.is_empty());
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn no_bytes_make_a_filter_panic(
        names in names(),
        datatype in datatypes(),
        is_var: bool,
        metadata in proptest::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..60),
        data in proptest::collection::vec(any::<u8>(), 0..200),
        len in 0_usize..300,
    ) {
        let kind = TileKind { is_var, ..TileKind::new(V, datatype) };
        let records = names.iter().map(|name| Description::new(*name).record(V, Registry::builtin()));
        let list = FilterList::new(records.collect::<Result<_, _>>().unwrap());
        if let Ok(pipeline) = Pipeline::new(&list, V, kind, None, Registry::builtin()) {
            let (mut scratch, limits) = (Scratch::default(), Limits::with_budget(1 << 26));
            let mut out = vec![0; len];
            let mut starts = Vec::new();
            let _ = pipeline.decode_chunk(&metadata, &data, &mut out, None, &mut scratch, &limits);
            let asked = Some(&mut starts);
            let _ = pipeline.decode_chunk(&metadata, &data, &mut out, asked, &mut scratch, &limits);
        }
    }

    #[test]
    fn byteshuffle_moves_byte_j_of_value_i(
        datatype in datatypes(),
        values in proptest::collection::vec(any::<u8>(), 0..1500),
    ) {
        let size = datatype.size();
        let count = values.len() / size;
        let found = filtered("byteshuffle", datatype, &values);
        for i in 0..count {
            for j in 0..size {
                prop_assert_eq!(found[j * count + i], values[i * size + j]);
            }
        }
        prop_assert_eq!(&found[count * size..], &values[count * size..]);
    }

    #[test]
    fn bitshuffle_moves_bit_k_of_byte_j_of_value_i(
        datatype in datatypes(),
        groups in 0_usize..400,
        seed: u64,
    ) {
        let size = datatype.size();
        // One block of whole groups.
        let count = (groups * 8).min(8192 / size / 8 * 8);
        let values: Vec<u8> = (0..count * size)
            .map(|i| seed.rotate_left(i as u32 % 61).wrapping_mul(i as u64 + 7).to_le_bytes()[3])
            .collect();
        let found = filtered("bitshuffle", datatype, &values);
        let row = count / 8;
        for i in 0..count {
            for j in 0..size {
                for k in 0..8 {
                    let stored = found[(8 * j + k) * row + i / 8] >> (i % 8) & 1;
                    prop_assert_eq!(stored, values[i * size + j] >> k & 1);
                }
            }
        }
    }

    #[test]
    fn text_with_folded_offsets_comes_back(
        cells in proptest::collection::vec("[ab]{0,3}|x{0,400}", 0..300),
        is_dictionary: bool,
    ) {
        let values = cells.concat().into_bytes();
        let starts: Vec<u64> = cells
            .iter()
            .scan(0, |at, cell| {
                let start = *at;
                *at += cell.len() as u64;
                Some(start)
            })
            .collect();
        let name = if is_dictionary { "dictionary" } else { "rle" };
        let pipeline = pipeline(&[name, "bitshuffle"], TileKind::new(V, Datatype::StringUtf8).var());
        let (mut scratch, limits) = (Scratch::default(), Limits::default());
        let mut stored = Vec::new();
        pipeline.encode_tile(&values, Some(&starts), &mut stored, &mut scratch, &limits).unwrap();
        let mut found = Vec::new();
        let back = pipeline.decode_tile_to_vec(&stored, Some(&mut found), &mut scratch, &limits);
        prop_assert_eq!(back, Ok(values));
        prop_assert_eq!(found, starts);
    }
}

#[test]
fn stages_are_bounded_before_they_run() {
    if !ALL
        .iter()
        .any(|entry| entry.name == "gzip" && entry.compiled)
    {
        return;
    }
    // Each of the nested streams could inflate a thousandfold; the metadata states 1 GiB between
    // them.
    let kind = TileKind::new(V, Datatype::Char);
    let pipeline = pipeline(&["gzip", "gzip"], kind);
    let (mut scratch, limits) = (Scratch::default(), Limits::with_budget(8 << 20));
    let mut metadata = vec![1, 0, 0, 0, 1, 0, 0, 0];
    for length in [16_u32, 24, 1 << 30, 1 << 20] {
        metadata.extend(length.to_le_bytes());
    }
    let data = vec![0; 24 + (1 << 20)];
    let mut out = vec![0; 100];
    let error = pipeline
        .decode_chunk(&metadata, &data, &mut out, None, &mut scratch, &limits)
        .unwrap_err();
    assert!(!matches!(error, FilterError::Values { .. }), "{error}");
    // Metadata that decodes does not raise the limit of the data.
    let mut inner = Vec::new();
    let single = self::pipeline(&["gzip"], kind);
    single
        .encode_tile(&[0; 65536], None, &mut inner, &mut scratch, &limits)
        .unwrap();
    let mut metadata = vec![0, 0, 0, 0, 1, 0, 0, 0];
    let stream = &inner[8 + 12 + 16..];
    metadata.extend((40_u32 << 20).to_le_bytes());
    metadata.extend((stream.len() as u32).to_le_bytes());
    let error = pipeline
        .decode_chunk(&metadata, stream, &mut out, None, &mut scratch, &limits)
        .unwrap_err();
    assert!(matches!(error, FilterError::Limit(_)), "{error}");
}
