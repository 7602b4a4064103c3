//! Sorts and groups that exceed memory spill to the temporary folder, with the same result as in large memory.

use std::fs;
use std::path::Path;

use tdb::{Array, Context, ErrorKind, Order};

use crate::arranged::{array, cells, places};

/// Opens the same array with so little memory that neither all cells nor all groups fit.
fn in_little_memory(array: &Array, folder: &Path) -> Array {
    let context = Context::new()
        .memory((1 << 20) + (1 << 16))
        .temp(folder)
        .threads(2);
    context.open(array.uri()).expect("opened")
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).expect("a folder").next().is_none()
}

#[test]
fn cells_are_put_in_order_in_the_temporary_folder() {
    // This takes some sixty runs, which are merged in two passes.
    let (_folder, array) = array(&cells(200_000));
    let temp = tempfile::tempdir().expect("a folder");
    let little = in_little_memory(&array, temp.path());
    let by_each: [&[&str]; 5] = [
        &["-number"],
        &["-float", "text"],
        &["text", "-sky", "float"],
        &["-place"],
        // The cells are already in this order.
        &["place"],
    ];
    for by in by_each {
        let sorted = |array: &Array| array.read().sort(by.iter().copied());
        let expected = places(sorted(&array));
        assert_eq!(expected.len(), 200_000);
        assert!(places(sorted(&little)) == expected, "{by:?}");
        let part = places(sorted(&little).offset(123_456).limit(20_000));
        assert!(part == expected[123_456..143_456], "{by:?}");
        // A few cells need no temporary folder.
        assert!(
            places(sorted(&little).limit(30)) == expected[..30],
            "{by:?}"
        );
        assert!(
            places(sorted(&little).tail(150_000)) == expected[50_000..],
            "{by:?}"
        );
        assert!(places(sorted(&little).offset(200_001)).is_empty());
        let least = sorted(&little).attrs(["text"]).no_dims().order(Order::Row);
        let texts = |read: tdb::ReadBuilder| -> Vec<u8> {
            let batches = read
                .batches()
                .expect("begun")
                .map(|batch| batch.expect("cells"));
            let texts =
                batches.flat_map(|batch| batch.column("text").expect("texts").values.to_vec());
            texts.collect()
        };
        let wanted = sorted(&array).attrs(["text"]).no_dims().order(Order::Row);
        assert!(texts(least) == texts(wanted), "{by:?}");
        assert!(is_empty(temp.path()));
    }
}

#[test]
fn a_read_that_is_given_up_leaves_nothing_in_the_folder() {
    let (_folder, array) = array(&cells(50_000));
    let temp = tempfile::tempdir().expect("a folder");
    let little = in_little_memory(&array, temp.path());
    let mut batches = little.read().sort(["float"]).batches().expect("begun");
    batches.next().expect("cells").expect("a batch");
    assert!(!is_empty(temp.path()));
    drop(batches);
    assert!(is_empty(temp.path()));
    let mut groups = little
        .read()
        .groups("sum(number)", &["place"])
        .expect("begun");
    groups.next().expect("groups").expect("a group");
    assert!(!is_empty(temp.path()));
    drop(groups);
    assert!(is_empty(temp.path()));
}

#[test]
fn a_folder_that_is_missing_is_named_where_it_is_needed() {
    let (_folder, array) = array(&cells(50_000));
    let temp = tempfile::tempdir().expect("a folder");
    let gone = temp.path().join("gone");
    let little = in_little_memory(&array, &gone);
    assert_eq!(places(little.read().sort(["float"]).limit(5)).len(), 5);
    let told = |error: tdb::Error| {
        assert_eq!(error.kind(), ErrorKind::Store);
        error.to_string()
    };
    let wanted = format!("the temporary folder {}: not found", gone.display());
    let mut batches = little.read().sort(["float"]).batches().expect("begun");
    let error = batches.next().expect("no end").expect_err("no folder");
    assert!(told(error).contains(&wanted));
    let error = little
        .read()
        .groups("count(*)", &["place"])
        .expect_err("no folder");
    assert!(told(error).contains(&wanted));
}

#[test]
fn groups_come_one_by_one_as_they_do_together() {
    let all = cells(50_000);
    let (_folder, array) = array(&all);
    let temp = tempfile::tempdir().expect("a folder");
    let little = in_little_memory(&array, temp.path());
    let asked = "count(*), sum(number), min(text), max(float)";
    for by in [
        &["place"][..],
        &["sky", "text", "number"],
        &["number", "place"],
        &[],
    ] {
        let together = array.read().aggregate(asked, by).expect("answered");
        let groups = little.read().groups(asked, by).expect("begun");
        assert_eq!(groups.by().len(), by.len());
        let groups: Vec<_> = groups.map(|group| group.expect("a group")).collect();
        assert_eq!(
            format!("{groups:?}"),
            format!("{:?}", together.groups),
            "{by:?}"
        );
    }
    assert!(is_empty(temp.path()));
}
