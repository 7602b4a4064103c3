use std::ptr::{null, null_mut};

use tdb_capi::constants::*;
use tdb_capi::filter::*;
use tdb_capi::filter_list::*;

use crate::program::{Program, c};

fn filter(program: &Program, kind: u32) -> *mut tiledb_filter_t {
    program.make(|place| c!(tiledb_filter_alloc, program.ctx, kind, place))
}

#[test]
fn options_are_what_was_set() {
    let program = Program::new();
    let ctx = program.ctx;
    let mut zstd = filter(&program, TILEDB_FILTER_ZSTD);
    let level = |handle| {
        program.value(|place: *mut i32| {
            c!(
                tiledb_filter_get_option,
                ctx,
                handle,
                TILEDB_COMPRESSION_LEVEL,
                place.cast()
            )
        })
    };
    assert_eq!(level(zstd), -1);
    let five = 5_i32;
    let set = |handle| {
        let value = (&raw const five).cast();
        c!(
            tiledb_filter_set_option,
            ctx,
            handle,
            TILEDB_COMPRESSION_LEVEL,
            value
        )
    };
    program.ok(set(zstd));
    assert_eq!(level(zstd), 5);
    let kind = program.value(|place| c!(tiledb_filter_get_type, ctx, zstd, place));
    assert_eq!(kind, TILEDB_FILTER_ZSTD);
    let freed = zstd;
    c!(tiledb_filter_free, &raw mut zstd);
    program.fails(set(freed), "it was freed before");
    program.fails(set(null_mut()), "null");
    c!(tiledb_filter_free, &raw mut zstd);
}

#[test]
fn options_of_every_type_are_kept() {
    let program = Program::new();
    let ctx = program.ctx;
    let scale = filter(&program, TILEDB_FILTER_SCALE_FLOAT);
    let (factor, width) = (0.5_f64, 4_u64);
    let value = (&raw const factor).cast();
    program.ok(c!(
        tiledb_filter_set_option,
        ctx,
        scale,
        TILEDB_SCALE_FLOAT_FACTOR,
        value
    ));
    let value = (&raw const width).cast();
    program.ok(c!(
        tiledb_filter_set_option,
        ctx,
        scale,
        TILEDB_SCALE_FLOAT_BYTEWIDTH,
        value
    ));
    let found: f64 = program.value(|place: *mut f64| {
        c!(
            tiledb_filter_get_option,
            ctx,
            scale,
            TILEDB_SCALE_FLOAT_FACTOR,
            place.cast()
        )
    });
    assert_eq!(found, 0.5);
    let webp = filter(&program, TILEDB_FILTER_WEBP);
    let (quality, format, lossless) = (12.5_f32, 3_u8, 1_u8);
    for (option, value) in [
        (TILEDB_WEBP_QUALITY, (&raw const quality).cast()),
        (TILEDB_WEBP_INPUT_FORMAT, (&raw const format).cast()),
        (TILEDB_WEBP_LOSSLESS, (&raw const lossless).cast()),
    ] {
        program.ok(c!(tiledb_filter_set_option, ctx, webp, option, value));
    }
    let found: f32 = program.value(|place: *mut f32| {
        c!(
            tiledb_filter_get_option,
            ctx,
            webp,
            TILEDB_WEBP_QUALITY,
            place.cast()
        )
    });
    assert_eq!(found, 12.5);
    let found: u8 = program.value(|place: *mut u8| {
        c!(
            tiledb_filter_get_option,
            ctx,
            webp,
            TILEDB_WEBP_INPUT_FORMAT,
            place.cast()
        )
    });
    assert_eq!(found, 3);
    let delta = filter(&program, TILEDB_FILTER_DELTA);
    let datatype = 10_u8;
    let option = TILEDB_COMPRESSION_REINTERPRET_DATATYPE;
    let value = (&raw const datatype).cast();
    program.ok(c!(tiledb_filter_set_option, ctx, delta, option, value));
    let found: u8 = program
        .value(|place: *mut u8| c!(tiledb_filter_get_option, ctx, delta, option, place.cast()));
    assert_eq!(found, 10);
}

#[test]
fn wrong_options_and_values_are_refused() {
    let program = Program::new();
    let ctx = program.ctx;
    let scale = filter(&program, TILEDB_FILTER_SCALE_FLOAT);
    let zero = 0_f64;
    let set = |option, value| c!(tiledb_filter_set_option, ctx, scale, option, value);
    program.fails(
        set(TILEDB_SCALE_FLOAT_FACTOR, (&raw const zero).cast()),
        "invalid scale value",
    );
    let three = 3_u64;
    program.fails(
        set(TILEDB_SCALE_FLOAT_BYTEWIDTH, (&raw const three).cast()),
        "invalid byte width value",
    );
    program.fails(
        set(TILEDB_WEBP_QUALITY, (&raw const zero).cast()),
        "unknown option",
    );
    program.fails(
        set(TILEDB_SCALE_FLOAT_OFFSET, null()),
        "invalid option value",
    );
    let none = filter(&program, TILEDB_FILTER_NONE);
    let value = (&raw const zero).cast();
    program.fails(
        c!(
            tiledb_filter_set_option,
            ctx,
            none,
            TILEDB_COMPRESSION_LEVEL,
            value
        ),
        "Filter does not support options.",
    );
    let mut unknown = null_mut();
    program.fails(
        c!(tiledb_filter_alloc, ctx, 17, &raw mut unknown),
        "Invalid filter type",
    );
    program.fails(
        c!(tiledb_filter_alloc, ctx, TILEDB_FILTER_ZSTD, null_mut()),
        "a pointer is null",
    );
    assert_eq!(c!(tiledb_filter_alloc, null_mut(), 1, &raw mut unknown), -3);
}

#[test]
fn lists_hold_copies() {
    let program = Program::new();
    let ctx = program.ctx;
    let list = program.make(|place| c!(tiledb_filter_list_alloc, ctx, place));
    let zstd = filter(&program, TILEDB_FILTER_ZSTD);
    program.ok(c!(tiledb_filter_list_add_filter, ctx, list, zstd));
    let level = 9_i32;
    let value = (&raw const level).cast();
    program.ok(c!(
        tiledb_filter_set_option,
        ctx,
        zstd,
        TILEDB_COMPRESSION_LEVEL,
        value
    ));
    let copy = program.make(|place| {
        c!(
            tiledb_filter_list_get_filter_from_index,
            ctx,
            list,
            0,
            place
        )
    });
    let found: i32 = program.value(|place: *mut i32| {
        c!(
            tiledb_filter_get_option,
            ctx,
            copy,
            TILEDB_COMPRESSION_LEVEL,
            place.cast()
        )
    });
    assert_eq!(found, -1);
    let count: u32 = program.value(|place| c!(tiledb_filter_list_get_nfilters, ctx, list, place));
    assert_eq!(count, 1);
    let mut none = null_mut();
    program.fails(
        c!(
            tiledb_filter_list_get_filter_from_index,
            ctx,
            list,
            1,
            &raw mut none
        ),
        "Filter 1 out of bounds, filter list has 1 filters.",
    );
    program.ok(c!(tiledb_filter_list_set_max_chunk_size, ctx, list, 4096));
    let most: u32 =
        program.value(|place| c!(tiledb_filter_list_get_max_chunk_size, ctx, list, place));
    assert_eq!(most, 4096);
    program.fails(
        c!(tiledb_filter_list_add_filter, ctx, list, list.cast()),
        "of another kind",
    );
    let mut list = list;
    c!(tiledb_filter_list_free, &raw mut list);
    assert!(list.is_null());
}
