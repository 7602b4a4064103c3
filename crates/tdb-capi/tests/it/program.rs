//! A program that uses the interface.

use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use tdb_capi::border::context::tiledb_ctx_t;
use tdb_capi::context::{tiledb_ctx_alloc, tiledb_ctx_free, tiledb_ctx_get_last_error};
use tdb_capi::error::{tiledb_error_free, tiledb_error_message};
use tdb_capi::string::{tiledb_string_free, tiledb_string_t, tiledb_string_view};

/// Calls a function of the interface.
macro_rules! c {
    ($function:expr, $($argument:expr),* $(,)?) => {
        // SAFETY: the tests give null, handles, and pointers to local variables that live longer than the call.
        unsafe { $function($($argument),*) }
    };
}
pub(crate) use c;

/// A program with a context of its own.
pub(crate) struct Program {
    pub(crate) ctx: *mut tiledb_ctx_t,
}

impl Program {
    pub(crate) fn new() -> Self {
        let mut ctx = null_mut();
        assert_eq!(c!(tiledb_ctx_alloc, null_mut(), &raw mut ctx), 0);
        Self { ctx }
    }

    /// Asserts that a call succeeded.
    #[track_caller]
    pub(crate) fn ok(&self, code: i32) {
        assert_eq!(code, 0, "{}", self.last_error());
    }

    /// Asserts that a call failed with a text that contains `text`.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, text: &str) {
        assert_eq!(code, -1);
        let error = self.last_error();
        assert!(error.contains(text), "{error}");
    }

    /// Makes a handle by a function whose last argument is a place for it.
    #[track_caller]
    pub(crate) fn make<H>(&self, make: impl FnOnce(*mut *mut H) -> i32) -> *mut H {
        let mut handle = null_mut();
        self.ok(make(&raw mut handle));
        assert!(!handle.is_null());
        handle
    }

    /// Returns a value by a function whose last argument is a place for it.
    #[track_caller]
    pub(crate) fn value<T: Default>(&self, get: impl FnOnce(*mut T) -> i32) -> T {
        let mut value = T::default();
        self.ok(get(&raw mut value));
        value
    }

    /// Returns a text by a function whose last argument is a place for a text's handle.
    #[track_caller]
    pub(crate) fn text(&self, get: impl FnOnce(*mut *mut tiledb_string_t) -> i32) -> String {
        let mut handle = self.make(get);
        let (mut data, mut length) = (std::ptr::null(), 0);
        self.ok(c!(
            tiledb_string_view,
            handle,
            &raw mut data,
            &raw mut length
        ));
        // SAFETY: the text lives until the handle is freed.
        let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        c!(tiledb_string_free, &raw mut handle);
        text
    }

    /// Returns a name by a function whose last argument is a place for a text's pointer.
    #[track_caller]
    pub(crate) fn name(&self, get: impl FnOnce(*mut *const c_char) -> i32) -> String {
        let mut name = std::ptr::null();
        self.ok(get(&raw mut name));
        // SAFETY: the text lives as long as the handle that it is of.
        let name = unsafe { CStr::from_ptr(name) };
        name.to_str().unwrap().to_owned()
    }

    pub(crate) fn last_error(&self) -> String {
        let mut error = null_mut();
        c!(tiledb_ctx_get_last_error, self.ctx, &raw mut error);
        if error.is_null() {
            return String::new();
        }
        let mut message = std::ptr::null();
        c!(tiledb_error_message, error, &raw mut message);
        // SAFETY: the text lives until the error is freed.
        let text = unsafe { CStr::from_ptr(message) };
        let text = text.to_string_lossy().into_owned();
        c!(tiledb_error_free, &raw mut error);
        text
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        c!(tiledb_ctx_free, &raw mut self.ctx);
    }
}
