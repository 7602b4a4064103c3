//! Lists of filters.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::engine::filters::{FilterList as Filters, FilterRecord, Registry};
use tdb::engine::tile::{Datatype, FormatVersion};

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{check_place, put};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::title;
use crate::filter::{Filter, tiledb_filter_t};
use crate::names::filter_name;

/// A list of filters.
#[derive(Debug)]
pub(crate) struct FilterList(Mutex<Filters>);

impl FilterList {
    /// Wraps the filters of a field.
    pub(crate) fn of(filters: Filters) -> Self {
        Self(Mutex::new(filters))
    }

    /// Returns a copy of the filters.
    pub(crate) fn filters(&self) -> Filters {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Filters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// A list of filters.
    tiledb_filter_list_t => FilterList, "filter list"
);

/// Fails if filters do not take values of this datatype, or the output of each other.
pub(crate) fn check_filters(filters: &Filters, datatype: Datatype, is_var: bool) -> Result<()> {
    check_first(filters, datatype, is_var)?;
    let mut input = datatype;
    let mut before: Option<&FilterRecord> = None;
    for record in &filters.filters {
        let filter = Registry::builtin()
            .filter(record, FormatVersion::WRITTEN)
            .map_err(|error| Error::short("FilterPipeline", error.to_string()))?;
        let name = filter_name(record.code);
        if !filter.accepts(input) {
            let input = title(input);
            return Err(match before {
                None => {
                    let text = format!("Filter {name} does not accept input type {input}");
                    Error::short("Filter", text)
                }
                Some(before) => Error::short(
                    "FilterPipeline",
                    format!(
                        "Filter {} produces {input} but second filter {name} does not accept this type.",
                        filter_name(before.code)
                    ),
                ),
            });
        }
        input = filter.output(input);
        before = Some(record);
    }
    Ok(())
}

/// Fails if a filter of strings is behind another one: it would not see strings.
pub(crate) fn check_first(filters: &Filters, datatype: Datatype, is_var: bool) -> Result<()> {
    let is_text = [Datatype::StringAscii, Datatype::StringUtf8].contains(&datatype);
    if !is_text || !is_var {
        return Ok(());
    }
    let codes = || {
        filters
            .filters
            .iter()
            .map(|record| tiledb_filter_type_t::from(record.code))
    };
    for (code, name) in [
        (TILEDB_FILTER_RLE, "RLE"),
        (TILEDB_FILTER_DICTIONARY, "Dictionary"),
    ] {
        if codes().any(|known| known == code) && codes().next() != Some(code) {
            let text = format!(
                "{name} filter must be the first filter to apply when used on a variable length string attribute"
            );
            return Err(Error::short("FilterPipeline", text));
        }
    }
    Ok(())
}

/// Adds a copy of a filter at the end of a list.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_add_filter(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    filter: *mut tiledb_filter_t,
) -> i32 {
    call(ctx, |_| {
        let list = get(filter_list)?;
        let record = get(filter)?.record();
        list.lock().filters.push(record);
        Ok(())
    })
}

/// Creates a list without filters.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_alloc(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        check_place(filter_list)?;
        put(filter_list, give(FilterList::of(Filters::default())))
    })
}

/// Frees a list.
///
/// # Safety
/// `filter_list` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_free(filter_list: *mut *mut tiledb_filter_list_t) {
    free(filter_list);
}

/// Returns a copy of a filter of a list.
///
/// # Safety
/// `filter` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_filter_from_index(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    index: u32,
    filter: *mut *mut tiledb_filter_t,
) -> i32 {
    call(ctx, |_| {
        let list = get(filter_list)?.filters();
        check_place(filter)?;
        let Some(record) = list.filters.get(index as usize) else {
            let found = list.filters.len();
            return Err(Error::short(
                "C API",
                format!("Filter {index} out of bounds, filter list has {found} filters."),
            ));
        };
        put(filter, give(Filter::of(record.clone())))
    })
}

/// Returns the largest number of bytes that filters take at once.
///
/// # Safety
/// `max_chunk_size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    max_chunk_size: *mut u32,
) -> i32 {
    call(ctx, |_| {
        put(max_chunk_size, get(filter_list)?.lock().max_chunk)
    })
}

/// Returns the number of filters of a list.
///
/// # Safety
/// `nfilters` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_get_nfilters(
    ctx: *mut tiledb_ctx_t,
    filter_list: *const tiledb_filter_list_t,
    nfilters: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let count = get(filter_list)?.lock().filters.len();
        put(nfilters, crate::datatypes::count(count)?)
    })
}

/// Sets the largest number of bytes that filters take at once.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_list_set_max_chunk_size(
    ctx: *mut tiledb_ctx_t,
    filter_list: *mut tiledb_filter_list_t,
    max_chunk_size: u32,
) -> i32 {
    call(ctx, |_| {
        get(filter_list)?.lock().max_chunk = max_chunk_size;
        Ok(())
    })
}
