//! Aggregates of golden arrays, which releases of TileDB wrote, are the same from statistics as from reading.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tdb_aggregate::{Aggregate, AggregateError, Function, Outcome, Table, aggregate, known_count};
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_filters::EncryptionKey;
use tdb_query::ReadOptions;
use tdb_schema::grid::GridAxis;
use tdb_store::LocalStore;
use tdb_tile::Range;

/// Maximum number of cells of a dense array in this test.
const MOST: u64 = 20_000;

/// Functions computed together: usually statistics determine both or neither.
const FUNCTIONS: [[Function; 2]; 3] = [
    [Function::Count, Function::NullCount],
    [Function::Sum, Function::Mean],
    [Function::Min, Function::Max],
];

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let root = std::env::var_os("TDB_FIXTURES").map_or(root, PathBuf::from);
    let entries = std::fs::read_dir(&root).unwrap();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.join("manifest.json").exists());
    found.sort();
    found
}

fn open(folder: &Path, manifest: &Value) -> Option<Arc<Array>> {
    let store = LocalStore::open(folder.join("array")).ok()?;
    let key = manifest.get("key").and_then(Value::as_str).map(|key| {
        let digits: Vec<char> = key.chars().collect();
        let bytes = digits.chunks(2).map(|two| {
            let byte: String = two.iter().collect();
            u8::from_str_radix(&byte, 16).unwrap()
        });
        EncryptionKey::new(&bytes.collect::<Vec<u8>>()).unwrap()
    });
    let location = Location::new(Arc::new(store), "").with_key(key);
    let array = Array::open_location(&location, OpenOptions::default());
    array.ok().map(Arc::new)
}

/// Reads of everything, and of the first half of each dimension.
fn requests(array: &Array) -> Vec<ReadOptions> {
    let mut half = ReadOptions::default();
    for dimension in &array.schema().dimensions {
        let axis = GridAxis::new(dimension);
        let bounds = array
            .schema()
            .bounds(array.schema().dimension_index(&dimension.name).unwrap());
        let cells = axis.as_ref().and_then(|axis| axis.clipped_cells(bounds?));
        if let (Some(axis), Some((first, last))) = (axis, cells) {
            let range = Range::new(
                axis.value(first).unwrap(),
                axis.value(first.midpoint(last)).unwrap(),
            );
            half.ranges.push((dimension.name.clone(), range));
        }
    }
    vec![ReadOptions::default(), half]
}

fn is_near(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn is_same(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        // Sums of floats depend on the order of the cells.
        (Outcome::Float(a), Outcome::Float(b)) => is_near(*a, *b),
        (a, b) => a == b,
    }
}

fn outcomes(found: Result<Table, AggregateError>) -> Result<Vec<Outcome>, String> {
    let table = found.map_err(|error| error.to_string())?;
    Ok(table.groups.into_iter().next().unwrap().values)
}

#[test]
fn statistics_of_every_release_tell_what_reading_gives() {
    let session = Session::new(SessionOptions::default().threads(std::num::NonZeroUsize::new(1)));
    let (mut asked, mut told) = (0_u32, 0_u32);
    let mut differing = Vec::new();
    for folder in folders() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&text).unwrap();
        let Some(array) = open(&folder, &manifest) else {
            continue;
        };
        let mut fragments = array.fragments().iter();
        if !fragments.any(|f| f.metadata.version.stores_tile_statistics()) {
            continue;
        }
        // Some have domains with more cells than can be read.
        if known_count(array.snapshot()).is_none_or(|cells| cells > MOST)
            && array.schema().is_dense()
        {
            continue;
        }
        for options in requests(&array) {
            let fields = array.schema().fields().map(|field| field.name.to_owned());
            let fields: Vec<String> = fields.collect();
            for (field, functions) in fields.iter().flat_map(|f| FUNCTIONS.map(|g| (f, g))) {
                let wanted = functions.map(|function| Aggregate::of(function, field));
                let before = session.profile().tiles_read;
                let found = aggregate(&session, &array, &options, &wanted, &[]);
                let between = session.profile().tiles_read;
                // A limit forces reading, even if it exceeds the number of cells.
                let reading = options.clone().limit(Some(u64::MAX));
                let read = aggregate(&session, &array, &reading, &wanted, &[]);
                asked += 1;
                told += u32::from(between - before < session.profile().tiles_read - between);
                let (found, read) = (outcomes(found), outcomes(read));
                let same = match (&found, &read) {
                    (Ok(found), Ok(read)) => found
                        .iter()
                        .zip(read)
                        .all(|(found, read)| is_same(found, read)),
                    // A damaged part need not be read to answer from statistics.
                    (_, Err(_)) => true,
                    (Err(_), Ok(_)) => false,
                };
                if !same {
                    differing.push(format!("{name}: {}: {found:?}, read: {read:?}", wanted[0]));
                }
            }
        }
    }
    println!("{asked} questions, {told} told without reading all");
    assert!(told > 500, "{told} of {asked}");
    assert!(
        differing.is_empty(),
        "{} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}
