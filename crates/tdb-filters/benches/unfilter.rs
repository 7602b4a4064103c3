//! Throughput of decoding and encoding on one core: a tile of 512 KiB in chunks of 64 KiB, in bytes
//! of values per second. The tile and its stored form fit into the processor's second-level cache,
//! where a reader finds what it has just fetched.
//!
//!     cargo bench -p tdb-filters --bench unfilter
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use divan::counter::BytesCount;
use tdb_filters::{
    Description, EncryptionKey, FilterList, OptionValue, Pipeline, Registry, Scratch, TileKind,
};
use tdb_tile::{Datatype, FormatVersion, Limits};

fn main() {
    divan::main();
}

const VERSION: FormatVersion = FormatVersion::WRITTEN;
const TILE: usize = 512 << 10;

/// Values in a random walk, as measurements are; with `runs`, the value changes at one step in
/// eight.
fn values(datatype: Datatype, runs: bool) -> Vec<u8> {
    let size = datatype.size();
    let (mut random, mut value) = (1_u64, 1000_u64);
    let mut out = Vec::with_capacity(TILE);
    while out.len() < TILE {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if !runs || random >> 61 == 0 {
            value = value.wrapping_add(random % 16);
        }
        if datatype == Datatype::Float64 {
            out.extend((value as f64 / 8.0).to_le_bytes());
        } else if datatype == Datatype::Float32 {
            out.extend((value as f32 / 8.0).to_le_bytes());
        } else {
            out.extend(value.to_le_bytes().iter().take(size));
        }
    }
    out
}

fn filter(spelled: &str) -> Description {
    let mut words = spelled.split(' ');
    let filter = Description::new(words.next().unwrap_or_default());
    let options = words.filter_map(|option| option.split_once('='));
    options.fold(filter, |filter, (name, value)| {
        filter.with(name, OptionValue::Integer(value.parse().unwrap()))
    })
}

/// The pipeline without filters but with a key.
const ENCRYPTED: &str = "encrypted";

const PIPELINES: &[(&str, Datatype)] = &[
    ("byteshuffle", Datatype::Int16),
    ("byteshuffle", Datatype::Int32),
    ("byteshuffle", Datatype::Int64),
    ("bitshuffle", Datatype::Int16),
    ("bitshuffle", Datatype::Int32),
    ("bitshuffle", Datatype::Int64),
    ("delta", Datatype::Int32),
    ("delta", Datatype::Int64),
    ("double_delta", Datatype::Int32),
    ("double_delta", Datatype::Int64),
    ("positive_delta", Datatype::Int32),
    ("positive_delta", Datatype::Int64),
    ("bit_width_reduction", Datatype::Int32),
    ("bit_width_reduction", Datatype::Int64),
    ("positive_delta+bit_width_reduction", Datatype::Int64),
    ("xor", Datatype::Int32),
    ("xor", Datatype::Int64),
    ("scale_float byte_width=4", Datatype::Float64),
    ("scale_float byte_width=2", Datatype::Float32),
    ("rle", Datatype::UInt8),
    ("rle", Datatype::Int32),
    ("lz4", Datatype::Int32),
    ("zstd level=5", Datatype::Int32),
    ("byteshuffle+lz4", Datatype::Int32),
    ("byteshuffle+zstd level=5", Datatype::Int32),
    ("delta+zstd level=5", Datatype::Int64),
    ("gzip level=5", Datatype::Int32),
    ("bzip2 level=5", Datatype::Int32),
    ("checksum_md5", Datatype::Int32),
    ("checksum_sha256", Datatype::Int32),
    (ENCRYPTED, Datatype::Int32),
];

fn name(pipeline: &(&str, Datatype)) -> String {
    format!("{} {}", pipeline.0, pipeline.1)
}

fn prepare(spelled: &str, datatype: Datatype) -> Pipeline {
    let key = (spelled == ENCRYPTED).then(|| EncryptionKey::new(&[7; 32]).unwrap());
    let names = spelled.split('+').filter(|name| *name != ENCRYPTED);
    let records = names.map(|name| filter(name).record(VERSION, Registry::builtin()).unwrap());
    let list = FilterList::new(records.collect());
    let kind = TileKind::new(VERSION, datatype);
    Pipeline::new(&list, VERSION, kind, key.as_ref(), Registry::builtin()).unwrap()
}

fn names() -> impl Iterator<Item = String> {
    PIPELINES.iter().map(name)
}

fn of_name(wanted: &str) -> (Pipeline, Vec<u8>) {
    let found = PIPELINES.iter().find(|pipeline| name(pipeline) == wanted);
    let (spelled, datatype) = found.unwrap();
    let values = values(*datatype, *spelled == "rle");
    (prepare(spelled, *datatype), values)
}

#[divan::bench(args = names(), sample_count = 20)]
fn unfilter(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (pipeline, values) = of_name(name);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(&values, None, &mut stored, &mut scratch, &limits)
        .unwrap();
    let mut out = vec![0; values.len()];
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| {
            pipeline
                .decode_tile(&stored, &mut out, None, &mut scratch, &limits)
                .unwrap();
        });
}

#[divan::bench(args = names(), sample_count = 10)]
fn filter_tile(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (pipeline, values) = of_name(name);
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| {
            stored.clear();
            pipeline
                .encode_tile(&values, None, &mut stored, &mut scratch, &limits)
                .unwrap();
        });
}

/// Strings of one to ten letters; one in eight is random, the others are all the same.
fn strings() -> (Vec<u8>, Vec<u64>) {
    let (mut out, mut starts, mut random) = (Vec::new(), Vec::new(), 1_u64);
    while out.len() < TILE {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        starts.push(out.len() as u64);
        let word = if random % 8 == 0 { random % 997 } else { 7 };
        out.extend((0..word % 10 + 1).map(|i| b'a' + ((word + i) % 26) as u8));
    }
    (out, starts)
}

fn of_strings(name: &str) -> Pipeline {
    let list = FilterList::new(vec![
        filter(name).record(VERSION, Registry::builtin()).unwrap(),
    ]);
    let kind = TileKind::new(VERSION, Datatype::StringAscii).var();
    Pipeline::new(&list, VERSION, kind, None, Registry::builtin()).unwrap()
}

#[divan::bench(args = ["rle", "dictionary"], sample_count = 10)]
fn unfilter_strings(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (pipeline, (values, starts)) = (of_strings(name), strings());
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    pipeline
        .encode_tile(&values, Some(&starts), &mut stored, &mut scratch, &limits)
        .unwrap();
    let (mut out, mut found) = (vec![0; values.len()], Vec::new());
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| {
            pipeline
                .decode_tile(&stored, &mut out, Some(&mut found), &mut scratch, &limits)
                .unwrap();
        });
}

#[divan::bench(args = ["rle", "dictionary"], sample_count = 10)]
fn filter_strings(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (pipeline, (values, starts)) = (of_strings(name), strings());
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let mut stored = Vec::new();
    bencher
        .counter(BytesCount::new(values.len()))
        .bench_local(|| {
            stored.clear();
            pipeline
                .encode_tile(&values, Some(&starts), &mut stored, &mut scratch, &limits)
                .unwrap();
        });
}
