use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use super::*;
use crate::consolidation::tiledb_group_consolidate_metadata;
use crate::context::{tiledb_ctx_alloc, tiledb_ctx_free};
use crate::string::{tiledb_string_free, tiledb_string_view};

/// A context and a folder with the groups a and b.
struct Fixture {
    ctx: *mut tiledb_ctx_t,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let mut ctx = null_mut();
        let folder = tempfile::tempdir().unwrap();
        // SAFETY: a pointer to a local variable.
        assert_eq!(unsafe { tiledb_ctx_alloc(null_mut(), &raw mut ctx) }, 0);
        let test = Self { ctx, folder };
        for name in ["a", "b"] {
            // SAFETY: a text.
            let rc = unsafe { tiledb_group_create(ctx, test.path(name).as_ptr()) };
            assert_eq!(rc, 0);
        }
        test
    }

    fn path(&self, name: &str) -> CString {
        let path = self.folder.path().join(name);
        CString::new(path.to_str().unwrap()).unwrap()
    }

    fn open(&self, name: &str, query_type: tiledb_query_type_t) -> *mut tiledb_group_t {
        let mut group = null_mut();
        // SAFETY: a text, and a pointer to a local variable.
        unsafe {
            let path = self.path(name);
            let rc = tiledb_group_alloc(self.ctx, path.as_ptr(), &raw mut group);
            assert_eq!(rc, 0);
            assert_eq!(tiledb_group_open(self.ctx, group, query_type), 0);
        }
        group
    }

    fn close(&self, mut group: *mut tiledb_group_t) {
        // SAFETY: a handle, and a pointer to one.
        unsafe {
            assert_eq!(tiledb_group_close(self.ctx, group), 0);
            tiledb_group_free(&raw mut group);
        }
    }

    /// Reads a text that the library returned, and frees it.
    fn text(&self, mut text: *mut tiledb_string_t) -> String {
        let (mut data, mut length) = (null(), 0);
        // SAFETY: pointers to local variables; the text lives until it is freed.
        unsafe {
            assert_eq!(tiledb_string_view(text, &raw mut data, &raw mut length), 0);
            let bytes = std::slice::from_raw_parts(data.cast(), length).to_vec();
            tiledb_string_free(&raw mut text);
            String::from_utf8(bytes).unwrap()
        }
    }

    fn dump(&self, name: &str) -> String {
        let group = self.open(name, TILEDB_READ);
        let mut text = null_mut();
        // SAFETY: a pointer to a local variable.
        let rc = unsafe { tiledb_group_dump_str_v2(self.ctx, group, &raw mut text, 1) };
        assert_eq!(rc, 0);
        self.close(group);
        self.text(text)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // SAFETY: a pointer to a handle.
        unsafe { tiledb_ctx_free(&raw mut self.ctx) };
    }
}

#[test]
fn members_are_added_found_and_removed() {
    let test = Fixture::new();
    let (ctx, b) = (test.ctx, test.path("b"));
    let group = test.open("a", TILEDB_WRITE);
    let (mut count, mut kind, mut relative) = (0, 0, 9);
    let (mut uri, mut name) = (null_mut(), null_mut());
    // SAFETY: texts, nulls, and pointers to local variables.
    unsafe {
        let (b, named, none) = (b.as_ptr(), c"x".as_ptr(), c"none".as_ptr());
        assert_eq!(tiledb_group_add_member(ctx, group, b, 0, null()), 0);
        assert_eq!(tiledb_group_add_member(ctx, group, b, 0, null()), -1);
        assert_eq!(tiledb_group_add_member(ctx, group, b, 0, named), 0);
        assert_eq!(tiledb_group_add_member(ctx, group, null(), 0, named), -1);
        let inside = c"inside".as_ptr();
        let add = tiledb_group_add_member_with_type;
        assert_eq!(add(ctx, group, inside, 1, inside, TILEDB_INVALID), -1);
        assert_eq!(add(ctx, group, inside, 1, inside, TILEDB_ARRAY), 0);
        assert_eq!(tiledb_group_remove_member(ctx, group, none), -1);
        assert_eq!(
            tiledb_group_get_member_count(ctx, group, &raw mut count),
            -1
        );
        test.close(group);
        assert_eq!(
            test.dump("a"),
            "a GROUP\n|-- b GROUP\n|-- inside ARRAY\n|-- x GROUP\n"
        );

        let group = test.open("a", TILEDB_READ);
        assert_eq!(tiledb_group_get_member_count(ctx, group, &raw mut count), 0);
        assert_eq!(count, 3);
        let by_index = tiledb_group_get_member_by_index_v2;
        let (uri, name, kind) = (&raw mut uri, &raw mut name, &raw mut kind);
        assert_eq!(by_index(ctx, group, 3, uri, kind, name), -1);
        assert_eq!(by_index(ctx, group, 0, uri, kind, null_mut()), -1);
        assert_eq!(by_index(ctx, group, 0, uri, kind, name), 0);
        assert!((*name).is_null());
        assert!(test.text(*uri).ends_with("/b"));
        let by_name = tiledb_group_get_member_by_name_v2;
        assert_eq!(by_name(ctx, group, none, uri, kind), -1);
        assert_eq!(by_name(ctx, group, inside, uri, kind), 0);
        assert_eq!(*kind, TILEDB_ARRAY);
        assert!(test.text(*uri).ends_with("/a/inside"));
        let is_relative = tiledb_group_get_is_relative_uri_by_name;
        assert_eq!(is_relative(ctx, group, inside, &raw mut relative), 0);
        assert_eq!(relative, 1);
        assert_eq!(tiledb_group_remove_member(ctx, group, inside), -1);
        test.close(group);

        let group = test.open("a", TILEDB_WRITE);
        // Two members have the URI of b: the one without a name is called so.
        assert_eq!(tiledb_group_remove_member(ctx, group, b), 0);
        assert_eq!(tiledb_group_remove_member(ctx, group, b), -1);
        assert_eq!(tiledb_group_remove_member(ctx, group, inside), 0);
        test.close(group);
        assert_eq!(test.dump("a"), "a GROUP\n|-- x GROUP\n");
    }
}

#[test]
fn metadata_pointers_stay_while_the_group_is_open() {
    let test = Fixture::new();
    let ctx = test.ctx;
    for (key, number) in [(c"one", 1_i32), (c"two", 2)] {
        let group = test.open("a", TILEDB_WRITE);
        let value = (&raw const number).cast();
        // SAFETY: a text, and a value of the datatype.
        unsafe {
            let key = key.as_ptr();
            assert_eq!(
                tiledb_group_put_metadata(ctx, group, key, TILEDB_INT32, 1, value),
                0
            );
            assert_eq!(
                tiledb_group_put_metadata(ctx, group, key, TILEDB_ANY, 1, value),
                -1
            );
            assert_eq!(
                tiledb_group_put_metadata(ctx, group, null(), TILEDB_INT32, 1, value),
                -1
            );
        }
        test.close(group);
    }
    let path = test.path("a");
    // SAFETY: a text.
    unsafe {
        assert_eq!(
            tiledb_group_consolidate_metadata(ctx, path.as_ptr(), null_mut()),
            0
        );
        assert_eq!(
            tiledb_group_vacuum_metadata(ctx, path.as_ptr(), null_mut()),
            0
        );
        let none = test.path("none");
        assert_eq!(
            tiledb_group_vacuum_metadata(ctx, none.as_ptr(), null_mut()),
            -1
        );
    }
    let group = test.open("a", TILEDB_READ);
    let (mut datatype, mut count, mut num, mut length, mut has) = (0, 0, 0, 0, 9);
    let (mut first, mut second, mut key) = (null(), null(), null());
    // SAFETY: texts, nulls, and pointers to local variables.
    unsafe {
        let (datatype, count) = (&raw mut datatype, &raw mut count);
        let read = |key: &CStr, value| {
            tiledb_group_get_metadata(ctx, group, key.as_ptr(), datatype, count, value)
        };
        assert_eq!(read(c"one", &raw mut first), 0);
        assert_eq!(read(c"two", &raw mut second), 0);
        assert_eq!(first.cast::<i32>().read_unaligned(), 1);
        assert_eq!(second.cast::<i32>().read_unaligned(), 2);
        assert_eq!((*datatype, *count), (TILEDB_INT32, 1));
        assert_eq!(read(c"none", &raw mut second), 0);
        assert!(second.is_null());
        assert_eq!(read(c"one", null_mut()), -1);
        assert_eq!(tiledb_group_get_metadata_num(ctx, group, &raw mut num), 0);
        assert_eq!(num, 2);
        let by_index = tiledb_group_get_metadata_from_index;
        let (key, length, value) = (&raw mut key, &raw mut length, &raw mut second);
        assert_eq!(
            by_index(ctx, group, 2, key, length, datatype, count, value),
            -1
        );
        assert_eq!(
            by_index(ctx, group, 1, key, length, datatype, count, value),
            0
        );
        assert_eq!((CStr::from_ptr(*key), *length), (c"two", 3));
        let has_key = tiledb_group_has_metadata_key;
        assert_eq!(
            has_key(ctx, group, c"x".as_ptr(), datatype, &raw mut has),
            0
        );
        assert_eq!(has, 0);
    }
    test.close(group);
}

#[test]
fn groups_are_opened_once_and_deleted_only_exclusively() {
    let test = Fixture::new();
    let (ctx, a) = (test.ctx, test.path("a"));
    let mut query_type = 9;
    let mut is_open = 9;
    // SAFETY: texts, nulls, and pointers to local variables.
    unsafe {
        let a = a.as_ptr();
        assert_eq!(tiledb_group_create(ctx, a), -1);
        let group = test.open("a", TILEDB_WRITE);
        assert_eq!(tiledb_group_open(ctx, group, TILEDB_READ), -1);
        assert_eq!(tiledb_group_delete_group(ctx, group, a, 1), -1);
        assert_eq!(tiledb_group_set_config(ctx, group, null_mut()), -1);
        test.close(group);
        let mut group = test.open("a", TILEDB_MODIFY_EXCLUSIVE);
        assert_eq!(tiledb_group_delete_group(ctx, group, a, 1), 0);
        assert_eq!(tiledb_group_is_open(ctx, group, &raw mut is_open), 0);
        assert_eq!(is_open, 0);
        assert_eq!(
            tiledb_group_get_query_type(ctx, group, &raw mut query_type),
            -1
        );
        assert_eq!(tiledb_group_open(ctx, group, TILEDB_READ), -1);
        assert_eq!(tiledb_group_close(ctx, group), 0);
        let freed = group;
        tiledb_group_free(&raw mut group);
        assert_eq!(tiledb_group_close(ctx, freed), -1);
        assert_eq!(tiledb_group_close(ctx, null_mut()), -1);
        assert_eq!(tiledb_group_close(null_mut(), freed), -3);
    }
    assert!(!test.folder.path().join("a").exists());
    assert!(test.folder.path().join("b").exists());
}
