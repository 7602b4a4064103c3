#![allow(unused_imports, unused_variables)]
use crate::array::tiledb_array_t;
use crate::config::tiledb_config_t;
use crate::context::tiledb_ctx_t;
use std::ffi::{c_char, c_int, c_void};

use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: subarray.
    tiledb_subarray_t => (), "subarray"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    count: u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_point_ranges")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_point_ranges_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    start_offsets: *const u64,
    start_offsets_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_point_ranges_var")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    end: *const c_void,
    stride: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_range_by_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_idx: u32,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_range_var")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_add_range_var_by_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    dim_name: *const c_char,
    start: *const c_void,
    start_size: u64,
    end: *const c_void,
    end_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_add_range_var_by_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_free(subarray: *mut *mut tiledb_subarray_t) {
    free(subarray);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut *const c_void,
    end: *mut *const c_void,
    stride: *mut *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_num: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_num_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_num: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_num_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_var")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_var_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_idx: u32,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_var_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_get_range_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    subarray: *const tiledb_subarray_t,
    dim_name: *const c_char,
    range_idx: u64,
    start_size: *mut u64,
    end_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_get_range_var_size_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_coalesce_ranges(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    coalesce_ranges: c_int,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_set_coalesce_ranges")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_config(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_set_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_subarray_set_subarray(
    ctx: *mut tiledb_ctx_t,
    subarray: *mut tiledb_subarray_t,
    subarray_v: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_subarray_set_subarray")
}
