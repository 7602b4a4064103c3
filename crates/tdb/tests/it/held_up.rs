//! Writes delayed between choosing their timestamp and writing their first file: a change made meanwhile must not hide
//! them.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tdb::{Array, Attribute, Datatype, DeleteOptions, Dimension, Schema};
use tdb_array::{ArrayError, NameSource, SystemNames};

/// A clock that delays a write once, right after returning the time.
struct HeldUp {
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl HeldUp {
    fn by(meanwhile: impl FnOnce() + Send + 'static) -> Arc<Self> {
        let meanwhile = Mutex::new(Some(Box::new(meanwhile) as Box<dyn FnOnce() + Send>));
        Arc::new(Self { meanwhile })
    }

    fn has_happened(&self) -> bool {
        self.meanwhile.lock().expect("done").is_none()
    }
}

impl fmt::Debug for HeldUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldUp")
    }
}

impl NameSource for HeldUp {
    fn now(&self) -> u64 {
        let time = SystemNames.now();
        let meanwhile = self.meanwhile.lock().expect("done").take();
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        time
    }

    fn id(&self) -> Result<u128, ArrayError> {
        SystemNames.id()
    }
}

fn make(folder: &Path, dense: bool) -> Array {
    let schema = if dense {
        Schema::dense()
    } else {
        Schema::sparse()
    };
    let schema = schema
        .dimension(Dimension::new("x", Datatype::Int32).domain(1..=10).tile(5))
        .attribute(Attribute::new("a", Datatype::Int64));
    let uri = folder.join("array").display().to_string();
    let array = tdb::create(&uri, &schema.build().expect("done")).expect("done");
    write(&array, (1..=10).collect(), 0, &(Arc::new(SystemNames) as _));
    array.reopen().expect("done")
}

fn write(array: &Array, x: Vec<i32>, a: i64, names: &Arc<dyn NameSource>) -> Vec<String> {
    let cells = x.len();
    let write = array.write().names(Arc::clone(names));
    let write = write.column("x", x).column("a", vec![a; cells]);
    write.commit().expect("done").fragments
}

fn set(uri: &str, condition: &str, a: i64) {
    let array = tdb::open(uri).expect("done");
    let set = array.set(condition).max(10).value("a", a);
    set.commit().expect("done");
}

fn values(array: &Array) -> Vec<i64> {
    let array = array.reopen().expect("done");
    array.read().to_vec("a").expect("done")
}

fn start(fragment: &str) -> u64 {
    let time = fragment.trim_start_matches('_').split('_').next();
    time.expect("done").parse().expect("done")
}

#[test]
fn a_write_that_was_held_up_lies_above_the_changes_made_meanwhile() {
    for dense in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let array = make(folder.path(), dense);
        let uri = array.uri().to_owned();
        // In a dense array, the change rewrites the box around both corners, which includes 5.
        let names = HeldUp::by(move || set(&uri, "x = 4 or x = 5", 7));
        write(&array, vec![5], 3, &(Arc::clone(&names) as _));
        assert!(names.has_happened());
        assert_eq!(values(&array), [0, 0, 0, 7, 3, 0, 0, 0, 0, 0], "{dense}");
    }
}

#[test]
fn several_changes_in_a_row_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let array = make(folder.path(), false);
    let uri = array.uri().to_owned();
    let names = HeldUp::by(move || {
        set(&uri, "x = 5", 7);
        set(&uri, "x = 5", 8);
    });
    write(&array, vec![5], 3, &(names as _));
    assert_eq!(values(&array), [0, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
    let notes = std::fs::read_dir(folder.path().join("array")).unwrap();
    let names = notes.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let notes = names.filter(|name| name.starts_with("__tdb_")).count();
    assert_eq!(notes, 1, "the last change is noted, and no other");
}

#[test]
fn a_write_of_other_cells_keeps_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let array = make(folder.path(), true);
    let uri = array.uri().to_owned();
    let before = SystemNames.now();
    let names = HeldUp::by(move || {
        set(&uri, "x = 4", 7);
        assert!(SystemNames.now() > before + 20, "a change looks for 50 ms");
    });
    let fragments = write(&array, vec![9], 3, &(names as _));
    assert!(start(&fragments[0]) < before + 20);
    assert_eq!(values(&array), [0, 0, 0, 7, 0, 0, 0, 0, 3, 0]);
}

#[test]
fn a_write_of_a_given_time_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let array = make(folder.path(), false);
    set(array.uri(), "x = 5", 7);
    let write = array.write().at(10).column("x", vec![5]);
    let written = write.column("a", vec![3_i64]).commit().unwrap();
    assert_eq!(start(&written.fragments[0]), 10);
    assert_eq!(values(&array), [0, 0, 0, 0, 7, 0, 0, 0, 0, 0]);
}

#[test]
fn a_delete_that_was_held_up_takes_what_was_changed_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let array = make(folder.path(), false);
    let uri = array.uri().to_owned();
    let names = HeldUp::by(move || set(&uri, "x = 5", 7));
    let condition = array.read().condition("x >= 4").options().unwrap();
    let mut options = DeleteOptions::default();
    options.change.names = Arc::clone(&names) as _;
    let condition = condition.condition.unwrap();
    let done = array.delete_with(&condition, &options).unwrap();
    assert!(names.has_happened());
    assert_eq!((done.taken, done.yielded), (7, 1));
    assert_eq!(values(&array), [0, 0, 0]);
}
