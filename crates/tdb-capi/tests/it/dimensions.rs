use std::ffi::CStr;
use std::ptr::{null, null_mut};

use tdb_capi::constants::*;
use tdb_capi::dimension::*;
use tdb_capi::domain::*;

use crate::program::{Program, c};

/// Creates a dimension of numbers.
pub(crate) fn numbers(
    program: &Program,
    name: &CStr,
    ends: [i32; 2],
    extent: i32,
) -> *mut tiledb_dimension_t {
    program.make(|place| alloc(program, name, ends, extent, place))
}

fn alloc(
    program: &Program,
    name: &CStr,
    ends: [i32; 2],
    extent: i32,
    place: *mut *mut tiledb_dimension_t,
) -> i32 {
    let (ends, extent) = (ends.as_ptr().cast(), (&raw const extent).cast());
    c!(
        tiledb_dimension_alloc,
        program.ctx,
        name.as_ptr(),
        TILEDB_INT32,
        ends,
        extent,
        place
    )
}

/// Creates a domain of these dimensions.
pub(crate) fn domain(
    program: &Program,
    dimensions: &[*mut tiledb_dimension_t],
) -> *mut tiledb_domain_t {
    let domain = program.make(|place| c!(tiledb_domain_alloc, program.ctx, place));
    for dimension in dimensions {
        program.ok(c!(
            tiledb_domain_add_dimension,
            program.ctx,
            domain,
            *dimension
        ));
    }
    domain
}

#[test]
fn a_dimension_has_what_was_set() {
    let program = Program::new();
    let ctx = program.ctx;
    let x = numbers(&program, c"x", [-3, 9], 5);
    assert_eq!(
        program.name(|place| c!(tiledb_dimension_get_name, ctx, x, place)),
        "x"
    );
    let mut ends = null();
    program.ok(c!(tiledb_dimension_get_domain, ctx, x, &raw mut ends));
    // SAFETY: two numbers, as long as the dimension lives.
    assert_eq!(unsafe { ends.cast::<[i32; 2]>().read_unaligned() }, [-3, 9]);
    let mut extent = null();
    program.ok(c!(
        tiledb_dimension_get_tile_extent,
        ctx,
        x,
        &raw mut extent
    ));
    // SAFETY: one number, as long as the dimension lives.
    assert_eq!(unsafe { extent.cast::<i32>().read_unaligned() }, 5);
    assert_eq!(
        program.text(|place| c!(tiledb_dimension_dump_str, ctx, x, place)),
        "### Dimension ###\n- Name: x\n- Type: INT32\n- Cell val num: 1\n- Domain: [-3, 9]\n- Tile extent: 5\n\
         - Filters: 0\n"
    );
    program.ok(c!(tiledb_dimension_set_cell_val_num, ctx, x, 1));
    program.fails(
        c!(tiledb_dimension_set_cell_val_num, ctx, x, 2),
        "only one value per coordinate",
    );
}

#[test]
fn strings_have_neither_domain_nor_extent() {
    let program = Program::new();
    let ctx = program.ctx;
    let make = |ends, place| {
        let name = c"s".as_ptr();
        c!(
            tiledb_dimension_alloc,
            ctx,
            name,
            TILEDB_STRING_ASCII,
            ends,
            null(),
            place
        )
    };
    let s = program.make(|place| make(null(), place));
    let mut ends = c"s".as_ptr().cast();
    program.ok(c!(tiledb_dimension_get_domain, ctx, s, &raw mut ends));
    assert!(ends.is_null());
    let mut wrong = null_mut();
    program.fails(
        make(c"ab".as_ptr().cast(), &raw mut wrong),
        "Setting the domain to a dimension with type 'STRING_ASCII' is not supported",
    );
}

#[test]
fn wrong_domains_and_extents_are_refused() {
    let program = Program::new();
    let mut wrong = null_mut();
    let mut fails = |ends, extent, text| {
        program.fails(alloc(&program, c"x", ends, extent, &raw mut wrong), text);
    };
    fails([3, 1], 1, "Upper domain bound should not be smaller");
    fails(
        [0, 10],
        0,
        "Dimension: Tile extent check failed on dimension 'x'; Tile extent must not be 0",
    );
    fails(
        [0, 10],
        12,
        "Tile extent 12 exceeds range on dimension domain [0, 10]",
    );
    fails([0, 10], -1, "Tile extent -1 exceeds range");
    fails(
        [i32::MIN, i32::MAX],
        1,
        "larger than the maximum unsigned number",
    );
    let (ends, name) = ([0_i64, i64::MAX - 1], c"x".as_ptr());
    let extent = 5_i64;
    let (ends, extent) = (ends.as_ptr().cast(), (&raw const extent).cast());
    let ctx = program.ctx;
    program.fails(
        c!(
            tiledb_dimension_alloc,
            ctx,
            name,
            TILEDB_INT64,
            ends,
            extent,
            &raw mut wrong
        ),
        "Reduce domain max by 1 tile extent",
    );
    program.fails(
        c!(
            tiledb_dimension_alloc,
            ctx,
            name,
            TILEDB_INT64,
            null(),
            extent,
            &raw mut wrong
        ),
        "Domain must be set first",
    );
    program.fails(
        c!(
            tiledb_dimension_alloc,
            ctx,
            name,
            TILEDB_BLOB,
            ends,
            extent,
            &raw mut wrong
        ),
        "is not a valid Dimension Datatype",
    );
    assert!(wrong.is_null());
}

#[test]
fn a_domain_and_handles_share_dimensions() {
    let program = Program::new();
    let ctx = program.ctx;
    let all = domain(
        &program,
        &[
            numbers(&program, c"x", [0, 9], 1),
            numbers(&program, c"y", [0, 9], 2),
        ],
    );
    let count: u32 = program.value(|place| c!(tiledb_domain_get_ndim, ctx, all, place));
    assert_eq!(count, 2);
    let kind: u32 = program.value(|place| c!(tiledb_domain_get_type, ctx, all, place));
    assert_eq!(kind, TILEDB_INT32);
    let y = program.make(|place| c!(tiledb_domain_get_dimension_from_index, ctx, all, 1, place));
    let list =
        program.make(|place| c!(tdb_capi::filter_list::tiledb_filter_list_alloc, ctx, place));
    let rle = program.make(|place| {
        c!(
            tdb_capi::filter::tiledb_filter_alloc,
            ctx,
            TILEDB_FILTER_RLE,
            place
        )
    });
    program.ok(c!(
        tdb_capi::filter_list::tiledb_filter_list_add_filter,
        ctx,
        list,
        rle
    ));
    program.ok(c!(tiledb_dimension_set_filter_list, ctx, y, list));
    let text = program.text(|place| c!(tiledb_domain_dump_str, ctx, all, place));
    assert!(
        text.ends_with("- Filters: 1\n  > RLE: COMPRESSION_LEVEL=-1\n"),
        "{text}"
    );
    let has = |name: &CStr| {
        program.value(|place: *mut i32| {
            c!(tiledb_domain_has_dimension, ctx, all, name.as_ptr(), place)
        })
    };
    assert_eq!((has(c"y"), has(c"z")), (1, 0));
    let mut none = null_mut();
    program.fails(
        c!(
            tiledb_domain_get_dimension_from_index,
            ctx,
            all,
            2,
            &raw mut none
        ),
        "Dimension index 2 is out of bounds; valid indices are 0 to 1",
    );
    program.fails(
        c!(
            tiledb_domain_get_dimension_from_name,
            ctx,
            all,
            c"z".as_ptr(),
            &raw mut none
        ),
        "Dimension 'z' does not exist",
    );
    program.fails(
        c!(tiledb_domain_add_dimension, ctx, all, null_mut()),
        "null",
    );
    program.fails(
        c!(tiledb_domain_add_dimension, ctx, all, all.cast()),
        "of another kind",
    );
    let empty = domain(&program, &[]);
    let mut kind = 0;
    program.fails(
        c!(tiledb_domain_get_type, ctx, empty, &raw mut kind),
        "Domain has no dimensions",
    );
}
