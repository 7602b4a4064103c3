#![allow(unused_imports, unused_variables)]
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use crate::query::tiledb_query_t;
use std::ffi::c_char;

use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: channel operation.
    tiledb_channel_operation_t => (), "channel operation"
);

handle!(
    /// A handle: channel operator.
    tiledb_channel_operator_t => (), "channel operator"
);

handle!(
    /// A handle: query channel.
    tiledb_query_channel_t => (), "query channel"
);

handle!(
    /// A handle: query field.
    tiledb_query_field_t => (), "query field"
);

/// A constant of the interface: a handle that is never freed.
#[repr(transparent)]
#[derive(Debug)]
pub struct Constant<T>(*const T);

// SAFETY: the pointer is a key of a table and never followed.
unsafe impl<T> Sync for Constant<T> {}

impl<T> Constant<T> {
    const fn new(number: usize) -> Self {
        Self(std::ptr::without_provenance(number * 16))
    }
}

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_sum: Constant<tiledb_channel_operator_t> = Constant::new(1);

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_min: Constant<tiledb_channel_operator_t> = Constant::new(2);

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_max: Constant<tiledb_channel_operator_t> = Constant::new(3);

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_mean: Constant<tiledb_channel_operator_t> = Constant::new(4);

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_channel_operator_null_count: Constant<tiledb_channel_operator_t> =
    Constant::new(5);

/// The constant of this name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "it has this name in C")]
pub static tiledb_aggregate_count: Constant<tiledb_channel_operation_t> = Constant::new(6);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_count_get(
    ctx: *mut tiledb_ctx_t,
    operation: *mut *const tiledb_channel_operation_t,
) -> i32 {
    not_offered(ctx, "tiledb_aggregate_count_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_aggregate_free(
    unused: *mut tiledb_ctx_t,
    op: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    not_offered_alone("tiledb_aggregate_free")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_apply_aggregate(
    ctx: *mut tiledb_ctx_t,
    channel: *mut tiledb_query_channel_t,
    output_field_name: *const c_char,
    operation: *const tiledb_channel_operation_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_apply_aggregate")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_max_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_operator_max_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_mean_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_operator_mean_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_min_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_operator_min_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_null_count_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_operator_null_count_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_channel_operator_sum_get(
    ctx: *mut tiledb_ctx_t,
    op: *mut *const tiledb_channel_operator_t,
) -> i32 {
    not_offered(ctx, "tiledb_channel_operator_sum_get")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_create_unary_aggregate(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    op: *const tiledb_channel_operator_t,
    input_field_name: *const c_char,
    operation: *mut *mut tiledb_channel_operation_t,
) -> i32 {
    not_offered(ctx, "tiledb_create_unary_aggregate")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_channel(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    not_offered(ctx, "tiledb_field_channel")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_channel_free(
    unused: *mut tiledb_ctx_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    free(channel);
    TILEDB_OK
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_field_free(
    unused: *mut tiledb_ctx_t,
    field: *mut *mut tiledb_query_field_t,
) -> i32 {
    free(field);
    TILEDB_OK
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_default_channel(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    channel: *mut *mut tiledb_query_channel_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_default_channel")
}
/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    cell_val_num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_field_cell_val_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_datatype(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    datatype: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_field_datatype")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_get_nullable(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    nullable: *mut u8,
) -> i32 {
    not_offered(ctx, "tiledb_field_get_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_field_origin(
    ctx: *mut tiledb_ctx_t,
    field: *mut tiledb_query_field_t,
    origin: *mut tiledb_field_origin_t,
) -> i32 {
    not_offered(ctx, "tiledb_field_origin")
}

/// Not offered yet.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_field(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    field: *mut *mut tiledb_query_field_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_field")
}
