//! The buffers of fields, as a program sets them.

use std::ffi::{c_char, c_void};

use super::buffers::Buffer;
use super::object::Role;
use super::tiledb_query_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{put, text};
use crate::border::{Result, call, get};

/// Sets the buffer of the values of a field.
///
/// # Safety
/// `name` is null or a text; `buffer` and `buffer_size` are null or point to memory that stays there until the query is
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut c_void,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        get(query)?.set_buffer(text(name)?, Role::Values, Buffer::new(buffer, buffer_size)?)
    })
}

/// Sets the buffer of the offsets of a field of variable size.
///
/// # Safety
/// As for [`tiledb_query_set_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u64,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = Buffer::new(buffer.cast(), buffer_size)?;
        get(query)?.set_buffer(text(name)?, Role::Offsets, buffer)
    })
}

/// Sets the buffer of the validity of a nullable field: a byte per cell.
///
/// # Safety
/// As for [`tiledb_query_set_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u8,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = Buffer::new(buffer.cast(), buffer_size)?;
        get(query)?.set_buffer(text(name)?, Role::Validity, buffer)
    })
}

/// Writes the pointers of a buffer that was set; null if it was not.
unsafe fn put_buffer<T>(
    buffer: Option<Buffer>,
    pointer: *mut *mut T,
    size: *mut *mut u64,
) -> Result<()> {
    let null = (std::ptr::null_mut(), std::ptr::null_mut());
    let (found, found_size) = buffer.map_or(null, |buffer| (buffer.pointer, buffer.size));
    put(pointer, found.cast())?;
    put(size, found_size)
}

/// Returns the buffer of the values of a field.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut c_void,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Values),
            buffer,
            buffer_size,
        )
    })
}

/// Returns the buffer of the offsets of a field.
///
/// # Safety
/// As for [`tiledb_query_get_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u64,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Offsets),
            buffer,
            buffer_size,
        )
    })
}

/// Returns the buffer of the validity of a field.
///
/// # Safety
/// As for [`tiledb_query_get_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u8,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Validity),
            buffer,
            buffer_size,
        )
    })
}
