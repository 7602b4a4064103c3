//! Names on the command line: bare, in double quotes, and in lists.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use crate::changing::folder;
use crate::common::tdb;

/// Creates an array whose field names contain a comma, a space and quotes.
fn odd(name: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let file = folder.join("odd.csv").display().to_string();
    let rows = "order id,\"b,c\",\"say \"\"x\"\"\",d\n1,10,u,5\n2,30,v,5\n3,20,w,6\n";
    fs::write(&file, rows).unwrap();
    let array = folder.join("array").display().to_string();
    asked(&["import", &file, &array, "--dim", "\"order id\",d"]);
    (folder, array)
}

/// Runs the program. Returns its output, and if it fails its messages and status.
fn asked(arguments: &[&str]) -> String {
    let output = tdb("").args(arguments).output().unwrap();
    let said = match output.status.code() {
        Some(0) => String::new(),
        code => format!("{}{code:?}", String::from_utf8_lossy(&output.stderr)),
    };
    format!("{}{said}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn a_name_that_holds_a_comma_stands_in_quotes_in_every_list() {
    let (folder, array) = odd("names_odd");
    let mut all = String::new();
    let copy = folder.join("copy").display().to_string();
    for arguments in [
        &["read", "--attrs", "\"b,c\"", "--no-dims"][..],
        &[
            "read",
            "--attrs",
            "\"say \"\"x\"\"\",\"b,c\"",
            "--dims",
            "\"order id\"",
        ],
        &[
            "read", "--dims", "d", "--attrs", "\"b,c\"", "--sort", "-\"b,c\"",
        ],
        &["agg", "sum(\"b,c\")", "--by", "d"],
        &["agg", "count(*)", "--by", "\"b,c\",d"],
        &["stats", "--fields", "\"b,c\",d", "--json"],
        &["distinct", "\"b,c\"", "d"],
        &["hist", "\"b,c\"", "--bins", "2"],
        &["explain", "--attrs", "\"b,c\"", "--json"],
        &[
            "rewrite",
            &copy,
            "--attrs",
            "\"b,c\"",
            "--filters",
            "\"b,c\"=zstd:5",
        ],
        &["compare", &copy, "--attrs", "\"b,c\""],
        &["read", "--attrs", "\"b,c"],
        &["read", "--attrs", "\"b\"c"],
    ] {
        let (verb, options) = arguments.split_first().unwrap();
        let mut with_array = vec![*verb, array.as_str()];
        with_array.extend(options);
        let told = asked(&with_array).replace(&*folder.to_string_lossy(), "…");
        let told = match *verb {
            // The names of the fields are enough.
            "stats" | "explain" => {
                let fields = told.lines().filter(|line| line.contains("\"name\": "));
                let fields = fields.filter(|line| !line.contains("__"));
                fields.collect::<Vec<_>>().join("\n") + "\n"
            }
            _ => told,
        };
        let shown = arguments.join(" ").replace(&*folder.to_string_lossy(), "…");
        all += &format!("{shown}\n{told}\n");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn files_of_partitions_and_columns_of_imports_take_quotes() {
    let (folder, array) = odd("names_partitions");
    let place = |name: &str| folder.join(name).display().to_string();
    let parts = place("parts");
    asked(&[
        "export",
        &array,
        &parts,
        "--partition-by",
        "\"b,c\"",
        "--format",
        "csv",
    ]);
    let mut names: Vec<String> = fs::read_dir(&parts)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    let file = place("odd.csv");
    let imported = |name: &str, options: &[&str]| {
        let array = place(name);
        let mut arguments = vec!["import", file.as_str(), array.as_str()];
        arguments.extend(options);
        let told = asked(&arguments);
        let cells = match told.as_str() {
            "" => asked(&["head", &array, "1", "--format", "csv"]),
            _ => String::new(),
        };
        format!("{told}{cells}").replace(&*folder.to_string_lossy(), "…")
    };
    let mut all = String::new();
    for (number, options) in [
        &["--key", "\"order id\"", "--columns", "\"order id\",\"b,c\""][..],
        &["--exclude", "\"b,c\",d"],
        &["--rename", "\"b,c\"=b,d=\"e,f\""],
        &[
            "--rename",
            "order id=order,d=the rest",
            "--type",
            "order=int32,\"b,c\"=float32",
        ],
        &["--rename", "d=\"e,f\"", "--type", "\"e,f\"=float64"],
        // Invalid combinations.
        &["--rename", "d=x, y"],
        &["--rename", "d=e", "--type", "d=float32"],
        &["--exclude", "d", "--type", "d=float32"],
        &["--type", "nosuch=float32"],
        &["--type", "d"],
    ]
    .iter()
    .enumerate()
    {
        all += &format!(
            "{}\n{}\n",
            options.join(" "),
            imported(&format!("array{number}"), options)
        );
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_datatype_means_nothing_to_npy_files() {
    let (folder, array) = odd("names_npy");
    let place = |name: &str| folder.join(name).display().to_string();
    let (numbers, file) = (place("numbers"), place("numbers.npy"));
    asked(&[
        "import",
        &place("odd.csv"),
        &numbers,
        "--dense",
        "--columns",
        "d",
    ]);
    assert_eq!(asked(&["export", &numbers, &file]), "");
    let to = place("of_npy");
    for datatype in ["value=float32", "nosuch=float32"] {
        let told = asked(&["import", &file, &to, "--type", datatype]);
        assert!(
            told.starts_with("error: --type cannot be used with .npy files"),
            "{told}"
        );
        assert!(!folder.join("of_npy").exists());
    }
    drop(array);
}
