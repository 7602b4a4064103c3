//! Files and folders, beside arrays: TileDB's virtual file system.

pub mod listing;
pub mod open_file;

use std::ffi::c_char;
use std::sync::Arc;

use tdb::{Files, Settings};

use crate::border::context::{Context, tiledb_ctx_t};
use crate::border::handles::get_optional;
use crate::border::pointers::{bytes_mut, check_place, put, take, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};

/// A virtual file system: files that its settings reach, and a memory of its own for URIs that begin with `mem://`.
#[derive(Debug)]
pub(crate) struct Vfs {
    settings: Settings,
    files: Files,
}

impl Vfs {
    /// Creates one with the settings of a context and, before these, those that a config gives.
    fn new(context: &Context, config: Option<&Config>) -> Result<Self> {
        let mut settings = context.settings().clone();
        if let Some(config) = config {
            settings.inherit(&config.settings());
        }
        let stores = Arc::new(tdb::ObjectStores::new(settings.stores()));
        Ok(Self {
            settings,
            files: Files::new(stores),
        })
    }
}

handle!(
    /// A virtual file system.
    tiledb_vfs_t => Vfs, "vfs"
);

fn failed(error: tdb::Error) -> Error {
    Error::short("VFS", error.to_string())
}

/// Runs an operation of files that returns a value, and gives it to the program.
unsafe fn ask<T>(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    place: *mut T,
    run: impl FnOnce(&Files, &str) -> tdb::Result<T>,
) -> i32 {
    call(ctx, |_| {
        let vfs = get(vfs)?;
        check_place(place)?;
        put(place, run(&vfs.files, text(uri)?).map_err(failed)?)
    })
}

/// Runs an operation of files that changes one.
unsafe fn change(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    run: impl FnOnce(&Files, &str) -> tdb::Result<()>,
) -> i32 {
    call(ctx, |_| {
        let vfs = get(vfs)?;
        run(&vfs.files, text(uri)?).map_err(failed)
    })
}

/// Runs an operation from one URI to another.
unsafe fn transfer(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    from: *const c_char,
    to: *const c_char,
    run: impl FnOnce(&Files, &str, &str) -> tdb::Result<()>,
) -> i32 {
    call(ctx, |_| {
        let vfs = get(vfs)?;
        run(&vfs.files, text(from)?, text(to)?).map_err(failed)
    })
}

/// Writes the path of a `file://` URI with a zero byte at its end. `path_length` is the room of the buffer in bytes, and
/// becomes the length of the path without the zero byte. Of other URIs, the whole is written.
///
/// # Safety
/// `uri` is null or a text; `path_out` is null or has room for as many bytes as `path_length` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_uri_to_path(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    path_out: *mut c_char,
    path_length: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let (uri, room) = (text(uri)?, take(path_length)?);
        check_place(path_out)?;
        let path = match uri.split_once("://") {
            Some(("file", path)) if path.starts_with('/') => path,
            Some(("mem", path)) => path,
            Some((scheme, _)) if scheme != "file" => uri,
            _ => {
                let text = format!("Cannot convert '{uri}' to a path; it is not an absolute URI");
                return Err(Error::argument(text));
            }
        };
        put(path_length, 0)?;
        let out = bytes_mut(path_out.cast(), u64::from(room))?;
        let (Some((end, start)), Ok(length)) = (
            out.get_mut(..=path.len()).and_then(<[u8]>::split_last_mut),
            u32::try_from(path.len()),
        ) else {
            return Err(Error::argument("The buffer is too small for the path"));
        };
        start.copy_from_slice(path.as_bytes());
        *end = 0;
        put(path_length, length)
    })
}

/// Creates a virtual file system with the settings of the context and those given by `config`, which may be null.
///
/// # Safety
/// `vfs` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_alloc(
    ctx: *mut tiledb_ctx_t,
    config: *mut tiledb_config_t,
    vfs: *mut *mut tiledb_vfs_t,
) -> i32 {
    call(ctx, |context| {
        check_place(vfs)?;
        let config = get_optional(config)?;
        put(vfs, give(Vfs::new(context, config.as_deref())?))
    })
}

/// Frees a virtual file system. Open files stay open.
///
/// # Safety
/// `vfs` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_free(vfs: *mut *mut tiledb_vfs_t) {
    free(vfs);
}

/// Returns a copy of the settings.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_get_config(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let vfs = get(vfs)?;
        check_place(config)?;
        put(config, give(Config::of(vfs.settings.clone())))
    })
}

/// Fails: tdb creates no buckets.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |_, uri| Err(no_such_change("create", uri)))
}

/// Fails: tdb removes no buckets.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |_, uri| Err(no_such_change("remove", uri)))
}

fn no_such_change(what: &str, uri: &str) -> tdb::Error {
    let text = format!("Cannot {what} bucket '{uri}'; it is not supported on the given filesystem");
    tdb::Error::invalid(text)
}

/// Removes all objects of a bucket.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |files, uri| files.empty_bucket(uri))
}

/// Says whether a bucket has no objects.
///
/// # Safety
/// `uri` is null or a text; `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_empty_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_empty: *mut i32,
) -> i32 {
    ask(ctx, vfs, uri, is_empty, |files, uri| {
        files.is_empty_bucket(uri).map(i32::from)
    })
}

/// Says whether a URI is that of a bucket that can be listed.
///
/// # Safety
/// `uri` is null or a text; `is_bucket` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_bucket(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_bucket: *mut i32,
) -> i32 {
    ask(ctx, vfs, uri, is_bucket, |files, uri| {
        files.is_bucket(uri).map(i32::from)
    })
}

/// Creates a folder and its parents, if it does not exist. Does nothing in object stores.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_create_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |files, uri| files.create_folder(uri))
}

/// Says whether there is a folder.
///
/// # Safety
/// `uri` is null or a text; `is_dir` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_dir: *mut i32,
) -> i32 {
    ask(ctx, vfs, uri, is_dir, |files, uri| {
        files.is_folder(uri).map(i32::from)
    })
}

/// Removes a folder and everything in it.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |files, uri| files.remove_folder(uri))
}

/// Says whether there is a file.
///
/// # Safety
/// `uri` is null or a text; `is_file` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_is_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    is_file: *mut i32,
) -> i32 {
    ask(ctx, vfs, uri, is_file, |files, uri| {
        files.is_file(uri).map(i32::from)
    })
}

/// Removes a file.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_remove_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |files, uri| files.remove_file(uri))
}

/// Returns the sum of the sizes of all files in and below a folder, in bytes.
///
/// # Safety
/// `uri` is null or a text; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_dir_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> i32 {
    ask(ctx, vfs, uri, size, |files, uri| files.folder_size(uri))
}

/// Returns the size of a file in bytes.
///
/// # Safety
/// `uri` is null or a text; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_file_size(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    size: *mut u64,
) -> i32 {
    ask(ctx, vfs, uri, size, |files, uri| files.size(uri))
}

/// Moves a file. What is at the new place is replaced, and its folders are created.
///
/// # Safety
/// `old_uri` and `new_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    transfer(ctx, vfs, old_uri, new_uri, |files, old, new| {
        files.move_file(old, new)
    })
}

/// Moves a folder. Nothing, or an empty folder, may be at the new place.
///
/// # Safety
/// `old_uri` and `new_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_move_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    transfer(ctx, vfs, old_uri, new_uri, |files, old, new| {
        files.move_folder(old, new)
    })
}

/// Copies a file. What is at the new place is replaced; its folder must exist.
///
/// # Safety
/// `old_uri` and `new_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_file(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    transfer(ctx, vfs, old_uri, new_uri, |files, old, new| {
        files.copy_file(old, new)
    })
}

/// Copies a folder with everything in it. Files of the same names are replaced.
///
/// # Safety
/// `old_uri` and `new_uri` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_copy_dir(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    old_uri: *const c_char,
    new_uri: *const c_char,
) -> i32 {
    transfer(ctx, vfs, old_uri, new_uri, |files, old, new| {
        files.copy_folder(old, new)
    })
}

/// Creates an empty file, unless there is one.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_touch(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
) -> i32 {
    change(ctx, vfs, uri, |files, uri| files.touch(uri))
}

#[cfg(test)]
mod tests;
