//! Objects with a timestamp in the future, from a writer whose clock is ahead: they are invisible to reads and to
//! operations that change or maintain an array, and take precedence over such changes once their time has come.

use std::time::{Duration, Instant};

use tdb::{Array, Attribute, Context, Datatype, Dimension, ErrorKind, Order, Schema, Time};
use tdb_consolidate::VacuumOptions;
use tempfile::TempDir;

const HOUR: u64 = 3_600_000;

/// Creates an array with cells 1 of long ago, 2 of just now, and 3 of an hour ahead, and metadata with the same times.
fn array(is_dense: bool) -> (TempDir, Array, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("a").display().to_string();
    let schema = if is_dense {
        Schema::dense()
    } else {
        Schema::sparse()
    };
    let schema = schema
        .dimension(Dimension::new("k", Datatype::Int64).domain(0..=2).tile(3))
        .attribute(Attribute::new("v", Datatype::Int32).fill(-1));
    let array = tdb::create(&uri, &schema.build().expect("a schema")).expect("created");
    let now = Time::now().0;
    for (time, value) in [(1000, 1), (now - 5000, 2), (now + HOUR, 3)] {
        written(&array, time, &[0, 1, 2], value);
        let change = tdb::ChangeOptions::at(time);
        let record = tdb_array::MetadataRecord {
            key: "k".to_owned(),
            value: Some(
                tdb_array::MetadataValue::try_new(Datatype::Int32, value.to_le_bytes().to_vec())
                    .expect("a value"),
            ),
        };
        let put = array.engine().put_metadata(vec![record], &change);
        put.expect("put");
    }
    (folder, array.reopen().expect("opened"), now)
}

fn written(array: &Array, time: u64, places: &[i64], value: i32) {
    let mut write = array.write().at(time);
    if array.schema().is_dense() {
        let (first, last) = (places.first(), places.last());
        let (first, last) = first.zip(last).expect("a place");
        write = write.range("k", *first..=*last);
    } else {
        write = write.column("k", places.to_vec());
    }
    let values = vec![value; places.len()];
    write.column("v", values).commit().expect("written");
}

/// Returns the values as of a time.
fn values(array: &Array, time: u64) -> Vec<i32> {
    let array = array.context().open_at(array.uri(), time).expect("opened");
    array.read().order(Order::Row).to_vec("v").expect("read")
}

fn key(array: &Array, time: u64) -> Option<i32> {
    let array = array.context().open_at(array.uri(), time).expect("opened");
    let metadata = array.metadata().expect("read");
    let value = metadata.get("k")?;
    value.bytes.first().copied().map(i32::from)
}

fn at_once() -> VacuumOptions {
    VacuumOptions::default().grace(Duration::ZERO)
}

#[test]
fn a_merge_and_a_vacuum_leave_what_is_there_now_and_what_is_to_come() {
    for is_dense in [true, false] {
        let (_folder, array, now) = array(is_dense);
        assert_eq!(array.later().map(|later| later.fragments), Some(1));
        let merged = array.consolidate().expect("merged");
        assert_eq!(merged.fragments.len(), 1);
        let note = &merged.notes[0];
        assert!(
            note.starts_with("left alone: 1 fragment of a time to come (up to "),
            "{note}"
        );
        array.vacuum_with(&at_once()).expect("vacuumed");
        for (time, value) in [(now, 2), (now + HOUR - 1, 2), (now + HOUR, 3)] {
            assert_eq!(values(&array, time), [value; 3], "dense {is_dense}");
            assert_eq!(key(&array, time), Some(value));
        }
    }
}

#[test]
fn cells_are_set_by_what_is_there_now() {
    for is_dense in [true, false] {
        let (_folder, array, now) = array(is_dense);
        let by_three = array.set("v = 3").value("v", 7).max(9).commit();
        assert_eq!(by_three.expect("done").cells, 0);
        let dry = array.set("v = 2").value("v", 7).max(9).dry_run(true);
        assert_eq!(dry.commit().expect("counted").cells, 3);
        let set = array.set("v = 2").value("v", 7).max(9).commit();
        assert_eq!(set.expect("set").cells, 3);
        let later = Time::now().0;
        assert_eq!(values(&array, later), [7; 3]);
        assert_eq!(values(&array, now + HOUR), [3; 3]);
    }
}

#[test]
fn a_restore_is_there_at_once_and_until_what_is_to_come() {
    for is_dense in [true, false] {
        let (_folder, array, now) = array(is_dense);
        let restored = array.restore(86_400_000).expect("restored");
        assert_eq!((restored.cells.changed, restored.metadata.len()), (3, 1));
        let later = Time::now().0 + 2;
        assert_eq!(
            (values(&array, later), key(&array, later)),
            (vec![1; 3], Some(1))
        );
        let come = now + HOUR;
        assert_eq!(
            (values(&array, come), key(&array, come)),
            (vec![3; 3], Some(3))
        );
        // A second restore finds nothing to do.
        let again = array.reopen().expect("opened").restore(86_400_000);
        assert_eq!(again.expect("restored").written, 0);
        // A specified time that is not the latest is refused.
        let options = tdb::RestoreOptions::default().at(Time::now());
        let refused = array
            .restore_with(now - 4000, &options)
            .expect_err("refused");
        assert_eq!(refused.kind(), ErrorKind::Invalid);
    }
}

#[test]
fn no_change_comes_after_the_last_time_of_all() {
    let (_folder, array, now) = array(false);
    written(&array, u64::MAX, &[0], 4);
    let array = array.reopen().expect("opened");
    let options = tdb::RestoreOptions::default().at(Time(u64::MAX));
    let refused = array.restore_with(now - 4000, &options);
    let refused = refused.expect_err("refused");
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(
        refused
            .to_string()
            .ends_with("no time is left for a later one")
    );
}

#[test]
fn rows_replace_what_is_there_now() {
    let (_folder, array, now) = array(false);
    let write = array.write().replace().column("k", [0_i64, 1]);
    let done = write.column("v", [8, 8]).commit().expect("written");
    assert_eq!((done.cells, done.replaced), (2, 2));
    assert_eq!(values(&array, Time::now().0), [8, 8, 2]);
    assert_eq!(values(&array, now + HOUR), [3; 3]);
}

#[test]
fn rows_of_an_array_with_duplicates_replace_what_is_there_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("a").display().to_string();
    let schema = Schema::sparse()
        .duplicates()
        .dimension(Dimension::new("k", Datatype::Int64).domain(0..=2).tile(3))
        .attribute(Attribute::new("v", Datatype::Int32));
    let array = tdb::create(&uri, &schema.build().expect("a schema")).expect("created");
    let now = Time::now().0;
    written(&array, now - 5000, &[0], 2);
    written(&array, now + HOUR, &[0], 3);
    let write = array.write().replace().column("k", [0_i64]);
    let done = write.column("v", [8]).commit().expect("written");
    assert_eq!(done.replaced, 1);
    assert_eq!(values(&array, Time::now().0 + 2), [8]);
    let mut come = values(&array, now + HOUR);
    come.sort_unstable();
    assert_eq!(come, [3, 8]);
}

#[test]
fn what_was_merged_into_a_time_to_come_stays_until_then() {
    for is_dense in [true, false] {
        let (_folder, array, now) = array(is_dense);
        let session = array.context().shared_session();
        let location = array.engine().location();
        let whole = tdb_array::Array::open_location(location, tdb::OpenOptions::default());
        let whole = whole.expect("opened");
        let options = tdb_consolidate::MergeOptions::default().until(Some(now + HOUR));
        let plan = tdb_consolidate::plan_merge(&whole, &options).expect("planned");
        assert!(plan.notes.is_empty());
        let merged = plan.merge(session, &whole, &options).expect("merged");
        assert_eq!(merged.fragments.len(), 1);
        array.vacuum_with(&at_once()).expect("vacuumed");
        for (time, value) in [(now, 2), (now + HOUR, 3)] {
            assert_eq!(values(&array, time), [value; 3], "dense {is_dense}");
        }
        let until = at_once().until(Some(now + HOUR));
        array.vacuum_with(&until).expect("vacuumed");
        assert_eq!(values(&array, now + HOUR), [3; 3]);
        let whole = tdb_array::Array::open_location(location, tdb::OpenOptions::default());
        assert!(whole.expect("opened").replaced().is_empty());
    }
}

/// If a clock is only slightly ahead, a change waits until that time has passed, and is made on top of it.
#[test]
fn a_clock_that_is_a_little_ahead_is_waited_for() {
    for is_dense in [true, false] {
        let (_folder, array, now) = array(is_dense);
        let ahead = Time::now().0 + 700;
        written(&array, ahead, &[0, 1, 2], 4);
        let begun = Instant::now();
        let set = array
            .set("v = 4")
            .value("v", 9)
            .max(9)
            .commit()
            .expect("set");
        assert_eq!(set.cells, 3, "dense {is_dense}");
        assert!(begun.elapsed() < Duration::from_secs(4));
        assert_eq!(values(&array, Time::now().0), [9; 3]);
        assert_eq!(values(&array, now + HOUR), [3; 3]);
    }
}

/// A change with a clock far ahead announces its time. A write with the current time must not take a later one because
/// of it.
#[test]
fn a_write_of_now_stays_one_though_a_change_lies_far_ahead() {
    let (_folder, array, now) = array(false);
    let ahead = tdb_array::CountedNames::new(now + HOUR + 1, 1);
    let set = array.set("v = 3").value("v", 5).max(9);
    let set = set.names(std::sync::Arc::new(ahead)).commit().expect("set");
    assert_eq!(set.cells, 3);
    array
        .write()
        .column("k", [0_i64])
        .column("v", [6])
        .commit()
        .expect("written");
    let later = Time::now().0;
    assert_eq!(values(&array, later), [6, 2, 2]);
    assert_eq!(values(&array, now + 2 * HOUR), [5; 3]);
    // A change with the current time is announced all the same: a write that chose its time before notices it.
    array.set("v = 6").value("v", 7).commit().expect("set");
    assert_eq!(values(&array, Time::now().0), [7, 2, 2]);
}

#[test]
fn a_merge_without_deleted_cells_knows_no_delete_to_come() {
    let (_folder, array, now) = array(false);
    let delete = tdb::DeleteOptions::default().change(tdb::ChangeOptions::at(now + HOUR / 2));
    let context = Context::new();
    let condition = tdb::parse_condition(
        "v = 2",
        array.schema(),
        array.context().shared_session().limits(),
    )
    .expect("a condition");
    array.delete_with(&condition, &delete).expect("deleted");
    let array = context.open(array.uri()).expect("opened");
    assert_eq!(
        array.later().map(|later| (later.fragments, later.deletes)),
        Some((1, 1))
    );
    let whole =
        tdb_array::Array::open_location(array.engine().location(), tdb::OpenOptions::default());
    let whole = whole.expect("opened");
    for history in [
        tdb_consolidate::History::WithoutDeleted,
        tdb_consolidate::History::Dropped,
    ] {
        let options = tdb_consolidate::MergeOptions::default().history(history);
        let plan = tdb_consolidate::plan_merge(&whole, &options).expect("planned");
        let session = array.context().shared_session();
        plan.merge(session, &whole, &options).expect("merged");
        array.vacuum_with(&at_once()).expect("vacuumed");
        for (time, wanted) in [
            (now, vec![2; 3]),
            (now + HOUR / 2, vec![]),
            (now + HOUR, vec![3; 3]),
        ] {
            assert_eq!(values(&array, time), wanted, "{history:?}");
        }
    }
}
