use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use super::listing::*;
use super::open_file::*;
use super::*;
use crate::constants::*;
use crate::context::{tiledb_ctx_alloc, tiledb_ctx_free};

/// A context, a virtual file system and a folder.
struct Fixture {
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let (mut ctx, mut vfs) = (null_mut(), null_mut());
        // SAFETY: pointers to local variables.
        unsafe {
            assert_eq!(tiledb_ctx_alloc(null_mut(), &raw mut ctx), 0);
            assert_eq!(tiledb_vfs_alloc(ctx, null_mut(), &raw mut vfs), 0);
        }
        let folder = tempfile::tempdir().unwrap();
        Self { ctx, vfs, folder }
    }

    fn path(&self, name: &str) -> CString {
        let path = self.folder.path().join(name);
        CString::new(path.to_str().unwrap()).unwrap()
    }

    fn open(&self, path: &CString, mode: tiledb_vfs_mode_t) -> *mut tiledb_vfs_fh_t {
        let mut fh = null_mut();
        // SAFETY: a text and a pointer to a local variable.
        let rc = unsafe { tiledb_vfs_open(self.ctx, self.vfs, path.as_ptr(), mode, &raw mut fh) };
        assert_eq!(rc, 0);
        fh
    }

    fn write(&self, path: &CString, mode: tiledb_vfs_mode_t, bytes: &[u8]) {
        let mut fh = self.open(path, mode);
        // SAFETY: the bytes are as many as said.
        unsafe {
            let size = bytes.len() as u64;
            assert_eq!(
                tiledb_vfs_write(self.ctx, fh, bytes.as_ptr().cast(), size),
                0
            );
            assert_eq!(tiledb_vfs_close(self.ctx, fh), 0);
            tiledb_vfs_fh_free(&raw mut fh);
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // SAFETY: pointers to handles.
        unsafe {
            tiledb_vfs_free(&raw mut self.vfs);
            tiledb_ctx_free(&raw mut self.ctx);
        }
    }
}

#[test]
fn a_file_is_written_appended_to_and_read() {
    let test = Fixture::new();
    let path = test.path("a");
    test.write(&path, TILEDB_VFS_WRITE, b"Hello");
    test.write(&path, TILEDB_VFS_APPEND, b", world");
    let (mut size, mut closed) = (0, 1);
    let mut buffer = [0; 12];
    // SAFETY: buffers are as large as said.
    unsafe {
        let rc = tiledb_vfs_file_size(test.ctx, test.vfs, path.as_ptr(), &raw mut size);
        assert_eq!((rc, size), (0, 12));
        let mut fh = test.open(&path, TILEDB_VFS_READ);
        let into = buffer.as_mut_ptr().cast();
        assert_eq!(tiledb_vfs_read(test.ctx, fh, 0, into, 12), 0);
        assert_eq!(&buffer, b"Hello, world");
        assert_eq!(tiledb_vfs_read(test.ctx, fh, 12, null_mut(), 0), 0);
        assert_eq!(tiledb_vfs_read(test.ctx, fh, 1, into, 12), -1);
        assert_eq!(tiledb_vfs_read(test.ctx, fh, 0, null_mut(), 1), -1);
        assert_eq!(tiledb_vfs_fh_is_closed(test.ctx, fh, &raw mut closed), 0);
        assert_eq!(closed, 0);
        assert_eq!(tiledb_vfs_close(test.ctx, fh), 0);
        assert_eq!(tiledb_vfs_close(test.ctx, fh), -1);
        let freed = fh;
        tiledb_vfs_fh_free(&raw mut fh);
        assert_eq!(tiledb_vfs_sync(test.ctx, freed), -1);
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let test = Fixture::new();
    let path = test.path("a");
    let (mut number, mut size, mut fh) = (7, 7, null_mut());
    let mut other = null_mut();
    // SAFETY: nulls and pointers to local variables.
    unsafe {
        let (ctx, vfs, uri) = (test.ctx, test.vfs, path.as_ptr());
        assert_eq!(tiledb_vfs_is_dir(null_mut(), vfs, uri, &raw mut number), -3);
        assert_eq!(tiledb_vfs_is_dir(ctx, null_mut(), uri, &raw mut number), -1);
        assert_eq!(tiledb_vfs_is_dir(ctx, ctx.cast(), uri, &raw mut number), -1);
        assert_eq!(tiledb_vfs_is_dir(ctx, vfs, null(), &raw mut number), -1);
        assert_eq!(tiledb_vfs_is_dir(ctx, vfs, uri, null_mut()), -1);
        assert_eq!(tiledb_vfs_file_size(ctx, vfs, uri, &raw mut size), -1);
        assert_eq!((number, size), (7, 7));
        assert_eq!(tiledb_vfs_touch(ctx, vfs, null()), -1);
        assert_eq!(tiledb_vfs_copy_file(ctx, vfs, uri, null()), -1);
        assert_eq!(tiledb_vfs_open(ctx, vfs, uri, 9, &raw mut fh), -1);
        assert_eq!(
            tiledb_vfs_open(ctx, vfs, uri, TILEDB_VFS_READ, &raw mut fh),
            -1
        );
        assert!(fh.is_null());
        assert_eq!(tiledb_vfs_ls(ctx, vfs, uri, None, null_mut()), -1);
        assert_eq!(tiledb_vfs_create_bucket(ctx, vfs, uri), -1);
        assert_eq!(tiledb_vfs_alloc(ctx, ctx.cast(), &raw mut other), -1);
        tiledb_vfs_free(null_mut());
    }
}

/// Names that a callback has seen, how many it wants, and what it says in the end.
struct Names {
    seen: Vec<String>,
    most: usize,
    last: i32,
}

unsafe extern "C-unwind" fn note(uri: *const c_char, data: *mut c_void) -> i32 {
    // SAFETY: the test gives a pointer to `Names`, and the library a text.
    let (names, uri) = unsafe { (&mut *data.cast::<Names>(), CStr::from_ptr(uri)) };
    let uri = uri.to_str().unwrap();
    assert!(uri.starts_with("file:///"), "{uri}");
    names.seen.push(tdb::engine::store::name(uri).to_owned());
    if names.seen.len() < names.most {
        1
    } else {
        names.last
    }
}

unsafe extern "C-unwind" fn note_deep(
    uri: *const c_char,
    length: usize,
    size: u64,
    is_folder: u8,
    data: *mut c_void,
) -> i32 {
    // SAFETY: as for `note`.
    unsafe {
        assert_eq!(CStr::from_ptr(uri).to_bytes().len(), length);
        assert!(is_folder == 0 || size == 0);
        note(uri, data)
    }
}

#[test]
fn listings_follow_what_the_callback_says() {
    let test = Fixture::new();
    for name in ["c", "b/d", "a/e"] {
        // SAFETY: a text.
        let rc = unsafe { tiledb_vfs_touch(test.ctx, test.vfs, test.path(name).as_ptr()) };
        assert_eq!(rc, 0);
    }
    let folder = test.path("");
    let list = |most, last, is_deep| {
        let mut names = Names {
            seen: Vec::new(),
            most,
            last,
        };
        let data = (&raw mut names).cast();
        let (ctx, vfs, path) = (test.ctx, test.vfs, folder.as_ptr());
        // SAFETY: the callbacks take a pointer to `Names`.
        let rc = unsafe {
            if is_deep {
                tiledb_vfs_ls_recursive_v2(ctx, vfs, path, Some(note_deep), data)
            } else {
                tiledb_vfs_ls(ctx, vfs, path, Some(note), data)
            }
        };
        names.seen.sort();
        (rc, names.seen.join(" "))
    };
    assert_eq!(list(99, 1, false), (0, "a b c".to_owned()));
    assert_eq!(list(2, 0, false), (0, "a b".to_owned()));
    assert_eq!(list(1, -1, false), (-1, "a".to_owned()));
    assert_eq!(list(99, 1, true), (0, "a b c d e".to_owned()));
    assert_eq!(list(2, 0, true).0, 0);
    assert_eq!(list(2, 0, true).1.len(), 3);
    assert_eq!(list(1, -1, true).0, -1);
}

#[test]
fn paths_of_uris_fit_or_are_refused() {
    let test = Fixture::new();
    let path_of = |uri: &CStr, room: u32| {
        let (mut buffer, mut length) = ([1_u8; 8], room);
        let out = buffer.as_mut_ptr().cast();
        // SAFETY: the buffer is larger than what is said of it.
        let rc = unsafe { tiledb_uri_to_path(test.ctx, uri.as_ptr(), out, &raw mut length) };
        let text = buffer.get(..usize::try_from(length).unwrap()).unwrap();
        (rc, String::from_utf8(text.to_vec()).unwrap())
    };
    assert_eq!(path_of(c"file:///a/b", 5), (0, "/a/b".to_owned()));
    assert_eq!(path_of(c"file:///a/b", 4), (-1, String::new()));
    assert_eq!(path_of(c"s3://a", 8), (0, "s3://a".to_owned()));
    assert_eq!(path_of(c"a/b", 8).0, -1);
}
