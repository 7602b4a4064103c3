//! Arrays and groups as a whole.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{state, unpack};
use tdb_array::{
    Array, ArrayError, ChangeOptions, Contents, ContentsOutside, ErrorKind, Group, Location,
    MemberChange, ObjectType, OpenOptions, UriTarget,
};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::{
    FaultyStore, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError,
    copy_tree,
};
use tdb_tile::{Code, Datatype, Limits};

fn find(store: &Arc<dyn Store>, prefix: &str) -> Result<Contents, ArrayError> {
    let place = Location::new(Arc::clone(store), prefix);
    Contents::find(&place, "file:///home", OpenOptions::default())
}

fn array(store: &MemoryStore, prefix: &str) {
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let value = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Dense, vec![x], vec![value]);
    Array::create(
        &Location::new(Arc::new(store.clone()), prefix),
        &schema,
        &[],
        &ChangeOptions::at(5),
    )
    .unwrap();
}

/// A group with all kinds of members: inside, in an inner group, by absolute URI, outside.
fn group() -> MemoryStore {
    let store = MemoryStore::new();
    for prefix in ["g/in", "g/absolute", "g/sub/deep", "g/stranger", "outside"] {
        array(&store, prefix);
    }
    store.put("g/notes.txt", "mine".into()).unwrap();
    Group::create(&Location::new(Arc::new(store.clone()), "g")).unwrap();
    Group::create(&Location::new(Arc::new(store.clone()), "g/sub")).unwrap();
    let add = |group: &str, uri: &str, relative, object_type| {
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let group = Group::open(shared, group, "file:///home", OpenOptions::default()).unwrap();
        let change = MemberChange::Add {
            uri: uri.to_owned(),
            name: None,
            relative,
            object_type,
        };
        group
            .change_members(&[change], &ChangeOptions::at(6))
            .unwrap();
    };
    add("g", "in", true, ObjectType::Array);
    add("g", "file:///home/g/absolute", false, ObjectType::Array);
    add("g", "file:///home/outside", false, ObjectType::Array);
    add("g", "sub", true, ObjectType::Group);
    add("g/sub", "file:///home/g/sub/deep", false, ObjectType::Array);
    add("g", "gone", true, ObjectType::Array);
    store
}

fn folders(store: &MemoryStore) -> Vec<String> {
    let keys = store.keys();
    let mut folders: Vec<String> = keys
        .iter()
        .map(|key| key.split("/__").next().unwrap_or(key).to_owned())
        .collect();
    folders.dedup();
    folders
}

#[test]
fn a_group_is_removed_and_nothing_outside() {
    let store = group();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let contents = find(&shared, "g").unwrap();
    assert_eq!(
        contents.left(),
        ["file:///home/outside", "file:///home/g/gone"]
    );
    contents.remove().unwrap();
    assert_eq!(folders(&store), ["g/notes.txt", "g/stranger", "outside"]);
    // The second time, there is no group.
    let error = find(&shared, "g").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_group_is_copied_and_its_members_are_those_of_the_copy() {
    let store = group();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let contents = find(&shared, "g").unwrap();
    contents
        .copy(&shared, "copy", &ChangeOptions::at(9))
        .unwrap();
    let open = |prefix: &str| {
        let options = OpenOptions::default();
        Group::open(Arc::clone(&shared), prefix, "file:///home", options).unwrap()
    };
    let uris = |prefix: &str| {
        let group = open(prefix);
        let members = group.members().iter();
        members
            .map(|member| group.member_uri(member))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        uris("copy"),
        [
            "file:///home/copy/absolute",
            "file:///home/outside",
            "file:///home/copy/gone",
            "file:///home/copy/in",
            "file:///home/copy/sub",
        ]
    );
    assert_eq!(uris("copy/sub"), ["file:///home/copy/sub/deep"]);
    let error = contents
        .copy(&shared, "copy", &ChangeOptions::at(9))
        .unwrap_err();
    insta::assert_snapshot!(error, @r#""copy": there is a group here already"#);
    store.put("taken/file", "".into()).unwrap();
    let error = contents
        .copy(&shared, "taken", &ChangeOptions::at(9))
        .unwrap_err();
    insta::assert_snapshot!(error, @r#""taken": there is something here already"#);
}

#[test]
fn a_copy_that_is_stopped_anywhere_is_whole_or_is_not_there() {
    let original = unpack("v22_tour");
    let whole = state(&original, "");
    for operation in 0.. {
        let to = MemoryStore::new();
        let from: Arc<dyn Store> = Arc::new(original.clone());
        let stopping: Arc<dyn Store> = Arc::new(FaultyStore::stopping_at(to.clone(), operation));
        let contents = find(&from, "").unwrap();
        let done = contents
            .copy(&stopping, "copy", &ChangeOptions::at(9))
            .is_ok();
        let found = state(&to, "copy");
        assert!(
            found == whole || (found.is_empty() && !done),
            "stopped at {operation}"
        );
        if done {
            return;
        }
    }
}

#[test]
fn a_copy_that_fails_anywhere_leaves_nothing() {
    for original in [Arc::new(group()), Arc::new(unpack("v22_tour"))] {
        let prefix = if original.keys().iter().any(|key| key.starts_with("g/")) {
            "g"
        } else {
            ""
        };
        let from: Arc<dyn Store> = original;
        let contents = find(&from, prefix).unwrap();
        for operation in 0.. {
            let to = MemoryStore::new();
            to.put("mine", "".into()).unwrap();
            let failing: Arc<dyn Store> = Arc::new(FaultyStore::failing_at(to.clone(), operation));
            if contents
                .copy(&failing, "copy", &ChangeOptions::at(9))
                .is_ok()
            {
                assert!(operation > 10, "{operation}");
                break;
            }
            assert_eq!(to.keys(), ["mine"], "failed at {operation}");
        }
    }
}

/// A store that loses power during a removal: the given number of calls remove objects, the last of them only every
/// other object, and all later calls fail.
#[derive(Debug)]
struct Kept(MemoryStore, AtomicUsize);

impl Kept {
    fn after(store: MemoryStore, calls: usize) -> Self {
        Self(store, AtomicUsize::new(calls))
    }
}

impl Store for Kept {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.0.list(prefix, page)
    }
    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.0.size(key)
    }
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.0.read(reads)
    }
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.0.read_into(key, offset, into)
    }
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.0.create(key)
    }
    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.0.settle(prefix)
    }
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let denied = |key: &&str| StoreError::Permission {
            key: (*key).to_owned(),
        };
        let left = self.1.load(Ordering::Relaxed);
        self.1.store(left.saturating_sub(1), Ordering::Relaxed);
        match left {
            0 => keys.iter().map(|key| Err(denied(key))).collect(),
            1 => {
                let odd: Vec<&str> = keys.iter().skip(1).step_by(2).copied().collect();
                self.0.remove_many(&odd);
                keys.iter().map(|key| Err(denied(key))).collect()
            }
            _ => self.0.remove_many(keys),
        }
    }
}

#[test]
fn a_removal_that_a_loss_of_power_cuts_leaves_all_or_no_array() {
    let original = unpack("v22_tour");
    let mut torn = 0;
    for calls in 1.. {
        let store = MemoryStore::new();
        copy_tree(&original, "", &store, "a").unwrap();
        let before = state(&store, "a");
        let kept: Arc<dyn Store> = Arc::new(Kept::after(store.clone(), calls));
        let done = find(&kept, "a").unwrap().remove().is_ok();
        let found = state(&store, "a");
        // Two schemas are two objects: without the newer one, the array is in its earlier state.
        let schemas = store
            .keys()
            .iter()
            .filter(|key| key.contains("__schema/__"))
            .count();
        assert!(found.is_empty() || schemas > 0, "cut in call {calls}");
        let commits = |keys: &[String]| keys.iter().filter(|key| key.contains("__commits")).count();
        if schemas > 0 {
            assert_eq!(
                commits(&store.keys()),
                commits(&original.keys()),
                "cut in call {calls}"
            );
        }
        torn += usize::from(found != before && !found.is_empty());
        if done {
            assert!(store.keys().is_empty() && calls > 3);
            assert!(torn < 2);
            return;
        }
    }
}

#[test]
fn what_cannot_be_removed_is_not_moved() {
    for prefix in ["g", "outside"] {
        let kept: Arc<dyn Store> = Arc::new(Kept::after(group(), 0));
        let to = MemoryStore::new();
        let shared: Arc<dyn Store> = Arc::new(to.clone());
        let moved = find(&kept, prefix).unwrap();
        let moved = moved.rename(&shared, "moved", &ChangeOptions::at(9));
        assert_eq!(moved.unwrap_err().kind(), ErrorKind::Store);
        assert!(to.keys().is_empty(), "{:?}", to.keys());

        let from = group();
        let removable: Arc<dyn Store> = Arc::new(from.clone());
        let moved = find(&removable, prefix).unwrap();
        moved
            .rename(&shared, "moved", &ChangeOptions::at(9))
            .unwrap();
        find(&removable, prefix).unwrap_err();
        find(&shared, "moved").unwrap();
    }
}

#[test]
fn a_group_is_no_member_of_itself() {
    let store: Arc<dyn Store> = Arc::new(group());
    let options = OpenOptions::default();
    let group = Group::open(store, "g", "file:///home", options).unwrap();
    for (uri, relative) in [("file:///home/g", false), ("/home/g/", false), (".", true)] {
        let change = MemberChange::Add {
            uri: uri.to_owned(),
            name: Some("me".to_owned()),
            relative,
            object_type: ObjectType::Group,
        };
        let changed = group.change_members(&[change], &ChangeOptions::at(9));
        assert_eq!(changed.unwrap_err().kind(), ErrorKind::Invalid, "{uri}");
    }
}

#[test]
fn nothing_is_made_in_what_an_array_is_stored_as() {
    let store = group();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let before = store.keys();
    let contents = find(&shared, "outside").unwrap();
    for within in ["g/in/__schema/x", "g/in/x", "g/__meta/x", "g/__group"] {
        let created = Group::create(&Location::new(Arc::new(store.clone()), within)).unwrap_err();
        let copied = contents
            .copy(&shared, within, &ChangeOptions::at(9))
            .unwrap_err();
        for error in [created, copied] {
            // A folder that the group uses itself exists already, so that error may come first.
            let refused = matches!(error, ArrayError::Within { .. } | ArrayError::Exists { .. });
            assert!(refused, "{within}: {error}");
        }
    }
    assert_eq!(store.keys(), before);
    Group::create(&Location::new(Arc::new(store.clone()), "g/sub/more/below")).unwrap();
}

#[test]
fn a_removal_that_is_stopped_anywhere_can_go_on() {
    let original = unpack("v22_tour");
    for operation in 0.. {
        let store = MemoryStore::new();
        copy_tree(&original, "", &store, "a").unwrap();
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let before = state(&store, "a");
        let stopping: Arc<dyn Store> = Arc::new(FaultyStore::stopping_at(store.clone(), operation));
        let done = find(&stopping, "a")
            .and_then(|contents| contents.remove())
            .is_ok();
        let found = state(&store, "a");
        assert!(
            found.is_empty() || (found == before && !done),
            "stopped at {operation}"
        );
        if !store.keys().is_empty() {
            find(&shared, "a").unwrap().remove().unwrap();
        }
        assert!(store.keys().is_empty());
        if done {
            return;
        }
    }
}

#[test]
fn members_outside_are_copied_into_the_copy_once_each() {
    let store = MemoryStore::new();
    for prefix in ["g/in", "o/a", "p", "q/in"] {
        array(&store, prefix);
    }
    for prefix in ["g", "g/sub", "o"] {
        Group::create(&Location::new(Arc::new(store.clone()), prefix)).unwrap();
    }
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let open = |prefix: &str| {
        let options = OpenOptions::default();
        Group::open(Arc::clone(&shared), prefix, "file:///home", options).unwrap()
    };
    let add = |time, group: &str, uri: &str, name: Option<&str>, object_type| {
        let change = MemberChange::Add {
            uri: uri.to_owned(),
            name: name.map(str::to_owned),
            relative: !uri.contains(':'),
            object_type,
        };
        let options = ChangeOptions::at(time);
        open(group).change_members(&[change], &options).unwrap();
    };
    let (array, group) = (ObjectType::Array, ObjectType::Group);
    add(10, "g", "in", None, array);
    add(11, "g", "sub", None, group);
    add(12, "g", "file:///home/o", Some("other"), group);
    // A folder name that is in use; a name that is not valid as a folder; a member that does not exist.
    add(13, "g", "file:///home/q/in", None, array);
    add(14, "g/sub", "file:///home/p", Some("a/b"), array);
    add(15, "g", "file:///home/gone", None, array);
    // Members that are included already, and a cycle.
    add(16, "o", "a", None, array);
    add(17, "o", "file:///home/p", None, array);
    add(18, "o", "file:///home/g/in", Some("back"), array);
    add(19, "o", "file:///home/g", Some("top"), group);

    let look = |uri: &str| match find(&shared, uri.trim_start_matches("file:///home/")) {
        Ok(found) => Ok(Some(found)),
        Err(ArrayError::NoSuch { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let all = ContentsOutside::find(find(&shared, "g").unwrap(), look).unwrap();
    assert_eq!(all.left(), ["file:///home/gone"]);
    let found: Vec<String> = all.folders().map(|(uri, _)| uri).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    file:///home/g/in
    file:///home/g/sub
    file:///home/g
    file:///home/p
    file:///home/q/in
    file:///home/o/a
    file:///home/o
    ");
    let before = store.keys();
    all.copy(&shared, "copy", "file:///home", &ChangeOptions::at(30))
        .unwrap();
    assert!(before.iter().all(|key| store.keys().contains(key)));

    let mut shown = Vec::new();
    for group in ["copy", "copy/sub", "copy/other"] {
        let group = open(group);
        for member in group.members() {
            let kind = match group.target(member) {
                UriTarget::Inside(prefix) => {
                    let found = find(&shared, &prefix).unwrap();
                    let (_, kind) = found.folders().last().unwrap();
                    kind.name()
                }
                UriTarget::Outside(_) => "outside",
            };
            let name = member.name.as_deref().unwrap_or("-");
            shown.push(format!("{} {name} {} {kind}", group.uri(), member.uri));
        }
    }
    insta::assert_snapshot!(shown.join("\n"), @r"
    file:///home/copy - file:///home/gone outside
    file:///home/copy - in array
    file:///home/copy - in-2 array
    file:///home/copy other other group
    file:///home/copy - sub group
    file:///home/copy/sub a/b p array
    file:///home/copy/other - a array
    file:///home/copy/other back file:///home/copy/in outside
    file:///home/copy/other - file:///home/copy/sub/p outside
    file:///home/copy/other top file:///home/copy outside
    ");
    let again = all.copy(&shared, "copy", "file:///home", &ChangeOptions::at(40));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Exists);
}

#[test]
fn groups_outside_that_go_too_deep_are_refused() {
    let store = MemoryStore::new();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let limits = Limits {
        group_depth: 5,
        ..Limits::default()
    };
    for level in 0..8 {
        Group::create(&Location::new(
            Arc::new(store.clone()),
            &format!("g{level}"),
        ))
        .unwrap();
        let group = Group::open(
            Arc::clone(&shared),
            &format!("g{level}"),
            "file:///home",
            OpenOptions::default(),
        );
        let change = MemberChange::Add {
            uri: format!("file:///home/g{}", level + 1),
            name: None,
            relative: false,
            object_type: ObjectType::Group,
        };
        let changed = group
            .unwrap()
            .change_members(&[change], &ChangeOptions::at(5));
        changed.unwrap();
    }
    let look = |uri: &str| {
        let prefix = uri.trim_start_matches("file:///home/");
        let found = Contents::find(
            &Location::new(Arc::clone(&shared), prefix).with_limits(limits.clone()),
            "file:///home",
            OpenOptions::default(),
        );
        Ok::<_, ArrayError>(found.ok())
    };
    let first = look("file:///home/g0").unwrap().unwrap();
    let error = ContentsOutside::find(first, look).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}
