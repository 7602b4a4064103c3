//! Metadata of arrays: values by key.

use std::ffi::{c_char, c_void};

use tdb::engine::array::{MetadataRecord, MetadataValue};

use crate::array::{Array, tiledb_array_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::pointers::{self, bytes, check_place, put, text};
use crate::border::{Error, LentValues, Result, call, get};
use crate::constants::tiledb_datatype_t;
use crate::datatypes;

/// The program's variables for a value: its datatype, the number of its elements, and a pointer to them.
#[derive(Clone, Copy)]
pub(crate) struct ValuePlaces {
    pub(crate) datatype: *mut tiledb_datatype_t,
    pub(crate) count: *mut u32,
    pub(crate) pointer: *mut *const c_void,
}

impl ValuePlaces {
    /// Writes a value, or null if there is none. The pointer is valid as long as `lent` is.
    ///
    /// # Errors
    /// Fails if a place is null.
    ///
    /// # Safety
    /// The places are null or point to variables.
    pub(crate) unsafe fn put(self, value: Option<&MetadataValue>, lent: &LentValues) -> Result<()> {
        check_place(self.datatype)?;
        check_place(self.count)?;
        let Some(value) = value else {
            return put(self.pointer, std::ptr::null());
        };
        put(self.datatype, datatypes::code(value.datatype))?;
        // Programs tell an empty value from a missing one by its count.
        let is_empty = value.bytes.is_empty();
        put(self.count, if is_empty { 1 } else { value.count })?;
        let pointer = if is_empty {
            std::ptr::null()
        } else {
            lent.bytes(&value.bytes)
        };
        put(self.pointer, pointer.cast())
    }
}

/// Reads a value of the program.
///
/// # Errors
/// Fails for a datatype that metadata cannot have, and if the pointer is null although there are elements.
///
/// # Safety
/// `value` is null or points to `count` elements.
pub(crate) unsafe fn value_of(
    datatype: tiledb_datatype_t,
    count: u32,
    value: *const c_void,
) -> Result<MetadataValue> {
    let datatype = datatypes::datatype(datatype)?;
    if value.is_null() {
        return Ok(MetadataValue {
            datatype,
            count: 0,
            bytes: Vec::new().into(),
        });
    }
    let elements = bytes(value, u64::from(count) * datatype.size() as u64)?;
    MetadataValue::try_new(datatype, elements.to_vec())
        .map_err(|error| Error::new("Metadata", error.to_string()))
}

fn found(array: &Array, key: &str) -> Result<Option<MetadataValue>> {
    Ok(array.opened()?.metadata()?.get(key).cloned())
}

/// Sets a value; it is stored when the array is closed.
///
/// # Safety
/// `key` is null or a text; `value` is null or points to `value_num` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_put_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: tiledb_datatype_t,
    value_num: u32,
    value: *const c_void,
) -> i32 {
    call(ctx, |_| {
        get(array)?.opened()?.change_metadata(MetadataRecord {
            key: text(key)?.to_owned(),
            value: Some(value_of(value_type, value_num, value)?),
        })
    })
}

/// Removes a key when the array is closed.
///
/// # Safety
/// `key` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
) -> i32 {
    call(ctx, |_| {
        get(array)?.opened()?.change_metadata(MetadataRecord {
            key: text(key)?.to_owned(),
            value: None,
        })
    })
}

/// Returns the value of a key; a null pointer if there is no such key.
///
/// # Safety
/// `key` is null or a text, the last three arguments are null or point to variables. The value may be read until the
/// array's handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let places = ValuePlaces {
            datatype: value_type,
            count: value_num,
            pointer: value,
        };
        places.put(found(&array, text(key)?)?.as_ref(), &array.lent)
    })
}

/// Returns the number of keys.
///
/// # Safety
/// `num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_num(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(num, get(array)?.opened()?.metadata()?.len() as u64)
    })
}

/// Returns a key and its value by its number, in the order of keys.
///
/// # Safety
/// The last five arguments are null or point to variables. Key and value may be read until the array's handle is
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_metadata_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    index: u64,
    key: *mut *const c_char,
    key_len: *mut u32,
    value_type: *mut tiledb_datatype_t,
    value_num: *mut u32,
    value: *mut *const c_void,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let opened = array.opened()?;
        let at = pointers::index(index)?;
        let Some((name, found)) = opened.metadata()?.iter().nth(at) else {
            return Err(Error::new(
                "Metadata",
                "Cannot get metadata; index out of bounds",
            ));
        };
        let places = ValuePlaces {
            datatype: value_type,
            count: value_num,
            pointer: value,
        };
        put(key, array.lent.text(name)?)?;
        let length = u32::try_from(name.len());
        put(
            key_len,
            length.map_err(|_| Error::new("Metadata", "a key of more than 2^32 bytes"))?,
        )?;
        places.put(Some(found), &array.lent)
    })
}

/// Says whether there is a key, and the datatype of its value.
///
/// # Safety
/// `key` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_has_metadata_key(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    key: *const c_char,
    value_type: *mut tiledb_datatype_t,
    has_key: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let found = found(&*get(array)?, text(key)?)?;
        check_place(value_type)?;
        put(has_key, i32::from(found.is_some()))?;
        if let Some(value) = found {
            put(value_type, datatypes::code(value.datatype))?;
        }
        Ok(())
    })
}
