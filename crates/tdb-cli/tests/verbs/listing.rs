//! Listings with what they tell of each array and group.

use crate::common::{copy, fixtures, run, stdout, tdb, told};

#[test]
fn long_listings_tell_shape_size_and_soma_type() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    copy(&fixtures().join("v22_tour/array"), &at("study/obs"));
    copy(&fixtures().join("v22_dense_basics/array"), &at("study/X"));
    let shown = |arguments: &str| {
        let output = tdb(arguments)
            .current_dir(&folder)
            .output()
            .expect("it runs");
        told(&output).replace(&folder.path().display().to_string(), "")
    };
    std::fs::remove_dir_all(at("study/__meta")).ok();
    assert!(shown("group create all").ends_with("exit status 0"));
    std::fs::rename(at("study/obs"), at("all/obs")).expect("moved");
    std::fs::rename(at("study/X"), at("all/X")).expect("moved");
    assert!(shown("group add all all/obs").ends_with("exit status 0"));
    assert!(shown("group add all all/X --name dense").ends_with("exit status 0"));
    shown("meta set all soma_object_type SOMAExperiment --type string_utf8");
    shown("meta set all/obs soma_object_type SOMADataFrame --type string_utf8");
    insta::assert_snapshot!(shown("ls -l all"), @r#"
    type       cells      size  soma           name   at
    array      7 x 9  97.0 KiB                 dense  X
    array  84 stored  24.5 KiB  SOMADataFrame  obs
    exit status 0
    "#);
    insta::assert_snapshot!(shown("tree -l ."), @r#"
    .
    └── all  group  122 KiB  SOMAExperiment
        ├── dense  array  7 x 9  97.0 KiB
        └── obs  array  84 stored  24.5 KiB  SOMADataFrame
    exit status 0
    "#);
    insta::assert_snapshot!(shown("group ls all"), @r#"
    name   type   relative  uri
    dense  array  yes       file:///all/X
    obs    array  yes       file:///all/obs
    exit status 0
    "#);
    // What cannot be opened does not keep the others from being listed.
    std::fs::remove_dir_all(at("all/X/__fragments")).expect("removed");
    let commits = at("all/X/__commits");
    assert!(commits.is_dir());
    let json = shown("ls -l all --json");
    assert!(
        json.contains("\"soma_object_type\": \"SOMADataFrame\""),
        "{json}"
    );
    assert!(json.contains("\"problem\": "), "{json}");
}

#[test]
fn an_empty_folder_is_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("e")).expect("made");
    let output = tdb("ls .").current_dir(&folder).output().expect("it runs");
    assert_eq!(told(&output), "folder  e\nexit status 0");
}

#[test]
fn cells_stand_below_each_other_where_that_is_asked_for() {
    insta::assert_snapshot!(stdout("head v22_tour/array 2 --vertical"), @r#"
    -- cell 1
    station      BGN
    hour         2024-04-10T00
    temperature  -1.25
    pressure     1015
    sky          rain
    remark
    -- cell 2
    station      BGN
    hour         2024-04-10T03
    temperature  -1.75
    pressure     null
    sky          snow
    remark
    "#);
    assert!(
        stdout("head v22_tour/array 2 --wide").starts_with("station           hour  temperature")
    );
    insta::assert_snapshot!(told(&run("read v22_tour/array --vertical --format csv")), @r#"
    error: --wide and --vertical are for tables
    exit status 2
    "#);
}
