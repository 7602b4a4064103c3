//! Verbs that create and change arrays and groups.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{fixtures, run, stdout, told};

/// Creates an empty folder named after the test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub(crate) const SCHEMA: &str = r#"{"type": "sparse",
    "dimensions": [{"name": "x", "datatype": "int32", "domain": [1, 10], "extent": 5}],
    "attributes": [{"name": "a", "datatype": "int32", "nullable": true}]}"#;

/// Runs a command that must fail. Returns its status and messages, with the folder replaced by `…`.
pub(crate) fn failure(arguments: &str, folder: &Path) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stderr).replace(&*folder.to_string_lossy(), "…");
    format!("{} {text}", output.status.code().unwrap())
}

pub(crate) fn made(name: &str) -> (PathBuf, String) {
    of_schema(name, SCHEMA)
}

/// Creates an array with this schema. Returns its folder and the array's path.
pub(crate) fn of_schema(name: &str, json: &str) -> (PathBuf, String) {
    let folder = folder(name);
    let schema = folder.join("schema.json");
    fs::write(&schema, json).unwrap();
    let array = folder.join("array").display().to_string();
    stdout(&format!(
        "create {array} --schema {} --at 100",
        schema.display()
    ));
    (folder, array)
}

#[test]
fn an_array_is_made_and_changed() {
    let (folder, array) = made("made");
    stdout(&format!("meta set {array} place Kloten --at 110"));
    stdout(&format!(
        "meta set {array} heights [1,2] --type uint16 --at 110"
    ));
    stdout(&format!("meta set {array} ratio -0.5 --at 110"));
    stdout(&format!("meta rm {array} ratio --at 120"));
    insta::assert_snapshot!(stdout(&format!("meta ls {array}")), @r"
    key      type         value
    heights  uint16       [1, 2]
    place    string_utf8  Kloten
    ");
    let wind = folder.join("wind.json");
    fs::write(&wind, r#"{"name": "wind", "datatype": "float32"}"#).unwrap();
    stdout(&format!(
        "evolve {array} --add-attr @{} --drop-attr a --at 130",
        wind.display()
    ));
    stdout(&format!(
        "evolve {array} --current-domain {{\"x\":[1,5]}} --at 140"
    ));
    let schema = stdout(&format!("schema {array} --json --at 130"));
    assert!(schema.contains("wind") && !schema.contains("\"a\""));
    assert!(stdout(&format!("schema {array} --json --at 120")).contains("\"a\""));
    stdout(&format!("delete {array} --where wind<0 --at 150"));
    let copy = folder.join("copy").display().to_string();
    stdout(&format!("mv {array} {copy}"));
    assert!(!Path::new(&array).exists());
    stdout(&format!("meta get {copy} place"));
    stdout(&format!("rm {copy}"));
    assert!(!Path::new(&copy).exists());
}

#[test]
fn a_group_is_made_and_changed() {
    let (folder, _) = made("made_group");
    let group = folder.join("group").display().to_string();
    stdout(&format!("group create {group}"));
    let schema = folder.join("schema.json").display().to_string();
    stdout(&format!("create {group}/inner --schema {schema}"));
    stdout(&format!(
        "group add {group} {group}/inner --relative --name inner --at 10"
    ));
    stdout(&format!("meta set {group} k [] --type int8 --at 10"));
    assert!(stdout(&format!("group ls {group} --json")).contains("\"relative\": true"));
    stdout(&format!("group rm {group} inner --at 20"));
    assert_eq!(stdout(&format!("group ls {group} --json")).trim(), "[]");
    assert!(stdout(&format!("group ls {group} --json --at 10")).contains("inner"));
}

#[test]
fn what_cannot_be_changed_says_why() {
    let (folder, array) = made("not_changed");
    let wrong = folder.join("wrong.json");
    fs::write(&wrong, SCHEMA.replace("dimensions", "dimension")).unwrap();
    let wrong = wrong.display();
    let texts = [
        failure(
            &format!("create {array} --schema {}/schema.json", folder.display()),
            &folder,
        ),
        failure(&format!("create {array}2 --schema {wrong}"), &folder),
        failure(
            &format!("create {array}2 --schema {}/none.json", folder.display()),
            &folder,
        ),
        failure(&format!("meta rm {array} none"), &folder),
        failure(&format!("meta set {array} k text --type int32"), &folder),
        failure(&format!("meta set {array} k 1 --type int33"), &folder),
        failure(&format!("evolve {array}"), &folder),
        failure(&format!("evolve {array} --drop-attr b"), &folder),
        failure(&format!("evolve {array} --drop-attr a --at 99"), &folder),
        failure(&format!("delete {array} --where b=1"), &folder),
        failure(&format!("delete {array} --fragments"), &folder),
        failure(&format!("group add {array} {array}"), &folder),
        failure(&format!("cp {array} {array}/inside"), &folder),
        failure(&format!("vacuum {array} --mode group-meta"), &folder),
        failure(&format!("vacuum {array} --grace soon"), &folder),
        failure(&format!("rm {array}3"), &folder),
    ];
    assert!(!Path::new(&format!("{array}2")).exists());
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn upkeep_shows_what_it_removes() {
    let (_, array) = made("upkeep");
    for time in [110, 120, 130] {
        stdout(&format!("meta set {array} k {time} --at {time}"));
    }
    stdout(&format!("consolidate {array} --mode array-meta"));
    assert_eq!(stdout(&format!("vacuum {array}")), "");
    let planned = stdout(&format!("vacuum {array} --grace 0s --dry-run"));
    assert_eq!(planned.lines().count(), 4);
    assert_eq!(stdout(&format!("vacuum {array} --grace 0s")), planned);
    assert_eq!(stdout(&format!("vacuum {array} --grace 0s")), "");
    assert_eq!(stdout(&format!("meta get {array} k")), "130\n");
    assert_eq!(stdout(&format!("clean {array} --grace 0s")), "");
}

#[test]
fn what_is_cleaned_and_removed_for_good_is_counted() {
    let (folder, array) = made("cleaned");
    let file = folder.join("cells.csv");
    fs::write(&file, "x,a\n1,10\n").unwrap();
    for time in [110, 120] {
        stdout(&format!("write {array} {} --at {time}", file.display()));
    }
    let unfinished = Path::new(&array).join("__commits/.tmp-1-0");
    fs::write(&unfinished, "abc").unwrap();
    let said = |arguments: &str| told(&run(&format!("{arguments} {array}")));
    insta::assert_snapshot!(said("clean"), @r#"
    warning: nothing is removed: 1 object (3 B) were written less than 10m ago and are kept; use --grace 0s --apply to remove them now
    exit status 0
    "#);
    insta::assert_snapshot!(said("clean --grace 0s"), @r#"
    remove __commits/.tmp-1-0: a file that was never finished: left by a write that was stopped
    1 object (3 B) would be removed
    exit status 0
    "#);
    insta::assert_snapshot!(said("clean --grace 0s --json"), @r#"
    {
      "dry_run": true,
      "removed": {
        "fragments": 0,
        "objects": 1,
        "bytes": 3
      },
      "left_young": {
        "fragments": 0,
        "objects": 0,
        "bytes": 0
      },
      "keys": [
        "__commits/.tmp-1-0"
      ],
      "unreadable": []
    }
    exit status 0
    "#);
    assert!(unfinished.exists());
    insta::assert_snapshot!(said("clean --grace 0s --apply"), @r#"
    remove __commits/.tmp-1-0: a file that was never finished: left by a write that was stopped
    1 object (3 B) removed
    exit status 0
    "#);
    assert!(!unfinished.exists());
    insta::assert_snapshot!(said("clean --grace 0s"), @r#"
    there is nothing to remove
    exit status 0
    "#);
    // The size of a fragment is not compared.
    let without_sizes = |told: String| {
        let size = told.find('(').zip(told.find(')'));
        let (from, to) = size.expect("a size");
        format!("{}…{}", &told[..=from], &told[to..])
    };
    insta::assert_snapshot!(without_sizes(said("delete --fragments --at 110 --dry-run")), @r#"
    remove __commits/__110_110_0123456789abcdef0123456789abcdef_22.wrt
    remove __fragments/__110_110_0123456789abcdef0123456789abcdef_22/
    1 fragment and 1 other object (…) would be removed
    exit status 0
    "#);
    let json = said("delete --fragments --at 110 --json");
    assert!(
        json.contains("\"fragments\": 1,\n    \"objects\": 1,"),
        "{json}"
    );
    insta::assert_snapshot!(said("delete --fragments --at 110"), @r#"
    there are no fragments of that time: nothing is removed
    exit status 0
    "#);
}

#[test]
fn fragments_are_merged_as_the_plan_says() {
    let folder = folder("merged");
    let array = folder.join("array").display().to_string();
    let fixture = fixtures().join("v22_tour/array");
    stdout(&format!("cp {} {array}", fixture.display()));
    let (before, early) = (
        stdout(&format!("read {array}")),
        stdout(&format!("read {array} --at 2024-04-12T06:00:00Z")),
    );
    let planned = stdout(&format!("consolidate {array} --dry-run"));
    insta::assert_snapshot!("merge_plan", planned);
    let dry = |mode: &str| stdout(&format!("consolidate {array} --mode {mode} --dry-run"));
    for mode in ["commits", "fragment-meta"] {
        assert!(dry(mode).starts_with("write __"), "{mode}");
    }
    let pairs = "--config sm.consolidation.step_max_frags=2 --config sm.consolidation.steps=1";
    let two = stdout(&format!("consolidate {array} --dry-run {pairs}"));
    assert_eq!(two.lines().count(), 3);
    // Nothing has been changed so far.
    let fragments = || {
        let shown = stdout(&format!("fragments {array} --json"));
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown.as_array().unwrap().clone()
    };
    assert_eq!(fragments().len(), 3);
    let texts = [
        failure(
            &format!("consolidate {array} --fragments __1_1_x,nothing"),
            &folder,
        ),
        failure(
            &format!("consolidate {array} --mode commits --purge-deleted"),
            &folder,
        ),
        failure(
            &format!("consolidate {array} --fragments a --at 5"),
            &folder,
        ),
        failure(
            &format!("consolidate {array} --config sm.consolidation.steps=many"),
            &folder,
        ),
        failure(
            &format!("consolidate {array} --config sm.consolidation.step_size_ratio=2"),
            &folder,
        ),
        failure(&format!("consolidate {array} --memory 2kB"), &folder),
    ];
    insta::assert_snapshot!("merge_refused", texts.join("\n"));
    let made = stdout(&format!("consolidate {array} --memory 2MB"));
    assert_eq!(made.lines().count(), 1);
    let left: Vec<_> = fragments();
    let left = left
        .iter()
        .filter(|fragment| fragment["consolidated"] == false);
    assert_eq!(left.count(), 1);
    let same = || {
        assert_eq!(stdout(&format!("read {array}")), before);
        assert_eq!(
            stdout(&format!("read {array} --at 2024-04-12T06:00:00Z")),
            early
        );
    };
    same();
    stdout(&format!("vacuum {array} --grace 0s"));
    assert_eq!(fragments().len(), 1);
    same();
}

#[test]
fn members_outside_are_copied_when_that_is_asked_for() {
    let (folder, _) = made("external");
    let at = |name: &str| folder.join(name).display().to_string();
    let (group, other, copy) = (at("group"), at("other"), at("copy"));
    stdout(&format!("group create {group}"));
    stdout(&format!("group create {other}"));
    for array in [format!("{group}/inner"), format!("{other}/a"), at("alone")] {
        stdout(&format!("create {array} --schema {}", at("schema.json")));
        stdout(&format!("meta set {array} name {array}"));
    }
    for (group, member) in [
        (&group, format!("{group}/inner --relative")),
        (&group, format!("{other} --name other")),
        (&group, at("alone")),
        (&other, format!("{other}/a --relative --name a")),
        (&other, format!("{group} --name back")),
    ] {
        stdout(&format!("group add {group} {member}"));
    }
    let cp = format!("cp {group} {copy}");
    let planned = stdout(&format!("{cp} --follow-external --dry-run"));
    assert!(!Path::new(&copy).exists());
    let planned = planned.replace(&*folder.to_string_lossy(), "…");
    insta::assert_snapshot!(planned, @r"
    copy array file://…/group/inner
    copy group file://…/group
    copy array file://…/alone
    copy array file://…/other/a
    copy group file://…/other
    ");
    let inside = failure(
        &format!("cp {group} {other}/copy --follow-external"),
        &folder,
    );
    insta::assert_snapshot!(inside, @"2 error: …/other/copy lies in file://…/other");
    let output = run(&format!("{cp} --follow-external"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.starts_with("3 arrays, 2 groups, 13 objects ("),
        "{output:?}"
    );
    // With the originals removed, the copy must be self-contained.
    for original in [&group, &other, &at("alone")] {
        fs::remove_dir_all(original).unwrap();
    }
    let tree = stdout(&format!("tree {copy} --follow-external"));
    insta::assert_snapshot!(tree.replace(&*folder.to_string_lossy(), "…"), @r"
    …/copy
    ├── alone  array
    ├── inner  array
    └── other  group
        ├── a  array
        └── back  group  outside: file://…/copy
            ├── alone  array
            ├── inner  array
            └── other  group
                ├── a  array
                └── back  group  outside: file://…/copy
    ");
    for (array, name) in [
        ("inner", "group/inner"),
        ("other/a", "other/a"),
        ("alone", "alone"),
    ] {
        let found = stdout(&format!("meta get {copy}/{array} name"));
        assert_eq!(found.trim_end(), at(name));
    }
}

#[test]
fn a_vacuum_within_the_grace_period_says_how_to_go_on() {
    let (folder, array) = made("young");
    let file = folder.join("cells.csv");
    fs::write(&file, "x,a\n1,10\n").unwrap();
    for time in 110..113 {
        stdout(&format!("write {array} {} --at {time}", file.display()));
    }
    let said = |arguments: &str| {
        let output = run(arguments);
        assert!(output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let nothing = "there is nothing to remove\n";
    assert_eq!(said(&format!("vacuum {array}")), nothing);
    stdout(&format!("consolidate {array}"));
    let told = said(&format!("vacuum {array} --grace 90m"));
    let (what, way) = told.split_once(" (").unwrap();
    let (size, way) = way.split_once(") ").unwrap();
    assert_eq!(
        what,
        "warning: nothing is removed: 3 fragments and 4 other objects"
    );
    assert!(size.ends_with("KiB"), "{told}");
    assert_eq!(
        way,
        "were merged less than 90m ago and are kept; use --grace 0s to remove them now\n"
    );
    assert_eq!(
        said(&format!("vacuum {array} --dry-run")).replace("10m", "90m"),
        told
    );
    let removed = stdout(&format!("vacuum {array} --grace 0s"));
    assert_eq!(removed.lines().count(), 7, "{removed}");
    assert_eq!(said(&format!("vacuum {array} --grace 0s")), nothing);
}

/// Adds the empty folders that TileDB creates.
fn add_empty_folders(array: &Path) {
    for folder in [
        "__schema/__enumerations",
        "__meta",
        "__labels",
        "__fragments",
        "__commits",
        "__fragment_meta",
    ] {
        fs::create_dir_all(array.join(folder)).unwrap();
    }
}

#[test]
fn what_is_removed_or_moved_leaves_no_empty_folders() {
    let (folder, array) = made("without_folders");
    let group = folder.join("group");
    let group_uri = group.display().to_string();
    add_empty_folders(Path::new(&array));
    let moved = folder.join("moved").display().to_string();
    stdout(&format!("mv {array} {moved}"));
    assert!(!Path::new(&array).exists());
    add_empty_folders(Path::new(&moved));
    stdout(&format!("rm {moved}"));
    assert!(!Path::new(&moved).exists());
    // A group as TileDB creates it, with an array in it, and a folder that is not a member.
    stdout(&format!("group create {group_uri}"));
    fs::create_dir_all(group.join("__meta")).unwrap();
    fs::create_dir_all(group.join("__group")).unwrap();
    let schema = folder.join("schema.json").display().to_string();
    stdout(&format!("create {group_uri}/inner --schema {schema}"));
    stdout(&format!("group add {group_uri} {group_uri}/inner"));
    add_empty_folders(&group.join("inner"));
    fs::create_dir_all(group.join("mine")).unwrap();
    stdout(&format!("rm {group_uri}"));
    let left: Vec<_> = fs::read_dir(&group)
        .unwrap()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert_eq!(left, ["mine"]);
    assert_eq!(
        stdout(&format!("ls {}", folder.display()))
            .matches("array")
            .count(),
        0
    );
}

#[test]
fn a_member_that_is_added_again_is_no_other() {
    let (folder, array) = made("added-again");
    let group = folder.join("group").display().to_string();
    stdout(&format!("group create {group}"));
    fs::rename(&array, folder.join("group/a")).unwrap();
    for place in ["--absolute", "--relative", "--relative", "--absolute"] {
        stdout(&format!("group add {group} {group}/a {place}"));
    }
    assert_eq!(stdout(&format!("group ls {group}")).lines().count(), 2);
    fs::create_dir(folder.join("group/other")).unwrap();
    stdout(&format!("cp {group}/a {group}/other/a"));
    insta::assert_snapshot!(failure(&format!("group add {group} {group}/other/a"), &folder), @r#"
    2 error: member "a" already exists: file://…/group/a
    hint: use --name to choose another name, or to replace the member of this name
    "#);
}

#[test]
fn what_is_copied_moved_and_removed_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (array, copy) = (place("array"), place("copy"));
    let said = |arguments: &str| {
        let told = told(&run(arguments));
        told.replace(&folder.path().display().to_string(), "")
    };
    insta::assert_snapshot!(said(&format!("cp v22_tour/array {array}")), @"
    1 array, 36 objects (24.4 KiB) copied
    exit status 0
    ");
    insta::assert_snapshot!(said(&format!("cp {array} {copy} --dry-run")), @"
    copy array array
    1 array, 36 objects (24.4 KiB) would be copied
    exit status 0
    ");
    insta::assert_snapshot!(said(&format!("mv {array} {copy} --json")), @r#"
    {
      "arrays": 1,
      "groups": 0,
      "objects": 36,
      "bytes": 24969,
      "dry_run": false
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said(&format!("rm {copy} --dry-run --json")), @r#"
    {
      "arrays": 1,
      "groups": 0,
      "objects": 36,
      "bytes": 24969,
      "dry_run": true
    }
    exit status 0
    "#);
    insta::assert_snapshot!(said(&format!("rm {copy}")), @"
    1 array, 36 objects (24.4 KiB) removed
    exit status 0
    ");
    insta::assert_snapshot!(said(&format!("cp v22_group/group {array} --dry-run")), @"
    copy array group/gone
    copy array group/one
    copy array group/inner/three
    copy array group/two
    copy group group/inner
    copy group group
    warning: file:///elsewhere/array: a member outside of the group, or missing; skipped
    warning: s3://bucket/group: a member outside of the group, or missing; skipped
    4 arrays, 2 groups, 29 objects (14.1 KiB) would be copied
    exit status 0
    ");
}
