//! Exports of cells to files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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

/// Lists the files below a folder with their contents.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(within).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_folder_holds_a_file_for_each_value() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports_by_value");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    fs::write(
        path("rows.csv"),
        "id,kind,day,n\n1,a/b,2024-01-01,1\n2,,2024-01-01,2\n3,a/b,2024-01-02,3\n4,ä=%,2024-01-01,4\n5,a/b,2024-01-01,5\n",
    )
    .unwrap();
    stdout(&format!("import {} {}", path("rows.csv"), path("array")));
    let array = path("array");
    let out = path("out");
    let told = run(&format!(
        "export {array} {out} --format csv --partition-by kind,day"
    ));
    insta::assert_snapshot!(String::from_utf8(told.stderr).unwrap(), @"4 files in 4 folders");
    let found = files(Path::new(&out));
    let shown: Vec<String> = found
        .iter()
        .map(|(name, text)| format!("{name}\n{text}"))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    kind=%C3%A4%3D%25/day=2024-01-01/part-00000.csv
    id,n
    4,4

    kind=__HIVE_DEFAULT_PARTITION__/day=2024-01-01/part-00000.csv
    id,n
    2,2

    kind=a%2Fb/day=2024-01-01/part-00000.csv
    id,n
    1,1
    5,5

    kind=a%2Fb/day=2024-01-02/part-00000.csv
    id,n
    3,3
    "#);
    let rows = path("rows.jsonl");
    let told = run(&format!("export {array} {rows} --max-rows 2"));
    let told = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told, format!("3 files in the folder {rows}\n"));
    let found = files(Path::new(&rows));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl"]
    );
    let all: String = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(all, stdout(&format!("read {array} --format jsonl")));
    let refused = |arguments: &str| {
        let told = failure(&format!("export {array} {arguments}"));
        told.replace(&*folder.to_string_lossy(), "…")
    };
    let all = [
        refused(&format!("{out} --partition-by kind")),
        refused(&format!("{} --partition-by kinds", path("new"))),
        refused(&format!(
            "{} --partition-by id --attrs n --no-dims",
            path("new")
        )),
        refused(&format!("{} --partition-by id,n --attrs n", path("new"))),
        refused(&format!("{} --max-rows 0", path("new"))),
        refused(&format!("{} --max-rows 2", path("new.npy"))),
        refused(&format!("{} --max-rows 2", path("none/new"))),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    error: …/out: there is something here already
    hint: choose a new or an empty folder
    exit status 3
    error: there is no field "kinds"
    hint: did you mean "kind"? the fields are id, kind, day, n
    exit status 2
    error: there is no field "id"
    hint: the fields are n
    exit status 2
    error: all fields name folders, so that the files would have none
    exit status 2
    error: invalid value '0' for '--max-rows <N>': 0 is not in 1..18446744073709551615

    For more information, try '--help'.
    exit status 2
    error: a folder holds files of rows: csv, jsonl, json, arrow or parquet
    exit status 2
    error: …/none/new: there is no folder …/none
    hint: create it first: `mkdir -p …/none`
    exit status 3
    "#);
    // A failed export leaves nothing behind.
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["array", "out", "rows.csv", "rows.jsonl"]);
}

#[test]
fn values_in_turn_go_on_in_further_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports_in_turn");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    // More values than simultaneously open files, alternating in small batches.
    let rows: String = (0..60_000)
        .map(|row| format!("{row},{}\n", row % 40))
        .collect();
    fs::write(path("rows.csv"), format!("id,part\n{rows}")).unwrap();
    stdout(&format!("import {} {}", path("rows.csv"), path("array")));
    let out = path("out");
    stdout(&format!(
        "export {} {out} --format csv --partition-by part --memory 2MB",
        path("array")
    ));
    let found = files(Path::new(&out));
    assert!(found.len() > 40, "{}", found.len());
    let mut back = Vec::new();
    for (name, text) in found {
        let part = name
            .strip_prefix("part=")
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("id"));
        back.extend(lines.map(|id| format!("{id},{part}\n")));
    }
    back.sort_by_key(|row| row.split(',').next().unwrap().parse::<u64>().unwrap());
    assert_eq!(back.concat(), rows);
}
