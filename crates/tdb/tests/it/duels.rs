//! Two processes change one array at the same time: no acknowledged change is lost.
//!
//! Each duel runs this test program in two processes. Each changes its own cells as fast as it can, and reads them
//! after each acknowledgement. The duel ends when one process has had to give way to the other often enough
//! ([`NEEDED`], or `TDB_DUELS`), so that no duel passes because the two never met.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tdb::{Array, Attribute, Datatype, DeleteOptions, Dimension, Schema};

/// Number of times that a process has to give way.
const NEEDED: u64 = 10;

/// How long a change may hide another one that it did not see.
const SETTLED: Duration = Duration::from_secs(5);

/// Maximum duration of a duel, however seldom the processes meet.
const LONGEST: Duration = Duration::from_secs(20);

/// Environment variables of a process: the duel and which of the two processes it is, and the path of the array.
const ROLE: &str = "TDB_DUEL_ROLE";
const PLACE: &str = "TDB_DUEL_PLACE";

fn needed() -> u64 {
    let given = std::env::var("TDB_DUELS").ok();
    given.map_or(NEEDED, |text| text.parse().expect("a number of changes"))
}

/// One round of a process: makes a change, checks that it is visible, and returns how often it gave way.
type Turn = fn(&Array, u64) -> u64;

/// Name, whether the array is dense, and the rounds of the two processes.
const DUELS: [(&str, bool, [Turn; 2]); 9] = [
    ("set and set, sparse", false, [set_a, set_b]),
    ("set and set, dense", true, [set_a, set_b]),
    ("replace and replace, sparse", false, [replace_a, replace_b]),
    ("replace and replace, dense", true, [replace_a, replace_b]),
    (
        "set of corners and write between them",
        true,
        [set_corners, write_between],
    ),
    (
        "replace of corners and write between them",
        true,
        [replace_corners, write_between],
    ),
    (
        "set and write of the same cell",
        false,
        [set_a_of_any, write_b],
    ),
    (
        "delete by coordinates and write",
        false,
        [delete_small, write_twice],
    ),
    ("evolve and evolve", false, [evolve_a, evolve_b]),
];

fn make(uri: &str, dense: bool) {
    let schema = if dense {
        Schema::dense()
    } else {
        Schema::sparse()
    };
    let schema = schema
        .dimension(Dimension::new("x", Datatype::Int32).domain(1..=10).tile(5))
        .attribute(Attribute::new("a", Datatype::Int64))
        .attribute(Attribute::new("b", Datatype::Int64));
    let array = tdb::create(uri, &schema.build().expect("a schema")).expect("created");
    let write = array
        .write()
        .column("a", vec![0_i64; 10])
        .column("b", vec![0_i64; 10]);
    let write = if dense {
        write
    } else {
        write.column("x", (1..=10).collect::<Vec<i32>>())
    };
    write.commit().expect("written");
}

fn value(array: &Array, x: i32, attribute: &str) -> Option<i64> {
    let array = array.reopen().expect("opened");
    let read = array.read().condition(format!("x = {x}").as_str());
    let values: Vec<i64> = read.to_vec(attribute).expect("read");
    assert!(values.len() < 2, "one cell at most");
    values.first().copied()
}

fn check(array: &Array, x: i32, attribute: &str, expected: u64, what: &str) {
    let expected = i64::try_from(expected).expect("few rounds");
    let found = value(array, x, attribute);
    assert_eq!(found, Some(expected), "{what} was acknowledged and is lost");
}

/// As `check`, for a plain write: a change that did not see the write may hide it briefly, until that change looks
/// again and is taken back.
fn check_soon(array: &Array, x: i32, attribute: &str, expected: u64) {
    let wanted = i64::try_from(expected).ok();
    let begun = Instant::now();
    while begun.elapsed() < SETTLED {
        if value(array, x, attribute) == wanted {
            return;
        }
    }
    check(array, x, attribute, expected, "a write");
}

fn set(array: &Array, condition: &str, attribute: &str, value: u64) -> u64 {
    let set = array.set(condition).max(10);
    let value = i64::try_from(value).expect("few rounds");
    let done = set.value(attribute, value).commit().expect("set");
    u64::from(done.yielded)
}

fn set_a(array: &Array, round: u64) -> u64 {
    let yielded = set(array, "x = 1", "a", round);
    check(array, 1, "a", round, "a set");
    yielded
}

fn set_b(array: &Array, round: u64) -> u64 {
    let yielded = set(array, "x = 1", "b", round);
    check(array, 1, "b", round, "a set");
    yielded
}

fn replace(array: &Array, x: &[i32], attribute: &str, value: u64) -> u64 {
    let value = i64::try_from(value).expect("few rounds");
    let write = array.write().replace().column("x", x.to_vec());
    let write = write.column(attribute, vec![value; x.len()]);
    u64::from(write.commit().expect("replaced").yielded)
}

fn replace_a(array: &Array, round: u64) -> u64 {
    let yielded = replace(array, &[1], "a", round);
    check(array, 1, "a", round, "a replaced value");
    yielded
}

fn replace_b(array: &Array, round: u64) -> u64 {
    let yielded = replace(array, &[1], "b", round);
    check(array, 1, "b", round, "a replaced value");
    yielded
}

fn set_corners(array: &Array, round: u64) -> u64 {
    let yielded = set(array, "x = 1 or x = 10", "a", round);
    check(array, 10, "a", round, "a set");
    yielded
}

fn replace_corners(array: &Array, round: u64) -> u64 {
    let yielded = replace(array, &[1, 10], "a", round);
    check(array, 10, "a", round, "a replaced value");
    yielded
}

fn write_between(array: &Array, round: u64) -> u64 {
    let value = i64::try_from(round).expect("few rounds");
    let write = array.write().column("x", vec![5_i32]);
    let write = write.column("a", vec![value]).column("b", vec![value]);
    write.commit().expect("written");
    check_soon(array, 5, "a", round);
    0
}

/// Does not check the value, since the writer of the same cell can overwrite it at any time; lost changes show there.
fn set_a_of_any(array: &Array, round: u64) -> u64 {
    set(array, "x = 1", "a", round)
}

fn write_b(array: &Array, round: u64) -> u64 {
    let value = i64::try_from(round).expect("few rounds");
    let write = array.write().column("x", vec![1_i32]);
    let write = write.column("a", vec![0_i64]).column("b", vec![value]);
    write.commit().expect("written");
    check_soon(array, 1, "b", round);
    0
}

fn delete_small(array: &Array, _: u64) -> u64 {
    let array = array.reopen().expect("opened");
    let condition = array.read().condition("a * 1 = -1").options();
    let condition = condition
        .expect("a condition")
        .condition
        .expect("a condition");
    let options = DeleteOptions::default().by_coordinates(true);
    let done = array.delete_with(&condition, &options).expect("deleted");
    u64::from(done.yielded)
}

fn write_twice(array: &Array, round: u64) -> u64 {
    let value = i64::try_from(round).expect("few rounds");
    // There is always a cell to delete, and one deleted cell is written again at once.
    for (x, a) in [((2..=9).collect(), -1), (vec![2_i32], value)] {
        let cells = x.len();
        let write = array.write().column("x", x).column("a", vec![a; cells]);
        let write = write.column("b", vec![0_i64; cells]);
        write.commit().expect("written");
    }
    check_soon(array, 2, "a", round);
    0
}

/// Adds an attribute, and checks that all attributes added so far exist.
fn evolve(array: &Array, side: &str, round: u64) -> u64 {
    let mut evolution = array.evolve().expect("begun");
    let attribute = Attribute::new(&format!("{side}{round}"), Datatype::Int8);
    evolution
        .add_attribute(&attribute)
        .expect("a new attribute");
    evolution.commit().expect("stored");
    let array = array.reopen().expect("opened");
    for round in 1..=round {
        let name = format!("{side}{round}");
        let mut attributes = array.schema().attributes.iter();
        assert!(
            attributes.any(|attribute| attribute.name == name),
            "{name} is lost"
        );
    }
    1
}

fn evolve_a(array: &Array, round: u64) -> u64 {
    evolve(array, "of_a_", round)
}

fn evolve_b(array: &Array, round: u64) -> u64 {
    evolve(array, "of_b_", round)
}

#[test]
#[ignore = "a process of a duel, which the duels start"]
fn process_of_a_duel() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let (duel, side) = role.split_once('/').expect("a duel and a side");
    let (duel, side): (usize, usize) = (duel.parse().expect("it"), side.parse().expect("it"));
    let array = tdb::open(&std::env::var(PLACE).expect("an array")).expect("opened");
    let (_, _, turns) = DUELS[duel];
    let folder = std::env::var(PLACE).expect("an array");
    let over = Path::new(&folder).with_extension("over");
    let begun = Instant::now();
    let (mut round, mut yielded) = (0, 0);
    // A process alone never gives way, so the first one that has had enough ends the duel.
    while begun.elapsed() < LONGEST && yielded < needed() && !over.exists() {
        round += 1;
        yielded += turns[side](&array, round);
    }
    std::fs::write(&over, "").expect("noted");
    println!("rounds {round} yielded {yielded}");
}

fn start(duel: usize, side: usize, uri: &str) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args([
        "--exact",
        "duels::process_of_a_duel",
        "--ignored",
        "--nocapture",
    ]);
    command.env(ROLE, format!("{duel}/{side}")).env(PLACE, uri);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("started")
}

#[test]
fn of_two_processes_that_change_one_array_none_loses_what_was_acknowledged() {
    for (duel, (name, dense, _)) in DUELS.into_iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let uri = folder.path().join("array").display().to_string();
        make(&uri, dense);
        let both = [0, 1].map(|side| start(duel, side, &uri));
        for child in both {
            let output = child.wait_with_output().expect("ended");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {told}{errors}");
            println!(
                "{name}: {}",
                told.lines()
                    .find(|line| line.contains("rounds"))
                    .unwrap_or("")
            );
        }
        let left: Vec<_> = std::fs::read_dir(&uri).expect("an array").collect();
        let names = left
            .into_iter()
            .map(|entry| entry.expect("an entry").file_name());
        let claims = names.filter(|name| name.to_string_lossy().contains("claim"));
        assert_eq!(claims.count(), 0, "{name}: claims are left");
    }
}
