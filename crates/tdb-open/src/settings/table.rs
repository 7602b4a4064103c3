//! All settings of TileDB 2.30, with their defaults there, and settings of earlier releases that scripts still contain.

use super::meaning::Meaning;

/// A setting that TileDB has.
pub(super) struct TableEntry {
    pub(super) name: &'static str,
    pub(super) default: DefaultValue,
    pub(super) meaning: Meaning,
}

/// The value that TileDB gives to a setting that is not set.
pub(super) enum DefaultValue {
    Text(&'static str),
    /// The number of processors.
    Processors,
    /// Nothing: the setting is of an earlier release, or exists only once it is set.
    Missing,
}

/// Returns the setting of this name.
pub(super) fn find(name: &str) -> Option<&'static TableEntry> {
    let at = KNOWN.binary_search_by(|known| known.name.cmp(name));
    at.ok().and_then(|at| KNOWN.get(at))
}

const fn used(name: &'static str, default: &'static str, meaning: Meaning) -> TableEntry {
    TableEntry {
        name,
        default: DefaultValue::Text(default),
        meaning,
    }
}

const fn of_stores(name: &'static str, default: &'static str) -> TableEntry {
    used(name, default, Meaning::OfStores)
}

const fn ignored(name: &'static str, default: &'static str) -> TableEntry {
    used(name, default, Meaning::Ignored)
}

const fn per_processor(name: &'static str, meaning: Meaning) -> TableEntry {
    TableEntry {
        name,
        default: DefaultValue::Processors,
        meaning,
    }
}

const fn without_default(name: &'static str, meaning: Meaning) -> TableEntry {
    TableEntry {
        name,
        default: DefaultValue::Missing,
        meaning,
    }
}

/// The settings, ordered by name.
pub(super) static KNOWN: &[TableEntry] = &[
    ignored("config.env_var_prefix", "TILEDB_"),
    ignored("config.logging_format", "DEFAULT"),
    ignored("config.logging_level", "0"),
    ignored("filestore.buffer_size", "104857600"),
    ignored("profile_dir", ""),
    ignored("profile_name", ""),
    ignored("rest.capnp_traversal_limit", "2147483648"),
    ignored("rest.curl.buffer_size", "524288"),
    ignored("rest.curl.retry_errors", "true"),
    ignored("rest.curl.tcp_keepalive", "true"),
    ignored("rest.curl.verbose", "false"),
    ignored("rest.http_compressor", "any"),
    ignored("rest.load_enumerations_on_array_open", "false"),
    ignored("rest.load_enumerations_on_array_open_all_schemas", "false"),
    ignored("rest.load_metadata_on_array_open", "true"),
    ignored("rest.load_non_empty_domain_on_array_open", "true"),
    without_default("rest.password", Meaning::Ignored),
    ignored("rest.payer_namespace", ""),
    ignored("rest.retry_count", "25"),
    ignored("rest.retry_delay_factor", "1.25"),
    ignored("rest.retry_http_codes", "503"),
    ignored("rest.retry_initial_delay_ms", "500"),
    ignored("rest.server_address", "https://api.tiledb.com"),
    ignored("rest.server_serialization_format", "CAPNP"),
    without_default("rest.token", Meaning::Ignored),
    ignored("rest.use_refactored_array_open", "true"),
    ignored("rest.use_refactored_array_open_and_query_submit", "true"),
    without_default("rest.username", Meaning::Ignored),
    ignored("sm.allow_separate_attribute_writes", "false"),
    ignored("sm.allow_updates_experimental", "false"),
    ignored("sm.check_coord_dups", "true"),
    ignored("sm.check_coord_oob", "true"),
    ignored("sm.check_global_order", "true"),
    per_processor("sm.compute_concurrency_level", Meaning::Threads),
    used("sm.consolidation.amplification", "1.0", Meaning::Ratio),
    ignored("sm.consolidation.buffer_size", "50000000"),
    used(
        "sm.consolidation.max_fragment_size",
        "18446744073709551615",
        Meaning::Number,
    ),
    ignored("sm.consolidation.mode", "fragments"),
    used(
        "sm.consolidation.purge_deleted_cells",
        "false",
        Meaning::Switch,
    ),
    used(
        "sm.consolidation.step_max_frags",
        "4294967295",
        Meaning::Count,
    ),
    used(
        "sm.consolidation.step_min_frags",
        "4294967295",
        Meaning::Count,
    ),
    used("sm.consolidation.step_size_ratio", "0.0", Meaning::Ratio),
    used("sm.consolidation.steps", "4294967295", Meaning::Count),
    used(
        "sm.consolidation.timestamp_end",
        "18446744073709551615",
        Meaning::Number,
    ),
    used("sm.consolidation.timestamp_start", "0", Meaning::Number),
    ignored("sm.dedup_coords", "false"),
    ignored("sm.enable_signal_handlers", "true"),
    used("sm.encryption_key", "", Meaning::Key),
    used("sm.encryption_type", "NO_ENCRYPTION", Meaning::Encryption),
    ignored("sm.enumerations_max_size", "10485760"),
    ignored("sm.enumerations_max_total_size", "52428800"),
    ignored("sm.fragment_info.preload_mbrs", "false"),
    ignored("sm.group.timestamp_end", "18446744073709551615"),
    ignored("sm.group.timestamp_start", "0"),
    per_processor("sm.io_concurrency_level", Meaning::Threads),
    ignored("sm.max_tile_overlap_size", "314572800"),
    ignored("sm.mem.consolidation.buffers_weight", "1"),
    ignored("sm.mem.consolidation.reader_weight", "3"),
    ignored("sm.mem.consolidation.writer_weight", "2"),
    ignored("sm.mem.malloc_trim", "true"),
    ignored("sm.mem.reader.sparse_global_order.ratio_array_data", "0.1"),
    ignored("sm.mem.reader.sparse_global_order.ratio_coords", "0.5"),
    ignored("sm.mem.reader.sparse_global_order.ratio_tile_ranges", "0.1"),
    ignored(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
        "0.1",
    ),
    ignored(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_coords",
        "0.5",
    ),
    ignored(
        "sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges",
        "0.1",
    ),
    ignored("sm.mem.tile_upper_memory_limit", "1073741824"),
    used("sm.mem.total_budget", "10737418240", Meaning::Bytes),
    used("sm.memory_budget", "5368709120", Meaning::Bytes),
    ignored("sm.memory_budget_var", "10737418240"),
    ignored("sm.merge_overlapping_ranges_experimental", "true"),
    without_default("sm.num_async_threads", Meaning::Ignored),
    without_default("sm.num_reader_threads", Meaning::Ignored),
    without_default("sm.num_tbb_threads", Meaning::Ignored),
    without_default("sm.num_writer_threads", Meaning::Ignored),
    ignored("sm.partial_tile_offsets_loading", "false"),
    ignored("sm.query.condition_evaluator", "ast"),
    ignored("sm.query.dense.qc_coords_mode", "false"),
    ignored("sm.query.dense.reader", "refactored"),
    ignored(
        "sm.query.sparse_global_order.preprocess_tile_merge",
        "32768",
    ),
    ignored("sm.query.sparse_global_order.reader", "refactored"),
    ignored("sm.query.sparse_unordered_with_dups.reader", "refactored"),
    used("sm.read_range_oob", "warn", Meaning::Strictness),
    ignored("sm.skip_checksum_validation", "false"),
    ignored("sm.skip_est_size_partitioning", "false"),
    ignored("sm.skip_unary_partitioning_budget_check", "false"),
    without_default("sm.tile_cache_size", Meaning::Ignored),
    ignored("sm.vacuum.mode", "fragments"),
    without_default("sm.vacuum.timestamp_end", Meaning::Ignored),
    without_default("sm.vacuum.timestamp_start", Meaning::Ignored),
    ignored("sm.var_offsets.bitsize", "64"),
    ignored("sm.var_offsets.extra_element", "false"),
    ignored("sm.var_offsets.mode", "bytes"),
    of_stores("ssl.ca_file", ""),
    ignored("ssl.ca_path", ""),
    of_stores("ssl.verify", "true"),
    // This setting is tdb's own.
    used("tdb.incomplete_history", "warn", Meaning::Strictness),
    of_stores("vfs.azure.blob_endpoint", ""),
    ignored("vfs.azure.block_list_block_size", "5242880"),
    ignored("vfs.azure.is_data_lake_endpoint", ""),
    per_processor("vfs.azure.max_parallel_ops", Meaning::Ignored),
    ignored("vfs.azure.max_retries", "5"),
    ignored("vfs.azure.max_retry_delay_ms", "60000"),
    ignored("vfs.azure.retry_delay_ms", "800"),
    of_stores("vfs.azure.storage_account_key", ""),
    of_stores("vfs.azure.storage_account_name", ""),
    of_stores("vfs.azure.storage_sas_token", ""),
    ignored("vfs.azure.use_block_list_upload", "true"),
    without_default("vfs.file.max_parallel_ops", Meaning::Ignored),
    ignored("vfs.file.posix_directory_permissions", "755"),
    ignored("vfs.file.posix_file_permissions", "644"),
    of_stores("vfs.gcs.endpoint", ""),
    without_default("vfs.gcs.external_account_config", Meaning::Ignored),
    ignored("vfs.gcs.impersonate_service_account", ""),
    ignored("vfs.gcs.max_direct_upload_size", "10737418240"),
    per_processor("vfs.gcs.max_parallel_ops", Meaning::Ignored),
    ignored("vfs.gcs.multi_part_size", "5242880"),
    ignored("vfs.gcs.project_id", ""),
    ignored("vfs.gcs.request_timeout_ms", "3000"),
    of_stores("vfs.gcs.service_account_key", ""),
    ignored("vfs.gcs.use_multi_part_upload", "true"),
    ignored("vfs.gcs.workload_identity_configuration", ""),
    ignored("vfs.log_operations", "false"),
    ignored("vfs.max_batch_size", "104857600"),
    without_default("vfs.max_parallel_ops", Meaning::OfStores),
    ignored("vfs.min_batch_gap", "512000"),
    ignored("vfs.min_batch_size", "20971520"),
    ignored("vfs.min_parallel_size", "10485760"),
    ignored("vfs.read_ahead_cache_size", "10485760"),
    ignored("vfs.read_ahead_size", "102400"),
    ignored("vfs.read_logging_mode", ""),
    of_stores("vfs.s3.aws_access_key_id", ""),
    ignored("vfs.s3.aws_external_id", ""),
    ignored("vfs.s3.aws_load_frequency", ""),
    ignored("vfs.s3.aws_role_arn", ""),
    of_stores("vfs.s3.aws_secret_access_key", ""),
    ignored("vfs.s3.aws_session_name", ""),
    of_stores("vfs.s3.aws_session_token", ""),
    ignored("vfs.s3.bucket_canned_acl", "NOT_SET"),
    of_stores("vfs.s3.ca_file", ""),
    ignored("vfs.s3.ca_path", ""),
    ignored("vfs.s3.config_source", "auto"),
    of_stores("vfs.s3.connect_max_tries", "5"),
    ignored("vfs.s3.connect_scale_factor", "25"),
    of_stores("vfs.s3.connect_timeout_ms", "10800"),
    of_stores("vfs.s3.endpoint_override", ""),
    ignored("vfs.s3.install_sigpipe_handler", "true"),
    ignored("vfs.s3.logging_level", "Off"),
    per_processor("vfs.s3.max_parallel_ops", Meaning::Ignored),
    ignored("vfs.s3.multipart_part_size", "5242880"),
    of_stores("vfs.s3.no_sign_request", "false"),
    ignored("vfs.s3.object_canned_acl", "NOT_SET"),
    of_stores("vfs.s3.proxy_host", ""),
    of_stores("vfs.s3.proxy_password", ""),
    of_stores("vfs.s3.proxy_port", "0"),
    of_stores("vfs.s3.proxy_scheme", "http"),
    of_stores("vfs.s3.proxy_username", ""),
    of_stores("vfs.s3.region", ""),
    of_stores("vfs.s3.request_timeout_ms", "3000"),
    of_stores("vfs.s3.requester_pays", "false"),
    of_stores("vfs.s3.scheme", "https"),
    ignored("vfs.s3.skip_init", "false"),
    ignored("vfs.s3.sse", ""),
    ignored("vfs.s3.sse_kms_key_id", ""),
    ignored("vfs.s3.storage_class", "NOT_SET"),
    ignored("vfs.s3.use_multipart_upload", "true"),
    of_stores("vfs.s3.use_virtual_addressing", "true"),
    of_stores("vfs.s3.verify_ssl", "true"),
];
