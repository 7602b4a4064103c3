//! Files that other programs leave in the folders of arrays and groups: they are skipped with a warning, and `clean`
//! removes them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::common::{copy, fixtures, run, stdout, told};

/// Files left by file managers, network file systems and archives.
const STRAYS: [&str; 6] = [
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    "._x",
    ".nfs0001",
    "__enumerations_$folder$",
];

/// Suffixes that synchronization programs append to the name of a conflicting file.
const DOUBLES: [&str; 3] = [" (1)", " (conflicted copy 2024-01-01)", "~"];

fn copied(golden: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("x");
    copy(&fixtures().join(golden), &place);
    (folder, place)
}

/// Adds stray files, and a duplicate of each object, to a folder. Returns the number of added files.
fn litter(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    STRAYS
        .iter()
        .for_each(|name| fs::write(folder.join(name), "").unwrap());
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        for double in DOUBLES {
            fs::copy(file, folder.join(format!("{name}{double}"))).unwrap();
        }
    }
    STRAYS.len() + files.len() * DOUBLES.len()
}

#[test]
fn an_array_with_files_of_others_is_read_and_cleaned() {
    let (_folder, array) = copied("v22_metadata/array");
    let uri = array.display().to_string();
    let look = |verb: &str| stdout(&verb.replace("URI", &uri));
    let verbs = ["read URI --format csv", "meta ls URI", "info URI --json"];
    let [cells, metadata, _] = verbs.map(look);
    let strays = litter(&array.join("__schema")) + litter(&array.join("__meta"));
    assert_eq!((look(verbs[0]), look(verbs[1])), (cells.clone(), metadata));
    let told_of = |output: &std::process::Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.matches("no object of TileDB").count()
    };
    for verb in ["count URI", "meta ls URI", "verify URI"] {
        let output = run(&verb.replace("URI", &uri));
        assert_eq!(told_of(&output), strays, "{verb}: {}", told(&output));
        assert_eq!(output.status.code(), Some(0), "{verb}");
    }
    let json = look("verify URI --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["warnings"].as_array().unwrap().len(), strays);
    let listed = look("clean URI --grace 0s");
    for name in STRAYS {
        assert!(listed.contains(name), "{name}: {listed}");
    }
    look("clean URI --grace 0s --apply");
    let output = run(&format!("verify {uri}"));
    assert_eq!(told_of(&output), 0, "{}", told(&output));
    assert_eq!(look(verbs[0]), cells);
}

#[test]
fn a_damaged_name_of_tiledb_is_still_an_error() {
    let (_folder, array) = copied("v22_metadata/array");
    fs::write(array.join("__schema/__what"), "").unwrap();
    let output = run(&format!("count {}", array.display()));
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
}

#[test]
fn a_group_with_files_of_others_is_looked_through_and_copied() {
    let (folder, group) = copied("v22_group/group");
    let uri = group.display().to_string();
    let members = stdout(&format!("group ls {uri}"));
    let strays = litter(&group.join("__group"));
    assert_eq!(stdout(&format!("group ls {uri}")), members);
    let output = run(&format!("verify {uri}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        said.matches("no object of TileDB").count(),
        strays,
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    let other = folder.path().join("y");
    stdout(&format!("cp {uri} {}", other.display()));
    let copied = stdout(&format!("group ls {}", other.display()));
    assert_eq!(copied.replace("/y/", "/x/"), members);
}
