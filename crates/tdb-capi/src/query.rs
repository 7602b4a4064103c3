#![allow(unused_imports, unused_variables)]
use crate::aggregate::tiledb_query_field_t;
use crate::array::tiledb_array_t;
use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use crate::query_condition::tiledb_query_condition_t;
use crate::string::tiledb_string_t;
use crate::subarray::tiledb_subarray_t;
use std::ffi::{c_char, c_void};

handle!(
    /// A handle: query.
    tiledb_query_t => (), "query"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    update_value: *const c_void,
    update_value_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_add_update_value")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_finalize")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    free(query);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_array")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut c_void,
    buffer_size: *mut *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_data_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_est_result_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_est_result_size_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_est_result_size_var")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_est_result_size_var_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_field(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    field: *mut *mut tiledb_query_field_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_field")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_fragment_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    t1: *mut u64,
    t2: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_fragment_timestamp_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    uri: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_fragment_uri")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_layout")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u64,
    buffer_size: *mut *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_offsets_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    plan: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_plan")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    relevant_fragment_num: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_relevant_fragment_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_stats")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_status")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_status_details")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_subarray_t")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u8,
    buffer_size: *mut *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_validity_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_query_has_results")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_condition")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut c_void,
    buffer_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_data_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_layout")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u64,
    buffer_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_offsets_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_subarray_t")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u8,
    buffer_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_set_validity_buffer")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_submit")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_submit_and_finalize")
}
