//! Data that exceeds memory goes to the temporary folder: groups, sorted results, partitioned exports.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::common::{failure, run, stdout};

const ROWS: usize = 200_000;

/// Key of a row: shuffled, each value twice, some null.
fn key(row: usize) -> Option<usize> {
    let key = (row * 7919) % (ROWS / 2);
    (key % 1000 != 3).then_some(key)
}

/// Creates an array whose groups by `k`, and whose cells, exceed the memory of the tests.
fn array() -> &'static str {
    static MADE: OnceLock<String> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spilling");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut rows = "id,k,part,text,x\n".to_owned();
        for row in 0..ROWS {
            let key = key(row).map_or(String::new(), |key| key.to_string());
            let part = (row * 31) % 401;
            writeln!(
                rows,
                "{row},{key},{part},t{:06},{}",
                (row * 17) % ROWS,
                row as i64 - 1000
            )
            .unwrap();
        }
        let (file, array) = (folder.join("cells.csv"), folder.join("array"));
        fs::write(&file, rows).unwrap();
        let (file, array) = (file.display().to_string(), array.display().to_string());
        stdout(&format!("import {file} {array} --key id"));
        array
    })
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// Output formats whose bytes depend on the cells alone.
const TEXTS: [&str; 4] = ["", "--json", "-o x.csv", "-o x.jsonl"];

/// Checks that results with much and with little memory are equal in each of these formats, and that the temporary
/// folder is empty afterwards.
fn are_the_same(verb: &str, more: &str, forms: &[&str]) {
    let question = format!("{verb} {} {more}", array());
    let temp = tempfile::tempdir().unwrap();
    let little = format!("--memory 5MB --temp {}", temp.path().display());
    for form in forms {
        let folder = tempfile::tempdir().unwrap();
        let answer = |memory: &str, name: &str| {
            let file = folder.path().join(name).display().to_string();
            let form = form.replace("x.", &format!("{file}."));
            let said = stdout(&format!("{question} {form} {memory}"));
            let ending = form.split('.').next_back().unwrap_or("");
            let written = fs::read(format!("{file}.{ending}"));
            written.unwrap_or(said.into_bytes())
        };
        let (wanted, found) = (answer("--memory 1GiB", "much"), answer(&little, "little"));
        assert!(wanted.len() > 1000, "{question} {form}");
        assert!(wanted == found, "{question} {form}");
        assert!(is_empty(temp.path()), "{question} {form}");
    }
    // Without the temporary folder the verb fails, so it does not work in memory alone.
    let gone = temp.path().join("gone");
    let told = failure(&format!(
        "{question} --memory 5MB --temp {}",
        gone.display()
    ));
    let wanted = format!("the temporary folder {}: not found\n", gone.display());
    assert!(told.contains(&wanted), "{told}");
    assert!(
        told.contains("hint: --temp names another folder for what memory cannot hold"),
        "{told}"
    );
}

#[test]
fn groups_are_those_of_much_memory() {
    are_the_same(
        "agg",
        "count(*),sum(x),min(text),max(x),mean(x) --by k",
        &TEXTS,
    );
    let files = ["-o x.parquet", "-o x.arrow", "-o x.csv"];
    are_the_same("agg", "count(k) --by text,part", &files);
}

#[test]
fn distinct_values_are_those_of_much_memory() {
    let temp = tempfile::tempdir().unwrap();
    let little = format!("--memory 5MB --temp {}", temp.path().display());
    for fields in ["k", "text", "part k --counts"] {
        let ask = |memory: &str| stdout(&format!("distinct {} {fields} {memory}", array()));
        assert!(ask(&little) == ask(""), "{fields}");
    }
    let keys = stdout(&format!("distinct {} k {little}", array()));
    let mut wanted: Vec<usize> = (0..ROWS).filter_map(key).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let found: Vec<&str> = keys.lines().map(str::trim).collect();
    assert_eq!((found.len(), found[0]), (wanted.len() + 2, "k"));
    assert_eq!(found[found.len() - 1], "null");
    let found = found.iter().skip(1).take(wanted.len());
    assert!(
        found
            .zip(&wanted)
            .all(|(found, wanted)| *found == wanted.to_string())
    );
    assert!(is_empty(temp.path()));
}

#[test]
fn orders_by_values_are_those_of_much_memory() {
    are_the_same("read", "--sort -k,text", &TEXTS);
    are_the_same("read", "--attrs x --sort -text --offset 10", &TEXTS);
}

#[test]
fn what_is_no_folder_is_an_error_that_names_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let file = file.path().display();
    for (verb, more) in [("agg", "sum(x) --by k"), ("read", "--sort x")] {
        let told = failure(&format!(
            "{verb} {} {more} --memory 5MB --temp {file}",
            array()
        ));
        assert!(
            told.contains(&format!("the temporary folder {file}: ")),
            "{told}"
        );
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn parts_whose_cells_come_in_no_order_are_few_files() {
    let (temp, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = out.path().join("parts");
    let output = run(&format!(
        "export {} {} --partition-by part --format csv --memory 5MB --temp {}",
        array(),
        folder.display(),
        temp.path().display()
    ));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(is_empty(temp.path()));
    let files = files(&folder);
    // One or two files per partition.
    assert!((401..=802).contains(&files.len()), "{} files", files.len());
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for file in files {
        let parent = file
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap();
        let part: usize = parent.strip_prefix("part=").unwrap().parse().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let ids = text
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap().parse().unwrap());
        found
            .entry(part)
            .or_default()
            .extend(ids.collect::<Vec<usize>>());
    }
    let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for row in 0..ROWS {
        wanted.entry((row * 31) % 401).or_default().push(row);
    }
    for ids in found.values_mut() {
        ids.sort_unstable();
    }
    assert!(found == wanted);
}
