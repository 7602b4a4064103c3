//! Results cannot be written into arrays, and the stream of a failed writer is not accepted as a result.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{copy, fixtures, run, stdout, tdb, told};

/// Runs a command and returns its messages, with the folder replaced by `…`.
fn refusal(folder: &Path, arguments: &str) -> String {
    told(&run(arguments)).replace(&folder.display().to_string(), "…")
}

#[test]
fn a_result_within_an_array_is_refused_and_the_array_opens_still() {
    let folder = tempfile::tempdir().unwrap();
    let within = folder.path();
    let array = within.join("a").display().to_string();
    copy(
        &fixtures().join("v22_dense_basics/array"),
        Path::new(&array),
    );
    copy(&fixtures().join("v22_group/group"), &within.join("g"));
    let link = within.join("link");
    std::os::unix::fs::symlink(format!("{array}/__schema"), &link).unwrap();
    let refused = [
        format!("read {array} -o {array}/x.csv"),
        format!("read {array} -o {array}/__schema/x.csv"),
        format!("read {array} -o {}/x.csv", link.display()),
        format!("export {array} {array}/__meta/x.parquet"),
        format!("export {array} {array}/parts --max-rows 2 --format csv"),
        format!("man {array}"),
        format!("man {}/new/deep", link.display()),
        format!("map {array} --svg {array}/__fragments/x.svg"),
        format!("show {array} --png {array}/__commits/x.png"),
        format!("info {array} -o {}/g/__group/x.txt", within.display()),
    ];
    let before = stdout(&format!("info {array}"));
    for arguments in refused {
        let said = refusal(within, &arguments);
        assert!(said.contains("lies inside the "), "{arguments}: {said}");
        assert!(said.ends_with("exit status 2"), "{arguments}: {said}");
    }
    assert_eq!(stdout(&format!("info {array}")), before);
    // Files may be written next to an array, and next to the members of a group.
    stdout(&format!("read {array} -o {}/x.csv", within.display()));
    stdout(&format!("read {array} -o {}/g/x.csv", within.display()));
    insta::assert_snapshot!(refusal(within, &format!("read {array} -o {array}/x.csv")), @r"
    error: …/a/x.csv: lies inside the array …/a
    hint: choose a place outside of it: a file there could keep the array from being opened
    exit status 2
    ");
}

fn imported(stream: &Path, arguments: &str) -> Output {
    let mut command = tdb(arguments);
    command.stdin(fs::File::open(stream).unwrap());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.output().unwrap()
}

#[test]
fn a_stream_that_ends_without_its_end_marker_is_stored_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream");
    let mut bytes = run("read v22_tour/array --format arrow").stdout;
    bytes.truncate(bytes.len() - 8);
    fs::write(&stream, bytes).unwrap();
    let array = folder.path().join("a").display().to_string();
    let import = format!("import - {array} --format arrow --dim station,hour --quiet");
    insta::assert_snapshot!(told(&imported(&stream, &import)), @r"
    error: standard input: the stream of Arrow ends without its end marker: what wrote it failed, or writes none
    hint: --allow-unended takes what came for all of it
    exit status 2
    ");
    assert!(!Path::new(&array).exists(), "nothing is stored");
    let allowed = imported(&stream, &format!("{import} --allow-unended"));
    assert!(allowed.status.success(), "{}", told(&allowed));
    assert_eq!(stdout(&format!("count {array}")), "80\n");
    let csv = told(&imported(
        &stream,
        &format!("import - {array}2 --format csv --allow-unended"),
    ));
    assert!(
        csv.contains("--allow-unended cannot be used with files other than Arrow"),
        "{csv}"
    );
}
