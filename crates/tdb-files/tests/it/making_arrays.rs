//! An import makes its array once, whatever the cells decide.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use tdb_array::{Array, ArrayError, Location, OpenOptions};
use tdb_files::{ImportNotice, ImportedCells, import};
use tdb_open::{Context, Result};
use tdb_store::MemoryStore;
use tempfile::TempDir;

use crate::recording::{RecordingStore, RecordingStores};

/// An import of a file into the array `test://a`.
struct Import {
    folder: TempDir,
    file: PathBuf,
    memory: u64,
}

impl Import {
    fn of(rows: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("rows.csv");
        std::fs::write(&file, rows).unwrap();
        Self {
            folder,
            file,
            memory: 1 << 30,
        }
    }

    /// Runs the import; also returns its notices.
    fn run(&self, store: &Arc<RecordingStore>) -> (Result<ImportedCells>, String) {
        let stores = RecordingStores(Arc::clone(store));
        let context = Context::new().memory(self.memory).stores(Arc::new(stores));
        let file = tdb_files::InputFile::new(&self.file).temp(self.folder.path());
        let mut told = Vec::new();
        let mut tell = |notice: &ImportNotice| told.push(notice.to_string());
        let imported = import(&context, file, "test://a").run_with(&mut tell);
        (imported, told.join("\n"))
    }
}

fn array(store: &MemoryStore) -> Result<Array, ArrayError> {
    let location = Location::new(Arc::new(store.clone()), "a");
    Array::open_location(&location, OpenOptions::default())
}

/// Returns the number of cells of all fragments.
fn cells(array: &Array) -> u64 {
    let fragments = array.fragments().iter();
    fragments
        .map(|fragment| fragment.metadata.cell_count())
        .sum()
}

fn schemas(made: &[String]) -> Vec<&String> {
    let is_schema = |key: &&String| key.contains("schema/") && !key.contains("__enumerations");
    made.iter().filter(is_schema).collect()
}

/// Rows in an order that is not that of their keys; the last repeats a key, if `repeats`.
fn many_rows(repeats: bool) -> String {
    let mut rows = "id,value\n".to_owned();
    for row in 0..40_000_u32 {
        writeln!(rows, "{},{row}", row * 7_919 % 40_009).unwrap();
    }
    if repeats {
        rows.push_str("7919,1\n");
    }
    rows
}

#[test]
fn rows_that_share_a_key_do_not_make_the_array_again() {
    let rows = "id,value\n3,1\n1,2\n3,3\n";
    let (store, import) = (MemoryStore::new(), Import::of(rows));
    let recording = Arc::new(RecordingStore::stopping_at(&store, u64::MAX));
    let (imported, told) = import.run(&recording);
    let imported = imported.unwrap();
    assert!(imported.keeps_duplicates);
    assert_eq!(imported.cells, 3);
    assert!(
        told.ends_with(
            "rows.csv: line 4: the cell of line 2 has the same coordinates; all are kept"
        ),
        "{told}"
    );
    let made = recording.made();
    assert_eq!(schemas(&made).len(), 1, "{made:?}");
    assert!(schemas(&made)[0].starts_with("a/__schema/"), "{made:?}");
    let array = array(&store).unwrap();
    assert!(array.schema().allows_duplicates);
    assert_eq!(cells(&array), 3);
}

#[test]
fn distinct_rows_make_an_array_without_duplicates_once() {
    let (store, import) = (MemoryStore::new(), Import::of("id,value\n3,1\n1,2\n"));
    let recording = Arc::new(RecordingStore::stopping_at(&store, u64::MAX));
    let (imported, _) = import.run(&recording);
    assert!(!imported.unwrap().keeps_duplicates);
    let made = recording.made();
    assert_eq!(schemas(&made).len(), 1, "{made:?}");
    assert!(!array(&store).unwrap().schema().allows_duplicates);
}

#[test]
fn rows_sorted_outside_of_memory_decide_as_well() {
    for repeats in [false, true] {
        let (store, mut import) = (MemoryStore::new(), Import::of(&many_rows(repeats)));
        import.memory = 2_500_000;
        let recording = Arc::new(RecordingStore::stopping_at(&store, u64::MAX));
        let (imported, told) = import.run(&recording);
        let imported = imported.unwrap();
        assert_eq!(imported.keeps_duplicates, repeats);
        let kept = "rows.csv: two cells have the same coordinates; all are kept";
        assert_eq!(told.contains(kept), repeats, "{told}");
        assert_eq!(schemas(&recording.made()).len(), 1);
        let array = array(&store).unwrap();
        assert_eq!(array.schema().allows_duplicates, repeats);
        assert_eq!(cells(&array), imported.cells);
    }
}

#[test]
fn a_killed_import_shows_no_array_or_the_whole_one() {
    let rows = "id,name\n3,x\n1,y\n3,z\n";
    let import = Import::of(rows);
    let whole = Arc::new(RecordingStore::stopping_at(&MemoryStore::new(), u64::MAX));
    import.run(&whole).0.unwrap();
    let mut shown = 0;
    for operation in 0..=whole.operations() {
        let store = MemoryStore::new();
        let recording = Arc::new(RecordingStore::stopping_at(&store, operation));
        let _ = import.run(&recording);
        match array(&store) {
            Err(ArrayError::NoSuch { .. }) => {}
            Err(error) => panic!("stopped at {operation}: {error}"),
            Ok(array) => {
                shown += 1;
                assert!(array.schema().allows_duplicates, "stopped at {operation}");
                assert_eq!(cells(&array), 3, "stopped at {operation}");
            }
        }
    }
    assert!(shown > 0);
}
