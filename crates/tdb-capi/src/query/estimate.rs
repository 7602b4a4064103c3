//! Estimated sizes of results.

use std::ffi::c_char;

use tdb::engine::schema::ArraySchema;

use super::object::Query;
use super::tiledb_query_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{put, text};
use crate::border::{Error, Result, call, get};
use crate::datatypes::integer;
use crate::subarray::Ranges;

/// Sizes in bytes that a result may have.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    values: u64,
    offsets: u64,
    validity: u64,
}

impl Query {
    /// Estimates the size of the result of a field from above: as if all cells of all fragments, or all cells of the
    /// box of a dense array, were in it.
    fn estimate(&self, name: &str) -> Result<Estimate> {
        let schema = self.opened.array.schema();
        let field = schema.field(name).ok_or_else(|| {
            Error::new(
                "Query",
                format!("Cannot get estimated result size; Field '{name}' does not exist"),
            )
        })?;
        let too_many = || {
            Error::new(
                "Query",
                "Cannot get estimated result size; it is larger than 2^64 bytes",
            )
        };
        let state = self.lock();
        let fragments = self.opened.array.engine().fragments();
        let mut counts = fragments.iter().map(|f| f.metadata.cell_count());
        let stored = counts.try_fold(0, u64::checked_add).ok_or_else(too_many)?;
        let cells = if schema.is_dense() {
            box_cells(schema, &state.ranges).unwrap_or(stored)
        } else {
            stored
        };
        let times = |size: u64| cells.checked_mul(size).ok_or_else(too_many);
        let values = match field.cell_size() {
            Some(size) => times(size)?,
            None => {
                let written = tdb::layout::unfiltered_var_bytes(self.opened.array.engine(), name)?;
                let unwritten = times(fill_size(schema, name))?;
                written.checked_add(unwritten).ok_or_else(too_many)?
            }
        };
        Ok(Estimate {
            values,
            offsets: if field.is_var() { times(8)? } else { 0 },
            validity: if field.nullable { cells } else { 0 },
        })
    }
}

/// Returns the size of what a dense array shows in a cell of this attribute that was not written.
fn fill_size(schema: &ArraySchema, name: &str) -> u64 {
    let mut attributes = schema.attributes.iter();
    let attribute = attributes.find(|attribute| attribute.name == name);
    match attribute {
        Some(attribute) if schema.is_dense() => attribute.fill.len() as u64,
        _ => 0,
    }
}

fn box_cells(schema: &ArraySchema, ranges: &Ranges) -> Option<u64> {
    let mut cells = 1_u64;
    for (dimension, ranges) in schema.dimensions.iter().zip(&ranges.dimensions) {
        let whole: Vec<_> = dimension.domain.iter().cloned().collect();
        let ranges = if ranges.is_empty() { &whole } else { ranges };
        let mut side = 0_u64;
        for range in ranges {
            let lo = integer(dimension.datatype, &range.lo)?;
            let hi = integer(dimension.datatype, &range.hi)?;
            side = side.checked_add(u64::try_from(hi - lo + 1).ok()?)?;
        }
        cells = cells.checked_mul(side)?;
    }
    Some(cells)
}

/// Checks that a field has the form whose sizes a function estimates.
fn check_form(query: &Query, name: &str, is_var: bool, is_nullable: bool) -> Result<()> {
    let field = query.opened.array.schema().field(name);
    let is_other =
        field.is_some_and(|field| (field.is_var(), field.nullable) != (is_var, is_nullable));
    if !is_other {
        return Ok(());
    }
    let text = format!(
        "query estimated result size: field '{name}' is of another form: this function is for fields that are {}, and {}",
        if is_var { "var-sized" } else { "fixed-sized" },
        if is_nullable {
            "nullable"
        } else {
            "not nullable"
        },
    );
    Err(Error::short("Query", text))
}

/// Estimates the size of a field of fixed size from above.
///
/// # Safety
/// `name` is null or a text; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        check_form(&query, name, false, false)?;
        put(size, query.estimate(name)?.values)
    })
}

/// Estimates the sizes of a nullable field of fixed size from above.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        check_form(&query, name, false, true)?;
        let estimate = query.estimate(name)?;
        put(size_val, estimate.values)?;
        put(size_validity, estimate.validity)
    })
}

/// Estimates the sizes of a field of variable size from above.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        check_form(&query, name, true, false)?;
        let estimate = query.estimate(name)?;
        put(size_off, estimate.offsets)?;
        put(size_val, estimate.values)
    })
}

/// Estimates the sizes of a nullable field of variable size from above.
///
/// # Safety
/// `name` is null or a text; the last three arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        check_form(&query, name, true, true)?;
        let estimate = query.estimate(name)?;
        put(size_off, estimate.offsets)?;
        put(size_val, estimate.values)?;
        put(size_validity, estimate.validity)
    })
}
