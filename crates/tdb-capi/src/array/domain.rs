//! The box around all written cells.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use tdb::engine::tile::Range;

use super::object::OpenedArray;
use super::tiledb_array_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes_mut, check_place, put, text};
use crate::border::{Error, Result, call, get};

/// The box around all written cells of an open array; `None` if there are none.
fn non_empty_domain(array: *mut tiledb_array_t) -> Result<(Arc<OpenedArray>, Option<Vec<Range>>)> {
    let opened = get(array)?.opened()?;
    let domain = opened.array.engine().non_empty_domain();
    Ok((opened, domain))
}

/// Writes the ends of a range of fixed size one after the other.
unsafe fn put_ends(domain: *mut c_void, range: &Range) -> Result<usize> {
    let (low, high) = (range.lo.len(), range.hi.len());
    let place = bytes_mut(domain, (low + high) as u64)?;
    let (first, second) = place.split_at_mut(low);
    first.copy_from_slice(&range.lo);
    second.copy_from_slice(&range.hi);
    Ok(low + high)
}

/// Returns the box around all written cells: the ends of all dimensions, which have one datatype of fixed size.
///
/// # Safety
/// `domain` is null or has room for two values per dimension; `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        check_place(domain)?;
        let (opened, found) = non_empty_domain(array)?;
        let dimensions = &opened.array.schema().dimensions;
        let first = dimensions.first().map(|dimension| dimension.datatype);
        if dimensions
            .iter()
            .any(|dimension| dimension.cell_val_num.is_var())
        {
            let text =
                "Cannot get non-empty domain; Function not applicable to variable-sized dimensions";
            return Err(Error::new("Array", text));
        }
        if dimensions
            .iter()
            .any(|dimension| Some(dimension.datatype) != first)
        {
            let text = "Cannot get non-empty domain; Function non-applicable to arrays with heterogenous dimensions";
            return Err(Error::new("Array", text));
        }
        put(is_empty, i32::from(found.is_none()))?;
        let mut place = domain;
        for range in found.iter().flatten() {
            place = place.byte_add(put_ends(place, range)?);
        }
        Ok(())
    })
}

/// The dimension that a function is about.
enum DimensionChoice {
    Number(u32),
    Name(String),
}

/// Returns the range of a dimension in the box around all written cells.
fn range_of(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    is_var: bool,
) -> Result<Option<Range>> {
    let (opened, found) = non_empty_domain(array)?;
    let dimensions = &opened.array.schema().dimensions;
    let invalid =
        |text: String| Error::new("Array", format!("Cannot get non-empty domain; {text}"));
    let at = match which {
        DimensionChoice::Number(number) => *number as usize,
        DimensionChoice::Name(name) => dimensions
            .iter()
            .position(|dimension| dimension.name == *name)
            .ok_or_else(|| invalid(format!("Dimension name '{name}' does not exist")))?,
    };
    let dimension = dimensions
        .get(at)
        .ok_or_else(|| invalid("Invalid dimension index".to_owned()))?;
    if dimension.cell_val_num.is_var() != is_var {
        let kind = if is_var {
            "is fixed-sized"
        } else {
            "is variable-sized"
        };
        return Err(invalid(format!("Dimension '{}' {kind}", dimension.name)));
    }
    Ok(found.and_then(|ranges| ranges.into_iter().nth(at)))
}

unsafe fn put_fixed(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> Result<()> {
    check_place(domain)?;
    let range = range_of(array, which, false)?;
    put(is_empty, i32::from(range.is_none()))?;
    if let Some(range) = range {
        put_ends(domain, &range)?;
    }
    Ok(())
}

unsafe fn put_var_sizes(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    (start_size, end_size): (*mut u64, *mut u64),
    is_empty: *mut i32,
) -> Result<()> {
    let range = range_of(array, which, true)?;
    put(is_empty, i32::from(range.is_none()))?;
    let (low, high) = range.map_or((0, 0), |range| (range.lo.len(), range.hi.len()));
    put(start_size, low as u64)?;
    put(end_size, high as u64)
}

unsafe fn put_var(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    (start, end): (*mut c_void, *mut c_void),
    is_empty: *mut i32,
) -> Result<()> {
    let range = range_of(array, which, true)?;
    put(is_empty, i32::from(range.is_none()))?;
    let Some(range) = range else { return Ok(()) };
    bytes_mut(start, range.lo.len() as u64)?.copy_from_slice(&range.lo);
    bytes_mut(end, range.hi.len() as u64)?.copy_from_slice(&range.hi);
    Ok(())
}

/// Returns the ends of a dimension of fixed size in the box around all written cells.
///
/// # Safety
/// `domain` is null or has room for two values; `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_fixed(array, &DimensionChoice::Number(idx), domain, is_empty)
    })
}

/// As [`tiledb_array_get_non_empty_domain_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            array,
            &DimensionChoice::Name(text(name)?.to_owned()),
            domain,
            is_empty,
        )
    })
}

/// Returns the sizes in bytes of the ends of a dimension of text in the box around all written cells.
///
/// # Safety
/// The last three arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_var_sizes(
            array,
            &DimensionChoice::Number(idx),
            (start_size, end_size),
            is_empty,
        )
    })
}

/// As [`tiledb_array_get_non_empty_domain_var_size_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let which = DimensionChoice::Name(text(name)?.to_owned());
        put_var_sizes(array, &which, (start_size, end_size), is_empty)
    })
}

/// Returns the ends of a dimension of text in the box around all written cells.
///
/// # Safety
/// `start` and `end` are null or have room for the sizes that the function for sizes gives; `is_empty` is null or
/// points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_var(array, &DimensionChoice::Number(idx), (start, end), is_empty)
    })
}

/// As [`tiledb_array_get_non_empty_domain_var_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let which = DimensionChoice::Name(text(name)?.to_owned());
        put_var(array, &which, (start, end), is_empty)
    })
}
