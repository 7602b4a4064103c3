/* A program in C against the header of tdb: what it prints is compared by `cargo xtask capi`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiledb/tiledb.h>

static tiledb_ctx_t *ctx;

/* Ends the program with the message of the last error, unless a call succeeded. */
static void ok(int32_t code, const char *what) {
  if (code == TILEDB_OK) {
    return;
  }
  tiledb_error_t *error = NULL;
  const char *message = "no message";
  tiledb_ctx_get_last_error(ctx, &error);
  if (error != NULL) {
    tiledb_error_message(error, &message);
  }
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}
#define OK(call) ok((call), #call)

/* Creates an array with the dimension x of 1 to 8 and the attribute a. */
static void create(const char *uri, tiledb_array_type_t type) {
  int32_t domain_of_x[] = {1, 8}, extent = 4;
  tiledb_dimension_t *x;
  tiledb_domain_t *domain;
  tiledb_attribute_t *a;
  tiledb_array_schema_t *schema;
  OK(tiledb_dimension_alloc(ctx, "x", TILEDB_INT32, domain_of_x, &extent, &x));
  OK(tiledb_domain_alloc(ctx, &domain));
  OK(tiledb_domain_add_dimension(ctx, domain, x));
  OK(tiledb_attribute_alloc(ctx, "a", TILEDB_INT32, &a));
  OK(tiledb_array_schema_alloc(ctx, type, &schema));
  OK(tiledb_array_schema_set_domain(ctx, schema, domain));
  OK(tiledb_array_schema_add_attribute(ctx, schema, a));
  OK(tiledb_array_create(ctx, uri, schema));
  tiledb_array_schema_free(&schema);
  tiledb_attribute_free(&a);
  tiledb_domain_free(&domain);
  tiledb_dimension_free(&x);
}

static tiledb_array_t *open_array(const char *uri, tiledb_query_type_t type) {
  tiledb_array_t *array;
  OK(tiledb_array_alloc(ctx, uri, &array));
  OK(tiledb_array_open(ctx, array, type));
  return array;
}

static void close_array(tiledb_array_t *array) {
  OK(tiledb_array_close(ctx, array));
  tiledb_array_free(&array);
}

static void dense(const char *uri) {
  create(uri, TILEDB_DENSE);
  tiledb_array_t *array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t *query;
  int32_t written[] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t size = sizeof written;
  OK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  OK(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  OK(tiledb_query_set_data_buffer(ctx, query, "a", written, &size));
  OK(tiledb_query_submit(ctx, query));
  OK(tiledb_query_finalize(ctx, query));
  tiledb_query_free(&query);
  close_array(array);

  array = open_array(uri, TILEDB_READ);
  tiledb_subarray_t *subarray;
  int32_t lo = 3, hi = 5, found[8];
  size = sizeof found;
  OK(tiledb_subarray_alloc(ctx, array, &subarray));
  OK(tiledb_subarray_add_range(ctx, subarray, 0, &lo, &hi, NULL));
  OK(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  OK(tiledb_query_set_subarray_t(ctx, query, subarray));
  OK(tiledb_query_set_data_buffer(ctx, query, "a", found, &size));
  OK(tiledb_query_submit(ctx, query));
  printf("dense: %d cells, %d %d %d\n", (int)(size / sizeof *found), found[0], found[1], found[2]);
  tiledb_query_free(&query);
  tiledb_subarray_free(&subarray);
  close_array(array);
}

static void sparse(const char *uri) {
  create(uri, TILEDB_SPARSE);
  tiledb_array_t *array = open_array(uri, TILEDB_WRITE);
  tiledb_query_t *query;
  int32_t x[] = {7, 1, 4, 2}, a[] = {70, 10, 40, 20};
  uint64_t x_size = sizeof x, a_size = sizeof a;
  OK(tiledb_query_alloc(ctx, array, TILEDB_WRITE, &query));
  OK(tiledb_query_set_layout(ctx, query, TILEDB_UNORDERED));
  OK(tiledb_query_set_data_buffer(ctx, query, "x", x, &x_size));
  OK(tiledb_query_set_data_buffer(ctx, query, "a", a, &a_size));
  OK(tiledb_query_submit(ctx, query));
  tiledb_query_free(&query);
  OK(tiledb_array_put_metadata(ctx, array, "answer", TILEDB_INT32, 1, &(int32_t){42}));
  close_array(array);

  /* A buffer of three cells: the read is incomplete, and goes on. */
  array = open_array(uri, TILEDB_READ);
  tiledb_query_status_t status;
  int32_t found[3];
  uint64_t size = sizeof found;
  OK(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  OK(tiledb_query_set_layout(ctx, query, TILEDB_ROW_MAJOR));
  OK(tiledb_query_set_data_buffer(ctx, query, "a", found, &size));
  do {
    OK(tiledb_query_submit(ctx, query));
    OK(tiledb_query_get_status(ctx, query, &status));
    printf("sparse:");
    for (uint64_t cell = 0; cell < size / sizeof *found; cell++) {
      printf(" %d", found[cell]);
    }
    printf("%s\n", status == TILEDB_INCOMPLETE ? ", and more" : "");
  } while (status == TILEDB_INCOMPLETE);
  tiledb_query_free(&query);

  /* Cells above 15, and their sum. */
  tiledb_query_condition_t *condition;
  tiledb_query_channel_t *channel;
  tiledb_channel_operation_t *sum;
  int64_t total;
  uint64_t total_size = sizeof total;
  OK(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
  OK(tiledb_query_condition_alloc(ctx, &condition));
  OK(tiledb_query_condition_init(ctx, condition, "a", &(int32_t){15}, sizeof(int32_t), TILEDB_GT));
  OK(tiledb_query_set_condition(ctx, query, condition));
  OK(tiledb_query_get_default_channel(ctx, query, &channel));
  OK(tiledb_create_unary_aggregate(ctx, query, tiledb_channel_operator_sum, "a", &sum));
  OK(tiledb_channel_apply_aggregate(ctx, channel, "total", sum));
  OK(tiledb_query_set_data_buffer(ctx, query, "total", &total, &total_size));
  OK(tiledb_query_submit(ctx, query));
  printf("sum above 15: %d\n", (int)total);
  tiledb_aggregate_free(ctx, &sum);
  tiledb_query_channel_free(ctx, &channel);
  tiledb_query_condition_free(&condition);
  tiledb_query_free(&query);

  tiledb_datatype_t type;
  uint32_t count;
  const void *value;
  OK(tiledb_array_get_metadata(ctx, array, "answer", &type, &count, &value));
  printf("metadata: %d\n", *(const int32_t *)value);
  close_array(array);
}

/* Counts the objects that a walk meets. */
static int32_t count_object(const char *uri, tiledb_object_t type, void *data) {
  (void)uri;
  (void)type;
  ++*(int *)data;
  return 1;
}

static void groups(const char *uri, const char *member) {
  OK(tiledb_group_create(ctx, uri));
  tiledb_group_t *group;
  uint64_t members;
  int objects = 0;
  OK(tiledb_group_alloc(ctx, uri, &group));
  OK(tiledb_group_open(ctx, group, TILEDB_WRITE));
  OK(tiledb_group_add_member(ctx, group, member, 0, "cells"));
  OK(tiledb_group_close(ctx, group));
  OK(tiledb_group_open(ctx, group, TILEDB_READ));
  OK(tiledb_group_get_member_count(ctx, group, &members));
  OK(tiledb_group_close(ctx, group));
  tiledb_group_free(&group);
  create("group/inside", TILEDB_SPARSE);
  OK(tiledb_object_ls(ctx, uri, count_object, &objects));
  printf("group: %d member, %d object in its folder\n", (int)members, objects);
}

static void errors(void) {
  tiledb_array_t *array;
  tiledb_error_t *error;
  const char *message;
  OK(tiledb_array_alloc(ctx, "nowhere", &array));
  int32_t code = tiledb_array_open(ctx, array, TILEDB_READ);
  OK(tiledb_ctx_get_last_error(ctx, &error));
  OK(tiledb_error_message(error, &message));
  printf("error %d: %s\n", code, message);
  tiledb_error_free(&error);
  tiledb_array_t *stale = array;
  tiledb_array_free(&array);
  printf("freed: %d, null: %d, no context: %d\n", tiledb_array_close(ctx, stale),
         tiledb_array_close(ctx, NULL), tiledb_array_close(NULL, stale));
}

/* Reads the sparse array; the threads share the context. */
static void *read_all(void *sum) {
  for (int round = 0; round < 20; round++) {
    tiledb_array_t *array = open_array("sparse", TILEDB_READ);
    tiledb_query_t *query;
    int32_t found[4];
    uint64_t size = sizeof found;
    OK(tiledb_query_alloc(ctx, array, TILEDB_READ, &query));
    OK(tiledb_query_set_data_buffer(ctx, query, "a", found, &size));
    OK(tiledb_query_submit(ctx, query));
    for (int cell = 0; cell < 4; cell++) {
      *(int *)sum += found[cell];
    }
    tiledb_query_free(&query);
    close_array(array);
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[10];
  int sums[10] = {0}, total = 0;
  for (int thread = 0; thread < 10; thread++) {
    pthread_create(&all[thread], NULL, read_all, &sums[thread]);
  }
  for (int thread = 0; thread < 10; thread++) {
    pthread_join(all[thread], NULL);
    total += sums[thread];
  }
  printf("threads: %d\n", total);
}

int main(void) {
  if (tiledb_ctx_alloc(NULL, &ctx) != TILEDB_OK) {
    return 1;
  }
  dense("dense");
  sparse("sparse");
  groups("group", "sparse");
  errors();
  threads();
  tiledb_ctx_free(&ctx);
  return 0;
}
