//! Arguments: the pointers of C programs, checked for null and turned into values. What cannot be checked is that they
//! point to what the interface says; the functions here are unsafe for this reason alone.

use std::ffi::{CStr, c_char, c_void};

use super::{Error, Result};

/// Writes a result into the program's variable.
///
/// # Errors
/// Fails if the pointer is null.
///
/// # Safety
/// The pointer is null or points to memory for a value of its type; alignment is not needed.
pub(crate) unsafe fn put<T>(variable: *mut T, value: T) -> Result<()> {
    check(variable.is_null())?;
    // SAFETY: not null, and the caller promises the rest.
    unsafe { variable.write_unaligned(value) };
    Ok(())
}

/// Reads a value of the program.
///
/// # Errors
/// Fails if the pointer is null.
///
/// # Safety
/// The pointer is null or points to a value of its type; alignment is not needed.
pub(crate) unsafe fn take<T: Copy>(variable: *const T) -> Result<T> {
    check(variable.is_null())?;
    // SAFETY: not null, and the caller promises the rest.
    Ok(unsafe { variable.read_unaligned() })
}

/// Checks that the program gave a place for a result, before anything is done.
pub(crate) fn check_place<T>(variable: *mut T) -> Result<()> {
    check(variable.is_null())
}

/// Reads a text of the program.
///
/// # Errors
/// Fails if the pointer is null, or the text is not UTF-8.
///
/// # Safety
/// The pointer is null or points to a text with a zero byte at its end, which stays unchanged for `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str> {
    check(pointer.is_null())?;
    // SAFETY: not null, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str()
        .map_err(|_| Error::argument("Invalid text; it is not UTF-8"))
}

/// Reads a text of the program that may be missing.
///
/// # Errors
/// Fails if the text is not UTF-8.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(pointer: *const c_char) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    unsafe { text(pointer) }.map(Some)
}

/// Borrows `count` bytes of the program. Null stands for no bytes.
///
/// # Errors
/// Fails if the pointer is null and there are some, or more than memory can hold.
///
/// # Safety
/// The pointer is null or points to as many bytes, which stay unchanged for `'a`.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, count: u64) -> Result<&'a [u8]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer.is_null())?;
    let count = length(count)?;
    // SAFETY: not null, no longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), count) })
}

/// Borrows `count` bytes of the program for writing.
///
/// # Errors
/// As for [`bytes`].
///
/// # Safety
/// The pointer is null or points to as many bytes, which nobody else uses for `'a`.
pub(crate) unsafe fn bytes_mut<'a>(pointer: *mut c_void, count: u64) -> Result<&'a mut [u8]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer.is_null())?;
    let count = length(count)?;
    // SAFETY: not null, no longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), count) })
}

/// Converts a number of the program to an index.
///
/// # Errors
/// Fails if it is larger than memory.
pub(crate) fn index(number: u64) -> Result<usize> {
    usize::try_from(number)
        .map_err(|_| Error::argument(format!("Invalid argument; {number} is too large")))
}

fn check(is_null: bool) -> Result<()> {
    if is_null {
        return Err(Error::argument("Invalid argument; a pointer is null"));
    }
    Ok(())
}

fn length(count: u64) -> Result<usize> {
    let fits = isize::try_from(count).ok().map(isize::unsigned_abs);
    fits.ok_or_else(|| {
        Error::argument(format!(
            "Invalid size; {count} bytes are more than memory has"
        ))
    })
}
