#![allow(unused_imports, unused_variables)]
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::filter_list::tiledb_filter_list_t;
use crate::string::tiledb_string_t;
use std::ffi::{c_char, c_void};

handle!(
    /// A handle: attribute.
    tiledb_attribute_t => (), "attribute"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    kind: tiledb_datatype_t,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_dump_str(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t) {
    free(attr);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_size(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_cell_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_val_num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_cell_val_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_fill_value")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
    valid: *mut u8,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_fill_value_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_name(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    name: *mut *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: *mut u8,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_type(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    cell_val_num: u32,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_cell_val_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_fill_value")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
    validity: u8,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_fill_value_nullable")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: u8,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_nullable")
}
