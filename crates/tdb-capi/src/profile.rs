#![allow(unused_imports, unused_variables)]
use crate::error::tiledb_error_t;
use crate::string::tiledb_string_t;
use std::ffi::c_char;

use crate::border::call::not_offered_alone;
use crate::border::codes::TILEDB_OK;
use crate::border::{free, handle, not_offered};

handle!(
    /// A handle: profile.
    tiledb_profile_t => (), "profile"
);

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_alloc(
    name: *const c_char,
    dir: *const c_char,
    profile: *mut *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_alloc")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_dump_str(
    profile: *mut tiledb_profile_t,
    out: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_dump_str")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_free(profile: *mut *mut tiledb_profile_t) {
    free(profile);
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_dir(
    profile: *mut tiledb_profile_t,
    dir: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_get_dir")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_name(
    profile: *mut tiledb_profile_t,
    name: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_get_name")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_get_param")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_load(
    profile: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_load")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_remove(
    name: *const c_char,
    dir: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_remove")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_save(
    profile: *mut tiledb_profile_t,
    overwrite: u8,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_save")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_set_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    not_offered_alone("tiledb_profile_set_param")
}
