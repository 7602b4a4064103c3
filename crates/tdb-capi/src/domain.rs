//! Domains: the dimensions of a schema.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::engine::schema::Dimension as Axis;

use crate::border::context::tiledb_ctx_t;
use crate::border::handles::give_shared;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, count};
use crate::dimension::{Dimension, tiledb_dimension_t};
use crate::dump;
use crate::string::{Text, tiledb_string_t};

/// The dimensions of a schema, which this domain and handles share: who sets the filters of a dimension after it was
/// added sets them here.
#[derive(Debug)]
pub(crate) struct Domain(Mutex<Vec<Arc<Dimension>>>);

impl Domain {
    /// Wraps the dimensions of a schema.
    pub(crate) fn of(axes: Vec<Axis>) -> Self {
        let dimensions = axes.into_iter().map(Dimension::of).map(Arc::new);
        Self(Mutex::new(dimensions.collect()))
    }

    /// Returns a copy of the dimensions.
    pub(crate) fn axes(&self) -> Vec<Axis> {
        self.lock()
            .iter()
            .map(|dimension| dimension.axis())
            .collect()
    }

    /// Sets tile extents to those of a schema, which has them where they were not given.
    pub(crate) fn set_extents(&self, axes: &[Axis]) {
        for (dimension, axis) in self.lock().iter().zip(axes) {
            dimension.set_extent(axis);
        }
    }

    fn dimensions(&self) -> Vec<Arc<Dimension>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Dimension>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

handle!(
    /// The dimensions of a schema.
    tiledb_domain_t => Domain, "domain"
);

/// Adds a dimension at the end. Domain and handle share it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_add_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *mut tiledb_domain_t,
    dim: *mut tiledb_dimension_t,
) -> i32 {
    call(ctx, |_| {
        let domain = get(domain)?;
        let dimension = get(dim)?;
        domain.lock().push(dimension);
        Ok(())
    })
}

/// Creates a domain without dimensions.
///
/// # Safety
/// `domain` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_alloc(
    ctx: *mut tiledb_ctx_t,
    domain: *mut *mut tiledb_domain_t,
) -> i32 {
    call(ctx, |_| {
        check_place(domain)?;
        put(domain, give(Domain::of(Vec::new())))
    })
}

/// Describes the dimensions.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump_str(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        Text::put(out, dump::dimensions(&get(domain)?.axes()))
    })
}

/// Frees a domain.
///
/// # Safety
/// `domain` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_free(domain: *mut *mut tiledb_domain_t) {
    free(domain);
}

/// Returns a dimension, which domain and handle share; null if there is none at all.
///
/// # Safety
/// `dim` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_index(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    index: u32,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    call(ctx, |_| {
        let dimensions = get(domain)?.dimensions();
        check_place(dim)?;
        if dimensions.is_empty() && index == 0 {
            return put(dim, std::ptr::null_mut());
        }
        let Some(dimension) = dimensions.get(index as usize) else {
            let valid = match dimensions.len().checked_sub(1) {
                Some(last) => format!("valid indices are 0 to {last}"),
                None => "there are no dimensions".to_owned(),
            };
            let text = format!("Dimension index {index} is out of bounds; {valid}");
            return Err(Error::short("C API", text));
        };
        put(dim, give_shared(Arc::clone(dimension)))
    })
}

/// Returns the dimension with a name, which domain and handle share; null if there is none at all.
///
/// # Safety
/// `name` is null or a text; `dim` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_dimension_from_name(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    dim: *mut *mut tiledb_dimension_t,
) -> i32 {
    call(ctx, |_| {
        let dimensions = get(domain)?.dimensions();
        check_place(dim)?;
        if dimensions.is_empty() {
            return put(dim, std::ptr::null_mut());
        }
        let name = text(name)?;
        let mut all = dimensions.into_iter();
        let dimension = all.find(|dimension| dimension.axis().name == name);
        let absent = || Error::short("C API", format!("Dimension '{name}' does not exist"));
        put(dim, give_shared(dimension.ok_or_else(absent)?))
    })
}

/// Returns the number of dimensions.
///
/// # Safety
/// `ndim` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_ndim(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    ndim: *mut u32,
) -> i32 {
    call(ctx, |_| put(ndim, count(get(domain)?.lock().len())?))
}

/// Returns the datatype that all dimensions share.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_get_type(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        let axes = get(domain)?.axes();
        check_place(kind)?;
        let Some(first) = axes.first() else {
            let text = "Cannot get domain type; Domain has no dimensions";
            return Err(Error::short("C API", text));
        };
        if axes.iter().any(|axis| axis.datatype != first.datatype) {
            let text = "Cannot get domain type; Not applicable to heterogeneous dimensions";
            return Err(Error::short("C API", text));
        }
        put(kind, code(first.datatype))
    })
}

/// Says whether there is a dimension with a name.
///
/// # Safety
/// `name` is null or a text; `has_dim` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_has_dimension(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    name: *const c_char,
    has_dim: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let axes = get(domain)?.axes();
        check_place(has_dim)?;
        let name = text(name)?;
        put(
            has_dim,
            i32::from(axes.iter().any(|axis| axis.name == name)),
        )
    })
}
