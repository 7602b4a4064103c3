//! Compares the waits, requests and bytes of opening and reading with a table, and the simulated time with a far
//! store.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::float_arithmetic,
    reason = "a test, and the clock of a simulation"
)]

mod boxes;
mod conditions;
mod counting;
mod line;
mod scale;
#[path = "../support/vast/mod.rs"]
#[expect(dead_code, unused_imports, reason = "what an example needs")]
mod vast;

use std::path::Path;
use std::sync::Arc;

use counting::Counting;
use line::Cost;
use tdb_array::{Array, OpenOptions, TimeWindow};
use tdb_cells::Session;
use tdb_condition::Condition;
use tdb_query::{LabelSearch, QueryError, ReadOptions, Reader, ResultOrder};
use tdb_store::MemoryStore;
use tdb_tile::Range;

/// Row of the table.
struct Row {
    name: &'static str,
    store: MemoryStore,
    open: OpenOptions,
    read: ReadOptions,
}

fn row(name: &'static str, fixture: &str, read: ReadOptions) -> Row {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    Row {
        name,
        store: MemoryStore::from_folder(folder.join(fixture).join("array")).unwrap(),
        open: OpenOptions::default(),
        read,
    }
}

fn attribute(name: &str) -> ReadOptions {
    ReadOptions::default().attributes(Some(vec![name.to_owned()]))
}

fn stations() -> ReadOptions {
    attribute("temperature").ranges(vec![(
        "station".into(),
        Range::new(&b"BGN"[..], &b"CPT"[..]),
    )])
}

fn in_order(order: ResultOrder) -> ReadOptions {
    ReadOptions::default().order(Some(order))
}

/// Copies a fragment a hundred times under other names.
fn hundred(read: ReadOptions) -> Row {
    let mut row = row("", "v22_sparse_dups", read);
    let keys = row.store.keys();
    let name = keys
        .iter()
        .find_map(|key| Some(key.strip_prefix("__fragments/")?.split_once('/')?.0))
        .unwrap();
    let store = MemoryStore::new();
    for key in &keys {
        let object = tdb_store::read_one(&row.store, tdb_store::Read::whole(key.clone())).unwrap();
        let Some((before, after)) = key.split_once(name) else {
            store.overwrite(key, object.bytes);
            continue;
        };
        for number in 0..100 {
            let other = format!("__{0}_{0}_{1:032x}_22", 100 + number, 1 + number);
            store.overwrite(&format!("{before}{other}{after}"), object.bytes.clone());
        }
    }
    row.store = store;
    row
}

fn rows() -> Vec<Row> {
    let all = ReadOptions::default;
    let freezing = all().condition(Some(Condition::field("temperature").lt(0.0)));
    let small_batches = all().batch_bytes(Some(400));
    let limit = all().limit(Some(1));
    let past = OpenOptions::default().window(TimeWindow::until(1_712_900_000_000));
    let named = |name, row: Row| Row { name, ..row };
    vec![
        row("dense, all", "v22_dense_basics", all()),
        row(
            "dense, all, small batches",
            "v22_dense_basics",
            small_batches.clone(),
        ),
        row(
            "dense, one attribute of many",
            "v22_dense_basics",
            attribute("i32"),
        ),
        row("dense, several fragments", "v22_evolution_dense", all()),
        row("dense, format 1", "v1_dense", all()),
        row("dense, format 4", "v4_dense_basics", all()),
        row("dense, format 9", "v9_dense_basics", all()),
        row("sparse, all", "v22_tour", all()),
        row("sparse, all, small batches", "v22_tour", small_batches),
        row("sparse, a box", "v22_tour", stations()),
        row(
            "sparse, one attribute",
            "v22_tour",
            attribute("temperature"),
        ),
        row("sparse, a condition", "v22_tour", freezing.clone()),
        row(
            "sparse, a box and a condition",
            "v22_tour",
            freezing.ranges(stations().ranges),
        ),
        row("sparse, one cell", "v22_tour", limit),
        Row {
            open: past,
            ..row("sparse, time travel", "v22_tour", all())
        },
        row(
            "sparse, row-major",
            "v22_tour",
            in_order(ResultOrder::RowMajor),
        ),
        row("sparse, deletes", "v22_deletes", all()),
        named("sparse, 100 fragments", hundred(all())),
        named(
            "sparse, 100 fragments, row-major",
            hundred(in_order(ResultOrder::RowMajor)),
        ),
        named(
            "sparse, 100 fragments, unordered",
            hundred(in_order(ResultOrder::Unordered)),
        ),
        row("consolidated metadata", "v22_footers", all()),
        Row {
            open: OpenOptions::at(130),
            ..row(
                "consolidated metadata of all fragments",
                "v22_footers",
                all(),
            )
        },
        row("consolidated commits", "v22_commits_merged", all()),
        row("enumerations", "v22_enumerations_sparse", all()),
        row("sparse, format 1", "v1_sparse", all()),
        row("sparse, format 4", "v4_sparse_basics", all()),
        row("sparse, format 9", "v9_sparse_basics", all()),
    ]
}

/// A wait is a link in the longest chain of requests each of which depends on the answer to the one before.
#[test]
fn requests_of_opening_and_of_reading() {
    let mut table = String::from(
        "open: waits requests bytes | read: waits requests bytes, tiles again | rows\n",
    );
    for Row {
        name,
        store,
        open,
        read,
    } in rows()
    {
        let counting = Counting::far(&store);
        let array = Array::open(Arc::new(counting.clone()), "", open).unwrap();
        let opened = counting.take();
        let cost = line::read(&store, array.snapshot(), &read);
        let Cost {
            waits,
            requests,
            bytes,
            again,
            rows,
            ..
        } = cost;
        table += &format!(
            "{name}: {} {} {} | {waits} {requests} {bytes}, {again} | {rows}\n",
            opened.waits, opened.requests, opened.bytes
        );
        assert!(
            cost.seconds <= 1.25 * cost.least_seconds(),
            "{name}: {cost:?}"
        );
        // Opened metadata is kept with the fragments, so a second read plans without a wait.
        let again = line::read(&store, array.snapshot(), &read);
        assert!(
            again.waits <= waits && again.rows == rows,
            "{name}: {again:?}"
        );
    }
    table += &labels();
    insta::assert_snapshot!(table);
}

/// Reads by a range of labels: the label's array is opened and read first.
fn labels() -> String {
    let Row { store, .. } = row("", "v22_labels", ReadOptions::default());
    let counting = Counting::far(&store);
    let array = Array::open(Arc::new(counting.clone()), "", OpenOptions::default()).unwrap();
    let opened = counting.take();
    let range = Range::of(-1e9_f64, 1e9);
    let mut search = LabelSearch::new(&array, "depth", &range).unwrap();
    let label = array.open_label(search.label()).unwrap();
    let label_opened = counting.take();
    let options = search.options(&label).unwrap();
    let (label_read, batches) = line::read_batches(&store, label.snapshot(), &options);
    for batch in &batches {
        search.add(batch).unwrap();
    }
    let options = ReadOptions::default().ranges(search.finish().into_iter().collect());
    let read = line::read(&store, array.snapshot(), &options);
    format!(
        "labels: {} {} {} and {} {} {} | {} {} {} and {} {} {}, {} | {}\n",
        opened.waits,
        opened.requests,
        opened.bytes,
        label_opened.waits,
        label_opened.requests,
        label_opened.bytes,
        label_read.waits,
        label_read.requests,
        label_read.bytes,
        read.waits,
        read.requests,
        read.bytes,
        label_read.again + read.again,
        read.rows,
    )
}

/// Returns all cells of a reader as text; the last may be an error.
fn cells(array: &Arc<Array>, read: &ReadOptions) -> Result<Vec<String>, QueryError> {
    let mut rows = Vec::new();
    for batch in Reader::open(&Session::default(), array, read)? {
        let batch = batch?;
        for row in 0..batch.rows {
            let cells = batch.columns.iter().map(|column| column.cell(row));
            rows.push(format!("{:?}", cells.collect::<Vec<_>>()));
        }
    }
    Ok(rows)
}

#[test]
fn a_reader_asks_a_far_store_for_the_pieces_to_come_at_once() {
    for Row {
        name,
        store,
        open,
        read,
    } in rows()
    {
        let near = Arc::new(Array::open(Arc::new(store.clone()), "", open.clone()).unwrap());
        let counting = Counting::far(&store);
        let far = Arc::new(Array::open(Arc::new(counting.clone()), "", open).unwrap());
        counting.take();
        let found = cells(&far, &read).unwrap();
        let waits = counting.take().waits;
        assert_eq!(found, cells(&near, &read).unwrap(), "{name}");
        assert!(waits <= 3, "{name}: {waits} waits");
    }
}

/// The batches before the error are the same as those of a sound store.
#[test]
fn a_far_store_that_fails_at_any_request_ends_the_read_with_an_error_that_names_the_object() {
    for Row {
        name,
        store,
        open,
        read,
    } in rows().into_iter().skip(7).take(6)
    {
        let counting = Counting::far(&store);
        let array = || Array::open(Arc::new(counting.clone()), "", open.clone()).map(Arc::new);
        let sound = cells(&array().unwrap(), &read).unwrap();
        let mut failures = 0;
        for requests in 0.. {
            let opened = array().unwrap();
            counting.fail_after(requests);
            let found = cells(&opened, &read);
            counting.fail_after(u64::MAX);
            match found {
                Ok(found) => {
                    assert_eq!(found, sound, "{name}");
                    break;
                }
                Err(error) => {
                    failures += 1;
                    let text = error.to_string();
                    assert!(
                        text.contains("__fragments/") || text.contains("__schema/"),
                        "{text}"
                    );
                }
            }
        }
        assert!(failures > 1, "{name}");
    }
}
