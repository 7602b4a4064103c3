//! Tiles that TileDB 2.30 wrote through random pipelines (`data/recipe.py`). They are read as
//! TileDB reads them and, where no compressor has a choice, written byte for byte as TileDB writes
//! them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
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
    Description, EncryptionKey, FilterList, NO_CHUNKS, OptionValue, Pipeline, Registry, Scratch,
    TileKind, open_generic_tile,
};
use tdb_tile::{Datatype, FormatVersion, GenericTile, Limits};

const V: FormatVersion = FormatVersion::WRITTEN;

fn unhex(text: &str) -> Vec<u8> {
    let text = text.trim_start_matches('-');
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn filter(spelled: &str) -> Description {
    let (name, options) = spelled.split_once(':').unwrap_or((spelled, ""));
    let options = options
        .split(',')
        .filter_map(|option| option.split_once('='));
    options.fold(Description::new(name), |filter, (name, value)| {
        let value = match value {
            "true" | "false" => OptionValue::Flag(value == "true"),
            _ if value.parse::<i64>().is_ok() => OptionValue::Integer(value.parse().unwrap()),
            _ if value.parse::<f64>().is_ok() => OptionValue::Real(value.parse().unwrap()),
            _ => OptionValue::Text(value.to_owned()),
        };
        filter.with(name, value)
    })
}

struct Line {
    filters: String,
    kind: TileKind,
    stored: Vec<u8>,
    stored_offsets: Vec<u8>,
    values: Vec<u8>,
    starts: Option<Vec<u64>>,
}

impl Line {
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split(' ').collect();
        let [
            datatype,
            cell,
            filters,
            stored,
            stored_offsets,
            values,
            offsets,
        ] = fields[..]
        else {
            panic!("{line}");
        };
        let datatype = Datatype::from_name(datatype).unwrap();
        let kind = TileKind::new(V, datatype);
        let starts = unhex(offsets)
            .chunks_exact(8)
            .map(|start| u64::from_le_bytes(start.try_into().unwrap()))
            .collect();
        Self {
            filters: filters.to_owned(),
            kind: if cell == "var" { kind.var() } else { kind },
            stored: unhex(stored),
            stored_offsets: unhex(stored_offsets),
            values: unhex(values),
            starts: (cell == "var").then_some(starts),
        }
    }

    fn pipeline(&self) -> Pipeline {
        let filters = self.filters.split('+').map(filter);
        let records = filters.map(|filter| filter.record(V, Registry::builtin()).unwrap());
        let list = FilterList::new(records.collect());
        Pipeline::new(&list, V, self.kind, None, Registry::builtin()).unwrap()
    }
}

fn lines() -> impl Iterator<Item = Line> {
    include_str!("../data/tiledb_tiles.txt")
        .lines()
        .map(Line::parse)
}

#[test]
fn tiles_of_tiledb_are_read_and_written() {
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    for line in lines() {
        let pipeline = line.pipeline();
        let folds = pipeline.folds_offsets();
        if line.starts.is_some() {
            assert_eq!(folds, line.stored_offsets == NO_CHUNKS, "{}", line.filters);
        }
        let mut starts = Vec::new();
        let asked = folds.then_some(&mut starts);
        let values = pipeline.decode_tile_to_vec(&line.stored, asked, &mut scratch, &limits);
        // Some pipelines drop the end of a part; TileDB reads it back only if the bytes are still
        // in its memory. Such pipelines are not written.
        let is_lossy = pipeline.check().is_err();
        if is_lossy && values.is_err() {
            continue;
        }
        let values = values.unwrap_or_else(|error| panic!("{}: {error}", line.filters));
        assert!(values == line.values, "{}", line.filters);
        assert!(
            !folds || Some(&starts) == line.starts.as_ref(),
            "{}",
            line.filters
        );

        if is_lossy
            || line.filters.contains("scale_float")
            || line.filters.contains("lossless=false")
        {
            continue;
        }
        let mut stored = Vec::new();
        pipeline
            .encode_tile(
                &values,
                line.starts.as_deref(),
                &mut stored,
                &mut scratch,
                &limits,
            )
            .unwrap_or_else(|error| panic!("{}: {error}", line.filters));
        let has_choice = ["gzip", "zstd", "lz4", "bzip2", "webp"]
            .iter()
            .any(|name| line.filters.contains(name));
        assert!(has_choice || stored == line.stored, "{}", line.filters);
        let back = pipeline
            .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
            .unwrap();
        assert!(back == values, "{}", line.filters);
    }
}

#[test]
fn an_encrypted_array_of_tiledb_opens_with_its_key() {
    let stored = bytes::Bytes::from_static(include_bytes!("../data/encrypted_schema.tdb"));
    let tile = GenericTile::parse(&stored, &Limits::default()).unwrap();
    let key = EncryptionKey::new(b"unittestunittestunittestunittest").unwrap();
    let schema = open_generic_tile(&tile, Some(&key), &Limits::default()).unwrap();
    assert_eq!(schema[..4], [22, 0, 0, 0]);

    let stored = unhex(
        "0100000000000000200000004400000050000000010000000100000018000000180000003853dc447ff8bb27\
         ead7d83f36791d418c5fb596dd8d2bea126246152c0000002c0000003f3f5b44d45ee5525c89cb3bfd1b516b\
         80511e6fead9e207a9eba6d4db7abaec884d0467fbab992098433dcf2efb3cd2bba5e381b6672ec7d9e2781d\
         44220007bccdc4c9462e2b12758064ab399ab49004a35a912924568142a350d8faf5bc36",
    );
    let filters = ["byteshuffle", "zstd:level=5"].map(filter);
    let records = filters.map(|filter| filter.record(V, Registry::builtin()).unwrap());
    let list = FilterList::new(records.to_vec());
    let kind = TileKind::new(V, Datatype::Int32);
    let pipeline = Pipeline::new(&list, V, kind, Some(&key), Registry::builtin()).unwrap();
    let (mut scratch, limits) = (Scratch::default(), Limits::default());
    let values = pipeline
        .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
        .unwrap();
    let wanted = [10, 12, 15, 15, 14, 100, 7, -3_i32].map(i32::to_le_bytes);
    assert_eq!(values, wanted.as_flattened());
}
