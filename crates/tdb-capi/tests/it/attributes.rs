use std::ffi::c_void;
use std::ptr::{null, null_mut};

use tdb_capi::attribute::*;
use tdb_capi::constants::*;
use tdb_capi::filter::*;
use tdb_capi::filter_list::*;

use crate::program::{Program, c};

pub(crate) fn attribute(
    program: &Program,
    name: &std::ffi::CStr,
    kind: u32,
) -> *mut tiledb_attribute_t {
    program.make(|place| {
        c!(
            tiledb_attribute_alloc,
            program.ctx,
            name.as_ptr(),
            kind,
            place
        )
    })
}

fn fill(program: &Program, attribute: *mut tiledb_attribute_t) -> Vec<u8> {
    let (mut value, mut size) = (null::<c_void>(), 0_u64);
    program.ok(c!(
        tiledb_attribute_get_fill_value,
        program.ctx,
        attribute,
        &raw mut value,
        &raw mut size
    ));
    // SAFETY: the value lives as long as the attribute.
    unsafe { std::slice::from_raw_parts(value.cast(), usize::try_from(size).unwrap()) }.to_vec()
}

#[test]
fn an_attribute_has_what_was_set() {
    let program = Program::new();
    let ctx = program.ctx;
    let a = attribute(&program, c"a", TILEDB_INT32);
    assert_eq!(
        program.name(|place| c!(tiledb_attribute_get_name, ctx, a, place)),
        "a"
    );
    assert_eq!(fill(&program, a), i32::MIN.to_le_bytes());
    let size: u64 = program.value(|place| c!(tiledb_attribute_get_cell_size, ctx, a, place));
    assert_eq!(size, 4);
    program.ok(c!(tiledb_attribute_set_cell_val_num, ctx, a, 2));
    assert_eq!(
        fill(&program, a),
        [i32::MIN.to_le_bytes(), i32::MIN.to_le_bytes()].concat()
    );
    let number = [7_i32, 8];
    let value = number.as_ptr().cast();
    program.ok(c!(tiledb_attribute_set_fill_value, ctx, a, value, 8));
    assert_eq!(
        fill(&program, a),
        [7_i32.to_le_bytes(), 8_i32.to_le_bytes()].concat()
    );
    program.fails(
        c!(tiledb_attribute_set_fill_value, ctx, a, value, 4),
        "Input size is not the same as cell size",
    );
    program.fails(
        c!(tiledb_attribute_set_fill_value, ctx, a, value, 0),
        "Input size cannot be 0",
    );
    program.fails(
        c!(
            tiledb_attribute_set_fill_value_nullable,
            ctx,
            a,
            value,
            8,
            1
        ),
        "Attribute is not nullable",
    );
    program.ok(c!(tiledb_attribute_set_nullable, ctx, a, 1));
    program.ok(c!(
        tiledb_attribute_set_fill_value_nullable,
        ctx,
        a,
        value,
        8,
        1
    ));
    assert_eq!(
        program.text(|place| c!(tiledb_attribute_dump_str, ctx, a, place)),
        "### Attribute ###\n- Name: a\n- Type: INT32\n- Nullable: true\n- Cell val num: 2\n- Filters: 0\n\
         - Fill value: 7, 8\n- Fill value validity: 1\n"
    );
}

#[test]
fn cells_of_any_size_have_no_size() {
    let program = Program::new();
    let ctx = program.ctx;
    let any = attribute(&program, c"x", TILEDB_ANY);
    let number: u32 = program.value(|place| c!(tiledb_attribute_get_cell_val_num, ctx, any, place));
    assert_eq!(number, u32::MAX);
    let size: u64 = program.value(|place| c!(tiledb_attribute_get_cell_size, ctx, any, place));
    assert_eq!(size, u64::MAX);
    program.fails(
        c!(tiledb_attribute_set_cell_val_num, ctx, any, 1),
        "always variable-sized",
    );
    let wide = attribute(&program, c"x", TILEDB_FLOAT64);
    program.fails(
        c!(tiledb_attribute_set_cell_val_num, ctx, wide, 0),
        "Cannot set zero values per cell",
    );
    // The fill value would have 32 GiB.
    program.fails(
        c!(tiledb_attribute_set_cell_val_num, ctx, wide, u32::MAX - 1),
        "a cell has at most",
    );
}

#[test]
fn filters_must_take_the_values() {
    let program = Program::new();
    let ctx = program.ctx;
    let list = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    let webp = program.make(|place| c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_WEBP, place));
    program.ok(c!(tiledb_filter_list_add_filter, ctx, list, webp));
    let a = attribute(&program, c"a", TILEDB_FLOAT32);
    program.fails(
        c!(tiledb_attribute_set_filter_list, ctx, a, list),
        "Filter: Filter WEBP does not accept input type FLOAT32",
    );
    let pixels = attribute(&program, c"a", TILEDB_UINT8);
    program.ok(c!(tiledb_attribute_set_filter_list, ctx, pixels, list));
    let copy = program.make(|place| c!(tiledb_attribute_get_filter_list, ctx, pixels, place));
    let count: u32 = program.value(|place| c!(tiledb_filter_list_get_nfilters, ctx, copy, place));
    assert_eq!(count, 1);
}

#[test]
fn null_freed_and_wrong_handles_are_errors() {
    let program = Program::new();
    let ctx = program.ctx;
    let mut a = attribute(&program, c"a", TILEDB_INT32);
    let (freed, mut kind) = (a, 0_u32);
    program.fails(
        c!(tiledb_attribute_get_type, ctx, a, null_mut()),
        "a pointer is null",
    );
    c!(tiledb_attribute_free, &raw mut a);
    program.fails(
        c!(tiledb_attribute_get_type, ctx, freed, &raw mut kind),
        "freed",
    );
    program.fails(c!(tiledb_attribute_get_type, ctx, a, &raw mut kind), "null");
    program.fails(
        c!(tiledb_attribute_get_type, ctx, ctx.cast(), &raw mut kind),
        "of another kind",
    );
    program.fails(
        c!(
            tiledb_attribute_alloc,
            ctx,
            null(),
            TILEDB_INT32,
            &raw mut a
        ),
        "a pointer is null",
    );
    program.fails(
        c!(tiledb_attribute_alloc, ctx, c"a".as_ptr(), 99, &raw mut a),
        "Invalid datatype",
    );
}
