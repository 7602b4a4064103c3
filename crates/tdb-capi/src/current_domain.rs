#![allow(unused_imports, unused_variables)]
use crate::array_schema::tiledb_array_schema_t;
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::domain::tiledb_domain_t;
use crate::string::tiledb_string_t;
use std::ffi::c_char;

handle!(
    /// A handle: current domain.
    tiledb_current_domain_t => (), "current domain"
);

handle!(
    /// A handle: N-dimensional rectangle.
    tiledb_ndrectangle_t => (), "N-dimensional rectangle"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_get_current_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut tiledb_current_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_array_schema_set_current_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_create(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_create")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_free(
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    free(current_domain);
    TILEDB_OK
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    is_empty: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_get_is_empty")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_get_ndrectangle")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    kind: *mut tiledb_current_domain_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut tiledb_ndrectangle_t,
) -> i32 {
    not_offered(ctx, "tiledb_current_domain_set_ndrectangle")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_free(ndr: *mut *mut tiledb_ndrectangle_t) -> i32 {
    free(ndr);
    TILEDB_OK
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    ndim: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_get_dim_num")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_get_dtype")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_get_dtype_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_get_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_get_range_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_set_range")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> i32 {
    not_offered(ctx, "tiledb_ndrectangle_set_range_for_name")
}
