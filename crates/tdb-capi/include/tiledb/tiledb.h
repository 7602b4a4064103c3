/* TileDB's C interface, as tdb offers it. Made from the sources of tdb-capi by `cargo xtask capi --bless`. */

#ifndef TILEDB_H
#define TILEDB_H

#include <stdint.h>
#include <stddef.h>
#include <stdio.h>

/* Handles: keys of objects, which are not to be followed. */
typedef struct tiledb_array_schema_evolution_t tiledb_array_schema_evolution_t;
typedef struct tiledb_array_schema_t tiledb_array_schema_t;
typedef struct tiledb_array_t tiledb_array_t;
typedef struct tiledb_attribute_t tiledb_attribute_t;
typedef struct tiledb_buffer_list_t tiledb_buffer_list_t;
typedef struct tiledb_buffer_t tiledb_buffer_t;
typedef struct tiledb_channel_operation_t tiledb_channel_operation_t;
typedef struct tiledb_channel_operator_t tiledb_channel_operator_t;
typedef struct tiledb_config_iter_t tiledb_config_iter_t;
typedef struct tiledb_config_t tiledb_config_t;
typedef struct tiledb_consolidation_plan_t tiledb_consolidation_plan_t;
typedef struct tiledb_ctx_t tiledb_ctx_t;
typedef struct tiledb_current_domain_t tiledb_current_domain_t;
typedef struct tiledb_dimension_label_t tiledb_dimension_label_t;
typedef struct tiledb_dimension_t tiledb_dimension_t;
typedef struct tiledb_domain_t tiledb_domain_t;
typedef struct tiledb_enumeration_t tiledb_enumeration_t;
typedef struct tiledb_error_t tiledb_error_t;
typedef struct tiledb_filter_list_t tiledb_filter_list_t;
typedef struct tiledb_filter_t tiledb_filter_t;
typedef struct tiledb_fragment_info_t tiledb_fragment_info_t;
typedef struct tiledb_group_t tiledb_group_t;
typedef struct tiledb_ndrectangle_t tiledb_ndrectangle_t;
typedef struct tiledb_profile_t tiledb_profile_t;
typedef struct tiledb_query_channel_t tiledb_query_channel_t;
typedef struct tiledb_query_condition_t tiledb_query_condition_t;
typedef struct tiledb_query_field_t tiledb_query_field_t;
typedef struct tiledb_query_t tiledb_query_t;
typedef struct tiledb_string_t tiledb_string_t;
typedef struct tiledb_subarray_t tiledb_subarray_t;
typedef struct tiledb_vfs_fh_t tiledb_vfs_fh_t;
typedef struct tiledb_vfs_t tiledb_vfs_t;
extern const tiledb_channel_operator_t *tiledb_channel_operator_sum;
extern const tiledb_channel_operator_t *tiledb_channel_operator_min;
extern const tiledb_channel_operator_t *tiledb_channel_operator_max;
extern const tiledb_channel_operator_t *tiledb_channel_operator_mean;
extern const tiledb_channel_operator_t *tiledb_channel_operator_null_count;
extern const tiledb_channel_operation_t *tiledb_aggregate_count;


/*
 The call did what it says.
 */
#define TILEDB_OK 0

/*
 The call failed.
 */
#define TILEDB_ERR -1

/*
 Memory ran out.
 */
#define TILEDB_OOM -2

/*
 The context is not one that lives.
 */
#define TILEDB_INVALID_CONTEXT -3

/*
 The place for the error is not one that can be written.
 */
#define TILEDB_INVALID_ERROR -4

/*
 The datatype of the values of a field.
 */
typedef uint32_t tiledb_datatype_t;

/*
 What a field of a query is.
 */
typedef uint32_t tiledb_field_origin_t;

/*
 What an array or a group is opened for, and what a query does.
 */
typedef uint32_t tiledb_query_type_t;

/*
 How an array is encrypted.
 */
typedef uint32_t tiledb_encryption_type_t;

/*
 Dense or sparse.
 */
typedef uint32_t tiledb_array_type_t;

/*
 An order of cells or tiles.
 */
typedef uint32_t tiledb_layout_t;

/*
 A kind of store.
 */
typedef uint32_t tiledb_filesystem_t;

/*
 How a URI is reached.
 */
typedef uint32_t tiledb_data_protocol_t;

/*
 How a current domain is described.
 */
typedef uint32_t tiledb_current_domain_type_t;

/*
 A range of a dimension: both bounds belong to it. Sizes are in bytes.
 */
typedef struct {
  const void *min;
  uint64_t min_size;
  const void *max;
  uint64_t max_size;
} tiledb_range_t;

/*
 The order of the values of a dimension label.
 */
typedef uint32_t tiledb_data_order_t;

/*
 The media type of a file in a filestore.
 */
typedef uint32_t tiledb_mime_type_t;

/*
 A filter of tiles.
 */
typedef uint32_t tiledb_filter_type_t;

/*
 An option of a filter.
 */
typedef uint32_t tiledb_filter_option_t;

/*
 What lies at a URI.
 */
typedef uint32_t tiledb_object_t;

/*
 How far a query is.
 */
typedef uint32_t tiledb_query_status_t;

/*
 A form of serialised objects.
 */
typedef uint32_t tiledb_serialization_type_t;

/*
 What a file is opened for.
 */
typedef uint32_t tiledb_vfs_mode_t;

/*
 The order in which a walk meets a folder and what is in it.
 */
typedef uint32_t tiledb_walk_order_t;

/*
 Is told an object: its URI and its type. Returns 1 to go on, 0 to stop, and -1 if it failed.
 */
typedef int32_t (*Callback)(const char*, tiledb_object_t, void*);

/*
 Why a query is incomplete.
 */
typedef uint32_t tiledb_query_status_details_reason_t;

/*
 Details of the status of a query.
 */
typedef struct {
  tiledb_query_status_details_reason_t incomplete_reason;
} tiledb_query_status_details_t;

/*
 A comparison of a condition.
 */
typedef uint32_t tiledb_query_condition_op_t;

/*
 How conditions are combined.
 */
typedef uint32_t tiledb_query_condition_combination_op_t;

/*
 Is told an object below a folder: its URI, the length of the URI, and its size. Returns 1 to go on, 0 to stop, and
 -1 if it failed.
 */
typedef int32_t (*tiledb_ls_callback_t)(const char *path,
                                        size_t path_len,
                                        uint64_t object_size,
                                        void *data);

/*
 As [`tiledb_ls_callback_t`], and is told whether it is a folder.
 */
typedef int32_t (*tiledb_ls_callback_v2_t)(const char *path,
                                           size_t path_len,
                                           uint64_t object_size,
                                           uint8_t is_dir,
                                           void *data);

/*
 The order of the colours of an image, for the filter WebP.
 */
typedef uint32_t tiledb_filter_webp_format_t;

#define TILEDB_INT32 0

#define TILEDB_INT64 1

#define TILEDB_FLOAT32 2

#define TILEDB_FLOAT64 3

#define TILEDB_CHAR 4

#define TILEDB_INT8 5

#define TILEDB_UINT8 6

#define TILEDB_INT16 7

#define TILEDB_UINT16 8

#define TILEDB_UINT32 9

#define TILEDB_UINT64 10

#define TILEDB_STRING_ASCII 11

#define TILEDB_STRING_UTF8 12

#define TILEDB_STRING_UTF16 13

#define TILEDB_STRING_UTF32 14

#define TILEDB_STRING_UCS2 15

#define TILEDB_STRING_UCS4 16

#define TILEDB_ANY 17

#define TILEDB_DATETIME_YEAR 18

#define TILEDB_DATETIME_MONTH 19

#define TILEDB_DATETIME_WEEK 20

#define TILEDB_DATETIME_DAY 21

#define TILEDB_DATETIME_HR 22

#define TILEDB_DATETIME_MIN 23

#define TILEDB_DATETIME_SEC 24

#define TILEDB_DATETIME_MS 25

#define TILEDB_DATETIME_US 26

#define TILEDB_DATETIME_NS 27

#define TILEDB_DATETIME_PS 28

#define TILEDB_DATETIME_FS 29

#define TILEDB_DATETIME_AS 30

#define TILEDB_TIME_HR 31

#define TILEDB_TIME_MIN 32

#define TILEDB_TIME_SEC 33

#define TILEDB_TIME_MS 34

#define TILEDB_TIME_US 35

#define TILEDB_TIME_NS 36

#define TILEDB_TIME_PS 37

#define TILEDB_TIME_FS 38

#define TILEDB_TIME_AS 39

#define TILEDB_BLOB 40

#define TILEDB_BOOL 41

#define TILEDB_GEOM_WKB 42

#define TILEDB_GEOM_WKT 43

#define TILEDB_DENSE 0

#define TILEDB_SPARSE 1

#define TILEDB_ROW_MAJOR 0

#define TILEDB_COL_MAJOR 1

#define TILEDB_GLOBAL_ORDER 2

#define TILEDB_UNORDERED 3

#define TILEDB_HILBERT 4

#define TILEDB_UNORDERED_DATA 0

#define TILEDB_INCREASING_DATA 1

#define TILEDB_DECREASING_DATA 2

#define TILEDB_NO_ENCRYPTION 0

#define TILEDB_AES_256_GCM 1

#define TILEDB_READ 0

#define TILEDB_WRITE 1

#define TILEDB_DELETE 2

#define TILEDB_UPDATE 3

#define TILEDB_MODIFY_EXCLUSIVE 4

#define TILEDB_FAILED 0

#define TILEDB_COMPLETED 1

#define TILEDB_INPROGRESS 2

#define TILEDB_INCOMPLETE 3

#define TILEDB_UNINITIALIZED 4

#define TILEDB_INITIALIZED 5

#define TILEDB_REASON_NONE 0

#define TILEDB_REASON_USER_BUFFER_SIZE 1

#define TILEDB_REASON_MEMORY_BUDGET 2

#define TILEDB_LT 0

#define TILEDB_LE 1

#define TILEDB_GT 2

#define TILEDB_GE 3

#define TILEDB_EQ 4

#define TILEDB_NE 5

#define TILEDB_IN 6

#define TILEDB_NOT_IN 7

#define TILEDB_AND 0

#define TILEDB_OR 1

#define TILEDB_NOT 2

#define TILEDB_FILTER_NONE 0

#define TILEDB_FILTER_GZIP 1

#define TILEDB_FILTER_ZSTD 2

#define TILEDB_FILTER_LZ4 3

#define TILEDB_FILTER_RLE 4

#define TILEDB_FILTER_BZIP2 5

#define TILEDB_FILTER_DOUBLE_DELTA 6

#define TILEDB_FILTER_BIT_WIDTH_REDUCTION 7

#define TILEDB_FILTER_BITSHUFFLE 8

#define TILEDB_FILTER_BYTESHUFFLE 9

#define TILEDB_FILTER_POSITIVE_DELTA 10

#define TILEDB_FILTER_CHECKSUM_MD5 12

#define TILEDB_FILTER_CHECKSUM_SHA256 13

#define TILEDB_FILTER_DICTIONARY 14

#define TILEDB_FILTER_SCALE_FLOAT 15

#define TILEDB_FILTER_XOR 16

#define TILEDB_FILTER_WEBP 18

#define TILEDB_FILTER_DELTA 19

#define TILEDB_COMPRESSION_LEVEL 0

#define TILEDB_BIT_WIDTH_MAX_WINDOW 1

#define TILEDB_POSITIVE_DELTA_MAX_WINDOW 2

#define TILEDB_SCALE_FLOAT_BYTEWIDTH 3

#define TILEDB_SCALE_FLOAT_FACTOR 4

#define TILEDB_SCALE_FLOAT_OFFSET 5

#define TILEDB_WEBP_QUALITY 6

#define TILEDB_WEBP_INPUT_FORMAT 7

#define TILEDB_WEBP_LOSSLESS 8

#define TILEDB_COMPRESSION_REINTERPRET_DATATYPE 9

#define TILEDB_WEBP_NONE 0

#define TILEDB_WEBP_RGB 1

#define TILEDB_WEBP_BGR 2

#define TILEDB_WEBP_RGBA 3

#define TILEDB_WEBP_BGRA 4

#define TILEDB_INVALID 0

#define TILEDB_GROUP 1

#define TILEDB_ARRAY 2

#define TILEDB_PREORDER 0

#define TILEDB_POSTORDER 1

#define TILEDB_HDFS 0

#define TILEDB_S3 1

#define TILEDB_AZURE 2

#define TILEDB_GCS 3

#define TILEDB_MEMFS 4

#define TILEDB_TILEDBFS 5

#define TILEDB_VFS_READ 0

#define TILEDB_VFS_WRITE 1

#define TILEDB_VFS_APPEND 2

#define TILEDB_MIME_AUTODETECT 0

#define TILEDB_MIME_TIFF 1

#define TILEDB_MIME_PDF 2

#define TILEDB_NDRECTANGLE 0

#define TILEDB_JSON 0

#define TILEDB_CAPNP 1

#define TILEDB_DATA_PROTOCOL_V2 0

#define TILEDB_DATA_PROTOCOL_V3 1

#define TILEDB_ATTRIBUTE_FIELD 0

#define TILEDB_DIMENSION_FIELD 1

#define TILEDB_AGGREGATE_FIELD 2

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns [`tiledb_aggregate_count`].

 # Safety
 `operation` is null or points to a pointer.
 */
int32_t tiledb_aggregate_count_get(tiledb_ctx_t *ctx, const tiledb_channel_operation_t **operation);

/*
 Returns [`tiledb_channel_operator_sum`].

 # Safety
 `op` is null or points to a pointer.
 */
int32_t tiledb_channel_operator_sum_get(tiledb_ctx_t *ctx, const tiledb_channel_operator_t **op);

/*
 Returns [`tiledb_channel_operator_min`].

 # Safety
 `op` is null or points to a pointer.
 */
int32_t tiledb_channel_operator_min_get(tiledb_ctx_t *ctx, const tiledb_channel_operator_t **op);

/*
 Returns [`tiledb_channel_operator_max`].

 # Safety
 `op` is null or points to a pointer.
 */
int32_t tiledb_channel_operator_max_get(tiledb_ctx_t *ctx, const tiledb_channel_operator_t **op);

/*
 Returns [`tiledb_channel_operator_mean`].

 # Safety
 `op` is null or points to a pointer.
 */
int32_t tiledb_channel_operator_mean_get(tiledb_ctx_t *ctx, const tiledb_channel_operator_t **op);

/*
 Returns [`tiledb_channel_operator_null_count`].

 # Safety
 `op` is null or points to a pointer.
 */
int32_t tiledb_channel_operator_null_count_get(tiledb_ctx_t *ctx,
                                               const tiledb_channel_operator_t **op);

/*
 Makes an aggregate of a field for a query.

 # Safety
 `input_field_name` is null or a text; `operation` is null or points to a pointer.
 */
int32_t tiledb_create_unary_aggregate(tiledb_ctx_t *ctx,
                                      tiledb_query_t *query,
                                      const tiledb_channel_operator_t *op,
                                      const char *input_field_name,
                                      tiledb_channel_operation_t **operation);

/*
 Frees an aggregate; a constant is left alone.

 # Safety
 `op` is null or points to a handle.
 */
int32_t tiledb_aggregate_free(tiledb_ctx_t *_unused, tiledb_channel_operation_t **op);

/*
 Adds an aggregate to a query, whose result is a field of this name.

 # Safety
 `output_field_name` is null or a text.
 */
int32_t tiledb_channel_apply_aggregate(tiledb_ctx_t *ctx,
                                       tiledb_query_channel_t *channel,
                                       const char *output_field_name,
                                       const tiledb_channel_operation_t *operation);

/*
 Returns the channel of all cells of a query's result.

 # Safety
 `channel` is null or points to a pointer.
 */
int32_t tiledb_query_get_default_channel(tiledb_ctx_t *ctx,
                                         tiledb_query_t *query,
                                         tiledb_query_channel_t **channel);

/*
 Frees a channel.

 # Safety
 `channel` is null or points to a handle.
 */
int32_t tiledb_query_channel_free(tiledb_ctx_t *_unused, tiledb_query_channel_t **channel);

/*
 Returns a field of a query's result: of the array, or of an aggregate.

 # Safety
 `field_name` is null or a text; `field` is null or points to a pointer.
 */
int32_t tiledb_query_get_field(tiledb_ctx_t *ctx,
                               tiledb_query_t *query,
                               const char *field_name,
                               tiledb_query_field_t **field);

/*
 Frees a field.

 # Safety
 `field` is null or points to a handle.
 */
int32_t tiledb_query_field_free(tiledb_ctx_t *_unused, tiledb_query_field_t **field);

/*
 Returns the channel of a field.

 # Safety
 `channel` is null or points to a pointer.
 */
int32_t tiledb_field_channel(tiledb_ctx_t *ctx,
                             tiledb_query_field_t *field,
                             tiledb_query_channel_t **channel);

/*
 Returns the number of values per cell of a field.

 # Safety
 `cell_val_num` is null or points to a number.
 */
int32_t tiledb_field_cell_val_num(tiledb_ctx_t *ctx,
                                  tiledb_query_field_t *field,
                                  uint32_t *cell_val_num);

/*
 Returns the datatype of a field.

 # Safety
 `datatype` is null or points to a number.
 */
int32_t tiledb_field_datatype(tiledb_ctx_t *ctx,
                              tiledb_query_field_t *field,
                              tiledb_datatype_t *datatype);

/*
 Says whether cells of a field can be null.

 # Safety
 `nullable` is null or points to a number.
 */
int32_t tiledb_field_get_nullable(tiledb_ctx_t *ctx,
                                  tiledb_query_field_t *field,
                                  uint8_t *nullable);

/*
 Returns what a field is: an attribute, a dimension or an aggregate.

 # Safety
 `origin` is null or points to a number.
 */
int32_t tiledb_field_origin(tiledb_ctx_t *ctx,
                            tiledb_query_field_t *field,
                            tiledb_field_origin_t *origin);

/*
 Creates an array, which is not open yet.

 # Safety
 `array_uri` is null or a text; `array` is null or points to a pointer.
 */
int32_t tiledb_array_alloc(tiledb_ctx_t *ctx, const char *array_uri, tiledb_array_t **array);

/*
 Frees an array. What was changed and not closed is lost.

 # Safety
 `array` is null or points to a handle.
 */
void tiledb_array_free(tiledb_array_t **array);

/*
 Creates an array in its store.

 # Safety
 `array_uri` is null or a text.
 */
int32_t tiledb_array_create(tiledb_ctx_t *ctx,
                            const char *array_uri,
                            const tiledb_array_schema_t *array_schema);

/*
 Opens an array to read or to change it.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_open(tiledb_ctx_t *ctx, tiledb_array_t *array, tiledb_query_type_t query_type);

/*
 Opens an array again that was opened for reading: as it is now, unless a time was set.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_reopen(tiledb_ctx_t *ctx, tiledb_array_t *array);

/*
 Closes an array, and stores changes of its metadata.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_close(tiledb_ctx_t *ctx, tiledb_array_t *array);

/*
 Says whether an array is open.

 # Safety
 `is_open` is null or points to a number.
 */
int32_t tiledb_array_is_open(tiledb_ctx_t *ctx, tiledb_array_t *array, int32_t *is_open);

/*
 Removes an array from its store.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_array_delete(tiledb_ctx_t *ctx, const char *uri);

/*
 Returns how an array is encrypted.

 # Safety
 `array_uri` is null or a text; `encryption_type` is null or points to a number.
 */
int32_t tiledb_array_encryption_type(tiledb_ctx_t *ctx,
                                     const char *array_uri,
                                     tiledb_encryption_type_t *encryption_type);

/*
 Gives an array settings of its own. It must not be open.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_set_config(tiledb_ctx_t *ctx, tiledb_array_t *array, tiledb_config_t *config);

/*
 Returns a copy of the settings of an array.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_array_get_config(tiledb_ctx_t *ctx, tiledb_array_t *array, tiledb_config_t **config);

/*
 Returns what an array was opened for.

 # Safety
 `query_type` is null or points to a number.
 */
int32_t tiledb_array_get_query_type(tiledb_ctx_t *ctx,
                                    tiledb_array_t *array,
                                    tiledb_query_type_t *query_type);

/*
 Returns the schema of an open array, which all its handles share.

 # Safety
 `array_schema` is null or points to a pointer.
 */
int32_t tiledb_array_get_schema(tiledb_ctx_t *ctx,
                                tiledb_array_t *array,
                                tiledb_array_schema_t **array_schema);

/*
 Returns the URI of an array.

 # Safety
 `array_uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_array_get_uri(tiledb_ctx_t *ctx, tiledb_array_t *array, const char **array_uri);

/*
 Sets the first time that is seen, in milliseconds since 1970.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_set_open_timestamp_start(tiledb_ctx_t *ctx,
                                              tiledb_array_t *array,
                                              uint64_t timestamp_start);

/*
 Sets the last time that is seen, or the time at which is written; 2^64 - 1 for now.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_set_open_timestamp_end(tiledb_ctx_t *ctx,
                                            tiledb_array_t *array,
                                            uint64_t timestamp_end);

/*
 Returns the first time that is seen.

 # Safety
 `timestamp_start` is null or points to a number.
 */
int32_t tiledb_array_get_open_timestamp_start(tiledb_ctx_t *ctx,
                                              tiledb_array_t *array,
                                              uint64_t *timestamp_start);

/*
 Returns the last time that is seen, or the time at which is written: 0 for the time of the write.

 # Safety
 `timestamp_end` is null or points to a number.
 */
int32_t tiledb_array_get_open_timestamp_end(tiledb_ctx_t *ctx,
                                            tiledb_array_t *array,
                                            uint64_t *timestamp_end);

/*
 Returns the box around all written cells: the ends of all dimensions, which have one datatype of fixed size.

 # Safety
 `domain` is null or has room for two values per dimension; `is_empty` is null or points to a number.
 */
int32_t tiledb_array_get_non_empty_domain(tiledb_ctx_t *ctx,
                                          tiledb_array_t *array,
                                          void *domain,
                                          int32_t *is_empty);

/*
 Returns the ends of a dimension of fixed size in the box around all written cells.

 # Safety
 `domain` is null or has room for two values; `is_empty` is null or points to a number.
 */
int32_t tiledb_array_get_non_empty_domain_from_index(tiledb_ctx_t *ctx,
                                                     tiledb_array_t *array,
                                                     uint32_t idx,
                                                     void *domain,
                                                     int32_t *is_empty);

/*
 As [`tiledb_array_get_non_empty_domain_from_index`], by the name of the dimension.

 # Safety
 As there; `name` is null or a text.
 */
int32_t tiledb_array_get_non_empty_domain_from_name(tiledb_ctx_t *ctx,
                                                    tiledb_array_t *array,
                                                    const char *name,
                                                    void *domain,
                                                    int32_t *is_empty);

/*
 Returns the sizes in bytes of the ends of a dimension of text in the box around all written cells.

 # Safety
 The last three arguments are null or point to numbers.
 */
int32_t tiledb_array_get_non_empty_domain_var_size_from_index(tiledb_ctx_t *ctx,
                                                              tiledb_array_t *array,
                                                              uint32_t idx,
                                                              uint64_t *start_size,
                                                              uint64_t *end_size,
                                                              int32_t *is_empty);

/*
 As [`tiledb_array_get_non_empty_domain_var_size_from_index`], by the name of the dimension.

 # Safety
 As there; `name` is null or a text.
 */
int32_t tiledb_array_get_non_empty_domain_var_size_from_name(tiledb_ctx_t *ctx,
                                                             tiledb_array_t *array,
                                                             const char *name,
                                                             uint64_t *start_size,
                                                             uint64_t *end_size,
                                                             int32_t *is_empty);

/*
 Returns the ends of a dimension of text in the box around all written cells.

 # Safety
 `start` and `end` are null or have room for the sizes that the function for sizes gives; `is_empty` is null or
 points to a number.
 */
int32_t tiledb_array_get_non_empty_domain_var_from_index(tiledb_ctx_t *ctx,
                                                         tiledb_array_t *array,
                                                         uint32_t idx,
                                                         void *start,
                                                         void *end,
                                                         int32_t *is_empty);

/*
 As [`tiledb_array_get_non_empty_domain_var_from_index`], by the name of the dimension.

 # Safety
 As there; `name` is null or a text.
 */
int32_t tiledb_array_get_non_empty_domain_var_from_name(tiledb_ctx_t *ctx,
                                                        tiledb_array_t *array,
                                                        const char *name,
                                                        void *start,
                                                        void *end,
                                                        int32_t *is_empty);

/*
 Adds a copy of an attribute at the end.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_add_attribute(tiledb_ctx_t *ctx,
                                          tiledb_array_schema_t *array_schema,
                                          tiledb_attribute_t *attr);

/*
 Creates a schema without dimensions and attributes, with defaults for the rest.

 # Safety
 `array_schema` is null or points to a pointer.
 */
int32_t tiledb_array_schema_alloc(tiledb_ctx_t *ctx,
                                  tiledb_array_type_t kind,
                                  tiledb_array_schema_t **array_schema);

/*
 Creates a schema as [`tiledb_array_schema_alloc`] does, of an array that begins at a time.

 # Safety
 `array_schema` is null or points to a pointer.
 */
int32_t tiledb_array_schema_alloc_at_timestamp(tiledb_ctx_t *ctx,
                                               tiledb_array_type_t kind,
                                               uint64_t timestamp,
                                               tiledb_array_schema_t **array_schema);

/*
 Fails if no array can be created from the schema.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_check(tiledb_ctx_t *ctx, tiledb_array_schema_t *array_schema);

/*
 Describes a schema.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_array_schema_dump_str(tiledb_ctx_t *ctx,
                                     const tiledb_array_schema_t *array_schema,
                                     tiledb_string_t **out);

/*
 Frees a schema.

 # Safety
 `array_schema` is null or points to a handle.
 */
void tiledb_array_schema_free(tiledb_array_schema_t **array_schema);

/*
 Says whether several cells may have the same coordinates.

 # Safety
 `allows_dups` is null or points to a number.
 */
int32_t tiledb_array_schema_get_allows_dups(tiledb_ctx_t *ctx,
                                            tiledb_array_schema_t *array_schema,
                                            int *allows_dups);

/*
 Returns whether arrays are dense or sparse.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_array_schema_get_array_type(tiledb_ctx_t *ctx,
                                           const tiledb_array_schema_t *array_schema,
                                           tiledb_array_type_t *kind);

/*
 Returns a copy of an attribute; null if there is none at all.

 # Safety
 `attr` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_attribute_from_index(tiledb_ctx_t *ctx,
                                                     const tiledb_array_schema_t *array_schema,
                                                     uint32_t index,
                                                     tiledb_attribute_t **attr);

/*
 Returns a copy of the attribute with a name; null if there is none at all.

 # Safety
 `name` is null or a text; `attr` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_attribute_from_name(tiledb_ctx_t *ctx,
                                                    const tiledb_array_schema_t *array_schema,
                                                    const char *name,
                                                    tiledb_attribute_t **attr);

/*
 Returns the number of attributes.

 # Safety
 `attribute_num` is null or points to a number.
 */
int32_t tiledb_array_schema_get_attribute_num(tiledb_ctx_t *ctx,
                                              const tiledb_array_schema_t *array_schema,
                                              uint32_t *attribute_num);

/*
 Returns the number of cells of a tile of a sparse array.

 # Safety
 `capacity` is null or points to a number.
 */
int32_t tiledb_array_schema_get_capacity(tiledb_ctx_t *ctx,
                                         const tiledb_array_schema_t *array_schema,
                                         uint64_t *capacity);

/*
 Returns the order of cells within a tile.

 # Safety
 `cell_order` is null or points to a number.
 */
int32_t tiledb_array_schema_get_cell_order(tiledb_ctx_t *ctx,
                                           const tiledb_array_schema_t *array_schema,
                                           tiledb_layout_t *cell_order);

/*
 Returns a copy of the filters of dimensions without filters of their own.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_coords_filter_list(tiledb_ctx_t *ctx,
                                                   tiledb_array_schema_t *array_schema,
                                                   tiledb_filter_list_t **filter_list);

/*
 Returns a copy of the filters of offsets.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_offsets_filter_list(tiledb_ctx_t *ctx,
                                                    tiledb_array_schema_t *array_schema,
                                                    tiledb_filter_list_t **filter_list);

/*
 Returns a copy of the filters of the bytes that say which cells are null.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_validity_filter_list(tiledb_ctx_t *ctx,
                                                     tiledb_array_schema_t *array_schema,
                                                     tiledb_filter_list_t **filter_list);

/*
 Returns a copy of the domain.

 # Safety
 `domain` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_domain(tiledb_ctx_t *ctx,
                                       const tiledb_array_schema_t *array_schema,
                                       tiledb_domain_t **domain);

/*
 Returns the order of tiles.

 # Safety
 `tile_order` is null or points to a number.
 */
int32_t tiledb_array_schema_get_tile_order(tiledb_ctx_t *ctx,
                                           const tiledb_array_schema_t *array_schema,
                                           tiledb_layout_t *tile_order);

/*
 Returns the format version.

 # Safety
 `version` is null or points to a number.
 */
int32_t tiledb_array_schema_get_version(tiledb_ctx_t *ctx,
                                        tiledb_array_schema_t *array_schema,
                                        uint32_t *version);

/*
 Says whether there is an attribute with a name.

 # Safety
 `name` is null or a text; `has_attr` is null or points to a number.
 */
int32_t tiledb_array_schema_has_attribute(tiledb_ctx_t *ctx,
                                          const tiledb_array_schema_t *array_schema,
                                          const char *name,
                                          int32_t *has_attr);

/*
 Loads the newest schema of an array.

 # Safety
 `array_uri` is null or a text; `array_schema` is null or points to a pointer.
 */
int32_t tiledb_array_schema_load(tiledb_ctx_t *ctx,
                                 const char *array_uri,
                                 tiledb_array_schema_t **array_schema);

/*
 Loads the newest schema of an array with other settings than those of the context.

 # Safety
 `array_uri` is null or a text; `array_schema` is null or points to a pointer.
 */
int32_t tiledb_array_schema_load_with_config(tiledb_ctx_t *ctx,
                                             tiledb_config_t *config,
                                             const char *array_uri,
                                             tiledb_array_schema_t **array_schema);

/*
 Sets whether several cells may have the same coordinates; sparse arrays only.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_allows_dups(tiledb_ctx_t *ctx,
                                            tiledb_array_schema_t *array_schema,
                                            int allows_dups);

/*
 Sets the number of cells of a tile of a sparse array.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_capacity(tiledb_ctx_t *ctx,
                                         tiledb_array_schema_t *array_schema,
                                         uint64_t capacity);

/*
 Sets the order of cells within a tile: row-major, col-major, or, for sparse arrays, Hilbert.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_cell_order(tiledb_ctx_t *ctx,
                                           tiledb_array_schema_t *array_schema,
                                           tiledb_layout_t cell_order);

/*
 Sets the filters of dimensions without filters of their own.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_coords_filter_list(tiledb_ctx_t *ctx,
                                                   tiledb_array_schema_t *array_schema,
                                                   tiledb_filter_list_t *filter_list);

/*
 Sets the dimensions.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_domain(tiledb_ctx_t *ctx,
                                       tiledb_array_schema_t *array_schema,
                                       tiledb_domain_t *domain);

/*
 Sets the filters of offsets.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_offsets_filter_list(tiledb_ctx_t *ctx,
                                                    tiledb_array_schema_t *array_schema,
                                                    tiledb_filter_list_t *filter_list);

/*
 Sets the filters of the bytes that say which cells are null.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_validity_filter_list(tiledb_ctx_t *ctx,
                                                     tiledb_array_schema_t *array_schema,
                                                     tiledb_filter_list_t *filter_list);

/*
 Sets the order of tiles: row-major or col-major.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_tile_order(tiledb_ctx_t *ctx,
                                           tiledb_array_schema_t *array_schema,
                                           tiledb_layout_t tile_order);

/*
 Returns the times in the schema's name, in milliseconds since 1970; 0 for schemas of old versions.

 # Safety
 `lo` and `hi` are null or point to numbers.
 */
int32_t tiledb_array_schema_timestamp_range(tiledb_ctx_t *ctx,
                                            tiledb_array_schema_t *array_schema,
                                            uint64_t *lo,
                                            uint64_t *hi);

/*
 Creates an attribute with one value per cell.

 # Safety
 `name` is null or a text; `attr` is null or points to a pointer.
 */
int32_t tiledb_attribute_alloc(tiledb_ctx_t *ctx,
                               const char *name,
                               tiledb_datatype_t kind,
                               tiledb_attribute_t **attr);

/*
 Describes an attribute.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_attribute_dump_str(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  tiledb_string_t **out);

/*
 Frees an attribute.

 # Safety
 `attr` is null or points to a handle.
 */
void tiledb_attribute_free(tiledb_attribute_t **attr);

/*
 Returns the size of a cell in bytes; 2^64 - 1 if cells vary in size.

 # Safety
 `cell_size` is null or points to a number.
 */
int32_t tiledb_attribute_get_cell_size(tiledb_ctx_t *ctx,
                                       const tiledb_attribute_t *attr,
                                       uint64_t *cell_size);

/*
 Returns the number of values per cell; 2^32 - 1 if it varies.

 # Safety
 `cell_val_num` is null or points to a number.
 */
int32_t tiledb_attribute_get_cell_val_num(tiledb_ctx_t *ctx,
                                          const tiledb_attribute_t *attr,
                                          uint32_t *cell_val_num);

/*
 Returns the value of cells that were never written, of an attribute without nulls.

 # Safety
 `value` and `size` are null or point to variables. The value may be read until the handle is freed.
 */
int32_t tiledb_attribute_get_fill_value(tiledb_ctx_t *ctx,
                                        tiledb_attribute_t *attr,
                                        const void **value,
                                        uint64_t *size);

/*
 Returns the value of cells that were never written, and whether it counts: 0 if such cells are null.

 # Safety
 `value`, `size` and `valid` are null or point to variables. The value may be read until the handle is freed.
 */
int32_t tiledb_attribute_get_fill_value_nullable(tiledb_ctx_t *ctx,
                                                 tiledb_attribute_t *attr,
                                                 const void **value,
                                                 uint64_t *size,
                                                 uint8_t *valid);

/*
 Returns a copy of the filters.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_attribute_get_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_attribute_t *attr,
                                         tiledb_filter_list_t **filter_list);

/*
 Returns the name.

 # Safety
 `name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_attribute_get_name(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  const char **name);

/*
 Says whether cells can be null.

 # Safety
 `nullable` is null or points to a number.
 */
int32_t tiledb_attribute_get_nullable(tiledb_ctx_t *ctx,
                                      tiledb_attribute_t *attr,
                                      uint8_t *nullable);

/*
 Returns the datatype.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_attribute_get_type(tiledb_ctx_t *ctx,
                                  const tiledb_attribute_t *attr,
                                  tiledb_datatype_t *kind);

/*
 Sets the number of values per cell, 2^32 - 1 for any number, and the fill value to its default.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_attribute_set_cell_val_num(tiledb_ctx_t *ctx,
                                          tiledb_attribute_t *attr,
                                          uint32_t cell_val_num);

/*
 Sets the value of cells that were never written, of an attribute without nulls.

 # Safety
 `value` is null or points to `size` bytes.
 */
int32_t tiledb_attribute_set_fill_value(tiledb_ctx_t *ctx,
                                        tiledb_attribute_t *attr,
                                        const void *value,
                                        uint64_t size);

/*
 Sets the value of cells that were never written, and whether it counts: with 0, such cells are null.

 # Safety
 `value` is null or points to `size` bytes.
 */
int32_t tiledb_attribute_set_fill_value_nullable(tiledb_ctx_t *ctx,
                                                 tiledb_attribute_t *attr,
                                                 const void *value,
                                                 uint64_t size,
                                                 uint8_t validity);

/*
 Sets the filters.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_attribute_set_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_attribute_t *attr,
                                         tiledb_filter_list_t *filter_list);

/*
 Sets whether cells can be null.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_attribute_set_nullable(tiledb_ctx_t *ctx,
                                      tiledb_attribute_t *attr,
                                      uint8_t nullable);

/*
 Creates an empty buffer.

 # Safety
 `buffer` is null or points to a pointer.
 */
int32_t tiledb_buffer_alloc(tiledb_ctx_t *ctx, tiledb_buffer_t **buffer);

/*
 Frees a buffer. Bytes that the program gave stay.

 # Safety
 `buffer` is null or points to a handle.
 */
void tiledb_buffer_free(tiledb_buffer_t **buffer);

/*
 Sets the datatype.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_buffer_set_type(tiledb_ctx_t *ctx,
                               tiledb_buffer_t *buffer,
                               tiledb_datatype_t datatype);

/*
 Returns the datatype.

 # Safety
 `datatype` is null or points to a number.
 */
int32_t tiledb_buffer_get_type(tiledb_ctx_t *ctx,
                               const tiledb_buffer_t *buffer,
                               tiledb_datatype_t *datatype);

/*
 Returns a pointer to the bytes, and their number.

 # Safety
 `data` and `num_bytes` are null or point to variables. The bytes may be read until the handle is freed.
 */
int32_t tiledb_buffer_get_data(tiledb_ctx_t *ctx,
                               const tiledb_buffer_t *buffer,
                               void **data,
                               uint64_t *num_bytes);

/*
 Sets the bytes, which stay the program's.

 # Safety
 `data` is null or points to as many bytes, which stay as long as the buffer or until others are set.
 */
int32_t tiledb_buffer_set_data(tiledb_ctx_t *ctx,
                               tiledb_buffer_t *buffer,
                               void *data,
                               uint64_t size);

/*
 Creates an empty list.

 # Safety
 `buffer_list` is null or points to a pointer.
 */
int32_t tiledb_buffer_list_alloc(tiledb_ctx_t *ctx, tiledb_buffer_list_t **buffer_list);

/*
 Frees a list. Buffers that it returned stay.

 # Safety
 `buffer_list` is null or points to a handle.
 */
void tiledb_buffer_list_free(tiledb_buffer_list_t **buffer_list);

/*
 Returns the number of buffers.

 # Safety
 `num_buffers` is null or points to a number.
 */
int32_t tiledb_buffer_list_get_num_buffers(tiledb_ctx_t *ctx,
                                           const tiledb_buffer_list_t *buffer_list,
                                           uint64_t *num_buffers);

/*
 Returns a buffer by its number, as a handle to be freed.

 # Safety
 `buffer` is null or points to a pointer.
 */
int32_t tiledb_buffer_list_get_buffer(tiledb_ctx_t *ctx,
                                      const tiledb_buffer_list_t *buffer_list,
                                      uint64_t buffer_idx,
                                      tiledb_buffer_t **buffer);

/*
 Returns the number of bytes of all buffers.

 # Safety
 `total_size` is null or points to a number.
 */
int32_t tiledb_buffer_list_get_total_size(tiledb_ctx_t *ctx,
                                          const tiledb_buffer_list_t *buffer_list,
                                          uint64_t *total_size);

/*
 Returns a buffer with a copy of the bytes of all buffers.

 # Safety
 `buffer` is null or points to a pointer.
 */
int32_t tiledb_buffer_list_flatten(tiledb_ctx_t *ctx,
                                   tiledb_buffer_list_t *buffer_list,
                                   tiledb_buffer_t **buffer);

/*
 Creates settings: TileDB's defaults, and those of stores that the environment gives.

 # Safety
 `config` and `error` are null or point to pointers.
 */
int32_t tiledb_config_alloc(tiledb_config_t **config, tiledb_error_t **error);

/*
 Frees settings.

 # Safety
 `config` is null or points to a handle.
 */
void tiledb_config_free(tiledb_config_t **config);

/*
 Sets a setting.

 # Safety
 `param` and `value` are null or texts; `error` is null or points to a pointer.
 */
int32_t tiledb_config_set(tiledb_config_t *config,
                          const char *param,
                          const char *value,
                          tiledb_error_t **error);

/*
 Returns a setting; null if it has neither a value nor a default.

 # Safety
 `param` is null or a text; `value` and `error` are null or point to pointers. The value may be read until the
 handle is freed.
 */
int32_t tiledb_config_get(tiledb_config_t *config,
                          const char *param,
                          const char **value,
                          tiledb_error_t **error);

/*
 Takes a setting back, so that it has its default.

 # Safety
 `param` is null or a text; `error` is null or points to a pointer.
 */
int32_t tiledb_config_unset(tiledb_config_t *config, const char *param, tiledb_error_t **error);

/*
 Sets what a file says: a line per setting, its name and its value; `#` begins a comment.

 # Safety
 `filename` is null or a text; `error` is null or points to a pointer.
 */
int32_t tiledb_config_load_from_file(tiledb_config_t *config,
                                     const char *filename,
                                     tiledb_error_t **error);

/*
 Writes the settings to a file, without what gives access to something.

 # Safety
 `filename` is null or a text; `error` is null or points to a pointer.
 */
int32_t tiledb_config_save_to_file(tiledb_config_t *config,
                                   const char *filename,
                                   tiledb_error_t **error);

/*
 Compares settings: 1 if they are equal.

 # Safety
 `equal` is null or points to a number.
 */
int32_t tiledb_config_compare(tiledb_config_t *lhs, tiledb_config_t *rhs, uint8_t *equal);

/*
 Begins an iteration over the settings whose names begin with a prefix; null stands for all.

 # Safety
 `prefix` is null or a text; `config_iter` and `error` are null or point to pointers.
 */
int32_t tiledb_config_iter_alloc(tiledb_config_t *config,
                                 const char *prefix,
                                 tiledb_config_iter_t **config_iter,
                                 tiledb_error_t **error);

/*
 Begins an iteration anew.

 # Safety
 `prefix` is null or a text; `error` is null or points to a pointer.
 */
int32_t tiledb_config_iter_reset(tiledb_config_t *config,
                                 tiledb_config_iter_t *config_iter,
                                 const char *prefix,
                                 tiledb_error_t **error);

/*
 Frees an iteration.

 # Safety
 `config_iter` is null or points to a handle.
 */
void tiledb_config_iter_free(tiledb_config_iter_t **config_iter);

/*
 Returns the setting at which an iteration is.

 # Safety
 `param`, `value` and `error` are null or point to pointers. The texts may be read until the handle is freed.
 */
int32_t tiledb_config_iter_here(tiledb_config_iter_t *config_iter,
                                const char **param,
                                const char **value,
                                tiledb_error_t **error);

/*
 Goes on to the next setting.

 # Safety
 `error` is null or points to a pointer.
 */
int32_t tiledb_config_iter_next(tiledb_config_iter_t *config_iter, tiledb_error_t **error);

/*
 Says whether an iteration is at its end.

 # Safety
 `done` is null or points to a number; `error` is null or points to a pointer.
 */
int32_t tiledb_config_iter_done(tiledb_config_iter_t *config_iter,
                                int32_t *done,
                                tiledb_error_t **error);

/*
 Merges of an array what the settings say: its fragments, their footers, its commits or its metadata.

 # Safety
 `array_uri` is null or a text.
 */
int32_t tiledb_array_consolidate(tiledb_ctx_t *ctx,
                                 const char *array_uri,
                                 tiledb_config_t *config);

/*
 Merges exactly these fragments, given by name or URI.

 # Safety
 `array_uri` is null or a text; `fragment_uris` is null or points to as many texts.
 */
int32_t tiledb_array_consolidate_fragments(tiledb_ctx_t *ctx,
                                           const char *array_uri,
                                           const char **fragment_uris,
                                           uint64_t num_fragments,
                                           tiledb_config_t *config);

/*
 Removes the fragments with these names or URIs.

 # Safety
 `uri_str` is null or a text; `fragment_uris` is null or points to as many texts.
 */
int32_t tiledb_array_delete_fragments_list(tiledb_ctx_t *ctx,
                                           const char *uri_str,
                                           const char **fragment_uris,
                                           size_t num_fragments);

/*
 Removes the fragments whose cells are all of these times, both included.

 # Safety
 `uri_str` is null or a text.
 */
int32_t tiledb_array_delete_fragments_v2(tiledb_ctx_t *ctx,
                                         const char *uri_str,
                                         uint64_t timestamp_start,
                                         uint64_t timestamp_end);

/*
 Removes at once what a merge has replaced, of the kind that the settings say.

 # Safety
 `array_uri` is null or a text.
 */
int32_t tiledb_array_vacuum(tiledb_ctx_t *ctx, const char *array_uri, tiledb_config_t *config);

/*
 Puts the metadata of a group into one object.

 # Safety
 `group_uri` is null or a text.
 */
int32_t tiledb_group_consolidate_metadata(tiledb_ctx_t *ctx,
                                          const char *group_uri,
                                          tiledb_config_t *config);

/*
 Suggests which fragments of an open array should be merged, so that fragments have about this size in bytes and do
 not overlap.

 # Safety
 `consolidation_plan` is null or points to a pointer.
 */
int32_t tiledb_consolidation_plan_create_with_mbr(tiledb_ctx_t *ctx,
                                                  tiledb_array_t *array,
                                                  uint64_t fragment_size,
                                                  tiledb_consolidation_plan_t **consolidation_plan);

/*
 Frees a suggestion.

 # Safety
 `consolidation_plan` is null or points to a handle.
 */
void tiledb_consolidation_plan_free(tiledb_consolidation_plan_t **consolidation_plan);

/*
 Returns the number of groups of fragments.

 # Safety
 `num_nodes` is null or points to a number.
 */
int32_t tiledb_consolidation_plan_get_num_nodes(tiledb_ctx_t *ctx,
                                                tiledb_consolidation_plan_t *consolidation_plan,
                                                uint64_t *num_nodes);

/*
 Returns the number of fragments of a group.

 # Safety
 `num_fragments` is null or points to a number.
 */
int32_t tiledb_consolidation_plan_get_num_fragments(tiledb_ctx_t *ctx,
                                                    tiledb_consolidation_plan_t *consolidation_plan,
                                                    uint64_t node_index,
                                                    uint64_t *num_fragments);

/*
 Returns the name of a fragment of a group.

 # Safety
 `uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_consolidation_plan_get_fragment_uri(tiledb_ctx_t *ctx,
                                                   tiledb_consolidation_plan_t *consolidation_plan,
                                                   uint64_t node_index,
                                                   uint64_t fragment_index,
                                                   const char **uri);

/*
 Returns a suggestion as JSON, to be freed by [`tiledb_consolidation_plan_free_json_str`].

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_consolidation_plan_dump_json_str(tiledb_ctx_t *ctx,
                                                const tiledb_consolidation_plan_t *consolidation_plan,
                                                char **out);

/*
 Frees a text of [`tiledb_consolidation_plan_dump_json_str`], and sets the program's variable to null.

 # Safety
 `out` is null or points to null or to a text of that function.
 */
int32_t tiledb_consolidation_plan_free_json_str(char **out);

/*
 Creates a context; a config of null stands for the defaults.

 # Safety
 `ctx` is null or points to a pointer.
 */
int32_t tiledb_ctx_alloc(tiledb_config_t *config, tiledb_ctx_t **ctx);

/*
 Creates a context; an error is returned as a handle.

 # Safety
 `ctx` and `error` are null or point to pointers.
 */
int32_t tiledb_ctx_alloc_with_error(tiledb_config_t *config,
                                    tiledb_ctx_t **ctx,
                                    tiledb_error_t **error);

/*
 Frees a context. What was opened with it stays usable.

 # Safety
 `ctx` is null or points to a handle.
 */
void tiledb_ctx_free(tiledb_ctx_t **ctx);

/*
 Returns a copy of the context's settings.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_ctx_get_config(tiledb_ctx_t *ctx, tiledb_config_t **config);

/*
 Returns the last error of the context; null if there was none.

 # Safety
 `err` is null or points to a pointer.
 */
int32_t tiledb_ctx_get_last_error(tiledb_ctx_t *ctx, tiledb_error_t **err);

/*
 Does nothing: queries of this library run in the thread that submits them.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_ctx_cancel_tasks(tiledb_ctx_t *ctx);

/*
 Says whether a kind of store can be reached.

 # Safety
 `is_supported` is null or points to a number.
 */
int32_t tiledb_ctx_is_supported_fs(tiledb_ctx_t *ctx,
                                   tiledb_filesystem_t fs,
                                   int32_t *is_supported);

/*
 Accepts a tag, which only TileDB's server looks at.

 # Safety
 `key` and `value` are null or texts.
 */
int32_t tiledb_ctx_set_tag(tiledb_ctx_t *ctx, const char *key, const char *value);

/*
 Returns how a URI is reached: always directly, since there is no server.

 # Safety
 `uri` is null or a text; `data_protocol` is null or points to a number.
 */
int32_t tiledb_ctx_get_data_protocol(tiledb_ctx_t *ctx,
                                     const char *uri,
                                     tiledb_data_protocol_t *data_protocol);

/*
 Returns the release of TileDB whose interface this is, since programs decide by it.

 # Safety
 The arguments are null or point to numbers.
 */
void tiledb_version(int32_t *major, int32_t *minor, int32_t *rev);

/*
 Returns a description of the build as JSON, which says that this is tdb.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_as_built_dump(tiledb_string_t **out);

/*
 Returns the number that stands for a variable number of values per cell.
 */
uint32_t tiledb_var_num(void);

/*
 Returns the longest path of a local file in bytes.
 */
uint32_t tiledb_max_path(void);

/*
 Returns the size of an offset in bytes.
 */
uint64_t tiledb_offset_size(void);

/*
 Returns the time in milliseconds since 1970.
 */
uint64_t tiledb_timestamp_now_ms(void);

/*
 Returns the name of the field of the times at which cells were written.
 */
const char *tiledb_timestamps(void);

/*
 Writes a warning to standard error, if the level of logging asks for warnings.

 # Safety
 `message` is null or a text.
 */
int32_t tiledb_log_warn(tiledb_ctx_t *ctx, const char *message);

/*
 Fails: there is no heap profiler.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_heap_profiler_enable(const char *_file_name_prefix,
                                    uint64_t _dump_interval_ms,
                                    uint64_t _dump_interval_bytes,
                                    uint64_t _dump_threshold_bytes);

/*
 Returns statistics of the context, to be freed by `tiledb_stats_free_str`.

 # Safety
 `stats_json` is null or points to a pointer.
 */
int32_t tiledb_ctx_get_stats(tiledb_ctx_t *ctx, char **stats_json);

/*
 Returns the current domain of a schema, which is empty if none was set. Schema and handle share it.

 # Safety
 `current_domain` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_current_domain(tiledb_ctx_t *ctx,
                                               tiledb_array_schema_t *array_schema,
                                               tiledb_current_domain_t **current_domain);

/*
 Sets the current domain of a schema. Schema and handle share it.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_set_current_domain(tiledb_ctx_t *ctx,
                                               tiledb_array_schema_t *array_schema,
                                               tiledb_current_domain_t *current_domain);

/*
 Creates an empty current domain.

 # Safety
 `current_domain` is null or points to a pointer.
 */
int32_t tiledb_current_domain_create(tiledb_ctx_t *ctx, tiledb_current_domain_t **current_domain);

/*
 Describes a current domain.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_current_domain_dump_str(tiledb_ctx_t *ctx,
                                       tiledb_current_domain_t *current_domain,
                                       tiledb_string_t **out);

/*
 Frees a current domain.

 # Safety
 `current_domain` is null or points to a handle.
 */
int32_t tiledb_current_domain_free(tiledb_current_domain_t **current_domain);

/*
 Says whether a current domain is empty.

 # Safety
 `is_empty` is null or points to a number.
 */
int32_t tiledb_current_domain_get_is_empty(tiledb_ctx_t *ctx,
                                           tiledb_current_domain_t *current_domain,
                                           uint32_t *is_empty);

/*
 Returns the rectangle of a current domain. Current domain and handle share it.

 # Safety
 `ndr` is null or points to a pointer.
 */
int32_t tiledb_current_domain_get_ndrectangle(tiledb_ctx_t *ctx,
                                              tiledb_current_domain_t *current_domain,
                                              tiledb_ndrectangle_t **ndr);

/*
 Returns what kind of shape a current domain is.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_current_domain_get_type(tiledb_ctx_t *ctx,
                                       tiledb_current_domain_t *current_domain,
                                       tiledb_current_domain_type_t *kind);

/*
 Sets the rectangle of an empty current domain. Current domain and handle share it.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_current_domain_set_ndrectangle(tiledb_ctx_t *ctx,
                                              tiledb_current_domain_t *current_domain,
                                              tiledb_ndrectangle_t *ndr);

/*
 Creates a rectangle over the dimensions of a domain, without ranges.

 # Safety
 `ndr` is null or points to a pointer.
 */
int32_t tiledb_ndrectangle_alloc(tiledb_ctx_t *ctx,
                                 tiledb_domain_t *domain,
                                 tiledb_ndrectangle_t **ndr);

/*
 Describes a rectangle.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_ndrectangle_dump_str(tiledb_ctx_t *ctx,
                                    tiledb_ndrectangle_t *ndr,
                                    tiledb_string_t **out);

/*
 Frees a rectangle.

 # Safety
 `ndr` is null or points to a handle.
 */
int32_t tiledb_ndrectangle_free(tiledb_ndrectangle_t **ndr);

/*
 Returns the number of dimensions.

 # Safety
 `ndim` is null or points to a number.
 */
int32_t tiledb_ndrectangle_get_dim_num(tiledb_ctx_t *ctx,
                                       tiledb_ndrectangle_t *ndr,
                                       uint32_t *ndim);

/*
 Returns the datatype of a dimension.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_ndrectangle_get_dtype(tiledb_ctx_t *ctx,
                                     tiledb_ndrectangle_t *ndr,
                                     uint32_t idx,
                                     tiledb_datatype_t *kind);

/*
 Returns the datatype of the dimension with a name.

 # Safety
 `name` is null or a text; `kind` is null or points to a number.
 */
int32_t tiledb_ndrectangle_get_dtype_from_name(tiledb_ctx_t *ctx,
                                               tiledb_ndrectangle_t *ndr,
                                               const char *name,
                                               tiledb_datatype_t *kind);

/*
 Returns the range of a dimension; without bounds if it is not set.

 # Safety
 `range` is null or points to a range. The bounds may be read until the handle is freed.
 */
int32_t tiledb_ndrectangle_get_range(tiledb_ctx_t *ctx,
                                     tiledb_ndrectangle_t *ndr,
                                     uint32_t idx,
                                     tiledb_range_t *range);

/*
 Returns the range of the dimension with a name; without bounds if it is not set.

 # Safety
 `name` is null or a text; `range` is null or points to a range. The bounds may be read until the handle is freed.
 */
int32_t tiledb_ndrectangle_get_range_from_name(tiledb_ctx_t *ctx,
                                               tiledb_ndrectangle_t *ndr,
                                               const char *name,
                                               tiledb_range_t *range);

/*
 Sets the range of a dimension.

 # Safety
 `range` is null or points to a range, whose bounds are null or point to as many bytes as it says.
 */
int32_t tiledb_ndrectangle_set_range(tiledb_ctx_t *ctx,
                                     tiledb_ndrectangle_t *ndr,
                                     uint32_t idx,
                                     tiledb_range_t *range);

/*
 Sets the range of the dimension with a name.

 # Safety
 `name` is null or a text; `range` is null or points to a range, whose bounds are null or point to as many bytes as
 it says.
 */
int32_t tiledb_ndrectangle_set_range_for_name(tiledb_ctx_t *ctx,
                                              tiledb_ndrectangle_t *ndr,
                                              const char *name,
                                              tiledb_range_t *range);

/*
 Creates a dimension: of strings, with a domain and an extent of null; or of numbers, with the first and the last
 coordinate and, if it is not null, the tile extent.

 # Safety
 `name` is null or a text; `dim_domain` and `tile_extent` are null or point to two numbers and one of the datatype;
 `dim` is null or points to a pointer.
 */
int32_t tiledb_dimension_alloc(tiledb_ctx_t *ctx,
                               const char *name,
                               tiledb_datatype_t kind,
                               const void *dim_domain,
                               const void *tile_extent,
                               tiledb_dimension_t **dim);

/*
 Describes a dimension.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_dimension_dump_str(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dimension,
                                  tiledb_string_t **out);

/*
 Frees a dimension.

 # Safety
 `dim` is null or points to a handle.
 */
void tiledb_dimension_free(tiledb_dimension_t **dim);

/*
 Returns the number of values per coordinate; 2^32 - 1 for strings.

 # Safety
 `cell_val_num` is null or points to a number.
 */
int32_t tiledb_dimension_get_cell_val_num(tiledb_ctx_t *ctx,
                                          const tiledb_dimension_t *dim,
                                          uint32_t *cell_val_num);

/*
 Returns the first and the last coordinate; null for strings.

 # Safety
 `domain` is null or points to a pointer. The coordinates may be read until the handle is freed.
 */
int32_t tiledb_dimension_get_domain(tiledb_ctx_t *ctx,
                                    const tiledb_dimension_t *dim,
                                    const void **domain);

/*
 Returns a copy of the filters.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_dimension_get_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_dimension_t *dim,
                                         tiledb_filter_list_t **filter_list);

/*
 Returns the name.

 # Safety
 `name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_dimension_get_name(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dim,
                                  const char **name);

/*
 Returns the tile extent; null if there is none.

 # Safety
 `tile_extent` is null or points to a pointer. The extent may be read until the handle is freed.
 */
int32_t tiledb_dimension_get_tile_extent(tiledb_ctx_t *ctx,
                                         const tiledb_dimension_t *dim,
                                         const void **tile_extent);

/*
 Returns the datatype.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_dimension_get_type(tiledb_ctx_t *ctx,
                                  const tiledb_dimension_t *dim,
                                  tiledb_datatype_t *kind);

/*
 Accepts the number of values that coordinates of the datatype have, and no other.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_dimension_set_cell_val_num(tiledb_ctx_t *ctx,
                                          tiledb_dimension_t *dim,
                                          uint32_t cell_val_num);

/*
 Sets the filters.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_dimension_set_filter_list(tiledb_ctx_t *ctx,
                                         tiledb_dimension_t *dim,
                                         tiledb_filter_list_t *filter_list);

/*
 Adds a label of a dimension, which is kept in the array.

 # Safety
 `name` is null or a text.
 */
int32_t tiledb_array_schema_add_dimension_label(tiledb_ctx_t *ctx,
                                                tiledb_array_schema_t *array_schema,
                                                uint32_t dim_index,
                                                const char *name,
                                                tiledb_data_order_t label_order,
                                                tiledb_datatype_t label_type);

/*
 Returns a copy of a label.

 # Safety
 `dim_label` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_dimension_label_from_index(tiledb_ctx_t *ctx,
                                                           tiledb_array_schema_t *array_schema,
                                                           uint64_t dim_label_index,
                                                           tiledb_dimension_label_t **dim_label);

/*
 Returns a copy of the label with a name.

 # Safety
 `label_name` is null or a text; `dim_label` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_dimension_label_from_name(tiledb_ctx_t *ctx,
                                                          tiledb_array_schema_t *array_schema,
                                                          const char *label_name,
                                                          tiledb_dimension_label_t **dim_label);

/*
 Returns the number of labels.

 # Safety
 `dim_label_num` is null or points to a number.
 */
int32_t tiledb_array_schema_get_dimension_label_num(tiledb_ctx_t *ctx,
                                                    tiledb_array_schema_t *array_schema,
                                                    uint64_t *dim_label_num);

/*
 Says whether there is a label with a name.

 # Safety
 `name` is null or a text; `has_dim_label` is null or points to a number.
 */
int32_t tiledb_array_schema_has_dimension_label(tiledb_ctx_t *ctx,
                                                const tiledb_array_schema_t *array_schema,
                                                const char *name,
                                                int32_t *has_dim_label);

/*
 Sets the filters of a label that was added.

 # Safety
 `label_name` is null or a text.
 */
int32_t tiledb_array_schema_set_dimension_label_filter_list(tiledb_ctx_t *ctx,
                                                            tiledb_array_schema_t *array_schema,
                                                            const char *label_name,
                                                            tiledb_filter_list_t *filter_list);

/*
 Sets the tile extent of the array of a label that was added, of the datatype of the labelled dimension.

 # Safety
 `label_name` is null or a text; `tile_extent` is null or points to a number of the datatype.
 */
int32_t tiledb_array_schema_set_dimension_label_tile_extent(tiledb_ctx_t *ctx,
                                                            tiledb_array_schema_t *array_schema,
                                                            const char *label_name,
                                                            tiledb_datatype_t kind,
                                                            const void *tile_extent);

/*
 Frees a label.

 # Safety
 `dim_label` is null or points to a handle.
 */
void tiledb_dimension_label_free(tiledb_dimension_label_t **dim_label);

/*
 Returns the index of the labelled dimension.

 # Safety
 `dim_index` is null or points to a number.
 */
int32_t tiledb_dimension_label_get_dimension_index(tiledb_ctx_t *ctx,
                                                   tiledb_dimension_label_t *dim_label,
                                                   uint32_t *dim_index);

/*
 Returns the name of the attribute that holds the labels in their array.

 # Safety
 `label_attr_name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_dimension_label_get_label_attr_name(tiledb_ctx_t *ctx,
                                                   tiledb_dimension_label_t *dim_label,
                                                   const char **label_attr_name);

/*
 Returns the number of values per label; 2^32 - 1 for strings.

 # Safety
 `label_cell_val_num` is null or points to a number.
 */
int32_t tiledb_dimension_label_get_label_cell_val_num(tiledb_ctx_t *ctx,
                                                      tiledb_dimension_label_t *dim_label,
                                                      uint32_t *label_cell_val_num);

/*
 Returns the order of the labels.

 # Safety
 `label_order` is null or points to a number.
 */
int32_t tiledb_dimension_label_get_label_order(tiledb_ctx_t *ctx,
                                               tiledb_dimension_label_t *dim_label,
                                               tiledb_data_order_t *label_order);

/*
 Returns the datatype of the labels.

 # Safety
 `label_type` is null or points to a number.
 */
int32_t tiledb_dimension_label_get_label_type(tiledb_ctx_t *ctx,
                                              tiledb_dimension_label_t *dim_label,
                                              tiledb_datatype_t *label_type);

/*
 Returns the name.

 # Safety
 `name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_dimension_label_get_name(tiledb_ctx_t *ctx,
                                        tiledb_dimension_label_t *dim_label,
                                        const char **name);

/*
 Returns the URI of the array that holds the labels: within the array if the schema is of no array yet.

 # Safety
 `uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_dimension_label_get_uri(tiledb_ctx_t *ctx,
                                       tiledb_dimension_label_t *dim_label,
                                       const char **uri);

/*
 Adds a dimension at the end. Domain and handle share it.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_domain_add_dimension(tiledb_ctx_t *ctx,
                                    tiledb_domain_t *domain,
                                    tiledb_dimension_t *dim);

/*
 Creates a domain without dimensions.

 # Safety
 `domain` is null or points to a pointer.
 */
int32_t tiledb_domain_alloc(tiledb_ctx_t *ctx, tiledb_domain_t **domain);

/*
 Describes the dimensions.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_domain_dump_str(tiledb_ctx_t *ctx,
                               const tiledb_domain_t *domain,
                               tiledb_string_t **out);

/*
 Frees a domain.

 # Safety
 `domain` is null or points to a handle.
 */
void tiledb_domain_free(tiledb_domain_t **domain);

/*
 Returns a dimension, which domain and handle share; null if there is none at all.

 # Safety
 `dim` is null or points to a pointer.
 */
int32_t tiledb_domain_get_dimension_from_index(tiledb_ctx_t *ctx,
                                               const tiledb_domain_t *domain,
                                               uint32_t index,
                                               tiledb_dimension_t **dim);

/*
 Returns the dimension with a name, which domain and handle share; null if there is none at all.

 # Safety
 `name` is null or a text; `dim` is null or points to a pointer.
 */
int32_t tiledb_domain_get_dimension_from_name(tiledb_ctx_t *ctx,
                                              const tiledb_domain_t *domain,
                                              const char *name,
                                              tiledb_dimension_t **dim);

/*
 Returns the number of dimensions.

 # Safety
 `ndim` is null or points to a number.
 */
int32_t tiledb_domain_get_ndim(tiledb_ctx_t *ctx, const tiledb_domain_t *domain, uint32_t *ndim);

/*
 Returns the datatype that all dimensions share.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_domain_get_type(tiledb_ctx_t *ctx,
                               const tiledb_domain_t *domain,
                               tiledb_datatype_t *kind);

/*
 Says whether there is a dimension with a name.

 # Safety
 `name` is null or a text; `has_dim` is null or points to a number.
 */
int32_t tiledb_domain_has_dimension(tiledb_ctx_t *ctx,
                                    const tiledb_domain_t *domain,
                                    const char *name,
                                    int32_t *has_dim);

/*
 Returns an enumeration of an open array.

 # Safety
 `name` is null or a text; `enumeration` is null or points to a pointer.
 */
int32_t tiledb_array_get_enumeration(tiledb_ctx_t *ctx,
                                     const tiledb_array_t *array,
                                     const char *name,
                                     tiledb_enumeration_t **enumeration);

/*
 Reads the enumerations of an open array's schema; else they are read when they are needed.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_load_all_enumerations(tiledb_ctx_t *ctx, const tiledb_array_t *array);

/*
 Reads the enumerations of an open array's schema. Those of older schemas are read when they are needed.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_load_enumerations_all_schemas(tiledb_ctx_t *ctx,
                                                   const tiledb_array_t *array);

/*
 Adds an enumeration to a schema, before the attributes that refer to it.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_add_enumeration(tiledb_ctx_t *ctx,
                                            tiledb_array_schema_t *array_schema,
                                            tiledb_enumeration_t *enumeration);

/*
 Returns the enumeration of an attribute of a schema; null if the attribute has none.

 # Safety
 `attribute_name` is null or a text; `enumeration` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_enumeration_from_attribute_name(tiledb_ctx_t *ctx,
                                                                tiledb_array_schema_t *array_schema,
                                                                const char *attribute_name,
                                                                tiledb_enumeration_t **enumeration);

/*
 Returns an enumeration of a schema.

 # Safety
 `enumeration_name` is null or a text; `enumeration` is null or points to a pointer.
 */
int32_t tiledb_array_schema_get_enumeration_from_name(tiledb_ctx_t *ctx,
                                                      tiledb_array_schema_t *array_schema,
                                                      const char *enumeration_name,
                                                      tiledb_enumeration_t **enumeration);

/*
 Returns the name of the enumeration that cells of an attribute refer to; null if there is none.

 # Safety
 `name` is null or points to a pointer.
 */
int32_t tiledb_attribute_get_enumeration_name(tiledb_ctx_t *ctx,
                                              tiledb_attribute_t *attr,
                                              tiledb_string_t **name);

/*
 Sets the name of the enumeration that cells of an attribute refer to.

 # Safety
 `enumeration_name` is null or a text.
 */
int32_t tiledb_attribute_set_enumeration_name(tiledb_ctx_t *ctx,
                                              tiledb_attribute_t *attr,
                                              const char *enumeration_name);

/*
 Creates an enumeration. The values lie back to back; offsets of eight bytes say where each begins if their sizes
 vary.

 # Safety
 `name` is null or a text; `data` and `offsets` are null or point to `data_size` and `offsets_size` bytes;
 `enumeration` is null or points to a pointer.
 */
int32_t tiledb_enumeration_alloc(tiledb_ctx_t *ctx,
                                 const char *name,
                                 tiledb_datatype_t kind,
                                 uint32_t cell_val_num,
                                 int ordered,
                                 const void *data,
                                 uint64_t data_size,
                                 const void *offsets,
                                 uint64_t offsets_size,
                                 tiledb_enumeration_t **enumeration);

/*
 Describes an enumeration.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_enumeration_dump_str(tiledb_ctx_t *ctx,
                                    tiledb_enumeration_t *enumeration,
                                    tiledb_string_t **out);

/*
 Creates an enumeration with the values of another one, and more after them.

 # Safety
 `data` and `offsets` are null or point to `data_size` and `offsets_size` bytes; `new_enumeration` is null or points
 to a pointer.
 */
int32_t tiledb_enumeration_extend(tiledb_ctx_t *ctx,
                                  tiledb_enumeration_t *old_enumeration,
                                  const void *data,
                                  uint64_t data_size,
                                  const void *offsets,
                                  uint64_t offsets_size,
                                  tiledb_enumeration_t **new_enumeration);

/*
 Frees an enumeration.

 # Safety
 `enumeration` is null or points to a handle.
 */
void tiledb_enumeration_free(tiledb_enumeration_t **enumeration);

/*
 Returns the number of values of the datatype per value; 2^32 - 1 if it varies.

 # Safety
 `cell_val_num` is null or points to a number.
 */
int32_t tiledb_enumeration_get_cell_val_num(tiledb_ctx_t *ctx,
                                            tiledb_enumeration_t *enumeration,
                                            uint32_t *cell_val_num);

/*
 Returns all values, back to back.

 # Safety
 `data` and `data_size` are null or point to variables. The values may be read until the handle is freed.
 */
int32_t tiledb_enumeration_get_data(tiledb_ctx_t *ctx,
                                    tiledb_enumeration_t *enumeration,
                                    const void **data,
                                    uint64_t *data_size);

/*
 Returns the name.

 # Safety
 `name` is null or points to a pointer.
 */
int32_t tiledb_enumeration_get_name(tiledb_ctx_t *ctx,
                                    tiledb_enumeration_t *enumeration,
                                    tiledb_string_t **name);

/*
 Returns where each value begins; no offsets if all values have one size.

 # Safety
 `offsets` and `offsets_size` are null or point to variables. The offsets may be read until the handle is freed.
 */
int32_t tiledb_enumeration_get_offsets(tiledb_ctx_t *ctx,
                                       tiledb_enumeration_t *enumeration,
                                       const void **offsets,
                                       uint64_t *offsets_size);

/*
 Says whether the order of the values has a meaning.

 # Safety
 `ordered` is null or points to a number.
 */
int32_t tiledb_enumeration_get_ordered(tiledb_ctx_t *ctx,
                                       tiledb_enumeration_t *enumeration,
                                       int *ordered);

/*
 Returns the datatype of the values.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_enumeration_get_type(tiledb_ctx_t *ctx,
                                    tiledb_enumeration_t *enumeration,
                                    tiledb_datatype_t *kind);

/*
 Finds a value: whether it exists, and its number, which is 2^64 - 1 if it does not.

 # Safety
 `value` is null or points to `value_size` bytes; `exist` and `index` are null or point to numbers.
 */
int32_t tiledb_enumeration_get_value_index(tiledb_ctx_t *ctx,
                                           tiledb_enumeration_t *enumeration,
                                           const void *value,
                                           uint64_t value_size,
                                           int *exist,
                                           uint64_t *index);

/*
 Returns the message of an error.

 # Safety
 `errmsg` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_error_message(tiledb_error_t *err, const char **errmsg);

/*
 Frees an error.

 # Safety
 `err` is null or points to a handle.
 */
void tiledb_error_free(tiledb_error_t **err);

/*
 Returns the status that a return code stands for, which is the code.
 */
int32_t tiledb_status_code(int32_t x);

/*
 Changes the schema of an array by the steps that were collected.

 # Safety
 `array_uri` is null or a text.
 */
int32_t tiledb_array_evolve(tiledb_ctx_t *ctx,
                            const char *array_uri,
                            tiledb_array_schema_evolution_t *array_schema_evolution);

/*
 Adds a copy of an attribute.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_evolution_add_attribute(tiledb_ctx_t *ctx,
                                                    tiledb_array_schema_evolution_t *array_schema_evolution,
                                                    tiledb_attribute_t *attribute);

/*
 Adds an enumeration.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_evolution_add_enumeration(tiledb_ctx_t *ctx,
                                                      tiledb_array_schema_evolution_t *array_schema_evolution,
                                                      tiledb_enumeration_t *enumeration);

/*
 Begins to collect steps.

 # Safety
 `array_schema_evolution` is null or points to a pointer.
 */
int32_t tiledb_array_schema_evolution_alloc(tiledb_ctx_t *ctx,
                                            tiledb_array_schema_evolution_t **array_schema_evolution);

/*
 Drops an attribute.

 # Safety
 `attribute_name` is null or a text.
 */
int32_t tiledb_array_schema_evolution_drop_attribute(tiledb_ctx_t *ctx,
                                                     tiledb_array_schema_evolution_t *array_schema_evolution,
                                                     const char *attribute_name);

/*
 Drops an enumeration.

 # Safety
 `enumeration_name` is null or a text.
 */
int32_t tiledb_array_schema_evolution_drop_enumeration(tiledb_ctx_t *ctx,
                                                       tiledb_array_schema_evolution_t *array_schema_evolution,
                                                       const char *enumeration_name);

/*
 Sets the current domain, which must contain the present one.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_evolution_expand_current_domain(tiledb_ctx_t *ctx,
                                                            tiledb_array_schema_evolution_t *array_schema_evolution,
                                                            tiledb_current_domain_t *expanded_domain);

/*
 Replaces an enumeration by one that has the same values, and more after them.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_evolution_extend_enumeration(tiledb_ctx_t *ctx,
                                                         tiledb_array_schema_evolution_t *array_schema_evolution,
                                                         tiledb_enumeration_t *enumeration);

/*
 Frees the steps.

 # Safety
 `array_schema_evolution` is null or points to a handle.
 */
void tiledb_array_schema_evolution_free(tiledb_array_schema_evolution_t **array_schema_evolution);

/*
 Sets the time of the change, in milliseconds since 1970: both ends are the same.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_array_schema_evolution_set_timestamp_range(tiledb_ctx_t *ctx,
                                                          tiledb_array_schema_evolution_t *array_schema_evolution,
                                                          uint64_t lo,
                                                          uint64_t hi);

/*
 Stores the schema of an array of an older version anew in the version that is written now.

 # Safety
 `array_uri` is null or a text.
 */
int32_t tiledb_array_upgrade_version(tiledb_ctx_t *ctx,
                                     const char *array_uri,
                                     tiledb_config_t *config);

/*
 Creates the schema of an array for a file, which may be null: then for one of any size.

 # Safety
 `uri` is null or a text; `array_schema` is null or points to a pointer.
 */
int32_t tiledb_filestore_schema_create(tiledb_ctx_t *ctx,
                                       const char *uri,
                                       tiledb_array_schema_t **array_schema);

/*
 Stores a file in an array.

 # Safety
 `filestore_array_uri` and `file_uri` are null or texts.
 */
int32_t tiledb_filestore_uri_import(tiledb_ctx_t *ctx,
                                    const char *filestore_array_uri,
                                    const char *file_uri,
                                    tiledb_mime_type_t mime_type);

/*
 Writes the file that an array has.

 # Safety
 `file_uri` and `filestore_array_uri` are null or texts.
 */
int32_t tiledb_filestore_uri_export(tiledb_ctx_t *ctx,
                                    const char *file_uri,
                                    const char *filestore_array_uri);

/*
 Stores bytes as a file in an array.

 # Safety
 `filestore_array_uri` is null or a text; `buf` is null or points to `size` bytes.
 */
int32_t tiledb_filestore_buffer_import(tiledb_ctx_t *ctx,
                                       const char *filestore_array_uri,
                                       void *buf,
                                       size_t size,
                                       tiledb_mime_type_t mime_type);

/*
 Reads a part of the file that an array has.

 # Safety
 `filestore_array_uri` is null or a text; `buf` is null or has room for `size` bytes.
 */
int32_t tiledb_filestore_buffer_export(tiledb_ctx_t *ctx,
                                       const char *filestore_array_uri,
                                       size_t offset,
                                       void *buf,
                                       size_t size);

/*
 Returns the size in bytes of the file that an array has.

 # Safety
 `filestore_array_uri` is null or a text; `size` is null or points to a number.
 */
int32_t tiledb_filestore_size(tiledb_ctx_t *ctx, const char *filestore_array_uri, size_t *size);

/*
 Creates a filter.

 # Safety
 `filter` is null or points to a pointer.
 */
int32_t tiledb_filter_alloc(tiledb_ctx_t *ctx, tiledb_filter_type_t kind, tiledb_filter_t **filter);

/*
 Frees a filter.

 # Safety
 `filter` is null or points to a handle.
 */
void tiledb_filter_free(tiledb_filter_t **filter);

/*
 Returns an option of a filter.

 # Safety
 `value` is null or points to memory for a value of the option's type.
 */
int32_t tiledb_filter_get_option(tiledb_ctx_t *ctx,
                                 tiledb_filter_t *filter,
                                 tiledb_filter_option_t option,
                                 void *value);

/*
 Returns the type of a filter.

 # Safety
 `kind` is null or points to a number.
 */
int32_t tiledb_filter_get_type(tiledb_ctx_t *ctx,
                               tiledb_filter_t *filter,
                               tiledb_filter_type_t *kind);

/*
 Sets an option of a filter.

 # Safety
 `value` is null or points to a value of the option's type.
 */
int32_t tiledb_filter_set_option(tiledb_ctx_t *ctx,
                                 tiledb_filter_t *filter,
                                 tiledb_filter_option_t option,
                                 const void *value);

/*
 Adds a copy of a filter at the end of a list.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_filter_list_add_filter(tiledb_ctx_t *ctx,
                                      tiledb_filter_list_t *filter_list,
                                      tiledb_filter_t *filter);

/*
 Creates a list without filters.

 # Safety
 `filter_list` is null or points to a pointer.
 */
int32_t tiledb_filter_list_alloc(tiledb_ctx_t *ctx, tiledb_filter_list_t **filter_list);

/*
 Frees a list.

 # Safety
 `filter_list` is null or points to a handle.
 */
void tiledb_filter_list_free(tiledb_filter_list_t **filter_list);

/*
 Returns a copy of a filter of a list.

 # Safety
 `filter` is null or points to a pointer.
 */
int32_t tiledb_filter_list_get_filter_from_index(tiledb_ctx_t *ctx,
                                                 const tiledb_filter_list_t *filter_list,
                                                 uint32_t index,
                                                 tiledb_filter_t **filter);

/*
 Returns the largest number of bytes that filters take at once.

 # Safety
 `max_chunk_size` is null or points to a number.
 */
int32_t tiledb_filter_list_get_max_chunk_size(tiledb_ctx_t *ctx,
                                              const tiledb_filter_list_t *filter_list,
                                              uint32_t *max_chunk_size);

/*
 Returns the number of filters of a list.

 # Safety
 `nfilters` is null or points to a number.
 */
int32_t tiledb_filter_list_get_nfilters(tiledb_ctx_t *ctx,
                                        const tiledb_filter_list_t *filter_list,
                                        uint32_t *nfilters);

/*
 Sets the largest number of bytes that filters take at once.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_filter_list_set_max_chunk_size(tiledb_ctx_t *ctx,
                                              tiledb_filter_list_t *filter_list,
                                              uint32_t max_chunk_size);

/*
 Creates facts of the fragments of an array, which are not loaded yet.

 # Safety
 `array_uri` is null or a text; `fragment_info` is null or points to a pointer.
 */
int32_t tiledb_fragment_info_alloc(tiledb_ctx_t *ctx,
                                   const char *array_uri,
                                   tiledb_fragment_info_t **fragment_info);

/*
 Frees facts.

 # Safety
 `fragment_info` is null or points to a handle.
 */
void tiledb_fragment_info_free(tiledb_fragment_info_t **fragment_info);

/*
 Sets settings, such as a key, before the facts are loaded.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_fragment_info_set_config(tiledb_ctx_t *ctx,
                                        tiledb_fragment_info_t *fragment_info,
                                        tiledb_config_t *config);

/*
 Returns a copy of the settings.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_fragment_info_get_config(tiledb_ctx_t *ctx,
                                        tiledb_fragment_info_t *fragment_info,
                                        tiledb_config_t **config);

/*
 Reads the facts as they are now.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_fragment_info_load(tiledb_ctx_t *ctx, tiledb_fragment_info_t *fragment_info);

/*
 Returns the number of fragments.

 # Safety
 `fragment_num` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_fragment_num(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              uint32_t *fragment_num);

/*
 Returns the number of cells of a fragment; in a dense one, of its tiles.

 # Safety
 `cell_num` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_cell_num(tiledb_ctx_t *ctx,
                                          tiledb_fragment_info_t *fragment_info,
                                          uint32_t fid,
                                          uint64_t *cell_num);

/*
 Returns the number of cells of all fragments together.

 # Safety
 `count` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_total_cell_num(tiledb_ctx_t *ctx,
                                                tiledb_fragment_info_t *fragment_info,
                                                uint64_t *count);

/*
 Returns the size of a fragment in bytes.

 # Safety
 `size` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_fragment_size(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t fid,
                                               uint64_t *size);

/*
 Says whether a fragment is dense.

 # Safety
 `dense` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_dense(tiledb_ctx_t *ctx,
                                       tiledb_fragment_info_t *fragment_info,
                                       uint32_t fid,
                                       int32_t *dense);

/*
 Says whether a fragment is sparse.

 # Safety
 `sparse` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_sparse(tiledb_ctx_t *ctx,
                                        tiledb_fragment_info_t *fragment_info,
                                        uint32_t fid,
                                        int32_t *sparse);

/*
 Returns the format version of a fragment.

 # Safety
 `version` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_version(tiledb_ctx_t *ctx,
                                         tiledb_fragment_info_t *fragment_info,
                                         uint32_t fid,
                                         uint32_t *version);

/*
 Says whether the footer of a fragment was read from an object with many footers.

 # Safety
 `has` is null or points to a number.
 */
int32_t tiledb_fragment_info_has_consolidated_metadata(tiledb_ctx_t *ctx,
                                                       tiledb_fragment_info_t *fragment_info,
                                                       uint32_t fid,
                                                       int32_t *has);

/*
 Returns the number of fragments whose footers are in no object with many footers.

 # Safety
 `unconsolidated` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_unconsolidated_metadata_num(tiledb_ctx_t *ctx,
                                                             tiledb_fragment_info_t *fragment_info,
                                                             uint32_t *unconsolidated);

/*
 Returns the number of fragments that a merge has replaced.

 # Safety
 `to_vacuum_num` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_to_vacuum_num(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t *to_vacuum_num);

/*
 Returns the first and the last time of the cells of a fragment.

 # Safety
 `start` and `end` are null or point to numbers.
 */
int32_t tiledb_fragment_info_get_timestamp_range(tiledb_ctx_t *ctx,
                                                 tiledb_fragment_info_t *fragment_info,
                                                 uint32_t fid,
                                                 uint64_t *start,
                                                 uint64_t *end);

/*
 Returns the whole URI of a fragment.

 # Safety
 `uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_fragment_info_get_fragment_uri(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              uint32_t fid,
                                              const char **uri);

/*
 Returns the whole URI of a fragment that a merge has replaced.

 # Safety
 `uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_fragment_info_get_to_vacuum_uri(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t fid,
                                               const char **uri);

/*
 Returns the name of the schema with which a fragment was written.

 # Safety
 `schema_name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_fragment_info_get_array_schema_name(tiledb_ctx_t *ctx,
                                                   tiledb_fragment_info_t *fragment_info,
                                                   uint32_t fid,
                                                   const char **schema_name);

/*
 Returns the name of a fragment.

 # Safety
 `name` is null or points to a pointer.
 */
int32_t tiledb_fragment_info_get_fragment_name_v2(tiledb_ctx_t *ctx,
                                                  tiledb_fragment_info_t *fragment_info,
                                                  uint32_t fid,
                                                  tiledb_string_t **name);

/*
 Returns the schema with which a fragment was written.

 # Safety
 `array_schema` is null or points to a pointer.
 */
int32_t tiledb_fragment_info_get_array_schema(tiledb_ctx_t *ctx,
                                              tiledb_fragment_info_t *fragment_info,
                                              uint32_t fid,
                                              tiledb_array_schema_t **array_schema);

/*
 Returns the number of boxes of tiles of a fragment; 0 for a dense one.

 # Safety
 `mbr_num` is null or points to a number.
 */
int32_t tiledb_fragment_info_get_mbr_num(tiledb_ctx_t *ctx,
                                         tiledb_fragment_info_t *fragment_info,
                                         uint32_t fid,
                                         uint64_t *mbr_num);

/*
 Returns the facts as text, in TileDB's layout.

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_fragment_info_dump_str(tiledb_ctx_t *ctx,
                                      const tiledb_fragment_info_t *fragment_info,
                                      tiledb_string_t **out);

/*
 Writes the facts as text to a file of C; null stands for standard output.

 # Safety
 `out` is null or an open file.
 */
int32_t tiledb_fragment_info_dump(tiledb_ctx_t *ctx,
                                  const tiledb_fragment_info_t *fragment_info,
                                  FILE *out);

/*
 Returns both ends of a dimension, by its number, in the box of a fragment.

 # Safety
 `domain` is null or has room for two values.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_from_index(tiledb_ctx_t *ctx,
                                                             tiledb_fragment_info_t *fragment_info,
                                                             uint32_t fid,
                                                             uint32_t did,
                                                             void *domain);

/*
 Returns the sizes in bytes of both ends of a dimension of text, by its number, in the box of a fragment.

 # Safety
 `start_size` and `end_size` are null or point to numbers.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_var_size_from_index(tiledb_ctx_t *ctx,
                                                                      tiledb_fragment_info_t *fragment_info,
                                                                      uint32_t fid,
                                                                      uint32_t did,
                                                                      uint64_t *start_size,
                                                                      uint64_t *end_size);

/*
 Returns both ends of a dimension of text, by its number, in the box of a fragment.

 # Safety
 `start` and `end` are null or have room for the ends.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_var_from_index(tiledb_ctx_t *ctx,
                                                                 tiledb_fragment_info_t *fragment_info,
                                                                 uint32_t fid,
                                                                 uint32_t did,
                                                                 void *start,
                                                                 void *end);

/*
 Returns both ends of a dimension, by its name, in the box of a fragment.

 # Safety
 `domain` is null or has room for two values. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_from_name(tiledb_ctx_t *ctx,
                                                            tiledb_fragment_info_t *fragment_info,
                                                            uint32_t fid,
                                                            const char *dim_name,
                                                            void *domain);

/*
 Returns the sizes in bytes of both ends of a dimension of text, by its name, in the box of a fragment.

 # Safety
 `start_size` and `end_size` are null or point to numbers. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_var_size_from_name(tiledb_ctx_t *ctx,
                                                                     tiledb_fragment_info_t *fragment_info,
                                                                     uint32_t fid,
                                                                     const char *dim_name,
                                                                     uint64_t *start_size,
                                                                     uint64_t *end_size);

/*
 Returns both ends of a dimension of text, by its name, in the box of a fragment.

 # Safety
 `start` and `end` are null or have room for the ends. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_non_empty_domain_var_from_name(tiledb_ctx_t *ctx,
                                                                tiledb_fragment_info_t *fragment_info,
                                                                uint32_t fid,
                                                                const char *dim_name,
                                                                void *start,
                                                                void *end);

/*
 Returns both ends of a dimension, by its number, in the box of a tile of a sparse fragment.

 # Safety
 `mbr` is null or has room for two values.
 */
int32_t tiledb_fragment_info_get_mbr_from_index(tiledb_ctx_t *ctx,
                                                tiledb_fragment_info_t *fragment_info,
                                                uint32_t fid,
                                                uint32_t mid,
                                                uint32_t did,
                                                void *mbr);

/*
 Returns the sizes in bytes of both ends of a dimension of text, by its number, in the box of a tile of a sparse fragment.

 # Safety
 `start_size` and `end_size` are null or point to numbers.
 */
int32_t tiledb_fragment_info_get_mbr_var_size_from_index(tiledb_ctx_t *ctx,
                                                         tiledb_fragment_info_t *fragment_info,
                                                         uint32_t fid,
                                                         uint32_t mid,
                                                         uint32_t did,
                                                         uint64_t *start_size,
                                                         uint64_t *end_size);

/*
 Returns both ends of a dimension of text, by its number, in the box of a tile of a sparse fragment.

 # Safety
 `start` and `end` are null or have room for the ends.
 */
int32_t tiledb_fragment_info_get_mbr_var_from_index(tiledb_ctx_t *ctx,
                                                    tiledb_fragment_info_t *fragment_info,
                                                    uint32_t fid,
                                                    uint32_t mid,
                                                    uint32_t did,
                                                    void *start,
                                                    void *end);

/*
 Returns both ends of a dimension, by its name, in the box of a tile of a sparse fragment.

 # Safety
 `mbr` is null or has room for two values. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_mbr_from_name(tiledb_ctx_t *ctx,
                                               tiledb_fragment_info_t *fragment_info,
                                               uint32_t fid,
                                               uint32_t mid,
                                               const char *dim_name,
                                               void *mbr);

/*
 Returns the sizes in bytes of both ends of a dimension of text, by its name, in the box of a tile of a sparse fragment.

 # Safety
 `start_size` and `end_size` are null or point to numbers. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_mbr_var_size_from_name(tiledb_ctx_t *ctx,
                                                        tiledb_fragment_info_t *fragment_info,
                                                        uint32_t fid,
                                                        uint32_t mid,
                                                        const char *dim_name,
                                                        uint64_t *start_size,
                                                        uint64_t *end_size);

/*
 Returns both ends of a dimension of text, by its name, in the box of a tile of a sparse fragment.

 # Safety
 `start` and `end` are null or have room for the ends. `dim_name` is null or a text.
 */
int32_t tiledb_fragment_info_get_mbr_var_from_name(tiledb_ctx_t *ctx,
                                                   tiledb_fragment_info_t *fragment_info,
                                                   uint32_t fid,
                                                   uint32_t mid,
                                                   const char *dim_name,
                                                   void *start,
                                                   void *end);

/*
 Creates a group in its store, without members.

 # Safety
 `group_uri` is null or a text.
 */
int32_t tiledb_group_create(tiledb_ctx_t *ctx, const char *group_uri);

/*
 Creates a handle of a group, which is not open yet.

 # Safety
 `group_uri` is null or a text; `group` is null or points to a pointer.
 */
int32_t tiledb_group_alloc(tiledb_ctx_t *ctx, const char *group_uri, tiledb_group_t **group);

/*
 Frees a group. What was changed and not closed is lost.

 # Safety
 `group` is null or points to a handle.
 */
void tiledb_group_free(tiledb_group_t **group);

/*
 Opens a group to read or to change it, at the times that its settings give.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_group_open(tiledb_ctx_t *ctx, tiledb_group_t *group, tiledb_query_type_t query_type);

/*
 Closes a group, and stores changes of its members and metadata.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_group_close(tiledb_ctx_t *ctx, tiledb_group_t *group);

/*
 Says whether a group is open.

 # Safety
 `is_open` is null or points to a number.
 */
int32_t tiledb_group_is_open(tiledb_ctx_t *ctx, tiledb_group_t *group, int32_t *is_open);

/*
 Returns what a group was opened for.

 # Safety
 `query_type` is null or points to a number.
 */
int32_t tiledb_group_get_query_type(tiledb_ctx_t *ctx,
                                    tiledb_group_t *group,
                                    tiledb_query_type_t *query_type);

/*
 Returns the whole URI of a group.

 # Safety
 `group_uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_group_get_uri(tiledb_ctx_t *ctx, tiledb_group_t *group, const char **group_uri);

/*
 Sets settings of a group that is not open.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_group_set_config(tiledb_ctx_t *ctx, tiledb_group_t *group, tiledb_config_t *config);

/*
 Returns a copy of the settings of a group.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_group_get_config(tiledb_ctx_t *ctx, tiledb_group_t *group, tiledb_config_t **config);

/*
 Removes a group from its store, with its members if `recursive` is not 0. The group is closed.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_group_delete_group(tiledb_ctx_t *ctx,
                                  tiledb_group_t *group,
                                  const char *uri,
                                  uint8_t recursive);

/*
 Adds an array or a group as a member, when the group is closed.

 # Safety
 `uri` and `name` are null or texts.
 */
int32_t tiledb_group_add_member(tiledb_ctx_t *ctx,
                                tiledb_group_t *group,
                                const char *uri,
                                uint8_t relative,
                                const char *name);

/*
 As [`tiledb_group_add_member`], without looking what the member is.

 # Safety
 `uri` and `name` are null or texts.
 */
int32_t tiledb_group_add_member_with_type(tiledb_ctx_t *ctx,
                                          tiledb_group_t *group,
                                          const char *uri,
                                          uint8_t relative,
                                          const char *name,
                                          tiledb_object_t kind);

/*
 Removes a member by its name or URI, when the group is closed.

 # Safety
 `name_or_uri` is null or a text.
 */
int32_t tiledb_group_remove_member(tiledb_ctx_t *ctx,
                                   tiledb_group_t *group,
                                   const char *name_or_uri);

/*
 Returns the number of members.

 # Safety
 `count` is null or points to a number.
 */
int32_t tiledb_group_get_member_count(tiledb_ctx_t *ctx, tiledb_group_t *group, uint64_t *count);

/*
 Returns a member by its number, from 0. The name is null if it has none.

 # Safety
 `uri`, `kind` and `name` are null or point to variables.
 */
int32_t tiledb_group_get_member_by_index_v2(tiledb_ctx_t *ctx,
                                            tiledb_group_t *group,
                                            uint64_t index,
                                            tiledb_string_t **uri,
                                            tiledb_object_t *kind,
                                            tiledb_string_t **name);

/*
 Returns a member by its name.

 # Safety
 `name` is null or a text; `uri` and `kind` are null or point to variables.
 */
int32_t tiledb_group_get_member_by_name_v2(tiledb_ctx_t *ctx,
                                           tiledb_group_t *group,
                                           const char *name,
                                           tiledb_string_t **uri,
                                           tiledb_object_t *kind);

/*
 Says whether the URI of a member is relative to the group.

 # Safety
 `name` is null or a text; `relative` is null or points to a number.
 */
int32_t tiledb_group_get_is_relative_uri_by_name(tiledb_ctx_t *ctx,
                                                 tiledb_group_t *group,
                                                 const char *name,
                                                 uint8_t *relative);

/*
 Returns the group and its members as text; with `recursive` those of the groups in it, too.

 # Safety
 `dump_ascii` is null or points to a pointer.
 */
int32_t tiledb_group_dump_str_v2(tiledb_ctx_t *ctx,
                                 tiledb_group_t *group,
                                 tiledb_string_t **dump_ascii,
                                 uint8_t recursive);

/*
 Sets a value of the metadata; it is stored when the group is closed.

 # Safety
 `key` is null or a text; `value` is null or points to `value_num` elements.
 */
int32_t tiledb_group_put_metadata(tiledb_ctx_t *ctx,
                                  tiledb_group_t *group,
                                  const char *key,
                                  tiledb_datatype_t value_type,
                                  uint32_t value_num,
                                  const void *value);

/*
 Removes a key of the metadata when the group is closed.

 # Safety
 `key` is null or a text.
 */
int32_t tiledb_group_delete_metadata(tiledb_ctx_t *ctx, tiledb_group_t *group, const char *key);

/*
 Returns the value of a key; a null pointer if there is no such key.

 # Safety
 `key` is null or a text, the last three arguments are null or point to variables. The value may be read until the
 handle is freed.
 */
int32_t tiledb_group_get_metadata(tiledb_ctx_t *ctx,
                                  tiledb_group_t *group,
                                  const char *key,
                                  tiledb_datatype_t *value_type,
                                  uint32_t *value_num,
                                  const void **value);

/*
 Returns the number of keys.

 # Safety
 `num` is null or points to a number.
 */
int32_t tiledb_group_get_metadata_num(tiledb_ctx_t *ctx, tiledb_group_t *group, uint64_t *num);

/*
 Returns a key and its value by its number, in the order of keys.

 # Safety
 The last five arguments are null or point to variables. Key and value may be read until the handle is freed.
 */
int32_t tiledb_group_get_metadata_from_index(tiledb_ctx_t *ctx,
                                             tiledb_group_t *group,
                                             uint64_t index,
                                             const char **key,
                                             uint32_t *key_len,
                                             tiledb_datatype_t *value_type,
                                             uint32_t *value_num,
                                             const void **value);

/*
 Says whether there is a key, and the datatype of its value.

 # Safety
 `key` is null or a text; the last two arguments are null or point to numbers.
 */
int32_t tiledb_group_has_metadata_key(tiledb_ctx_t *ctx,
                                      tiledb_group_t *group,
                                      const char *key,
                                      tiledb_datatype_t *value_type,
                                      int32_t *has_key);

/*
 Removes metadata that a consolidation has replaced.

 # Safety
 `group_uri` is null or a text.
 */
int32_t tiledb_group_vacuum_metadata(tiledb_ctx_t *ctx,
                                     const char *group_uri,
                                     tiledb_config_t *config);

/*
 Sets a value; it is stored when the array is closed.

 # Safety
 `key` is null or a text; `value` is null or points to `value_num` elements.
 */
int32_t tiledb_array_put_metadata(tiledb_ctx_t *ctx,
                                  tiledb_array_t *array,
                                  const char *key,
                                  tiledb_datatype_t value_type,
                                  uint32_t value_num,
                                  const void *value);

/*
 Removes a key when the array is closed.

 # Safety
 `key` is null or a text.
 */
int32_t tiledb_array_delete_metadata(tiledb_ctx_t *ctx, tiledb_array_t *array, const char *key);

/*
 Returns the value of a key; a null pointer if there is no such key.

 # Safety
 `key` is null or a text, the last three arguments are null or point to variables. The value may be read until the
 array's handle is freed.
 */
int32_t tiledb_array_get_metadata(tiledb_ctx_t *ctx,
                                  tiledb_array_t *array,
                                  const char *key,
                                  tiledb_datatype_t *value_type,
                                  uint32_t *value_num,
                                  const void **value);

/*
 Returns the number of keys.

 # Safety
 `num` is null or points to a number.
 */
int32_t tiledb_array_get_metadata_num(tiledb_ctx_t *ctx, tiledb_array_t *array, uint64_t *num);

/*
 Returns a key and its value by its number, in the order of keys.

 # Safety
 The last five arguments are null or point to variables. Key and value may be read until the array's handle is
 freed.
 */
int32_t tiledb_array_get_metadata_from_index(tiledb_ctx_t *ctx,
                                             tiledb_array_t *array,
                                             uint64_t index,
                                             const char **key,
                                             uint32_t *key_len,
                                             tiledb_datatype_t *value_type,
                                             uint32_t *value_num,
                                             const void **value);

/*
 Says whether there is a key, and the datatype of its value.

 # Safety
 `key` is null or a text; the last two arguments are null or point to numbers.
 */
int32_t tiledb_array_has_metadata_key(tiledb_ctx_t *ctx,
                                      tiledb_array_t *array,
                                      const char *key,
                                      tiledb_datatype_t *value_type,
                                      int32_t *has_key);

/*
 Returns the name of a constant of [`tiledb_array_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_array_type_to_str(tiledb_array_type_t array_type, const char **str);

/*
 Returns the constant of [`tiledb_array_type_t`] with this name.

 # Safety
 `str` is null or a text; `array_type` is null or points to a number.
 */
int32_t tiledb_array_type_from_str(const char *str, tiledb_array_type_t *array_type);

/*
 Returns the name of a constant of [`tiledb_data_order_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_data_order_to_str(tiledb_data_order_t data_order, const char **str);

/*
 Returns the constant of [`tiledb_data_order_t`] with this name.

 # Safety
 `str` is null or a text; `data_order` is null or points to a number.
 */
int32_t tiledb_data_order_from_str(const char *str, tiledb_data_order_t *data_order);

/*
 Returns the name of a constant of [`tiledb_datatype_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_datatype_to_str(tiledb_datatype_t datatype, const char **str);

/*
 Returns the constant of [`tiledb_datatype_t`] with this name.

 # Safety
 `str` is null or a text; `datatype` is null or points to a number.
 */
int32_t tiledb_datatype_from_str(const char *str, tiledb_datatype_t *datatype);

/*
 Returns the name of a constant of [`tiledb_encryption_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_encryption_type_to_str(tiledb_encryption_type_t encryption_type, const char **str);

/*
 Returns the constant of [`tiledb_encryption_type_t`] with this name.

 # Safety
 `str` is null or a text; `encryption_type` is null or points to a number.
 */
int32_t tiledb_encryption_type_from_str(const char *str, tiledb_encryption_type_t *encryption_type);

/*
 Returns the name of a constant of [`tiledb_filesystem_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_filesystem_to_str(tiledb_filesystem_t filesystem, const char **str);

/*
 Returns the constant of [`tiledb_filesystem_t`] with this name.

 # Safety
 `str` is null or a text; `filesystem` is null or points to a number.
 */
int32_t tiledb_filesystem_from_str(const char *str, tiledb_filesystem_t *filesystem);

/*
 Returns the name of a constant of [`tiledb_filter_option_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_filter_option_to_str(tiledb_filter_option_t filter_option, const char **str);

/*
 Returns the constant of [`tiledb_filter_option_t`] with this name.

 # Safety
 `str` is null or a text; `filter_option` is null or points to a number.
 */
int32_t tiledb_filter_option_from_str(const char *str, tiledb_filter_option_t *filter_option);

/*
 Returns the name of a constant of [`tiledb_filter_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_filter_type_to_str(tiledb_filter_type_t filter_type, const char **str);

/*
 Returns the constant of [`tiledb_filter_type_t`] with this name.

 # Safety
 `str` is null or a text; `filter_type` is null or points to a number.
 */
int32_t tiledb_filter_type_from_str(const char *str, tiledb_filter_type_t *filter_type);

/*
 Returns the name of a constant of [`tiledb_layout_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_layout_to_str(tiledb_layout_t layout, const char **str);

/*
 Returns the constant of [`tiledb_layout_t`] with this name.

 # Safety
 `str` is null or a text; `layout` is null or points to a number.
 */
int32_t tiledb_layout_from_str(const char *str, tiledb_layout_t *layout);

/*
 Returns the name of a constant of [`tiledb_mime_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_mime_type_to_str(tiledb_mime_type_t mime_type, const char **str);

/*
 Returns the constant of [`tiledb_mime_type_t`] with this name.

 # Safety
 `str` is null or a text; `mime_type` is null or points to a number.
 */
int32_t tiledb_mime_type_from_str(const char *str, tiledb_mime_type_t *mime_type);

/*
 Returns the name of a constant of [`tiledb_object_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_object_type_to_str(tiledb_object_t object_type, const char **str);

/*
 Returns the constant of [`tiledb_object_t`] with this name.

 # Safety
 `str` is null or a text; `object_type` is null or points to a number.
 */
int32_t tiledb_object_type_from_str(const char *str, tiledb_object_t *object_type);

/*
 Returns the name of a constant of [`tiledb_query_status_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_query_status_to_str(tiledb_query_status_t query_status, const char **str);

/*
 Returns the constant of [`tiledb_query_status_t`] with this name.

 # Safety
 `str` is null or a text; `query_status` is null or points to a number.
 */
int32_t tiledb_query_status_from_str(const char *str, tiledb_query_status_t *query_status);

/*
 Returns the name of a constant of [`tiledb_query_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_query_type_to_str(tiledb_query_type_t query_type, const char **str);

/*
 Returns the constant of [`tiledb_query_type_t`] with this name.

 # Safety
 `str` is null or a text; `query_type` is null or points to a number.
 */
int32_t tiledb_query_type_from_str(const char *str, tiledb_query_type_t *query_type);

/*
 Returns the name of a constant of [`tiledb_serialization_type_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_serialization_type_to_str(tiledb_serialization_type_t serialization_type,
                                         const char **str);

/*
 Returns the constant of [`tiledb_serialization_type_t`] with this name.

 # Safety
 `str` is null or a text; `serialization_type` is null or points to a number.
 */
int32_t tiledb_serialization_type_from_str(const char *str,
                                           tiledb_serialization_type_t *serialization_type);

/*
 Returns the name of a constant of [`tiledb_vfs_mode_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_vfs_mode_to_str(tiledb_vfs_mode_t vfs_mode, const char **str);

/*
 Returns the constant of [`tiledb_vfs_mode_t`] with this name.

 # Safety
 `str` is null or a text; `vfs_mode` is null or points to a number.
 */
int32_t tiledb_vfs_mode_from_str(const char *str, tiledb_vfs_mode_t *vfs_mode);

/*
 Returns the name of a constant of [`tiledb_walk_order_t`].

 # Safety
 `str` is null or points to a pointer.
 */
int32_t tiledb_walk_order_to_str(tiledb_walk_order_t walk_order, const char **str);

/*
 Returns the constant of [`tiledb_walk_order_t`] with this name.

 # Safety
 `str` is null or a text; `walk_order` is null or points to a number.
 */
int32_t tiledb_walk_order_from_str(const char *str, tiledb_walk_order_t *walk_order);

/*
 Returns the size of a value of a datatype in bytes; 0 if there is no such datatype.
 */
uint64_t tiledb_datatype_size(tiledb_datatype_t datatype);

/*
 Returns whether a URI leads to an array, a group, or neither.

 # Safety
 `path` is null or a text; `kind` is null or points to a number.
 */
int32_t tiledb_object_type(tiledb_ctx_t *ctx, const char *path, tiledb_object_t *kind);

/*
 Removes an array or a group with everything in its folder.

 # Safety
 `path` is null or a text.
 */
int32_t tiledb_object_remove(tiledb_ctx_t *ctx, const char *path);

/*
 Moves an array or a group with everything in its folder.

 # Safety
 `old_path` and `new_path` are null or texts.
 */
int32_t tiledb_object_move(tiledb_ctx_t *ctx, const char *old_path, const char *new_path);

/*
 Calls `callback` with the arrays and groups in a folder, those in their folders, and so on. It may call into the
 library.

 # Safety
 `path` is null or a text; `callback` takes what `data` points to.
 */
int32_t tiledb_object_walk(tiledb_ctx_t *ctx,
                           const char *path,
                           tiledb_walk_order_t order,
                           Callback callback,
                           void *data);

/*
 Calls `callback` with the arrays and groups directly in a folder, ordered. It may call into the library.

 # Safety
 `path` is null or a text; `callback` takes what `data` points to.
 */
int32_t tiledb_object_ls(tiledb_ctx_t *ctx,
                         const char *path,
                         Callback callback,
                         void *data);

/*
 Creates a profile without settings. A null name stands for `default`, a null folder for that of the user.

 # Safety
 `name` and `dir` are null or texts; `profile` and `error` are null or point to pointers.
 */
int32_t tiledb_profile_alloc(const char *name,
                             const char *dir,
                             tiledb_profile_t **profile,
                             tiledb_error_t **error);

/*
 Frees a profile. What was not saved is lost.

 # Safety
 `profile` is null or points to a handle.
 */
void tiledb_profile_free(tiledb_profile_t **profile);

/*
 Returns the name.

 # Safety
 `name` and `error` are null or point to pointers.
 */
int32_t tiledb_profile_get_name(tiledb_profile_t *profile,
                                tiledb_string_t **name,
                                tiledb_error_t **error);

/*
 Returns the folder of the file, with a slash at its end.

 # Safety
 `dir` and `error` are null or point to pointers.
 */
int32_t tiledb_profile_get_dir(tiledb_profile_t *profile,
                               tiledb_string_t **dir,
                               tiledb_error_t **error);

/*
 Sets a setting; null stands for an empty value.

 # Safety
 `param` and `value` are null or texts; `error` is null or points to a pointer.
 */
int32_t tiledb_profile_set_param(tiledb_profile_t *profile,
                                 const char *param,
                                 const char *value,
                                 tiledb_error_t **error);

/*
 Returns a setting; null if it is not set.

 # Safety
 `param` is null or a text; `value` and `error` are null or point to pointers.
 */
int32_t tiledb_profile_get_param(tiledb_profile_t *profile,
                                 const char *param,
                                 tiledb_string_t **value,
                                 tiledb_error_t **error);

/*
 Writes the profile into the file. One of the same name is replaced if `overwrite` is not 0, and else an error.

 # Safety
 `error` is null or points to a pointer.
 */
int32_t tiledb_profile_save(tiledb_profile_t *profile,
                            uint8_t overwrite,
                            tiledb_error_t **error);

/*
 Takes the settings that the file has for the profile's name.

 # Safety
 `error` is null or points to a pointer.
 */
int32_t tiledb_profile_load(tiledb_profile_t *profile, tiledb_error_t **error);

/*
 Removes a profile from the file.

 # Safety
 `name` and `dir` are null or texts; `error` is null or points to a pointer.
 */
int32_t tiledb_profile_remove(const char *name, const char *dir, tiledb_error_t **error);

/*
 Returns the profile as JSON.

 # Safety
 `out` and `error` are null or point to pointers.
 */
int32_t tiledb_profile_dump_str(tiledb_profile_t *profile,
                                tiledb_string_t **out,
                                tiledb_error_t **error);

/*
 Creates a query over an open array.

 # Safety
 `query` is null or points to a pointer.
 */
int32_t tiledb_query_alloc(tiledb_ctx_t *ctx,
                           tiledb_array_t *array,
                           tiledb_query_type_t query_type,
                           tiledb_query_t **query);

/*
 Frees a query. A write in global order that was not finalized is given up.

 # Safety
 `query` is null or points to a handle.
 */
void tiledb_query_free(tiledb_query_t **query);

/*
 Gives a query settings of its own.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_set_config(tiledb_ctx_t *ctx, tiledb_query_t *query, tiledb_config_t *config);

/*
 Returns a copy of the settings of a query.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_query_get_config(tiledb_ctx_t *ctx, tiledb_query_t *query, tiledb_config_t **config);

/*
 Sets the ranges of a query.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_set_subarray_t(tiledb_ctx_t *ctx,
                                    tiledb_query_t *query,
                                    const tiledb_subarray_t *subarray);

/*
 Returns a copy of the ranges of a query.

 # Safety
 `subarray` is null or points to a pointer.
 */
int32_t tiledb_query_get_subarray_t(tiledb_ctx_t *ctx,
                                    const tiledb_query_t *query,
                                    tiledb_subarray_t **subarray);

/*
 Sets the order of the cells.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_set_layout(tiledb_ctx_t *ctx, tiledb_query_t *query, tiledb_layout_t layout);

/*
 Returns the order of the cells.

 # Safety
 `query_layout` is null or points to a number.
 */
int32_t tiledb_query_get_layout(tiledb_ctx_t *ctx,
                                tiledb_query_t *query,
                                tiledb_layout_t *query_layout);

/*
 Sets the condition that cells have to match. What is wrong with it is said when the query is submitted.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_set_condition(tiledb_ctx_t *ctx,
                                   tiledb_query_t *query,
                                   const tiledb_query_condition_t *cond);

/*
 Carries a query out: a write stores the cells of the buffers, a read fills them. If they are too small for all
 cells, the query is incomplete, and the next call goes on.

 # Safety
 The buffers that were set may be used, and do not overlap.
 */
int32_t tiledb_query_submit(tiledb_ctx_t *ctx,
                            tiledb_query_t *query);

/*
 Ends a write in global order: the cells of all calls become part of the array at once.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_finalize(tiledb_ctx_t *ctx, tiledb_query_t *query);

/*
 Carries out the last part of a write in global order, and ends it.

 # Safety
 As for [`tiledb_query_submit`].
 */
int32_t tiledb_query_submit_and_finalize(tiledb_ctx_t *ctx, tiledb_query_t *query);

/*
 Returns the array of a query: another handle of the same array.

 # Safety
 `array` is null or points to a pointer.
 */
int32_t tiledb_query_get_array(tiledb_ctx_t *ctx, tiledb_query_t *query, tiledb_array_t **array);

/*
 Returns what a query does.

 # Safety
 `query_type` is null or points to a number.
 */
int32_t tiledb_query_get_type(tiledb_ctx_t *ctx,
                              tiledb_query_t *query,
                              tiledb_query_type_t *query_type);

/*
 Returns how far a query is.

 # Safety
 `status` is null or points to a number.
 */
int32_t tiledb_query_get_status(tiledb_ctx_t *ctx,
                                tiledb_query_t *query,
                                tiledb_query_status_t *status);

/*
 Returns why a query is incomplete.

 # Safety
 `status_details` is null or points to such a record.
 */
int32_t tiledb_query_get_status_details(tiledb_ctx_t *ctx,
                                        tiledb_query_t *query,
                                        tiledb_query_status_details_t *status_details);

/*
 Says whether the last call of a read gave cells.

 # Safety
 `has_results` is null or points to a number.
 */
int32_t tiledb_query_has_results(tiledb_ctx_t *ctx, tiledb_query_t *query, int32_t *has_results);

/*
 Returns the number of fragments that a read looks at.

 # Safety
 `relevant_fragment_num` is null or points to a number.
 */
int32_t tiledb_query_get_relevant_fragment_num(tiledb_ctx_t *ctx,
                                               const tiledb_query_t *query,
                                               uint64_t *relevant_fragment_num);

/*
 Returns statistics of a query, to be freed by `tiledb_stats_free_str`.

 # Safety
 `stats_json` is null or points to a pointer.
 */
int32_t tiledb_query_get_stats(tiledb_ctx_t *ctx, tiledb_query_t *query, char **stats_json);

/*
 Not offered yet.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_get_plan(tiledb_ctx_t *ctx, tiledb_query_t *_query, tiledb_string_t **_plan);

/*
 Not offered: TileDB's own updates are an experiment.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_add_update_value(tiledb_ctx_t *ctx,
                                      tiledb_query_t *_query,
                                      const char *_field_name,
                                      const void *_update_value,
                                      uint64_t _update_value_size);

/*
 Estimates the size of a field of fixed size from above.

 # Safety
 `name` is null or a text; `size` is null or points to a number.
 */
int32_t tiledb_query_get_est_result_size(tiledb_ctx_t *ctx,
                                         const tiledb_query_t *query,
                                         const char *name,
                                         uint64_t *size);

/*
 Estimates the sizes of a nullable field of fixed size from above.

 # Safety
 `name` is null or a text; the last two arguments are null or point to numbers.
 */
int32_t tiledb_query_get_est_result_size_nullable(tiledb_ctx_t *ctx,
                                                  const tiledb_query_t *query,
                                                  const char *name,
                                                  uint64_t *size_val,
                                                  uint64_t *size_validity);

/*
 Estimates the sizes of a field of variable size from above.

 # Safety
 `name` is null or a text; the last two arguments are null or point to numbers.
 */
int32_t tiledb_query_get_est_result_size_var(tiledb_ctx_t *ctx,
                                             const tiledb_query_t *query,
                                             const char *name,
                                             uint64_t *size_off,
                                             uint64_t *size_val);

/*
 Estimates the sizes of a nullable field of variable size from above.

 # Safety
 `name` is null or a text; the last three arguments are null or point to numbers.
 */
int32_t tiledb_query_get_est_result_size_var_nullable(tiledb_ctx_t *ctx,
                                                      const tiledb_query_t *query,
                                                      const char *name,
                                                      uint64_t *size_off,
                                                      uint64_t *size_val,
                                                      uint64_t *size_validity);

/*
 Sets the buffer of the values of a field.

 # Safety
 `name` is null or a text; `buffer` and `buffer_size` are null or point to memory that stays there until the query is
 freed.
 */
int32_t tiledb_query_set_data_buffer(tiledb_ctx_t *ctx,
                                     tiledb_query_t *query,
                                     const char *name,
                                     void *buffer,
                                     uint64_t *buffer_size);

/*
 Sets the buffer of the offsets of a field of variable size.

 # Safety
 As for [`tiledb_query_set_data_buffer`].
 */
int32_t tiledb_query_set_offsets_buffer(tiledb_ctx_t *ctx,
                                        tiledb_query_t *query,
                                        const char *name,
                                        uint64_t *buffer,
                                        uint64_t *buffer_size);

/*
 Sets the buffer of the validity of a nullable field: a byte per cell.

 # Safety
 As for [`tiledb_query_set_data_buffer`].
 */
int32_t tiledb_query_set_validity_buffer(tiledb_ctx_t *ctx,
                                         tiledb_query_t *query,
                                         const char *name,
                                         uint8_t *buffer,
                                         uint64_t *buffer_size);

/*
 Returns the buffer of the values of a field.

 # Safety
 `name` is null or a text; the last two arguments are null or point to pointers.
 */
int32_t tiledb_query_get_data_buffer(tiledb_ctx_t *ctx,
                                     tiledb_query_t *query,
                                     const char *name,
                                     void **buffer,
                                     uint64_t **buffer_size);

/*
 Returns the buffer of the offsets of a field.

 # Safety
 As for [`tiledb_query_get_data_buffer`].
 */
int32_t tiledb_query_get_offsets_buffer(tiledb_ctx_t *ctx,
                                        tiledb_query_t *query,
                                        const char *name,
                                        uint64_t **buffer,
                                        uint64_t **buffer_size);

/*
 Returns the buffer of the validity of a field.

 # Safety
 As for [`tiledb_query_get_data_buffer`].
 */
int32_t tiledb_query_get_validity_buffer(tiledb_ctx_t *ctx,
                                         tiledb_query_t *query,
                                         const char *name,
                                         uint8_t **buffer,
                                         uint64_t **buffer_size);

/*
 Returns the number of fragments that a query wrote.

 # Safety
 `num` is null or points to a number.
 */
int32_t tiledb_query_get_fragment_num(tiledb_ctx_t *ctx,
                                      const tiledb_query_t *query,
                                      uint32_t *num);

/*
 Returns the URI of a fragment that a query wrote.

 # Safety
 `uri` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_query_get_fragment_uri(tiledb_ctx_t *ctx,
                                      const tiledb_query_t *query,
                                      uint64_t idx,
                                      const char **uri);

/*
 Returns the first and the last time of a fragment that a query wrote.

 # Safety
 `t1` and `t2` are null or point to numbers.
 */
int32_t tiledb_query_get_fragment_timestamp_range(tiledb_ctx_t *ctx,
                                                  const tiledb_query_t *query,
                                                  uint64_t idx,
                                                  uint64_t *t1,
                                                  uint64_t *t2);

/*
 Creates a condition that has to be initialised.

 # Safety
 `cond` is null or points to a pointer.
 */
int32_t tiledb_query_condition_alloc(tiledb_ctx_t *ctx, tiledb_query_condition_t **cond);

/*
 Frees a condition.

 # Safety
 `cond` is null or points to a handle.
 */
void tiledb_query_condition_free(tiledb_query_condition_t **cond);

/*
 Initialises a condition as a comparison of a field with a value; null stands for null.

 # Safety
 `attribute_name` is null or a text; `condition_value` is null or points to as many bytes.
 */
int32_t tiledb_query_condition_init(tiledb_ctx_t *ctx,
                                    tiledb_query_condition_t *cond,
                                    const char *attribute_name,
                                    const void *condition_value,
                                    uint64_t condition_value_size,
                                    tiledb_query_condition_op_t op);

/*
 Creates a condition that a field's value is among values, or is not.

 # Safety
 `field_name` is null or a text; `data` and `offsets` are null or point to as many bytes; `cond` is null or points to
 a pointer.
 */
int32_t tiledb_query_condition_alloc_set_membership(tiledb_ctx_t *ctx,
                                                    const char *field_name,
                                                    const void *data,
                                                    uint64_t data_size,
                                                    const void *offsets,
                                                    uint64_t offsets_size,
                                                    tiledb_query_condition_op_t op,
                                                    tiledb_query_condition_t **cond);

/*
 Combines two conditions into a new one.

 # Safety
 `combined_cond` is null or points to a pointer.
 */
int32_t tiledb_query_condition_combine(tiledb_ctx_t *ctx,
                                       const tiledb_query_condition_t *left_cond,
                                       const tiledb_query_condition_t *right_cond,
                                       tiledb_query_condition_combination_op_t combination_op,
                                       tiledb_query_condition_t **combined_cond);

/*
 Creates the opposite of a condition.

 # Safety
 `negated_cond` is null or points to a pointer.
 */
int32_t tiledb_query_condition_negate(tiledb_ctx_t *ctx,
                                      const tiledb_query_condition_t *cond,
                                      tiledb_query_condition_t **negated_cond);

/*
 Sets whether values compared with an enumerated attribute are labels, or indexes.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_query_condition_set_use_enumeration(tiledb_ctx_t *ctx,
                                                   const tiledb_query_condition_t *cond,
                                                   int use_enumeration);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *_buffer,
                                 tiledb_serialization_type_t _serialize_type,
                                 int32_t _client_side,
                                 const char *_array_uri,
                                 tiledb_array_t **_array);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_create(tiledb_ctx_t *ctx,
                                        const tiledb_buffer_t *_buffer,
                                        tiledb_serialization_type_t _serialize_type,
                                        int32_t _client_side,
                                        tiledb_string_t **_storage_uri,
                                        tiledb_array_schema_t **_array_schema);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_metadata(tiledb_ctx_t *ctx,
                                          tiledb_array_t *_array,
                                          tiledb_serialization_type_t _serialization_type,
                                          const tiledb_buffer_t *_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_non_empty_domain_all_dimensions(tiledb_ctx_t *ctx,
                                                                 tiledb_array_t *_array,
                                                                 const tiledb_buffer_t *_buffer,
                                                                 tiledb_serialization_type_t _serialize_type,
                                                                 int32_t _client_side);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_nonempty_domain(tiledb_ctx_t *ctx,
                                                 const tiledb_array_t *_array,
                                                 const tiledb_buffer_t *_buffer,
                                                 tiledb_serialization_type_t _serialize_type,
                                                 int32_t _client_side,
                                                 void *_nonempty_domain,
                                                 int32_t *_is_empty);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_open(tiledb_ctx_t *ctx,
                                      const tiledb_buffer_t *_buffer,
                                      tiledb_serialization_type_t _serialize_type,
                                      int32_t _client_side,
                                      tiledb_array_t **_array);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_schema(tiledb_ctx_t *ctx,
                                        const tiledb_buffer_t *_buffer,
                                        tiledb_serialization_type_t _serialize_type,
                                        int32_t _client_side,
                                        tiledb_array_schema_t **_array_schema);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_array_schema_evolution(tiledb_ctx_t *ctx,
                                                  const tiledb_buffer_t *_buffer,
                                                  tiledb_serialization_type_t _serialize_type,
                                                  int32_t _client_side,
                                                  tiledb_array_schema_evolution_t **_array_schema_evolution);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_config(tiledb_ctx_t *ctx,
                                  const tiledb_buffer_t *_buffer,
                                  tiledb_serialization_type_t _serialize_type,
                                  int32_t _client_side,
                                  tiledb_config_t **_config);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_fragment_info(tiledb_ctx_t *ctx,
                                         const tiledb_buffer_t *_buffer,
                                         tiledb_serialization_type_t _serialize_type,
                                         const char *_array_uri,
                                         int32_t _client_side,
                                         tiledb_fragment_info_t *_fragment_info);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_fragment_info_request(tiledb_ctx_t *ctx,
                                                 const tiledb_buffer_t *_buffer,
                                                 tiledb_serialization_type_t _serialize_type,
                                                 int32_t _client_side,
                                                 tiledb_fragment_info_t *_fragment_info);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_group(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *_buffer,
                                 tiledb_serialization_type_t _serialize_type,
                                 int32_t _client_side,
                                 tiledb_group_t *_group);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_group_metadata(tiledb_ctx_t *ctx,
                                          tiledb_group_t *_group,
                                          tiledb_serialization_type_t _serialization_type,
                                          const tiledb_buffer_t *_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_query(tiledb_ctx_t *ctx,
                                 const tiledb_buffer_t *_buffer,
                                 tiledb_serialization_type_t _serialize_type,
                                 int32_t _client_side,
                                 tiledb_query_t *_query);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_query_and_array(tiledb_ctx_t *ctx,
                                           const tiledb_buffer_t *_buffer,
                                           tiledb_serialization_type_t _serialize_type,
                                           int32_t _client_side,
                                           const char *_array_uri,
                                           tiledb_query_t **_query,
                                           tiledb_array_t **_array);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_deserialize_query_est_result_sizes(tiledb_ctx_t *ctx,
                                                  tiledb_query_t *_query,
                                                  tiledb_serialization_type_t _serialize_type,
                                                  int32_t _client_side,
                                                  const tiledb_buffer_t *_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_array_delete_fragments_list_request(tiledb_ctx_t *ctx,
                                                          tiledb_array_t *_array,
                                                          tiledb_serialization_type_t _serialization_type,
                                                          const tiledb_buffer_t *_request);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_array_delete_fragments_timestamps_request(tiledb_ctx_t *ctx,
                                                                tiledb_array_t *_array,
                                                                tiledb_serialization_type_t _serialization_type,
                                                                const tiledb_buffer_t *_request);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_consolidation_plan_request(tiledb_ctx_t *ctx,
                                                 tiledb_array_t *_array,
                                                 tiledb_serialization_type_t _serialization_type,
                                                 const tiledb_buffer_t *_request,
                                                 tiledb_buffer_t *_response);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_load_array_schema_request(tiledb_ctx_t *ctx,
                                                tiledb_array_t *_array,
                                                tiledb_serialization_type_t _serialization_type,
                                                const tiledb_buffer_t *_request,
                                                tiledb_buffer_t *_response);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_load_enumerations_request(tiledb_ctx_t *ctx,
                                                tiledb_array_t *_array,
                                                tiledb_serialization_type_t _serialization_type,
                                                const tiledb_buffer_t *_request,
                                                tiledb_buffer_t *_response);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_handle_query_plan_request(tiledb_ctx_t *ctx,
                                         tiledb_array_t *_array,
                                         tiledb_serialization_type_t _serialization_type,
                                         const tiledb_buffer_t *_request,
                                         tiledb_buffer_t *_response);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array(tiledb_ctx_t *ctx,
                               const tiledb_array_t *_array,
                               tiledb_serialization_type_t _serialize_type,
                               int32_t _client_side,
                               tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_max_buffer_sizes(tiledb_ctx_t *ctx,
                                                const tiledb_array_t *_array,
                                                const void *_subarray,
                                                tiledb_serialization_type_t _serialize_type,
                                                tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_metadata(tiledb_ctx_t *ctx,
                                        const tiledb_array_t *_array,
                                        tiledb_serialization_type_t _serialization_type,
                                        tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_non_empty_domain_all_dimensions(tiledb_ctx_t *ctx,
                                                               const tiledb_array_t *_array,
                                                               tiledb_serialization_type_t _serialize_type,
                                                               int32_t _client_side,
                                                               tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_nonempty_domain(tiledb_ctx_t *ctx,
                                               const tiledb_array_t *_array,
                                               const void *_nonempty_domain,
                                               int32_t _is_empty,
                                               tiledb_serialization_type_t _serialize_type,
                                               int32_t _client_side,
                                               tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_open(tiledb_ctx_t *ctx,
                                    const tiledb_array_t *_array,
                                    tiledb_serialization_type_t _serialize_type,
                                    int32_t _client_side,
                                    tiledb_buffer_t **_buffer_list);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_schema(tiledb_ctx_t *ctx,
                                      const tiledb_array_schema_t *_array_schema,
                                      tiledb_serialization_type_t _serialize_type,
                                      int32_t _client_side,
                                      tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_array_schema_evolution(tiledb_ctx_t *ctx,
                                                const tiledb_array_schema_evolution_t *_array_schema_evolution,
                                                tiledb_serialization_type_t _serialize_type,
                                                int32_t _client_side,
                                                tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_config(tiledb_ctx_t *ctx,
                                const tiledb_config_t *_config,
                                tiledb_serialization_type_t _serialize_type,
                                int32_t _client_side,
                                tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_fragment_info(tiledb_ctx_t *ctx,
                                       const tiledb_fragment_info_t *_fragment_info,
                                       tiledb_serialization_type_t _serialization_type,
                                       int32_t _client_side,
                                       tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_fragment_info_request(tiledb_ctx_t *ctx,
                                               const tiledb_fragment_info_t *_fragment_info,
                                               tiledb_serialization_type_t _serialize_type,
                                               int32_t _client_side,
                                               tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_group(tiledb_ctx_t *ctx,
                               const tiledb_group_t *_group,
                               tiledb_serialization_type_t _serialize_type,
                               int32_t _client_side,
                               tiledb_buffer_t **_buffer_list);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_group_metadata(tiledb_ctx_t *ctx,
                                        const tiledb_group_t *_group,
                                        tiledb_serialization_type_t _serialization_type,
                                        tiledb_buffer_t **_buffer);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_query(tiledb_ctx_t *ctx,
                               const tiledb_query_t *_query,
                               tiledb_serialization_type_t _serialize_type,
                               int32_t _client_side,
                               tiledb_buffer_list_t **_buffer_list);

/*
 Fails: tdb has no serialisation.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_serialize_query_est_result_sizes(tiledb_ctx_t *ctx,
                                                const tiledb_query_t *_query,
                                                tiledb_serialization_type_t _serialize_type,
                                                int32_t _client_side,
                                                tiledb_buffer_t **_buffer);

/*
 Begins counting.
 */
int32_t tiledb_stats_enable(void);

/*
 Ends counting.
 */
int32_t tiledb_stats_disable(void);

/*
 Says whether counting is on.

 # Safety
 `enabled` is null or points to a number.
 */
int32_t tiledb_stats_is_enabled(uint8_t *enabled);

/*
 Sets the counts to zero.
 */
int32_t tiledb_stats_reset(void);

/*
 Writes the statistics to a file of C; null stands for standard output.

 # Safety
 `out` is null or an open file.
 */
int32_t tiledb_stats_dump(FILE *out);

/*
 As [`tiledb_stats_dump`].

 # Safety
 `out` is null or an open file.
 */
int32_t tiledb_stats_raw_dump(FILE *out);

/*
 Returns the statistics, to be freed by [`tiledb_stats_free_str`].

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_stats_dump_str(char **out);

/*
 As [`tiledb_stats_dump_str`].

 # Safety
 `out` is null or points to a pointer.
 */
int32_t tiledb_stats_raw_dump_str(char **out);

/*
 Frees a text of this module, and sets the program's variable to null.

 # Safety
 `out` is null or points to null or to a text that a function of this module returned.
 */
int32_t tiledb_stats_free_str(char **out);

/*
 Returns a pointer to a text and its length in bytes. There is no zero byte at its end.

 # Safety
 `data` and `length` are null or point to variables. The text may be read until the handle is freed.
 */
int32_t tiledb_string_view(tiledb_string_t *s, const char **data, size_t *length);

/*
 Frees a text.

 # Safety
 `s` is null or points to a handle.
 */
int32_t tiledb_string_free(tiledb_string_t **s);

/*
 Creates a subarray: the whole array, until ranges are added.

 # Safety
 `subarray` is null or points to a pointer.
 */
int32_t tiledb_subarray_alloc(tiledb_ctx_t *ctx,
                              const tiledb_array_t *array,
                              tiledb_subarray_t **subarray);

/*
 Frees a subarray.

 # Safety
 `subarray` is null or points to a handle.
 */
void tiledb_subarray_free(tiledb_subarray_t **subarray);

/*
 Accepts settings; none of them has an effect on a subarray.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_subarray_set_config(tiledb_ctx_t *ctx,
                                   tiledb_subarray_t *subarray,
                                   tiledb_config_t *config);

/*
 Sets whether ranges that follow each other become one.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_subarray_set_coalesce_ranges(tiledb_ctx_t *ctx,
                                            tiledb_subarray_t *subarray,
                                            int coalesce_ranges);

/*
 Sets a range for each dimension: its ends, one after the other, of one datatype of fixed size.

 # Safety
 `subarray_v` is null or points to two coordinates for each dimension.
 */
int32_t tiledb_subarray_set_subarray(tiledb_ctx_t *ctx,
                                     tiledb_subarray_t *subarray,
                                     const void *subarray_v);

/*
 Adds a range of a dimension of fixed size.

 # Safety
 `start` and `end` are null or point to coordinates.
 */
int32_t tiledb_subarray_add_range(tiledb_ctx_t *ctx,
                                  tiledb_subarray_t *subarray,
                                  uint32_t dim_idx,
                                  const void *start,
                                  const void *end,
                                  const void *stride);

/*
 As [`tiledb_subarray_add_range`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_add_range_by_name(tiledb_ctx_t *ctx,
                                          tiledb_subarray_t *subarray,
                                          const char *dim_name,
                                          const void *start,
                                          const void *end,
                                          const void *stride);

/*
 Adds a range of a dimension of text. Ends of no bytes stand for the ends of the dimension.

 # Safety
 `start` and `end` are null or point to as many bytes.
 */
int32_t tiledb_subarray_add_range_var(tiledb_ctx_t *ctx,
                                      tiledb_subarray_t *subarray,
                                      uint32_t dim_idx,
                                      const void *start,
                                      uint64_t start_size,
                                      const void *end,
                                      uint64_t end_size);

/*
 As [`tiledb_subarray_add_range_var`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_add_range_var_by_name(tiledb_ctx_t *ctx,
                                              tiledb_subarray_t *subarray,
                                              const char *dim_name,
                                              const void *start,
                                              uint64_t start_size,
                                              const void *end,
                                              uint64_t end_size);

/*
 Adds a range of one coordinate for each of `count` coordinates.

 # Safety
 `start` is null or points to as many coordinates.
 */
int32_t tiledb_subarray_add_point_ranges(tiledb_ctx_t *ctx,
                                         tiledb_subarray_t *subarray,
                                         uint32_t dim_idx,
                                         const void *start,
                                         uint64_t count);

/*
 Adds a range of one text for each of the texts, which lie one after the other.

 # Safety
 `start` is null or points to as many bytes, `start_offsets` to as many bytes of offsets.
 */
int32_t tiledb_subarray_add_point_ranges_var(tiledb_ctx_t *ctx,
                                             tiledb_subarray_t *subarray,
                                             uint32_t dim_idx,
                                             const void *start,
                                             uint64_t start_size,
                                             const uint64_t *start_offsets,
                                             uint64_t start_offsets_size);

/*
 Returns the number of ranges of a dimension; the whole dimension is one.

 # Safety
 `range_num` is null or points to a number.
 */
int32_t tiledb_subarray_get_range_num(tiledb_ctx_t *ctx,
                                      const tiledb_subarray_t *subarray,
                                      uint32_t dim_idx,
                                      uint64_t *range_num);

/*
 As [`tiledb_subarray_get_range_num`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_get_range_num_from_name(tiledb_ctx_t *ctx,
                                                const tiledb_subarray_t *subarray,
                                                const char *dim_name,
                                                uint64_t *range_num);

/*
 Returns pointers to the ends of a range; they are valid until the handle is freed.

 # Safety
 The last three arguments are null or point to pointers.
 */
int32_t tiledb_subarray_get_range(tiledb_ctx_t *ctx,
                                  const tiledb_subarray_t *subarray,
                                  uint32_t dim_idx,
                                  uint64_t range_idx,
                                  const void **start,
                                  const void **end,
                                  const void **stride);

/*
 As [`tiledb_subarray_get_range`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_get_range_from_name(tiledb_ctx_t *ctx,
                                            const tiledb_subarray_t *subarray,
                                            const char *dim_name,
                                            uint64_t range_idx,
                                            const void **start,
                                            const void **end,
                                            const void **stride);

/*
 Copies the ends of a range of a dimension of text.

 # Safety
 `start` and `end` are null or have room for the sizes that the function for sizes gives.
 */
int32_t tiledb_subarray_get_range_var(tiledb_ctx_t *ctx,
                                      const tiledb_subarray_t *subarray,
                                      uint32_t dim_idx,
                                      uint64_t range_idx,
                                      void *start,
                                      void *end);

/*
 As [`tiledb_subarray_get_range_var`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_get_range_var_from_name(tiledb_ctx_t *ctx,
                                                const tiledb_subarray_t *subarray,
                                                const char *dim_name,
                                                uint64_t range_idx,
                                                void *start,
                                                void *end);

/*
 Returns the sizes in bytes of the ends of a range of a dimension of text.

 # Safety
 `start_size` and `end_size` are null or point to numbers.
 */
int32_t tiledb_subarray_get_range_var_size(tiledb_ctx_t *ctx,
                                           const tiledb_subarray_t *subarray,
                                           uint32_t dim_idx,
                                           uint64_t range_idx,
                                           uint64_t *start_size,
                                           uint64_t *end_size);

/*
 As [`tiledb_subarray_get_range_var_size`], by the name of the dimension.

 # Safety
 As there; `dim_name` is null or a text.
 */
int32_t tiledb_subarray_get_range_var_size_from_name(tiledb_ctx_t *ctx,
                                                     const tiledb_subarray_t *subarray,
                                                     const char *dim_name,
                                                     uint64_t range_idx,
                                                     uint64_t *start_size,
                                                     uint64_t *end_size);

/*
 Adds a range of a label of fixed size.

 # Safety
 `label_name` is null or a text; `start` and `end` are null or point to labels.
 */
int32_t tiledb_subarray_add_label_range(tiledb_ctx_t *ctx,
                                        tiledb_subarray_t *subarray,
                                        const char *label_name,
                                        const void *start,
                                        const void *end,
                                        const void *stride);

/*
 Adds a range of a label of text.

 # Safety
 `label_name` is null or a text; `start` and `end` are null or point to as many bytes.
 */
int32_t tiledb_subarray_add_label_range_var(tiledb_ctx_t *ctx,
                                            tiledb_subarray_t *subarray,
                                            const char *label_name,
                                            const void *start,
                                            uint64_t start_size,
                                            const void *end,
                                            uint64_t end_size);

/*
 Returns the name of the label of which a dimension has ranges.

 # Safety
 `label_name` is null or points to a pointer. The text may be read until the handle is freed.
 */
int32_t tiledb_subarray_get_label_name(tiledb_ctx_t *ctx,
                                       tiledb_subarray_t *subarray,
                                       uint32_t dim_idx,
                                       const char **label_name);

/*
 Says whether a dimension has ranges of a label.

 # Safety
 `has_label_range` is null or points to a number.
 */
int32_t tiledb_subarray_has_label_ranges(tiledb_ctx_t *ctx,
                                         const tiledb_subarray_t *subarray,
                                         uint32_t dim_idx,
                                         int32_t *has_label_range);

/*
 Returns the number of ranges of a label.

 # Safety
 `label_name` is null or a text; `range_num` is null or points to a number.
 */
int32_t tiledb_subarray_get_label_range_num(tiledb_ctx_t *ctx,
                                            const tiledb_subarray_t *subarray,
                                            const char *label_name,
                                            uint64_t *range_num);

/*
 Returns pointers to the ends of a range of a label; they are valid until the handle is freed.

 # Safety
 `label_name` is null or a text; the last three arguments are null or point to pointers.
 */
int32_t tiledb_subarray_get_label_range(tiledb_ctx_t *ctx,
                                        const tiledb_subarray_t *subarray,
                                        const char *label_name,
                                        uint64_t range_idx,
                                        const void **start,
                                        const void **end,
                                        const void **stride);

/*
 Copies the ends of a range of a label of text.

 # Safety
 `label_name` is null or a text; `start` and `end` are null or have room for the sizes that the function for sizes
 gives.
 */
int32_t tiledb_subarray_get_label_range_var(tiledb_ctx_t *ctx,
                                            const tiledb_subarray_t *subarray,
                                            const char *label_name,
                                            uint64_t range_idx,
                                            void *start,
                                            void *end);

/*
 Returns the sizes in bytes of the ends of a range of a label of text.

 # Safety
 `label_name` is null or a text; the last two arguments are null or point to numbers.
 */
int32_t tiledb_subarray_get_label_range_var_size(tiledb_ctx_t *ctx,
                                                 const tiledb_subarray_t *subarray,
                                                 const char *label_name,
                                                 uint64_t range_idx,
                                                 uint64_t *start_size,
                                                 uint64_t *end_size);

/*
 Writes the path of a `file://` URI with a zero byte at its end. `path_length` is the room of the buffer in bytes, and
 becomes the length of the path without the zero byte. Of other URIs, the whole is written.

 # Safety
 `uri` is null or a text; `path_out` is null or has room for as many bytes as `path_length` says.
 */
int32_t tiledb_uri_to_path(tiledb_ctx_t *ctx,
                           const char *uri,
                           char *path_out,
                           uint32_t *path_length);

/*
 Creates a virtual file system with the settings of the context and those given by `config`, which may be null.

 # Safety
 `vfs` is null or points to a pointer.
 */
int32_t tiledb_vfs_alloc(tiledb_ctx_t *ctx,
                         tiledb_config_t *config,
                         tiledb_vfs_t **vfs);

/*
 Frees a virtual file system. Open files stay open.

 # Safety
 `vfs` is null or points to a handle.
 */
void tiledb_vfs_free(tiledb_vfs_t **vfs);

/*
 Returns a copy of the settings.

 # Safety
 `config` is null or points to a pointer.
 */
int32_t tiledb_vfs_get_config(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, tiledb_config_t **config);

/*
 Fails: tdb creates no buckets.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_create_bucket(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Fails: tdb removes no buckets.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_remove_bucket(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Removes all objects of a bucket.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_empty_bucket(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Says whether a bucket has no objects.

 # Safety
 `uri` is null or a text; `is_empty` is null or points to a number.
 */
int32_t tiledb_vfs_is_empty_bucket(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *uri,
                                   int32_t *is_empty);

/*
 Says whether a URI is that of a bucket that can be listed.

 # Safety
 `uri` is null or a text; `is_bucket` is null or points to a number.
 */
int32_t tiledb_vfs_is_bucket(tiledb_ctx_t *ctx,
                             tiledb_vfs_t *vfs,
                             const char *uri,
                             int32_t *is_bucket);

/*
 Creates a folder and its parents, if it does not exist. Does nothing in object stores.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_create_dir(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Says whether there is a folder.

 # Safety
 `uri` is null or a text; `is_dir` is null or points to a number.
 */
int32_t tiledb_vfs_is_dir(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri, int32_t *is_dir);

/*
 Removes a folder and everything in it.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_remove_dir(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Says whether there is a file.

 # Safety
 `uri` is null or a text; `is_file` is null or points to a number.
 */
int32_t tiledb_vfs_is_file(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri, int32_t *is_file);

/*
 Removes a file.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_remove_file(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Returns the sum of the sizes of all files in and below a folder, in bytes.

 # Safety
 `uri` is null or a text; `size` is null or points to a number.
 */
int32_t tiledb_vfs_dir_size(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri, uint64_t *size);

/*
 Returns the size of a file in bytes.

 # Safety
 `uri` is null or a text; `size` is null or points to a number.
 */
int32_t tiledb_vfs_file_size(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri, uint64_t *size);

/*
 Moves a file. What is at the new place is replaced, and its folders are created.

 # Safety
 `old_uri` and `new_uri` are null or texts.
 */
int32_t tiledb_vfs_move_file(tiledb_ctx_t *ctx,
                             tiledb_vfs_t *vfs,
                             const char *old_uri,
                             const char *new_uri);

/*
 Moves a folder. Nothing, or an empty folder, may be at the new place.

 # Safety
 `old_uri` and `new_uri` are null or texts.
 */
int32_t tiledb_vfs_move_dir(tiledb_ctx_t *ctx,
                            tiledb_vfs_t *vfs,
                            const char *old_uri,
                            const char *new_uri);

/*
 Copies a file. What is at the new place is replaced; its folder must exist.

 # Safety
 `old_uri` and `new_uri` are null or texts.
 */
int32_t tiledb_vfs_copy_file(tiledb_ctx_t *ctx,
                             tiledb_vfs_t *vfs,
                             const char *old_uri,
                             const char *new_uri);

/*
 Copies a folder with everything in it. Files of the same names are replaced.

 # Safety
 `old_uri` and `new_uri` are null or texts.
 */
int32_t tiledb_vfs_copy_dir(tiledb_ctx_t *ctx,
                            tiledb_vfs_t *vfs,
                            const char *old_uri,
                            const char *new_uri);

/*
 Creates an empty file, unless there is one.

 # Safety
 `uri` is null or a text.
 */
int32_t tiledb_vfs_touch(tiledb_ctx_t *ctx, tiledb_vfs_t *vfs, const char *uri);

/*
 Calls `callback` with the URI of each file and folder of a folder, ordered. It returns 1 to go on, 0 to stop, and -1 if
 it failed. It may call into the library.

 # Safety
 `path` is null or a text; `callback` takes what `data` points to.
 */
int32_t tiledb_vfs_ls(tiledb_ctx_t *ctx,
                      tiledb_vfs_t *vfs,
                      const char *path,
                      int32_t (*callback)(const char*, void*),
                      void *data);

/*
 Calls `callback` with each file and folder below a folder: its URI, the length of it, and the size of the file. It
 returns 1 to go on, 0 to stop, and -1 if it failed. It may call into the library.

 # Safety
 `path` is null or a text; `callback` takes what `data` points to.
 */
int32_t tiledb_vfs_ls_recursive(tiledb_ctx_t *ctx,
                                tiledb_vfs_t *vfs,
                                const char *path,
                                tiledb_ls_callback_t callback,
                                void *data);

/*
 As [`tiledb_vfs_ls_recursive`]; the callback is also told whether it is a folder.

 # Safety
 `path` is null or a text; `callback` takes what `data` points to.
 */
int32_t tiledb_vfs_ls_recursive_v2(tiledb_ctx_t *ctx,
                                   tiledb_vfs_t *vfs,
                                   const char *path,
                                   tiledb_ls_callback_v2_t callback,
                                   void *data);

/*
 Opens a file. With the mode for writing, one that exists is removed.

 # Safety
 `uri` is null or a text; `fh` is null or points to a pointer.
 */
int32_t tiledb_vfs_open(tiledb_ctx_t *ctx,
                        tiledb_vfs_t *vfs,
                        const char *uri,
                        tiledb_vfs_mode_t mode,
                        tiledb_vfs_fh_t **fh);

/*
 Closes a file. One that was opened for writing exists afterwards.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_vfs_close(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh);

/*
 Frees an open file. What was written to an object store is lost if the file was not closed.

 # Safety
 `fh` is null or points to a handle.
 */
void tiledb_vfs_fh_free(tiledb_vfs_fh_t **fh);

/*
 Says whether a file was closed.

 # Safety
 `is_closed` is null or points to a number.
 */
int32_t tiledb_vfs_fh_is_closed(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh, int32_t *is_closed);

/*
 Reads `nbytes` bytes; fails if the file does not have them.

 # Safety
 `buffer` is null or points to as many bytes.
 */
int32_t tiledb_vfs_read(tiledb_ctx_t *ctx,
                        tiledb_vfs_fh_t *fh,
                        uint64_t offset,
                        void *buffer,
                        uint64_t nbytes);

/*
 Writes `nbytes` bytes at the end of a file.

 # Safety
 `buffer` is null or points to as many bytes.
 */
int32_t tiledb_vfs_write(tiledb_ctx_t *ctx,
                         tiledb_vfs_fh_t *fh,
                         const void *buffer,
                         uint64_t nbytes);

/*
 Waits until what was written is on disk.

 # Safety
 Safe with any arguments.
 */
int32_t tiledb_vfs_sync(tiledb_ctx_t *ctx, tiledb_vfs_fh_t *fh);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TILEDB_H */
