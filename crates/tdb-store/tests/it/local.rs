//! The local store: conformance, and behaviour specific to files.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, which may fail so"
)]

use std::fs;
use std::path::Path;

use bytes::Bytes;
use tdb_store::{
    LocalStore, MemoryStore, Read, Store, StoreError, conformance, list_all, read_whole,
};

fn folder() -> (tempfile::TempDir, LocalStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalStore::open(folder.path()).unwrap();
    (folder, store)
}

fn entries(path: &Path) -> usize {
    fs::read_dir(path).unwrap().count()
}

#[test]
fn files_conform_in_pages_of_any_size() {
    let (folder, store) = folder();
    conformance::check(&store).unwrap();
    for pages in 1..5 {
        conformance::check(&store.clone().with_page_size(pages)).unwrap();
    }
    assert_eq!(entries(folder.path()), 0);
}

#[test]
fn a_root_must_be_a_folder() {
    let (folder, store) = folder();
    let none = LocalStore::open(folder.path().join("none"));
    assert!(matches!(none, Err(StoreError::NotFound { .. })), "{none:?}");
    store.put("file", Bytes::new()).unwrap();
    let file = LocalStore::open(folder.path().join("file"));
    assert!(
        matches!(file, Err(StoreError::NotAFolder { .. })),
        "{file:?}"
    );
    let made = LocalStore::create_root(folder.path().join("x/y")).unwrap();
    made.put("z", Bytes::new()).unwrap();
    assert_eq!(store.size("x/y/z").unwrap(), 0);
}

#[test]
fn nothing_goes_into_a_file() {
    let (_folder, store) = folder();
    store.put("file", Bytes::new()).unwrap();
    let below = store.put("file/below", Bytes::new());
    assert!(
        matches!(below, Err(StoreError::NotAFolder { .. })),
        "{below:?}"
    );
}

#[test]
fn an_unfinished_object_leaves_nothing_behind() {
    let (folder, store) = folder();
    let store = store.with_staging("__fragments").unwrap();
    let mut object = store.create("a/b").unwrap();
    object.write(b"x").unwrap();
    drop(object);
    assert_eq!(entries(folder.path()), 0);
}

#[test]
fn a_folder_is_copied_into_memory() {
    let (folder, store) = folder();
    store.put("__schema/a", Bytes::from_static(b"1")).unwrap();
    store.put("b", Bytes::from_static(b"22")).unwrap();
    let memory = MemoryStore::from_folder(folder.path()).unwrap();
    assert_eq!(memory.keys(), ["__schema/a", "b"]);
    assert_eq!(read_whole(&memory, "b", 2).unwrap(), "22");
}

#[test]
fn a_batch_over_many_objects_keeps_its_order() {
    let (_folder, store) = folder();
    for name in ["c", "a", "b"] {
        store.put(name, Bytes::from(name.repeat(2))).unwrap();
    }
    let reads = ["b", "c", "none", "a", "b"].map(|key| Read::bounded(key, 1, 1));
    let answers: Vec<String> = store
        .read(&reads)
        .into_iter()
        .map(|answer| match answer {
            Ok(piece) => String::from_utf8(piece.bytes.to_vec()).unwrap(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(answers, ["b", "c", "none: not found", "a", "b"]);
}

#[test]
fn writers_and_removers_of_one_folder_do_not_harm_each_other() {
    let (_folder, store) = folder();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = store.clone();
            scope.spawn(move || {
                for round in 0..50 {
                    let key = format!("shared/deep/{thread}-{round}");
                    store.put(&key, Bytes::from_static(b"1")).unwrap();
                    assert_eq!(store.size(&key).unwrap(), 1);
                    store.remove(&key).unwrap();
                }
            });
        }
    });
    assert_eq!(list_all(&store, "").unwrap().prefixes, Vec::<String>::new());
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    fn refused<T: std::fmt::Debug>(answer: Result<T, StoreError>, expected: &str) {
        match answer {
            Err(StoreError::NotAFile { what, .. }) => assert_eq!(what, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_pipe_is_refused_at_once() {
        let (folder, store) = folder();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
        refused(read_whole(&store, "pipe", 1), "a pipe");
        refused(store.read_into("pipe", 0, &mut [0]), "a pipe");
        refused(store.size("pipe"), "a pipe");
        store.remove("pipe").unwrap();
    }

    #[test]
    fn a_socket_is_refused() {
        let (folder, store) = folder();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("s")).unwrap();
        refused(store.size("s"), "a socket");
        refused(read_whole(&store, "s", 1), "a socket or a device");
    }

    #[test]
    fn no_link_is_followed_below_the_root() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "secret").unwrap();
        let (folder, store) = folder();
        let link = |to: &Path, name: &str| symlink(to, folder.path().join(name)).unwrap();
        link(outside.path(), "folder");
        link(&outside.path().join("file"), "file");
        link(Path::new("/dev/zero"), "zero");
        link(Path::new("loop"), "loop");
        link(Path::new("nowhere"), "dangling");
        for name in ["file", "zero", "loop", "dangling", "folder", "folder/file"] {
            refused(read_whole(&store, name, 9), "a symbolic link");
            refused(store.size(name), "a symbolic link");
        }
        refused(store.list("folder", None), "a symbolic link");
        refused(store.remove("folder/file"), "a symbolic link");
        refused(store.put("folder/new", Bytes::new()), "a symbolic link");
        let taken = store.put("dangling", Bytes::new());
        assert!(matches!(taken, Err(StoreError::Exists { .. })), "{taken:?}");
        assert!(!folder.path().join("nowhere").exists());

        let listing = list_all(&store, "").unwrap();
        assert_eq!(listing.prefixes, Vec::<String>::new());
        for object in listing.objects {
            store.remove(&object.key).unwrap();
        }
        assert_eq!(entries(folder.path()), 0);
        assert_eq!(fs::read(outside.path().join("file")).unwrap(), b"secret");
    }

    #[test]
    fn the_path_of_the_root_may_lead_over_links() {
        let (folder, store) = folder();
        store.put("real/a", Bytes::new()).unwrap();
        symlink("real", folder.path().join("link")).unwrap();
        let linked = LocalStore::open(folder.path().join("link")).unwrap();
        assert_eq!(linked.size("a").unwrap(), 0);
    }

    #[test]
    fn names_that_are_not_utf8_are_told_apart() {
        let (folder, store) = folder();
        let name = OsStr::from_bytes(b"__\xff");
        fs::write(folder.path().join(name), "").unwrap();
        let listing = list_all(&store.with_page_size(1), "").unwrap();
        assert!(listing.objects.is_empty());
        assert_eq!(listing.foreign, ["__\u{fffd}"]);
    }

    #[test]
    fn a_file_with_a_hole_is_not_read_beyond_the_limit() {
        let (folder, store) = folder();
        let file = fs::File::create(folder.path().join("hole")).unwrap();
        file.set_len(1 << 43).unwrap();
        assert_eq!(store.size("hole").unwrap(), 1 << 43);
        let whole = read_whole(&store, "hole", 1 << 20);
        assert!(
            matches!(whole, Err(StoreError::TooLarge { .. })),
            "{whole:?}"
        );
    }

    #[test]
    fn a_folder_that_may_not_be_read_is_not_empty() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, store) = folder();
        store.put("closed/a", Bytes::new()).unwrap();
        let mode = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path().join("closed"), permissions).unwrap();
        };
        mode(0);
        let listed = store.list("closed", None);
        mode(0o755);
        // Root can read it nevertheless.
        if let Err(error) = listed {
            assert!(matches!(error, StoreError::Permission { .. }), "{error:?}");
        }
    }
}
