//! Statistics of the library: how much it read and wrote.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::border::call::call_silent;
use crate::border::codes::TILEDB_OK;
use crate::border::pointers::{check_place, put};
use crate::border::{Error, Result};

/// Whether statistics are asked for.
static ENABLED: AtomicBool = AtomicBool::new(false);

/// What was measured since the last reset, by name.
static MEASURED: Mutex<BTreeMap<&'static str, Measure>> = Mutex::new(BTreeMap::new());

/// How often something was done, and how long it took.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    count: u64,
    time: Duration,
}

/// Runs something, and measures it if statistics are asked for.
pub(crate) fn measured<T>(name: &'static str, run: impl FnOnce() -> T) -> T {
    if !ENABLED.load(Ordering::Relaxed) {
        return run();
    }
    let begun = Instant::now();
    let done = run();
    let time = begun.elapsed();
    let mut all = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let measure = all.entry(name).or_default();
    measure.count += 1;
    measure.time += time;
    done
}

/// The statistics as JSON: a list of one object with timers, in seconds, and counters.
pub(crate) fn as_json() -> String {
    let all = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut timers, mut counters) = (Vec::new(), Vec::new());
    for (name, measure) in &*all {
        let seconds = measure.time.as_secs_f64();
        timers.push(format!("      \"{name}.submit.sum\": {seconds:.9}"));
        counters.push(format!("      \"{name}.submit.count\": {}", measure.count));
    }
    let (timers, counters) = (timers.join(",\n"), counters.join(",\n"));
    format!(
        "[\n  {{\n    \"timers\": {{\n{timers}\n    }},\n    \"counters\": {{\n{counters}\n    }}\n  }}\n]\n"
    )
}

/// Returns a text that the program frees by [`tiledb_stats_free_str`].
pub(crate) unsafe fn put_text(out: *mut *mut c_char, text: String) -> Result<()> {
    check_place(out)?;
    let text = CString::new(text).map_err(|_| Error::argument("a text with a zero byte"))?;
    put(out, text.into_raw())
}

/// Writes a text by C's own function, so that it comes in order with what the program prints.
unsafe fn print(out: *mut libc::FILE, text: String) -> Result<()> {
    let text = CString::new(text).map_err(|_| Error::argument("a text with a zero byte"))?;
    // SAFETY: the program gave an open file, or null for standard output; the text ends with a zero byte.
    let written = unsafe {
        if out.is_null() {
            libc::printf(c"%s".as_ptr(), text.as_ptr())
        } else {
            libc::fputs(text.as_ptr(), out)
        }
    };
    if written < 0 {
        return Err(Error::new("Stats", "Cannot write to the file"));
    }
    Ok(())
}

/// Begins counting.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_enable() -> i32 {
    ENABLED.store(true, Ordering::Relaxed);
    TILEDB_OK
}

/// Ends counting.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_disable() -> i32 {
    ENABLED.store(false, Ordering::Relaxed);
    TILEDB_OK
}

/// Says whether counting is on.
///
/// # Safety
/// `enabled` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_is_enabled(enabled: *mut u8) -> i32 {
    call_silent(|| put(enabled, u8::from(ENABLED.load(Ordering::Relaxed))))
}

/// Sets the counts to zero.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_stats_reset() -> i32 {
    let mut all = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    all.clear();
    TILEDB_OK
}

/// Writes the statistics to a file of C; null stands for standard output.
///
/// # Safety
/// `out` is null or an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump(out: *mut libc::FILE) -> i32 {
    call_silent(|| print(out, as_json()))
}

/// As [`tiledb_stats_dump`].
///
/// # Safety
/// `out` is null or an open file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump(out: *mut libc::FILE) -> i32 {
    call_silent(|| print(out, as_json()))
}

/// Returns the statistics, to be freed by [`tiledb_stats_free_str`].
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_dump_str(out: *mut *mut c_char) -> i32 {
    call_silent(|| put_text(out, as_json()))
}

/// As [`tiledb_stats_dump_str`].
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_raw_dump_str(out: *mut *mut c_char) -> i32 {
    call_silent(|| put_text(out, as_json()))
}

/// Frees a text of this module, and sets the program's variable to null.
///
/// # Safety
/// `out` is null or points to null or to a text that a function of this module returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_stats_free_str(out: *mut *mut c_char) -> i32 {
    // SAFETY: the caller promises it.
    if let Some(text) = unsafe { out.as_mut() } {
        if !text.is_null() {
            // SAFETY: it came from `CString::into_raw`.
            drop(unsafe { CString::from_raw(*text) });
        }
        *text = std::ptr::null_mut();
    }
    TILEDB_OK
}
