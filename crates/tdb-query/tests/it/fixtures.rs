//! Compares every query of every golden array with the result of TileDB in its manifest.
//!
//! `TDB_FIXTURES` names another folder of arrays to compare; `TDB_FIXTURE` selects arrays by a part of their names.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests, which may fail so"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tdb_array::{Array, Location, OpenOptions, TimeWindow};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_condition::{Condition, ConditionRules};
use tdb_filters::EncryptionKey;
use tdb_query::{Failing, ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_store::LocalStore;
use tdb_tile::{Datatype, Limits, Range, Scalar, with_scalar};

#[test]
fn every_fixture_reads_as_its_manifest_says() {
    compare_all(SessionOptions::default(), None);
}

/// Work is shared as for large arrays: every tile is a task of its own.
#[test]
fn little_work_that_is_shared_reads_the_same() {
    compare_all(
        SessionOptions::default()
            .threads(Some(2.try_into().unwrap()))
            .share_from(Some(0)),
        None,
    );
}

#[test]
fn small_batches_read_the_same() {
    compare_all(
        SessionOptions::default().threads(Some(1.try_into().unwrap())),
        Some(200),
    );
}

/// Sorted results then come slab by slab. Some queries fail, since the memory for a tile must be available.
#[test]
fn little_memory_reads_the_same() {
    let (queries, failures) = differing(
        SessionOptions::default()
            .threads(Some(1.try_into().unwrap()))
            .memory(Some(LITTLE)),
        None,
    );
    let (limits, failures): (Vec<_>, Vec<_>) = failures
        .into_iter()
        .partition(|failure| failure.contains(BUDGET));
    println!("{} of {queries} queries take more memory", limits.len());
    assert!(limits.len() < queries / 3);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Less than most golden arrays need.
const LITTLE: u64 = 10 << 10;

/// Text in every error about too little memory.
const BUDGET: &str = "memory budget";

fn compare_all(session: SessionOptions, batch_bytes: Option<u64>) {
    let (queries, failures) = differing(session, batch_bytes);
    println!("{queries} queries compared");
    assert!(queries > 0, "there is nothing to compare");
    assert!(
        failures.is_empty(),
        "{} of {queries} queries differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Returns the number of compared queries, and those with another result.
fn differing(session: SessionOptions, batch_bytes: Option<u64>) -> (usize, Vec<String>) {
    let session = Session::new(session);
    let (mut queries, mut failures) = (0, Vec::new());
    for folder in folders() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        if manifest["object"] != "array" {
            continue;
        }
        for query in manifest["queries"].as_array().unwrap() {
            let about = query["name"].as_str().unwrap_or_default();
            if DIFFERENCES.contains(&(name.as_str(), about)) {
                continue;
            }
            queries += 1;
            if let Err(why) = compare(&session, batch_bytes, &folder, &manifest, query) {
                failures.push(format!("{name}: {about}: {why}"));
            }
        }
    }
    (queries, failures)
}

fn folders() -> Vec<PathBuf> {
    let root = std::env::var_os("TDB_FIXTURES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"),
        PathBuf::from,
    );
    let wanted = std::env::var("TDB_FIXTURE").unwrap_or_default();
    let entries = std::fs::read_dir(&root).unwrap_or_else(|e| panic!("{}: {e}", root.display()));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| {
        path.join("manifest.json").exists() && path.to_string_lossy().contains(&wanted)
    });
    found.sort();
    found
}

fn compare(
    session: &Session,
    batch_bytes: Option<u64>,
    folder: &Path,
    manifest: &Value,
    query: &Value,
) -> Result<(), String> {
    let args = &query["args"];
    let window = TimeWindow {
        since: args["since"].as_u64().unwrap_or(0),
        at: args["at"].as_u64().unwrap_or(u64::MAX),
    };
    let open = OpenOptions::default().window(window);
    let store = LocalStore::open(folder.join("array")).map_err(|e| e.to_string())?;
    let mut place = Location::new(Arc::new(store), "");
    if let Some(key) = manifest["key"].as_str() {
        place = place.with_key(Some(
            EncryptionKey::new(&unhex(key)).map_err(|e| e.to_string())?,
        ));
    }
    let array = Array::open_location(&place, open).map_err(|e| chain(&e))?;
    let schema = Arc::clone(array.schema());
    let columns = query["columns"].as_array().unwrap();
    let attributes = columns.iter().filter_map(|c| c["name"].as_str());
    let attributes = attributes
        .filter(|name| schema.attribute_index(name).is_some())
        .map(str::to_owned);
    let options = ReadOptions::default()
        .attributes(Some(attributes.collect()))
        .ranges(ranges(&args["ranges"], &|name| {
            Some(
                schema
                    .dimensions
                    .get(schema.dimension_index(name)?)?
                    .datatype,
            )
        }))
        .label_ranges(ranges(&args["labels"], &|name| {
            Some(
                schema
                    .labels
                    .iter()
                    .find(|label| label.name == name)?
                    .datatype,
            )
        }))
        .condition(match args["where"].as_str() {
            Some(text) => {
                Some(Condition::parse(text, &Limits::default()).map_err(|e| e.to_string())?)
            }
            None => None,
        })
        .order(Some(match args["order"].as_str() {
            Some("row") => ResultOrder::RowMajor,
            Some("col") => ResultOrder::ColumnMajor,
            Some("global") => ResultOrder::Global,
            _ => ResultOrder::Unordered,
        }))
        // The expected answers are those of TileDB.
        .rules(ConditionRules::stored_bytes())
        .enumeration_codes(true)
        .failing(Failing::Fill)
        .batch_bytes(batch_bytes);
    let reader = Reader::open(session, &Arc::new(array), &options).map_err(|e| chain(&e))?;
    let batches = reader
        .collect::<Result<Vec<Batch>, _>>()
        .map_err(|e| chain(&e))?;
    let found = Cells::of_batches(&batches, columns)?;
    let wanted = Cells::of_manifest(&schema, columns, query["rows"].as_u64().unwrap())?;
    if query["unordered"] == true || args["order"] == "any" {
        return found.sorted(None).differs_from(&wanted.sorted(None));
    }
    if schema.allows_duplicates {
        // The order of cells with equal coordinates is unspecified.
        let names: Vec<String> = schema.dimensions.iter().map(|d| d.name.clone()).collect();
        return found
            .sorted(Some(&names))
            .differs_from(&wanted.sorted(Some(&names)));
    }
    found.differs_from(&wanted)
}

/// Answers that differ on purpose; see `docs/differences.md`.
const DIFFERENCES: &[(&str, &str)] = &[
    // In TileDB 2.30, a test of a field that a fragment lacks cancels what stands before it in an `or`.
    ("v22_conditions_sparse", "later-or-last"),
];

/// Cells by column: validity and bytes.
struct Cells {
    rows: usize,
    columns: BTreeMap<String, Vec<(bool, Vec<u8>)>>,
}

impl Cells {
    fn of_batches(batches: &[Batch], wanted: &[Value]) -> Result<Self, String> {
        let mut columns = BTreeMap::new();
        for name in wanted.iter().filter_map(|c| c["name"].as_str()) {
            let mut cells = Vec::new();
            for batch in batches {
                let column: &Column = batch
                    .column(name)
                    .ok_or_else(|| format!("column {name:?} is missing"))?;
                for row in 0..batch.rows {
                    let cell = column
                        .cell(row)
                        .ok_or_else(|| format!("column {name:?} lacks row {row}"))?;
                    cells.push((column.is_valid(row), cell.to_vec()));
                }
            }
            columns.insert(name.to_owned(), cells);
        }
        Ok(Self {
            rows: batches.iter().map(|batch| batch.rows).sum(),
            columns,
        })
    }

    fn of_manifest(schema: &ArraySchema, columns: &[Value], rows: u64) -> Result<Self, String> {
        let rows = usize::try_from(rows).unwrap();
        let mut all = BTreeMap::new();
        for column in columns {
            let name = column["name"].as_str().unwrap();
            let field = schema
                .field(name)
                .ok_or_else(|| format!("the schema lacks {name:?}"))?;
            if column["datatype"].as_str() != Some(&field.datatype.to_string()) {
                return Err(format!(
                    "{name:?} is {}, TileDB says {}",
                    field.datatype, column["datatype"]
                ));
            }
            let data = unhex(column["data"].as_str().unwrap());
            let validity = column["validity"].as_str().map(unhex);
            let offsets: Option<Vec<usize>> = column["offsets"].as_array().map(|offsets| {
                offsets
                    .iter()
                    .map(|o| usize::try_from(o.as_u64().unwrap()).unwrap())
                    .collect()
            });
            let size = data.len().checked_div(rows).unwrap_or(0);
            let cell = |row: usize| match &offsets {
                Some(offsets) => data[offsets[row]..offsets[row + 1]].to_vec(),
                None => data[row * size..(row + 1) * size].to_vec(),
            };
            let valid = |row: usize| validity.as_ref().is_none_or(|v| v[row] != 0);
            all.insert(
                name.to_owned(),
                (0..rows).map(|row| (valid(row), cell(row))).collect(),
            );
        }
        Ok(Self { rows, columns: all })
    }

    /// Sorts the cells; with `names`, only those that are equal in these columns.
    fn sorted(self, names: Option<&[String]>) -> Self {
        let cell = |name: &String, row: usize| {
            let (valid, bytes) = &self.columns[name][row];
            (*valid, if *valid { bytes.clone() } else { Vec::new() })
        };
        let all = |row: usize| {
            self.columns
                .keys()
                .map(|name| cell(name, row))
                .collect::<Vec<_>>()
        };
        let mut order: Vec<usize> = (0..self.rows).collect();
        match names {
            None => order.sort_by_cached_key(|&row| all(row)),
            Some(names) => {
                let place = |row: &usize| {
                    names
                        .iter()
                        .map(|name| cell(name, *row))
                        .collect::<Vec<_>>()
                };
                for equal in order.chunk_by_mut(|a, b| place(a) == place(b)) {
                    equal.sort_by_cached_key(|&row| all(row));
                }
            }
        }
        let column = |name: &String| order.iter().map(|&row| cell(name, row)).collect();
        let columns = self
            .columns
            .keys()
            .map(|name| (name.clone(), column(name)))
            .collect();
        Self {
            rows: self.rows,
            columns,
        }
    }

    fn differs_from(&self, wanted: &Self) -> Result<(), String> {
        if self.rows != wanted.rows {
            return Err(format!("{} rows, TileDB has {}", self.rows, wanted.rows));
        }
        for (name, cells) in &wanted.columns {
            for (row, (found, wanted)) in self.columns[name].iter().zip(cells).enumerate() {
                // The bytes of a null are unspecified.
                if found.0 != wanted.0 || (found.0 && found.1 != wanted.1) {
                    return Err(format!(
                        "{name:?} row {row}: {found:02x?}, TileDB has {wanted:02x?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

fn ranges(json: &Value, datatype: &dyn Fn(&str) -> Option<Datatype>) -> Vec<(String, Range)> {
    let Some(dimensions) = json.as_object() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, pairs) in dimensions {
        let datatype = datatype(name).unwrap_or_else(|| panic!("no field {name:?}"));
        for pair in pairs.as_array().unwrap() {
            all.push((
                name.clone(),
                Range::new(raw(datatype, &pair[0]), raw(datatype, &pair[1])),
            ));
        }
    }
    all
}

fn raw(datatype: Datatype, value: &Value) -> Vec<u8> {
    if let Some(hex) = value["hex"].as_str() {
        return unhex(hex);
    }
    if let Some(text) = value.as_str() {
        return text.as_bytes().to_vec();
    }
    let mut out = Vec::new();
    let number = value.to_string();
    with_scalar!(datatype, T => number.parse::<T>().map(|v| v.write(&mut out)).unwrap_or_else(|e| panic!("{number}: {e}")));
    out
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
        .collect()
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text.push_str(&format!(": {error}"));
        next = error.source();
    }
    text
}
