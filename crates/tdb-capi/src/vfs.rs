#![allow(unused_imports, unused_variables)]
use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::{free, handle, not_offered};
use crate::config::tiledb_config_t;
use crate::constants::*;
use std::ffi::{c_char, c_void};

handle!(
    /// A handle: VFS.
    tiledb_vfs_t => (), "VFS"
);

handle!(
    /// A handle: VFS file handle.
    tiledb_vfs_fh_t => (), "VFS file handle"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_uri_to_path(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    path_out: *mut c_char,
    path_length: *mut u32,
) -> i32 {
    not_offered(ctx, "tiledb_uri_to_path")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_alloc(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    vfs: *mut *mut tiledb_vfs_t,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_close(ctx: *mut tiledb_ctx_t, fh: *mut tiledb_vfs_fh_t) -> i32 {
    not_offered(ctx, "tiledb_vfs_close")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_copy_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_copy_file")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_create_bucket")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_create_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_dir_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_dir_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_empty_bucket")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t) {
    free(fh);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_is_closed(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    is_closed: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_fh_is_closed")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_file_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_file_size")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_free(vfs: *mut *mut tiledb_vfs_t) {
    free(vfs);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_get_config(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_get_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_bucket: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_is_bucket")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_dir: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_is_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_is_empty_bucket")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_file: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_is_file")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: Option<unsafe extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_ls")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls_recursive(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_t,
    data: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_ls_recursive")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_ls_recursive_v2(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_v2_t,
    data: *mut c_void,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_ls_recursive_v2")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_move_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_move_file")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_open(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    mode: tiledb_vfs_mode_t,
    fh: *mut *mut tiledb_vfs_fh_t,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_open")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_read(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    offset: u64,
    buffer: *mut c_void,
    nbytes: u64,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_read")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_remove_bucket")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_remove_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_remove_file")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_sync(ctx: *mut tiledb_ctx_t, fh: *mut tiledb_vfs_fh_t) -> i32 {
    not_offered(ctx, "tiledb_vfs_sync")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_touch(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_touch")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_write(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    buffer: *const c_void,
    nbytes: u64,
) -> i32 {
    not_offered(ctx, "tiledb_vfs_write")
}
