//! Contexts, and what the library says of itself.

use std::ffi::c_char;

use crate::border::call::{call_alone, call_silent};
use crate::border::context::{Context, tiledb_ctx_t};
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, Result, call, free, give};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;
use crate::error::tiledb_error_t;
use crate::string::{Text, tiledb_string_t};

fn context_of(config: *mut tiledb_config_t) -> Result<Context> {
    let settings = match crate::border::handles::get_optional(config)? {
        Some(config) => config.settings(),
        None => Config::new().settings(),
    };
    Ok(Context::new(settings))
}

/// Creates a context; a config of null stands for the defaults.
///
/// # Safety
/// `ctx` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
) -> i32 {
    call_silent(|| {
        check_place(ctx)?;
        put(ctx, give(context_of(config)?))
    })
}

/// Creates a context; an error is returned as a handle.
///
/// # Safety
/// `ctx` and `error` are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_alloc_with_error(
    config: *mut tiledb_config_t,
    ctx: *mut *mut tiledb_ctx_t,
    error: *mut *mut tiledb_error_t,
) -> i32 {
    call_alone(error, || {
        check_place(ctx)?;
        put(ctx, give(context_of(config)?))
    })
}

/// Frees a context. What was opened with it stays usable.
///
/// # Safety
/// `ctx` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_free(ctx: *mut *mut tiledb_ctx_t) {
    free(ctx);
}

/// Returns a copy of the context's settings.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_config(
    ctx: *mut tiledb_ctx_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        check_place(config)?;
        put(config, give(Config::of(context.settings().clone())))
    })
}

/// Returns the last error of the context; null if there was none.
///
/// # Safety
/// `err` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_last_error(
    ctx: *mut tiledb_ctx_t,
    err: *mut *mut tiledb_error_t,
) -> i32 {
    call(ctx, |context| {
        check_place(err)?;
        let last = context.last_error();
        put(
            err,
            last.map_or(std::ptr::null_mut(), |error| give(error.into())),
        )
    })
}

/// Does nothing: queries of this library run in the thread that submits them.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_cancel_tasks(ctx: *mut tiledb_ctx_t) -> i32 {
    call(ctx, |_| Ok(()))
}

/// Says whether a kind of store can be reached.
///
/// # Safety
/// `is_supported` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_is_supported_fs(
    ctx: *mut tiledb_ctx_t,
    fs: tiledb_filesystem_t,
    is_supported: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let supported = matches!(fs, TILEDB_S3 | TILEDB_AZURE | TILEDB_GCS | TILEDB_MEMFS);
        put(is_supported, i32::from(supported))
    })
}

/// Accepts a tag, which only TileDB's server looks at.
///
/// # Safety
/// `key` and `value` are null or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_set_tag(
    ctx: *mut tiledb_ctx_t,
    key: *const c_char,
    value: *const c_char,
) -> i32 {
    call(ctx, |_| {
        text(key)?;
        text(value)?;
        Ok(())
    })
}

/// Returns how a URI is reached: always directly, since there is no server.
///
/// # Safety
/// `uri` is null or a text; `data_protocol` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_data_protocol(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    data_protocol: *mut tiledb_data_protocol_t,
) -> i32 {
    call(ctx, |_| {
        text(uri)?;
        put(data_protocol, TILEDB_DATA_PROTOCOL_V2)
    })
}

/// Returns the release of TileDB whose interface this is, since programs decide by it.
///
/// # Safety
/// The arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_version(major: *mut i32, minor: *mut i32, rev: *mut i32) {
    for (place, number) in [(major, 2), (minor, 30), (rev, 0)] {
        // A program that does not want a number gives null.
        let _ = put(place, number);
    }
}

/// Returns a description of the build as JSON, which says that this is tdb.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_as_built_dump(out: *mut *mut tiledb_string_t) -> i32 {
    call_silent(|| {
        let version = env!("CARGO_PKG_VERSION");
        let text = format!(
            "{{\"as_built\":{{\"engine\":{{\"name\":\"tdb\",\"version\":\"{version}\"}},\"interface\":\"2.30.0\",\
             \"parameters\":{{\"support\":{{\"serialization\":{{\"enabled\":false}},\"webp\":{{\"enabled\":true}}}},\
             \"storage_backends\":{{\"azure\":{{\"enabled\":true}},\"gcs\":{{\"enabled\":true}},\"s3\":{{\"enabled\":true}}}}}}}}}}"
        );
        Text::put(out, text)
    })
}

/// Returns the number that stands for a variable number of values per cell.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_var_num() -> u32 {
    u32::MAX
}

/// Returns the longest path of a local file in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_max_path() -> u32 {
    libc::PATH_MAX.unsigned_abs()
}

/// Returns the size of an offset in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_offset_size() -> u64 {
    8
}

/// Returns the time in milliseconds since 1970.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamp_now_ms() -> u64 {
    tdb::Time::now().0
}

/// Returns the name of the field of the times at which cells were written.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_timestamps() -> *const c_char {
    c"__timestamps".as_ptr()
}

/// Writes a warning to standard error, if the level of logging asks for warnings.
///
/// # Safety
/// `message` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_log_warn(ctx: *mut tiledb_ctx_t, message: *const c_char) -> i32 {
    call(ctx, |context| {
        let message = text(message)?;
        let level = context
            .settings()
            .get("config.logging_level")
            .unwrap_or("0");
        // 0 is silence, 1 errors only.
        if !matches!(level, "0" | "1") {
            eprintln!("[tdb] warning: {message}");
        }
        Ok(())
    })
}

/// Fails: there is no heap profiler.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_heap_profiler_enable(
    _file_name_prefix: *const c_char,
    _dump_interval_ms: u64,
    _dump_interval_bytes: u64,
    _dump_threshold_bytes: u64,
) -> i32 {
    call_silent(|| Err(Error::argument("tdb has no heap profiler")))
}

/// Returns statistics of the context, to be freed by `tiledb_stats_free_str`.
///
/// # Safety
/// `stats_json` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ctx_get_stats(
    ctx: *mut tiledb_ctx_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    call(ctx, |_| {
        crate::statistics::put_text(stats_json, crate::statistics::as_json())
    })
}
