//! The packed arrays in `tests/data`, and arrays as text.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests, which may fail so"
)]

use std::fmt::Write as _;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use tdb_array::{Array, ArrayError, ErrorKind, Metadata, OpenOptions, TimeWindow};
use tdb_store::{MemoryStore, Store};

/// The encryption key of the encrypted array.
pub(crate) const KEY: &[u8] = b"0123456789abcdeF0123456789abcdeF";

/// Returns the files of a pack, which consists of: key, newline, size as u64, bytes; repeated.
pub(crate) fn unpack(name: &str) -> MemoryStore {
    let path = format!("{}/tests/data/{name}.pack", env!("CARGO_MANIFEST_DIR"));
    let mut bytes = Bytes::from(std::fs::read(path).unwrap());
    let store = MemoryStore::new();
    while !bytes.is_empty() {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let key = String::from_utf8(bytes.split_to(end).to_vec()).unwrap();
        bytes.advance(1);
        let size = usize::try_from(bytes.get_u64_le()).unwrap();
        store.put(&key, bytes.split_to(size)).unwrap();
    }
    store.take_counts();
    store
}

pub(crate) fn open(store: &MemoryStore, since: u64, at: u64) -> Result<Array, ArrayError> {
    let options = OpenOptions::default().window(TimeWindow { since, at });
    Array::open(Arc::new(store.clone()), "", options)
}

/// Returns the only key with the given start and end.
pub(crate) fn key_of(store: &MemoryStore, start: &str, end: &str) -> String {
    let keys = store.keys();
    let mut found = keys
        .iter()
        .filter(|key| key.starts_with(start) && key.ends_with(end));
    let key = found.next().expect("a key").clone();
    assert_eq!(found.next(), None, "more than one key {start}*{end}");
    key
}

pub(crate) fn describe(array: &Array) -> String {
    let mut text = String::new();
    let schema = array.schema();
    let attributes: Vec<&str> = schema.attributes.iter().map(|a| a.name.as_str()).collect();
    writeln!(
        text,
        "schema: version {}, attributes {attributes:?}",
        schema.version
    )
    .unwrap();
    for fragment in array.fragments() {
        let metadata = &fragment.metadata;
        let (start, end) = fragment.timestamps();
        let kind = if metadata.dense { "dense" } else { "sparse" };
        let domain: Vec<_> = metadata
            .non_empty_domain
            .iter()
            .zip(&schema.dimensions)
            .map(|(range, dimension)| match range.ends::<i32>() {
                Some((lo, hi)) if dimension.datatype == tdb_tile::Datatype::Int32 => {
                    format!("{lo}..={hi}")
                }
                _ => format!("{range:?}"),
            })
            .collect();
        writeln!(
            text,
            "fragment: {start}..={end}, version {}, {kind}, {} tiles, {} cells, {domain:?}{}",
            metadata.version,
            metadata.tile_count(),
            metadata.cell_count(),
            if metadata.extra_fields.timestamps {
                ", with times"
            } else {
                ""
            },
        )
        .unwrap();
        for marker in fragment.processed_conditions() {
            writeln!(text, "  has taken in {marker}").unwrap();
        }
    }
    for entry in array.replaced().iter() {
        let entry = entry.unwrap();
        writeln!(
            text,
            "replaced: {}..={}",
            entry.name.start(),
            entry.name.end()
        )
        .unwrap();
    }
    for delete in array.deletes() {
        writeln!(
            text,
            "delete at {}: keep {:?}",
            delete.timestamp,
            delete.condition.nodes()
        )
        .unwrap();
    }
    text + &describe_metadata(&array.metadata().unwrap())
}

pub(crate) fn describe_metadata(metadata: &Metadata) -> String {
    let mut text = String::new();
    for (key, value) in metadata.iter() {
        let name = tdb_tile::Code::name(value.datatype);
        writeln!(
            text,
            "metadata {key}: {} {name} {:?}",
            value.count, value.bytes
        )
        .unwrap();
    }
    text
}

/// Returns the contents of an array as text; of an empty store if there is no array.
pub(crate) fn state(store: &MemoryStore, prefix: &str) -> String {
    match Array::open(Arc::new(store.clone()), prefix, OpenOptions::default()) {
        Ok(array) => describe(&array),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            String::new()
        }
    }
}
