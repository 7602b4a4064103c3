//! Reads of dense arrays beyond the queries in the manifests of the fixtures.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Session, SessionOptions};
use tdb_condition::Condition;
use tdb_query::{Failing, QueryError, ReadOptions, Reader, ResultOrder};
use tdb_store::LocalStore;
use tdb_tile::{Limits, Range};

fn open(fixture: &str) -> Arc<Array> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(fixture)
        .join("array");
    let store = LocalStore::open(folder).unwrap();
    Arc::new(Array::open(Arc::new(store), "", OpenOptions::default()).unwrap())
}

fn session() -> Session {
    Session::new(SessionOptions::default().threads(Some(1.try_into().unwrap())))
}

fn read(fixture: &str, options: &ReadOptions) -> Result<Vec<Batch>, QueryError> {
    Reader::open(&session(), &open(fixture), options)?.collect()
}

fn names(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn condition(text: &str) -> Option<Condition> {
    Some(Condition::parse(text, &Limits::default()).unwrap())
}

fn ints(batches: &[Batch], name: &str) -> Vec<i32> {
    batches
        .iter()
        .flat_map(|batch| {
            batch
                .column(name)
                .unwrap()
                .numbers::<i32>()
                .unwrap()
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn cells_that_fail_a_condition_keep_their_place_or_are_dropped() {
    let mut options = ReadOptions::default()
        .attributes(names(&["i32", "utf8"]))
        .condition(condition("i32 > 0"))
        .failing(Failing::Fill);
    let kept = read("v22_dense_basics", &options).unwrap();
    options.failing = Failing::default();
    let dropped = read("v22_dense_basics", &options).unwrap();
    // The fill value of this attribute is -7, and no matching cell has it.
    let passing: Vec<i32> = ints(&kept, "i32")
        .into_iter()
        .filter(|&value| value != -7)
        .collect();
    assert_eq!(ints(&kept, "i32").len(), 63);
    assert_eq!(ints(&dropped, "i32"), passing);
    assert!(!passing.is_empty() && passing.iter().all(|&value| value > 0));
    let coordinates = |batches: &[Batch]| -> Vec<(i32, i32, i32)> {
        let cells = ints(batches, "row")
            .into_iter()
            .zip(ints(batches, "col"))
            .zip(ints(batches, "i32"));
        cells
            .map(|((row, col), value)| (row, col, value))
            .filter(|cell| cell.2 != -7)
            .collect()
    };
    assert_eq!(coordinates(&dropped), coordinates(&kept));
}

#[test]
fn cells_of_a_fragment_without_the_field_fail_its_tests() {
    // Cells 6 to 10 come from a fragment with `maybe`, 1 to 5 from one without; 16 to 20 were never written.
    let options = |text| {
        ReadOptions::default()
            .attributes(names(&["keep"]))
            .condition(condition(text))
    };
    let cells = |text| ints(&read("v22_evolution_dense", &options(text)).unwrap(), "d");
    let (null, valid) = (cells("maybe is null"), cells("maybe is not null"));
    assert!(
        null.iter().chain(&valid).all(|&cell| cell > 5),
        "{null:?} {valid:?}"
    );
    assert_eq!(null.len() + valid.len(), 15);
    // Cells without data have the fill value, which is null.
    assert!([16, 17, 18, 19, 20].iter().all(|cell| null.contains(cell)));
    assert_eq!(cells("new = 'none' and d <= 5"), Vec::<i32>::new());
}

#[test]
fn cells_outside_the_current_domain_are_read_as_cells_without_data() {
    let cells = |ranges| {
        let options = ReadOptions::default().ranges(ranges);
        ints(&read("v22_current_domain_dense", &options).unwrap(), "a")
    };
    // Without any range the current domain is read, with one the domain.
    let current = cells(Vec::new());
    let domain = cells(vec![("x".to_owned(), Range::of(i32::MIN, i32::MAX))]);
    assert!(current.len() < domain.len());
    let written = |cells: &[i32]| cells.iter().filter(|&&cell| cell != i32::MIN).count();
    assert_eq!(written(&current), written(&domain));
}

#[test]
fn the_global_order_takes_one_range_for_each_dimension() {
    let range = |lo: i32, hi: i32| ("row".to_owned(), Range::of(lo, hi));
    let options = ReadOptions::default()
        .ranges(vec![range(1, 2), range(5, 6)])
        .order(Some(ResultOrder::Global));
    let error = read("v22_dense_basics", &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the global order of a dense array takes one range for each dimension"
    );
    assert_eq!(
        error.hint(),
        Some("ask for row-major or column-major order")
    );
}

#[test]
fn a_limit_gives_the_first_cells_and_reads_no_more() {
    let all = read("v22_dense_basics", &ReadOptions::default()).unwrap();
    for limit in [0, 1, 10, 62, 63, 1000] {
        let options = ReadOptions::default().limit(Some(limit));
        let first = read("v22_dense_basics", &options).unwrap();
        let wanted = usize::try_from(limit.min(63)).unwrap();
        assert_eq!(ints(&first, "i32"), ints(&all, "i32")[..wanted]);
        // If more were read than requested, a batch would have been cut.
        assert_eq!(first.iter().map(|batch| batch.rows).sum::<usize>(), wanted);
    }
}

#[test]
fn a_result_larger_than_the_memory_comes_in_batches_that_fit() {
    let small = SessionOptions::default()
        .threads(Some(1.try_into().unwrap()))
        .memory(Some(4000));
    let options = ReadOptions::default().attributes(names(&["i32", "utf8", "n_list"]));
    let array = open("v22_dense_basics");
    let batches: Vec<Batch> = Reader::open(&Session::new(small), &array, &options)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let whole = read("v22_dense_basics", &options).unwrap();
    assert!(batches.len() > whole.len());
    assert_eq!(ints(&batches, "i32"), ints(&whole, "i32"));
    let none = SessionOptions::default().memory(Some(10));
    let error = Reader::open(&Session::new(none), &array, &options)
        .unwrap()
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(error.kind(), tdb_array::ErrorKind::Memory);
}

#[test]
fn a_field_asked_for_twice_comes_twice_and_one_of_the_condition_only_not_at_all() {
    let options = ReadOptions::default()
        .dimensions(Some(Vec::new()))
        .attributes(names(&["u8", "u8"]))
        .condition(condition("i32 > 0"));
    let batches = read("v22_dense_basics", &options).unwrap();
    let found: Vec<&str> = batches[0]
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(found, ["u8", "u8"]);
    assert_eq!(batches[0].columns[0].values, batches[0].columns[1].values);
}

#[test]
fn a_limit_counts_the_cells_that_fit_and_filled_ones_are_told() {
    let mut options = ReadOptions::default()
        .attributes(names(&["i32"]))
        .condition(condition("i32 > 0"));
    let fitting = ints(&read("v22_dense_basics", &options).unwrap(), "i32");
    assert!(fitting.len() > 3);
    options.limit = Some(3);
    let first = ints(&read("v22_dense_basics", &options).unwrap(), "i32");
    assert_eq!(first, fitting[..3]);

    options = options
        .limit(None)
        .failing(Failing::Fill)
        .batch_bytes(Some(50));
    let mut reader = Reader::open(&session(), &open("v22_dense_basics"), &options).unwrap();
    let mut rows = 0;
    for batch in reader.by_ref() {
        rows += batch.unwrap().rows;
    }
    assert_eq!(rows, 63);
    assert_eq!(reader.filled(), (rows - fitting.len()) as u64);
}
