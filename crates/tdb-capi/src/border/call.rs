//! The frame of each function of the interface: it looks up the context, catches panics, and returns a code.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::codes::{TILEDB_ERR, TILEDB_INVALID_CONTEXT, TILEDB_INVALID_ERROR, TILEDB_OK};
use super::context::{Context, tiledb_ctx_t};
use super::{Error, Result, get, give};

use crate::error::tiledb_error_t;

/// Runs a function of the interface with its context. An error, or a panic, becomes the last error of the context.
pub(crate) fn call(ctx: *mut tiledb_ctx_t, run: impl FnOnce(&Context) -> Result<()>) -> i32 {
    let Ok(context) = get(ctx) else {
        return TILEDB_INVALID_CONTEXT;
    };
    match caught(|| run(&context)) {
        Ok(()) => TILEDB_OK,
        Err(error) => {
            context.set_last_error(error);
            TILEDB_ERR
        }
    }
}

/// Runs a function of the interface that has no context: an error becomes a handle in `variable`.
///
/// # Safety
/// `variable` is null or points to a pointer.
pub(crate) unsafe fn call_alone(
    variable: *mut *mut tiledb_error_t,
    run: impl FnOnce() -> Result<()>,
) -> i32 {
    // SAFETY: the caller promises it.
    let Some(variable) = (unsafe { variable.as_mut() }) else {
        return TILEDB_INVALID_ERROR;
    };
    *variable = std::ptr::null_mut();
    match caught(run) {
        Ok(()) => TILEDB_OK,
        Err(error) => {
            *variable = give(error.into());
            TILEDB_ERR
        }
    }
}

/// Runs a function that has neither a context nor a place for an error.
pub(crate) fn call_silent(run: impl FnOnce() -> Result<()>) -> i32 {
    match caught(run) {
        Ok(()) => TILEDB_OK,
        Err(_) => TILEDB_ERR,
    }
}

/// The answer of a function that tdb does not have.
pub(crate) fn not_offered(ctx: *mut tiledb_ctx_t, function: &str) -> i32 {
    call(ctx, |_| {
        Err(Error::new(
            "C API",
            format!("{function} is not offered by tdb; see docs/clients.md of tdb"),
        ))
    })
}

/// A panic must not reach the caller, which is C.
fn caught(run: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = text_of(&*panic);
        Err(Error::new(
            "Internal",
            format!("{text}; this is a bug of tdb, please report it"),
        ))
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}
