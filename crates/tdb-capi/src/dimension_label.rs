#![allow(unused_imports, unused_variables)]
use crate::array_schema::tiledb_array_schema_t;
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::filter_list::tiledb_filter_list_t;
use crate::subarray::tiledb_subarray_t;
use std::ffi::{c_char, c_void};

handle!(
    /// A handle: dimension label.
    tiledb_dimension_label_t => (), "dimension label"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_index: u32,
    name: *const c_char,
    label_order: tiledb_data_order_t,
    label_type: tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_add_dimension_label")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_index: u64,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_dimension_label_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    dim_label: *mut *mut tiledb_dimension_label_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_dimension_label_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_dimension_label_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    dim_label_num: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_dimension_label_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_dimension_label(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_dim_label: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_has_dimension_label")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_dimension_label_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_dimension_label_tile_extent(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    label_name: *const c_char,
    kind: tiledb_datatype_t,
    tile_extent: *const c_void,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_dimension_label_tile_extent")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_free(
    dim_label: *mut *mut tiledb_dimension_label_t,
) {
    free(dim_label);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_dimension_index(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    dim_index: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_dimension_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_attr_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_attr_name: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_label_attr_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_cell_val_num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_label_cell_val_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_order(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_order: *mut tiledb_data_order_t,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_label_order")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_label_type(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    label_type: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_label_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_name(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    name: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_label_get_uri(
    ctx: *mut tiledb_ctx_t,
    dim_label: *mut tiledb_dimension_label_t,
    uri: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_dimension_label_get_uri")
}
