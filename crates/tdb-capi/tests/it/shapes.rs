use std::ffi::c_void;
use std::ptr::{null, null_mut};

use tdb_capi::constants::*;
use tdb_capi::current_domain::*;

use crate::dimensions::{domain, numbers};
use crate::program::{Program, c};
use crate::schemas::{create, load, schema};

/// Creates a rectangle over the dimension `x` of `1..=8`.
pub(crate) fn rectangle(program: &Program) -> *mut tiledb_ndrectangle_t {
    let domain = domain(program, &[numbers(program, c"x", [1, 8], 4)]);
    program.make(|place| c!(tiledb_ndrectangle_alloc, program.ctx, domain, place))
}

/// Sets the range of the first dimension.
pub(crate) fn set(program: &Program, rectangle: *mut tiledb_ndrectangle_t, ends: [i32; 2]) -> i32 {
    let [lo, hi] = &ends;
    let mut range = tiledb_range_t {
        min: (&raw const *lo).cast::<c_void>(),
        min_size: 4,
        max: (&raw const *hi).cast::<c_void>(),
        max_size: 4,
    };
    c!(
        tiledb_ndrectangle_set_range,
        program.ctx,
        rectangle,
        0,
        &raw mut range
    )
}

/// Creates a current domain of this range.
pub(crate) fn current_domain(program: &Program, ends: [i32; 2]) -> *mut tiledb_current_domain_t {
    let ctx = program.ctx;
    let rectangle = rectangle(program);
    program.ok(set(program, rectangle, ends));
    let made = program.make(|place| c!(tiledb_current_domain_create, ctx, place));
    program.ok(c!(
        tiledb_current_domain_set_ndrectangle,
        ctx,
        made,
        rectangle
    ));
    made
}

fn nothing() -> tiledb_range_t {
    tiledb_range_t {
        min: null(),
        min_size: 0,
        max: null(),
        max_size: 0,
    }
}

#[test]
fn a_rectangle_has_the_ranges_that_were_set() {
    let program = Program::new();
    let ctx = program.ctx;
    let rectangle = rectangle(&program);
    let mut range = nothing();
    program.ok(c!(
        tiledb_ndrectangle_get_range,
        ctx,
        rectangle,
        0,
        &raw mut range
    ));
    assert!(range.min.is_null() && range.min_size == 0);
    program.ok(set(&program, rectangle, [2, 5]));
    let name = c"x".as_ptr();
    program.ok(c!(
        tiledb_ndrectangle_get_range_from_name,
        ctx,
        rectangle,
        name,
        &raw mut range
    ));
    assert_eq!((range.min_size, range.max_size), (4, 4));
    // SAFETY: a number, as long as the rectangle lives.
    assert_eq!(unsafe { range.max.cast::<i32>().read_unaligned() }, 5);
    assert_eq!(
        program.text(|place| c!(tiledb_ndrectangle_dump_str, ctx, rectangle, place)),
        " - NDRectangle ###\n  - [2, 5]\n"
    );
    program.fails(
        set(&program, rectangle, [5, 2]),
        "cannot be larger than the higher bound",
    );
    let mut unset = nothing();
    range.min_size = 3;
    program.fails(
        c!(
            tiledb_ndrectangle_set_range,
            ctx,
            rectangle,
            0,
            &raw mut range
        ),
        "does not match the expected size",
    );
    program.fails(
        c!(
            tiledb_ndrectangle_set_range,
            ctx,
            rectangle,
            1,
            &raw mut range
        ),
        "out of bounds",
    );
    program.fails(
        c!(
            tiledb_ndrectangle_set_range,
            ctx,
            rectangle,
            0,
            &raw mut unset
        ),
        "Range is empty",
    );
    program.fails(
        c!(tiledb_ndrectangle_set_range, ctx, rectangle, 0, null_mut()),
        "a pointer is null",
    );
}

#[test]
fn a_current_domain_is_set_once_and_shared() {
    let program = Program::new();
    let ctx = program.ctx;
    let empty = program.make(|place| c!(tiledb_current_domain_create, ctx, place));
    let is_empty = |handle| {
        program.value(|place: *mut u32| c!(tiledb_current_domain_get_is_empty, ctx, handle, place))
    };
    assert_eq!(is_empty(empty), 1);
    let mut none = null_mut();
    program.fails(
        c!(
            tiledb_current_domain_get_ndrectangle,
            ctx,
            empty,
            &raw mut none
        ),
        "if one isn't set",
    );
    let rectangle = rectangle(&program);
    program.ok(c!(
        tiledb_current_domain_set_ndrectangle,
        ctx,
        empty,
        rectangle
    ));
    assert_eq!(is_empty(empty), 0);
    // The range is set after the rectangle was given away.
    program.ok(set(&program, rectangle, [3, 4]));
    assert_eq!(
        program.text(|place| c!(tiledb_current_domain_dump_str, ctx, empty, place)),
        "### Current domain ###\n- Version: 0\n- Empty: 0\n- Type: NDRECTANGLE\n - NDRectangle ###\n  - [3, 4]\n"
    );
    program.fails(
        c!(tiledb_current_domain_set_ndrectangle, ctx, empty, rectangle),
        "non-empty CurrentDomain",
    );
}

#[test]
fn an_array_keeps_its_current_domain() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = schema(&program, TILEDB_DENSE);
    let wide = current_domain(&program, [2, 9]);
    program.ok(c!(tiledb_array_schema_set_current_domain, ctx, made, wide));
    let uri = c"/nowhere".as_ptr();
    program.fails(
        c!(tdb_capi::array::tiledb_array_create, ctx, uri, made),
        "past the boundaries of the array schema domain",
    );
    let narrow = current_domain(&program, [2, 3]);
    program.ok(c!(
        tiledb_array_schema_set_current_domain,
        ctx,
        made,
        narrow
    ));
    let loaded = load(&program, &create(&program, &folder, made));
    let found =
        program.make(|place| c!(tiledb_array_schema_get_current_domain, ctx, loaded, place));
    let text = program.text(|place| c!(tiledb_current_domain_dump_str, ctx, found, place));
    assert!(text.ends_with("  - [2, 3]\n"), "{text}");
}
