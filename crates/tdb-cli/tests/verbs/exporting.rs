//! Cells of arrays in files.

use std::fs;
use std::path::Path;

use crate::common::{failure, run, stdout};

#[test]
fn an_export_is_what_a_read_writes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let tour = "v22_tour/array";
    let options =
        "--range station=B..K --where \"temperature>5\" --attrs sky,temperature".replace('"', "");
    for ending in ["csv", "jsonl", "arrow", "parquet", "txt"] {
        let path = |name: &str| folder.join(format!("{name}.{ending}"));
        let (read, export) = (path("read"), path("export"));
        stdout(&format!("read {tour} -o {} {options}", read.display()));
        let output = run(&format!("export {tour} {} {options}", export.display()));
        assert!(output.status.success() && output.stdout.is_empty());
        assert_eq!(
            fs::read(read).unwrap(),
            fs::read(export).unwrap(),
            "{ending}"
        );
    }
    let cells = folder.join("cells");
    stdout(&format!("export {tour} {} --format csv", cells.display()));
    assert_eq!(
        fs::read_to_string(cells).unwrap(),
        stdout(&format!("read {tour}"))
    );
}

#[test]
fn an_export_that_fails_leaves_what_was_there() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports_refused");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let told = |file: &str, options: &str| {
        let path = folder.join(file);
        let told = failure(&format!(
            "export v22_tour/array {} {options}",
            path.display()
        ));
        told.replace(&*folder.to_string_lossy(), "…")
    };
    fs::write(folder.join("kept.csv"), "precious").unwrap();
    let all = [
        told("cells", ""),
        told("cells.xlsx", ""),
        told("kept.csv", "--where temprature>1"),
        told("none/cells.csv", ""),
        told("cells.csv", "-o other.csv"),
        told("cells.npy", ""),
    ];
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    assert_eq!(fs::read(folder.join("kept.csv")).unwrap(), b"precious");
    insta::assert_snapshot!(all.join("\n\n"));
}
