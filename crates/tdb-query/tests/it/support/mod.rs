//! Golden arrays in memory, to be damaged, and a reader that reads every part of them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests, which may fail so"
)]
#![allow(dead_code, reason = "not every test needs all of it")]

pub(crate) mod tiles;

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ArrayError, ErrorKind, Group, Location, OpenOptions};
use tdb_cells::{Batch, Session, SessionOptions};
use tdb_filters::EncryptionKey;
use tdb_query::{QueryError, ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_store::{MemoryStore, Store};
use tdb_tile::{Limits, Range};

/// Memory budget of a read.
pub(crate) const MEMORY: u64 = 64 << 20;

/// Maximum number of cells of one result that are examined; a dense array may rightly have far more.
const MOST_CELLS: u64 = 20_000;

/// A golden array or group: its objects, and its key if it is encrypted.
#[derive(Clone)]
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) objects: Vec<(String, Bytes)>,
    pub(crate) key: Option<EncryptionKey>,
    pub(crate) is_group: bool,
}

impl Golden {
    pub(crate) fn named(name: &str) -> Self {
        let folder = root().join(name);
        let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        let is_group = manifest["object"] != "array";
        let within = folder.join(if is_group { "group" } else { "array" });
        let mut objects = Vec::new();
        collect(&within, "", &mut objects);
        objects.sort();
        let key = manifest["key"].as_str().map(unhex);
        Self {
            name: name.to_owned(),
            objects,
            key: key.map(|key| EncryptionKey::new(&key).unwrap()),
            is_group,
        }
    }

    /// Returns all golden arrays, sorted by name.
    pub(crate) fn all() -> Vec<Self> {
        let entries = std::fs::read_dir(root()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().join("manifest.json").exists())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.iter().map(|name| Self::named(name)).collect()
    }

    pub(crate) fn store(&self) -> MemoryStore {
        let store = MemoryStore::new();
        for (key, bytes) in &self.objects {
            store.put(key, bytes.clone()).unwrap();
        }
        store
    }

    /// Returns the keys that contain `part`, sorted.
    pub(crate) fn keys(&self, part: &str) -> Vec<String> {
        let keys = self.objects.iter().map(|(key, _)| key);
        keys.filter(|key| key.contains(part)).cloned().collect()
    }

    /// Returns the first key that contains `part`.
    pub(crate) fn key_of(&self, part: &str) -> String {
        let keys = self.keys(part);
        keys.first()
            .unwrap_or_else(|| panic!("{}: no {part}", self.name))
            .clone()
    }
}

fn root() -> PathBuf {
    // The fuzz targets, which also use this, are one folder deeper.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = above.map(|folder| folder.join("fixtures"));
    folders
        .find(|folder| folder.is_dir())
        .expect("golden arrays")
}

fn collect(folder: &Path, prefix: &str, objects: &mut Vec<(String, Bytes)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let key = tdb_store::join(prefix, entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &key, objects);
        } else {
            objects.push((key, std::fs::read(entry.path()).unwrap().into()));
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = |at: usize| text.get(at..at + 2).unwrap_or_default();
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(digits(at), 16).unwrap())
        .collect()
}

/// Any error that a read can end with.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: ErrorKind,
    /// The error and its sources, one per line.
    pub(crate) text: String,
}

impl From<ArrayError> for Refusal {
    fn from(error: ArrayError) -> Self {
        Self {
            kind: error.kind(),
            text: chain(&error),
        }
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Self {
        Self {
            kind: error.kind(),
            text: chain(&error),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.text)
    }
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text.push_str(&format!("\n  {error}"));
        next = error.source();
    }
    without_uuids(&text)
}

/// Replaces the UUIDs, which differ each time the golden arrays are made.
fn without_uuids(text: &str) -> String {
    let is_uuid = |part: &str| part.len() == 32 && part.bytes().all(|b| b.is_ascii_hexdigit());
    let between = |c: char| !c.is_ascii_alphanumeric();
    let parts = text.split_inclusive(between).map(|part| {
        let end = part.trim_end_matches(between);
        let behind = part.strip_prefix(end).unwrap_or_default();
        format!("{}{behind}", if is_uuid(end) { "UUID" } else { end })
    });
    parts.collect()
}

/// Returns the location of an array, with a small memory budget.
pub(crate) fn place(store: Arc<dyn Store>, key: Option<&EncryptionKey>) -> Location {
    let limits = Limits::with_budget(MEMORY);
    Location::new(store, "")
        .with_key(key.cloned())
        .with_limits(limits)
}

/// Opens and reads an array: metadata, bounds of tiles, enumerations, labels, cells in several orders.
///
/// Returns the number of cells, each counted once.
pub(crate) fn read_array(place: &Location) -> Result<u64, Refusal> {
    let array = Arc::new(Array::open_location(place, OpenOptions::default())?);
    let session = Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(1))
            .memory(Some(MEMORY)),
    );
    let cells = read_cells(&session, &array, &ReadOptions::default())?;
    array.metadata()?;
    for (index, fragment) in array.numbered_fragments() {
        if !fragment.metadata.dense {
            array.rtree(index)?;
        }
    }
    for entry in &array.schema().enumerations {
        array.enumeration(&entry.name)?;
    }
    for label in &array.schema().labels {
        let label = Arc::new(array.open_label(label)?);
        read_cells(&session, &label, &ReadOptions::default())?;
    }
    let by_columns = ReadOptions::default()
        .order(Some(ResultOrder::ColumnMajor))
        .ranges(all_of_the_first(array.schema()));
    read_cells(&session, &array, &by_columns)?;
    Ok(cells)
}

/// Opens and reads a group: its metadata, and all members recursively.
pub(crate) fn read_group(place: &Location) -> Result<u64, Refusal> {
    let group = Group::open_location(place, "mem://here", OpenOptions::default())?;
    group.metadata()?;
    Ok(group.walk()?.len() as u64)
}

pub(crate) fn read(golden: &Golden, store: &MemoryStore) -> Result<u64, Refusal> {
    let place = place(Arc::new(store.clone()), golden.key.as_ref());
    if golden.is_group {
        read_group(&place)
    } else {
        read_array(&place)
    }
}

fn read_cells(session: &Session, array: &Arc<Array>, wanted: &ReadOptions) -> Result<u64, Refusal> {
    let wanted = wanted.clone().limit(Some(MOST_CELLS));
    let mut cells = 0;
    for batch in Reader::open(session, array, &wanted)? {
        cells += look_at(&batch?);
    }
    Ok(cells)
}

/// Examines every cell of a batch; returns their number.
fn look_at(batch: &Batch) -> u64 {
    for column in &batch.columns {
        for row in 0..batch.rows {
            let cell = column.cell(row).expect("a cell in every row");
            std::hint::black_box((cell, column.is_valid(row)));
        }
    }
    batch.rows as u64
}

/// Returns a range of the whole first dimension, as a request.
fn all_of_the_first(schema: &ArraySchema) -> Vec<(String, Range)> {
    let first = schema.dimensions.first();
    let range = first.and_then(|d| Some((d.name.clone(), d.domain.clone()?)));
    range.into_iter().collect()
}
