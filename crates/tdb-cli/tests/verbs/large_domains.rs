//! Dense arrays whose domain is far larger than the written part, as TileDB-Py's `full_domain` creates them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use ::tdb::{Attribute, Datatype, Dimension, Schema};
use tempfile::TempDir;

use crate::common::{failure, run, stdout, tdb};

/// Creates an array of 9.2 * 10^18 cells, with three cells written at each of these places.
fn array(folder: &TempDir, places: &[i64]) -> String {
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::dense()
        .dimension(
            Dimension::new("x", Datatype::Int64)
                .domain(0..=i64::MAX - 1_000)
                .tile(1_000),
        )
        .attribute(Attribute::new("v", Datatype::UInt8))
        .build()
        .unwrap();
    let array = ::tdb::create(&uri, &schema).unwrap();
    let now = ::tdb::Time::now().0;
    for (number, place) in (0..).zip(places) {
        let write = array.reopen().unwrap().write().at(now - 100 + number);
        let write = write.range("x", *place..=*place + 2);
        write.column("v", vec![1_u8, 2, 3]).commit().unwrap();
    }
    uri
}

#[test]
fn what_walks_over_cells_walks_over_those_that_were_written() {
    let folder = TempDir::new().unwrap();
    let uri = array(&folder, &[5]);
    let told = "too many to scan: only the non-empty domain is scanned, x=5..7";
    let asked = |arguments: &str| {
        let output = run(&arguments.replace("URI", &uri));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments}: {errors}");
        assert!(errors.contains(told), "{arguments}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(asked("read URI"), "x,v\n5,1\n6,2\n7,3\n");
    assert_eq!(asked("read URI --tail 1"), "x,v\n7,3\n");
    assert_eq!(asked("read URI --where v=2"), "x,v\n6,2\n");
    assert_eq!(asked("read URI --where v=2 --limit 1"), "x,v\n6,2\n");
    assert_eq!(asked("read URI --sort -v --limit 1"), "x,v\n7,3\n");
    assert_eq!(asked("read URI --range x=6.."), "x,v\n6,2\n7,3\n");
    assert_eq!(asked("sample URI 9").lines().count(), 4);
    assert_eq!(asked("count URI --where v>1").trim(), "2");
    assert!(asked("agg URI sum(v)").contains('6'));
    assert_eq!(asked("distinct URI v").lines().count(), 4);
    assert!(asked("stats URI --json").contains("\"count\": 3"));
    assert!(asked("hist URI v").lines().count() > 1);
    let npy = folder.path().join("v.npy");
    asked(&format!("export URI {}", npy.display()));
    assert_eq!(std::fs::read(npy).unwrap().len(), 128 + 3);
    // Filters are tried on the written cells.
    stdout(&format!("advise {uri} -q"));
}

#[test]
fn what_is_known_without_walking_is_of_the_whole_domain() {
    let folder = TempDir::new().unwrap();
    let uri = array(&folder, &[5]);
    let quiet = |arguments: &str| {
        let output = run(&arguments.replace("URI", &uri));
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{arguments}"
        );
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(quiet("count URI").trim(), "9223372036854774808");
    let of_a_range = quiet("count URI --range x=7..9223372036854000000");
    assert_eq!(of_a_range.trim(), "9223372036853999994");
    assert!(quiet("agg URI count(*)").contains("9223372036854774808"));
    assert_eq!(quiet("head URI 2"), "x,v\n0,255\n1,255\n");
    assert_eq!(quiet("read URI --limit 1"), "x,v\n0,255\n");
    assert_eq!(quiet("read URI --range x=7..8"), "x,v\n7,3\n8,255\n");
}

/// Creates an array with N dimensions, each over all 64-bit integers, with cells at these coordinates on the
/// diagonal.
fn square(
    folder: &TempDir,
    name: &str,
    datatype: Datatype,
    sides: usize,
    places: &[i64],
) -> String {
    let uri = folder.path().join(name).display().to_string();
    let ends = -9_223_372_036_854_775_800_i64..=9_223_372_036_854_775_700;
    let mut schema = Schema::dense();
    let names = ["x", "y", "z"];
    for name in names.into_iter().take(sides) {
        let dimension = Dimension::new(name, datatype);
        schema = schema.dimension(dimension.domain(ends.clone()).tile(10));
    }
    let schema = schema.attribute(Attribute::new("v", Datatype::UInt8));
    let array = ::tdb::create(&uri, &schema.build().unwrap()).unwrap();
    let now = ::tdb::Time::now().0;
    for (number, place) in (0..).zip(places) {
        let mut write = array.reopen().unwrap().write().at(now - 100 + number);
        for name in names.into_iter().take(sides) {
            write = write.range(name, *place..=*place);
        }
        write.column("v", vec![7_u8]).commit().unwrap();
    }
    uri
}

#[test]
fn more_cells_than_64_bits_count_are_told_as_that() {
    let folder = TempDir::new().unwrap();
    let uri = square(&folder, "a", Datatype::Int64, 2, &[5]);
    for question in ["count URI", "agg URI count(*)", "count URI --range x=0.."] {
        let told = failure(&question.replace("URI", &uri)).replace(&uri, "a");
        assert_eq!(
            told,
            "error: more cells are asked for than can be counted\n\
             hint: --range DIM=LO..HI asks for fewer\nexit status 2"
        );
    }
    assert_eq!(
        stdout(&format!("count {uri} --range x=0..9 --range y=1..2")).trim(),
        "20"
    );
    let cube = square(&folder, "b", Datatype::Int64, 3, &[5]);
    let told = run(&format!("read {cube}"));
    insta::assert_snapshot!(String::from_utf8_lossy(&told.stderr), @"warning: more than 2^128 cells are too many to scan: only the non-empty domain is scanned, x=5..5, y=5..5, z=5..5; all other cells have fill values");
    assert_eq!(String::from_utf8_lossy(&told.stdout), "x,y,z,v\n5,5,5,7\n");
}

#[test]
fn two_arrays_are_compared_where_either_was_written() {
    let folder = TempDir::new().unwrap();
    let old = square(&folder, "a", Datatype::Int64, 1, &[5]);
    let new = square(&folder, "b", Datatype::Int64, 1, &[5, 9]);
    let output = run(&format!("compare {old} {new}"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("only the non-empty domain is scanned, x=5..9"),
        "{told}"
    );
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout), @r"
       x  v
    ~  9  255 -> 7
    cells: 0 added, 0 removed, 1 changed
    ");
    let json = run(&format!("compare {old} {new} --json --where v=7"));
    assert!(String::from_utf8_lossy(&json.stdout).contains("\"added\": 1"));
    let far = square(&folder, "c", Datatype::Int64, 1, &[5, 1 << 40]);
    let told = failure(&format!("compare {old} {far}"));
    assert!(
        told.contains("hint: use --range x=1099511627776..1099511627776 for"),
        "{told}"
    );
}

#[test]
fn the_range_that_helps_is_of_ticks_where_ticks_are_asked_for() {
    let folder = TempDir::new().unwrap();
    let far = square(&folder, "a", Datatype::DateTimeDay, 1, &[5, 1 << 40]);
    let told = failure(&format!("read {far} --ticks"));
    assert!(
        told.contains("hint: use --range x=1099511627776..1099511627776 for"),
        "{told}"
    );
    let helped = stdout(&format!(
        "read {far} --ticks --range x=1099511627776..1099511627776"
    ));
    assert_eq!(helped, "x,v\n1099511627776,7\n");
}

#[test]
fn a_walk_that_would_not_end_is_refused_with_the_range_that_helps() {
    let folder = TempDir::new().unwrap();
    let uri = array(&folder, &[1 << 40, 5]);
    let told = failure(&format!("agg {uri} sum(v)")).replace(&uri, "a");
    insta::assert_snapshot!(told, @r"
    error: 9223372036854774808 cells are too many to scan, and so are those of the non-empty domain; fragments contain 2000 of them
    hint: use --range x=5..7 for the cells of the last write
    exit status 4
    ");
    assert_eq!(
        stdout(&format!("agg {uri} sum(v) --range x=5..7"))
            .lines()
            .last(),
        Some("     6")
    );
    let told = failure(&format!("set {uri} v=3 v=4"));
    let condition = "\"x\" >= 5 and \"x\" <= 7";
    assert!(
        told.contains(&format!(
            "hint: use `{condition}` to select the cells of the last write"
        )),
        "{told}"
    );
    let set = tdb("set")
        .args([uri.as_str(), &format!("{condition} and v=3"), "v=4"])
        .output();
    assert!(set.unwrap().status.success());
    assert!(stdout(&format!("read {uri} --range x=7 -q")).contains("7,4"));
    stdout(&format!("set {uri} x=7 v=3"));
    // Filters are tried on the last write.
    assert!(stdout(&format!("advise {uri} -q")).contains("v "));
    let empty = TempDir::new().unwrap();
    let uri = array(&empty, &[]);
    let told = failure(&format!("stats {uri}")).replace(&uri, "a");
    insta::assert_snapshot!(told, @r"
    error: 9223372036854774808 cells are too many to scan, and none of them was written
    hint: use --range DIM=LO..HI to select fewer
    exit status 4
    ");
}
