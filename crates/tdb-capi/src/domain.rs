#![allow(unused_imports, unused_variables)]
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use crate::dimension::tiledb_dimension_t;
use crate::string::tiledb_string_t;
use std::ffi::c_char;

handle!(
    /// A handle: domain.
    tiledb_domain_t => (), "domain"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_add_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    dim: *mut tiledb_dimension_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_add_dimension")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    free(domain);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    index: u32,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_get_dimension_from_index")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_get_dimension_from_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_ndim(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    ndim: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_domain_get_ndim")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    not_offered(ctx, "tiledb_domain_get_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_has_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    has_dim: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_domain_has_dimension")
}
