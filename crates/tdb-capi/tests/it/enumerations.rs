use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use tdb_capi::array_schema::*;
use tdb_capi::constants::*;
use tdb_capi::enumeration::*;

use crate::attributes::attribute;
use crate::program::{Program, c};
use crate::schemas::{create, load, schema};

fn alloc(
    program: &Program,
    name: &CStr,
    data: &[u8],
    offsets: &[u64],
    place: *mut *mut tiledb_enumeration_t,
) -> i32 {
    let (kind, var, ordered) = (TILEDB_STRING_UTF8, u32::MAX, 1);
    c!(
        tiledb_enumeration_alloc,
        program.ctx,
        name.as_ptr(),
        kind,
        var,
        ordered,
        data.as_ptr().cast(),
        data.len() as u64,
        offsets.as_ptr().cast(),
        size_of_val(offsets) as u64,
        place
    )
}

/// Creates an enumeration of the texts `ab` and `c`.
pub(crate) fn texts(program: &Program, name: &CStr) -> *mut tiledb_enumeration_t {
    program.make(|place| alloc(program, name, b"abc", &[0, 2], place))
}

#[test]
fn an_enumeration_has_its_values() {
    let program = Program::new();
    let ctx = program.ctx;
    let e = texts(&program, c"e");
    assert_eq!(
        program.text(|place| c!(tiledb_enumeration_get_name, ctx, e, place)),
        "e"
    );
    let (mut data, mut size) = (null::<c_void>(), 0);
    program.ok(c!(
        tiledb_enumeration_get_data,
        ctx,
        e,
        &raw mut data,
        &raw mut size
    ));
    assert_eq!(size, 3);
    // SAFETY: three bytes, as long as the enumeration lives.
    assert_eq!(unsafe { data.cast::<[u8; 3]>().read() }, *b"abc");
    program.ok(c!(
        tiledb_enumeration_get_offsets,
        ctx,
        e,
        &raw mut data,
        &raw mut size
    ));
    assert_eq!(size, 16);
    assert!(data.cast::<u64>().is_aligned());
    // SAFETY: two aligned numbers, as long as the enumeration lives.
    assert_eq!(unsafe { data.cast::<[u64; 2]>().read() }, [0, 2]);
    let find = |value: &[u8]| {
        let (mut exist, mut index) = (0, 0);
        let (value, size) = (value.as_ptr().cast(), value.len() as u64);
        program.ok(c!(
            tiledb_enumeration_get_value_index,
            ctx,
            e,
            value,
            size,
            &raw mut exist,
            &raw mut index
        ));
        (exist, index)
    };
    assert_eq!((find(b"c"), find(b"b")), ((1, 1), (0, u64::MAX)));
    assert_eq!(
        program.text(|place| c!(tiledb_enumeration_dump_str, ctx, e, place)),
        "### Enumeration ###\n- Name: e\n- Type: STRING_UTF8\n- Cell Val Num: 4294967295\n- Ordered: true\n\
         - Element Count: 2\n"
    );
}

#[test]
fn more_values_come_after_the_old_ones() {
    let program = Program::new();
    let ctx = program.ctx;
    let e = texts(&program, c"e");
    let (data, offsets) = (b"def", [0_u64, 1]);
    let extend = |offsets_size, place| {
        c!(
            tiledb_enumeration_extend,
            ctx,
            e,
            data.as_ptr().cast(),
            3,
            offsets.as_ptr().cast(),
            offsets_size,
            place
        )
    };
    let more = program.make(|place| extend(16, place));
    let (mut data, mut size) = (null::<c_void>(), 0);
    program.ok(c!(
        tiledb_enumeration_get_data,
        ctx,
        more,
        &raw mut data,
        &raw mut size
    ));
    assert_eq!(size, 6);
    program.ok(c!(
        tiledb_enumeration_get_offsets,
        ctx,
        more,
        &raw mut data,
        &raw mut size
    ));
    // SAFETY: four aligned numbers, as long as the enumeration lives.
    assert_eq!(unsafe { data.cast::<[u64; 4]>().read() }, [0, 2, 3, 4]);
    let mut wrong = null_mut();
    program.fails(
        extend(15, &raw mut wrong),
        "not a multiple of sizeof(uint64_t)",
    );
    program.fails(extend(0, &raw mut wrong), "non-zero");
}

#[test]
fn wrong_values_are_refused() {
    let program = Program::new();
    let mut wrong = null_mut();
    let mut fails = |data: &[u8], offsets: &[u64], text| {
        program.fails(alloc(&program, c"e", data, offsets, &raw mut wrong), text);
    };
    fails(b"aa", &[0, 1], "twice");
    fails(
        b"ab",
        &[0, 3],
        "data_size is smaller than the last provided offset",
    );
    fails(b"ab", &[0, 2, 1], "offsets decrease");
    fails(b"ab", &[1], "the first value starts at 0");
    fails(b"ab", &[], "require a non-zero offsets size");
    program.fails(
        alloc(&program, c"", b"a", &[0], &raw mut wrong),
        "Enumeration name must not be empty",
    );
    let number = 1_i32;
    let data = (&raw const number).cast();
    let (ctx, name) = (program.ctx, c"e".as_ptr());
    let fixed = |count, size, place| {
        c!(
            tiledb_enumeration_alloc,
            ctx,
            name,
            TILEDB_INT32,
            count,
            0,
            data,
            size,
            null(),
            0,
            place
        )
    };
    program.fails(
        fixed(1, 3, &raw mut wrong),
        "not a multiple of the cell size",
    );
    program.fails(fixed(0, 4, &raw mut wrong), "Invalid cell_val_num");
    program.fails(fixed(1, 4, null_mut()), "a pointer is null");
    assert!(wrong.is_null());
}

#[test]
fn attributes_refer_to_enumerations_of_their_schema() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let made = schema(&program, TILEDB_DENSE);
    let a = attribute(&program, c"sky", TILEDB_UINT8);
    program.ok(c!(
        tiledb_attribute_set_enumeration_name,
        ctx,
        a,
        c"e".as_ptr()
    ));
    program.fails(
        c!(tiledb_array_schema_add_attribute, ctx, made, a),
        "Attribute refers to an unknown enumeration named 'e'",
    );
    let e = texts(&program, c"e");
    program.ok(c!(tiledb_array_schema_add_enumeration, ctx, made, e));
    program.fails(
        c!(tiledb_array_schema_add_enumeration, ctx, made, e),
        "already exists",
    );
    program.ok(c!(tiledb_array_schema_add_attribute, ctx, made, a));
    let wrong = attribute(&program, c"f", TILEDB_FLOAT32);
    program.ok(c!(
        tiledb_attribute_set_enumeration_name,
        ctx,
        wrong,
        c"e".as_ptr()
    ));
    program.fails(
        c!(tiledb_array_schema_add_attribute, ctx, made, wrong),
        "must have an integral data type, not FLOAT32",
    );
    let loaded = load(&program, &create(&program, &folder, made));
    let describe = || program.text(|place| c!(tiledb_array_schema_dump_str, ctx, loaded, place));
    assert!(describe().contains("### Enumeration ###\n- Name: e\n- Loaded: false\n"));
    let name = c"sky".as_ptr();
    let found = program.make(|place| {
        c!(
            tiledb_array_schema_get_enumeration_from_attribute_name,
            ctx,
            loaded,
            name,
            place
        )
    });
    let mut size = 0;
    let mut data = null();
    program.ok(c!(
        tiledb_enumeration_get_data,
        ctx,
        found,
        &raw mut data,
        &raw mut size
    ));
    assert_eq!(size, 3);
    assert!(describe().contains("- Element Count: 2\n"));
    let mut none = found;
    let name = c"a".as_ptr();
    program.ok(c!(
        tiledb_array_schema_get_enumeration_from_attribute_name,
        ctx,
        loaded,
        name,
        &raw mut none
    ));
    assert!(none.is_null());
    program.fails(
        c!(
            tiledb_array_schema_get_enumeration_from_name,
            ctx,
            loaded,
            c"f".as_ptr(),
            &raw mut none
        ),
        "ArraySchema: Unable to check if unknown enumeration is loaded. No enumeration named 'f'.",
    );
}
