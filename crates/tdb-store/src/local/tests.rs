use std::fs;
use std::sync::Arc;

use super::*;
use crate::conformance;

#[test]
fn portable_files_conform() {
    let folder = tempfile::tempdir().unwrap();
    let tree = portable::Root::open(folder.path()).unwrap();
    let store = LocalStore::over(Arc::new(tree))
        .with_staging("staging")
        .unwrap();
    conformance::check(&store).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn files_conform_on_any_unix() {
    let folder = tempfile::tempdir().unwrap();
    let tree = unix::Root::open_plainly(folder.path()).unwrap();
    let store = LocalStore::over(Arc::new(tree))
        .with_staging("staging/deep")
        .unwrap();
    conformance::check(&store).unwrap();
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(unix)]
#[test]
fn no_tree_follows_links() {
    follows_no_link(|path| Arc::new(portable::Root::open(path).unwrap()));
    follows_no_link(|path| Arc::new(unix::Root::open_plainly(path).unwrap()));
    follows_no_link(|path| Arc::new(unix::Root::open(path).unwrap()));
}

#[cfg(unix)]
fn follows_no_link(tree: impl Fn(&Path) -> Arc<dyn Tree>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    fs::write(folder.path().join("real/object"), "1").unwrap();
    std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
    let store = LocalStore::over(tree(folder.path()));
    let refused = |answer: Result<(), StoreError>| {
        assert!(
            matches!(answer, Err(StoreError::NotAFile { .. })),
            "{answer:?}"
        );
    };
    refused(store.size("link/object").map(drop));
    refused(store.size("link").map(drop));
    refused(store.list("link", None).map(drop));
    refused(store.remove("link/object"));
    refused(store.put("link/new", Bytes::new()));
    store.remove("link").unwrap();
    assert_eq!(store.size("real/object").unwrap(), 1);
}

#[test]
fn the_smallest_names_are_kept() {
    let mut names = Smallest::new("", 2, Some("b"));
    for name in ["e", "b", "c", "a", "f", "d", "g"] {
        names.see(name, false);
    }
    let (names, more) = names.into_sorted();
    assert_eq!((names, more), (vec!["c".to_owned(), "d".to_owned()], true));
}

#[test]
fn an_object_tells_when_it_was_finished() {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalStore::open(folder.path()).unwrap();
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(5);
    store.put("a/b", "1".into()).unwrap();
    let modified = store.modified("a/b").unwrap().unwrap();
    assert!(before < modified, "{modified:?}");
    assert!(store.modified("a/c").unwrap_err().is_not_found());
    // The memory store does not record the time.
    let memory = crate::MemoryStore::new();
    memory.put("a", "1".into()).unwrap();
    assert_eq!(memory.modified("a").unwrap(), None);
    assert!(memory.modified("b").unwrap_err().is_not_found());
}
