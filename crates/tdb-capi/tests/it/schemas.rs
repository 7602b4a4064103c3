use std::ffi::{CStr, CString};
use std::ptr::null_mut;

use tdb_capi::array::tiledb_array_create;
use tdb_capi::array_schema::*;
use tdb_capi::constants::*;
use tdb_capi::filter::*;
use tdb_capi::filter_list::*;

use crate::attributes::attribute;
use crate::dimensions::{domain, numbers};
use crate::program::{Program, c};

/// Creates a schema without dimensions and attributes.
pub(crate) fn empty(program: &Program, array_type: u32) -> *mut tiledb_array_schema_t {
    program.make(|place| c!(tiledb_array_schema_alloc, program.ctx, array_type, place))
}

/// Creates a schema with the dimension `x` and the attribute `a`.
pub(crate) fn schema(program: &Program, array_type: u32) -> *mut tiledb_array_schema_t {
    let ctx = program.ctx;
    let schema = empty(program, array_type);
    let domain = domain(program, &[numbers(program, c"x", [1, 8], 4)]);
    program.ok(c!(tiledb_array_schema_set_domain, ctx, schema, domain));
    let a = attribute(program, c"a", TILEDB_INT32);
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, schema, a));
    schema
}

/// Creates an array in a folder, and returns its URI.
pub(crate) fn create(
    program: &Program,
    folder: &tempfile::TempDir,
    schema: *mut tiledb_array_schema_t,
) -> CString {
    let uri = CString::new(folder.path().join("array").to_str().unwrap()).unwrap();
    program.ok(c!(tiledb_array_create, program.ctx, uri.as_ptr(), schema));
    uri
}

/// Loads the schema of an array.
pub(crate) fn load(program: &Program, uri: &CStr) -> *mut tiledb_array_schema_t {
    program.make(|place| c!(tiledb_array_schema_load, program.ctx, uri.as_ptr(), place))
}

fn describe(program: &Program, schema: *mut tiledb_array_schema_t) -> String {
    program.text(|place| c!(tiledb_array_schema_dump_str, program.ctx, schema, place))
}

#[test]
fn a_new_schema_has_the_defaults() {
    let program = Program::new();
    let schema = empty(&program, TILEDB_SPARSE);
    assert_eq!(
        describe(&program, schema),
        "- Array type: sparse\n- Cell order: row-major\n- Tile order: row-major\n- Capacity: 10000\n\
         - Allows duplicates: false\n- Coordinates filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n\
         - Offsets filters: 1\n  > ZSTD: COMPRESSION_LEVEL=-1\n- Validity filters: 1\n\
         \x20 > RLE: COMPRESSION_LEVEL=-1\n### Current domain ###\n- Version: 0\n- Empty: 1\n"
    );
    program.fails(
        c!(tiledb_array_schema_check, program.ctx, schema),
        "ArraySchema: Array schema check failed; Domain not set",
    );
}

#[test]
fn a_created_array_has_the_schema() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = schema(&program, TILEDB_SPARSE);
    program.ok(c!(tiledb_array_schema_set_capacity, ctx, made, 7));
    program.ok(c!(
        tiledb_array_schema_set_cell_order,
        ctx,
        made,
        TILEDB_HILBERT
    ));
    program.ok(c!(
        tiledb_array_schema_set_tile_order,
        ctx,
        made,
        TILEDB_COL_MAJOR
    ));
    program.ok(c!(tiledb_array_schema_set_allows_dups, ctx, made, 1));
    let list = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    let gzip = program.make(|place| c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_GZIP, place));
    program.ok(c!(tiledb_filter_list_add_filter, ctx, list, gzip));
    program.ok(c!(
        tiledb_array_schema_set_offsets_filter_list,
        ctx,
        made,
        list
    ));
    program.ok(c!(
        tiledb_array_schema_set_validity_filter_list,
        ctx,
        made,
        list
    ));
    program.ok(c!(
        tiledb_array_schema_set_coords_filter_list,
        ctx,
        made,
        list
    ));
    program.ok(c!(tiledb_array_schema_check, ctx, made));
    let loaded = load(&program, &create(&program, &folder, made));
    // Dimensions that have no filters get those of coordinates.
    let (before, inherited) = (
        "- Filters: 0\n\n### Att",
        "- Filters: 1\n  > GZIP: COMPRESSION_LEVEL=-1\n\n### Att",
    );
    let wanted = describe(&program, made).replacen(before, inherited, 1);
    assert_eq!(describe(&program, loaded), wanted);
    let count: u32 =
        program.value(|place| c!(tiledb_array_schema_get_attribute_num, ctx, loaded, place));
    assert_eq!(count, 1);
    let has = |name: &CStr| {
        let name = name.as_ptr();
        program.value(|place: *mut i32| {
            c!(tiledb_array_schema_has_attribute, ctx, loaded, name, place)
        })
    };
    assert_eq!((has(c"a"), has(c"x")), (1, 0));
    let (mut lo, mut hi) = (0, 0);
    program.ok(c!(
        tiledb_array_schema_timestamp_range,
        ctx,
        loaded,
        &raw mut lo,
        &raw mut hi
    ));
    assert!(lo > 0 && lo == hi);
    let mut none = null_mut();
    program.fails(
        c!(
            tiledb_array_schema_get_attribute_from_index,
            ctx,
            loaded,
            1,
            &raw mut none
        ),
        "Attribute index: 1 out of bounds given 1 attributes in array ",
    );
    program.fails(
        c!(
            tiledb_array_schema_get_attribute_from_name,
            ctx,
            loaded,
            c"x".as_ptr(),
            &raw mut none
        ),
        "Attribute name: x does not exist for array ",
    );
}

#[test]
fn an_array_begins_when_its_schema_says() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = program.make(|place| {
        c!(
            tiledb_array_schema_alloc_at_timestamp,
            ctx,
            TILEDB_DENSE,
            77,
            place
        )
    });
    let domain = domain(&program, &[numbers(&program, c"x", [1, 8], 4)]);
    program.ok(c!(tiledb_array_schema_set_domain, ctx, made, domain));
    let a = attribute(&program, c"a", TILEDB_INT32);
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, made, a));
    let loaded = load(&program, &create(&program, &folder, made));
    let (mut lo, mut hi) = (0, 0);
    program.ok(c!(
        tiledb_array_schema_timestamp_range,
        ctx,
        loaded,
        &raw mut lo,
        &raw mut hi
    ));
    assert_eq!((lo, hi), (77, 77));
}

#[test]
fn what_a_dense_array_cannot_have_is_refused() {
    let program = Program::new();
    let ctx = program.ctx;
    let dense = empty(&program, TILEDB_DENSE);
    program.fails(
        c!(
            tiledb_array_schema_set_cell_order,
            ctx,
            dense,
            TILEDB_HILBERT
        ),
        "Cannot set cell order; Hilbert order is only applicable to sparse arrays",
    );
    program.fails(
        c!(
            tiledb_array_schema_set_tile_order,
            ctx,
            dense,
            TILEDB_HILBERT
        ),
        "Cannot set tile order; Hilbert order is not applicable to tiles",
    );
    program.fails(
        c!(tiledb_array_schema_set_allows_dups, ctx, dense, 1),
        "Dense arrays cannot allow coordinate duplicates",
    );
    let none = domain(&program, &[]);
    program.fails(
        c!(tiledb_array_schema_set_domain, ctx, dense, none),
        "Domain must contain at least one dimension",
    );
    let domain = domain(&program, &[numbers(&program, c"x", [1, 8], 4)]);
    program.ok(c!(tiledb_array_schema_set_domain, ctx, dense, domain));
    program.fails(
        c!(tiledb_array_schema_check, ctx, dense),
        "No attributes provided",
    );
    let x = attribute(&program, c"x", TILEDB_INT32);
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, dense, x));
    program.fails(
        c!(tiledb_array_schema_check, ctx, dense),
        "must have unique names",
    );
    let reserved = attribute(&program, c"__x", TILEDB_INT32);
    program.fails(
        c!(tiledb_array_schema_add_attribute, ctx, dense, reserved),
        "names starting with '__' are reserved",
    );
}

#[test]
fn images_get_the_size_of_tiles() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = empty(&program, TILEDB_DENSE);
    let (y, x) = (
        numbers(&program, c"y", [1, 8], 4),
        numbers(&program, c"x", [1, 12], 6),
    );
    let domain = domain(&program, &[y, x]);
    program.ok(c!(tiledb_array_schema_set_domain, ctx, made, domain));
    let webp = program.make(|place| c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_WEBP, place));
    let rgb = 1_u8;
    let value = (&raw const rgb).cast();
    program.ok(c!(
        tiledb_filter_set_option,
        ctx,
        webp,
        TILEDB_WEBP_INPUT_FORMAT,
        value
    ));
    let list = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    program.ok(c!(tiledb_filter_list_add_filter, ctx, list, webp));
    let pixels = attribute(&program, c"a", TILEDB_UINT8);
    program.ok(c!(
        tdb_capi::attribute::tiledb_attribute_set_filter_list,
        ctx,
        pixels,
        list
    ));
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, made, pixels));
    let uri = create(&program, &folder, made);
    let schema = tdb::Context::new().schema(uri.to_str().unwrap()).unwrap();
    // The shape is at the end of the options: 4 rows of 6 bytes.
    assert_eq!(
        schema.attributes[0].filters.filters[0].options[6..10],
        [4, 0, 6, 0]
    );
}

#[test]
fn null_freed_and_wrong_handles_are_errors() {
    let program = Program::new();
    let ctx = program.ctx;
    let mut made = schema(&program, TILEDB_DENSE);
    let freed = made;
    let mut order = 0;
    program.fails(
        c!(tiledb_array_schema_get_tile_order, ctx, made, null_mut()),
        "null",
    );
    c!(tiledb_array_schema_free, &raw mut made);
    assert!(made.is_null());
    program.fails(
        c!(
            tiledb_array_schema_get_tile_order,
            ctx,
            freed,
            &raw mut order
        ),
        "freed before",
    );
    program.fails(
        c!(
            tiledb_array_schema_get_tile_order,
            ctx,
            ctx.cast(),
            &raw mut order
        ),
        "of another kind",
    );
    program.fails(c!(tiledb_array_schema_check, ctx, null_mut()), "null");
    let mut none = null_mut();
    program.fails(
        c!(tiledb_array_schema_alloc, ctx, 7, &raw mut none),
        "Invalid array type",
    );
    program.fails(
        c!(
            tiledb_array_schema_alloc_at_timestamp,
            ctx,
            0,
            0,
            &raw mut none
        ),
        "timestamp cannot be 0",
    );
    let nowhere = c"/nowhere/at/all".as_ptr();
    assert_eq!(
        c!(tiledb_array_schema_load, ctx, nowhere, &raw mut none),
        -1
    );
    assert!(none.is_null());
}
