//! Attributes.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tdb::Datatype;
use tdb::engine::schema::{Attribute as Field, CellValNum, DataOrder};
use tdb::engine::tile::Limits;

use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, datatype, title};
use crate::dump;
use crate::filter_list::{FilterList, check_filters, tiledb_filter_list_t};
use crate::string::{Text, tiledb_string_t};

/// An attribute.
#[derive(Debug)]
pub(crate) struct Attribute {
    field: Mutex<Field>,
    lent: LentValues,
}

impl Attribute {
    /// Wraps an attribute of a schema.
    pub(crate) fn of(field: Field) -> Self {
        Self {
            field: Mutex::new(field),
            lent: LentValues::default(),
        }
    }

    fn new(name: &str, datatype: Datatype) -> Self {
        let field = Field::new(name, datatype);
        if datatype == Datatype::Any {
            return Self::of(field.with_cell_val_num(CellValNum::Var));
        }
        Self::of(field)
    }

    /// Returns a copy of the attribute.
    pub(crate) fn field(&self) -> Field {
        self.lock().clone()
    }

    /// Sets the enumeration that the cells refer to.
    pub(crate) fn set_enumeration(&self, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(failed("Invalid enumeration name, name must not be empty."));
        }
        self.lock().enumeration = Some(name.to_owned());
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Field> {
        self.field.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_cell_val_num(&self, number: u32) -> Result<()> {
        let mut field = self.lock();
        check_cell_val_num(&field, number)?;
        let changed = field.clone().with_cell_val_num(number.into());
        *field = Field {
            fill_valid: false,
            ..changed
        };
        Ok(())
    }

    fn set_fill(&self, value: &[u8], valid: Option<u8>) -> Result<()> {
        let mut field = self.lock();
        if value.is_empty() {
            return Err(failed("Cannot set fill value; Input size cannot be 0"));
        }
        check_nullable(&field, "set", valid.is_some())?;
        if field
            .cell_size()
            .is_some_and(|size| size != value.len() as u64)
        {
            let text = "Cannot set fill value; Input size is not the same as cell size";
            return Err(failed(text));
        }
        field.fill = value.to_vec().into();
        if let Some(valid) = valid {
            field.fill_valid = valid != 0;
        }
        Ok(())
    }

    /// Writes the fill value into the program's variables.
    ///
    /// # Safety
    /// `value` and `size` are null or point to variables.
    unsafe fn put_fill(
        &self,
        value: *mut *const c_void,
        size: *mut u64,
        nullable: bool,
    ) -> Result<bool> {
        check_place(value)?;
        check_place(size)?;
        let field = self.lock();
        check_nullable(&field, "get", nullable)?;
        // SAFETY: the caller promises it.
        unsafe {
            put(value, self.lent.bytes(&field.fill).cast())?;
            put(size, field.fill.len() as u64)?;
        }
        Ok(field.fill_valid)
    }
}

handle!(
    /// An attribute: a named value of each cell.
    tiledb_attribute_t => Attribute, "attribute"
);

/// The size of cells that vary in size.
const VAR_SIZE: u64 = u64::MAX;

fn failed(text: impl Into<String>) -> Error {
    Error::short("Attribute", text)
}

fn check_nullable(field: &Field, what: &str, nullable: bool) -> Result<()> {
    if field.nullable == nullable {
        return Ok(());
    }
    let is = if field.nullable {
        "nullable"
    } else {
        "not nullable"
    };
    Err(failed(format!(
        "Cannot {what} fill value; Attribute is {is}"
    )))
}

fn check_cell_val_num(field: &Field, number: u32) -> Result<()> {
    let number = CellValNum::from(number);
    if field.datatype == Datatype::Any && number != CellValNum::Var {
        return Err(failed(
            "Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized",
        ));
    }
    if field.order != DataOrder::Unordered {
        let wanted = if field.datatype == Datatype::StringAscii {
            (CellValNum::Var, "constants::var_num")
        } else {
            (CellValNum::Fixed(1), "1")
        };
        if number != wanted.0 {
            let datatype = title(field.datatype);
            return Err(failed(format!(
                "Ordered attributes with datatype '{datatype}' must have `cell_val_num={}`.",
                wanted.1
            )));
        }
    }
    if number == CellValNum::Fixed(0) {
        return Err(failed("Cannot set zero values per cell"));
    }
    let bytes = number
        .fixed()
        .map(|n| u64::from(n) * field.datatype.size() as u64);
    let most = Limits::default().data_tile;
    if bytes.is_some_and(|bytes| bytes > most) {
        return Err(failed(format!(
            "Cannot set number of values per cell; a cell has at most {most} bytes"
        )));
    }
    Ok(())
}

/// Creates an attribute with one value per cell.
///
/// # Safety
/// `name` is null or a text; `attr` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    kind: tiledb_datatype_t,
    attr: *mut *mut tiledb_attribute_t,
) -> i32 {
    call(ctx, |_| {
        check_place(attr)?;
        let attribute = Attribute::new(text(name)?, datatype(kind)?);
        put(attr, give(attribute))
    })
}

/// Describes an attribute.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_dump_str(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| Text::put(out, dump::attribute(&get(attr)?.lock())))
}

/// Frees an attribute.
///
/// # Safety
/// `attr` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_free(attr: *mut *mut tiledb_attribute_t) {
    free(attr);
}

/// Returns the size of a cell in bytes; 2^64 - 1 if cells vary in size.
///
/// # Safety
/// `cell_size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_size(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let size = get(attr)?.lock().cell_size();
        put(cell_size, size.unwrap_or(VAR_SIZE))
    })
}

/// Returns the number of values per cell; 2^32 - 1 if it varies.
///
/// # Safety
/// `cell_val_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    cell_val_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        put(cell_val_num, get(attr)?.lock().cell_val_num.into())
    })
}

/// Returns the value of cells that were never written, of an attribute without nulls.
///
/// # Safety
/// `value` and `size` are null or point to variables. The value may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
) -> i32 {
    call(ctx, |_| get(attr)?.put_fill(value, size, false).map(|_| ()))
}

/// Returns the value of cells that were never written, and whether it counts: 0 if such cells are null.
///
/// # Safety
/// `value`, `size` and `valid` are null or point to variables. The value may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *mut *const c_void,
    size: *mut u64,
    valid: *mut u8,
) -> i32 {
    call(ctx, |_| {
        let attribute = get(attr)?;
        check_place(valid)?;
        let is_valid = attribute.put_fill(value, size, true)?;
        put(valid, u8::from(is_valid))
    })
}

/// Returns a copy of the filters.
///
/// # Safety
/// `filter_list` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let filters = get(attr)?.field().filters;
        check_place(filter_list)?;
        put(filter_list, give(FilterList::of(filters)))
    })
}

/// Returns the name.
///
/// # Safety
/// `name` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_name(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    name: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let attribute = get(attr)?;
        let text = attribute.lent.text(&attribute.lock().name)?;
        put(name, text)
    })
}

/// Says whether cells can be null.
///
/// # Safety
/// `nullable` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: *mut u8,
) -> i32 {
    call(ctx, |_| put(nullable, u8::from(get(attr)?.lock().nullable)))
}

/// Returns the datatype.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_type(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| put(kind, code(get(attr)?.lock().datatype)))
}

/// Sets the number of values per cell, 2^32 - 1 for any number, and the fill value to its default.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    cell_val_num: u32,
) -> i32 {
    call(ctx, |_| get(attr)?.set_cell_val_num(cell_val_num))
}

/// Sets the value of cells that were never written, of an attribute without nulls.
///
/// # Safety
/// `value` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
) -> i32 {
    call(ctx, |_| get(attr)?.set_fill(bytes(value, size)?, None))
}

/// Sets the value of cells that were never written, and whether it counts: with 0, such cells are null.
///
/// # Safety
/// `value` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_fill_value_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    value: *const c_void,
    size: u64,
    validity: u8,
) -> i32 {
    call(ctx, |_| {
        get(attr)?.set_fill(bytes(value, size)?, Some(validity))
    })
}

/// Sets the filters.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_filter_list(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    filter_list: *mut tiledb_filter_list_t,
) -> i32 {
    call(ctx, |_| {
        let attribute = get(attr)?;
        let filters = get(filter_list)?.filters();
        let mut field = attribute.lock();
        check_filters(&filters, field.datatype, field.cell_val_num.is_var())?;
        field.filters = filters;
        Ok(())
    })
}

/// Sets whether cells can be null.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_nullable(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    nullable: u8,
) -> i32 {
    call(ctx, |_| {
        let attribute = get(attr)?;
        let mut field = attribute.lock();
        if nullable != 0 && field.order != DataOrder::Unordered {
            return Err(failed(
                "Cannot set to nullable; An ordered attribute cannot be nullable.",
            ));
        }
        field.nullable = nullable != 0;
        Ok(())
    })
}
