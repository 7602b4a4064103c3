#![allow(unused_imports, unused_variables)]
use crate::array_schema::tiledb_array_schema_t;
use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use std::ffi::{c_char, c_void};

handle!(
    /// A handle: array.
    tiledb_array_t => (), "array"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_close(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_close")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_create")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete(ctx: *mut tiledb_ctx_t, uri: *const c_char) -> i32 {
    not_offered(ctx, "tiledb_array_delete")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_encryption_type(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_encryption_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    free(array);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_var_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_var_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_var_size_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_non_empty_domain_var_size_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_open_timestamp_end")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_open_timestamp_start")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_query_type(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_query_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_schema(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_schema")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_uri(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_uri: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_uri")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_is_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    is_open: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_is_open")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_open")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_reopen(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_reopen")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_set_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_set_open_timestamp_end")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_set_open_timestamp_start")
}
