//! Things that may be in a file system in place of a file.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use tdb_array::{Array, OpenOptions};
use tdb_store::{LocalStore, Store};

use crate::support::{Golden, place, read_array};

/// Golden array in a folder of its own, which is removed on drop.
struct Folder {
    root: PathBuf,
}

impl Folder {
    fn of(golden: &Golden, test: &str) -> Self {
        let root = std::env::temp_dir().join(format!("tdb-hostile-{}-{test}", std::process::id()));
        let folder = Self { root };
        for (key, bytes) in &golden.objects {
            let path = folder.path(key);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    fn path(&self, key: &str) -> PathBuf {
        self.root.join("array").join(key)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is only a temporary folder.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Replaces the first key that contains `part` by something else, and returns the error of the read.
fn refusal(test: &str, part: &str, harm: impl FnOnce(&Folder, &Path)) -> String {
    let golden = Golden::named("v22_sparse_basics");
    let folder = Folder::of(&golden, test);
    let path = folder.path(&golden.key_of(part));
    harm(&folder, &path);
    let store = LocalStore::open(folder.path("")).unwrap();
    let begun = Instant::now();
    let refusal = read_array(&place(Arc::new(store), None)).unwrap_err();
    assert!(begun.elapsed() < crate::hostile::PATIENCE, "{refusal}");
    refusal.to_string()
}

const DATA: &str = "/a0.tdb";
const SCHEMA: &str = "__schema/__";

#[test]
fn row_08_links_are_not_followed() {
    let elsewhere = |folder: &Folder, path: &Path| {
        let outside = folder.root.join("outside");
        fs::rename(path, &outside).unwrap();
        symlink(outside, path).unwrap();
    };
    insta::assert_snapshot!(refusal("link-data", DATA, elsewhere), @r#"
    Store: fragment __110_110_UUID_22, field "i8", tile 0 (a0.tdb from byte 0 on)
      __fragments/__110_110_UUID_22/a0.tdb: this is a symbolic link, and tdb reads ordinary files only
    "#);
    insta::assert_snapshot!(refusal("link-schema", SCHEMA, elsewhere), @"Store: __schema/__100_100_UUID: this is a symbolic link, and tdb reads ordinary files only");
    let fragment = |folder: &Folder, path: &Path| elsewhere(folder, path.parent().unwrap());
    insta::assert_snapshot!(refusal("link-fragment", DATA, fragment), @"Store: __fragments/__110_110_UUID_22/__fragment_metadata.tdb: this is a symbolic link, and tdb reads ordinary files only");
}

#[test]
fn row_09_a_pipe_is_not_waited_for() {
    let pipe = |_: &Folder, path: &Path| {
        fs::remove_file(path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    insta::assert_snapshot!(refusal("pipe-data", DATA, pipe), @r#"
    Store: fragment __110_110_UUID_22, field "i8", tile 0 (a0.tdb from byte 0 on)
      __fragments/__110_110_UUID_22/a0.tdb: this is a pipe, and tdb reads ordinary files only
    "#);
    insta::assert_snapshot!(refusal("pipe-schema", SCHEMA, pipe), @"Store: __schema/__100_100_UUID: this is a pipe, and tdb reads ordinary files only");
}

#[test]
fn row_10_devices_and_loops_of_links() {
    let zeros = |_: &Folder, path: &Path| {
        fs::remove_file(path).unwrap();
        symlink("/dev/zero", path).unwrap();
    };
    insta::assert_snapshot!(refusal("zeros-data", DATA, zeros), @r#"
    Store: fragment __110_110_UUID_22, field "i8", tile 0 (a0.tdb from byte 0 on)
      __fragments/__110_110_UUID_22/a0.tdb: this is a symbolic link, and tdb reads ordinary files only
    "#);
    insta::assert_snapshot!(refusal("zeros-schema", SCHEMA, zeros), @"Store: __schema/__100_100_UUID: this is a symbolic link, and tdb reads ordinary files only");
    let itself = |_: &Folder, path: &Path| {
        fs::remove_file(path).unwrap();
        symlink(path, path).unwrap();
    };
    insta::assert_snapshot!(refusal("loop-data", DATA, itself), @r#"
    Store: fragment __110_110_UUID_22, field "i8", tile 0 (a0.tdb from byte 0 on)
      __fragments/__110_110_UUID_22/a0.tdb: this is a symbolic link, and tdb reads ordinary files only
    "#);
}

#[test]
fn row_13_holes_are_no_bytes_to_be_read() {
    let hole = |size: u64| {
        move |_: &Folder, path: &Path| {
            let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
            // A persisted size of 3 GiB.
            let bytes = fs::read(path).unwrap();
            file.write_all(&bytes[..4]).unwrap();
            file.write_all(&(3_u64 << 30).to_le_bytes()).unwrap();
            file.set_len(size).unwrap();
        }
    };
    insta::assert_snapshot!(refusal("hole-schema", SCHEMA, hole(4 << 30)), @"Limit: __schema/__100_100_UUID: reading it takes 4294967296 bytes of memory, and 269484032 are allowed");
    insta::assert_snapshot!(refusal("hole-metadata", "__meta/", hole(4 << 30)), @"Limit: __meta/__110_110_UUID: reading it takes 4294967296 bytes of memory, and 269484032 are allowed");
    insta::assert_snapshot!(refusal("hole-within-limit", SCHEMA, hole(200 << 20)), @"Memory: __schema/__100_100_UUID: reading it takes 209715200 bytes of memory, and 67108864 are left");
    insta::assert_snapshot!(refusal("small-hole", SCHEMA, hole(20 << 20)), @"
    Corrupt: __schema/__100_100_UUID
      GenericTile.persisted_size at byte 4: needs 3221225472 bytes, but the data ends after 20971468
    ");
}

#[test]
fn row_35_a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let name = OsStr::from_bytes(b"__1_1_\xFF");
    let beside = |_: &Folder, path: &Path| fs::write(path.with_file_name(name), b"").unwrap();
    for (test, part, folder) in [
        ("name-schema", SCHEMA, "__schema"),
        ("name-metadata", "__meta/", "__meta"),
    ] {
        let golden = Golden::named("v22_sparse_basics");
        let copied = Folder::of(&golden, test);
        beside(&copied, &copied.path(&golden.key_of(part)));
        let store: Arc<dyn Store> = Arc::new(LocalStore::open(copied.path("")).unwrap());
        read_array(&place(Arc::clone(&store), None)).unwrap();
        let array = Array::open(store, "", OpenOptions::default()).unwrap();
        let warning = format!("{folder}/__1_1_\u{fffd}: no object of TileDB, and passed over");
        let told = array.warnings().iter().map(ToString::to_string);
        let told: Vec<String> = told.collect();
        assert!(told.len() == 1 && told[0].starts_with(&warning), "{told:?}");
    }
}
