//! Profiles: settings of servers in a file of the user.

use std::env;
use std::ffi::c_char;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tdb::Profile;

use crate::border::call::call_alone;
use crate::border::pointers::{check_place, optional_text, put, text};
use crate::border::{Error, Result, free, get, give, handle};
use crate::error::tiledb_error_t;
use crate::string::{Text, tiledb_string_t};

handle!(
    /// A profile.
    tiledb_profile_t => Mutex<Profile>, "profile"
);

fn failed(error: tdb::Error) -> Error {
    Error::short("RestProfile", error.to_string())
}

/// Creates a profile without settings, in this folder, that of the environment, or that of the user.
pub(crate) fn profile(name: Option<&str>, folder: Option<&str>) -> Result<Profile> {
    let of_environment = env::var("TILEDB_PROFILE_DIR").ok();
    let given_folder = folder.filter(|folder| !folder.is_empty());
    let folder = given_folder.or(of_environment.as_deref());
    let given_home = env::var_os("HOME").map(PathBuf::from);
    let home = given_home.filter(|home| !home.as_os_str().is_empty());
    Profile::new(name, folder, home.as_deref()).map_err(failed)
}

/// Runs a function with a profile.
unsafe fn with_profile(
    handle: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
    run: impl FnOnce(&mut Profile) -> Result<()>,
) -> i32 {
    call_alone(error, || {
        let found = get(handle)?;
        let mut profile = found.lock().unwrap_or_else(PoisonError::into_inner);
        run(&mut profile)
    })
}

/// Creates a profile without settings. A null name stands for `default`, a null folder for that of the user.
///
/// # Safety
/// `name` and `dir` are null or texts; `profile` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_alloc(
    name: *const c_char,
    dir: *const c_char,
    profile: *mut *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        check_place(profile)?;
        let made = self::profile(optional_text(name)?, optional_text(dir)?)?;
        put(profile, give(Mutex::new(made)))
    })
}

/// Frees a profile. What was not saved is lost.
///
/// # Safety
/// `profile` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_free(profile: *mut *mut tiledb_profile_t) {
    free(profile);
}

/// Returns the name.
///
/// # Safety
/// `name` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_name(
    profile: *mut tiledb_profile_t,
    name: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| Text::put(name, profile.name()))
}

/// Returns the folder of the file, with a slash at its end.
///
/// # Safety
/// `dir` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_dir(
    profile: *mut tiledb_profile_t,
    dir: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| {
        let folder = profile.folder().display().to_string();
        Text::put(dir, format!("{}/", folder.trim_end_matches('/')))
    })
}

/// Sets a setting; null stands for an empty value.
///
/// # Safety
/// `param` and `value` are null or texts; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_set_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| {
        let value = optional_text(value)?.unwrap_or("");
        profile.set(text(param)?, value).map_err(failed)
    })
}

/// Returns a setting; null if it is not set.
///
/// # Safety
/// `param` is null or a text; `value` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_get_param(
    profile: *mut tiledb_profile_t,
    param: *const c_char,
    value: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| match profile.get(text(param)?) {
        Some(found) => Text::put(value, found),
        None => put(value, std::ptr::null_mut()),
    })
}

/// Writes the profile into the file. One of the same name is replaced if `overwrite` is not 0, and else an error.
///
/// # Safety
/// `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_save(
    profile: *mut tiledb_profile_t,
    overwrite: u8,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| {
        profile.save(overwrite != 0).map_err(failed)
    })
}

/// Takes the settings that the file has for the profile's name.
///
/// # Safety
/// `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_load(
    profile: *mut tiledb_profile_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| profile.load().map_err(failed))
}

/// Removes a profile from the file.
///
/// # Safety
/// `name` and `dir` are null or texts; `error` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_remove(
    name: *const c_char,
    dir: *const c_char,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        let profile = profile(optional_text(name)?, optional_text(dir)?)?;
        profile.remove().map_err(failed)
    })
}

/// Returns the profile as JSON.
///
/// # Safety
/// `out` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_profile_dump_str(
    profile: *mut tiledb_profile_t,
    out: *mut *mut tiledb_string_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    with_profile(profile, error, |profile| {
        Text::put(out, profile.to_json().map_err(failed)?)
    })
}

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use super::*;
    use crate::error::tiledb_error_free;

    #[test]
    fn profiles_are_saved_loaded_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = std::ffi::CString::new(folder.path().to_str().unwrap()).unwrap();
        let (dir, name) = (dir.as_ptr(), c"x".as_ptr());
        let (mut profile, mut error, mut value) = (null_mut(), null_mut(), null_mut());
        // SAFETY: texts, nulls and pointers to local variables.
        unsafe {
            let at = &raw mut error;
            assert_eq!(tiledb_profile_alloc(name, dir, &raw mut profile, at), 0);
            let (param, secret) = (c"rest.token".as_ptr(), c"secret".as_ptr());
            assert_eq!(tiledb_profile_set_param(profile, param, secret, at), 0);
            assert_eq!(tiledb_profile_save(profile, 0, at), 0);
            assert_eq!(tiledb_profile_save(profile, 0, at), -1);
            assert!(!error.is_null());
            tiledb_error_free(at);
            assert_eq!(tiledb_profile_save(profile, 1, at), 0);
            let freed = profile;
            tiledb_profile_free(&raw mut profile);
            assert_eq!(tiledb_profile_load(freed, at), -1);
            assert_eq!(tiledb_profile_load(null_mut(), at), -1);
            assert_eq!(tiledb_profile_load(null_mut(), null_mut()), -4);
            assert_eq!(tiledb_profile_alloc(name, dir, &raw mut profile, at), 0);
            let place = &raw mut value;
            assert_eq!(tiledb_profile_get_param(profile, param, place, at), 0);
            assert!(value.is_null());
            assert_eq!(tiledb_profile_load(profile, at), 0);
            assert_eq!(tiledb_profile_get_param(profile, param, place, at), 0);
            assert!(!value.is_null());
            assert_eq!(tiledb_profile_get_param(profile, null(), place, at), -1);
            assert_eq!(tiledb_profile_remove(name, dir, at), 0);
            assert_eq!(tiledb_profile_remove(name, dir, at), -1);
            tiledb_profile_free(&raw mut profile);
        }
    }
}
