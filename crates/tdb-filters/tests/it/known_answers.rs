//! Known answers: bytes that TileDB wrote, or that follow from such bytes, are encoded and decoded.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use tdb_filters::{Description, FilterList, OptionValue, Pipeline, Registry, Scratch, TileKind};
use tdb_tile::{ChunkTable, ChunkWriter, Datatype, FormatVersion, Limits, Scalar};

const V: FormatVersion = FormatVersion::WRITTEN;
const SAMPLE: [i32; 8] = [10, 12, 15, 15, 14, 100, 7, -3];

fn bytes<T: Scalar>(values: &[T]) -> Vec<u8> {
    let mut out = Vec::new();
    values.iter().for_each(|value| value.write(&mut out));
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

fn pipeline(kind: TileKind, filters: &[Description]) -> Pipeline {
    let record = |filter: &Description| filter.record(V, Registry::builtin()).unwrap();
    let list = FilterList::new(filters.iter().map(record).collect());
    Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap()
}

/// Encodes, compares the metadata and the data of the only chunk, and decodes.
fn check(
    kind: TileKind,
    filters: &[Description],
    values: &[u8],
    starts: Option<&[u64]>,
    metadata: &str,
    data: &str,
) {
    let pipeline = pipeline(kind, filters);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(values, starts, &mut stored, &mut scratch, &limits)
        .unwrap();
    let mut table = ChunkTable::default();
    table.parse(&stored, &limits).unwrap();
    assert_eq!(table.entries().len(), 1);
    let entry = table.entries()[0];
    assert_eq!(
        hex(entry.metadata(&stored).unwrap()),
        hex(&unhex(metadata)),
        "metadata"
    );
    assert_eq!(
        hex(entry.filtered(&stored).unwrap()),
        hex(&unhex(data)),
        "data"
    );

    let mut found = Vec::new();
    let folds = pipeline.folds_offsets();
    let found_starts = folds.then_some(&mut found);
    let back = pipeline
        .decode_tile_to_vec(&stored, found_starts, &mut scratch, &limits)
        .unwrap();
    assert_eq!(back, values);
    assert_eq!(found, starts.filter(|_| folds).unwrap_or_default());
}

fn one(name: &str) -> [Description; 1] {
    [Description::new(name)]
}

const fn kind(datatype: Datatype) -> TileKind {
    TileKind::new(V, datatype)
}

#[test]
fn xor_of_eight_integers() {
    let data = "0a000000 06000000 03000000 00000000 01000000 6a000000 63000000 faffffff";
    check(
        kind(Datatype::Int32),
        &one("xor"),
        &bytes(&SAMPLE),
        None,
        "01000000 20000000",
        data,
    );
}

#[test]
fn byteshuffle_of_eight_integers() {
    let planes = format!("0a0c0f0f0e6407fd{}", "00000000000000ff".repeat(3));
    let metadata = "01000000 20000000";
    check(
        kind(Datatype::Int32),
        &one("byteshuffle"),
        &bytes(&SAMPLE),
        None,
        metadata,
        &planes,
    );
}

#[test]
fn bitshuffle_of_eight_integers() {
    let planes = format!("cc5dfe9f80a0a0{}", "80".repeat(25));
    let metadata = "01000000 20000000";
    check(
        kind(Datatype::Int32),
        &one("bitshuffle"),
        &bytes(&SAMPLE),
        None,
        metadata,
        &planes,
    );
}

#[test]
fn bitshuffle_copies_what_comes_in_no_group_of_eight() {
    let seven: Vec<i32> = (1..=7).collect();
    let metadata = "02000000 18000000 04000000";
    check(
        kind(Datatype::Int32),
        &one("bitshuffle"),
        &bytes(&seven),
        None,
        metadata,
        &hex(&bytes(&seven)),
    );
    let twelve: Vec<i32> = (1..=12).collect();
    let turned = format!("55667880{}", "00".repeat(28));
    let data = turned + &hex(&bytes(&twelve[8..]));
    check(
        kind(Datatype::Int32),
        &one("bitshuffle"),
        &bytes(&twelve),
        None,
        "01000000 30000000",
        &data,
    );
}

#[test]
fn double_delta_of_eight_integers() {
    let metadata = "00000000 01000000 20000000 19000000";
    let data = "08 0800000000000000 0a000000 0c000000 004c997d25e0c000";
    check(
        kind(Datatype::Int32),
        &one("double_delta"),
        &bytes(&SAMPLE),
        None,
        metadata,
        data,
    );
}

#[test]
fn double_delta_counts_the_bits_of_the_first_difference() {
    let values: Vec<i64> = (0..20).map(|i| i * 10).collect();
    // 18 changes of 5 bits each take two words.
    let data = format!(
        "04 1400000000000000 0000000000000000 0a00000000000000 {}",
        "00".repeat(16)
    );
    let metadata = "00000000 01000000 a0000000 29000000";
    check(
        kind(Datatype::Int64),
        &one("double_delta"),
        &bytes(&values),
        None,
        metadata,
        &data,
    );
}

#[test]
fn delta_of_four_integers() {
    let metadata = "00000000 01000000 20000000 28000000";
    let data =
        "0400000000000000 0500000000000000 0200000000000000 ffffffffffffffff 0000000000000000";
    check(
        kind(Datatype::Int64),
        &one("delta"),
        &bytes(&[5_i64, 7, 6, 6]),
        None,
        metadata,
        data,
    );
}

#[test]
fn delta_codes_metadata_too() {
    let filters = [Description::new("byteshuffle"), Description::new("delta")];
    let metadata = "01000000 01000000 08000000 10000000 0c000000 14000000";
    let planes = "0200000000000000 01000000 0b000000 | 0300000000000000 01020300 fffdfcff 00000000";
    check(
        kind(Datatype::Int32),
        &filters,
        &bytes(&[1_i32, 2, 3]),
        None,
        metadata,
        planes,
    );
}

#[test]
fn deltas_of_nothing_have_no_piece_but_one_is_read() {
    for (name, piece) in [
        ("delta", "0000000000000000 c0"),
        ("double_delta", "00 0000000000000000 e08c"),
    ] {
        check(
            kind(Datatype::Char).var(),
            &one(name),
            &[],
            Some(&[0, 0]),
            "0000000000000000",
            "",
        );
        let pipeline = pipeline(kind(Datatype::Char).var(), &one(name));
        let piece = unhex(piece);
        let mut metadata = unhex("00000000 01000000 00000000");
        metadata.extend(bytes(&[u32::try_from(piece.len()).unwrap()]));
        pipeline
            .decode_chunk(
                &metadata,
                &piece,
                &mut [],
                None,
                &mut Scratch::default(),
                &Limits::default(),
            )
            .unwrap();
    }
}

#[test]
fn garbage_after_the_values_of_version_19_is_ignored() {
    let pipeline = pipeline(kind(Datatype::Int64), &one("delta"));
    let metadata = unhex("00000000 01000000 10000000 20000000");
    let data = unhex("0200000000000000 0500000000000000 0100000000000000 efbeaddeefbeadde");
    let mut out = [0; 16];
    pipeline
        .decode_chunk(
            &metadata,
            &data,
            &mut out,
            None,
            &mut Scratch::default(),
            &Limits::default(),
        )
        .unwrap();
    assert_eq!(out.to_vec(), bytes(&[5_i64, 6]));
}

#[test]
fn runs_of_integers() {
    let metadata = "00000000 01000000 18000000 12000000";
    let data = "01000000 0003 02000000 0002 03000000 0001";
    check(
        kind(Datatype::Int32),
        &one("rle"),
        &bytes(&[1, 1, 1, 2, 2, 3]),
        None,
        metadata,
        data,
    );
}

#[test]
fn runs_of_cells_of_several_values() {
    let kind = kind(Datatype::Int16).with_cell_size(6);
    let metadata = "00000000 01000000 12000000 10000000";
    let data = "010002000300 0002 010002000400 0001";
    check(
        kind,
        &one("rle"),
        &bytes(&[1_i16, 2, 3, 1, 2, 3, 1, 2, 4]),
        None,
        metadata,
        data,
    );
}

const STRINGS: (&[u8], [u64; 6]) = (b"aaaabb", [0, 2, 4, 5, 5, 5]);

#[test]
fn runs_of_strings() {
    let metadata = "00000000 01000000 06000000 0c000000 30000000 01 01";
    let data = "02026161 010162 0200 010162";
    let (values, starts) = STRINGS;
    for datatype in [Datatype::StringAscii, Datatype::StringUtf8] {
        check(
            kind(datatype).var(),
            &one("rle"),
            values,
            Some(&starts),
            metadata,
            data,
        );
    }
}

#[test]
fn a_dictionary_of_strings() {
    let metadata = "00000000 01000000 06000000 06000000 30000000 01 01 06000000 02616101 6200";
    let (values, starts) = STRINGS;
    let kind = kind(Datatype::StringAscii).var();
    check(
        kind,
        &one("dictionary"),
        values,
        Some(&starts),
        metadata,
        "000001020201",
    );
}

#[test]
fn bit_width_reduction_leaves_room_for_the_sign() {
    let metadata = "10000000 01000000 e8030000 10 10000000";
    let values = bytes(&[1000, 1001, 1127, 1000]);
    let reduction = one("bit_width_reduction");
    check(
        kind(Datatype::Int32),
        &reduction,
        &values,
        None,
        metadata,
        "0000 0100 7f00 0000",
    );
    let metadata = "10000000 01000000 e8030000 08 10000000";
    let values = bytes(&[1000, 1001, 1126, 1000]);
    check(
        kind(Datatype::Int32),
        &reduction,
        &values,
        None,
        metadata,
        "00 01 7e 00",
    );
    let metadata = "08000000 01000000 01000000 08 08000000";
    check(
        kind(Datatype::UInt32),
        &reduction,
        &bytes(&[1_u32, 255]),
        None,
        metadata,
        "00 fe",
    );
    let metadata = "08000000 01000000 01000000 10 08000000";
    check(
        kind(Datatype::UInt32),
        &reduction,
        &bytes(&[1_u32, 256]),
        None,
        metadata,
        "0000 ff00",
    );
}

#[test]
fn bit_width_reduction_passes_bytes_and_old_dates_unrecorded() {
    let reduction = one("bit_width_reduction");
    check(
        kind(Datatype::UInt8),
        &reduction,
        &[1, 2, 3],
        None,
        "",
        "010203",
    );
    let old = TileKind::new(FormatVersion::new(19), Datatype::DateTimeDay);
    let values = bytes(&[7_i64]);
    check(old, &reduction, &values, None, "", &hex(&values));
    check(
        kind(Datatype::DateTimeDay),
        &reduction,
        &values,
        None,
        "08000000 01000000 0700000000000000 08 08000000",
        "00",
    );
}

#[test]
fn bit_width_reduction_reads_windows_that_wrapped() {
    let pipeline = pipeline(kind(Datatype::Int16), &one("bit_width_reduction"));
    // 8 bits, least value 32767: -32768 is one more, with wrapping.
    let metadata = unhex("04000000 01000000 ff7f 08 04000000");
    let mut out = [0; 4];
    pipeline
        .decode_chunk(
            &metadata,
            &[1, 0xff],
            &mut out,
            None,
            &mut Scratch::default(),
            &Limits::default(),
        )
        .unwrap();
    assert_eq!(out.to_vec(), bytes(&[i16::MIN, 32766]));
}

#[test]
fn positive_delta_begins_each_window_with_zero() {
    let values = bytes(&[5, 7, 7, 100]);
    let metadata = "01000000 05000000 10000000";
    let data = "00000000 02000000 00000000 5d000000";
    check(
        kind(Datatype::Int32),
        &one("positive_delta"),
        &values,
        None,
        metadata,
        data,
    );
    let small = Description::new("positive_delta").with("window", OptionValue::Integer(9));
    let metadata = "02000000 05000000 08000000 07000000 08000000";
    let data = "00000000 02000000 00000000 5d000000";
    check(
        kind(Datatype::Int32),
        &[small],
        &values,
        None,
        metadata,
        data,
    );
}

fn scale(factor: f64, offset: f64, width: i64) -> Description {
    Description::new("scale_float")
        .with("scale", OptionValue::Real(factor))
        .with("offset", OptionValue::Real(offset))
        .with("byte_width", OptionValue::Integer(width))
}

#[test]
fn scale_float_rounds_half_away_from_zero() {
    let values = bytes(&[1_f32, 2.5, -1.5, 0.5, 3.49]);
    let pipeline = pipeline(kind(Datatype::Float32), &[scale(2.0, 1.0, 2)]);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(&values, None, &mut stored, &mut scratch, &limits)
        .unwrap();
    assert_eq!(
        hex(&stored[20..]),
        hex(&unhex("01000000 0a000000 0000 0100 ffff 0000 0100"))
    );
    let back = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    assert_eq!(back, bytes(&[1_f32, 3.0, -1.0, 1.0, 3.0]));
}

#[test]
fn filters_after_scale_float_see_integers_and_runs_see_cells() {
    let values = bytes(&[1_f64, 2.0, 4.0]);
    let filters = [scale(1.0, 0.0, 4), Description::new("delta")];
    let metadata = "01000000 01000000 08000000 10000000 0c000000 14000000";
    let data = "0200000000000000 01000000 0b000000 | 0300000000000000 01000000 01000000 02000000";
    check(
        kind(Datatype::Float64),
        &filters,
        &values,
        None,
        metadata,
        data,
    );

    let filters = [scale(1.0, 0.0, 4), Description::new("rle")];
    let metadata = "01000000 01000000 08000000 0a000000 10000000 14000000";
    let data = "01000000 10000000 0001 | 01000000 01000000 0001 02000000 02000000 0001";
    let values = bytes(&[1_f64, 1.0, 2.0, 2.0]);
    check(
        kind(Datatype::Float64),
        &filters,
        &values,
        None,
        metadata,
        data,
    );
}

#[test]
fn old_writers_gave_every_filter_the_type_of_the_tile() {
    let old = TileKind::new(FormatVersion::new(16), Datatype::Float64).propagating(false);
    let filters = [scale(1.0, 0.0, 4), Description::new("bit_width_reduction")];
    let values = bytes(&[1_f64, 2.0]);
    // Bit-width reduction does not act on floating-point numbers.
    check(
        old,
        &filters,
        &values,
        None,
        "01000000 08000000",
        "01000000 02000000",
    );
    let new = kind(Datatype::Float64);
    let metadata = "08000000 01000000 01000000 08 08000000 01000000 08000000";
    check(new, &filters, &values, None, metadata, "00 01");
}

#[test]
fn delta_takes_values_for_another_type_and_says_so_to_the_next() {
    let delta =
        Description::new("double_delta").with("reinterpret", OptionValue::Text("uint8".into()));
    let values = bytes(&[1_i32, 2]);
    // Eight bytes, 1 0 0 0 2 0 0 0, and changes of a sign and three bits.
    let metadata = "00000000 01000000 08000000 13000000";
    let data = "03 0800000000000000 01 00 0000000000202c10";
    check(
        kind(Datatype::Int32),
        &[delta],
        &values,
        None,
        metadata,
        data,
    );
}

#[test]
fn options_of_webp_are_a_c_structure() {
    let webp = Description::new("webp")
        .with("quality", OptionValue::Integer(90))
        .with("format", OptionValue::Text("rgb".into()))
        .with("lossless", OptionValue::Flag(true))
        .with("y_extent", OptionValue::Integer(4))
        .with("x_extent", OptionValue::Integer(12));
    let record = webp.record(V, Registry::builtin()).unwrap();
    assert_eq!(hex(&record.options), "0000b442010104000c000000");
}

#[cfg(feature = "checksums")]
#[test]
fn md5_of_eight_integers() {
    let metadata = "00000000 01000000 2000000000000000 0027472477ad2382e38ceccc0f291c41";
    let values = bytes(&SAMPLE);
    check(
        kind(Datatype::Int32),
        &one("checksum_md5"),
        &values,
        None,
        metadata,
        &hex(&values),
    );
}

#[cfg(feature = "gzip")]
#[test]
fn streams_for_no_bytes_are_not_decoded() {
    let pipeline = pipeline(kind(Datatype::Char).var(), &one("gzip"));
    let metadata = unhex("00000000 01000000 00000000 06000000");
    let data = unhex("789c03000000");
    pipeline
        .decode_chunk(
            &metadata,
            &data,
            &mut [],
            None,
            &mut Scratch::default(),
            &Limits::default(),
        )
        .unwrap();
}

#[cfg(feature = "zstd")]
#[test]
fn a_compressor_takes_each_header_before_it_for_a_piece() {
    let filters = [
        Description::new("byteshuffle"),
        Description::new("bit_width_reduction"),
        Description::new("zstd"),
    ];
    let pipeline = pipeline(kind(Datatype::Int32), &filters);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(&bytes(&SAMPLE), None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let mut table = ChunkTable::default();
    table.parse(&stored, &limits).unwrap();
    let metadata = table.entries()[0].metadata(&stored).unwrap();
    assert_eq!(hex(&metadata[..8]), hex(&unhex("02000000 01000000")));
    // Bit-width reduction's header of one window, then byteshuffle's.
    assert_eq!((metadata[8], metadata[16]), (17, 8));
    let back = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    assert_eq!(back, bytes(&SAMPLE));
}

fn chunk_sizes(kind: TileKind, sizes: &[usize]) -> Vec<u32> {
    let total: usize = sizes.iter().sum();
    let starts: Vec<u64> = sizes
        .iter()
        .scan(0, |at, size| {
            let start = *at;
            *at += *size as u64;
            Some(start)
        })
        .collect();
    let starts = kind.is_var.then_some(&starts[..]);
    let pipeline = pipeline(kind, &[]);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(&vec![0; total], starts, &mut stored, &mut scratch, &limits)
        .unwrap();
    let mut table = ChunkTable::default();
    table.parse(&stored, &limits).unwrap();
    table.entries().iter().map(|entry| entry.original).collect()
}

#[test]
fn var_sized_cells_are_cut_where_tiledb_cuts_them() {
    let var = kind(Datatype::Char).var();
    let sizes = [30000, 30000, 10000, 50000, 20000, 70000, 10, 100_000, 5, 5];
    assert_eq!(chunk_sizes(var, &sizes), [70000, 70000, 70000, 100_010, 10]);
    assert_eq!(chunk_sizes(var, &[60000, 30000]), [90000, 0]);
    assert_eq!(chunk_sizes(var, &[65536]), [65536]);
    assert_eq!(chunk_sizes(var, &[]), [0]);
    assert_eq!(chunk_sizes(var, &[0, 0]), [0]);
    assert_eq!(chunk_sizes(var, &[65000, 200_000]), [65000, 200_000]);
}

#[test]
fn fixed_cells_fill_64_kib_or_are_alone() {
    assert_eq!(chunk_sizes(kind(Datatype::Int32), &[4; 16384]), [65536]);
    assert_eq!(chunk_sizes(kind(Datatype::Int32), &[4; 16385]), [65536, 4]);
    let cells = kind(Datatype::Int32).with_cell_size(12);
    assert_eq!(chunk_sizes(cells, &[12; 6000]), [65532, 6468]);
    let large = kind(Datatype::Int8).with_cell_size(100_000);
    assert_eq!(chunk_sizes(large, &[100_000; 2]), [100_000, 100_000]);
    assert!(chunk_sizes(kind(Datatype::Int32), &[]).is_empty());
}

#[test]
fn offsets_are_folded_by_version_and_by_what_was_stored() {
    let folds = |version: u32, datatype: Datatype, filter: &str| {
        let kind = TileKind::new(FormatVersion::new(version), datatype).var();
        let pipeline = pipeline(kind, &one(filter));
        assert!(!pipeline.folds_offsets() || pipeline.folds_offsets_of(&[1, 0, 0]));
        (pipeline.folds_offsets(), pipeline.folds_offsets_of(&[0; 8]))
    };
    assert_eq!(folds(11, Datatype::StringAscii, "rle"), (false, true));
    assert_eq!(folds(12, Datatype::StringAscii, "rle"), (true, true));
    assert_eq!(
        folds(12, Datatype::StringAscii, "dictionary"),
        (false, true)
    );
    assert_eq!(folds(13, Datatype::StringAscii, "dictionary"), (true, true));
    assert_eq!(folds(16, Datatype::StringUtf8, "rle"), (false, true));
    assert_eq!(folds(17, Datatype::StringUtf8, "rle"), (true, true));
    assert_eq!(folds(22, Datatype::Char, "rle"), (false, false));
    assert_eq!(folds(22, Datatype::StringAscii, "xor"), (false, false));
}

#[test]
fn folded_starts_count_through_the_chunks_of_a_tile() {
    let kind = kind(Datatype::StringAscii).var();
    let pipeline = pipeline(kind, &one("rle"));
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    let mut writer = ChunkWriter::new(&mut stored);
    for (values, starts) in [(&b"abab"[..], [0, 2]), (b"c", [0, 1])] {
        pipeline
            .encode_chunk(values, Some(&starts), &mut writer, &mut scratch, &limits)
            .unwrap();
    }
    writer.finish().unwrap();
    let mut starts = vec![99];
    let values = pipeline
        .decode_tile_to_vec(&stored, Some(&mut starts), &mut scratch, &limits)
        .unwrap();
    assert_eq!(
        (&values[..], &starts[..]),
        (&b"ababc"[..], &[0, 2, 4, 5][..])
    );
    let without = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    assert_eq!(without, values);
}
