//! Arrays: opened for reading or for changing, at a time.

pub mod domain;
mod object;

use std::ffi::c_char;
use std::sync::Mutex;

use tdb::ErrorKind;
use tdb::engine::array::ChangeOptions;

pub(crate) use self::object::{Array, OpenedArray};
use self::object::{NOW, State};
use crate::array_schema::tiledb_array_schema_t;
use crate::border::context::{Context, tiledb_ctx_t, with_settings};
use crate::border::handles::give_shared;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;

handle!(
    /// An array.
    tiledb_array_t => Array, "array"
);

/// Returns a URI as TileDB gives it back: local paths are absolute, with `file://` before them.
pub(crate) fn full_uri(uri: &str) -> String {
    if uri.contains("://") {
        return uri.to_owned();
    }
    let path = std::path::absolute(uri).unwrap_or_else(|_| uri.into());
    format!("file://{}", path.display())
}

/// Creates an array, which is not open yet.
///
/// # Safety
/// `array_uri` is null or a text; `array` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    call(ctx, |context| {
        check_place(array)?;
        let state = State {
            engine: context.engine()?.clone(),
            settings: context.settings().clone(),
            start: 0,
            end: NOW,
            end_at_open: NOW,
            opened: None,
        };
        let object = Array {
            uri: text(array_uri)?.to_owned(),
            state: Mutex::new(state),
            lent: LentValues::default(),
        };
        put(array, give(object))
    })
}

/// Frees an array. What was changed and not closed is lost.
///
/// # Safety
/// `array` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    free(array);
}

/// Creates an array in its store.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
) -> i32 {
    call(ctx, |context| {
        let (uri, given) = (text(array_uri)?, get(array_schema)?);
        let schema = given.build()?;
        let options = ChangeOptions::default().timestamp(given.own_time());
        let created = context.engine()?.create_with(uri, &schema, &options);
        created.map_err(|error| {
            if error.kind() == ErrorKind::Exists {
                let text = format!(
                    "Cannot create array; Array '{}' already exists",
                    full_uri(uri)
                );
                return Error::new("StorageManager", text);
            }
            error.into()
        })?;
        Ok(())
    })
}

/// Opens an array to read or to change it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| get(array)?.open(query_type))
}

/// Opens an array again that was opened for reading: as it is now, unless a time was set.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_reopen(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let opened = array.opened()?;
        if opened.query_type != TILEDB_READ {
            let text = "Cannot reopen array; Array store was not opened in read mode";
            return Err(Error::new("Array", text));
        }
        array.close()?;
        let end = {
            let mut state = array.lock();
            let end = state.end;
            // Unless the program set another end, it wants to see what others wrote.
            if end == state.end_at_open {
                state.end = NOW;
            }
            end
        };
        let opened = array.open(TILEDB_READ);
        array.lock().end = end;
        opened
    })
}

/// Closes an array, and stores changes of its metadata.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_close(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| get(array)?.close())
}

/// Says whether an array is open.
///
/// # Safety
/// `is_open` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_is_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    is_open: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put(is_open, i32::from(get(array)?.lock().opened.is_some()))
    })
}

/// Removes an array from its store.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete(ctx: *mut tiledb_ctx_t, uri: *const c_char) -> i32 {
    call(ctx, |context| {
        context.engine()?.remove(text(uri)?)?;
        Ok(())
    })
}

/// Returns how an array is encrypted.
///
/// # Safety
/// `array_uri` is null or a text; `encryption_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_encryption_type(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> i32 {
    call(ctx, |context| {
        check_place(encryption_type)?;
        let found = encryption(context, text(array_uri)?)?;
        put(encryption_type, found)
    })
}

/// An array without a key opens without one.
fn encryption(context: &Context, uri: &str) -> Result<tiledb_encryption_type_t> {
    let opened = context.engine()?.clone().without_key().schema(uri);
    match opened {
        Ok(_) => Ok(TILEDB_NO_ENCRYPTION),
        Err(error) if error.kind() == ErrorKind::Crypto => Ok(TILEDB_AES_256_GCM),
        Err(error) => Err(error.into()),
    }
}

/// Gives an array settings of its own. It must not be open.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let (array, settings) = (get(array)?, get(config)?.settings());
        let engine = with_settings(context.engine()?, &settings)?;
        let mut state = array.lock();
        if state.opened.is_some() {
            let text = "[Array::set_config] Cannot set a config on an open array";
            return Err(Error::new("Array", text));
        }
        (state.engine, state.settings) = (engine, settings);
        Ok(())
    })
}

/// Returns a copy of the settings of an array.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        check_place(config)?;
        put(config, give(Config::of(get(array)?.settings())))
    })
}

/// Returns what an array was opened for.
///
/// # Safety
/// `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_query_type(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| put(query_type, get(array)?.opened()?.query_type))
}

/// Returns the schema of an open array, which all its handles share.
///
/// # Safety
/// `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_schema(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array_schema)?;
        let opened = get(array)?.opened()?;
        put(array_schema, give_shared(opened.schema()))
    })
}

/// Returns the URI of an array.
///
/// # Safety
/// `array_uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_uri(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        put(array_uri, array.lent.text(&full_uri(&array.uri))?)
    })
}

/// Sets the first time that is seen, in milliseconds since 1970.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: u64,
) -> i32 {
    call(ctx, |_| {
        get(array)?.lock().start = timestamp_start;
        Ok(())
    })
}

/// Sets the last time that is seen, or the time at which is written; 2^64 - 1 for now.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: u64,
) -> i32 {
    call(ctx, |_| {
        get(array)?.lock().end = timestamp_end;
        Ok(())
    })
}

/// Returns the first time that is seen.
///
/// # Safety
/// `timestamp_start` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let state = array.lock();
        let start = state
            .opened
            .as_ref()
            .map_or(state.start, |opened| opened.start);
        put(timestamp_start, start)
    })
}

/// Returns the last time that is seen, or the time at which is written: 0 for the time of the write.
///
/// # Safety
/// `timestamp_end` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let state = array.lock();
        let end = match &state.opened {
            Some(opened) if opened.end == NOW => 0,
            Some(opened) => opened.end,
            None => state.end,
        };
        put(timestamp_end, end)
    })
}
