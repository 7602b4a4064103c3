//! Dimensions.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::Datatype;
use tdb::engine::schema::{ArraySchema, ArrayType, Dimension as Axis, Problem, SchemaError};
use tdb::engine::tile::{Range, Scalar as _, with_scalar};

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, datatype, title};
use crate::dump;
use crate::filter_list::{FilterList, check_filters, tiledb_filter_list_t};
use crate::string::{Text, tiledb_string_t};

/// A dimension.
#[derive(Debug)]
pub(crate) struct Dimension {
    axis: Mutex<Axis>,
    lent: LentValues,
}

impl Dimension {
    /// Wraps a dimension of a domain.
    pub(crate) fn of(axis: Axis) -> Self {
        Self {
            axis: Mutex::new(axis),
            lent: LentValues::default(),
        }
    }

    /// Returns a copy of the dimension.
    pub(crate) fn axis(&self) -> Axis {
        self.lock().clone()
    }

    /// Sets the tile extent to that of a schema, which has one where none was given.
    pub(crate) fn set_extent(&self, axis: &Axis) {
        self.lock().extent.clone_from(&axis.extent);
    }

    fn lock(&self) -> MutexGuard<'_, Axis> {
        self.axis.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// A dimension.
    tiledb_dimension_t => Dimension, "dimension"
);

fn failed(text: impl Into<String>) -> Error {
    Error::short("Dimension", text)
}

fn check_datatype(datatype: Datatype) -> Result<()> {
    let counts = datatype.is_integer() || datatype.is_datetime() || datatype.is_time();
    let allowed = counts || datatype.is_real() || datatype == Datatype::StringAscii;
    if !allowed || datatype == Datatype::Bool {
        let title = title(datatype);
        let text = format!("Datatype::{title} is not a valid Dimension Datatype");
        return Err(failed(text));
    }
    Ok(())
}

/// Creates the dimension of strings, which has neither a domain nor a tile extent.
fn strings(name: &str, domain: *const c_void, extent: *const c_void) -> Result<Axis> {
    for (given, what) in [(domain, "domain"), (extent, "tile extent")] {
        if !given.is_null() {
            let title = title(Datatype::StringAscii);
            return Err(failed(format!(
                "Setting the {what} to a dimension with type '{title}' is not supported"
            )));
        }
    }
    Ok(Axis::strings(name))
}

/// Creates the dimension of numbers.
///
/// # Safety
/// `domain` and `extent` are null or point to two numbers and one of the datatype.
unsafe fn numbers(
    name: &str,
    datatype: Datatype,
    domain: *const c_void,
    extent: *const c_void,
) -> Result<Axis> {
    if domain.is_null() {
        return Err(failed("Cannot set tile extent; Domain must be set first"));
    }
    let size = datatype.size();
    // SAFETY: the caller promises it.
    let ends = unsafe { bytes(domain, (size * 2) as u64) }?;
    let (lo, hi) = ends.split_at(size);
    let domain = Range::new(lo.to_vec(), hi.to_vec());
    let mut axis = Axis::strings(name);
    axis.datatype = datatype;
    axis.cell_val_num = 1.into();
    if !extent.is_null() {
        // SAFETY: the caller promises it.
        axis.extent = Some(unsafe { bytes(extent, size as u64) }?.to_vec().into());
    }
    axis.domain = Some(domain);
    check_axis(&axis)?;
    Ok(axis)
}

/// Fails, in TileDB's words, if the domain or the extent breaks a rule of new dimensions.
pub(crate) fn check_axis(axis: &Axis) -> Result<()> {
    let datatype = axis.datatype;
    let name = &axis.name;
    let extent = axis.extent.as_deref();
    if datatype.is_real() && extent.is_some_and(|extent| is_zero(datatype, extent)) {
        return Err(extent_failed(name, "Tile extent must be greater than 0"));
    }
    let schema = ArraySchema::new(ArrayType::Sparse, vec![axis.clone()], Vec::new());
    let Err(error) = schema.check_new() else {
        return Ok(());
    };
    let SchemaError::Invalid { field, problem } = &error else {
        return Err(failed(error.to_string()));
    };
    Err(match problem {
        Problem::NotFinite if field.starts_with("extent") => {
            extent_failed(name, "Tile extent must be finite")
        }
        Problem::NotFinite => failed("Domain check failed; domain contains NaN"),
        Problem::Reversed => failed(
            "Domain check failed; Upper domain bound should not be smaller than the lower one",
        ),
        Problem::HoldsEveryValue(_) => failed(
            "Domain check failed; Domain range (upper + lower + 1) is larger than the maximum unsigned number",
        ),
        Problem::NotPositive if datatype.is_real() => {
            extent_failed(name, "Tile extent must be greater than 0")
        }
        Problem::NotPositive => extent_failed(name, "Tile extent must not be 0"),
        Problem::BeyondDomain => {
            let (domain, extent) = dump::domain_and_extent(axis);
            let text = format!("Tile extent {extent} exceeds range on dimension domain {domain}");
            extent_failed(name, &text)
        }
        Problem::LastTileOverflows(_) => failed(
            "Tile extent check failed; domain max expanded to multiple of tile extent exceeds max value \
             representable by domain type. Reduce domain max by 1 tile extent to allow for expansion.",
        ),
        _ => failed(error.to_string()),
    })
}

fn extent_failed(name: &str, why: &str) -> Error {
    let start = "Tile extent check failed on dimension";
    failed(format!("{start} '{name}'; {why}"))
}

fn is_zero(datatype: Datatype, number: &[u8]) -> bool {
    with_scalar!(datatype, T => T::read(number) == Some(T::default()))
}

/// Creates a dimension: of strings, with a domain and an extent of null; or of numbers, with the first and the last
/// coordinate and, if it is not null, the tile extent.
///
/// # Safety
/// `name` is null or a text; `dim_domain` and `tile_extent` are null or point to two numbers and one of the datatype;
/// `dim` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    kind: tiledb_datatype_t,
    dim_domain: *const c_void,
    tile_extent: *const c_void,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    call(ctx, |_| {
        check_place(dim)?;
        let (name, datatype) = (text(name)?, datatype(kind)?);
        check_datatype(datatype)?;
        let axis = if datatype == Datatype::StringAscii {
            strings(name, dim_domain, tile_extent)?
        } else {
            numbers(name, datatype, dim_domain, tile_extent)?
        };
        put(dim, give(Dimension::of(axis)))
    })
}

/// Describes a dimension.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_dump_str(
    ctx: *mut tiledb_ctx_t,
    dimension: *const tiledb_dimension_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        Text::put(out, dump::dimension(&get(dimension)?.lock()))
    })
}

/// Frees a dimension.
///
/// # Safety
/// `dim` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_free(dim: *mut *mut tiledb_dimension_t) {
    free(dim);
}

/// Returns the number of values per coordinate; 2^32 - 1 for strings.
///
/// # Safety
/// `cell_val_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    cell_val_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        put(cell_val_num, get(dim)?.lock().cell_val_num.into())
    })
}

/// Returns the first and the last coordinate; null for strings.
///
/// # Safety
/// `domain` is null or points to a pointer. The coordinates may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_domain(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    domain: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let dimension = get(dim)?;
        let pointer = match dimension.axis().domain {
            Some(range) => {
                let both = [&range.lo[..], &range.hi[..]].concat();
                dimension.lent.bytes(&both).cast()
            }
            None => std::ptr::null(),
        };
        put(domain, pointer)
    })
}

/// Returns a copy of the filters.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let filters = get(dim)?.axis().filters;
        check_place(filter_list)?;
        put(filter_list, give(FilterList::of(filters)))
    })
}

/// Returns the name.
///
/// # Safety
/// `name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_name(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let dimension = get(dim)?;
        let text = dimension.lent.text(&dimension.lock().name)?;
        put(name, text)
    })
}

/// Returns the tile extent; null if there is none.
///
/// # Safety
/// `tile_extent` is null or points to a pointer. The extent may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_tile_extent(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    tile_extent: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let dimension = get(dim)?;
        let pointer = match dimension.axis().extent {
            Some(extent) => dimension.lent.bytes(&extent).cast(),
            None => std::ptr::null(),
        };
        put(tile_extent, pointer)
    })
}

/// Returns the datatype.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_get_type(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| put(kind, code(get(dim)?.lock().datatype)))
}

/// Accepts the number of values that coordinates of the datatype have, and no other.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    cell_val_num: u32,
) -> i32 {
    call(ctx, |_| {
        let axis = get(dim)?.axis();
        if axis.cell_val_num == cell_val_num.into() {
            return Ok(());
        }
        Err(failed(if axis.is_var() {
            "Cannot set non-variable number of values per coordinate for a string dimension"
        } else {
            "Cannot set number of values per coordinate; Currently only one value per coordinate is supported"
        }))
    })
}

/// Sets the filters.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    dim: *mut tiledb_dimension_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let dimension = get(dim)?;
        let filters = get(filter_list)?.filters();
        let mut axis = dimension.lock();
        check_filters(&filters, axis.datatype, axis.is_var())?;
        axis.filters = filters;
        Ok(())
    })
}
