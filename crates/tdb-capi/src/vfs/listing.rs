//! Listings of folders, by callbacks.

use std::ffi::{CString, c_char, c_void};

use tdb::FileEntry;

use super::{failed, tiledb_vfs_t};
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::text;
use crate::border::{Error, Result, call, get};
use crate::constants::*;

/// A file or folder of a listing: the arguments of a callback.
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
