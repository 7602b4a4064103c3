//! Files that store the schema of the array from which they were exported.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tdb::engine::arrow::IpcFileWriter;
use tdb::engine::cells::files::{BatchWriter, OutputOptions};
use tdb::engine::cells::{Batch, Column, FieldInfo};
use tdb::engine::schema::{CellValNum, FieldKind};
use tdb::engine::tile::Datatype;

use crate::common::{run, stdout, told};

/// Creates an empty folder named after the test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn an_array_comes_back_from_its_file_as_it_was() {
    let folder = folder("comes_back");
    for array in [
        "v22_tour",
        "v22_dense_basics",
        "v22_deletes_dups",
        "v22_hilbert_plane",
        "v22_hilbert_dates",
        "v22_dense_datetime_week",
        "v22_dense_datetime_sec",
        "v22_dense_time_as",
        "v22_dense_uint64",
        "v22_dense_tiles_col_cells_col",
    ] {
        let array = format!("{array}/array");
        for format in ["parquet", "arrow"] {
            let file = folder.join(format!("cells.{format}"));
            let copy = folder.join("copy");
            let _ = fs::remove_dir_all(&copy);
            let (file, copy) = (file.display(), copy.display());
            stdout(&format!("export {array} {file}"));
            let output = run(&format!("import {file} {copy}"));
            let notes = String::from_utf8(output.stderr).unwrap();
            assert!(
                notes.starts_with("with the schema of the array that the file was read from"),
                "{notes}"
            );
            // The enumeration is left out: its labels come from the cells, and its object has a new name.
            let schema = |array: &str| {
                let text = stdout(&format!("schema {array}"));
                let part = text.split("enumeration").next().unwrap().to_owned();
                part.lines()
                    .skip(1)
                    .map(|line| format!("{}\n", line.trim_end()))
                    .collect::<String>()
            };
            assert_eq!(schema(&copy.to_string()), schema(&array), "{format}");
            let compared = run(&format!("compare {array} {copy}"));
            let text = String::from_utf8(compared.stdout).unwrap();
            assert!(
                text.ends_with("cells: 0 added, 0 removed, 0 changed\n"),
                "{array} {format}: {text}"
            );
        }
    }
}

/// The messages of an import, up to the first attribute.
fn imported(file: &Path, options: &str) -> String {
    let array = file.with_extension("array");
    let _ = fs::remove_dir_all(&array);
    let text = told(&run(&format!(
        "import {} {} {options}",
        file.display(),
        array.display()
    )));
    let text = text.replace(&*file.parent().unwrap().to_string_lossy(), "…");
    let lines = text
        .lines()
        .map(|line| line.split("; attributes").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_cannot_be_as_it_was_is_guessed() {
    let folder = folder("guessed");
    let file = folder.join("cells.parquet");
    let export = |array: &str, options: &str| {
        stdout(&format!(
            "export {array}/array {} {options}",
            file.display()
        ));
    };
    export("v22_tour", "--range hour=2024-04-01..2024-04-02");
    insta::assert_snapshot!(imported(&file, "--dim hour"), @"
    sparse array, one cell for each hour; dimensions hour datetime_hr 0001-01-01T00..9999-12-30T23
    warning: …/cells.parquet: there are no cells
    0 cells
    exit status 0
    ");
    insta::assert_snapshot!(imported(&file, "--rename hour=time"), @r#"
    not with the schema of the array that the file was read from: the file has no column "hour"
    sparse array, one cell for each station; dimensions station string_ascii var
    warning: …/cells.parquet: there are no cells
    0 cells
    exit status 0
    "#);
    insta::assert_snapshot!(imported(&file, "--exclude sky"), @"
    with the schema of the array that the file was read from; use --dim for another
    sparse array, one cell for each station,hour; dimensions station string_ascii var, hour datetime_hr 2012-11-12T08..2058-07-01T00
    warning: …/cells.parquet: there are no cells
    0 cells
    exit status 0
    ");
    export("v22_tour", "--no-dims");
    insta::assert_snapshot!(imported(&file, ""), @r#"
    not with the schema of the array that the file was read from: the file has no column "station"
    sparse array, one cell for each sky; dimensions sky string_ascii var
    …/cells.parquet: row 2: the cell of row 1 has the same coordinates; all are kept
    80 cells
    exit status 0
    "#);
    // Cells of a dense array, first without and then with a complete box.
    export("v22_dense_basics", "--attrs i8 --where i8>3");
    insta::assert_snapshot!(imported(&file, ""), @"
    with the schema of the array that the file was read from; use --dim for another
    sparse array, one cell for each row,col; dimensions row int32 1..7, col int32 -2..6
    19 cells
    exit status 0
    ");
    export("v22_dense_basics", "--attrs i8 --range row=2..4");
    insta::assert_snapshot!(imported(&file, ""), @"
    with the schema of the array that the file was read from; use --dim for another
    dense array; dimensions row int32 1..7, col int32 -2..6
    27 cells
    exit status 0
    ");
}

#[test]
fn a_schema_that_makes_no_sense_is_told_of() {
    let folder = folder("no_sense");
    let file = folder.join("cells.arrow");
    let with = |schema: &str| {
        let fields = [FieldInfo {
            name: "id".to_owned(),
            datatype: Datatype::Int32,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            enumeration: None,
            field: FieldKind::Attribute(0),
        }];
        let column = Column {
            name: "id".to_owned(),
            datatype: Datatype::Int32,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            values: vec![7, 0, 0, 0].into(),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let options = OutputOptions::default();
        let out = File::create(&file).unwrap();
        let mut writer = IpcFileWriter::try_new(out, &fields, options, Some(schema)).unwrap();
        let batch = Batch {
            rows: 1,
            columns: vec![column],
        };
        writer.write(&batch).unwrap();
        Box::new(writer).finish().unwrap();
        imported(&file, "")
    };
    let dimension =
        r#"{"name": "id", "datatype": "int32", "cell_val_num": 1, "domain": [1, 9], "extent": 3}"#;
    let of = |members: &str| format!(r#"{{"type": "sparse", {members}}}"#);
    insta::assert_snapshot!(with("{"), @"
    not with the schema of the array that the file was read from: EOF while parsing an object at line 1 column 1
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with("[]"), @"
    not with the schema of the array that the file was read from: there are no dimensions
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with(&of(r#""dimensions": [7]"#)), @"
    not with the schema of the array that the file was read from: a dimension has no name
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with(&of(r#""dimensions": []"#)), @"
    not with the schema of the array that the file was read from: dimensions: is missing
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with(&of(&format!(r#""dimensions": [{dimension}], "capacity": -1"#))), @"
    not with the schema of the array that the file was read from: capacity: is -1, expected a whole number
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with(&"[".repeat(100_000)), @"
    not with the schema of the array that the file was read from: recursion limit exceeded at line 1 column 128
    sparse array, one cell for each id; dimensions id int32 0..2147483646
    1 cell
    exit status 0
    ");
    insta::assert_snapshot!(with(&of(&format!(r#""dimensions": [{dimension}]"#))), @"
    with the schema of the array that the file was read from; use --dim for another
    sparse array, one cell for each id; dimensions id int32 1..9
    1 cell
    exit status 0
    ");
    let small = dimension.replace('9', "6");
    insta::assert_snapshot!(with(&of(&format!(r#""dimensions": [{small}]"#))), @r#"
    with the schema of the array that the file was read from; use --dim for another
    sparse array, one cell for each id; dimensions id int32 1..6
    error: …/cells.arrow: row 0, field "id": 7 lies outside the domain
    exit status 2
    "#);
}

/// Three ordered labels, shared by two attributes; no cell of `f` has the last label.
const LABELLED: &str = r#"{
    "type": "sparse",
    "dimensions": [{"name": "k", "datatype": "int64", "domain": [0, 99], "extent": 10}],
    "attributes": [
        {"name": "e", "datatype": "int8", "enumeration": "lab", "nullable": true},
        {"name": "f", "datatype": "uint8", "enumeration": "lab"},
        {"name": "n", "datatype": "int16", "enumeration": "sizes"}
    ],
    "enumerations": [
        {"name": "lab", "datatype": "string_utf8", "cell_val_num": "var", "ordered": true,
            "values": ["low", "mid", "high"]},
        {"name": "sizes", "datatype": "int32", "cell_val_num": 1, "ordered": false, "values": [30, 10, 20]}
    ]
}"#;

#[test]
fn enumerations_come_back_with_their_order_their_unused_labels_and_shared() {
    let (folder, array) = crate::changing::of_schema("enumerations_come_back", LABELLED);
    let cells = folder.join("cells.csv");
    fs::write(&cells, "k,e,f,n\n1,high,mid,10\n2,low,low,30\n3,,mid,10\n").unwrap();
    stdout(&format!("write {array} {} -q", cells.display()));
    let enumerations = |array: &str| {
        let schema: serde_json::Value =
            serde_json::from_str(&stdout(&format!("schema {array} --json"))).unwrap();
        (schema["enumerations"].clone(), schema["attributes"].clone())
    };
    for file in ["all.parquet", "all.arrow", "some.parquet"] {
        let (file, copy) = (folder.join(file), folder.join("copy").display().to_string());
        let _ = fs::remove_dir_all(&copy);
        match file.file_stem().and_then(|stem| stem.to_str()) {
            // A selection may leave out labels, but the import restores them.
            Some("some") => stdout(&format!(
                "read {array} --range k=2..3 -o {}",
                file.display()
            )),
            _ => stdout(&format!("export {array} {}", file.display())),
        };
        stdout(&format!("import {} {copy} -q", file.display()));
        assert_eq!(
            enumerations(&copy),
            enumerations(&array),
            "{}",
            file.display()
        );
        let next = folder.join("next.csv");
        fs::write(&next, "k,e,f,n\n9,mid,high,20\n").unwrap();
        stdout(&format!("import {} {copy} --append -q", next.display()));
        let sorted = stdout(&format!(
            "read {copy} --attrs f --no-dims --sort=-f --format csv"
        ));
        assert!(sorted.starts_with("f\nhigh\nmid\n"), "{sorted}");
    }
}
