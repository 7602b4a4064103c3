#![allow(unused_imports, unused_variables)]
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use std::ffi::c_void;

handle!(
    /// A handle: filter.
    tiledb_filter_t => (), "filter"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_alloc(
    ctx: *mut tiledb_ctx_t,
    kind: tiledb_filter_type_t,
    filter: *mut *mut tiledb_filter_t,
) -> i32 {
    not_offered(ctx, "tiledb_filter_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_free(filter: *mut *mut tiledb_filter_t) {
    free(filter);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_filter_get_option")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_get_type(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    kind: *mut tiledb_filter_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_filter_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_set_option(
    ctx: *mut tiledb_ctx_t,
    filter: *mut tiledb_filter_t,
    option: tiledb_filter_option_t,
    value: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_filter_set_option")
}
