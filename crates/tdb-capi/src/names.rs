//! Names of constants, and constants by name.

use std::ffi::{CStr, c_char};

use crate::border::call::call_silent;
use crate::border::pointers::{put, text};
use crate::border::{Error, Result};
use crate::constants::*;

/// The names of the constants of a type.
struct Names(&'static [(u32, &'static CStr)]);

impl Names {
    fn name(&self, code: u32) -> Result<&'static CStr> {
        let found = self.0.iter().find(|(known, _)| *known == code);
        let name = found.map(|(_, name)| *name);
        name.ok_or_else(|| Error::argument(format!("no constant has the number {code}")))
    }

    fn code(&self, name: &str) -> Result<u32> {
        let matches = |known: &CStr| known.to_bytes() == name.as_bytes();
        let found = self.0.iter().find(|(_, known)| matches(known));
        let code = found.map(|(code, _)| *code);
        code.ok_or_else(|| Error::argument(format!("no constant has the name {name:?}")))
    }
}

static ARRAY_TYPE: Names = Names(&[(0, c"dense"), (1, c"sparse")]);

/// Returns the name of a constant of [`tiledb_array_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_to_str(
    array_type: tiledb_array_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, ARRAY_TYPE.name(array_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_array_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `array_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_type_from_str(
    str: *const c_char,
    array_type: *mut tiledb_array_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(array_type, ARRAY_TYPE.code(text(str)?)?) })
}

static DATA_ORDER: Names = Names(&[(0, c"unordered"), (1, c"increasing"), (2, c"decreasing")]);

/// Returns the name of a constant of [`tiledb_data_order_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_to_str(
    data_order: tiledb_data_order_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, DATA_ORDER.name(data_order)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_data_order_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `data_order` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_data_order_from_str(
    str: *const c_char,
    data_order: *mut tiledb_data_order_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(data_order, DATA_ORDER.code(text(str)?)?) })
}

static DATATYPE: Names = Names(&[
    (0, c"INT32"),
    (1, c"INT64"),
    (2, c"FLOAT32"),
    (3, c"FLOAT64"),
    (4, c"CHAR"),
    (5, c"INT8"),
    (6, c"UINT8"),
    (7, c"INT16"),
    (8, c"UINT16"),
    (9, c"UINT32"),
    (10, c"UINT64"),
    (11, c"STRING_ASCII"),
    (12, c"STRING_UTF8"),
    (13, c"STRING_UTF16"),
    (14, c"STRING_UTF32"),
    (15, c"STRING_UCS2"),
    (16, c"STRING_UCS4"),
    (17, c"ANY"),
    (18, c"DATETIME_YEAR"),
    (19, c"DATETIME_MONTH"),
    (20, c"DATETIME_WEEK"),
    (21, c"DATETIME_DAY"),
    (22, c"DATETIME_HR"),
    (23, c"DATETIME_MIN"),
    (24, c"DATETIME_SEC"),
    (25, c"DATETIME_MS"),
    (26, c"DATETIME_US"),
    (27, c"DATETIME_NS"),
    (28, c"DATETIME_PS"),
    (29, c"DATETIME_FS"),
    (30, c"DATETIME_AS"),
    (31, c"TIME_HR"),
    (32, c"TIME_MIN"),
    (33, c"TIME_SEC"),
    (34, c"TIME_MS"),
    (35, c"TIME_US"),
    (36, c"TIME_NS"),
    (37, c"TIME_PS"),
    (38, c"TIME_FS"),
    (39, c"TIME_AS"),
    (40, c"BLOB"),
    (41, c"BOOL"),
    (42, c"GEOM_WKB"),
    (43, c"GEOM_WKT"),
]);

/// Returns the name of a constant of [`tiledb_datatype_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_to_str(
    datatype: tiledb_datatype_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, DATATYPE.name(datatype)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_datatype_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `datatype` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_datatype_from_str(
    str: *const c_char,
    datatype: *mut tiledb_datatype_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(datatype, DATATYPE.code(text(str)?)?) })
}

static ENCRYPTION_TYPE: Names = Names(&[(0, c"NO_ENCRYPTION"), (1, c"AES_256_GCM")]);

/// Returns the name of a constant of [`tiledb_encryption_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_to_str(
    encryption_type: tiledb_encryption_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, ENCRYPTION_TYPE.name(encryption_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_encryption_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `encryption_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_encryption_type_from_str(
    str: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(encryption_type, ENCRYPTION_TYPE.code(text(str)?)?) })
}

static FILESYSTEM: Names = Names(&[
    (0, c"HDFS"),
    (1, c"S3"),
    (2, c"AZURE"),
    (3, c"GCS"),
    (4, c"MEM"),
]);

/// Returns the name of a constant of [`tiledb_filesystem_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_to_str(
    filesystem: tiledb_filesystem_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, FILESYSTEM.name(filesystem)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_filesystem_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `filesystem` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filesystem_from_str(
    str: *const c_char,
    filesystem: *mut tiledb_filesystem_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(filesystem, FILESYSTEM.code(text(str)?)?) })
}

static FILTER_OPTION: Names = Names(&[
    (0, c"COMPRESSION_LEVEL"),
    (1, c"BIT_WIDTH_MAX_WINDOW"),
    (2, c"POSITIVE_DELTA_MAX_WINDOW"),
    (3, c"SCALE_FLOAT_BYTEWIDTH"),
    (4, c"SCALE_FLOAT_FACTOR"),
    (5, c"SCALE_FLOAT_OFFSET"),
    (6, c"WEBP_QUALITY"),
    (7, c"WEBP_INPUT_FORMAT"),
    (8, c"WEBP_LOSSLESS"),
    (9, c"COMPRESSION_REINTERPRET_DATATYPE"),
]);

/// Returns the name of a constant of [`tiledb_filter_option_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_to_str(
    filter_option: tiledb_filter_option_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, FILTER_OPTION.name(filter_option)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_filter_option_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `filter_option` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_option_from_str(
    str: *const c_char,
    filter_option: *mut tiledb_filter_option_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(filter_option, FILTER_OPTION.code(text(str)?)?) })
}

static FILTER_TYPE: Names = Names(&[
    (0, c"NONE"),
    (1, c"GZIP"),
    (2, c"ZSTD"),
    (3, c"LZ4"),
    (4, c"RLE"),
    (5, c"BZIP2"),
    (6, c"DOUBLE_DELTA"),
    (7, c"BIT_WIDTH_REDUCTION"),
    (8, c"BITSHUFFLE"),
    (9, c"BYTESHUFFLE"),
    (10, c"POSITIVE_DELTA"),
    (12, c"CHECKSUM_MD5"),
    (13, c"CHECKSUM_SHA256"),
    (14, c"DICTIONARY_ENCODING"),
    (15, c"SCALE_FLOAT"),
    (16, c"XOR"),
    (18, c"WEBP"),
    (19, c"DELTA"),
]);

/// Returns the name of a filter in TileDB's texts.
pub(crate) fn filter_name(code: u8) -> &'static str {
    let name = FILTER_TYPE.name(code.into()).ok();
    name.and_then(|name| name.to_str().ok())
        .unwrap_or("AES_256_GCM")
}

/// Returns the name of a constant of [`tiledb_filter_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_to_str(
    filter_type: tiledb_filter_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, FILTER_TYPE.name(filter_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_filter_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `filter_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_filter_type_from_str(
    str: *const c_char,
    filter_type: *mut tiledb_filter_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(filter_type, FILTER_TYPE.code(text(str)?)?) })
}

static LAYOUT: Names = Names(&[
    (0, c"row-major"),
    (1, c"col-major"),
    (2, c"global-order"),
    (3, c"unordered"),
    (4, c"hilbert"),
]);

/// Returns the name of a constant of [`tiledb_layout_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_to_str(
    layout: tiledb_layout_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, LAYOUT.name(layout)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_layout_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `layout` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_layout_from_str(
    str: *const c_char,
    layout: *mut tiledb_layout_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(layout, LAYOUT.code(text(str)?)?) })
}

static MIME_TYPE: Names = Names(&[
    (0, c"AUTODETECT"),
    (1, c"image/tiff"),
    (2, c"application/pdf"),
]);

/// Returns the name of a constant of [`tiledb_mime_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_to_str(
    mime_type: tiledb_mime_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, MIME_TYPE.name(mime_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_mime_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `mime_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_mime_type_from_str(
    str: *const c_char,
    mime_type: *mut tiledb_mime_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(mime_type, MIME_TYPE.code(text(str)?)?) })
}

static OBJECT_TYPE: Names = Names(&[(0, c"INVALID"), (1, c"GROUP"), (2, c"ARRAY")]);

/// Returns the name of a constant of [`tiledb_object_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_to_str(
    object_type: tiledb_object_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, OBJECT_TYPE.name(object_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_object_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `object_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_from_str(
    str: *const c_char,
    object_type: *mut tiledb_object_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(object_type, OBJECT_TYPE.code(text(str)?)?) })
}

static QUERY_STATUS: Names = Names(&[
    (0, c"FAILED"),
    (1, c"COMPLETED"),
    (2, c"INPROGRESS"),
    (3, c"INCOMPLETE"),
    (4, c"UNINITIALIZED"),
    (5, c"INITIALIZED"),
]);

/// Returns the name of a constant of [`tiledb_query_status_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_to_str(
    query_status: tiledb_query_status_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, QUERY_STATUS.name(query_status)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_query_status_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `query_status` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_from_str(
    str: *const c_char,
    query_status: *mut tiledb_query_status_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(query_status, QUERY_STATUS.code(text(str)?)?) })
}

static QUERY_TYPE: Names = Names(&[
    (0, c"READ"),
    (1, c"WRITE"),
    (2, c"DELETE"),
    (3, c"UPDATE"),
    (4, c"MODIFY_EXCLUSIVE"),
]);

/// Returns the name of a constant of [`tiledb_query_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_to_str(
    query_type: tiledb_query_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, QUERY_TYPE.name(query_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_query_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_from_str(
    str: *const c_char,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(query_type, QUERY_TYPE.code(text(str)?)?) })
}

static SERIALIZATION_TYPE: Names = Names(&[(0, c"JSON"), (1, c"CAPNP")]);

/// Returns the name of a constant of [`tiledb_serialization_type_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_to_str(
    serialization_type: tiledb_serialization_type_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, SERIALIZATION_TYPE.name(serialization_type)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_serialization_type_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `serialization_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialization_type_from_str(
    str: *const c_char,
    serialization_type: *mut tiledb_serialization_type_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(serialization_type, SERIALIZATION_TYPE.code(text(str)?)?) })
}

static VFS_MODE: Names = Names(&[(0, c"VFS_READ"), (1, c"VFS_WRITE"), (2, c"VFS_APPEND")]);

/// Returns the name of a constant of [`tiledb_vfs_mode_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_to_str(
    vfs_mode: tiledb_vfs_mode_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, VFS_MODE.name(vfs_mode)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_vfs_mode_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `vfs_mode` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_vfs_mode_from_str(
    str: *const c_char,
    vfs_mode: *mut tiledb_vfs_mode_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(vfs_mode, VFS_MODE.code(text(str)?)?) })
}

static WALK_ORDER: Names = Names(&[(0, c"PREORDER"), (1, c"POSTORDER")]);

/// Returns the name of a constant of [`tiledb_walk_order_t`].
///
/// # Safety
/// `str` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_to_str(
    walk_order: tiledb_walk_order_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(str, WALK_ORDER.name(walk_order)?.as_ptr()) })
}

/// Returns the constant of [`tiledb_walk_order_t`] with this name.
///
/// # Safety
/// `str` is null or a text; `walk_order` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_from_str(
    str: *const c_char,
    walk_order: *mut tiledb_walk_order_t,
) -> i32 {
    // SAFETY: the caller promises it.
    call_silent(|| unsafe { put(walk_order, WALK_ORDER.code(text(str)?)?) })
}

/// Returns the size of a value of a datatype in bytes; 0 if there is no such datatype.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_datatype_size(datatype: tiledb_datatype_t) -> u64 {
    crate::datatypes::datatype(datatype).map_or(0, |datatype| datatype.size() as u64)
}
