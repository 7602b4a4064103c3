#![allow(unused_imports, unused_variables)]
use crate::array::tiledb_array_t;
use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use std::ffi::{c_char, c_void};

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_array_delete_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_metadata_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    num: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_metadata_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_has_metadata_key")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_put_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_array_put_metadata")
}
