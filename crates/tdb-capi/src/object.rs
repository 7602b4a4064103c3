#![allow(unused_imports, unused_variables)]
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
pub unsafe extern "C" fn tiledb_object_ls(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_object_ls")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_move(
    ctx: *mut tiledb_ctx_t,
    old_path: *const c_char,
    new_path: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_object_move")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32 {
    not_offered(ctx, "tiledb_object_remove")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    kind: *mut tiledb_object_t,
) -> i32 {
    not_offered(ctx, "tiledb_object_type")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_walk(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    order: tiledb_walk_order_t,
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_object_walk")
}
