use std::ptr::null_mut;

use tdb_capi::constants::*;
use tdb_capi::dimension_label::*;
use tdb_capi::filter::*;
use tdb_capi::filter_list::*;

use crate::program::{Program, c};
use crate::schemas::{create, load, schema};

#[test]
fn labels_have_arrays_with_filters_and_extents() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = schema(&program, TILEDB_DENSE);
    let name = c"l".as_ptr();
    let add = |index, name| {
        c!(
            tiledb_array_schema_add_dimension_label,
            ctx,
            made,
            index,
            name,
            TILEDB_INCREASING_DATA,
            TILEDB_FLOAT64
        )
    };
    program.ok(add(0, name));
    program.fails(add(0, name), "already exists");
    program.fails(add(1, c"m".as_ptr()), "Invalid dimension index");
    program.fails(add(0, c"a".as_ptr()), "already exists");
    let list = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    let gzip = program.make(|place| c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_GZIP, place));
    program.ok(c!(tiledb_filter_list_add_filter, ctx, list, gzip));
    program.ok(c!(
        tiledb_array_schema_set_dimension_label_filter_list,
        ctx,
        made,
        name,
        list
    ));
    let extent = 2_i32;
    let value = (&raw const extent).cast();
    let set = |kind| {
        c!(
            tiledb_array_schema_set_dimension_label_tile_extent,
            ctx,
            made,
            name,
            kind,
            value
        )
    };
    program.ok(set(TILEDB_INT32));
    program.fails(
        set(TILEDB_UINT32),
        "does not match the provided datatype 'UINT32'",
    );
    let uri = create(&program, &folder, made);
    let loaded = load(&program, &uri);
    let count: u64 = program.value(|place| {
        c!(
            tiledb_array_schema_get_dimension_label_num,
            ctx,
            loaded,
            place
        )
    });
    assert_eq!(count, 1);
    let label = program.make(|place| {
        c!(
            tiledb_array_schema_get_dimension_label_from_name,
            ctx,
            loaded,
            name,
            place
        )
    });
    let text = |get: unsafe extern "C" fn(_, _, *mut *const std::ffi::c_char) -> i32| {
        program.name(|place| c!(get, ctx, label, place))
    };
    assert_eq!(text(tiledb_dimension_label_get_name), "l");
    assert_eq!(text(tiledb_dimension_label_get_label_attr_name), "label");
    let place = text(tiledb_dimension_label_get_uri);
    assert_eq!(place, format!("{}/__labels/l0", uri.to_str().unwrap()));
    let of_label = tdb::Context::new().schema(&place).unwrap();
    assert_eq!(
        of_label.dimensions[0].extent.as_deref(),
        Some(&extent.to_le_bytes()[..])
    );
    assert_eq!(of_label.attributes[0].filters.filters.len(), 1);
    let mut none = null_mut();
    program.fails(
        c!(
            tiledb_array_schema_get_dimension_label_from_index,
            ctx,
            loaded,
            1,
            &raw mut none
        ),
        "No dimension label",
    );
}
