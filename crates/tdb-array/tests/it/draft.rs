//! Arrays that are being made.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use crate::support::KEY;
use tdb_array::{
    Array, ArrayError, ChangeOptions, Draft, ErrorKind, FoundFolder, Location, MetadataRecord,
    MetadataValue, ObjectType, OpenOptions, Work,
};
use tdb_filters::EncryptionKey;
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Datatype;

fn schema() -> ArraySchema {
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let value = Attribute::new("a", Datatype::Int32);
    ArraySchema::new(ArrayType::Dense, vec![x], vec![value])
}

fn begin(location: &Location, work: Work, note: &str) -> Result<Draft, ArrayError> {
    let change = ChangeOptions::at(5);
    Draft::begin(location, work, note.as_bytes(), &schema(), &[], &change)
}

fn location(store: &MemoryStore) -> Location {
    Location::new(Arc::new(store.clone()), "a")
}

fn found(store: &MemoryStore) -> FoundFolder {
    FoundFolder::at(store, "a").unwrap()
}

fn keys(store: &MemoryStore) -> Vec<String> {
    let objects = store.list_recursive("").unwrap().into_iter();
    objects.map(|object| object.key).collect()
}

/// Sets a metadata key.
fn put(draft: &Draft, key: &str) {
    let array = Array::open_location(draft.location(), OpenOptions::default()).unwrap();
    let value = MetadataValue::try_new(Datatype::StringUtf8, b"v".to_vec()).unwrap();
    let record = MetadataRecord {
        key: key.to_owned(),
        value: Some(value),
    };
    let put = array.put_metadata(vec![record], &ChangeOptions::at(6));
    put.unwrap();
}

#[test]
fn an_array_in_the_making_is_one_for_who_makes_it_alone() {
    let store = MemoryStore::new();
    let draft = begin(&location(&store), Work::Import, "").unwrap();
    put(&draft, "k");
    let made = Array::open_location(draft.location(), OpenOptions::default()).unwrap();
    assert_eq!(made.metadata().unwrap().iter().count(), 1);
    let drafted = ObjectType::detect(&**draft.location().store(), "a").unwrap();
    assert_eq!(drafted, ObjectType::Array);
    assert_eq!(found(&store).object_type, ObjectType::Invalid);
    assert_eq!(found(&store).unfinished, Some(Work::Import));
    assert!(!keys(&store).iter().any(|key| key.contains("__schema")));
    draft.publish().unwrap();
    assert_eq!(found(&store).object_type, ObjectType::Array);
    assert_eq!(found(&store).unfinished, None);
    let array = Array::open_location(&location(&store), OpenOptions::default()).unwrap();
    assert_eq!(array.metadata().unwrap().iter().count(), 1);
    let own = |key: &&String| key.contains("__tdb");
    assert_eq!(keys(&store).iter().find(own), None);
}

#[test]
fn an_undecided_schema_is_stored_once_as_it_was_decided() {
    let key = Some(EncryptionKey::new(KEY).unwrap());
    for allows_duplicates in [false, true] {
        let store = MemoryStore::new();
        let place = location(&store).with_key(key.clone());
        let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
        let value = Attribute::new("a", Datatype::Int32);
        let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![value]);
        schema.allows_duplicates = true;
        let change = ChangeOptions::at(5);
        let draft = Draft::begin_undecided(&place, Work::Import, b"", &schema, &[], &change);
        let mut draft = draft.unwrap();
        let made = draft.array().unwrap();
        let name = made.schemas().map(|(name, _)| name.to_owned()).next();
        draft.allow_duplicates(allows_duplicates).unwrap();
        assert!(!keys(&store).iter().any(|key| key.contains("schema")));
        draft.publish().unwrap();
        let array = Array::open_location(&place, OpenOptions::default()).unwrap();
        assert_eq!(array.schema().allows_duplicates, allows_duplicates);
        assert_eq!(
            array.schemas().map(|(name, _)| name.to_owned()).next(),
            name
        );
        let expected = ArraySchema {
            allows_duplicates,
            ..ArraySchema::clone(made.schema())
        };
        assert_eq!(**array.schema(), expected);
    }
    let store = MemoryStore::new();
    let mut stored = begin(&location(&store), Work::Import, "").unwrap();
    assert_eq!(
        stored.allow_duplicates(true).unwrap_err().kind(),
        ErrorKind::Bug
    );
}

#[test]
fn what_is_discarded_leaves_nothing() {
    let store = MemoryStore::new();
    let draft = begin(&location(&store), Work::Rewrite, "of b").unwrap();
    put(&draft, "k");
    draft.discard().unwrap();
    assert_eq!(keys(&store), Vec::<String>::new());
}

#[test]
fn the_same_work_goes_on_and_other_work_does_not() {
    let store = MemoryStore::new();
    let key = Some(EncryptionKey::new(KEY).unwrap());
    let place = location(&store).with_key(key);
    drop(begin(&place, Work::Rewrite, "of b").unwrap());
    let left = keys(&store);
    let error = begin(&place, Work::Import, "").unwrap_err();
    insta::assert_snapshot!(error, @r#""a": an unfinished rewrite is here"#);
    assert_eq!(error.kind(), ErrorKind::Exists);
    assert!(Draft::resume(&place, Work::Import).unwrap().is_none());
    assert_eq!(keys(&store), left);
    let without = Draft::resume(&location(&store), Work::Rewrite);
    assert_eq!(without.unwrap_err().kind(), ErrorKind::Crypto);
    let (draft, note) = Draft::resume(&place, Work::Rewrite).unwrap().unwrap();
    assert_eq!(note, b"of b");
    put(&draft, "k");
    draft.remove_uncommitted().unwrap();
    draft.publish().unwrap();
    let array = Array::open_location(&place, OpenOptions::default()).unwrap();
    // Metadata is written last, so existing metadata comes from the interrupted run.
    assert_eq!(array.metadata().unwrap().iter().count(), 0);
}

#[test]
fn who_lost_its_claim_makes_no_array() {
    let store = MemoryStore::new();
    let first = begin(&location(&store), Work::Import, "").unwrap();
    // Another program takes the claim for abandoned.
    let claims = keys(&store).into_iter();
    let claims: Vec<String> = claims.filter(|key| key.contains("__tdb_claim_")).collect();
    assert_eq!(claims.len(), 1);
    store.remove(&claims[0]).unwrap();
    let second = begin(&location(&store), Work::Import, "").unwrap();
    put(&second, "k");
    let error = first.publish().unwrap_err();
    insta::assert_snapshot!(error, @r#""a": another program began the import anew meanwhile"#);
    second.publish().unwrap();
    let array = Array::open_location(&location(&store), OpenOptions::default()).unwrap();
    assert_eq!(array.metadata().unwrap().iter().count(), 1);
}

#[test]
fn an_array_that_others_made_meanwhile_stays() {
    let store = MemoryStore::new();
    let draft = begin(&location(&store), Work::Import, "").unwrap();
    let other = Location::new(Arc::new(MemoryStore::new()), "a");
    Array::create(&other, &schema(), &[], &ChangeOptions::at(7)).unwrap();
    // As TileDB would, which does not know drafts.
    tdb_store::copy_tree(&**other.store(), "", &store, "").unwrap();
    let error = draft.publish().unwrap_err();
    insta::assert_snapshot!(error, @r#""a": there is an array here already"#);
    let schemas = |store: &dyn Store| store.list_recursive("a/__schema").unwrap();
    assert_eq!(schemas(&store), schemas(&**other.store()));
}
