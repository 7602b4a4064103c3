#![allow(unused_imports, unused_variables)]
use crate::array::tiledb_array_t;
use crate::array_schema::tiledb_array_schema_t;
use crate::border::call::{TILEDB_OK, not_offered_alone};
use crate::border::{free, handle, not_offered};
use crate::buffer::tiledb_buffer_list_t;
use crate::buffer::tiledb_buffer_t;
use crate::config::tiledb_config_t;
use crate::constants::*;
use crate::context::tiledb_ctx_t;
use crate::evolution::tiledb_array_schema_evolution_t;
use crate::fragment_info::tiledb_fragment_info_t;
use crate::group::tiledb_group_t;
use crate::query::tiledb_query_t;
use crate::string::tiledb_string_t;
use std::ffi::{c_char, c_void};

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_create(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    storage_uri: *mut *mut tiledb_string_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_create")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
) -> i32 {
    not_offered(
        ctx,
        "tiledb_deserialize_array_non_empty_domain_all_dimensions",
    )
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    nonempty_domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_nonempty_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_open(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_open")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_schema")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_schema_evolution: *mut *mut tiledb_array_schema_evolution_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_array_schema_evolution")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_config(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    array_uri: *const c_char,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_fragment_info")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    fragment_info: *mut tiledb_fragment_info_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_fragment_info_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    group: *mut tiledb_group_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_group")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_group_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    query: *mut tiledb_query_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_query")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_and_array(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    array_uri: *const c_char,
    query: *mut *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_query_and_array")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_deserialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *const tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_deserialize_query_est_result_sizes")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_list_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_handle_array_delete_fragments_list_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_array_delete_fragments_timestamps_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
) -> i32 {
    not_offered(
        ctx,
        "tiledb_handle_array_delete_fragments_timestamps_request",
    )
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_consolidation_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_handle_consolidation_plan_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_array_schema_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_handle_load_array_schema_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_load_enumerations_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_handle_load_enumerations_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_handle_query_plan_request(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    request: *const tiledb_buffer_t,
    response: *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_handle_query_plan_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_max_buffer_sizes(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    subarray: *const c_void,
    serialize_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_max_buffer_sizes")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_metadata(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_non_empty_domain_all_dimensions(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(
        ctx,
        "tiledb_serialize_array_non_empty_domain_all_dimensions",
    )
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_nonempty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    nonempty_domain: *const c_void,
    is_empty: i32,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_nonempty_domain")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *const tiledb_array_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_open")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_schema")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_array_schema_evolution(
    ctx: *mut tiledb_ctx_t,
    array_schema_evolution: *const tiledb_array_schema_evolution_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_array_schema_evolution")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_config(
    ctx: *mut tiledb_ctx_t,
    config: *const tiledb_config_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_config")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialization_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_fragment_info")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_fragment_info_request(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_fragment_info_request")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_group")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_group_metadata(
    ctx: *mut tiledb_ctx_t,
    group: *const tiledb_group_t,
    serialization_type: tiledb_serialization_type_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_group_metadata")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_query")
}

/// Not offered yet.
///
/// # Safety
/// Pointers are null or point to what TileDB's interface says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_serialize_query_est_result_sizes(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    serialize_type: tiledb_serialization_type_t,
    client_side: i32,
    buffer: *mut *mut tiledb_buffer_t,
) -> i32 {
    not_offered(ctx, "tiledb_serialize_query_est_result_sizes")
}
