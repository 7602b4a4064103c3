#![allow(unused_imports, unused_variables)]
use crate::attribute::tiledb_attribute_t;
use crate::border::context::tiledb_ctx_t;
use crate::config::tiledb_config_t;
use crate::current_domain::tiledb_current_domain_t;
use crate::enumeration::tiledb_enumeration_t;
use std::ffi::c_char;

use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: array schema evolution.
    tiledb_array_schema_evolution_t => (), "array schema evolution"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_evolve(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_evolve")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute: *mut tiledb_attribute_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_add_attribute")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_add_enumeration")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_alloc(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_attribute(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    attribute_name: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_drop_attribute")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_drop_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration_name: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_drop_enumeration")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_expand_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    expanded_domain: *mut tiledb_current_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_expand_current_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_extend_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_extend_enumeration")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_free(
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) {
    free(array_schema_evolution);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_evolution_set_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *mut tiledb_array_schema_evolution_t,
    lo: u64,
    hi: u64,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_evolution_set_timestamp_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_upgrade_version(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_upgrade_version")
}
