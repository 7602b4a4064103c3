#![allow(unused_imports, unused_variables)]
use crate::array_schema::tiledb_array_schema_t;
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::constants::*;
use std::ffi::{c_char, c_void};

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_export(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    offset: usize,
    buf: *mut c_void,
    size: usize,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_buffer_export")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_buffer_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    buf: *mut c_void,
    size: usize,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_buffer_import")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_schema_create(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_schema_create")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_size(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    size: *mut usize,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_export(
    ctx: *mut tiledb_ctx_t,
    file_uri: *const c_char,
    filestore_array_uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_uri_export")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filestore_uri_import(
    ctx: *mut tiledb_ctx_t,
    filestore_array_uri: *const c_char,
    file_uri: *const c_char,
    mime_type: tiledb_mime_type_t,
) -> i32 {
    not_offered(ctx, "tiledb_filestore_uri_import")
}
