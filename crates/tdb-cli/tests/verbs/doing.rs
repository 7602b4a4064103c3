//! What changing verbs report: on standard error, as JSON, and in dry runs.

use std::fs;

use crate::changing::{made, of_schema};
use crate::common::{repeatable, run, stdout, told};

/// Runs a verb and returns its output and messages, with the folder replaced by `…`.
fn said(arguments: &str, folder: &std::path::Path) -> String {
    let text = told(&run(arguments)).replace(&*folder.to_string_lossy(), "…");
    repeatable(&text)
}

const WIND: &str = r#"{"name":"wind","datatype":"float32"}"#;

#[test]
fn an_evolution_says_what_it_changes() {
    let (folder, array) = made("doing_evolve");
    let evolve = format!("evolve {array} --add-attr {WIND} --drop-attr a --at 130");
    insta::assert_snapshot!(said(&format!("{evolve} --dry-run"), &folder), @r#"
    added attribute "wind" (float32)
    dropped attribute "a"
    nothing is stored: this is a dry run
    exit status 0
    "#);
    insta::assert_snapshot!(said(&format!("{evolve} --dry-run --json"), &folder), @r#"
    {
      "dry_run": true,
      "changes": [
        "added attribute \"wind\" (float32)",
        "dropped attribute \"a\""
      ],
      "schema": null
    }
    exit status 0
    "#);
    assert!(!stdout(&format!("schema {array} --json")).contains("wind"));
    insta::assert_snapshot!(said(&evolve, &folder), @r#"
    added attribute "wind" (float32); dropped attribute "a": schema __130_130_0123456789abcdef0123456789abcdef
    exit status 0
    "#);
    let domain = format!("evolve {array} --current-domain {{\"x\":[1,5]}} --at 140 --json");
    insta::assert_snapshot!(said(&domain, &folder), @r#"
    {
      "dry_run": false,
      "changes": [
        "current domain is x 1 .. 5"
      ],
      "schema": "__140_140_0123456789abcdef0123456789abcdef"
    }
    exit status 0
    "#);
    let refused = format!("evolve {array} --drop-attr wind --at 120 --dry-run");
    assert!(told(&run(&refused)).ends_with("exit status 2"));
    let quiet = run(&format!("evolve {array} --upgrade --at 150 -q"));
    assert!(quiet.stderr.is_empty() && quiet.stdout.is_empty());
}

#[test]
fn metadata_says_what_it_was() {
    let (folder, array) = made("doing_meta");
    let said = |arguments: &str| said(&arguments.replace("ARRAY", &array), &folder);
    insta::assert_snapshot!(said("meta set ARRAY place Kloten --at 110"), @r#"
    set "place" to Kloten (string_utf8)
    exit status 0
    "#);
    insta::assert_snapshot!(said("meta set ARRAY place Bern --at 120"), @r#"
    set "place" to Bern (string_utf8), was Kloten
    exit status 0
    "#);
    insta::assert_snapshot!(said("meta set ARRAY n [1,2] --at 120 --json"), @r#"
    {
      "key": "n",
      "new": {
        "datatype": "int64",
        "count": 2,
        "value": [
          1,
          2
        ]
      },
      "old": null
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said("meta rm ARRAY place --at 130 --dry-run"), @r#"
    would remove "place": Bern
    exit status 0
    "#);
    assert_eq!(stdout(&format!("meta get {array} place")), "Bern\n");
    insta::assert_snapshot!(said("meta rm ARRAY place --at 130 --dry-run --json"), @r#"
    {
      "dry_run": true,
      "key": "place",
      "old": {
        "datatype": "string_utf8",
        "count": 4,
        "value": "Bern"
      }
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said("meta rm ARRAY place --at 130"), @r#"
    removed "place", which was Bern
    exit status 0
    "#);
    insta::assert_snapshot!(said("meta rm ARRAY place --at 140 --dry-run"), @r#"
    error: …/array: there is no metadata under the key "place"
    hint: tdb meta ls …/array lists the keys
    exit status 3
    "#);
    let long = "x".repeat(500);
    assert!(said(&format!("meta set ARRAY long {long} --at 150")).len() < 120);
    assert_eq!(said("meta set ARRAY n 1 --at 160 -q"), "exit status 0");
}

#[test]
fn groups_say_who_came_and_went() {
    let (folder, array) = made("doing_group");
    let group = folder.join("group").display().to_string();
    let schema = folder.join("schema.json").display().to_string();
    let said = |arguments: &str| {
        let arguments = arguments.replace("GROUP", &group).replace("ARRAY", &array);
        said(&arguments, &folder)
    };
    insta::assert_snapshot!(said("group create GROUP"), @r"
    made …/group: a group without members
    exit status 0
    ");
    insta::assert_snapshot!(said("group create GROUP/below --json"), @r#"
    {
      "uri": "…/group/below",
      "type": "group"
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said(&format!("create GROUP/inner --schema {schema}")), @r"
    made …/group/inner: sparse, 1 dimension, 1 attribute
    exit status 0
    ");
    insta::assert_snapshot!(said(&format!("create GROUP/other --schema {schema} --json")), @r#"
    {
      "uri": "…/group/other",
      "type": "sparse",
      "dimensions": [
        "x"
      ],
      "attributes": [
        "a"
      ]
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said("group add GROUP GROUP/inner --at 10"), @r#"
    added array "inner" (file://…/group/inner), kept relative to the group
    exit status 0
    "#);
    // A member outside the group gets a name as well.
    insta::assert_snapshot!(said("group add GROUP ARRAY --at 20 --json"), @r#"
    {
      "name": "array",
      "uri": "file://…/array",
      "relative": false,
      "type": "array"
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said("group rm GROUP array --at 30 --dry-run"), @r#"
    would remove array "array" (file://…/array)
    exit status 0
    "#);
    insta::assert_snapshot!(said("group rm GROUP array --at 30 --dry-run --json"), @r#"
    {
      "name": "array",
      "uri": "file://…/array",
      "relative": false,
      "type": "array",
      "dry_run": true
    }
    exit status 0
    "#);
    assert!(stdout(&format!("group ls {group}")).contains("array"));
    insta::assert_snapshot!(said("group rm GROUP array --at 30"), @r#"
    removed array "array" (file://…/array) from the group; it is kept where it is
    exit status 0
    "#);
    insta::assert_snapshot!(said("group rm GROUP array --at 40 --dry-run"), @r#"
    error: …/group: there is no member called "array"
    hint: tdb group ls …/group lists them
    exit status 3
    "#);
}

#[test]
fn merged_commits_and_metadata_are_counted() {
    let (folder, array) = made("doing_merge");
    let file = folder.join("rows.csv");
    for time in [110, 120, 130] {
        fs::write(&file, format!("x,a\n{},1\n", time / 20)).unwrap();
        let file = file.display();
        stdout(&format!("write {array} {file} --at {time}"));
        stdout(&format!("meta set {array} k {time} --at {time}"));
    }
    for (mode, what) in [
        ("commits", "the commits"),
        ("fragment-meta", "the footers of the fragments"),
        ("array-meta", "the metadata"),
    ] {
        let consolidate = format!("consolidate {array} --mode {mode}");
        assert!(said(&format!("{consolidate} --dry-run"), &folder).starts_with("write __"));
        let text = said(&consolidate, &folder);
        let wanted = format!("merged {what} into 1 object (");
        assert!(text.starts_with(&wanted), "{text}");
    }
}

#[test]
fn a_delete_that_cannot_be_stored_has_a_way_round() {
    let (folder, array) = made("doing_delete");
    let file = folder.join("rows.csv");
    fs::write(&file, "x,a\n1,-1\n2,\n3,5\n4,-2\n").unwrap();
    stdout(&format!("write {array} {} --at 110", file.display()));
    let condition = "a<0 and a is not null";
    let mut delete = crate::common::tdb(&format!("delete {array} --at 120 --where"));
    let refused = delete.arg(condition).output().unwrap();
    insta::assert_snapshot!(told(&refused), @r#"
    error: a delete cannot ask whether "a" is null
    hint: TileDB cannot read an array with such a delete; use --by-coordinates; or, if null cells may be deleted as well, leave out that test and use --with-nulls
    exit status 2
    "#);
    // The command that the hint suggests.
    let mut read = crate::common::tdb(&format!("read {array} --attrs a --where"));
    let rows = read.arg(condition).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&rows.stdout), "x,a\n1,-1\n4,-2\n");
    let mut delete =
        crate::common::tdb(&format!("delete {array} --at 130 --by-coordinates --where"));
    let deleted = delete.arg(condition).output().unwrap();
    insta::assert_snapshot!(told(&deleted), @r"
    deleted cells where a<0 and a is not null: 2 of 4
    exit status 0
    ");
    assert_eq!(stdout(&format!("read {array}")), "x,a\n2,\n3,5\n");
}

#[test]
fn the_time_of_a_change_is_not_that_of_the_array() {
    for verb in [
        "write",
        "set",
        "evolve",
        "meta set",
        "group add",
        "create",
        "restore",
        "rewrite",
    ] {
        let help = stdout(&format!("{verb} --help"));
        assert!(help.contains("Time of the change"), "{verb}: {help}");
        assert!(!help.contains("The array as of"), "{verb}: {help}");
    }
    assert!(stdout("read --help").contains("The array as of T"));
    assert!(stdout("consolidate --help").contains("Only what was written up to T"));
    assert!(stdout("create --help").contains("A short schema:"));
}

#[test]
fn a_year_alone_is_hinted_and_yesterday_is_taken() {
    let (folder, array) = of_schema("doing_years", crate::changing::SCHEMA);
    insta::assert_snapshot!(said(&format!("restore {array} --to 2020 --dry-run"), &folder), @r"
    restore …/array: no cell differs
    warning: --to 2020 is 1970-01-01T00:00:02.020Z, since a number is milliseconds since 1970; the year? write 2020-01-01
    exit status 0
    ");
    insta::assert_snapshot!(said(&format!("count {array} --at yesterday"), &folder), @r"
    0
    exit status 0
    ");
    insta::assert_snapshot!(said("count v22_tour/array --ticks --range hour=2023-12-30", &folder), @r#"
    error: range of "hour": "2023-12-30" is not a number of ticks of datetime_hr
    hint: with --ticks, dates and times are raw numbers; without, they are ISO 8601
    exit status 2
    "#);
}
