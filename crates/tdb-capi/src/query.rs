//! Queries: reads, writes and deletes.

pub(crate) mod aggregates;
mod buffers;
pub mod estimate;
pub mod fields;
pub mod fragments;
mod labels;
mod object;
mod range_lists;
mod read;
mod write;

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex};

pub(crate) use self::object::Query;
use self::object::State;
use crate::array::tiledb_array_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::handles::give_shared;
use crate::border::pointers::{check_place, put};
use crate::border::{Error, LentValues, call, free, get, give, handle, not_offered};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;
use crate::query_condition::tiledb_query_condition_t;
use crate::string::tiledb_string_t;
use crate::subarray::{Ranges, Subarray, tiledb_subarray_t};

handle!(
    /// A query.
    tiledb_query_t => Query, "query"
);

/// Creates a query over an open array.
///
/// # Safety
/// `query` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        check_place(query)?;
        let array = get(array)?;
        let opened = array
            .opened()
            .map_err(|_| Error::new("Query", "Cannot create query; Input array is not open"))?;
        if opened.query_type != query_type {
            let text = "Cannot create query; Array query type does not match declared query type";
            return Err(Error::new("Query", text));
        }
        let schema = opened.array.schema();
        let state = State {
            settings: array.settings(),
            layout: if schema.is_dense() {
                TILEDB_ROW_MAJOR
            } else {
                TILEDB_UNORDERED
            },
            ranges: Ranges::whole(schema),
            buffers: Vec::new(),
            labels: Vec::new(),
            results: Vec::new(),
            aggregates: Vec::new(),
            condition: None,
            status: TILEDB_UNINITIALIZED,
            reason: TILEDB_REASON_NONE,
            read: None,
            write: None,
            fragments: Vec::new(),
            has_results: false,
        };
        let object = Query {
            array: Arc::clone(&array),
            opened: Arc::clone(&opened),
            query_type,
            state: Mutex::new(state),
            lent: LentValues::default(),
        };
        put(query, give(object))
    })
}

/// Frees a query. A write in global order that was not finalized is given up.
///
/// # Safety
/// `query` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    free(query);
}

/// Gives a query settings of its own.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let (query, config) = (get(query)?, get(config)?);
        let mut state = query.lock();
        // What the config does not say stays as it is.
        let given = config.settings();
        let names: Vec<(String, String)> = given
            .iter("")
            .filter(|setting| given.given(setting.name).is_some())
            .map(|setting| (setting.name.to_owned(), setting.value.to_owned()))
            .collect();
        for (name, value) in names {
            state.settings.set(&name, &value)?;
        }
        Ok(())
    })
}

/// Returns a copy of the settings of a query.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        check_place(config)?;
        let settings = get(query)?.lock().settings.clone();
        put(config, give(Config::of(settings)))
    })
}

/// Sets the ranges of a query.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    call(ctx, |_| {
        let (query, subarray) = (get(query)?, get(subarray)?);
        let mut state = query.lock();
        state.ranges = subarray.ranges();
        (state.status, state.read) = (TILEDB_UNINITIALIZED, None);
        Ok(())
    })
}

/// Returns a copy of the ranges of a query.
///
/// # Safety
/// `subarray` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    call(ctx, |_| {
        check_place(subarray)?;
        let query = get(query)?;
        let ranges = query.lock().ranges.clone();
        let copy = Subarray::of(Arc::clone(&query.opened), ranges);
        put(subarray, give(copy))
    })
}

/// Sets the order of the cells.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        if layout >= TILEDB_HILBERT {
            let text = "Cannot set layout; Hilbert order is not applicable to queries";
            return Err(Error::new("Query", text));
        }
        let is_write = query.query_type == TILEDB_WRITE;
        let dense = query.opened.array.schema().is_dense();
        if is_write && dense && layout == TILEDB_UNORDERED {
            let text = "Unordered writes are only possible for sparse arrays";
            return Err(Error::new("Query", text));
        }
        if is_write && !dense && matches!(layout, TILEDB_ROW_MAJOR | TILEDB_COL_MAJOR) {
            let text = "Row-major and column-major writes to sparse arrays are not possible";
            return Err(Error::new("Query", text));
        }
        let mut state = query.lock();
        (state.layout, state.status, state.read) = (layout, TILEDB_UNINITIALIZED, None);
        Ok(())
    })
}

/// Returns the order of the cells.
///
/// # Safety
/// `query_layout` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    call(ctx, |_| put(query_layout, get(query)?.lock().layout))
}

/// Sets the condition that cells have to match. What is wrong with it is said when the query is submitted.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        let (query, condition) = (get(query)?, get(cond)?);
        let condition = condition.resolved(query.opened.array.schema(), &query.opened);
        let mut state = query.lock();
        (state.condition, state.read) = (Some(condition), None);
        Ok(())
    })
}

/// Carries a query out: a write stores the cells of the buffers, a read fills them. If they are too small for all
/// cells, the query is incomplete, and the next call goes on.
///
/// # Safety
/// The buffers that were set may be used, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| get(query)?.submit())
}

/// Ends a write in global order: the cells of all calls become part of the array at once.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        if query.is_null() {
            // As in TileDB, there is nothing to end.
            return Ok(());
        }
        get(query)?.finalize()
    })
}

/// Carries out the last part of a write in global order, and ends it.
///
/// # Safety
/// As for [`tiledb_query_submit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        query.submit()?;
        query.finalize()
    })
}

/// Returns the array of a query: another handle of the same array.
///
/// # Safety
/// `array` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array)?;
        put(array, give_shared(Arc::clone(&get(query)?.array)))
    })
}

/// Returns what a query does.
///
/// # Safety
/// `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| put(query_type, get(query)?.query_type))
}

/// Returns how far a query is.
///
/// # Safety
/// `status` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    call(ctx, |_| put(status, get(query)?.lock().status))
}

/// Returns why a query is incomplete.
///
/// # Safety
/// `status_details` is null or points to such a record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    call(ctx, |_| {
        let incomplete_reason = get(query)?.lock().reason;
        put(
            status_details,
            tiledb_query_status_details_t { incomplete_reason },
        )
    })
}

/// Says whether the last call of a read gave cells.
///
/// # Safety
/// `has_results` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put(has_results, i32::from(get(query)?.lock().has_results))
    })
}

/// Returns the number of fragments that a read looks at.
///
/// # Safety
/// `relevant_fragment_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    relevant_fragment_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(
            relevant_fragment_num,
            get(query)?.opened.array.fragments() as u64,
        )
    })
}

/// Returns statistics of a query, to be freed by `tiledb_stats_free_str`.
///
/// # Safety
/// `stats_json` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    call(ctx, |_| {
        get(query)?;
        crate::statistics::put_text(stats_json, crate::statistics::as_json())
    })
}

/// Not offered yet.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    _query: *mut tiledb_query_t,
    _plan: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_plan")
}

/// Not offered: TileDB's own updates are an experiment.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    _query: *mut tiledb_query_t,
    _field_name: *const c_char,
    _update_value: *const c_void,
    _update_value_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_add_update_value")
}
