//! Creation and changes of arrays and groups.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use crate::support::{KEY, describe, describe_metadata, unpack};
use tdb_array::{
    Array, ArrayError, ChangeOptions, CountedNames, ErrorKind, Group, Location, MemberChange,
    MetadataRecord, MetadataValue, ObjectType, OpenOptions,
};
use tdb_filters::EncryptionKey;
use tdb_fragment::{ConditionOp, ConditionTree, ConditionValue};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, DataOrder, Dimension, DimensionLabel,
    Enumeration, EnumerationRef,
};
use tdb_store::{FaultyStore, MemoryStore, Store, copy_tree};
use tdb_tile::{Datatype, FormatVersion};

/// Options for a change at a time, with reproducible names.
fn at(time: u64) -> ChangeOptions {
    ChangeOptions::at(time).names(Arc::new(CountedNames::new(time, time << 8)))
}

fn colours(values: &[&str], file: u128) -> Enumeration {
    let file = format!("__{file:032x}_0");
    let text = Datatype::StringUtf8;
    Enumeration::from_values("colours", file, text, CellValNum::Var, false, values).unwrap()
}

/// A sparse array with an enumerated attribute.
fn schema(colours: &Enumeration) -> ArraySchema {
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let mut colour = Attribute::new("colour", Datatype::UInt8);
    colour.enumeration = Some(colours.name().to_owned());
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![colour]);
    schema.enumerations.push(EnumerationRef {
        name: colours.name().to_owned(),
        file: colours.file().to_owned(),
    });
    schema
}

fn create(store: &MemoryStore, options: &ChangeOptions) -> Result<(), ArrayError> {
    let colours = colours(&["red", "green"], 1);
    Array::create(
        &Location::new(Arc::new(store.clone()), "a"),
        &schema(&colours),
        &[colours],
        options,
    )
}

fn open(store: &MemoryStore, time: u64) -> Result<Array, ArrayError> {
    Array::open(Arc::new(store.clone()), "a", OpenOptions::at(time))
}

fn text(key: &str, value: &str) -> MetadataRecord {
    let value = MetadataValue::try_new(Datatype::StringUtf8, value.as_bytes().to_vec());
    MetadataRecord {
        key: key.to_owned(),
        value: Some(value.unwrap()),
    }
}

fn removal(key: &str) -> MetadataRecord {
    MetadataRecord {
        key: key.to_owned(),
        value: None,
    }
}

fn above(field: &str, value: i32) -> ConditionTree {
    let value = value.to_le_bytes().to_vec();
    ConditionValue::new(field, ConditionOp::Greater, value)
        .unwrap()
        .into()
}

#[test]
fn what_is_made_is_read_again_and_made_the_same() {
    let make = || {
        let store = MemoryStore::new();
        create(&store, &at(10)).unwrap();
        store
    };
    let (store, again) = (make(), make());
    assert_eq!(store.keys(), again.keys());
    for key in store.keys() {
        let read = |store| tdb_store::read_whole(store, &key, 1 << 20).unwrap();
        assert_eq!(read(&store), read(&again), "{key}");
    }
    let array = open(&store, 20).unwrap();
    assert_eq!(**array.schema(), schema(&colours(&["red", "green"], 1)));
    assert_eq!(
        array.enumeration("colours").unwrap().value(1),
        Some(&b"green"[..])
    );
    assert_eq!(ObjectType::detect(&store, "a").unwrap(), ObjectType::Array);
}

#[test]
fn nothing_is_made_where_something_is() {
    let store = MemoryStore::new();
    create(&store, &at(10)).unwrap();
    Group::create(&Location::new(Arc::new(store.clone()), "g")).unwrap();
    let colours = colours(&[], 1);
    let errors = [
        create(&store, &at(11)).unwrap_err(),
        Group::create(&Location::new(Arc::new(store.clone()), "a")).unwrap_err(),
        Group::create(&Location::new(Arc::new(store.clone()), "g")).unwrap_err(),
        Array::create(
            &Location::new(Arc::new(store.clone()), "g"),
            &schema(&colours),
            &[colours],
            &at(12),
        )
        .unwrap_err(),
    ];
    assert!(errors.iter().all(|error| error.kind() == ErrorKind::Exists));
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
    "a": there is an array here already
    "a": there is an array here already
    "g": there is a group here already
    "g": there is a group here already
    "#);
}

#[test]
fn schemas_that_break_a_rule_make_nothing() {
    let store = MemoryStore::new();
    let colours = colours(&["red"], 1);
    let refusal = |change: fn(&mut ArraySchema), enumerations: &[Enumeration]| {
        let mut schema = schema(&colours);
        change(&mut schema);
        let error = Array::create(
            &Location::new(Arc::new(store.clone()), "a"),
            &schema,
            enumerations,
            &at(1),
        )
        .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let source = std::error::Error::source(&error);
        format!(
            "{error}: {}",
            source.map(ToString::to_string).unwrap_or_default()
        )
    };
    let all = std::slice::from_ref(&colours);
    let texts = [
        refusal(|schema| schema.version = FormatVersion::NEWEST, all),
        refusal(|schema| schema.capacity = 0, all),
        refusal(|schema| schema.enumerations.clear(), all),
        refusal(|_| (), &[]),
        refusal(
            |schema| {
                schema.attributes[0].enumeration = None;
                schema.enumerations.clear();
            },
            all,
        ),
    ];
    assert!(store.keys().is_empty());
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn labels_get_arrays_of_their_own() {
    let store = MemoryStore::new();
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let value = Attribute::new("value", Datatype::UInt8);
    let mut schema = ArraySchema::new(ArrayType::Dense, vec![x], vec![value]);
    schema.labels.push(DimensionLabel {
        name: "name".to_owned(),
        dimension: 0,
        relative: true,
        uri: "__labels/l0".to_owned(),
        attribute: "label".to_owned(),
        order: DataOrder::Decreasing,
        datatype: Datatype::StringAscii,
        cell_val_num: CellValNum::Var,
        is_external: false,
    });
    Array::create(
        &Location::new(Arc::new(store.clone()), "a"),
        &schema,
        &[],
        &at(5),
    )
    .unwrap();
    let array = open(&store, 9).unwrap();
    let label = array.open_label(&array.schema().labels[0]).unwrap();
    let [labels] = &label.schema().attributes[..] else {
        panic!("one attribute");
    };
    assert_eq!(
        (labels.order, labels.cell_val_num),
        (DataOrder::Decreasing, CellValNum::Var)
    );
    assert_eq!(
        label.schema().dimensions[0].domain,
        schema.dimensions[0].domain
    );
}

#[test]
fn the_key_encrypts_what_is_made_and_changed() {
    let store = MemoryStore::new();
    let key = Some(EncryptionKey::new(KEY).unwrap());
    let place = Location::new(Arc::new(store.clone()), "a").with_key(key);
    let colours = colours(&["red", "green"], 1);
    Array::create(&place, &schema(&colours), &[colours], &at(10)).unwrap();
    assert_eq!(open(&store, 20).unwrap_err().kind(), ErrorKind::Crypto);
    let array = Array::open_location(&place, OpenOptions::default()).unwrap();
    array.put_metadata(vec![text("k", "v")], &at(11)).unwrap();
    array.delete_cells(&above("x", 5), &at(12)).unwrap();
    let mut schema = ArraySchema::clone(array.schema());
    schema
        .attributes
        .push(Attribute::new("added", Datatype::Int32));
    array.evolve(&schema, &[], &at(13)).unwrap();
    let array = Array::open_location(&place, OpenOptions::default()).unwrap();
    assert_eq!(**array.schema(), schema);
    assert_eq!(array.metadata().unwrap().len(), 1);
    assert_eq!(array.deletes().len(), 1);
}

#[test]
fn of_changes_at_one_time_the_later_one_counts() {
    let store = MemoryStore::new();
    create(&store, &at(10)).unwrap();
    let array = open(&store, 20).unwrap();
    array
        .put_metadata(vec![text("k", "first"), text("k", "second")], &at(12))
        .unwrap();
    array.put_metadata(vec![text("gone", "")], &at(12)).unwrap();
    // Another process, whose ids would sort before.
    let other = ChangeOptions::at(12).names(Arc::new(CountedNames::new(0, 0)));
    array
        .put_metadata(vec![text("k", "third"), removal("gone")], &other)
        .unwrap();
    array.put_metadata(vec![], &other).unwrap();
    insta::assert_snapshot!(describe_metadata(&array_at(&store, 12).metadata().unwrap()));
    assert!(array_at(&store, 11).metadata().unwrap().is_empty());

    let schema = array
        .newest_schema()
        .as_ref()
        .clone()
        .without_attribute("colour")
        .unwrap();
    let early = ChangeOptions::at(10).names(Arc::new(CountedNames::new(0, 0)));
    array.evolve(&schema, &[], &early).unwrap();
    assert!(array_at(&store, 10).schema().attributes.is_empty());
}

fn array_at(store: &MemoryStore, time: u64) -> Array {
    open(store, time).unwrap()
}

#[test]
fn a_schema_follows_the_newest_one() {
    let store = MemoryStore::new();
    create(&store, &at(10)).unwrap();
    let array = array_at(&store, 20);
    let old = array.newest_enumeration("colours").unwrap();
    let new = old.extended(format!("__{:032x}_0", 2), ["blue"]).unwrap();
    let schema = array.newest_schema().as_ref().clone();
    let schema = schema.with_extended_enumeration(&old, &new).unwrap();
    array.evolve(&schema, &[new], &at(30)).unwrap();
    let values = |time| {
        let array = array_at(&store, time);
        array.enumeration("colours").unwrap().len()
    };
    assert_eq!((values(29), values(30)), (2, 3));
    // Opened as of an earlier time, it still knows the newest schema.
    let array = array_at(&store, 20);
    assert_eq!(array.newest_enumeration("colours").unwrap().len(), 3);
    let error = array.evolve(&schema, &[], &at(29)).unwrap_err();
    insta::assert_snapshot!(error, @r#"time "29": the array has a schema of a later time"#);
}

#[test]
fn deletes_that_no_one_could_read_are_refused() {
    let refusal = |name: &str, prefix: &str, kept: &ConditionTree, time: u64| {
        let store = unpack(name);
        let array = Array::open(Arc::new(store), prefix, OpenOptions::default()).unwrap();
        array.delete_cells(kept, &at(time)).unwrap_err().to_string()
    };
    let null = ConditionValue::new("colour", ConditionOp::NotEqual, vec![]).unwrap();
    let store = MemoryStore::new();
    create(&store, &at(10)).unwrap();
    let array = array_at(&store, 20);
    let null = array.delete_cells(&null.into(), &at(11)).unwrap_err();
    let texts = [
        null.to_string(),
        refusal("v12_sparse_dups", "", &above("x", 5), 1),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn a_group_gains_and_loses_members() {
    let store = MemoryStore::new();
    Group::create(&Location::new(Arc::new(store.clone()), "g")).unwrap();
    create(&store, &at(10)).unwrap();
    let group = |time| {
        let store = Arc::new(store.clone());
        Group::open(store, "g", "file:///home", OpenOptions::at(time)).unwrap()
    };
    let add = |uri: &str, name: Option<&str>, relative| MemberChange::Add {
        uri: uri.to_owned(),
        name: name.map(str::to_owned),
        relative,
        object_type: ObjectType::Array,
    };
    let first = [
        add("x", Some("one"), true),
        add("file:///home/a", None, false),
    ];
    group(5).change_members(&first, &at(5)).unwrap();
    let second = [
        MemberChange::Remove("file:///home/g/x".to_owned()),
        add("y", None, true),
    ];
    group(6).change_members(&second, &at(6)).unwrap();
    group(6).put_metadata(vec![text("k", "v")], &at(6)).unwrap();
    let keys = |time| {
        let group = group(time);
        let keys = group.members().iter().map(|m| m.key().to_owned());
        keys.collect::<Vec<_>>()
    };
    assert!(keys(4).is_empty());
    assert_eq!(keys(5), ["file:///home/a", "one"]);
    assert_eq!(keys(6), ["file:///home/a", "y"]);
    assert_eq!(group(6).metadata().unwrap().len(), 1);
    let refusal = |changes: &[MemberChange]| {
        group(9)
            .change_members(changes, &at(9))
            .unwrap_err()
            .to_string()
    };
    let texts = [
        refusal(&[MemberChange::Remove("one".to_owned())]),
        refusal(&[add("z", None, true), add("z", None, true)]),
        refusal(&[add("../a", None, true)]),
        refusal(&[add("", Some("empty"), true)]),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

/// Returns the contents of an array as text.
fn state(store: &MemoryStore) -> String {
    let group = Group::open(Arc::new(store.clone()), "g", "", OpenOptions::default());
    let group = group.map(|group| {
        let metadata = group.metadata().unwrap();
        format!("{:?}\n{metadata:?}", group.members())
    });
    let array = open(store, u64::MAX - 1).map(|array| {
        let metadata = describe_metadata(&array.metadata().unwrap());
        let colours = array
            .enumeration("colours")
            .map(|colours| colours.len())
            .ok();
        format!("{}{metadata}{colours:?}", describe(&array))
    });
    let told = |error: &ArrayError| error.kind() == ErrorKind::NotFound;
    assert!(array.as_ref().map_or_else(told, |_| true), "{array:?}");
    assert!(group.as_ref().map_or_else(told, |_| true), "{group:?}");
    format!(
        "{}\n{}",
        array.unwrap_or_default(),
        group.unwrap_or_default()
    )
}

/// Stops a change after each of its operations; the state must be either that before the change or that after it.
fn stop_everywhere(
    before: &MemoryStore,
    change: impl Fn(Arc<dyn Store>) -> Result<(), ArrayError>,
) {
    let copy = || {
        let copy = MemoryStore::new();
        copy_tree(before, "", &copy, "").unwrap();
        copy
    };
    let after = copy();
    change(Arc::new(after.clone())).unwrap();
    let allowed = [state(before), state(&after)];
    assert_ne!(allowed[0], allowed[1]);
    for operation in 0.. {
        let store = copy();
        let stopping = FaultyStore::stopping_at(store.clone(), operation);
        let done = change(Arc::new(stopping)).is_ok();
        let found = state(&store);
        assert!(allowed.contains(&found), "stopped at {operation}: {found}");
        if done {
            assert_eq!(found, allowed[1]);
            return;
        }
        // The change can be repeated.
        if found == allowed[0] {
            let again = ChangeAgain(&change).run(&store);
            assert_eq!(again, allowed[1], "stopped at {operation}");
        }
    }
}

struct ChangeAgain<'a, F>(&'a F);

impl<F: Fn(Arc<dyn Store>) -> Result<(), ArrayError>> ChangeAgain<'_, F> {
    fn run(&self, store: &MemoryStore) -> String {
        (self.0)(Arc::new(store.clone())).unwrap();
        state(store)
    }
}

#[test]
fn a_change_that_is_stopped_anywhere_was_made_or_was_not() {
    let empty = MemoryStore::new();
    stop_everywhere(&empty, |store| {
        Group::create(&Location::new(store.clone(), "g"))
    });
    // New names for each run, so that objects of a stopped run are not in the way.
    let run = std::sync::atomic::AtomicU64::new(1);
    let fresh = |time| {
        let first = run.fetch_add(1 << 32, std::sync::atomic::Ordering::Relaxed);
        ChangeOptions::at(time).names(Arc::new(CountedNames::new(time, first)))
    };
    stop_everywhere(&empty, |store| {
        let options = fresh(10);
        let file = options.names.enumeration()?;
        let text = Datatype::StringUtf8;
        let colours =
            Enumeration::from_values("colours", file, text, CellValNum::Var, false, ["red"])
                .unwrap();
        Array::create(
            &Location::new(store.clone(), "a"),
            &schema(&colours),
            &[colours],
            &options,
        )
    });
    let made = MemoryStore::new();
    create(&made, &at(10)).unwrap();
    Group::create(&Location::new(Arc::new(made.clone()), "g")).unwrap();
    let array = |store| Array::open(store, "a", OpenOptions::default());
    let group = |store| Group::open(store, "g", "", OpenOptions::default());
    stop_everywhere(&made, |store| {
        array(store)?.put_metadata(vec![text("k", "v")], &fresh(20))
    });
    stop_everywhere(&made, |store| {
        array(store)?
            .delete_cells(&above("x", 4), &fresh(20))
            .map(|_| ())
    });
    stop_everywhere(&made, |store| {
        let (array, options) = (array(store)?, fresh(20));
        let old = array.newest_enumeration("colours")?;
        let new = old
            .extended(options.names.enumeration()?, ["blue"])
            .unwrap();
        let schema = array.newest_schema().as_ref().clone();
        let schema = schema.with_extended_enumeration(&old, &new).unwrap();
        array.evolve(&schema, &[new], &options).map(drop)
    });
    stop_everywhere(&made, |store| {
        let add = MemberChange::Add {
            uri: "x".to_owned(),
            name: None,
            relative: true,
            object_type: ObjectType::Array,
        };
        group(store)?.change_members(&[add], &fresh(20))
    });
    stop_everywhere(&made, |store| {
        group(store)?.put_metadata(vec![text("k", "v")], &fresh(20))
    });
}
