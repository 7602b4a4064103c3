#![allow(unused_imports, unused_variables)]
use crate::array::tiledb_array_t;
use crate::array_schema::tiledb_array_schema_t;
use crate::attribute::tiledb_attribute_t;
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::string::tiledb_string_t;
use std::ffi::{c_char, c_int, c_void};

handle!(
    /// A handle: enumeration.
    tiledb_enumeration_t => (), "enumeration"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_enumeration(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_get_enumeration")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_all_enumerations(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_load_all_enumerations")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_enumerations_all_schemas(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_load_enumerations_all_schemas")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_add_enumeration")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attribute_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(
        ctx,
        "tiledb_array_schema_get_enumeration_from_attribute_name",
    )
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_enumeration_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_get_enumeration_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    enumeration_name: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_attribute_set_enumeration_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    kind: tiledb_datatype_t,
    cell_val_num: u32,
    ordered: c_int,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_dump_str(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_extend(
    ctx: *mut tiledb_ctx_t,
    old_enumeration: *mut tiledb_enumeration_t,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    new_enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_extend")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t) {
    free(enumeration);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    cell_val_num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_cell_val_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_data(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    data: *mut *const c_void,
    data_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_data")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_name(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_offsets(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    offsets: *mut *const c_void,
    offsets_size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_offsets")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_ordered(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    ordered: *mut c_int,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_ordered")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_type(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_value_index(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    value: *const c_void,
    value_size: u64,
    exist: *mut c_int,
    index: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_enumeration_get_value_index")
}
