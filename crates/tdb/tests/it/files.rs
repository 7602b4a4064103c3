//! File import and export: cells survive the round trip, progress is reported, and failures leave nothing behind.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tdb::{
    Activity, Array, Context, Datatype, Duplicates, ErrorKind, FileFormat, InputFile, OutputFile,
    Progress,
};
use tempfile::TempDir;

/// A temporary folder with a file of unsorted orders.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn orders(&self, count: u32) -> PathBuf {
        let rows = (0..count).map(|row| {
            let id = row.wrapping_mul(7919) % count;
            let amount = f64::from(id) / 4.0;
            let remark = ["", "late", "\"a, b\""][id as usize % 3];
            format!("{id},2024-01-{:02},{amount},{remark}\n", 1 + id % 28)
        });
        let rows: String = rows.collect();
        self.file("orders.csv", &format!("id,day,amount,remark\n{rows}"))
    }

    /// Returns the names of the files in the folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

fn ids(array: &Array) -> Vec<i64> {
    array.read().to_vec("id").unwrap()
}

/// Returns all cells as CSV text.
fn all_of(array: &Array, desk: &Desk) -> String {
    let file = desk.path("all.csv");
    array.read().export(&file).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    text
}

type Told = Arc<Mutex<Vec<Progress>>>;

fn listener() -> (Told, impl Fn(&Progress) + Send + Sync + 'static) {
    let told = Told::default();
    let to = Arc::clone(&told);
    (told, move |progress: &Progress| {
        to.lock().unwrap().push(*progress)
    })
}

/// Fails unless progress was reported for each activity, and never went backwards or beyond its end. Returns the last
/// report of each.
fn check_told(told: &Told, activities: &[Activity]) -> Vec<Progress> {
    let told = told.lock().unwrap();
    for pair in told.windows(2) {
        let [before, after] = pair else {
            unreachable!()
        };
        if before.activity == after.activity {
            assert!(before.done <= after.done, "{before:?}, then {after:?}");
            assert!(before.cells <= after.cells, "{before:?}, then {after:?}");
        }
    }
    let beyond = told.iter().find(|p| p.total.is_some_and(|t| p.done > t));
    assert_eq!(beyond, None);
    let last = activities.iter().map(|activity| {
        let of = told.iter().rfind(|p| p.activity == *activity);
        *of.unwrap_or_else(|| panic!("nothing was told of {activity}"))
    });
    last.collect()
}

#[test]
fn every_format_of_rows_brings_the_same_cells_back() {
    let desk = Desk::new();
    tdb::import(desk.orders(500), &desk.uri("orders")).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    assert_eq!(ids(&orders), (0..500).collect::<Vec<i64>>());
    let text = all_of(&orders, &desk);
    for format in FileFormat::ALL {
        if format == FileFormat::Npy {
            continue;
        }
        for ending in format.endings() {
            let file = desk.path(&format!("orders.{ending}"));
            let exported = orders.read().export(&file).unwrap();
            assert_eq!((exported.cells, exported.files), (500, 1), "{ending}");
            let uri = desk.uri(&format!("from_{ending}"));
            let imported = tdb::import(&file, &uri).unwrap();
            assert_eq!((imported.cells, imported.fragments.len()), (500, 1));
            assert_eq!(all_of(&tdb::open(&uri).unwrap(), &desk), text, "{ending}");
        }
    }
}

#[test]
fn boxes_of_numbers_go_through_npy() {
    let desk = Desk::new();
    let rows = (0..6).map(|cell| format!("{},{},{cell}\n", cell / 3, cell % 3));
    let rows: String = rows.collect();
    let file = desk.file("box.csv", &format!("y,x,v\n{rows}"));
    let import = Context::new().import(&file, &desk.uri("box"));
    import.dense().dimensions(["y", "x"]).run().unwrap();
    let array = tdb::open(&desk.uri("box")).unwrap();
    let read = array.read().condition("v > 2");
    let exported = read.export(desk.path("box.npy")).unwrap();
    assert_eq!((exported.cells, exported.filled), (6, 3));
    array.read().export(desk.path("box.npy")).unwrap();
    tdb::import(desk.path("box.npy"), &desk.uri("again")).unwrap();
    let again = tdb::open(&desk.uri("again")).unwrap();
    let values: Vec<i64> = again.read().to_vec("value").unwrap();
    assert_eq!(values, [0, 1, 2, 3, 4, 5]);
    // A file of the same shape can also be written into the existing array.
    assert_eq!(array.write().file(desk.path("box.npy")).unwrap().cells, 6);
}

#[test]
fn progress_of_an_import_is_told_in_bytes_of_the_file() {
    let desk = Desk::new();
    let file = desk.orders(20_000);
    let (told, tell) = listener();
    let import = Context::new().import(&file, &desk.uri("orders"));
    import.progress(tell).run().unwrap();
    let activities = [Activity::Looking, Activity::Reading, Activity::Storing];
    let last = check_told(&told, &activities);
    let len = fs::metadata(&file).unwrap().len();
    assert_eq!((last[0].done, last[0].total), (len, Some(len)));
    assert_eq!((last[1].done, last[1].cells), (len, Some(20_000)));
    assert_eq!(last[2].cells, Some(20_000));
}

#[test]
fn progress_of_exports_merges_and_rewrites_is_told_in_cells() {
    let desk = Desk::new();
    let file = desk.orders(30_000);
    tdb::import(&file, &desk.uri("orders")).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    let (told, tell) = listener();
    let read = orders.read().batch_bytes(10_000).progress(tell);
    read.export(desk.path("orders.jsonl")).unwrap();
    let last = check_told(&told, &[Activity::Exporting]);
    assert_eq!((last[0].done, last[0].total), (30_000, Some(30_000)));
    assert!(told.lock().unwrap().len() >= 3);

    orders.write().replace().file(&file).unwrap();
    let (told, tell) = listener();
    let orders = orders.reopen().unwrap().progress(tell);
    assert_eq!(orders.consolidate().unwrap().fragments.len(), 1);
    let last = check_told(&told, &[Activity::Merging]);
    assert_eq!((last[0].done, last[0].total), (60_000, Some(60_000)));

    let (told, tell) = listener();
    let orders = orders.reopen().unwrap().progress(tell);
    let schema = orders.newest_schema().unwrap();
    orders.rewrite(&desk.uri("again"), &schema).unwrap();
    assert_eq!(check_told(&told, &[Activity::Rewriting])[0].done, 30_000);
}

#[test]
fn a_failed_import_leaves_nothing_behind() {
    let desk = Desk::new();
    let file = desk.file("bad.csv", "id,day\n1,2024-01-01\n1,2024-01-02\n");
    let import = Context::new().import(&file, &desk.uri("bad"));
    let error = import.key(["id"]).run().expect_err("the key repeats");
    insta::assert_snapshot!(told_of(&desk, &error), @"bad.csv: line 3: the cell of line 2 has the same coordinates");
    assert_eq!(desk.names(), ["bad.csv"]);
    let import = Context::new().import(&file, &desk.uri("bad"));
    let error = import.dimensions(["nothing"]).run().expect_err("unknown");
    insta::assert_snapshot!(told_of(&desk, &error), @r#"
    bad.csv: there is no column "nothing"
    hint: the columns are id, day
    "#);
    assert_eq!(desk.names(), ["bad.csv"]);
}

/// Returns the error in full, without the folder of the test.
fn told_of(desk: &Desk, error: &tdb::Error) -> String {
    let folder = format!("{}/", desk.folder.path().display());
    format!("{error:#}").replace(&folder, "")
}

#[test]
fn a_failed_export_leaves_what_was_there() {
    let desk = Desk::new();
    tdb::import(desk.orders(50), &desk.uri("orders")).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    let file = desk.file("out.csv", "what was there");
    let before = desk.names();
    let read = || orders.read().condition("nothing > 1");
    read().export(&file).expect_err("no such field");
    // The damage is found while cells are being read.
    let damaged = desk.path("orders").join("__fragments");
    let fragment = fs::read_dir(&damaged).unwrap().next().unwrap().unwrap();
    fs::write(fragment.path().join("a0.tdb"), [7; 100]).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    orders.read().export(&file).expect_err("damaged");
    let parts = OutputFile::new(desk.path("parts")).partition_by(["day"]);
    orders.read().export(parts).expect_err("damaged");
    assert_eq!(fs::read_to_string(&file).unwrap(), "what was there");
    assert_eq!(desk.names(), before);
}

#[test]
fn files_whose_format_nobody_says_are_refused() {
    let desk = Desk::new();
    tdb::import(desk.orders(5), &desk.uri("orders")).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    let kind = |file: &Path| {
        let error = orders.read().export(file).expect_err("no format");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        told_of(&desk, &error)
    };
    insta::assert_snapshot!(kind(&desk.path("orders.xlsx")), @r"
    orders.xlsx: unknown extension .xlsx
    hint: known extensions: .csv, .jsonl, .ndjson, .json, .arrow, .feather, .ipc, .parquet, .npy
    ");
    insta::assert_snapshot!(kind(&desk.path("other")), @r"
    other: cannot determine the format from the name
    hint: use --format csv, jsonl, json, arrow, parquet or npy
    ");
    let file = OutputFile::new(desk.path("other")).format(FileFormat::Jsonl);
    assert_eq!(orders.read().limit(2).export(file).unwrap().cells, 2);
    let input = InputFile::new(desk.path("other"));
    let error = orders.write().replace().file(input.clone());
    insta::assert_snapshot!(told_of(&desk, &error.expect_err("no format")), @r"
    other: cannot determine the format from the name
    hint: use --format csv, jsonl, json, arrow, parquet or npy
    ");
    let written = orders
        .write()
        .replace()
        .file(input.format(FileFormat::Jsonl));
    assert_eq!(written.unwrap().replaced, 2);
}

#[test]
fn parts_of_an_export_are_files_in_folders() {
    let desk = Desk::new();
    tdb::import(desk.orders(60), &desk.uri("orders")).unwrap();
    let orders = tdb::open(&desk.uri("orders")).unwrap();
    let parts = OutputFile::new(desk.path("parts")).partition_by(["day"]);
    let exported = orders.read().export(parts).unwrap();
    assert_eq!(
        (exported.files, exported.folders, exported.cells),
        (28, 28, 60)
    );
    let part = desk.path("parts").join("day=2024-01-28/part-00000.parquet");
    tdb::import(part, &desk.uri("part")).unwrap();
    assert_eq!(ids(&tdb::open(&desk.uri("part")).unwrap()), [27, 55]);
    let files = OutputFile::new(desk.path("files")).format(FileFormat::Csv);
    let exported = orders.read().export(files.max_rows(25)).unwrap();
    assert_eq!((exported.files, exported.folders), (3, 0));
}

#[test]
fn the_schema_is_guessed_before_anything_is_made() {
    let desk = Desk::new();
    let file = InputFile::new(desk.orders(20))
        .exclude(["remark"])
        .rename("amount", "eur");
    let import = Context::new().import(file, &desk.uri("orders"));
    let import = import.dimensions(["day", "id"]).domain("id", 0..1000);
    let import = import.datatype("eur", Datatype::Float32);
    let schema = import.schema().unwrap();
    let names: Vec<&str> = schema.fields().map(|field| field.name).collect();
    assert_eq!(names, ["day", "id", "eur"]);
    assert_eq!(schema.attributes[0].datatype, Datatype::Float32);
    let domain = schema.dimensions[1].domain.clone().unwrap();
    assert_eq!(domain.ends::<i64>(), Some((0, 999)));
    assert_eq!(desk.names(), ["orders.csv"]);
    let mut notices = Vec::new();
    let imported = import.run_with(&mut |notice| notices.push(notice.to_string()));
    assert_eq!(imported.unwrap().cells, 20);
    insta::assert_snapshot!(notices.join("\n"), @"sparse array, one cell for each day,id; dimensions day datetime_day 0001-01-01..9999-12-04, id int64 0..999; attributes eur float32");
}

#[test]
fn rows_of_one_place_are_kept_replaced_or_left_out() {
    let desk = Desk::new();
    let file = desk.file("twice.csv", "id,amount\n1,5\n2,6\n1,7\n");
    let context = Context::new();
    let kept = context.import(&file, &desk.uri("kept")).run().unwrap();
    assert!(kept.keeps_duplicates);
    assert_eq!(ids(&tdb::open(&desk.uri("kept")).unwrap()), [1, 1, 2]);
    let first = context.import(&file, &desk.uri("first"));
    let first = first.duplicates(Duplicates::First).run().unwrap();
    assert_eq!((first.cells, first.left_out), (3, 1));
    let more = desk.file("more.csv", "id,amount\n2,8\n3,9\n");
    let added = context.import(&more, &desk.uri("first"));
    let added = added.key(["id"]).append().run().unwrap();
    assert_eq!((added.cells, added.replaced), (2, 1));
    let amounts = tdb::open(&desk.uri("first")).unwrap().read();
    let amounts: Vec<i64> = amounts.to_vec("amount").unwrap();
    assert_eq!(amounts, [5, 8, 9]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let import = || Context::new().import("x.csv", "x");
    let refused = [
        import().key(["a"]).dimensions(["b"]).run(),
        import().key(["a"]).dense().run(),
        import().key(["a"]).duplicates(Duplicates::Keep).run(),
        import().append().dense().run(),
    ];
    for run in refused {
        assert_eq!(run.expect_err("refused").kind(), ErrorKind::Invalid);
    }
    let orders = import().append().run().expect_err("there is no array");
    assert_eq!(orders.kind(), ErrorKind::NotFound);
}
