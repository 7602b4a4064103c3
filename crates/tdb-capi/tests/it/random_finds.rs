//! Answers that differed from TileDB's when random programs over TileDB-Py were run.

use std::ffi::c_void;
use std::ptr::null;

use tdb_capi::aggregate::*;
use tdb_capi::array_schema::*;
use tdb_capi::attribute::{tiledb_attribute_set_cell_val_num, tiledb_attribute_t};
use tdb_capi::config::*;
use tdb_capi::constants::*;
use tdb_capi::dimension::tiledb_dimension_alloc;
use tdb_capi::query::fields::*;
use tdb_capi::query::*;
use tdb_capi::subarray::*;

use crate::attributes::attribute;
use crate::dimensions::domain;
use crate::program::{Program, c};
use crate::queries::Numbers;
use crate::schemas::{empty, schema};

/// Creates a sparse schema with a dimension `x` of text.
fn texts(program: &Program) -> *mut tiledb_array_schema_t {
    let (ctx, schema) = (program.ctx, empty(program, TILEDB_SPARSE));
    let x = program.make(|place| {
        let (name, kind) = (c"x".as_ptr(), TILEDB_STRING_ASCII);
        c!(
            tiledb_dimension_alloc,
            ctx,
            name,
            kind,
            null(),
            null(),
            place
        )
    });
    let domain = domain(program, &[x]);
    program.ok(c!(tiledb_array_schema_set_domain, ctx, schema, domain));
    add(program, schema, attribute(program, c"a", TILEDB_INT32));
    schema
}

fn add(program: &Program, schema: *mut tiledb_array_schema_t, attribute: *mut tiledb_attribute_t) {
    program.ok(c!(
        tiledb_array_schema_add_attribute,
        program.ctx,
        schema,
        attribute
    ));
}

fn add_text_range(numbers: &Numbers, subarray: *mut tiledb_subarray_t, lo: &str, hi: &str) {
    let code = c!(
        tiledb_subarray_add_range_var,
        numbers.program.ctx,
        subarray,
        0,
        lo.as_ptr().cast(),
        lo.len() as u64,
        hi.as_ptr().cast(),
        hi.len() as u64
    );
    numbers.program.ok(code);
}

#[test]
fn an_empty_text_is_a_range_of_its_own() {
    let numbers = Numbers::of(texts);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_WRITE);
    let query = numbers.query(array, TILEDB_WRITE, TILEDB_UNORDERED);
    let (mut x, mut x_size) = (*b"ab", 0);
    let (mut offsets, mut offsets_size) = ([0_u64, 1], 16);
    let (mut a, mut a_size) = ([1, 2], 0);
    let code = c!(
        tiledb_query_set_offsets_buffer,
        ctx,
        query,
        c"x".as_ptr(),
        offsets.as_mut_ptr(),
        &raw mut offsets_size
    );
    numbers.program.ok(code);
    numbers
        .program
        .ok(numbers.set(query, c"x", &mut x, &mut x_size));
    numbers
        .program
        .ok(numbers.set(query, c"a", &mut a, &mut a_size));
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));

    let found = |lo: &str, hi: &str| {
        let array = numbers.open(TILEDB_READ);
        let subarray = numbers
            .program
            .make(|place| c!(tiledb_subarray_alloc, ctx, array.cast_const(), place));
        add_text_range(&numbers, subarray, lo, hi);
        let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
        let set = c!(tiledb_query_set_subarray_t, ctx, query, subarray);
        numbers.program.ok(set);
        let (mut a, mut size) = ([0_i32; 2], 0);
        numbers
            .program
            .ok(numbers.set(query, c"a", &mut a, &mut size));
        numbers.program.ok(c!(tiledb_query_submit, ctx, query));
        a[..usize::try_from(size).unwrap() / 4].to_vec()
    };
    assert!(found("", "").is_empty());
    assert_eq!(found("", "a"), [1]);
    assert_eq!(found("", "b"), [1, 2]);
}

#[test]
fn a_read_without_buffers_is_an_error() {
    for kind in [TILEDB_SPARSE, TILEDB_DENSE] {
        let numbers = Numbers::new(kind);
        let array = numbers.open(TILEDB_READ);
        let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
        let code = c!(tiledb_query_submit, numbers.program.ctx, query);
        numbers.program.fails(code, "Buffers not set");
    }
}

#[test]
fn without_cells_there_is_no_end_of_the_last_one() {
    let numbers = Numbers::of(|program| {
        let schema = schema(program, TILEDB_SPARSE);
        let b = attribute(program, c"b", TILEDB_INT8);
        let var = c!(tiledb_attribute_set_cell_val_num, program.ctx, b, u32::MAX);
        program.ok(var);
        add(program, schema, b);
        schema
    });
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_ROW_MAJOR);
    let mut config = std::ptr::null_mut();
    let mut error = std::ptr::null_mut();
    c!(tiledb_config_alloc, &raw mut config, &raw mut error);
    let (name, value) = (c"sm.var_offsets.extra_element", c"true");
    let code = c!(
        tiledb_config_set,
        config,
        name.as_ptr(),
        value.as_ptr(),
        &raw mut error
    );
    assert_eq!(code, 0);
    numbers
        .program
        .ok(c!(tiledb_query_set_config, ctx, query, config));
    let (mut b, mut size) = ([0_i8; 4], 0);
    let (mut offsets, mut offsets_size) = ([7_u64; 4], 32);
    numbers
        .program
        .ok(numbers.set(query, c"b", &mut b, &mut size));
    let code = c!(
        tiledb_query_set_offsets_buffer,
        ctx,
        query,
        c"b".as_ptr(),
        offsets.as_mut_ptr(),
        &raw mut offsets_size
    );
    numbers.program.ok(code);
    numbers.program.ok(c!(tiledb_query_submit, ctx, query));
    assert_eq!((size, offsets_size, offsets), (0, 0, [7; 4]));
}

#[test]
fn ranges_that_overlap_are_one_in_global_order() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let written = numbers.write_sparse(&mut [1, 4, 8], &mut [10, 40, 80]);
    numbers.program.ok(written);
    let submit = |ranges: &[(i32, i32)]| {
        let array = numbers.open(TILEDB_READ);
        let subarray = numbers
            .program
            .make(|place| c!(tiledb_subarray_alloc, ctx, array.cast_const(), place));
        for (lo, hi) in ranges {
            let lo: *const c_void = (&raw const *lo).cast();
            let hi: *const c_void = (&raw const *hi).cast();
            let code = c!(tiledb_subarray_add_range, ctx, subarray, 0, lo, hi, null());
            numbers.program.ok(code);
        }
        let query = numbers.query(array, TILEDB_READ, TILEDB_GLOBAL_ORDER);
        let set = c!(tiledb_query_set_subarray_t, ctx, query, subarray);
        numbers.program.ok(set);
        let (mut a, mut size) = ([0_i32; 4], 0);
        numbers
            .program
            .ok(numbers.set(query, c"a", &mut a, &mut size));
        let code = c!(tiledb_query_submit, ctx, query);
        (code, a[..usize::try_from(size).unwrap() / 4].to_vec())
    };
    assert_eq!(submit(&[(4, 4), (1, 6), (5, 7)]), (0, vec![10, 40]));
    assert_eq!(submit(&[(1, 2), (4, 8)]).0, -1);
    let error = numbers.program.last_error();
    assert!(error.contains("Multi-range reads"), "{error}");
}

#[test]
fn ranges_beyond_the_domain_are_errors_unless_they_are_to_be_cut() {
    let numbers = Numbers::new(TILEDB_SPARSE);
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_READ);
    let subarray = numbers
        .program
        .make(|place| c!(tiledb_subarray_alloc, ctx, array.cast_const(), place));
    let (lo, hi) = (4_i32, 9_i32);
    let add = || {
        let (lo, hi) = ((&raw const lo).cast(), (&raw const hi).cast());
        c!(tiledb_subarray_add_range, ctx, subarray, 0, lo, hi, null())
    };
    numbers.program.fails(add(), "out of bounds of the domain");
    let (mut config, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
    c!(tiledb_config_alloc, &raw mut config, &raw mut error);
    let code = c!(tiledb_subarray_set_config, ctx, subarray, config);
    numbers.program.ok(code);
    numbers.program.ok(add());
}

#[test]
fn aggregates_are_of_numbers_and_ascii() {
    let numbers = Numbers::of(|program| {
        let schema = schema(program, TILEDB_SPARSE);
        for (name, kind, values) in [
            (c"flag", TILEDB_BOOL, 1),
            (c"pair", TILEDB_INT32, 2),
            (c"text", TILEDB_STRING_UTF8, u32::MAX),
            (c"ascii", TILEDB_STRING_ASCII, u32::MAX),
        ] {
            let made = attribute(program, name, kind);
            let set = c!(tiledb_attribute_set_cell_val_num, program.ctx, made, values);
            program.ok(set);
            add(program, schema, made);
        }
        schema
    });
    let ctx = numbers.program.ctx;
    let array = numbers.open(TILEDB_READ);
    let query = numbers.query(array, TILEDB_READ, TILEDB_UNORDERED);
    let (mut sum, mut max) = (null(), null());
    let program = &numbers.program;
    program.ok(c!(tiledb_channel_operator_sum_get, ctx, &raw mut sum));
    program.ok(c!(tiledb_channel_operator_max_get, ctx, &raw mut max));
    let make = |operator, name: &std::ffi::CStr| {
        let (mut made, name) = (std::ptr::null_mut(), name.as_ptr());
        c!(
            tiledb_create_unary_aggregate,
            ctx,
            query,
            operator,
            name,
            &raw mut made
        )
    };
    assert_eq!(
        [make(sum, c"a"), make(max, c"a"), make(max, c"ascii")],
        [0; 3]
    );
    for name in [c"flag", c"pair", c"text"] {
        assert_eq!([make(sum, name), make(max, name)], [-1; 2], "{name:?}");
    }
    assert_eq!(make(sum, c"ascii"), -1);
}
