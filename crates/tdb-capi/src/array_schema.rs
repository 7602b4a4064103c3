#![allow(unused_imports, unused_variables)]
use crate::attribute::tiledb_attribute_t;
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::domain::tiledb_domain_t;
use crate::filter_list::tiledb_filter_list_t;
use crate::string::tiledb_string_t;
use std::ffi::{c_char, c_int};

handle!(
    /// A handle: array schema.
    tiledb_array_schema_t => ArraySchema, "array schema"
);

#[derive(Debug)]
pub(crate) struct ArraySchema(
    tdb::engine::schema::ArraySchema,
    Vec<tdb::engine::schema::Enumeration>,
);

impl ArraySchema {
    pub(crate) fn of(
        schema: tdb::engine::schema::ArraySchema,
        e: Vec<tdb::engine::schema::Enumeration>,
    ) -> Self {
        Self(schema, e)
    }
    pub(crate) fn build(&self) -> crate::border::Result<tdb::Schema> {
        Ok(tdb::Schema::new(self.0.clone(), self.1.clone())?)
    }
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attr: *mut tiledb_attribute_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_add_attribute")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_alloc_at_timestamp(
    ctx: *mut tiledb_ctx_t,
    array_type: tiledb_array_type_t,
    timestamp: u64,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_alloc_at_timestamp")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_check(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_check")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_dump_str(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_free(array_schema: *mut *mut tiledb_array_schema_t) {
    free(array_schema);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: *mut c_int,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_allows_dups")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_array_type(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    array_type: *mut tiledb_array_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_array_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_index(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    index: u32,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_attribute_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_attribute_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_attribute_num(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    attribute_num: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_attribute_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    capacity: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_capacity")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    cell_order: *mut tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_cell_order")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_coords_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_offsets_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    tile_order: *mut tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_tile_order")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_validity_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_version(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    version: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_version")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_has_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    name: *const c_char,
    has_attr: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_has_attribute")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_load")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_load_with_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    array_uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_load_with_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_allows_dups(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    allows_dups: c_int,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_allows_dups")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_capacity(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    capacity: u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_capacity")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_cell_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    cell_order: tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_cell_order")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_coords_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_coords_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    domain: *mut tiledb_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_offsets_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_offsets_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_tile_order(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    tile_order: tiledb_layout_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_tile_order")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_validity_filter_list(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_validity_filter_list")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    lo: *mut u64,
    hi: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_timestamp_range")
}
