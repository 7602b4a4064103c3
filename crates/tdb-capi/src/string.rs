//! Texts that the interface returns: `tiledb_string_t`.

use std::ffi::c_char;

use crate::border::call::call_silent;
use crate::border::codes::TILEDB_OK;
use crate::border::pointers::put;
use crate::border::{Result, free, get, give, handle};

/// A text, and the pointer that the program may hold as long as the handle lives.
#[derive(Debug)]
pub(crate) struct Text {
    text: Box<str>,
}

impl Text {
    /// Writes a new text into the program's variable.
    ///
    /// # Errors
    /// Fails if the pointer is null.
    ///
    /// # Safety
    /// `out` is null or points to a pointer.
    pub(crate) unsafe fn put(
        out: *mut *mut tiledb_string_t,
        text: impl Into<Box<str>>,
    ) -> Result<()> {
        crate::border::pointers::check_place(out)?;
        let text = Self { text: text.into() };
        // SAFETY: the caller promises it.
        unsafe { put(out, give(text)) }
    }
}

handle!(
    /// A text that the interface returned.
    tiledb_string_t => Text, "string"
);

/// Returns a pointer to a text and its length in bytes. There is no zero byte at its end.
///
/// # Safety
/// `data` and `length` are null or point to variables. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_view(
    s: *mut tiledb_string_t,
    data: *mut *const c_char,
    length: *mut usize,
) -> i32 {
    call_silent(|| {
        let text = get(s)?;
        put(data, text.text.as_ptr().cast())?;
        put(length, text.text.len())
    })
}

/// Frees a text.
///
/// # Safety
/// `s` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_string_free(s: *mut *mut tiledb_string_t) -> i32 {
    free(s);
    TILEDB_OK
}
