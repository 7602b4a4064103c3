//! Constants of the interface: their names and numbers are TileDB's.

#![allow(non_camel_case_types, reason = "the types have these names in C")]
#![allow(
    missing_docs,
    reason = "the names of the constants say what they are; the types have docs"
)]

use std::ffi::{c_char, c_void};

/// The datatype of the values of a field.
pub type tiledb_datatype_t = u32;
pub const TILEDB_INT32: tiledb_datatype_t = 0;
pub const TILEDB_INT64: tiledb_datatype_t = 1;
pub const TILEDB_FLOAT32: tiledb_datatype_t = 2;
pub const TILEDB_FLOAT64: tiledb_datatype_t = 3;
pub const TILEDB_CHAR: tiledb_datatype_t = 4;
pub const TILEDB_INT8: tiledb_datatype_t = 5;
pub const TILEDB_UINT8: tiledb_datatype_t = 6;
pub const TILEDB_INT16: tiledb_datatype_t = 7;
pub const TILEDB_UINT16: tiledb_datatype_t = 8;
pub const TILEDB_UINT32: tiledb_datatype_t = 9;
pub const TILEDB_UINT64: tiledb_datatype_t = 10;
pub const TILEDB_STRING_ASCII: tiledb_datatype_t = 11;
pub const TILEDB_STRING_UTF8: tiledb_datatype_t = 12;
pub const TILEDB_STRING_UTF16: tiledb_datatype_t = 13;
pub const TILEDB_STRING_UTF32: tiledb_datatype_t = 14;
pub const TILEDB_STRING_UCS2: tiledb_datatype_t = 15;
pub const TILEDB_STRING_UCS4: tiledb_datatype_t = 16;
pub const TILEDB_ANY: tiledb_datatype_t = 17;
pub const TILEDB_DATETIME_YEAR: tiledb_datatype_t = 18;
pub const TILEDB_DATETIME_MONTH: tiledb_datatype_t = 19;
pub const TILEDB_DATETIME_WEEK: tiledb_datatype_t = 20;
pub const TILEDB_DATETIME_DAY: tiledb_datatype_t = 21;
pub const TILEDB_DATETIME_HR: tiledb_datatype_t = 22;
pub const TILEDB_DATETIME_MIN: tiledb_datatype_t = 23;
pub const TILEDB_DATETIME_SEC: tiledb_datatype_t = 24;
pub const TILEDB_DATETIME_MS: tiledb_datatype_t = 25;
pub const TILEDB_DATETIME_US: tiledb_datatype_t = 26;
pub const TILEDB_DATETIME_NS: tiledb_datatype_t = 27;
pub const TILEDB_DATETIME_PS: tiledb_datatype_t = 28;
pub const TILEDB_DATETIME_FS: tiledb_datatype_t = 29;
pub const TILEDB_DATETIME_AS: tiledb_datatype_t = 30;
pub const TILEDB_TIME_HR: tiledb_datatype_t = 31;
pub const TILEDB_TIME_MIN: tiledb_datatype_t = 32;
pub const TILEDB_TIME_SEC: tiledb_datatype_t = 33;
pub const TILEDB_TIME_MS: tiledb_datatype_t = 34;
pub const TILEDB_TIME_US: tiledb_datatype_t = 35;
pub const TILEDB_TIME_NS: tiledb_datatype_t = 36;
pub const TILEDB_TIME_PS: tiledb_datatype_t = 37;
pub const TILEDB_TIME_FS: tiledb_datatype_t = 38;
pub const TILEDB_TIME_AS: tiledb_datatype_t = 39;
pub const TILEDB_BLOB: tiledb_datatype_t = 40;
pub const TILEDB_BOOL: tiledb_datatype_t = 41;
pub const TILEDB_GEOM_WKB: tiledb_datatype_t = 42;
pub const TILEDB_GEOM_WKT: tiledb_datatype_t = 43;

/// Dense or sparse.
pub type tiledb_array_type_t = u32;
pub const TILEDB_DENSE: tiledb_array_type_t = 0;
pub const TILEDB_SPARSE: tiledb_array_type_t = 1;

/// An order of cells or tiles.
pub type tiledb_layout_t = u32;
pub const TILEDB_ROW_MAJOR: tiledb_layout_t = 0;
pub const TILEDB_COL_MAJOR: tiledb_layout_t = 1;
pub const TILEDB_GLOBAL_ORDER: tiledb_layout_t = 2;
pub const TILEDB_UNORDERED: tiledb_layout_t = 3;
pub const TILEDB_HILBERT: tiledb_layout_t = 4;

/// The order of the values of a dimension label.
pub type tiledb_data_order_t = u32;
pub const TILEDB_UNORDERED_DATA: tiledb_data_order_t = 0;
pub const TILEDB_INCREASING_DATA: tiledb_data_order_t = 1;
pub const TILEDB_DECREASING_DATA: tiledb_data_order_t = 2;

/// How an array is encrypted.
pub type tiledb_encryption_type_t = u32;
pub const TILEDB_NO_ENCRYPTION: tiledb_encryption_type_t = 0;
pub const TILEDB_AES_256_GCM: tiledb_encryption_type_t = 1;

/// What an array or a group is opened for, and what a query does.
pub type tiledb_query_type_t = u32;
pub const TILEDB_READ: tiledb_query_type_t = 0;
pub const TILEDB_WRITE: tiledb_query_type_t = 1;
pub const TILEDB_DELETE: tiledb_query_type_t = 2;
pub const TILEDB_UPDATE: tiledb_query_type_t = 3;
pub const TILEDB_MODIFY_EXCLUSIVE: tiledb_query_type_t = 4;

/// How far a query is.
pub type tiledb_query_status_t = u32;
pub const TILEDB_FAILED: tiledb_query_status_t = 0;
pub const TILEDB_COMPLETED: tiledb_query_status_t = 1;
pub const TILEDB_INPROGRESS: tiledb_query_status_t = 2;
pub const TILEDB_INCOMPLETE: tiledb_query_status_t = 3;
pub const TILEDB_UNINITIALIZED: tiledb_query_status_t = 4;
pub const TILEDB_INITIALIZED: tiledb_query_status_t = 5;

/// Why a query is incomplete.
pub type tiledb_query_status_details_reason_t = u32;
pub const TILEDB_REASON_NONE: tiledb_query_status_details_reason_t = 0;
pub const TILEDB_REASON_USER_BUFFER_SIZE: tiledb_query_status_details_reason_t = 1;
pub const TILEDB_REASON_MEMORY_BUDGET: tiledb_query_status_details_reason_t = 2;

/// A comparison of a condition.
pub type tiledb_query_condition_op_t = u32;
pub const TILEDB_LT: tiledb_query_condition_op_t = 0;
pub const TILEDB_LE: tiledb_query_condition_op_t = 1;
pub const TILEDB_GT: tiledb_query_condition_op_t = 2;
pub const TILEDB_GE: tiledb_query_condition_op_t = 3;
pub const TILEDB_EQ: tiledb_query_condition_op_t = 4;
pub const TILEDB_NE: tiledb_query_condition_op_t = 5;
pub const TILEDB_IN: tiledb_query_condition_op_t = 6;
pub const TILEDB_NOT_IN: tiledb_query_condition_op_t = 7;

/// How conditions are combined.
pub type tiledb_query_condition_combination_op_t = u32;
pub const TILEDB_AND: tiledb_query_condition_combination_op_t = 0;
pub const TILEDB_OR: tiledb_query_condition_combination_op_t = 1;
pub const TILEDB_NOT: tiledb_query_condition_combination_op_t = 2;

/// A filter of tiles.
pub type tiledb_filter_type_t = u32;
pub const TILEDB_FILTER_NONE: tiledb_filter_type_t = 0;
pub const TILEDB_FILTER_GZIP: tiledb_filter_type_t = 1;
pub const TILEDB_FILTER_ZSTD: tiledb_filter_type_t = 2;
pub const TILEDB_FILTER_LZ4: tiledb_filter_type_t = 3;
pub const TILEDB_FILTER_RLE: tiledb_filter_type_t = 4;
pub const TILEDB_FILTER_BZIP2: tiledb_filter_type_t = 5;
pub const TILEDB_FILTER_DOUBLE_DELTA: tiledb_filter_type_t = 6;
pub const TILEDB_FILTER_BIT_WIDTH_REDUCTION: tiledb_filter_type_t = 7;
pub const TILEDB_FILTER_BITSHUFFLE: tiledb_filter_type_t = 8;
pub const TILEDB_FILTER_BYTESHUFFLE: tiledb_filter_type_t = 9;
pub const TILEDB_FILTER_POSITIVE_DELTA: tiledb_filter_type_t = 10;
pub const TILEDB_FILTER_CHECKSUM_MD5: tiledb_filter_type_t = 12;
pub const TILEDB_FILTER_CHECKSUM_SHA256: tiledb_filter_type_t = 13;
pub const TILEDB_FILTER_DICTIONARY: tiledb_filter_type_t = 14;
pub const TILEDB_FILTER_SCALE_FLOAT: tiledb_filter_type_t = 15;
pub const TILEDB_FILTER_XOR: tiledb_filter_type_t = 16;
pub const TILEDB_FILTER_WEBP: tiledb_filter_type_t = 18;
pub const TILEDB_FILTER_DELTA: tiledb_filter_type_t = 19;

/// An option of a filter.
pub type tiledb_filter_option_t = u32;
pub const TILEDB_COMPRESSION_LEVEL: tiledb_filter_option_t = 0;
pub const TILEDB_BIT_WIDTH_MAX_WINDOW: tiledb_filter_option_t = 1;
pub const TILEDB_POSITIVE_DELTA_MAX_WINDOW: tiledb_filter_option_t = 2;
pub const TILEDB_SCALE_FLOAT_BYTEWIDTH: tiledb_filter_option_t = 3;
pub const TILEDB_SCALE_FLOAT_FACTOR: tiledb_filter_option_t = 4;
pub const TILEDB_SCALE_FLOAT_OFFSET: tiledb_filter_option_t = 5;
pub const TILEDB_WEBP_QUALITY: tiledb_filter_option_t = 6;
pub const TILEDB_WEBP_INPUT_FORMAT: tiledb_filter_option_t = 7;
pub const TILEDB_WEBP_LOSSLESS: tiledb_filter_option_t = 8;
pub const TILEDB_COMPRESSION_REINTERPRET_DATATYPE: tiledb_filter_option_t = 9;

/// The order of the colours of an image, for the filter WebP.
pub type tiledb_filter_webp_format_t = u32;
pub const TILEDB_WEBP_NONE: tiledb_filter_webp_format_t = 0;
pub const TILEDB_WEBP_RGB: tiledb_filter_webp_format_t = 1;
pub const TILEDB_WEBP_BGR: tiledb_filter_webp_format_t = 2;
pub const TILEDB_WEBP_RGBA: tiledb_filter_webp_format_t = 3;
pub const TILEDB_WEBP_BGRA: tiledb_filter_webp_format_t = 4;

/// What lies at a URI.
pub type tiledb_object_t = u32;
pub const TILEDB_INVALID: tiledb_object_t = 0;
pub const TILEDB_GROUP: tiledb_object_t = 1;
pub const TILEDB_ARRAY: tiledb_object_t = 2;

/// The order in which a walk meets a folder and what is in it.
pub type tiledb_walk_order_t = u32;
pub const TILEDB_PREORDER: tiledb_walk_order_t = 0;
pub const TILEDB_POSTORDER: tiledb_walk_order_t = 1;

/// A kind of store.
pub type tiledb_filesystem_t = u32;
pub const TILEDB_HDFS: tiledb_filesystem_t = 0;
pub const TILEDB_S3: tiledb_filesystem_t = 1;
pub const TILEDB_AZURE: tiledb_filesystem_t = 2;
pub const TILEDB_GCS: tiledb_filesystem_t = 3;
pub const TILEDB_MEMFS: tiledb_filesystem_t = 4;
pub const TILEDB_TILEDBFS: tiledb_filesystem_t = 5;

/// What a file is opened for.
pub type tiledb_vfs_mode_t = u32;
pub const TILEDB_VFS_READ: tiledb_vfs_mode_t = 0;
pub const TILEDB_VFS_WRITE: tiledb_vfs_mode_t = 1;
pub const TILEDB_VFS_APPEND: tiledb_vfs_mode_t = 2;

/// The media type of a file in a filestore.
pub type tiledb_mime_type_t = u32;
pub const TILEDB_MIME_AUTODETECT: tiledb_mime_type_t = 0;
pub const TILEDB_MIME_TIFF: tiledb_mime_type_t = 1;
pub const TILEDB_MIME_PDF: tiledb_mime_type_t = 2;

/// How a current domain is described.
pub type tiledb_current_domain_type_t = u32;
pub const TILEDB_NDRECTANGLE: tiledb_current_domain_type_t = 0;

/// A form of serialised objects.
pub type tiledb_serialization_type_t = u32;
pub const TILEDB_JSON: tiledb_serialization_type_t = 0;
pub const TILEDB_CAPNP: tiledb_serialization_type_t = 1;

/// How a URI is reached.
pub type tiledb_data_protocol_t = u32;
pub const TILEDB_DATA_PROTOCOL_V2: tiledb_data_protocol_t = 0;
pub const TILEDB_DATA_PROTOCOL_V3: tiledb_data_protocol_t = 1;

/// What a field of a query is.
pub type tiledb_field_origin_t = u32;
pub const TILEDB_ATTRIBUTE_FIELD: tiledb_field_origin_t = 0;
pub const TILEDB_DIMENSION_FIELD: tiledb_field_origin_t = 1;
pub const TILEDB_AGGREGATE_FIELD: tiledb_field_origin_t = 2;

/// A range of a dimension: both bounds belong to it. Sizes are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tiledb_range_t {
    pub min: *const c_void,
    pub min_size: u64,
    pub max: *const c_void,
    pub max_size: u64,
}

/// Details of the status of a query.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tiledb_query_status_details_t {
    pub incomplete_reason: tiledb_query_status_details_reason_t,
}

/// Is told an object below a folder: its URI, the length of the URI, and its size. Returns 1 to go on, 0 to stop, and
/// -1 if it failed.
pub type tiledb_ls_callback_t = Option<
    unsafe extern "C-unwind" fn(
        path: *const c_char,
        path_len: usize,
        object_size: u64,
        data: *mut c_void,
    ) -> i32,
>;

/// As [`tiledb_ls_callback_t`], and is told whether it is a folder.
pub type tiledb_ls_callback_v2_t = Option<
    unsafe extern "C-unwind" fn(
        path: *const c_char,
        path_len: usize,
        object_size: u64,
        is_dir: u8,
        data: *mut c_void,
    ) -> i32,
>;
