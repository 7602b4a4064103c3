//! Arrays created from files.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{run, stdout, tdb};

/// Creates an empty folder named after the test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn failure(arguments: &str, folder: &Path) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stderr).replace(&*folder.to_string_lossy(), "…");
    format!("{} {text}", output.status.code().unwrap())
}

/// The inferred schema of a file: one line per dimension and attribute.
fn guessed(file: &Path, options: &str) -> String {
    let json = stdout(&format!(
        "import {} {}.array {options} --dry-run",
        file.display(),
        file.display()
    ));
    let schema: Value = serde_json::from_str(&json).unwrap();
    let mut lines = format!(
        "{} duplicates={}\n",
        schema["type"], schema["allows_duplicates"]
    );
    for dimension in schema["dimensions"].as_array().unwrap() {
        lines += &format!(
            "{} {} {} {}\n",
            dimension["name"], dimension["datatype"], dimension["domain"], dimension["extent"]
        );
    }
    for attribute in schema["attributes"].as_array().unwrap() {
        lines += &format!(
            "  {} {} {}{}{}\n",
            attribute["name"],
            attribute["datatype"],
            attribute["cell_val_num"],
            if attribute["nullable"] == true {
                " nullable"
            } else {
                ""
            },
            if attribute["enumeration"].is_null() {
                ""
            } else {
                " enumerated"
            },
        );
    }
    lines
}

#[test]
fn types_are_the_narrowest_that_lose_nothing() {
    let folder = folder("types");
    let csv = folder.join("cells.csv");
    let columns = [
        ("id", ["3", "-4", "0"]),
        ("large", ["18446744073709551615", "1", "2"]),
        ("larger", ["18446744073709551616", "1", "2"]),
        ("signs", ["18446744073709551615", "1", "-2"]),
        ("fractions", ["1.5", "2", "-3e2"]),
        ("none", ["1.5", "", "NaN"]),
        ("exact", ["9007199254740993", "0.5", "1"]),
        ("codes", ["007", "12", "13"]),
        ("plus", ["+4912", "12", "13"]),
        ("flags", ["true", "false", ""]),
        ("words", ["true", "false", "maybe"]),
        ("days", ["2024-02-29", "1969-12-31", "2024-03-01"]),
        (
            "seconds",
            ["2024-02-29T12:00:00Z", "2024-03-01", "2024-03-01T00:00:01"],
        ),
        (
            "micros",
            ["2024-02-29T12:00:00.5", "2024-03-01T00:00:00.000001", ""],
        ),
        ("no_day", ["2024-02-30", "2024-03-01", "2024-03-02"]),
        ("nothing", ["", "", ""]),
        ("quoted", ["\"1\"", "\"\"", "\"3\""]),
        ("text", ["a", "\"\"", "\"b, c\""]),
        ("accents", ["é", "", "z"]),
    ];
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..3 {
        let cells: Vec<&str> = columns.iter().map(|(_, cells)| cells[row]).collect();
        text += &(cells.join(",") + "\n");
    }
    fs::write(&csv, text).unwrap();
    let jsonl = folder.join("cells.jsonl");
    let lines = [
        r#"{"id": 1, "list": [1, 2], "pair": [1.5, 2], "text": "1", "bytes": {"hex": "00ff"}, "float": "NaN", "day": "2024-01-01"}"#,
        r#"{"id": 2, "list": [], "pair": [1, "NaN"], "text": "\u00e9", "bytes": null, "float": 1, "late": 1}"#,
    ];
    fs::write(&jsonl, lines.join("\n")).unwrap();
    let all = [
        guessed(&csv, ""),
        guessed(&csv, "--dim days,id --duplicates error --domain id=-10..10"),
        guessed(&csv, "--dense"),
        guessed(&jsonl, "--dim id --domain id=1.."),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn an_import_holds_the_cells_of_its_file() {
    let folder = folder("imports");
    let tour = "v22_tour/array";
    for format in ["csv", "jsonl", "arrow", "parquet"] {
        let file = folder.join(format!("tour.{format}"));
        stdout(&format!("read {tour} -o {}", file.display()));
        let array = folder.join(format!("tour_{format}")).display().to_string();
        stdout(&format!(
            "import {} {array} --dim station,hour --duplicates keep --at 100",
            file.display()
        ));
        let cells = |array: &str, attributes: &str| {
            stdout(&format!(
                "read {array} --order row --format jsonl --dims station --attrs {attributes}"
            ))
        };
        let attributes = "temperature,pressure,sky,remark";
        assert_eq!(
            cells(&array, attributes),
            cells(tour, attributes),
            "{format}"
        );
        // The same cells appended, in addition to the earlier ones.
        stdout(&format!(
            "import {} {array} --append --at 200",
            file.display()
        ));
        let count = |options: &str| {
            stdout(&format!("read {array} --format csv {options}"))
                .lines()
                .count()
        };
        assert_eq!((count("--at 100"), count("")), (81, 161), "{format}");
    }
    let parquet = folder.join("tour.parquet");
    insta::assert_snapshot!(guessed(&parquet, "--dim station,hour"));
}

#[test]
fn numpy_files_make_dense_arrays() {
    let folder = folder("numpy");
    let dense = "v22_dense_datetime_day/array";
    let file = folder.join("values.npy");
    stdout(&format!("read {dense} -o {}", file.display()));
    let array = folder.join("array").display().to_string();
    stdout(&format!(
        "import {} {array} --dim day --attr a",
        file.display()
    ));
    let again = folder.join("again.npy");
    stdout(&format!("read {array} -o {}", again.display()));
    assert!(fs::read(&file).unwrap() == fs::read(&again).unwrap());
    // The first axis changes fastest.
    let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([1_u16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_be_bytes()));
    fs::write(&file, bytes).unwrap();
    let array = folder.join("columns").display().to_string();
    stdout(&format!("import {} {array}", file.display()));
    assert_eq!(
        stdout(&format!("read {array} --format csv --no-dims")),
        "value\n1\n3\n5\n2\n4\n6\n"
    );
}

#[test]
fn dense_arrays_are_made_of_tables() {
    let folder = folder("dense_tables");
    let file = folder.join("cells.csv");
    fs::write(&file, "y,x,a\n2,5,1\n1,6,2\n2,6,3\n1,5,4\n").unwrap();
    let made = |name: &str, options: &str| {
        let array = folder.join(name).display().to_string();
        stdout(&format!("import {} {array} {options}", file.display()));
        stdout(&format!("read {array} --format csv"))
    };
    assert_eq!(
        made("box", "--dense --dim y,x"),
        "y,x,a\n1,5,4\n1,6,2\n2,5,1\n2,6,3\n"
    );
    assert_eq!(
        made("rows", "--dense"),
        "row,y,x,a\n0,2,5,1\n1,1,6,2\n2,2,6,3\n3,1,5,4\n"
    );
}

#[test]
fn standard_input_is_read_twice() {
    let folder = folder("import_standard_input");
    let file = folder.join("cells.csv");
    fs::write(&file, "x,a\n2,5\n1,6.5\n").unwrap();
    let array = folder.join("array").display().to_string();
    let status = tdb(&format!("import - {array} --format csv"))
        .stdin(fs::File::open(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    assert_eq!(
        stdout(&format!("read {array} --format csv")),
        "x,a\n1,6.5\n2,5.0\n"
    );
}

#[test]
fn what_cannot_be_imported_leaves_nothing() {
    let folder = folder("not_imported");
    let array = folder.join("array").display().to_string();
    let import = |name: &str, text: &str, options: &str| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        failure(
            &format!("import {} {array} {options}", file.display()),
            &folder,
        )
    };
    let texts = [
        import("cells.csv", "x,a\n1,2\n3\n", ""),
        import("cells.csv", "x,a\n1,2\n3,4\n", "--dim y"),
        import("cells.csv", "x,a\n1,2\n,4\n", "--dim x"),
        import("cells.csv", "x,a\né,2\nz,4\n", "--dim x"),
        import("cells.csv", "x,a\n1.5,2\n2.5,4\n", "--dim x --dense"),
        import("cells.csv", "x,a\n1.5,\n,4.5\n", ""),
        import("cells.csv", "x,a\n1,2\n2,3\n1,4\n", "--duplicates error"),
        import("cells.csv", "x,a\n1,2\n2,3\n4,4\n", "--dense --dim x"),
        import("cells.csv", "x,a\n1,2\n2,3\n4,4\n", "--domain x=1..3"),
        import("cells.csv", "x,a\n1,2\n2,3\n4,4\n", "--domain y=1..3"),
        import("cells.csv", "x,x\n1,2\n2,3\n4,4\n", ""),
        import("cells.csv", "x,__timestamps\n1,2\n2,3\n", ""),
        import("cells.jsonl", "{\"x\": 1}\n{\"x\": \"a\"}\n", ""),
        import("cells.jsonl", "{\"x\": 1, \"o\": {\"p\": 1}}\n", ""),
        import("cells.npy", "x", "--sparse"),
        import("cells.csv", "x,a\n1,2\n", "--append"),
        import("cells.csv", "x,a\n1,2\n", "--append --dim x"),
    ];
    assert!(!Path::new(&array).exists());
    assert_eq!(import("cells.csv", "x,a\n1,2\n2,3\n", "--quiet"), "0 ");
    let there = [
        import("cells.csv", "x,a\n1,2\n", ""),
        import("cells.csv", "x,a\n1,b\n", "--append"),
    ];
    assert_eq!(
        stdout(&format!("read {array} --format csv")),
        "x,a\n1,2\n2,3\n"
    );
    insta::assert_snapshot!([texts.join("\n"), there.join("\n")].join("\n"));
}

#[test]
fn odd_headers_are_told() {
    let folder = folder("odd_headers");
    let place = folder.display();
    let told = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        let told = failure(&format!("import {place}/{name} {place}/{name}.a"), &folder);
        let lines: Vec<&str> = told.lines().skip(1).collect();
        lines.join("\n")
    };
    assert_eq!(
        told("empty.csv", "x,a\n"),
        "warning: …/empty.csv: there are no cells\n0 cells"
    );
    assert_eq!(told("unnamed.csv", "x,\n1,2\n"), "1 cell");
    let told = failure(
        &format!("write {place}/empty.csv.a {place}/empty.csv --max-fragment 0"),
        &folder,
    );
    assert!(told.contains("no fragment has 0 bytes"), "{told}");
}

/// TileDB calls an unnamed dimension `__dim_0`, and does not check the last tile of small integer domains.
#[test]
fn dimensions_as_tiledb_makes_them_are_created_and_imported() {
    let folder = folder("odd_dimensions");
    let path = |name: &str| folder.join(name).display().to_string();
    for (kind, more) in [("sparse", ""), ("dense", ""), ("sparse", FLOAT)] {
        let schema = format!(
            r#"{{"type":"{kind}","dimensions":[{{"name":"__dim_0","datatype":"int8","domain":[-128,126],"extent":20}}{more}],
                "attributes":[{{"name":"__dim_1","datatype":"int32"}}]}}"#
        );
        fs::write(path("schema.json"), schema).unwrap();
        let (array, again) = (path("array"), path("again"));
        stdout(&format!("create {array} --schema {}", path("schema.json")));
        let shown = stdout(&format!("schema {array} --json"));
        fs::write(path("again.json"), &shown).unwrap();
        stdout(&format!("create {again} --schema {}", path("again.json")));
        assert_eq!(stdout(&format!("schema {again} --json")), shown);

        let header = format!(
            "__dim_0{},__dim_1\n",
            if more.is_empty() { "" } else { ",f" }
        );
        let rows = (-128..127).map(|x| match more {
            "" => format!("{x},{}\n", x * 3),
            _ => format!("{x},{}e308,{}\n", x % 2, x * 3),
        });
        let cells = header + &rows.collect::<String>();
        fs::write(path("cells.csv"), &cells).unwrap();
        stdout(&format!("write {array} {}", path("cells.csv")));
        let read = |array: &str, more: &str| stdout(&format!("read {array} --order row{more}"));
        let found = read(&array, "");
        assert_eq!(found.lines().count(), 256, "{kind}{more}");
        assert!(found.lines().last().unwrap().starts_with("126,"));
        if more.is_empty() {
            assert_eq!(found, cells);
            assert_eq!(
                read(&array, " --range __dim_0=125.."),
                "__dim_0,__dim_1\n125,375\n126,378\n"
            );
        }
        stdout(&format!(
            "read {array} --order row -o {}",
            path("cells.arrow")
        ));
        let dims = if more.is_empty() {
            "__dim_0"
        } else {
            "__dim_0,f"
        };
        let import = format!(
            "import {} {} --dim {dims} --{kind}",
            path("cells.arrow"),
            path("import")
        );
        stdout(&import);
        assert_eq!(read(&path("import"), ""), found);
        for name in ["array", "again", "import"] {
            fs::remove_dir_all(path(name)).unwrap();
        }
    }
}

#[test]
fn floats_in_tiles_beyond_64_bits_are_sorted() {
    let folder = folder("tiny_tiles");
    let path = |name: &str| folder.join(name).display().to_string();
    let schema = r#"{"type":"sparse","attributes":[{"name":"a","datatype":"int32"}],
        "dimensions":[{"name":"x","datatype":"float64","domain":[0,1e30],"extent":1}]}"#;
    fs::write(path("schema.json"), schema).unwrap();
    let array = path("array");
    stdout(&format!("create {array} --schema {}", path("schema.json")));
    for cells in ["x,a\n1,1\n2e25,2\n1.9e19,3\n", "x,a\n1.8e19,4\n2e25,5\n"] {
        fs::write(path("cells.csv"), cells).unwrap();
        stdout(&format!("write {array} {}", path("cells.csv")));
    }
    let read = |order: &str| stdout(&format!("read {array} --no-dims --order {order}"));
    assert_eq!(read("row"), "a\n1\n4\n3\n5\n");
    assert_eq!(read("global"), "a\n3\n5\n1\n4\n");
    stdout(&format!("consolidate {array}"));
    assert_eq!(read("row"), "a\n1\n4\n3\n5\n");
}

/// A dimension whose width overflows its type to infinity.
const FLOAT: &str = r#",{"name":"f","datatype":"float64","domain":[-1.7976931348623157e308,1.7976931348623157e308]}"#;

#[test]
fn a_dimension_without_a_name_is_not_made_by_itself() {
    let folder = folder("nameless");
    let file = folder.join("index.csv");
    fs::write(&file, ",index\n0,5\n").unwrap();
    let (file, array) = (file.display(), folder.join("array"));
    let array = array.display();
    insta::assert_snapshot!(failure(&format!("import {file} {array}"), &folder));
    assert!(stdout(&format!("import {file} {array} --dim index --dry-run")).contains("\"index\""));
}

#[test]
fn structured_values_of_numpy_are_told_as_such() {
    let folder = folder("structured");
    let file = folder.join("s.npy");
    let header = "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0; 12]);
    fs::write(&file, bytes).unwrap();
    let array = folder.join("array");
    let import = format!("import {} {}", file.display(), array.display());
    insta::assert_snapshot!(failure(&import, &folder));
}
