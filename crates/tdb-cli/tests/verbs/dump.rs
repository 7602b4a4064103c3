//! `tdb dump`: stored objects, byte range by byte range.

use crate::common::{copy, failure, fixtures, repeatable, stdout, tdb};

/// Finds the only file in a folder whose name has this ending.
fn find(folder: &str, ending: &str) -> String {
    let files = std::fs::read_dir(fixtures().join(folder)).expect("the folder is there");
    let names = files
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    format!("{folder}/{}", names.first().expect("such a file"))
}

/// The first lines of an object's dump, without its name.
fn dump(object: &str, lines: usize) -> String {
    let text = stdout(&format!("dump {object}"));
    let (name, rest) = text.split_once(": ").expect("a title");
    assert!(object.ends_with(name), "{name}");
    let lines: Vec<&str> = rest.lines().take(lines).collect();
    repeatable(&lines.join("\n"))
}

#[test]
fn schema_and_enumeration() {
    insta::assert_snapshot!("schema", dump(&find("v22_tour/array/__schema", ""), 60));
    insta::assert_snapshot!(
        "enumeration",
        dump(&find("v22_tour/array/__schema/__enumerations", "_0"), 40)
    );
    insta::assert_snapshot!(
        "legacy_schema",
        dump("v3_sparse_basics/array/__array_schema.tdb", 40)
    );
}

#[test]
fn metadata_and_commits() {
    insta::assert_snapshot!(
        "array_metadata",
        dump(&find("v22_tour/array/__meta", ""), 40)
    );
    insta::assert_snapshot!(
        "commit",
        dump(&find("v22_tour/array/__commits", ".wrt"), 40)
    );
    insta::assert_snapshot!(
        "delete",
        dump(&find("v22_deletes/array/__commits", ".del"), 60)
    );
    insta::assert_snapshot!("group", dump(&find("v22_group/group/__group", ""), 60));
}

#[test]
fn every_object_of_every_fixture_of_some_versions() {
    for array in [
        "v3_dense_basics",
        "v5_sparse_basics",
        "v10_dense_basics",
        "v15_sparse_dups",
        "v22_labels",
        "v22_commits_merged",
        "v22_deletes_merged",
    ] {
        for object in objects(&fixtures().join(array).join("array")) {
            let text = stdout(&format!("dump {}", object.display()));
            assert!(!text.contains("of no known kind"), "{}", object.display());
        }
    }
}

fn objects(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            found.extend(objects(&entry.path()))
        } else {
            found.push(entry.path())
        }
    }
    found
}

#[test]
fn fragment_metadata_and_data() {
    let fragment = |array: &str, folder: &str| {
        let folder = format!("{array}/array/{folder}");
        let folders = std::fs::read_dir(fixtures().join(&folder)).expect("the folder is there");
        let mut names: Vec<String> = (folders.flatten())
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        format!("{folder}/{}", names[0])
    };
    let v22 = fragment("v22_tour", "__fragments");
    insta::assert_snapshot!(
        "fragment_v22",
        dump(&format!("{v22}/__fragment_metadata.tdb"), 10_000)
    );
    insta::assert_snapshot!("data", dump(&format!("{v22}/a3_var.tdb"), 100));
    insta::assert_snapshot!("data_offsets", dump(&format!("{v22}/a3.tdb"), 6));
    insta::assert_snapshot!("data_fixed", dump(&format!("{v22}/a0.tdb"), 6));
    insta::assert_snapshot!("data_validity", dump(&format!("{v22}/a1_validity.tdb"), 6));
    let coordinates = fragment("v3_sparse_basics", "");
    let coordinates = dump(&format!("{coordinates}/__coords.tdb"), 7);
    insta::assert_snapshot!("data_coordinates", coordinates);
    let merged = objects(&fixtures().join("v22_merged_sparse/array"));
    let mut times = merged.iter().filter(|path| path.ends_with("t.tdb"));
    let times = times.next().expect("times of cells").display().to_string();
    insta::assert_snapshot!("data_times", dump(&times, 6));
    let v3 = fragment("v3_dense_basics", "");
    insta::assert_snapshot!(
        "fragment_v3",
        dump(&format!("{v3}/__fragment_metadata.tdb"), 10_000)
    );
}

#[test]
fn chunks_are_shown_where_the_array_does_not_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("array");
    copy(&fixtures().join("v3_sparse_basics/array"), &array);
    let coordinates = objects(&array).into_iter();
    let mut coordinates = coordinates.filter(|path| path.ends_with("__coords.tdb"));
    let object = coordinates.next().expect("coordinates");
    let metadata = object.with_file_name("__fragment_metadata.tdb");
    let dump = || {
        let output = tdb("dump").arg(&object).output().expect("it runs");
        assert!(output.status.success());
        (
            output.stdout,
            String::from_utf8(output.stderr).expect("text"),
        )
    };
    let (whole, said) = dump();
    assert_eq!(said, "");
    std::fs::write(metadata, b"nothing").expect("a file");
    let (chunks, said) = dump();
    assert!(said.starts_with("warning: no values are shown: "), "{said}");
    let is_of_values = |line: &&str| line.contains(" cells of ") || line.starts_with("values of ");
    let whole = String::from_utf8(whole).expect("text");
    let without: Vec<&str> = whole.lines().filter(|line| !is_of_values(line)).collect();
    let chunks = String::from_utf8(chunks).expect("text");
    assert!(without.len() > 3 && without.len() < whole.lines().count());
    assert_eq!(chunks.lines().collect::<Vec<_>>(), without);
}

#[test]
fn what_is_no_object() {
    insta::assert_snapshot!("folder", failure("dump v22_tour/array"));
    insta::assert_snapshot!("missing", failure("dump v22_tour/array/__schema/nothing"));
}

#[test]
fn consolidated_metadata_and_commits() {
    let array = "v22_commits_merged/array";
    insta::assert_snapshot!(
        "merged_commits",
        dump(&find(&format!("{array}/__commits"), ".con"), 40)
    );
    let footers = dump(&find("v22_footers/array/__fragment_meta", ".meta"), 10_000);
    insta::assert_snapshot!("footers", footers);
}
