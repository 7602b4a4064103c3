#![allow(unused_imports, unused_variables)]
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use std::ffi::c_void;

handle!(
    /// A handle: buffer.
    tiledb_buffer_t => (), "buffer"
);

handle!(
    /// A handle: buffer list.
    tiledb_buffer_list_t => (), "buffer list"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_free(buffer: *mut *mut tiledb_buffer_t) {
    free(buffer);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    data: *mut *mut c_void,
    num_bytes: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_get_data")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    datatype: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_list_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_flatten(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut tiledb_buffer_list_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_list_flatten")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_free(buffer_list: *mut *mut tiledb_buffer_list_t) {
    free(buffer_list);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    buffer_idx: u64,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_list_get_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    num_buffers: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_list_get_num_buffers")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    total_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_list_get_total_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    data: *mut c_void,
    size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_set_data")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    datatype: tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_buffer_set_type")
}
