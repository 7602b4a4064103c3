//! Runs each program of `examples/`, and compares what it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Golden array that the examples read.
const TOUR: &str = "fixtures/v22_tour/array";

/// Returns the output of an example.
fn printed(example: &str, arguments: &[&str]) -> String {
    let tests = std::env::current_exe().expect("the path of the test");
    let built = tests
        .ancestors()
        .nth(2)
        .expect("the folder of what is built");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(built.join("examples").join(example));
    let output = command.args(arguments).current_dir(root).output();
    let output = output.expect("cargo builds examples together with tests");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns a path where nothing exists yet.
fn place(folder: &tempfile::TempDir) -> String {
    let path: PathBuf = folder.path().join("array");
    path.display().to_string()
}

#[test]
fn examples_that_read() {
    insta::assert_snapshot!(printed("read", &[TOUR]), @"8 cells: [-1.25, -1.75, 0.75, 1.25, -1.75, -2.25, 0.25, 1.25]");
    insta::assert_snapshot!(printed("rows", &[TOUR]), @r#"
    BGN 2024-04-10T00: -1.25 degrees, Some(1015) hPa, rain
    BGN 2024-04-10T03: -1.75 degrees, None hPa, snow
    "#);
    insta::assert_snapshot!(printed("arrow", &[TOUR]), @r#"
    21 rows
    station: LargeUtf8
    hour: Timestamp(s)
    temperature: Float32
    pressure: UInt16
    sky: Dictionary(UInt8, LargeUtf8)
    remark: LargeUtf8
    "#);
    insta::assert_snapshot!(printed("scan", &[TOUR]), @"4 rows");
    let dense = "fixtures/v22_dense_basics/array";
    insta::assert_snapshot!(printed("slice", &[dense]), @"[-21, 127, -128, 80]");
    insta::assert_snapshot!(printed("time_travel", &[TOUR]), @r#"
    2024-04-11: 48 cells
    2024-04-12: 80 cells
    2024-05-01: 80 cells
    "#);
    insta::assert_snapshot!(printed("metadata", &[TOUR]), @r#"
    3 fragments, 80 cells
    dimension station: StringAscii
    dimension hour: DateTimeHour
    attribute temperature: Float32
    attribute pressure: UInt16
    attribute sky: UInt8
    attribute remark: StringUtf8
    metadata bounding_box: Float64, 4 values
    metadata first_year: Int32, 1 values
    metadata station:BGN: StringUtf8, 6 values
    metadata station:CPT: StringUtf8, 8 values
    metadata station:KEF: StringUtf8, 9 values
    metadata station:LPB: StringUtf8, 6 values
    metadata station:OSA: StringUtf8, 6 values
    metadata station:ZRH: StringUtf8, 7 values
    metadata temperature_unit: StringUtf8, 3 values
    metadata title: StringUtf8, 33 values
    "#);
}

#[test]
fn examples_that_make_an_array() {
    let made = |example: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        printed(example, &[&place(&folder)])
    };
    insta::assert_snapshot!(made("create_and_write"), @"3 cells in 1 fragment");
    insta::assert_snapshot!(made("write"), @"1000 cells, the same when read: true");
    insta::assert_snapshot!(made("schema"), @"3 fields");
    insta::assert_snapshot!(made("delete"), @"92 of 100 deleted, 8 left; there were 100");
    insta::assert_snapshot!(made("encrypted"), @r#"
    [1, 2, 3, 4]
    without its key: Crypto
    "#);
    insta::assert_snapshot!(made("consolidate"), @"20 fragments are 1, 20 cells");
    #[cfg(feature = "ndarray")]
    insta::assert_snapshot!(made("ndarray"), @"[10, 4], the brightest Some(240)");
}

#[test]
fn examples_that_keep_an_array() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = place(&folder);
    printed("consolidate", &[&log]);
    insta::assert_snapshot!(printed("append", &[&log]), @r#"Some(Line { n: 20, text: "appended" })"#);
    insta::assert_snapshot!(printed("progress", &[&log]), @"1 new fragment");
    insta::assert_snapshot!(printed("memory", &[]), @"[3, 2]");
}

#[test]
fn examples_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("snow.parquet");
    let file = file.display().to_string();
    insta::assert_snapshot!(printed("export", &[TOUR, &file, "sky = 'snow'"]), @r"
    exporting 21
    21 cells in 1 file
    ");
    insta::assert_snapshot!(printed("import", &[&file, &place(&folder)]), @r"
    21 cells
    station: string_ascii
    hour: datetime_hr
    temperature: float32
    pressure: uint16
    sky: uint8
    remark: string_utf8
    ");
}

#[test]
fn examples_that_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!(printed("stream", &[TOUR, &place(&folder)]), @"80 cells");
}
