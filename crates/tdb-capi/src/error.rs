//! Errors as handles: `tiledb_error_t`.

use std::ffi::{CString, c_char};

use crate::border::codes::{TILEDB_ERR, TILEDB_OK};
use crate::border::pointers::put;
use crate::border::{Error, free, get, handle};

/// The message of an error.
#[derive(Debug)]
pub(crate) struct Message(CString);

impl From<Error> for Message {
    fn from(error: Error) -> Self {
        // A zero byte would end the text early.
        let text = error.to_string().replace('\0', "\u{fffd}");
        // No zero byte is left.
        Self(CString::new(text).unwrap_or_else(|_| CString::default()))
    }
}

handle!(
    /// An error.
    tiledb_error_t => Message, "error"
);

/// Returns the message of an error.
///
/// # Safety
/// `errmsg` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_message(
    err: *mut tiledb_error_t,
    errmsg: *mut *const c_char,
) -> i32 {
    let Ok(message) = get(err) else {
        return crate::border::codes::TILEDB_INVALID_ERROR;
    };
    match put(errmsg, message.0.as_ptr()) {
        Ok(()) => TILEDB_OK,
        Err(_) => TILEDB_ERR,
    }
}

/// Frees an error.
///
/// # Safety
/// `err` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_error_free(err: *mut *mut tiledb_error_t) {
    free(err);
}

/// Returns the status that a return code stands for, which is the code.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_status_code(x: i32) -> i32 {
    x
}
