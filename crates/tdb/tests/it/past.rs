//! Differences, restores and in-place changes, compared with a naive model of random writes and deletes.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use proptest::prelude::*;
use tdb::log::Change;
use tdb::{
    Array, Attribute, Context, Datatype, Difference, Dimension, Schema, Session, SessionOptions,
    compare, field,
};
use tempfile::TempDir;

/// Attributes of a cell: `a`, the nullable `n`, and `t`.
type Values = (i32, Option<i64>, String);
/// All cells by their coordinates, with all values at the same coordinates.
type Cells = BTreeMap<(i32, String), Vec<Values>>;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<((i32, String), Values)>),
    /// Deletes cells with `a` below this number.
    Delete(i32),
    /// Merges the fragments.
    Consolidate,
    /// Restores the array to the time of this step, or of the last one if there are fewer.
    Restore(usize),
    /// Sets `n` of the cells with this `a`.
    Set(i32, Option<i64>),
    /// Replaces cells at these places, with `a` and `t` if true, with only `n` if false.
    Replace(BTreeMap<(i32, String), Values>, bool),
}

fn values() -> impl Strategy<Value = Values> {
    let text = prop_oneof![Just(String::new()), "[a-c]{1,3}"];
    (-3..4_i32, proptest::option::of(-2..3_i64), text)
}

fn step() -> impl Strategy<Value = Step> {
    let place = (0..12_i32, "[k-m]{0,1}");
    let rows = proptest::collection::btree_map(place.clone(), values(), 1..6);
    let cells = proptest::collection::vec((place, values()), 0..8);
    prop_oneof![
        4 => cells.prop_map(Step::Write),
        2 => (-3..4_i32).prop_map(Step::Delete),
        1 => Just(Step::Consolidate),
        2 => (0..8_usize).prop_map(Step::Restore),
        2 => ((-3..4_i32), proptest::option::of(-2..3_i64)).prop_map(|(a, n)| Step::Set(a, n)),
        3 => (rows, any::<bool>()).prop_map(|(rows, most)| Step::Replace(rows, most)),
    ]
}

fn schema(duplicates: bool) -> Schema {
    let builder = Schema::sparse()
        .dimension(Dimension::new("x", Datatype::Int32).domain(0..=99).tile(7))
        .dimension(Dimension::new("key", Datatype::StringAscii))
        .attribute(Attribute::new("a", Datatype::Int32))
        .attribute(Attribute::new("n", Datatype::Int64).nullable())
        .attribute(Attribute::new("t", Datatype::StringUtf8))
        .capacity(3);
    let builder = if duplicates {
        builder.duplicates()
    } else {
        builder
    };
    builder.build().unwrap()
}

/// Performs a step at a time, and returns the cells that the array should have then.
fn take(array: &Array, step: &Step, at: u64, past: &[(u64, Cells)], duplicates: bool) -> Cells {
    let array = array.reopen().unwrap();
    let mut cells = past
        .last()
        .map(|(_, cells)| cells.clone())
        .unwrap_or_default();
    match step {
        Step::Write(given) => {
            let given: Cells = given.iter().fold(Cells::new(), |mut all, (place, values)| {
                all.entry(place.clone()).or_default().push(values.clone());
                all
            });
            // Without duplicates, one cell per place is written.
            let given: Vec<(&(i32, String), &Values)> = given
                .iter()
                .flat_map(|(place, all)| {
                    let most = if duplicates { all.len() } else { 1 };
                    all.iter().take(most).map(move |values| (place, values))
                })
                .collect();
            let of = |get: fn(&Values) -> i32| -> Vec<i32> {
                given.iter().map(|(_, values)| get(values)).collect()
            };
            let nulls: Vec<Option<i64>> = given.iter().map(|(_, values)| values.1).collect();
            let texts: Vec<&str> = given.iter().map(|(_, values)| values.2.as_str()).collect();
            let x: Vec<i32> = given.iter().map(|(place, _)| place.0).collect();
            let keys: Vec<&str> = given.iter().map(|(place, _)| place.1.as_str()).collect();
            let write = array.write().column("x", &x).column("key", &keys);
            let write = write.column("a", of(|values| values.0)).column("n", &nulls);
            write.column("t", &texts).at(at).commit().unwrap();
            for (place, values) in given {
                let there = cells.entry(place.clone()).or_default();
                if !duplicates {
                    there.clear();
                }
                there.push(values.clone());
            }
        }
        Step::Delete(below) => {
            let options = tdb::DeleteOptions::default().change(tdb::ChangeOptions::at(at));
            let condition = field("a").lt(*below);
            array.delete_with(&condition, &options).unwrap();
            for there in cells.values_mut() {
                there.retain(|values| values.0 >= *below);
            }
            cells.retain(|_, there| !there.is_empty());
        }
        Step::Consolidate => {
            array.consolidate().unwrap();
        }
        Step::Restore(number) => {
            let to = past.get(*number).or(past.last());
            let (time, then) = to.cloned().unwrap_or((2, Cells::new()));
            let options = tdb::RestoreOptions::default().at(at);
            let restored = array.restore_with(time, &options).unwrap();
            let (gone, new, changed) = differing(&cells, &then);
            let found = restored.cells;
            assert_eq!(
                (found.removed, found.added, found.changed),
                (gone, new, changed)
            );
            cells = then;
        }
        Step::Set(a, n) => {
            let set = array.set(field("a").eq(*a)).max(100).at(at);
            let set = match n {
                Some(n) => set.value("n", *n).value("t", "set"),
                None => set.null("n").value("t", "set"),
            };
            if duplicates {
                set.commit().expect_err("no cell replaces another");
                return cells;
            }
            let matching = cells.values_mut().flatten().filter(|values| values.0 == *a);
            let matching: Vec<&mut Values> = matching.collect();
            assert_eq!(set.commit().unwrap().cells, matching.len() as u64);
            for values in matching {
                values.1 = *n;
                "set".clone_into(&mut values.2);
            }
        }
        Step::Replace(rows, most) => replace(&array, rows, *most, at, duplicates, &mut cells),
    }
    cells
}

fn replace(
    array: &Array,
    rows: &BTreeMap<(i32, String), Values>,
    most: bool,
    at: u64,
    duplicates: bool,
    cells: &mut Cells,
) {
    let x: Vec<i32> = rows.keys().map(|place| place.0).collect();
    let keys: Vec<&str> = rows.keys().map(|place| place.1.as_str()).collect();
    let write = array.write().replace().at(at);
    let write = write.column("x", &x).column("key", &keys);
    let written = if most {
        let a: Vec<i32> = rows.values().map(|values| values.0).collect();
        let t: Vec<&str> = rows.values().map(|values| values.2.as_str()).collect();
        write.column("a", &a).column("t", &t).commit()
    } else {
        let n: Vec<Option<i64>> = rows.values().map(|values| values.1).collect();
        write.column("n", &n).commit()
    };
    let there = |place: &(i32, String)| cells.get(place).map_or(0, Vec::len);
    let names_empty = rows
        .keys()
        .any(|place| place.1.is_empty() && there(place) > 0);
    let (any_new, any_several) = (
        rows.keys().any(|place| there(place) == 0),
        rows.keys().any(|place| there(place) > 1),
    );
    if any_several || (duplicates && names_empty) || (!most && any_new) {
        written.expect_err("what is kept is not known, or not what goes");
        return;
    }
    let replaced: usize = rows.keys().map(there).sum();
    let written = written.unwrap();
    assert_eq!(
        (written.cells, written.replaced),
        (rows.len() as u64, replaced as u64)
    );
    for (place, (a, n, t)) in rows {
        let there = cells.entry(place.clone()).or_default();
        let before = there.pop();
        there.push(match (most, before) {
            (true, Some(before)) => (*a, before.1, t.clone()),
            (true, None) => (*a, None, t.clone()),
            (false, Some(before)) => (before.0, *n, before.2),
            (false, None) => unreachable!("refused"),
        });
    }
}

/// Returns how many cells are removed, added and changed.
fn differing(before: &Cells, after: &Cells) -> (u64, u64, u64) {
    let (mut gone, mut new, mut changed) = (0, 0, 0);
    let none = Vec::new();
    let places = before.keys().chain(after.keys());
    for place in places.collect::<std::collections::BTreeSet<_>>() {
        let mut old = before.get(place).unwrap_or(&none).clone();
        let mut only_new = Vec::new();
        for values in after.get(place).unwrap_or(&none) {
            match old.iter().position(|old| old == values) {
                Some(index) => {
                    old.remove(index);
                }
                None => only_new.push(values),
            }
        }
        let both = old.len().min(only_new.len());
        changed += both as u64;
        gone += (old.len() - both) as u64;
        new += (only_new.len() - both) as u64;
    }
    (gone, new, changed)
}

fn read(array: &Array) -> Cells {
    let mut cells = Cells::new();
    let batch = array.read().all().unwrap();
    let column = |name: &str| batch.column(name).unwrap();
    let number = |name: &str, row: usize| -> i64 {
        let cell = column(name).cell(row).unwrap();
        let mut bytes = [0; 8];
        let negative = cell.last().is_some_and(|byte| *byte >= 0x80);
        bytes.fill(if negative { 0xff } else { 0 });
        bytes[..cell.len()].copy_from_slice(cell);
        i64::from_le_bytes(bytes)
    };
    let text = |name: &str, row: usize| {
        String::from_utf8(column(name).cell(row).unwrap().to_vec()).unwrap()
    };
    for row in 0..batch.rows {
        let x = i32::try_from(number("x", row)).unwrap();
        let a = i32::try_from(number("a", row)).unwrap();
        let n = column("n").is_valid(row).then(|| number("n", row));
        let there = cells.entry((x, text("key", row))).or_default();
        there.push((a, n, text("t", row)));
    }
    cells
}

fn sorted(mut cells: Cells) -> Cells {
    cells.values_mut().for_each(|there| there.sort());
    cells
}

/// An array to which some steps were applied, and its cells after each step.
struct Past {
    _folder: TempDir,
    uri: String,
    context: Context,
    past: Vec<(u64, Cells)>,
}

fn happened(steps: &[Step], duplicates: bool) -> Past {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    // Work is split into tasks as small as possible, so that each tile has its own.
    let context = Context::new().session(Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(2))
            .share_from(Some(0)),
    ));
    context.create(&uri, &schema(duplicates)).unwrap();
    let start = tdb::Time::now().0;
    let mut past: Vec<(u64, Cells)> = vec![(start, Cells::new())];
    for (number, step) in steps.iter().enumerate() {
        let at = start + 10 * (number as u64 + 1);
        let opened = context.open_at(&uri, at).unwrap();
        let cells = take(&opened, step, at, &past, duplicates);
        past.push((at, cells));
        let read = read(&context.open_at(&uri, at).unwrap());
        let wanted = past.last().unwrap().1.clone();
        assert_eq!(
            sorted(read),
            sorted(wanted),
            "after step {number}, {step:?}"
        );
    }
    Past {
        _folder: folder,
        uri,
        context,
        past,
    }
}

/// Removes what came after each of the times, latest first.
fn check_removal(steps: &[Step], duplicates: bool, merges_commits: bool) {
    let Past {
        _folder,
        uri,
        context,
        past,
    } = happened(steps, duplicates);
    let end = past.last().unwrap().0;
    let open = |at| context.open_at(&uri, at).unwrap();
    if merges_commits {
        let change = tdb::ChangeOptions::default();
        tdb_consolidate::consolidate_commits(open(end).engine(), &change).unwrap();
    }
    let merges = steps.iter().any(|step| matches!(step, Step::Consolidate));
    for (number, (to, cells)) in past.iter().enumerate().rev() {
        if let Err(error) = open(end).remove_after(*to) {
            let told = error.to_string();
            let why = [
                "of which only a part is to be removed",
                "it was merged after that time",
            ];
            assert!(merges && why.iter().any(|why| told.contains(why)), "{told}");
            continue;
        }
        assert_eq!(
            sorted(read(&open(end))),
            sorted(cells.clone()),
            "back to {to}"
        );
        for (at, cells) in &past[..number] {
            assert_eq!(
                sorted(read(&open(*at))),
                sorted(cells.clone()),
                "{to}, at {at}"
            );
        }
        let options = tdb_consolidate::VacuumOptions::default();
        let again = open(end).plan_removal_after(*to, &options).unwrap();
        assert!(again.is_empty(), "{again}");
    }
}

fn check(steps: &[Step], duplicates: bool) {
    let Past {
        _folder,
        uri,
        context,
        past,
    } = happened(steps, duplicates);
    // All times are as they were, and any two differ as the model predicts.
    for (at, cells) in &past {
        let opened = context.open_at(&uri, *at).unwrap();
        assert_eq!(sorted(read(&opened)), sorted(cells.clone()), "at {at}");
        let (last_time, last) = past.last().unwrap();
        let newest = context.open_at(&uri, *last_time).unwrap();
        let small = |array: &Array| array.read().batch_bytes(200);
        let mut differences = compare(small(&opened), small(&newest)).unwrap();
        let found: Vec<Difference> = differences.by_ref().map(Result::unwrap).collect();
        let count = differences.count_so_far();
        let counted = (count.removed, count.added, count.changed);
        assert_eq!(counted, differing(cells, last), "{at} against the end");
        let of = |is: fn(&Difference) -> bool| found.iter().filter(|one| is(one)).count() as u64;
        assert_eq!(
            of(|one| matches!(one, Difference::Added { .. })),
            count.added
        );
        assert_eq!(
            of(|one| matches!(one, Difference::Removed { .. })),
            count.removed
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_sparse_array_has_the_past_of_its_model(steps in proptest::collection::vec(step(), 1..8)) {
        check(&steps, false);
    }

    #[test]
    fn what_came_later_is_taken_away(
        steps in proptest::collection::vec(step(), 1..7),
        duplicates in any::<bool>(),
        merges_commits in any::<bool>(),
    ) {
        check_removal(&steps, duplicates, merges_commits);
    }

    #[test]
    fn cells_that_share_coordinates_are_compared_as_a_whole(
        steps in proptest::collection::vec(step(), 1..7),
    ) {
        check(&steps, true);
    }
}

#[test]
fn the_empty_string_is_restored_around() {
    let one = |key: &str| ((2, key.to_owned()), (0, None, String::new()));
    let steps = [
        Step::Write(vec![one("k")]),
        Step::Write(vec![one("")]),
        Step::Restore(1),
    ];
    check(&steps, false);
    check(&steps, true);
}

#[test]
fn a_merged_fragment_of_more_than_the_time_is_compared() {
    let one = || ((0, String::new()), (0, None, String::new()));
    let steps = [
        Step::Write(vec![one()]),
        Step::Write(vec![one()]),
        Step::Consolidate,
    ];
    check(&steps, true);
}

#[test]
fn cells_of_dense_arrays_are_set_and_restored() {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::dense()
        .dimension(Dimension::new("y", Datatype::Int32).domain(1..=4).tile(2))
        .dimension(Dimension::new("x", Datatype::Int32).domain(1..=5).tile(2))
        .attribute(Attribute::new("a", Datatype::Int32))
        .attribute(Attribute::new("t", Datatype::StringUtf8).nullable())
        .build()
        .unwrap();
    let array = tdb::create(&uri, &schema).unwrap();
    let start = tdb::Time::now().0;
    let texts: Vec<String> = (0..20).map(|cell| format!("t{cell}")).collect();
    let write = array.write().column("a", (0..20).collect::<Vec<i32>>());
    write.column("t", &texts).at(start + 10).commit().unwrap();
    let at = |time| tdb::open_at(&uri, time).unwrap();
    let cells = at(start + 10).read().to_vec::<i32>("a").unwrap();
    assert_eq!(cells, (0..20).collect::<Vec<i32>>());
    // The two cells are not adjacent, so other cells lie between them.
    let set = array.set("a = 6 or a = 13").value("a", -1).null("t");
    let refused = set.clone().commit().expect_err("two are too many");
    assert_eq!(
        refused.to_string(),
        "2 cells match, and at most 1 may be changed"
    );
    assert_eq!(set.max(2).at(start + 20).commit().unwrap().cells, 2);
    let now = at(start + 20);
    let mut wanted: Vec<i32> = (0..20).collect();
    (wanted[6], wanted[13]) = (-1, -1);
    assert_eq!(now.read().to_vec::<i32>("a").unwrap(), wanted);
    let nulls = now
        .read()
        .condition("t is null")
        .to_vec::<i32>("a")
        .unwrap();
    assert_eq!(nulls, [-1, -1]);
    let options = tdb::RestoreOptions::default().at(start + 30);
    let restored = now.restore_with(start + 10, &options).unwrap();
    assert_eq!(restored.cells.changed, 2);
    let cells = at(start + 30).read().to_vec::<i32>("a").unwrap();
    assert_eq!(cells, (0..20).collect::<Vec<i32>>());
}

#[test]
fn rows_of_dense_arrays_replace_cells_at_their_places() {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::dense()
        .dimension(Dimension::new("y", Datatype::Int32).domain(1..=4).tile(2))
        .dimension(Dimension::new("x", Datatype::Int32).domain(1..=5).tile(2))
        .attribute(Attribute::new("a", Datatype::Int32))
        .attribute(Attribute::new("t", Datatype::StringUtf8).nullable())
        .build()
        .unwrap();
    let array = tdb::create(&uri, &schema).unwrap();
    let texts: Vec<String> = (0..20).map(|cell| format!("t{cell}")).collect();
    let write = array.write().column("a", (0..20).collect::<Vec<i32>>());
    write.column("t", &texts).commit().unwrap();
    let rows = array
        .write()
        .replace()
        .column("x", [5, 1])
        .column("y", [1, 3])
        .column("a", [-1, -2]);
    let written = rows.commit().unwrap();
    assert_eq!((written.cells, written.replaced), (2, 2));
    let now = array.reopen().unwrap();
    let mut wanted: Vec<i32> = (0..20).collect();
    (wanted[4], wanted[10]) = (-1, -2);
    assert_eq!(now.read().to_vec::<i32>("a").unwrap(), wanted);
    let kept = now.read().condition("a < 0").all().unwrap();
    let kept = kept.column("t").unwrap();
    assert_eq!(
        [kept.cell(0), kept.cell(1)],
        [Some(&b"t4"[..]), Some(b"t10")]
    );
    let lacks_x = array.write().replace().column("y", [1]).column("a", [0]);
    assert_eq!(
        lacks_x.commit().expect_err("where?").to_string(),
        "there is no column \"x\""
    );
}

#[test]
fn rows_replace_cells_in_more_than_one_step() {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::UInt64)
                .domain(0..=1_000_000_u64)
                .tile(1000_u64),
        )
        .attribute(Attribute::new("a", Datatype::UInt64))
        .attribute(Attribute::new("b", Datatype::UInt64))
        .build()
        .unwrap();
    // The batches take more than an eighth of this memory.
    let context = Context::new().threads(1).memory(4 << 20);
    let array = context.create(&uri, &schema).unwrap();
    let x: Vec<u64> = (0..10_000).collect();
    let write = array
        .write()
        .column("x", &x)
        .column("a", &x)
        .column("b", &x);
    write.commit().unwrap();
    let mut stream = array.write().replace().stream().unwrap();
    for first in [5_000_u64, 0, 7_000] {
        let x: Vec<u64> = (first..first + 2_000).map(|x| x * 3 % 10_000).collect();
        let bytes = |of: &dyn Fn(u64) -> u64| -> bytes::Bytes {
            x.iter().flat_map(|x| of(*x).to_le_bytes()).collect()
        };
        let column = |name: &str, values| tdb::Column {
            name: name.to_owned(),
            datatype: Datatype::UInt64,
            cell_val_num: tdb_schema::CellValNum::Fixed(1),
            nullable: false,
            values,
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let columns = vec![column("x", bytes(&|x| x)), column("a", bytes(&|x| x + 1))];
        let batch = tdb::Batch {
            rows: x.len(),
            columns,
        };
        stream.push(&batch).unwrap();
    }
    let written = stream.finish().unwrap();
    assert_eq!((written.cells, written.replaced), (6_000, 6_000));
    let now = array.reopen().unwrap();
    assert_eq!(now.read().to_vec::<u64>("b").unwrap(), x);
    let changed = now.read().condition("a > b").count().unwrap();
    assert_eq!(changed, 6_000);
}

/// Returns the kind of each event in the log.
fn logged(array: &Array) -> Vec<&'static str> {
    let events = array.reopen().unwrap().log().unwrap();
    let names = events.iter().map(|event| match event.change {
        Change::Created => "create",
        Change::Written(_) => "write",
        Change::Deleted { .. } => "delete",
        Change::MergedCommits => "consolidate commits",
        Change::Merged { .. } => "consolidate",
        _ => "other",
    });
    names.collect()
}

#[test]
fn one_commit_of_a_write_and_a_delete_is_logged_as_these() {
    let folder = TempDir::new().unwrap();
    let uri = folder.path().join("a").display().to_string();
    let array = Context::new().create(&uri, &schema(true)).unwrap();
    let start = tdb::Time::now().0;
    // Objects with a timestamp in the future would not be visible yet.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let rows = |array: &Array, a: i32, at: u64, replace: bool| {
        let write = array.reopen().unwrap();
        let write = if replace {
            write.write().replace()
        } else {
            write.write()
        };
        let write = write.column("x", [1, 2]).column("key", ["k", "l"]);
        let write = write.column("a", [a, a]).column("n", [Some(0_i64), None]);
        write.column("t", ["", ""]).at(at).commit().unwrap();
    };
    rows(&array, 1, start + 10, false);
    rows(&array, 2, start + 20, true);
    assert_eq!(logged(&array), ["create", "write", "delete", "write"]);
    let change = tdb::ChangeOptions::at(start + 30);
    tdb_consolidate::consolidate_commits(array.reopen().unwrap().engine(), &change).unwrap();
    rows(&array, 3, start + 40, true);
    assert_eq!(
        logged(&array),
        [
            "create",
            "write",
            "delete",
            "write",
            "consolidate commits",
            "delete",
            "write"
        ]
    );
}
