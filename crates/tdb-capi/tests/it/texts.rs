//! Cells of text: estimated sizes of results, and buffers.

use std::ffi::c_void;

use tdb_capi::array::*;
use tdb_capi::array_schema::*;
use tdb_capi::attribute::*;
use tdb_capi::config::*;
use tdb_capi::constants::*;
use tdb_capi::filter::*;
use tdb_capi::filter_list::*;
use tdb_capi::query::estimate::*;
use tdb_capi::query::fields::*;
use tdb_capi::query::*;

use crate::attributes::attribute;
use crate::program::{Program, c};
use crate::schemas::{create, schema};

/// The values of the written cells: 4 MB of equal letters.
const WRITTEN: usize = 4 << 20;

/// Opens a dense array of 8 cells for reading. It has the compressed texts `t`, of which four cells were written.
fn texts(program: &Program, folder: &tempfile::TempDir) -> *mut tiledb_array_t {
    let ctx = program.ctx;
    let t = attribute(program, c"t", TILEDB_CHAR);
    program.ok(c!(tiledb_attribute_set_cell_val_num, ctx, t, u32::MAX));
    let zstd = program.make(|place| c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_ZSTD, place));
    let filters = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    program.ok(c!(tiledb_filter_list_add_filter, ctx, filters, zstd));
    program.ok(c!(tiledb_attribute_set_filter_list, ctx, t, filters));
    let texts = schema(program, TILEDB_DENSE);
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, texts, t));
    let uri = create(program, folder, texts);
    let array = program.make(|place| c!(tiledb_array_alloc, ctx, uri.as_ptr(), place));
    program.ok(c!(tiledb_array_open, ctx, array, TILEDB_WRITE));
    write(program, array);
    program.ok(c!(tiledb_array_close, ctx, array));
    program.ok(c!(tiledb_array_open, ctx, array, TILEDB_READ));
    array
}

fn write(program: &Program, array: *mut tiledb_array_t) {
    let ctx = program.ctx;
    let query = program.make(|place| c!(tiledb_query_alloc, ctx, array, TILEDB_WRITE, place));
    let subarray = first_half(program, array);
    program.ok(c!(tiledb_query_set_subarray_t, ctx, query, subarray));
    let (mut a, mut a_size) = ([1_i32; 4], 16_u64);
    let (mut values, mut size) = (vec![b'x'; WRITTEN], WRITTEN as u64);
    let (mut offsets, mut offsets_size) = ([0_u64, 1, 2, 3], 32_u64);
    let (name, offset) = (c"t".as_ptr(), offsets.as_mut_ptr());
    let place = a.as_mut_ptr().cast::<c_void>();
    program.ok(c!(
        tiledb_query_set_data_buffer,
        ctx,
        query,
        c"a".as_ptr(),
        place,
        &raw mut a_size
    ));
    let place = values.as_mut_ptr().cast::<c_void>();
    program.ok(c!(
        tiledb_query_set_data_buffer,
        ctx,
        query,
        name,
        place,
        &raw mut size
    ));
    let code = c!(
        tiledb_query_set_offsets_buffer,
        ctx,
        query,
        name,
        offset,
        &raw mut offsets_size
    );
    program.ok(code);
    program.ok(c!(tiledb_query_submit, ctx, query));
}

/// Selects the cells 1 to 4.
fn first_half(
    program: &Program,
    array: *mut tiledb_array_t,
) -> *mut tdb_capi::subarray::tiledb_subarray_t {
    let ctx = program.ctx;
    let subarray = program.make(|place| {
        c!(
            tdb_capi::subarray::tiledb_subarray_alloc,
            ctx,
            array.cast_const(),
            place
        )
    });
    let range = [1_i32, 4];
    let range = range.as_ptr().cast();
    program.ok(c!(
        tdb_capi::subarray::tiledb_subarray_set_subarray,
        ctx,
        subarray,
        range
    ));
    subarray
}

#[test]
fn an_offsets_buffer_without_room_for_one_cell_and_its_end_is_an_error() {
    let (program, folder) = (Program::new(), tempfile::tempdir().unwrap());
    let ctx = program.ctx;
    let array = texts(&program, &folder);
    let query = program.make(|place| c!(tiledb_query_alloc, ctx, array, TILEDB_READ, place));
    let mut error = std::ptr::null_mut();
    let mut config = std::ptr::null_mut();
    assert_eq!(c!(tiledb_config_alloc, &raw mut config, &raw mut error), 0);
    let name = c"sm.var_offsets.extra_element".as_ptr();
    let code = c!(
        tiledb_config_set,
        config,
        name,
        c"true".as_ptr(),
        &raw mut error
    );
    assert_eq!(code, 0);
    program.ok(c!(tiledb_query_set_config, ctx, query, config));
    let subarray = first_half(&program, array);
    program.ok(c!(tiledb_query_set_subarray_t, ctx, query, subarray));
    let (mut offsets, mut offsets_size) = ([0_u64; 1], 8_u64);
    let (mut values, mut size) = (vec![0_u8; WRITTEN], WRITTEN as u64);
    let name = c"t".as_ptr();
    let place = values.as_mut_ptr().cast::<c_void>();
    program.ok(c!(
        tiledb_query_set_data_buffer,
        ctx,
        query,
        name,
        place,
        &raw mut size
    ));
    let place = offsets.as_mut_ptr();
    program.ok(c!(
        tiledb_query_set_offsets_buffer,
        ctx,
        query,
        name,
        place,
        &raw mut offsets_size
    ));
    let code = c!(tiledb_query_submit, ctx, query);
    program.fails(
        code,
        "the offsets buffer of 't' has 8 bytes, and a cell needs 16",
    );
}

#[test]
fn estimates_hold_all_cells_however_well_they_are_compressed() {
    let (program, folder) = (Program::new(), tempfile::tempdir().unwrap());
    let ctx = program.ctx;
    let array = texts(&program, &folder);
    let query = program.make(|place| c!(tiledb_query_alloc, ctx, array, TILEDB_READ, place));
    let subarray = first_half(&program, array);
    program.ok(c!(tiledb_query_set_subarray_t, ctx, query, subarray));
    let (mut offsets, mut values) = (0, 0);
    let name = c"t".as_ptr();
    let code = c!(
        tiledb_query_get_est_result_size_var,
        ctx,
        query,
        name,
        &raw mut offsets,
        &raw mut values
    );
    program.ok(code);
    assert_eq!(offsets, 32);
    let bounds = WRITTEN as u64..WRITTEN as u64 + 1024;
    assert!(bounds.contains(&values), "{values}");
    let mut fixed = 0;
    program.ok(c!(
        tiledb_query_get_est_result_size,
        ctx,
        query,
        c"a".as_ptr(),
        &raw mut fixed
    ));
    assert_eq!(fixed, 16);
    let code = c!(
        tiledb_query_get_est_result_size,
        ctx,
        query,
        c"b".as_ptr(),
        &raw mut fixed
    );
    program.fails(code, "Field 'b' does not exist");
}
