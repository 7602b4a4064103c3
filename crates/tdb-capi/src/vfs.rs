//! Files and folders, beside arrays: TileDB's virtual file system.

use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use tdb::{FileEntry, Files, OpenFile, OpenMode, Settings};

use crate::border::codes::TILEDB_OK;
use crate::border::context::{Context, tiledb_ctx_t};
use crate::border::handles::get_optional;
use crate::border::pointers::{bytes, bytes_mut, check_place, put, take, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;

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

handle!(
    /// An open file.
    tiledb_vfs_fh_t => Mutex<OpenFile>, "vfs file handle"
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

/// Runs an operation of an open file.
fn with_file(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    run: impl FnOnce(&mut OpenFile) -> Result<()>,
) -> i32 {
    call(ctx, |_| {
        let handle = get(fh)?;
        let mut file = handle.lock().unwrap_or_else(PoisonError::into_inner);
        run(&mut file)
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

/// Opens a file. With the mode for writing, one that exists is removed.
///
/// # Safety
/// `uri` is null or a text; `fh` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_open(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    uri: *const c_char,
    mode: tiledb_vfs_mode_t,
    fh: *mut *mut tiledb_vfs_fh_t,
) -> i32 {
    call(ctx, |_| {
        let vfs = get(vfs)?;
        check_place(fh)?;
        let mode = match mode {
            TILEDB_VFS_READ => OpenMode::Read,
            TILEDB_VFS_WRITE => OpenMode::Write,
            TILEDB_VFS_APPEND => OpenMode::Append,
            mode => return Err(Error::argument(format!("Invalid VFS mode {mode}"))),
        };
        let uri = text(uri)?;
        let opened = vfs.files.open(uri, mode);
        let file = opened
            .map_err(|error| Error::short("VFS", format!("Cannot open file '{uri}'; {error}")))?;
        put(fh, give(Mutex::new(file)))
    })
}

/// Closes a file. One that was opened for writing exists afterwards.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_close(ctx: *mut tiledb_ctx_t, fh: *mut tiledb_vfs_fh_t) -> i32 {
    with_file(ctx, fh, |file| {
        let closed = file.close();
        closed.map_err(|error| at_handle("Cannot close file", error))
    })
}

fn at_handle(what: &str, error: tdb::Error) -> Error {
    Error::new("VFSFileHandle", format!("{what}; {error}"))
}

/// Frees an open file. What was written to an object store is lost if the file was not closed.
///
/// # Safety
/// `fh` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_free(fh: *mut *mut tiledb_vfs_fh_t) {
    free(fh);
}

/// Says whether a file was closed.
///
/// # Safety
/// `is_closed` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_fh_is_closed(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    is_closed: *mut i32,
) -> i32 {
    with_file(ctx, fh, |file| put(is_closed, i32::from(file.is_closed())))
}

/// Reads `nbytes` bytes; fails if the file does not have them.
///
/// # Safety
/// `buffer` is null or points to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_read(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    offset: u64,
    buffer: *mut c_void,
    nbytes: u64,
) -> i32 {
    with_file(ctx, fh, |file| {
        let read = file.read_at(offset, bytes_mut(buffer, nbytes)?);
        read.map_err(|error| at_handle("Cannot read from file", error))
    })
}

/// Writes `nbytes` bytes at the end of a file.
///
/// # Safety
/// `buffer` is null or points to as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_write(
    ctx: *mut tiledb_ctx_t,
    fh: *mut tiledb_vfs_fh_t,
    buffer: *const c_void,
    nbytes: u64,
) -> i32 {
    with_file(ctx, fh, |file| {
        let written = file.write(bytes(buffer, nbytes)?);
        written.map_err(|error| at_handle("Cannot write to file", error))
    })
}

/// Waits until what was written is on disk.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_sync(ctx: *mut tiledb_ctx_t, fh: *mut tiledb_vfs_fh_t) -> i32 {
    with_file(ctx, fh, |file| {
        let synced = file.sync();
        synced.map_err(|error| at_handle("Cannot sync file", error))
    })
}

/// What a callback of a listing is told, but for its data.
struct ListedEntry {
    uri: CString,
    size: u64,
    is_folder: bool,
}

impl ListedEntry {
    fn length(&self) -> usize {
        self.uri.as_bytes().len()
    }
}

/// Lists files and folders by `list`, and tells a callback of them until it wants no more. An exception that the callback
/// throws goes through here to the program, so the callback is not called within [`call`], which would end the process.
unsafe fn tell(
    ctx: *mut tiledb_ctx_t,
    has_callback: bool,
    list: impl FnOnce() -> Result<Vec<FileEntry>>,
    callback: impl Fn(&ListedEntry) -> i32,
    goes_on: impl Fn(i32) -> bool,
) -> i32 {
    let mut all = Vec::new();
    let rc = call(ctx, |_| {
        if !has_callback {
            return Err(Error::argument("Invalid TileDB object: callback function"));
        }
        for entry in list()? {
            let uri = CString::new(entry.uri);
            all.push(ListedEntry {
                uri: uri.map_err(|_| Error::argument("a URI with a zero byte inside"))?,
                size: entry.size,
                is_folder: entry.is_folder,
            });
        }
        Ok(())
    });
    if rc != TILEDB_OK {
        return rc;
    }
    for seen in &all {
        match callback(seen) {
            -1 => {
                return call(ctx, |_| {
                    Err(Error::short("LsScan", "Error in user callback"))
                });
            }
            answer if goes_on(answer) => {}
            _ => break,
        }
    }
    TILEDB_OK
}

/// Lists everything below a folder.
unsafe fn walked(vfs: *mut tiledb_vfs_t, path: *const c_char) -> Result<Vec<FileEntry>> {
    let mut all = Vec::new();
    let mut see = |entry: &FileEntry| {
        all.push(entry.clone());
        Ok(true)
    };
    let walked = get(vfs)?.files.walk(text(path)?, &mut see);
    walked.map(|()| all).map_err(failed)
}

/// Calls `callback` with the URI of each file and folder of a folder, ordered. It returns 1 to go on, 0 to stop, and -1 if
/// it failed. It may call into the library.
///
/// # Safety
/// `path` is null or a text; `callback` takes what `data` points to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tiledb_vfs_ls(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: Option<unsafe extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: *mut c_void,
) -> i32 {
    let list = || {
        let uris = get(vfs)?.files.list(text(path)?).map_err(failed)?;
        let entries = uris.into_iter().map(|uri| FileEntry {
            uri,
            size: 0,
            is_folder: false,
        });
        Ok(entries.collect())
    };
    let one = |seen: &ListedEntry| callback.map_or(0, |callback| callback(seen.uri.as_ptr(), data));
    tell(ctx, callback.is_some(), list, one, |answer| answer == 1)
}

/// Calls `callback` with each file and folder below a folder: its URI, the length of it, and the size of the file. It
/// returns 1 to go on, 0 to stop, and -1 if it failed. It may call into the library.
///
/// # Safety
/// `path` is null or a text; `callback` takes what `data` points to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tiledb_vfs_ls_recursive(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_t,
    data: *mut c_void,
) -> i32 {
    let one = |seen: &ListedEntry| {
        callback.map_or(0, |callback| {
            callback(seen.uri.as_ptr(), seen.length(), seen.size, data)
        })
    };
    let list = || walked(vfs, path);
    tell(ctx, callback.is_some(), list, one, |answer| answer != 0)
}

/// As [`tiledb_vfs_ls_recursive`]; the callback is also told whether it is a folder.
///
/// # Safety
/// `path` is null or a text; `callback` takes what `data` points to.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tiledb_vfs_ls_recursive_v2(
    ctx: *mut tiledb_ctx_t,
    vfs: *mut tiledb_vfs_t,
    path: *const c_char,
    callback: tiledb_ls_callback_v2_t,
    data: *mut c_void,
) -> i32 {
    let one = |seen: &ListedEntry| {
        callback.map_or(0, |callback| {
            let is_folder = u8::from(seen.is_folder);
            callback(seen.uri.as_ptr(), seen.length(), seen.size, is_folder, data)
        })
    };
    let list = || walked(vfs, path);
    tell(ctx, callback.is_some(), list, one, |answer| answer != 0)
}

#[cfg(test)]
mod tests;
