#![allow(unused_imports, unused_variables)]
use crate::border::context::tiledb_ctx_t;
use crate::filter::tiledb_filter_t;

use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: filter list.
    tiledb_filter_list_t => (), "filter list"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_add_filter(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    filter: *mut tiledb_filter_t,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_add_filter")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_alloc(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t) {
    free(filter_list);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    index: u32,
    filter: *mut *mut tiledb_filter_t,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_get_filter_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    max_chunk_size: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_get_max_chunk_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    nfilters: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_get_nfilters")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    max_chunk_size: u32,
) -> i32 {
    not_offered(ctx, "tiledb_filter_list_set_max_chunk_size")
}
