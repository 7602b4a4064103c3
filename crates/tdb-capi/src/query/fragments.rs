//! The fragments that a query wrote.

use std::ffi::c_char;

use tdb::engine::array::TimestampedName;

use super::object::Query;
use super::tiledb_query_t;
use crate::array::full_uri;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::put;
use crate::border::{Error, Result, call, get};
use crate::constants::*;

/// Returns the number of fragments that a query wrote.
///
/// # Safety
/// `num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        query.check_is_write()?;
        let count = query.lock().fragments.len();
        let count = u32::try_from(count);
        put(
            num,
            count.map_err(|_| Error::new("Query", "more than 2^32 fragments"))?,
        )
    })
}

impl Query {
    fn check_is_write(&self) -> Result<()> {
        if matches!(self.query_type, TILEDB_WRITE | TILEDB_MODIFY_EXCLUSIVE) {
            return Ok(());
        }
        let text = "Cannot get fragments; Applicable only to WRITE mode";
        Err(Error::new("Query", text))
    }

    fn fragment(&self, number: u64) -> Result<TimestampedName> {
        self.check_is_write()?;
        let state = self.lock();
        let found = usize::try_from(number)
            .ok()
            .and_then(|number| state.fragments.get(number));
        found
            .cloned()
            .ok_or_else(|| Error::new("Query", "Cannot get fragment; Invalid fragment index"))
    }
}

/// Returns the URI of a fragment that a query wrote.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        let name = query.fragment(idx)?;
        let array = full_uri(query.opened.array.uri());
        let full = format!(
            "{}/__fragments/{}",
            array.trim_end_matches('/'),
            name.as_str()
        );
        put(uri, query.lent.text(&full)?)
    })
}

/// Returns the first and the last time of a fragment that a query wrote.
///
/// # Safety
/// `t1` and `t2` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    t1: *mut u64,
    t2: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let name = get(query)?.fragment(idx)?;
        put(t1, name.start())?;
        put(t2, name.end())
    })
}
