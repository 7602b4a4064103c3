//! Open files.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, PoisonError};

use tdb::{OpenFile, OpenMode};

use super::tiledb_vfs_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, bytes_mut, check_place, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;

handle!(
    /// An open file.
    tiledb_vfs_fh_t => Mutex<OpenFile>, "vfs file handle"
);

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
