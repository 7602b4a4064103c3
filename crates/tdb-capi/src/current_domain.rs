//! Current domains, and the rectangles that they are.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use tdb::engine::tile::Range;

use crate::array_schema::tiledb_array_schema_t;
use crate::border::codes::TILEDB_OK;
use crate::border::context::tiledb_ctx_t;
use crate::border::handles::give_shared;
use crate::border::pointers::{bytes, check_place, put, take, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, count};
use crate::domain::{Domain, tiledb_domain_t};
use crate::shapes::{CurrentDomain, Rectangle};
use crate::string::{Text, tiledb_string_t};

handle!(
    /// A current domain: the part of a domain that may have cells.
    tiledb_current_domain_t => CurrentDomain, "current domain"
);

handle!(
    /// A rectangle of any number of dimensions.
    tiledb_ndrectangle_t => Rectangle, "N-dimensional rectangle"
);

/// Writes a range into the program's variable.
///
/// # Safety
/// `place` is null or points to a range.
unsafe fn put_range(rectangle: &Rectangle, index: usize, place: *mut tiledb_range_t) -> Result<()> {
    check_place(place)?;
    let set = rectangle.range(index)?;
    let (lo, hi) = set
        .as_ref()
        .map_or((&[][..], &[][..]), |range| (&range.lo[..], &range.hi[..]));
    let pointer = |end: &[u8]| match end {
        [] => std::ptr::null(),
        end => rectangle.lent.bytes(end).cast::<c_void>(),
    };
    let range = tiledb_range_t {
        min: pointer(lo),
        min_size: lo.len() as u64,
        max: pointer(hi),
        max_size: hi.len() as u64,
    };
    // SAFETY: the caller promises it.
    unsafe { put(place, range) }
}

/// Sets a range of a rectangle.
///
/// # Safety
/// `range` is null or points to a range, whose bounds are null or point to as many bytes as it says.
unsafe fn set_range(rectangle: &Rectangle, index: usize, range: *mut tiledb_range_t) -> Result<()> {
    // SAFETY: the caller promises it.
    let (lo, hi) = unsafe {
        let range = take(range)?;
        let is_var = rectangle.dimension(index)?.is_var();
        let max_size = if is_var {
            range.max_size
        } else {
            range.min_size
        };
        (
            bytes(range.min, range.min_size)?,
            bytes(range.max, max_size)?,
        )
    };
    if lo.is_empty() && hi.is_empty() {
        return Err(Error::short("NDRectangle", "Range is empty"));
    }
    rectangle.set(index, Range::new(lo.to_vec(), hi.to_vec()))
}

/// Returns the current domain of a schema, which is empty if none was set. Schema and handle share it.
///
/// # Safety
/// `current_domain` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        check_place(current_domain)?;
        put(current_domain, give_shared(schema.current_domain()))
    })
}

/// Sets the current domain of a schema. Schema and handle share it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_set_current_domain(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    current_domain: *mut tiledb_current_domain_t,
) -> i32 {
    call(ctx, |_| {
        get(array_schema)?.set_current_domain(get(current_domain)?);
        Ok(())
    })
}

/// Creates an empty current domain.
///
/// # Safety
/// `current_domain` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_create(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    call(ctx, |_| {
        check_place(current_domain)?;
        put(current_domain, give(CurrentDomain::default()))
    })
}

/// Describes a current domain.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| Text::put(out, get(current_domain)?.describe()))
}

/// Frees a current domain.
///
/// # Safety
/// `current_domain` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_free(
    current_domain: *mut *mut tiledb_current_domain_t,
) -> i32 {
    free(current_domain);
    TILEDB_OK
}

/// Says whether a current domain is empty.
///
/// # Safety
/// `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_is_empty(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    is_empty: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let rectangle = get(current_domain)?.rectangle();
        put(is_empty, u32::from(rectangle.is_none()))
    })
}

/// Returns the rectangle of a current domain. Current domain and handle share it.
///
/// # Safety
/// `ndr` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> i32 {
    call(ctx, |_| {
        let rectangle = set_rectangle(&*get(current_domain)?)?;
        check_place(ndr)?;
        put(ndr, give_shared(rectangle))
    })
}

fn set_rectangle(current_domain: &CurrentDomain) -> Result<Arc<Rectangle>> {
    current_domain.rectangle().ok_or_else(|| {
        let text =
            "It's not possible to get the ndrectangle from this current domain if one isn't set.";
        Error::short("CurrentDomain", text)
    })
}

/// Returns what kind of shape a current domain is.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    kind: *mut tiledb_current_domain_type_t,
) -> i32 {
    call(ctx, |_| {
        set_rectangle(&*get(current_domain)?)?;
        put(kind, TILEDB_NDRECTANGLE)
    })
}

/// Sets the rectangle of an empty current domain. Current domain and handle share it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_current_domain_set_ndrectangle(
    ctx: *mut tiledb_ctx_t,
    current_domain: *mut tiledb_current_domain_t,
    ndr: *mut tiledb_ndrectangle_t,
) -> i32 {
    call(ctx, |_| get(current_domain)?.set(get(ndr)?))
}

/// Creates a rectangle over the dimensions of a domain, without ranges.
///
/// # Safety
/// `ndr` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    ndr: *mut *mut tiledb_ndrectangle_t,
) -> i32 {
    call(ctx, |_| {
        let axes = Domain::axes(&*get(domain)?);
        check_place(ndr)?;
        put(ndr, give(Rectangle::new(axes)?))
    })
}

/// Describes a rectangle.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_dump_str(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| Text::put(out, get(ndr)?.describe()))
}

/// Frees a rectangle.
///
/// # Safety
/// `ndr` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_free(ndr: *mut *mut tiledb_ndrectangle_t) -> i32 {
    free(ndr);
    TILEDB_OK
}

/// Returns the number of dimensions.
///
/// # Safety
/// `ndim` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dim_num(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    ndim: *mut u32,
) -> i32 {
    call(ctx, |_| put(ndim, count(get(ndr)?.dimensions().len())?))
}

/// Returns the datatype of a dimension.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let rectangle = get(ndr)?;
        put(kind, code(rectangle.dimension(idx as usize)?.datatype))
    })
}

/// Returns the datatype of the dimension with a name.
///
/// # Safety
/// `name` is null or a text; `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_dtype_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let rectangle = get(ndr)?;
        let index = rectangle.index_of(text(name)?)?;
        put(kind, code(rectangle.dimension(index)?.datatype))
    })
}

/// Returns the range of a dimension; without bounds if it is not set.
///
/// # Safety
/// `range` is null or points to a range. The bounds may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> i32 {
    call(ctx, |_| put_range(&*get(ndr)?, idx as usize, range))
}

/// Returns the range of the dimension with a name; without bounds if it is not set.
///
/// # Safety
/// `name` is null or a text; `range` is null or points to a range. The bounds may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_get_range_from_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> i32 {
    call(ctx, |_| {
        let rectangle = get(ndr)?;
        put_range(&rectangle, rectangle.index_of(text(name)?)?, range)
    })
}

/// Sets the range of a dimension.
///
/// # Safety
/// `range` is null or points to a range, whose bounds are null or point to as many bytes as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    idx: u32,
    range: *mut tiledb_range_t,
) -> i32 {
    call(ctx, |_| set_range(&*get(ndr)?, idx as usize, range))
}

/// Sets the range of the dimension with a name.
///
/// # Safety
/// `name` is null or a text; `range` is null or points to a range, whose bounds are null or point to as many bytes as
/// it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_ndrectangle_set_range_for_name(
    ctx: *mut tiledb_ctx_t,
    ndr: *mut tiledb_ndrectangle_t,
    name: *const c_char,
    range: *mut tiledb_range_t,
) -> i32 {
    call(ctx, |_| {
        let rectangle = get(ndr)?;
        set_range(&rectangle, rectangle.index_of(text(name)?)?, range)
    })
}
