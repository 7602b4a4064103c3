#![allow(unused_imports, unused_variables)]
use crate::array::tiledb_array_t;
use crate::border::context::tiledb_ctx_t;
use crate::config::tiledb_config_t;
use std::ffi::c_char;

use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: consolidation plan.
    tiledb_consolidation_plan_t => (), "consolidation plan"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_consolidate")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate_fragments(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: u64,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_consolidate_fragments")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_list(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: usize,
) -> i32 {
    not_offered(ctx, "tiledb_array_delete_fragments_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_fragments_v2(
    ctx: *mut tiledb_ctx_t,
    uri_str: *const c_char,
    timestamp_start: u64,
    timestamp_end: u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_delete_fragments_v2")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_vacuum(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_vacuum")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    fragment_size: u64,
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) -> i32 {
    not_offered(ctx, "tiledb_consolidation_plan_create_with_mbr")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *const tiledb_consolidation_plan_t,
    text: *mut *mut c_char,
) -> i32 {
    not_offered(ctx, "tiledb_consolidation_plan_dump_json_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free(
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) {
    free(consolidation_plan);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free_json_str(text: *mut *mut c_char) -> i32 {
    not_offered_alone("tiledb_consolidation_plan_free_json_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    fragment_index: u64,
    uri: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_consolidation_plan_get_fragment_uri")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    num_fragments: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_consolidation_plan_get_num_fragments")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    num_nodes: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_consolidation_plan_get_num_nodes")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_consolidate_metadata(
    ctx: *mut tiledb_ctx_t,
    group_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_group_consolidate_metadata")
}
