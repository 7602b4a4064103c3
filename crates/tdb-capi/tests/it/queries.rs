use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use tdb_capi::aggregate::*;
use tdb_capi::array::*;
use tdb_capi::array_schema::tiledb_array_schema_t;
use tdb_capi::constants::*;
use tdb_capi::query::fields::*;
use tdb_capi::query::*;
use tdb_capi::query_condition::*;
use tdb_capi::subarray::*;

use crate::program::{Program, c};
use crate::schemas::{create, schema};

/// An array of a program, with the dimension `x` of 1 to 8 and the attribute `a`.
pub(crate) struct Numbers {
    pub(crate) program: Program,
    uri: CString,
    _folder: tempfile::TempDir,
}

impl Numbers {
    pub(crate) fn new(array_type: u32) -> Self {
        Self::of(|program| schema(program, array_type))
    }

    /// An array with another schema.
    pub(crate) fn of(schema: impl FnOnce(&Program) -> *mut tiledb_array_schema_t) -> Self {
        let (program, folder) = (Program::new(), tempfile::tempdir().unwrap());
        let schema = schema(&program);
        let uri = create(&program, &folder, schema);
        Self {
            program,
            uri,
            _folder: folder,
        }
    }

    pub(crate) fn open(&self, query_type: u32) -> *mut tiledb_array_t {
        let ctx = self.program.ctx;
        let array = self
            .program
            .make(|place| c!(tiledb_array_alloc, ctx, self.uri.as_ptr(), place));
        self.program
            .ok(c!(tiledb_array_open, ctx, array, query_type));
        array
    }

    pub(crate) fn query(
        &self,
        array: *mut tiledb_array_t,
        query_type: u32,
        layout: u32,
    ) -> *mut tiledb_query_t {
        let ctx = self.program.ctx;
        let query = self
            .program
            .make(|place| c!(tiledb_query_alloc, ctx, array, query_type, place));
        self.program
            .ok(c!(tiledb_query_set_layout, ctx, query, layout));
        query
    }

    pub(crate) fn set<T>(
        &self,
        query: *mut tiledb_query_t,
        name: &std::ffi::CStr,
        values: &mut [T],
        size: &mut u64,
    ) -> i32 {
        let ctx = self.program.ctx;
        *size = size_of_val(values) as u64;
        let pointer = values.as_mut_ptr().cast::<c_void>();
        c!(
            tiledb_query_set_data_buffer,
            ctx,
            query,
            name.as_ptr(),
            pointer,
            &raw mut *size
        )
    }

    /// Writes the cells of a sparse array.
    pub(crate) fn write_sparse(&self, x: &mut [i32], a: &mut [i32]) -> i32 {
        let ctx = self.program.ctx;
        let array = self.open(TILEDB_WRITE);
        let query = self.query(array, TILEDB_WRITE, TILEDB_UNORDERED);
        let (mut x_size, mut a_size) = (0, 0);
        self.program.ok(self.set(query, c"x", x, &mut x_size));
        self.program.ok(self.set(query, c"a", a, &mut a_size));
        let code = c!(tiledb_query_submit, ctx, query);
        self.program.ok(c!(tiledb_array_close, ctx, array));
        code
    }

    pub(crate) fn status(&self, query: *mut tiledb_query_t) -> u32 {
        let ctx = self.program.ctx;
        self.program
            .value(|place| c!(tiledb_query_get_status, ctx, query, place))
    }
}

#[test]
fn a_small_buffer_is_filled_again_and_again() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let written = numbers.write_sparse(&mut [8, 1, 3, 5, 2], &mut [80, 10, 30, 50, 20]);
    numbers.program.ok(written);
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
    let (mut a, mut size) = ([0_i32; 2], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    let mut all = Vec::new();
    loop {
        numbers.program.ok(c!(tiledb_query_submit, ctx, query));
        let count = usize::try_from(size).unwrap() / size_of::<i32>();
        all.extend_from_slice(&a[..count]);
        if numbers.status(query) == TILEDB_COMPLETED {
            break;
        }
        assert_eq!(numbers.status(query), TILEDB_INCOMPLETE);
    }
    assert_eq!(all, [10, 20, 30, 50, 80]);
}

#[test]
fn a_buffer_too_small_for_one_cell_gives_none() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    numbers
        .program
        .ok(numbers.write_sparse(&mut [1], &mut [10]));
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_UNORDERED);
    let (mut a, mut size) = ([0_u8; 3], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));
    assert_eq!((size, numbers.status(query)), (0, TILEDB_INCOMPLETE));
    let mut details = tiledb_query_status_details_t {
        incomplete_reason: TILEDB_REASON_NONE,
    };
    let code = c!(
        tiledb_query_get_status_details,
        ctx,
        query,
        &raw mut details
    );
    numbers.program.ok(code);
    assert_eq!(details.incomplete_reason, TILEDB_REASON_USER_BUFFER_SIZE);
}

#[test]
fn dense_ranges_come_as_they_are_given() {
    let numbers = Numbers::new(TILEDB_DENSE);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_WRITE);
    let query = numbers.query(array, TILEDB_WRITE, TILEDB_ROW_MAJOR);
    let (mut a, mut size) = ([10, 20, 30, 40, 50, 60, 70, 80], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));
    numbers.program.ok(c!(tiledb_array_close, ctx, array));

    let array = numbers.open(TILEDB_READ);
    let subarray = numbers
        .program
        .make(|place| c!(tiledb_subarray_alloc, ctx, array.cast_const(), place));
    for (lo, hi) in [(6_i32, 7_i32), (2, 3), (3, 3)] {
        let (lo, hi) = ((&raw const lo).cast(), (&raw const hi).cast());
        let code = c!(
            tiledb_subarray_add_range,
            ctx,
            subarray,
            0,
            lo,
            hi,
            std::ptr::null()
        );
        numbers.program.ok(code);
    }
    let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
    numbers
        .program
        .ok(c!(tiledb_query_set_subarray_t, ctx, query, subarray));
    let (mut found, mut size) = ([0_i32; 9], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut found, &mut size));
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));
    assert_eq!(size, 20);
    assert_eq!(found[..5], [60, 70, 20, 30, 30]);
}

#[test]
fn dense_reads_need_ranges() {
    let numbers = Numbers::new(TILEDB_DENSE);
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
    let (mut a, mut size) = ([0_i32; 8], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    let code = c!(tiledb_query_submit, numbers.program.ctx, query);
    numbers
        .program
        .fails(code, "Dense reads must have a subarray set");
    assert_eq!(numbers.status(query), TILEDB_FAILED);
}

#[test]
fn cells_with_equal_coordinates_are_named() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let code = numbers.write_sparse(&mut [4, 4], &mut [1, 2]);
    numbers
        .program
        .fails(code, "Duplicate coordinates (4) are not allowed");
}

#[test]
fn cells_out_of_order_are_named() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_WRITE);
    let query = numbers.query(array, TILEDB_WRITE, TILEDB_GLOBAL_ORDER);
    let (mut x, mut a, mut x_size, mut a_size) = ([5, 3], [1, 2], 0, 0);
    numbers
        .program
        .ok(numbers.set(query, c"x", &mut x, &mut x_size));
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut a_size));
    numbers.program.fails(
        c!(tiledb_query_submit, ctx, query),
        "Write failed; Coordinates (5) succeed (3) in the global order",
    );
}

#[test]
fn conditions_and_aggregates_see_the_same_cells() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let written = numbers.write_sparse(&mut [1, 2, 3, 4], &mut [10, 20, 30, 40]);
    numbers.program.ok(written);
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_UNORDERED);
    let condition = numbers
        .program
        .make(|place| c!(tiledb_query_condition_alloc, ctx, place));
    let value = 20_i32;
    let pointer = (&raw const value).cast();
    let name = c"a".as_ptr();
    let code = c!(
        tiledb_query_condition_init,
        ctx,
        condition,
        name,
        pointer,
        4,
        TILEDB_GT
    );
    numbers.program.ok(code);
    numbers
        .program
        .ok(c!(tiledb_query_set_condition, ctx, query, condition));
    let channel = numbers
        .program
        .make(|place| c!(tiledb_query_get_default_channel, ctx, query, place));
    let mut operator = std::ptr::null();
    numbers
        .program
        .ok(c!(tiledb_channel_operator_sum_get, ctx, &raw mut operator));
    let sum = numbers.program.make(|place| {
        c!(
            tiledb_create_unary_aggregate,
            ctx,
            query,
            operator,
            name,
            place
        )
    });
    let code = c!(
        tiledb_channel_apply_aggregate,
        ctx,
        channel,
        c"sum".as_ptr(),
        sum.cast_const()
    );
    numbers.program.ok(code);
    let (mut result, mut result_size) = ([0_i64], 0);
    numbers
        .program
        .ok(numbers.set(query, c"sum", &mut result, &mut result_size));
    let (mut a, mut size) = ([0_i32; 4], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));
    assert_eq!((size, &a[..2], result[0]), (8, &[30, 40][..], 70));
}

#[test]
fn wrong_handles_and_names_are_errors() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let code = c!(tiledb_query_submit, ctx, null_mut());
    numbers.program.fails(code, "Invalid TileDB query object");
    let mut array = numbers.open(TILEDB_READ);
    let mut query = numbers.query(array, TILEDB_READ, TILEDB_UNORDERED);
    let (mut a, mut size) = ([0_i32; 4], 0);
    let code = numbers.set(query, c"b", &mut a, &mut size);
    numbers.program.fails(code, "Invalid buffer name 'b'");
    let stale = query;
    c!(tiledb_query_free, &raw mut query);
    assert!(query.is_null());
    let code = c!(tiledb_query_submit, ctx, stale);
    numbers.program.fails(code, "freed before");
    let code = c!(tiledb_query_submit, ctx, array.cast());
    numbers.program.fails(code, "another kind");
    c!(tiledb_array_free, &raw mut array);
    assert_eq!(c!(tiledb_query_submit, null_mut(), stale), -3);
}

#[test]
fn writes_to_arrays_opened_for_reading_are_refused() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_READ);
    let mut query = null_mut();
    let code = c!(tiledb_query_alloc, ctx, array, TILEDB_WRITE, &raw mut query);
    numbers.program.fails(code, "does not match");
    numbers.program.ok(c!(tiledb_array_close, ctx, array));
    let code = c!(tiledb_query_alloc, ctx, array, TILEDB_READ, &raw mut query);
    numbers.program.fails(code, "not open");
}

#[test]
fn a_condition_that_is_wrong_is_refused_at_the_submission() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_UNORDERED);
    let condition = numbers
        .program
        .make(|place| c!(tiledb_query_condition_alloc, ctx, place));
    let (name, null) = (c"a".as_ptr(), std::ptr::null());
    let code = c!(
        tiledb_query_condition_init,
        ctx,
        condition,
        name,
        null,
        0,
        TILEDB_LT
    );
    numbers.program.ok(code);
    numbers
        .program
        .ok(c!(tiledb_query_set_condition, ctx, query, condition));
    let (mut a, mut size) = ([0_i32; 4], 0);
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut size));
    numbers.program.fails(
        c!(tiledb_query_submit, ctx, query),
        "can only be used with equality operators",
    );
}
