//! Enumerations: the values that cells refer to by number.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use tdb::engine::array::{NameSource as _, SystemNames};
use tdb::engine::schema::{CellValNum, Enumeration as Values};

use crate::array::tiledb_array_t;
use crate::array_schema::tiledb_array_schema_t;
use crate::attribute::tiledb_attribute_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{bytes, check_place, index, put, text};
use crate::border::{Error, Result, call, free, get, give, handle};
use crate::constants::*;
use crate::datatypes::{code, datatype};
use crate::dump;
use crate::string::{Text, tiledb_string_t};

/// An enumeration, and its values where C programs expect them: aligned as numbers of eight bytes.
#[derive(Debug)]
pub(crate) struct Enumeration {
    values: Values,
    data: OnceLock<Vec<u64>>,
    offsets: OnceLock<Vec<u64>>,
}

impl Enumeration {
    /// Wraps an enumeration of a schema.
    pub(crate) fn of(values: Values) -> Self {
        Self {
            values,
            data: OnceLock::new(),
            offsets: OnceLock::new(),
        }
    }

    /// Returns the values.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }
}

handle!(
    /// An enumeration.
    tiledb_enumeration_t => Enumeration, "enumeration"
);

fn failed(text: impl Into<String>) -> Error {
    Error::short("Enumeration", text)
}

/// Returns a pointer to bytes, or to an aligned copy of them; null if there are none.
fn aligned(bytes: &[u8], copy: &OnceLock<Vec<u64>>) -> *const c_void {
    if bytes.is_empty() {
        return std::ptr::null();
    }
    if bytes.as_ptr().addr().is_multiple_of(align_of::<u64>()) {
        return bytes.as_ptr().cast();
    }
    let copied = copy.get_or_init(|| {
        let words = bytes.chunks(size_of::<u64>()).map(|chunk| {
            let mut word = [0; size_of::<u64>()];
            let whole = word.get_mut(..chunk.len());
            whole
                .into_iter()
                .for_each(|place| place.copy_from_slice(chunk));
            u64::from_ne_bytes(word)
        });
        words.collect()
    });
    copied.as_ptr().cast()
}

/// Splits the values that a program gave: at offsets if their sizes vary, else into cells of one size.
fn split<'a>(data: &'a [u8], offsets: &[u8], size: Option<u64>) -> Result<Vec<&'a [u8]>> {
    let Some(size) = size else {
        return split_at(data, offsets);
    };
    if !offsets.is_empty() {
        return Err(failed(
            "Fixed length value type defined but offsets size is non-zero.",
        ));
    }
    let size = index(size)?;
    if size == 0 {
        return Err(failed("Invalid cell_val_num in Enumeration"));
    }
    if !data.len().is_multiple_of(size) {
        return Err(failed(
            "Invalid data size is not a multiple of the cell size.",
        ));
    }
    Ok(data.chunks_exact(size).collect())
}

fn split_at<'a>(data: &'a [u8], offsets: &[u8]) -> Result<Vec<&'a [u8]>> {
    let (stored, rest) = offsets.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(failed(
            "Invalid offsets size is not a multiple of sizeof(uint64_t)",
        ));
    }
    if stored.is_empty() && !data.is_empty() {
        return Err(failed(
            "Var sized enumeration values require a non-zero offsets size.",
        ));
    }
    let numbers = stored.iter().map(|start| u64::from_le_bytes(*start));
    let starts = numbers.map(index).collect::<Result<Vec<usize>>>()?;
    if starts.first().is_some_and(|first| *first != 0) {
        return Err(failed("Invalid offsets; the first value starts at 0"));
    }
    let ends = starts.iter().copied().skip(1).chain([data.len()]);
    let values = starts.iter().zip(ends).map(|(start, end)| {
        data.get(*start..end).ok_or_else(|| {
            failed(
                "Invalid data input, data_size is smaller than the last provided offset, or offsets decrease.",
            )
        })
    });
    values.collect()
}

/// Returns the name of the file of a new enumeration.
fn new_file() -> Result<String> {
    SystemNames
        .enumeration()
        .map_err(|error| failed(error.to_string()))
}

/// Returns an enumeration of an open array.
///
/// # Safety
/// `name` is null or a text; `enumeration` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_enumeration(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        check_place(enumeration)?;
        let opened = get(array)?.opened()?;
        let found = opened.schema().enumeration(text(name)?)?;
        put(enumeration, give(Enumeration::of(found)))
    })
}

/// Reads the enumerations of an open array's schema; else they are read when they are needed.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_all_enumerations(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> i32 {
    call(ctx, |_| get(array)?.opened()?.schema().read_enumerations())
}

/// Reads the enumerations of an open array's schema. Those of older schemas are read when they are needed.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_load_enumerations_all_schemas(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { tiledb_array_load_all_enumerations(ctx, array) }
}

/// Adds an enumeration to a schema, before the attributes that refer to it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_add_enumeration(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration: *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        schema.add_enumeration(get(enumeration)?.values().clone())
    })
}

/// Returns the enumeration of an attribute of a schema; null if the attribute has none.
///
/// # Safety
/// `attribute_name` is null or a text; `enumeration` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_attribute_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    attribute_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        check_place(enumeration)?;
        let name = text(attribute_name)?;
        let attributes = schema.fields().attributes;
        let Some(attribute) = attributes.into_iter().rfind(|a| a.name == name) else {
            let uri = schema.uri();
            let text = format!("Attribute name: {name} does not exist for array {uri}");
            return Err(Error::short("C API", text));
        };
        let Some(name) = attribute.enumeration else {
            return put(enumeration, std::ptr::null_mut());
        };
        put(
            enumeration,
            give(Enumeration::of(schema.enumeration(&name)?)),
        )
    })
}

/// Returns an enumeration of a schema.
///
/// # Safety
/// `enumeration_name` is null or a text; `enumeration` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_get_enumeration_from_name(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    enumeration_name: *const c_char,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let schema = get(array_schema)?;
        check_place(enumeration)?;
        let found = schema.enumeration(text(enumeration_name)?)?;
        put(enumeration, give(Enumeration::of(found)))
    })
}

/// Returns the name of the enumeration that cells of an attribute refer to; null if there is none.
///
/// # Safety
/// `name` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_get_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| match get(attr)?.field().enumeration {
        Some(found) => Text::put(name, found),
        None => put(name, std::ptr::null_mut()),
    })
}

/// Sets the name of the enumeration that cells of an attribute refer to.
///
/// # Safety
/// `enumeration_name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_set_enumeration_name(
    ctx: *mut tiledb_ctx_t,
    attr: *mut tiledb_attribute_t,
    enumeration_name: *const c_char,
) -> i32 {
    call(ctx, |_| get(attr)?.set_enumeration(text(enumeration_name)?))
}

/// Creates an enumeration. The values lie back to back; offsets of eight bytes say where each begins if their sizes
/// vary.
///
/// # Safety
/// `name` is null or a text; `data` and `offsets` are null or point to `data_size` and `offsets_size` bytes;
/// `enumeration` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_alloc(
    ctx: *mut tiledb_ctx_t,
    name: *const c_char,
    kind: tiledb_datatype_t,
    cell_val_num: u32,
    ordered: c_int,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        check_place(enumeration)?;
        let (name, datatype) = (text(name)?, datatype(kind)?);
        if name.is_empty() {
            return Err(failed("Enumeration name must not be empty"));
        }
        let (data, offsets) = (bytes(data, data_size)?, bytes(offsets, offsets_size)?);
        let number = CellValNum::from(cell_val_num);
        let size = number
            .fixed()
            .map(|n| u64::from(n) * datatype.size() as u64);
        let values = split(data, offsets, size)?;
        let made = Values::from_values(name, new_file()?, datatype, number, ordered != 0, values)
            .map_err(|error| failed(error.to_string()))?;
        put(enumeration, give(Enumeration::of(made)))
    })
}

/// Describes an enumeration.
///
/// # Safety
/// `out` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_dump_str(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    out: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| {
        Text::put(out, dump::enumeration(&get(enumeration)?.values))
    })
}

/// Creates an enumeration with the values of another one, and more after them.
///
/// # Safety
/// `data` and `offsets` are null or point to `data_size` and `offsets_size` bytes; `new_enumeration` is null or points
/// to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_extend(
    ctx: *mut tiledb_ctx_t,
    old_enumeration: *mut tiledb_enumeration_t,
    data: *const c_void,
    data_size: u64,
    offsets: *const c_void,
    offsets_size: u64,
    new_enumeration: *mut *mut tiledb_enumeration_t,
) -> i32 {
    call(ctx, |_| {
        let old = get(old_enumeration)?;
        check_place(new_enumeration)?;
        if data_size == 0 && !data.is_null() {
            return Err(failed(
                "Unable to extend an enumeration with a zero sized data buffer.",
            ));
        }
        let (data, offsets) = (bytes(data, data_size)?, bytes(offsets, offsets_size)?);
        let old = old.values();
        let number = old.cell_val_num().fixed();
        let size = number.map(|n| u64::from(n) * old.datatype().size() as u64);
        let more = split(data, offsets, size)?;
        if size.is_none() && more.is_empty() {
            return Err(failed(
                "The offsets buffer for this enumeration extension must have a non-zero size.",
            ));
        }
        let made = old
            .extended(new_file()?, more)
            .map_err(|error| failed(error.to_string()))?;
        put(new_enumeration, give(Enumeration::of(made)))
    })
}

/// Frees an enumeration.
///
/// # Safety
/// `enumeration` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_free(enumeration: *mut *mut tiledb_enumeration_t) {
    free(enumeration);
}

/// Returns the number of values of the datatype per value; 2^32 - 1 if it varies.
///
/// # Safety
/// `cell_val_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_cell_val_num(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    cell_val_num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let number = get(enumeration)?.values().cell_val_num();
        put(cell_val_num, number.into())
    })
}

/// Returns all values, back to back.
///
/// # Safety
/// `data` and `data_size` are null or point to variables. The values may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_data(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    data: *mut *const c_void,
    data_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let enumeration = get(enumeration)?;
        check_place(data_size)?;
        let bytes = enumeration.values.data();
        put(data, aligned(bytes, &enumeration.data))?;
        put(data_size, bytes.len() as u64)
    })
}

/// Returns the name.
///
/// # Safety
/// `name` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_name(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    name: *mut *mut tiledb_string_t,
) -> i32 {
    call(ctx, |_| Text::put(name, get(enumeration)?.values().name()))
}

/// Returns where each value begins; no offsets if all values have one size.
///
/// # Safety
/// `offsets` and `offsets_size` are null or point to variables. The offsets may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_offsets(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    offsets: *mut *const c_void,
    offsets_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let enumeration = get(enumeration)?;
        check_place(offsets_size)?;
        let bytes = enumeration.values.offsets().as_bytes();
        put(offsets, aligned(bytes, &enumeration.offsets))?;
        put(offsets_size, bytes.len() as u64)
    })
}

/// Says whether the order of the values has a meaning.
///
/// # Safety
/// `ordered` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_ordered(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    ordered: *mut c_int,
) -> i32 {
    call(ctx, |_| {
        let is_ordered = get(enumeration)?.values().is_ordered();
        put(ordered, c_int::from(is_ordered))
    })
}

/// Returns the datatype of the values.
///
/// # Safety
/// `kind` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_type(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    kind: *mut tiledb_datatype_t,
) -> i32 {
    call(ctx, |_| {
        put(kind, code(get(enumeration)?.values().datatype()))
    })
}

/// Finds a value: whether it exists, and its number, which is 2^64 - 1 if it does not.
///
/// # Safety
/// `value` is null or points to `value_size` bytes; `exist` and `index` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_get_value_index(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    value: *const c_void,
    value_size: u64,
    exist: *mut c_int,
    index: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let enumeration = get(enumeration)?;
        check_place(index)?;
        let found = enumeration.values().index_of(bytes(value, value_size)?);
        put(exist, c_int::from(found.is_some()))?;
        put(index, found.map_or(u64::MAX, |found| found as u64))
    })
}
