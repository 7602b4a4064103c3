#![allow(unused_imports, unused_variables)]
use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use std::ffi::{c_char, c_int, c_void};

handle!(
    /// A handle: query condition.
    tiledb_query_condition_t => (), "query condition"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc(
    ctx: *mut tiledb_ctx_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_alloc_set_membership(
    ctx: *mut tiledb_ctx_t,
    field_name: *const c_char,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offests_size: u64,
    op: tiledb_query_condition_op_t,
    cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_alloc_set_membership")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_combine(
    ctx: *mut tiledb_ctx_t,
    left_cond: *const tiledb_query_condition_t,
    right_cond: *const tiledb_query_condition_t,
    combination_op: tiledb_query_condition_combination_op_t,
    combined_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_combine")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_free(cond: *mut *mut tiledb_query_condition_t) {
    free(cond);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_init(
    ctx: *mut tiledb_ctx_t,
    cond: *mut tiledb_query_condition_t,
    attribute_name: *const c_char,
    condition_value: *const c_void,
    condition_value_size: u64,
    op: tiledb_query_condition_op_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_init")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_negate(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    negated_cond: *mut *mut tiledb_query_condition_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_negate")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_condition_set_use_enumeration(
    ctx: *mut tiledb_ctx_t,
    cond: *const tiledb_query_condition_t,
    use_enumeration: c_int,
) -> i32 {
    not_offered(ctx, "tiledb_query_condition_set_use_enumeration")
}
