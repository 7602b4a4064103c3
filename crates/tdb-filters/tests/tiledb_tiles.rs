//! Tiles that TileDB 2.30 wrote under random pipelines (`data/recipe.py`): read as TileDB reads
//! them, and where no compressor leaves a choice, written byte for byte as TileDB writes them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
#![cfg(all(
    feature = "gzip",
    feature = "zstd",
    feature = "lz4",
    feature = "bzip2",
    feature = "checksums"
))]

use tdb_filters::{
    Description, FilterList, NO_CHUNKS, OptionValue, Pipeline, Registry, Scratch, TileKind,
};
use tdb_tile::{Datatype, FormatVersion, Limits};

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
        let value = value.parse().map_or_else(
            |_| OptionValue::Real(value.parse().unwrap()),
            OptionValue::Integer,
        );
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
    include_str!("data/tiledb_tiles.txt")
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
        // Some pipelines lose the end of a part, which TileDB finds again where it left it in
        // memory, if it does. They are not written.
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

        if is_lossy || line.filters.contains("scale_float") {
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
        let has_choice = ["gzip", "zstd", "lz4", "bzip2"]
            .iter()
            .any(|name| line.filters.contains(name));
        assert!(has_choice || stored == line.stored, "{}", line.filters);
        let back = pipeline
            .decode_tile_to_vec(&stored, None, &mut scratch, &limits)
            .unwrap();
        assert!(back == values, "{}", line.filters);
    }
}
