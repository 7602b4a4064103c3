//! Consolidation and vacuum: reads return the same, even after an interruption at any point.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tdb_array::{
    Array, ArrayError, ChangeOptions, CountedNames, ErrorKind, Group, Location, MetadataRecord,
    MetadataValue, OpenOptions, TimeWindow,
};
use tdb_cells::Session;
use tdb_consolidate::{
    Mode, Plan, VacuumOptions, consolidate_array_metadata, consolidate_commits,
    consolidate_fragment_metadata, consolidate_group_metadata, debris,
    plan_contained_fragment_removal, plan_fragment_removal, plan_named_fragment_removal,
    plan_vacuum,
};
use tdb_fragment::{ConditionOp, ConditionTree, ConditionValue};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::CellValNum;
use tdb_store::{FaultyStore, LocalStore, MemoryStore, Read, Store, copy_tree};
use tdb_tile::{Datatype, Limits};
use tdb_write::{WriteOptions, Writer};

/// A golden array, in memory.
fn fixture(name: &str) -> MemoryStore {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let path = fixtures.join(name).join("array");
    MemoryStore::from_folder(path).unwrap()
}

/// Options with a new source of names on each call.
fn change() -> ChangeOptions {
    static FIRST: AtomicU64 = AtomicU64::new(1);
    let first = FIRST.fetch_add(1 << 32, Ordering::Relaxed);
    ChangeOptions::at(50).names(Arc::new(CountedNames::new(50, first)))
}

fn at_once() -> VacuumOptions {
    VacuumOptions::default()
        .grace(Duration::ZERO)
        .change(change())
}

fn open(store: &Arc<dyn Store>) -> Result<Array, ArrayError> {
    Array::open(Arc::clone(store), "", OpenOptions::default())
}

fn text(key: &str, value: Option<&str>) -> MetadataRecord {
    let value = value.map(|value| {
        let bytes = value.as_bytes().to_vec();
        MetadataValue::try_new(Datatype::StringUtf8, bytes).unwrap()
    });
    MetadataRecord {
        key: key.to_owned(),
        value,
    }
}

/// Reads the array as of the time of each of its events.
fn seen(store: &MemoryStore) -> String {
    let mut all = String::new();
    let times = [105, 110, 115, 120, 130, 135, 140, 150, u64::MAX - 1];
    for at in times {
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let array = Array::open(shared, "", OpenOptions::at(at)).unwrap();
        writeln!(all, "--- {at}").unwrap();
        for fragment in array.fragments() {
            let (metadata, name) = (&fragment.metadata, &fragment.name);
            writeln!(
                all,
                "{name} {:?} {:?}",
                metadata.non_empty_domain, metadata.last_tile_cells
            )
            .unwrap();
        }
        for delete in array.deletes() {
            writeln!(all, "{} {:?}", delete.timestamp, delete.condition).unwrap();
        }
        writeln!(all, "{:?}", array.metadata().unwrap()).unwrap();
    }
    all
}

fn copy(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::new();
    copy_tree(store, "", &copy, "").unwrap();
    copy
}

/// Runs an operation, stopped after each of its requests: reads must never change, and running it again must complete
/// it. Returns the final objects.
fn stop_everywhere(
    before: &MemoryStore,
    act: impl Fn(&Arc<dyn Store>) -> Result<Plan, ArrayError>,
) -> MemoryStore {
    let expected = seen(before);
    for operation in 0.. {
        let store = copy(before);
        let stopping: Arc<dyn Store> = Arc::new(FaultyStore::stopping_at(store.clone(), operation));
        let done = act(&stopping).is_ok();
        assert_eq!(seen(&store), expected, "stopped at {operation}");
        if done {
            return store;
        }
        let again: Arc<dyn Store> = Arc::new(store.clone());
        act(&again).unwrap();
        assert_eq!(
            seen(&store),
            expected,
            "stopped at {operation}, and done again"
        );
    }
    unreachable!()
}

fn vacuum(store: &Arc<dyn Store>, mode: Mode) -> Result<Plan, ArrayError> {
    let array = open(store)?;
    let place = array.location();
    let options = at_once();
    let plan = plan_vacuum(place, mode, &options)?;
    plan.vacuum(place, &options)?;
    Ok(plan)
}

fn above(field: &str, value: i32) -> ConditionTree {
    let value = value.to_le_bytes().to_vec();
    ConditionValue::new(field, ConditionOp::Greater, value)
        .unwrap()
        .into()
}

/// Returns the keys that are in `a` but not in `b`; random names count as equal.
fn more(a: &MemoryStore, b: &MemoryStore) -> Vec<String> {
    let known = b.keys();
    let keys = a.keys().into_iter().filter(|key| !known.contains(key));
    keys.map(|key| {
        let shown = key
            .split('_')
            .map(|part| if part.len() == 32 { "*" } else { part });
        shown.collect::<Vec<_>>().join("_")
    })
    .collect()
}

#[test]
fn commits_are_merged_and_removed_and_read_the_same() {
    let store = fixture("v22_commits");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    open(&shared)
        .unwrap()
        .delete_cells(&above("a", 3), &ChangeOptions::at(135))
        .unwrap();
    let merge = |store: &Arc<dyn Store>| consolidate_commits(&open(store)?, &change());
    let merged = stop_everywhere(&store, merge);
    insta::assert_debug_snapshot!("merged_commits", more(&merged, &store));
    let vacuumed = stop_everywhere(&merged, |store| vacuum(store, Mode::Commits));
    insta::assert_debug_snapshot!("vacuumed_commits", more(&merged, &vacuumed));
    // Again, with a delete that exists only in a list.
    let shared: Arc<dyn Store> = Arc::new(vacuumed.clone());
    open(&shared)
        .unwrap()
        .delete_cells(&above("a", 4), &ChangeOptions::at(145))
        .unwrap();
    let merged = stop_everywhere(&vacuumed, merge);
    let last = stop_everywhere(&merged, |store| vacuum(store, Mode::Commits));
    let lists = last.keys().into_iter().filter(|key| key.ends_with(".con"));
    assert_eq!(lists.count(), 1);
    // There is nothing left to do.
    let shared: Arc<dyn Store> = Arc::new(last);
    assert!(merge(&shared).unwrap().is_empty());
    assert!(vacuum(&shared, Mode::Commits).unwrap().is_empty());
}

#[test]
fn footers_are_merged_and_older_ones_removed() {
    let store = fixture("v22_commits");
    let merge = |store: &Arc<dyn Store>| consolidate_fragment_metadata(&open(store)?, &change());
    let merged = stop_everywhere(&store, merge);
    assert_eq!(more(&merged, &store).len(), 1);
    let shared: Arc<dyn Store> = Arc::new(merged.clone());
    assert!(open(&shared).unwrap().warnings().is_empty());
    stop_everywhere(&merged, |store| vacuum(store, Mode::FragmentMetadata));
}

#[test]
fn footers_are_read_all_at_once() {
    let store = fixture("v22_commits_merged");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let array = open(&shared).unwrap();
    assert!(array.fragments().len() > 1);
    store.take_counts();
    consolidate_fragment_metadata(&array, &change()).unwrap();
    assert_eq!(store.take_counts().batches, 1);
}

#[test]
fn footers_that_could_not_be_opened_are_not_merged() {
    let mut refused = Vec::new();
    for most in (100..2000).step_by(10) {
        let limits = Limits {
            metadata_tile: most,
            ..Limits::default()
        };
        let store: Arc<dyn Store> = Arc::new(fixture("v22_commits_merged"));
        let location = Location::new(store, "").with_limits(limits);
        let open = || Array::open_location(&location, OpenOptions::default());
        let Ok(array) = open() else { continue };
        match consolidate_fragment_metadata(&array, &change()) {
            Ok(_) => drop(open().unwrap()),
            Err(error) => refused.push(error.to_string()),
        }
    }
    insta::assert_snapshot!(refused.first().unwrap());
}

#[test]
fn metadata_is_merged_and_removed_and_read_the_same() {
    let store = fixture("v22_commits");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let put = |time, key, value| {
        let record = vec![text(key, value)];
        open(&shared)
            .unwrap()
            .put_metadata(record, &ChangeOptions::at(time))
            .unwrap();
    };
    put(112, "k", Some("first"));
    put(122, "k", Some("second"));
    put(132, "k", None);
    let merge = |store: &Arc<dyn Store>| consolidate_array_metadata(&open(store)?, &change());
    let merged = stop_everywhere(&store, merge);
    assert_eq!(more(&merged, &store).len(), 2);
    // The metadata of the times in between is gone with the objects, as in TileDB; the latest state counts.
    let shared: Arc<dyn Store> = Arc::new(merged.clone());
    let metadata = |store: &Arc<dyn Store>| open(store).unwrap().metadata().unwrap();
    let before = metadata(&shared);
    assert_eq!(before.get("k"), None);
    let count = merged.keys().len();
    vacuum(&shared, Mode::Metadata).unwrap();
    assert!(merged.keys().len() < count);
    assert_eq!(metadata(&shared), before);
    assert!(vacuum(&shared, Mode::Metadata).unwrap().is_empty());
}

#[test]
fn a_list_of_metadata_that_leaves_nothing_is_enough() {
    // If no key is left, TileDB writes the list, but no merged object.
    let store = fixture("v22_tour");
    for key in store.keys().iter().filter(|key| key.starts_with("__meta/")) {
        store.remove(key).unwrap();
    }
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let put = |time, value| {
        let array = open(&shared).unwrap();
        array
            .put_metadata(vec![text("k", value)], &ChangeOptions::at(time))
            .unwrap();
    };
    let objects = || -> Vec<String> {
        let keys = store.keys().into_iter();
        keys.filter(|key| key.starts_with("__meta/")).collect()
    };
    put(99, Some("value"));
    put(100, Some("other"));
    let lines = |keys: Vec<String>| keys.iter().map(|key| format!("/{key}\n")).collect();
    let list = "__meta/__99_100_00000000000000000000000000000001.vac";
    let kept: String = lines(objects());
    store.overwrite(list, kept);
    let plan = vacuum(&shared, Mode::Metadata).unwrap();
    assert!(plan.is_empty() && plan.notes.len() == 1);
    store.remove(list).unwrap();
    // In the order of times, not of names: 101 is last.
    put(101, None);
    let emptied: String = lines(objects());
    store.overwrite(&list.replace("_100_", "_101_"), emptied);
    vacuum(&shared, Mode::Metadata).unwrap();
    assert_eq!(objects(), Vec::<String>::new());
}

#[test]
fn what_consolidation_replaced_is_removed_and_nothing_else() {
    for name in ["v22_merged_sparse", "v22_merged_dense", "v10_merged_dense"] {
        removed_and_nothing_else(fixture(name), name != "v10_merged_dense");
    }
}

fn removed_and_nothing_else(store: MemoryStore, has_lists: bool) {
    let replaced = |store: &MemoryStore| {
        let store: Arc<dyn Store> = Arc::new(store.clone());
        open(&store).unwrap().replaced().len()
    };
    assert!(replaced(&store) > 0);
    let now = |store: &MemoryStore| {
        let store: Arc<dyn Store> = Arc::new(store.clone());
        let array = open(&store).unwrap();
        let names = array
            .fragments()
            .iter()
            .map(|fragment| fragment.name.to_string());
        names.collect::<Vec<_>>()
    };
    let before = now(&store);
    // Also if the commits are in a list.
    let listed = copy(&store);
    let shared: Arc<dyn Store> = Arc::new(listed.clone());
    if has_lists {
        consolidate_commits(&open(&shared).unwrap(), &change()).unwrap();
    }
    let alone = copy(&listed);
    let shared: Arc<dyn Store> = Arc::new(alone.clone());
    vacuum(&shared, Mode::Commits).unwrap();
    for start in [store, listed, alone] {
        for operation in 0.. {
            let store = copy(&start);
            let stopping = FaultyStore::stopping_at(store.clone(), operation);
            let done = vacuum(&(Arc::new(stopping) as Arc<dyn Store>), Mode::Fragments).is_ok();
            assert_eq!(now(&store), before, "stopped at {operation}");
            let shared: Arc<dyn Store> = Arc::new(store.clone());
            vacuum(&shared, Mode::Fragments).unwrap();
            assert_eq!(now(&store), before);
            assert_eq!(replaced(&store), 0, "stopped at {operation}");
            let folders = store.keys();
            let left = folders
                .iter()
                .filter(|key| key.ends_with("__fragment_metadata.tdb"));
            assert_eq!(left.count(), before.len());
            if done {
                assert!(!folders.iter().any(|key| key.ends_with(".vac")));
                break;
            }
        }
    }
}

#[test]
fn a_list_that_nothing_covers_removes_nothing() {
    let store = fixture("v22_merged_dense");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    // The consolidated fragment loses its commit.
    let name = open(&shared).unwrap().fragments()[0].name.to_string();
    store.remove(&format!("__commits/{name}.wrt")).unwrap();
    let plan = vacuum(&shared, Mode::Fragments).unwrap();
    assert!(plan.is_empty());
    assert_eq!(plan.notes.len(), 1);
    // A list that leads out of the array removes nothing either.
    let key = store
        .keys()
        .into_iter()
        .find(|key| key.ends_with(".vac"))
        .unwrap();
    store.overwrite(&key, "/__fragments/../../elsewhere\n");
    let array = open(&shared);
    let kind = array.map_err(|error| error.kind()).unwrap_err();
    assert_eq!(kind, ErrorKind::EscapesRoot);
}

#[test]
fn what_is_young_stays() {
    // A memory store records no times: with a grace period, nothing is old enough.
    let store = fixture("v22_merged_dense");
    let shared: Arc<dyn Store> = Arc::new(store);
    let array = open(&shared).unwrap();
    let options = VacuumOptions::default().change(change());
    let plan = plan_vacuum(array.location(), Mode::Fragments, &options).unwrap();
    assert!(plan.is_empty() && !plan.notes.is_empty());
}

#[test]
fn files_have_an_age() {
    let folder = std::env::temp_dir().join(format!("tdb-age-{}", std::process::id()));
    let local = LocalStore::create_root(&folder).unwrap();
    copy_tree(&fixture("v22_merged_dense"), "", &local, "").unwrap();
    let shared: Arc<dyn Store> = Arc::new(local);
    let array = open(&shared).unwrap();
    let plan = |grace: u64, later: u64| {
        let options = VacuumOptions::default()
            .grace(Duration::from_secs(grace))
            .now(std::time::SystemTime::now() + Duration::from_secs(later))
            .change(change())
            .until(None);
        plan_vacuum(array.location(), Mode::Fragments, &options).unwrap()
    };
    let (young, old) = (plan(600, 0).is_empty(), plan(600, 601).is_empty());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(young && !old);
}

/// A folder with a copy of an array whose objects can be given any age.
struct Aged {
    folder: PathBuf,
    store: Arc<dyn Store>,
}

impl Aged {
    fn new(name: &str, store: &MemoryStore) -> Self {
        let folder = std::env::temp_dir().join(format!("tdb-{name}-{}", std::process::id()));
        let local = LocalStore::create_root(&folder).unwrap();
        copy_tree(store, "", &local, "").unwrap();
        Self {
            folder,
            store: Arc::new(local),
        }
    }

    /// Returns the keys in the commits folder with this ending.
    fn commits(&self, ending: &str) -> Vec<String> {
        let listing = tdb_store::list_all(&*self.store, "__commits").unwrap();
        let keys = listing.objects.into_iter().map(|object| object.key);
        keys.filter(|key| key.ends_with(ending)).collect()
    }

    /// Makes an object one hour old.
    fn age(&self, key: &str) {
        let file = std::fs::File::open(self.folder.join(key)).unwrap();
        let hour = Duration::from_secs(3600);
        file.set_modified(std::time::SystemTime::now() - hour)
            .unwrap();
    }

    fn vacuumed(&self, mode: Mode) -> Plan {
        let options = VacuumOptions::default().change(change());
        let array = open(&self.store).unwrap();
        let place = array.location();
        let plan = plan_vacuum(place, mode, &options).unwrap();
        plan.vacuum(place, &options).unwrap();
        plan
    }
}

impl Drop for Aged {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

#[test]
fn a_list_of_commits_stays_while_what_superseded_it_is_young() {
    let aged = Aged::new("superseded", &fixture("v22_commits"));
    let merge = || consolidate_commits(&open(&aged.store).unwrap(), &change()).unwrap();
    merge();
    vacuum(&aged.store, Mode::Commits).unwrap();
    let [old] = &aged.commits(".con")[..] else {
        panic!("one list");
    };
    let array = open(&aged.store).unwrap();
    array.delete_cells(&above("a", 4), &change()).unwrap();
    merge();
    // A reader that listed the commits a minute ago is about to read the old list.
    aged.age(old);
    aged.vacuumed(Mode::Commits);
    assert!(aged.commits(".con").contains(old));
    aged.commits(".con").iter().for_each(|list| aged.age(list));
    aged.vacuumed(Mode::Commits);
    assert_eq!(aged.commits(".con").len(), 1);
    assert!(!aged.commits(".con").contains(old));
}

#[test]
fn a_list_of_what_was_replaced_stays_while_others_count_by_it() {
    let store = fixture("v22_merged_dense");
    // The merged fragment was replaced in turn, by an existing fragment with another name.
    let first = store.keys().into_iter().find(|key| key.ends_with(".vac"));
    let first = first.unwrap();
    let merged = tdb_store::name(first.trim_end_matches(".vac")).to_owned();
    let other = merged.replace("__1_", "__0_");
    let other = other.replace(&merged[merged.len() - 8..], "00000_22");
    assert_ne!(other, merged);
    for key in store.keys() {
        if let Some(file) = key.strip_prefix(&format!("__fragments/{merged}/")) {
            let bytes = store
                .read(&[Read::whole(key.as_str())])
                .remove(0)
                .unwrap()
                .bytes;
            store
                .put(&format!("__fragments/{other}/{file}"), bytes)
                .unwrap();
        }
    }
    store
        .put(&format!("__commits/{other}.wrt"), "".into())
        .unwrap();
    let list = format!("__fragments/{merged}\n");
    let second = format!("__commits/{other}.vac");
    store.put(&second, list.into()).unwrap();

    let aged = Aged::new("chain", &store);
    aged.age(&second);
    let before = open(&aged.store).unwrap().fragments().len();
    aged.vacuumed(Mode::Fragments);
    // The first list is young, and hides fragments that the second one replaces.
    let lists = aged.commits(".vac");
    assert!(
        lists.contains(&first) && lists.contains(&second),
        "{lists:?}"
    );
    assert_eq!(open(&aged.store).unwrap().fragments().len(), before);
    aged.age(&first);
    aged.vacuumed(Mode::Fragments);
    aged.vacuumed(Mode::Fragments);
    assert_eq!(aged.commits(".vac"), [""; 0]);
    assert_eq!(open(&aged.store).unwrap().fragments().len(), before);
}

#[test]
fn fragments_of_a_time_are_removed_for_good() {
    let store = fixture("v22_commits");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    consolidate_commits(&open(&shared).unwrap(), &change()).unwrap();
    let array = open(&shared).unwrap();
    let times = |array: &Array| {
        let fragments = array.fragments().iter();
        fragments
            .map(|fragment| fragment.timestamps().0)
            .collect::<Vec<_>>()
    };
    let all = times(&array);
    let window = TimeWindow {
        since: all[1],
        at: all[1],
    };
    let place = array.location();
    let options = at_once();
    let plan = plan_fragment_removal(place, window, &options).unwrap();
    plan.vacuum(place, &options).unwrap();
    let left: Vec<u64> = all.iter().copied().filter(|time| *time != all[1]).collect();
    assert_eq!(times(&open(&shared).unwrap()), left);
    assert!(
        plan_fragment_removal(place, window, &options)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn fragments_of_a_part_of_the_time_of_a_merged_one_are_not_removed() {
    let store = fixture("v22_merged_sparse");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let array = open(&shared).unwrap();
    let merged = array.fragments().iter().map(|f| f.name.clone());
    let merged = merged.max_by_key(|name| name.end() - name.start()).unwrap();
    let (first, last) = (merged.start(), merged.end());
    assert!(first < last);
    let place = array.location();
    let plan = |since, at| plan_fragment_removal(place, TimeWindow { since, at }, &at_once());
    for (since, at) in [(first, first), (0, last - 1), (first + 1, u64::MAX - 1)] {
        let error = plan(since, at).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        let told = format!("__fragments/{merged}: holds cells of {first} to {last}, ");
        assert!(error.to_string().starts_with(&told), "{error}");
    }
    plan(first, last)
        .unwrap()
        .vacuum(place, &at_once())
        .unwrap();
    let left = |name: &str| name.contains(&format!("__{first}_"));
    let left: Vec<String> = keys(&store, "__fragments/")
        .into_iter()
        .filter(|key| left(key))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn fragments_that_reach_beyond_a_time_are_left() {
    let shared: Arc<dyn Store> = Arc::new(fixture("v22_merged_sparse"));
    let array = open(&shared).unwrap();
    let names = |array: &Array| -> Vec<String> {
        let fragments = array.fragments().iter();
        fragments
            .map(|fragment| fragment.name.as_str().to_owned())
            .collect()
    };
    let all = array.fragments().iter().map(|f| f.name.clone());
    let merged = all.max_by_key(|name| name.end() - name.start()).unwrap();
    let window = TimeWindow {
        since: merged.start(),
        at: merged.end() - 1,
    };
    let place = array.location();
    let plan = plan_contained_fragment_removal(place, window, &at_once()).unwrap();
    plan.vacuum(place, &at_once()).unwrap();
    let left = names(&open(&shared).unwrap());
    assert!(left.iter().any(|name| name == merged.as_str()), "{left:?}");
}

#[test]
fn named_fragments_are_removed_for_good() {
    let shared: Arc<dyn Store> = Arc::new(fixture("v22_commits"));
    let array = open(&shared).unwrap();
    let all: Vec<String> = (array.fragments().iter())
        .map(|fragment| fragment.name.as_str().to_owned())
        .collect();
    let place = array.location();
    let plan = |names: &[String]| plan_named_fragment_removal(place, names, &at_once());
    let error = plan(&["__1_1_none_22".to_owned()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    plan(&all[1..]).unwrap().vacuum(place, &at_once()).unwrap();
    let left = open(&shared).unwrap();
    let left: Vec<&str> = (left.fragments().iter())
        .map(|fragment| fragment.name.as_str())
        .collect();
    assert_eq!(left, &all[..1]);
}

/// Row 8 of the hostile inputs: a link is removed, its target stays.
#[test]
#[cfg(unix)]
fn a_vacuum_removes_a_link_in_the_place_of_a_fragment_and_goes_on() {
    let fixture = fixture("v22_merged_sparse");
    let folder = std::env::temp_dir().join(format!("tdb-link-{}", std::process::id()));
    for is_committed in [true, false] {
        let local = LocalStore::create_root(folder.join("array")).unwrap();
        copy_tree(&fixture, "", &local, "").unwrap();
        let outside = folder.join("outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("precious"), "1").unwrap();
        let shared: Arc<dyn Store> = Arc::new(local);
        let replaced = open(&shared)
            .unwrap()
            .replaced()
            .iter()
            .next()
            .unwrap()
            .unwrap();
        let link = folder.join("array").join(&replaced.key);
        std::fs::remove_dir_all(&link).unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        if !is_committed {
            let name = &replaced.name;
            shared.remove(&format!("__commits/{name}.wrt")).unwrap();
        }
        let read = open(&shared).unwrap().fragments().len();
        vacuum(&shared, Mode::Fragments).unwrap();
        assert!(link.symlink_metadata().is_err());
        assert!(outside.join("precious").exists());
        let array = open(&shared).unwrap();
        assert_eq!((array.fragments().len(), array.replaced().len()), (read, 0));
        assert!(vacuum(&shared, Mode::Fragments).unwrap().is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Reads the cells of an array and writes them again.
fn write_again(store: &Arc<dyn Store>) {
    let array = Arc::new(open(store).unwrap());
    let session = Session::default();
    let options = ReadOptions::default().enumeration_codes(true);
    let mut writer = Writer::open(&session, &array, &WriteOptions::default()).unwrap();
    for batch in Reader::open(&session, &array, &options).unwrap() {
        writer.push(&batch.unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn all_that_an_array_gets_is_of_one_version() {
    for (name, version) in [
        ("v5_sparse_basics", 22),
        ("v12_sparse_basics", 12),
        ("v21_sparse_basics", 21),
        ("v23_sparse", 22),
    ] {
        let store = fixture(name);
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let before = store.keys();
        write_again(&shared);
        let array = open(&shared).unwrap();
        assert_eq!(array.write_version().number(), version, "{name}");
        let written = array.fragments().last().unwrap();
        assert_eq!(written.metadata.version.number(), version, "{name}");
        if version > 15 && array.schema().version.number() > 15 {
            let mut attributes = array.schema().attributes.iter();
            let attribute = attributes.find(|a| a.cell_val_num == CellValNum::Fixed(1));
            let attribute = attribute.unwrap();
            let size = attribute.datatype.size();
            let value = ConditionValue::new(&attribute.name, ConditionOp::Equal, vec![0; size]);
            array
                .delete_cells(&value.unwrap().into(), &ChangeOptions::default())
                .unwrap();
        }
        if array.schema().version.number() > 11 {
            consolidate_commits(&array, &ChangeOptions::default()).unwrap();
            consolidate_fragment_metadata(&array, &ChangeOptions::default()).unwrap();
        }
        let made = store.keys().into_iter().filter(|key| !before.contains(key));
        let made: Vec<String> = made.collect();
        for folder in ["__fragments/", "__commits/"] {
            assert!(
                made.iter().any(|key| key.starts_with(folder)),
                "{name}: {made:?}"
            );
        }
        for key in made
            .iter()
            .flat_map(|key| key.split('/'))
            .filter(|part| part.len() > 40)
        {
            let part = tdb_array::TimestampedName::of_key(key).unwrap();
            assert_eq!(part.version().number(), version, "{name}: {key}");
        }
    }
}

#[test]
fn what_abandoned_writes_left_is_found() {
    let store = fixture("v22_commits");
    let before = store.keys();
    let id = format!("{:032x}", 7);
    store
        .put(
            &format!("__fragments/__60_60_{id}_22/a0.tdb"),
            "half".into(),
        )
        .unwrap();
    store
        .put(&format!("__schema/__enumerations/__{id}_0"), "".into())
        .unwrap();
    store.put("__fragments/.tmp-1", "".into()).unwrap();
    // Not an object of the array.
    store.put("__fragments/readme", "".into()).unwrap();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let array = open(&shared).unwrap();
    let young = VacuumOptions::default().change(change());
    assert!(debris(&array, &young).unwrap().is_empty());
    let options = at_once();
    let plan = debris(&array, &options).unwrap();
    insta::assert_snapshot!(plan);
    plan.vacuum(array.location(), &options).unwrap();
    let mut kept = before;
    kept.push("__fragments/readme".to_owned());
    kept.sort();
    assert_eq!(store.keys(), kept);
}

/// Returns what `debris` finds without a grace period.
fn found(store: &MemoryStore) -> Result<Plan, ArrayError> {
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    debris(&open(&shared)?, &at_once())
}

fn rename(store: &MemoryStore, from: &str, to: &str) {
    let bytes = tdb_store::read_whole(store, from, 1 << 20).unwrap();
    store.remove(from).unwrap();
    store.put(to, bytes).unwrap();
}

/// Returns the keys that contain `part`.
fn keys(store: &MemoryStore, part: &str) -> Vec<String> {
    let keys = store.keys().into_iter();
    keys.filter(|key| key.contains(part)).collect()
}

#[test]
fn a_fragment_whose_commit_has_a_damaged_name_is_no_debris() {
    for part in [".wrt", ".con", ".ign", ".vac"] {
        let name = match part {
            ".wrt" => "v22_commits",
            ".con" | ".ign" => "v22_commits_ignored",
            _ => "v22_merged_sparse",
        };
        let store = fixture(name);
        let key = keys(&store, part).remove(0);
        rename(&store, &key, &key.replace(part, &format!("x{part}")));
        let error = found(&store).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{part}: {error}");
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        for mode in [Mode::Fragments, Mode::Commits] {
            assert!(vacuum(&shared, mode).is_err(), "{part}");
        }
        assert!(consolidate_commits(&open(&shared).unwrap(), &change()).is_err());
    }
}

#[test]
fn a_fragment_that_anything_names_is_no_debris() {
    let id = format!("{:032x}", 7);
    let folder = format!("__fragments/__60_60_{id}_22");
    let with = |lines: &[(&str, &str)]| {
        let store = fixture("v22_commits");
        store
            .put(&format!("{folder}/a0.tdb"), "half".into())
            .unwrap();
        for (key, text) in lines {
            store.put(&full(key), full(text).into()).unwrap();
        }
        let plan = found(&store).unwrap();
        assert_eq!(plan.is_empty(), !plan.notes.is_empty(), "{plan}");
        plan.notes.join("\n")
    };
    let commit = "__commits/NAME.wrt\n";
    assert_eq!(with(&[]), "");
    let named = [
        with(&[("__commits/__1_99_ID_22.vac", "__fragments/NAME\n")]),
        with(&[
            ("__commits/__60_60_ID_22.con", commit),
            ("__commits/__60_60_ID_22.ign", commit),
        ]),
        with(&[("__commits/NAME.wrx", "")]),
        with(&[("__commits/NAME", "")]),
        with(&[("NAME.ok.old", "")]),
    ];
    insta::assert_snapshot!(named.join("\n"));
    // A fragment whose folder was renamed looks abandoned, too.
    let store = fixture("v22_commits");
    let key = keys(&store, ".wrt").pop().unwrap();
    let name = tdb_store::name(&key).trim_end_matches(".wrt");
    for key in keys(&store, &format!("__fragments/{name}/")) {
        rename(
            &store,
            &key,
            &key.replace(name, &format!("__60_60_{id}_22")),
        );
    }
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    // As of a time before that fragment, the array can be opened.
    let array = Array::open(shared, "", OpenOptions::at(1)).unwrap();
    let plan = debris(&array, &at_once()).unwrap();
    assert!(plan.is_empty() && plan.notes.len() == 1, "{plan}");
    // Fragments with consolidated footers were committed at that time.
    let store = fixture("v22_commits");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    consolidate_fragment_metadata(&open(&shared).unwrap(), &change()).unwrap();
    store.remove(&key).unwrap();
    let plan = found(&store).unwrap();
    assert!(plan.is_empty() && plan.notes.len() == 1, "{plan}");
}

/// Expands `NAME` to the name of a fragment, and `ID` to its id.
fn full(text: &str) -> String {
    let name = format!("__60_60_{:032x}_22", 7);
    text.replace("NAME", &name)
        .replace("ID", &format!("{:032x}", 9))
}

#[test]
fn a_removal_that_was_stopped_goes_on() {
    let store = fixture("v22_commits");
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    consolidate_commits(&open(&shared).unwrap(), &change()).unwrap();
    vacuum(&shared, Mode::Commits).unwrap();
    let array = open(&shared).unwrap();
    let first = array.fragments()[0].timestamps().0;
    let window = TimeWindow {
        since: first,
        at: first,
    };
    let remove = |store: &Arc<dyn Store>| {
        let place = Location::new(Arc::clone(store), array.prefix());
        let options = at_once();
        plan_fragment_removal(&place, window, &options)?.vacuum(&place, &options)
    };
    for operation in 0.. {
        let copied = copy(&store);
        let stopping: Arc<dyn Store> =
            Arc::new(FaultyStore::stopping_at(copied.clone(), operation));
        let done = remove(&stopping).is_ok();
        let again: Arc<dyn Store> = Arc::new(copied.clone());
        remove(&again).unwrap();
        assert!(
            keys(&copied, &format!("__fragments/__{first}_")).is_empty(),
            "{operation}"
        );
        if done {
            break;
        }
    }
}

#[test]
fn the_metadata_of_a_group_is_merged() {
    let store = MemoryStore::new();
    Group::create(&Location::new(Arc::new(store.clone()), "g")).unwrap();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let group =
        || Group::open(shared.clone(), "g", "file:///home", OpenOptions::default()).unwrap();
    for (time, value) in [(1, "a"), (2, "b"), (3, "c")] {
        group()
            .put_metadata(vec![text("k", Some(value))], &ChangeOptions::at(time))
            .unwrap();
    }
    let before = group().metadata().unwrap();
    consolidate_group_metadata(&group(), &change()).unwrap();
    assert_eq!(group().metadata().unwrap(), before);
    let list = store
        .keys()
        .into_iter()
        .find(|key| key.ends_with(".vac"))
        .unwrap();
    let lines = tdb_store::read_whole(&store, &list, 1 << 20).unwrap();
    let lines = String::from_utf8(lines.to_vec()).unwrap();
    assert!(
        lines
            .lines()
            .all(|line| line.starts_with("file:///home/g/__meta/__"))
    );
    let options = at_once();
    let group_now = group();
    let place = group_now.location();
    let plan = plan_vacuum(place, Mode::Metadata, &options).unwrap();
    plan.vacuum(place, &options).unwrap();
    assert_eq!(store.keys().len(), 2);
    assert_eq!(group().metadata().unwrap(), before);
}
