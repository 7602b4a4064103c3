//! What TileDB's server and its clients need: serialisation, and requests that a server handles. tdb has neither, and
//! each of these functions fails with a message that says so.

use crate::array::tiledb_array_t;
use crate::array_schema::tiledb_array_schema_t;
use crate::border::context::tiledb_ctx_t;
use crate::border::{Error, call};
use crate::buffer::tiledb_buffer_list_t;
use crate::buffer::tiledb_buffer_t;
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::evolution::tiledb_array_schema_evolution_t;
use crate::fragment_info::tiledb_fragment_info_t;
use crate::group::tiledb_group_t;
use crate::query::tiledb_query_t;
use crate::string::tiledb_string_t;
use std::ffi::{c_char, c_void};

/// The answer of all functions of this module.
fn not_serialised(ctx: *mut tiledb_ctx_t, function: &str) -> i32 {
    call(ctx, |_| {
        let why = "tdb has neither a server nor TileDB's form of serialised objects";
        Err(Error::new(
            "Serialization",
            format!("{function} is not offered: {why}"),
        ))
    })
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _array_uri: *const c_char,
    _array: *mut *mut tiledb_array_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_create(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _storage_uri: *mut *mut tiledb_string_t,
    _array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_create")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _buffer: *const tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_metadata")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
) -> i32 {
    not_serialised(
        ctx,
        "tiledb_deserialize_array_non_empty_domain_all_dimensions",
    )
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _nonempty_domain: *mut c_void,
    _is_empty: *mut i32,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_nonempty_domain")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_open(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _array: *mut *mut tiledb_array_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_open")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_schema")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_array_schema_evolution")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_config(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _config: *mut *mut tiledb_config_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_config")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _array_uri: *const c_char,
    _client_side: i32,
    _fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_fragment_info")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_fragment_info_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _group: *mut tiledb_group_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_group")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    _group: *mut tiledb_group_t,
    _serialization_type: tiledb_serialization_type_t,
    _buffer: *const tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_group_metadata")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _query: *mut tiledb_query_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_query")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_and_array(
    ctx: *mut tiledb_ctx_t,
    _buffer: *const tiledb_buffer_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _array_uri: *const c_char,
    _query: *mut *mut tiledb_query_t,
    _array: *mut *mut tiledb_array_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_query_and_array")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    _query: *mut tiledb_query_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *const tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_deserialize_query_est_result_sizes")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_handle_array_delete_fragments_list_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
) -> i32 {
    not_serialised(
        ctx,
        "tiledb_handle_array_delete_fragments_timestamps_request",
    )
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
    _response: *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_handle_consolidation_plan_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
    _response: *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_handle_load_array_schema_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
    _response: *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_handle_load_enumerations_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    _array: *mut tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _request: *const tiledb_buffer_t,
    _response: *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_handle_query_plan_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _subarray: *const c_void,
    _serialize_type: tiledb_serialization_type_t,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_max_buffer_sizes")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _serialization_type: tiledb_serialization_type_t,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_metadata")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(
        ctx,
        "tiledb_serialize_array_non_empty_domain_all_dimensions",
    )
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _nonempty_domain: *const c_void,
    _is_empty: i32,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_nonempty_domain")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_open(
    ctx: *mut tiledb_ctx_t,
    _array: *const tiledb_array_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_open")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    _array_schema: *const tiledb_array_schema_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_schema")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    _array_schema_evolution: *const tiledb_array_schema_evolution_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_array_schema_evolution")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_config(
    ctx: *mut tiledb_ctx_t,
    _config: *const tiledb_config_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_config")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    _fragment_info: *const tiledb_fragment_info_t,
    _serialization_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_fragment_info")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    _fragment_info: *const tiledb_fragment_info_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_fragment_info_request")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group(
    ctx: *mut tiledb_ctx_t,
    _group: *const tiledb_group_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_group")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    _group: *const tiledb_group_t,
    _serialization_type: tiledb_serialization_type_t,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_group_metadata")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query(
    ctx: *mut tiledb_ctx_t,
    _query: *const tiledb_query_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_query")
}

/// Fails: tdb has no serialisation.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    _query: *const tiledb_query_t,
    _serialize_type: tiledb_serialization_type_t,
    _client_side: i32,
    _buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_serialised(ctx, "tiledb_serialize_query_est_result_sizes")
}
