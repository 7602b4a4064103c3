//! Programs killed while they create an array: afterwards there is no array or a complete one, and the same command
//! finishes the work.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::changing::{failure, folder};
use crate::common::{run, stdout, tdb};

const ROWS: u32 = 200_000;

/// Writes a file with shuffled rows.
fn rows(folder: &Path) -> String {
    let mut rows = "id,name,value\n".to_owned();
    for row in 0..ROWS {
        let id = row.wrapping_mul(7_919) % ROWS;
        writeln!(rows, "{id},n{},{}.5", row % 97, row % 1_013).unwrap();
    }
    let file = folder.join("cells.csv");
    fs::write(&file, rows).unwrap();
    file.display().to_string()
}

/// Runs the program and kills it after a delay.
fn killed(command: &str, after: Duration) {
    let mut child = tdb(command);
    let child = child.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().unwrap();
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Names in a folder; empty if it does not exist.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Makes the claims of killed processes look old.
fn age_claims(array: &Path) {
    for name in names(array) {
        if let Some(rest) = name.strip_prefix("__tdb_claim_") {
            let id = rest.split_once('_').unwrap().1;
            fs::rename(array.join(&name), array.join(format!("__tdb_claim_1_{id}"))).unwrap();
        }
    }
}

/// Kills a command at points spread over its run time, and runs it again each time. Returns how often an incomplete
/// array was left.
fn kill_everywhere(command: &str, array: &Path) -> u32 {
    let begun = Instant::now();
    stdout(command);
    let takes = begun.elapsed();
    fs::remove_dir_all(array).unwrap();
    let uri = array.display();
    let mut left = 0;
    for step in 1..=8_u32 {
        killed(command, takes.mul_f64(f64::from(step) / 8.0));
        let info = run(&format!("info {uri}"));
        let is_array = names(&array.join("__schema"))
            .iter()
            .any(|name| name != "__enumerations");
        assert_eq!(info.status.success(), is_array, "{step}");
        if is_array {
            assert_eq!(stdout(&format!("count {uri}")), format!("{ROWS}\n"));
            stdout(&format!("clean {uri} --grace 0s --apply"));
        } else {
            assert_eq!(
                names(&array.join("__schema")),
                Vec::<String>::new(),
                "{step}"
            );
            left += u32::from(array.join("__tdb_unfinished").exists());
            age_claims(array);
            stdout(command);
        }
        assert_eq!(stdout(&format!("count {uri}")), format!("{ROWS}\n"));
        let strange = |name: &&String| name.starts_with("__tdb_");
        assert_eq!(names(array).iter().find(strange), None, "{step}");
        fs::remove_dir_all(array).unwrap();
    }
    left
}

#[test]
fn a_killed_import_leaves_no_array_or_the_whole_one() {
    let folder = folder("killed_import");
    let (file, array) = (rows(&folder), folder.join("array"));
    let command = format!(
        "import {file} {} --key id --max-fragment 500000",
        array.display()
    );
    let left = kill_everywhere(&command, &array);
    assert!(left > 0);
}

#[test]
fn a_killed_rewrite_leaves_no_array_or_the_whole_one() {
    let folder = folder("killed_rewrite");
    let (file, old) = (rows(&folder), folder.join("old").display().to_string());
    stdout(&format!("import {file} {old} --key id"));
    let array = folder.join("array");
    let command = format!("rewrite {old} {} --capacity 1000", array.display());
    let left = kill_everywhere(&command, &array);
    assert!(left > 0);
}

/// Creates the state that a killed import leaves.
fn left_by_an_import(folder: &Path) -> String {
    let array = folder.join("array").display().to_string();
    let file = folder.join("cells.csv");
    fs::write(&file, "id,value\n1,2\n3,4\n").unwrap();
    stdout(&format!("import {} {array} --key id", file.display()));
    let root = Path::new(&array);
    fs::create_dir(root.join("__tdb_unfinished")).unwrap();
    fs::rename(root.join("__schema"), root.join("__tdb_unfinished/schema")).unwrap();
    fs::write(root.join("__tdb_unfinished/import"), "").unwrap();
    array
}

#[test]
fn what_is_not_whole_is_told_in_words_and_removed() {
    let folder = folder("not_whole");
    let array = left_by_an_import(&folder);
    let hint = "hint: run the same import again to finish it, or tdb rm …/array to remove the rest";
    let told = format!(
        "3 error: …/array: there is an unfinished import here, not an array: it is still running, or was interrupted\n{hint}\n"
    );
    for verb in [
        "info", "verify", "clean", "read", "count", "schema", "meta ls", "vacuum",
    ] {
        let failure = failure(&format!("{verb} {array}"), &folder);
        assert_eq!(failure, told, "{verb}");
    }
    let listed = stdout(&format!("ls {}", folder.display()));
    insta::assert_snapshot!(listed, @"unfinished import  array");
    assert_eq!(stdout(&format!("ls -R {}", folder.display())), listed);
    stdout(&format!("rm {array}"));
    assert!(!Path::new(&array).exists());
}

#[test]
fn what_is_left_in_a_whole_array_is_cleaned() {
    let folder = folder("left_in_whole");
    let array = left_by_an_import(&folder);
    let root = Path::new(&array);
    fs::create_dir(root.join("__tdb_unfinished/empty")).unwrap();
    // Killed after the schema was written, before the draft was removed.
    fs::create_dir(root.join("__schema")).unwrap();
    for name in names(&root.join("__tdb_unfinished/schema")) {
        let copy = root.join("__schema").join(&name);
        fs::copy(root.join("__tdb_unfinished/schema").join(&name), copy).unwrap();
    }
    fs::write(
        root.join("__tdb_claim_1_00000000000000000000000000000001"),
        "",
    )
    .unwrap();
    assert_eq!(stdout(&format!("count {array}")), "2\n");
    assert_eq!(stdout(&format!("clean {array}")), "");
    insta::assert_snapshot!(stdout(&format!("clean {array} --grace 0s")), @r"
    remove __tdb_claim_1_00000000000000000000000000000001: a claim to make or change the array: left by a program that was stopped
    remove __tdb_unfinished/: the array is whole: left by the import or rewrite that made it
    ");
    stdout(&format!("clean {array} --grace 0s --apply"));
    assert_eq!(names(root), ["__commits", "__fragments", "__schema"]);
    // Killed when only empty folders of the draft were left.
    fs::create_dir_all(root.join("__tdb_unfinished/schema/__enumerations")).unwrap();
    stdout(&format!("clean {array} --grace 0s --apply"));
    assert_eq!(names(root), ["__commits", "__fragments", "__schema"]);
    assert_eq!(stdout(&format!("count {array}")), "2\n");
}
