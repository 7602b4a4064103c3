use std::ptr::null_mut;

use tdb_capi::constants::*;
use tdb_capi::enumeration::*;
use tdb_capi::evolution::*;

use crate::attributes::attribute;
use crate::enumerations::texts;
use crate::program::{Program, c};
use crate::schemas::{create, schema};
use crate::shapes::current_domain;

#[test]
fn steps_are_taken_together() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let uri = create(&program, &folder, schema(&program, TILEDB_DENSE));
    let begin = || program.make(|place| c!(tiledb_array_schema_evolution_alloc, ctx, place));
    let evolve = |steps| c!(tiledb_array_evolve, ctx, uri.as_ptr(), steps);
    let now = || tdb::Context::new().schema(uri.to_str().unwrap()).unwrap();

    let steps = begin();
    let b = attribute(&program, c"b", TILEDB_UINT8);
    program.ok(c!(
        tiledb_attribute_set_enumeration_name,
        ctx,
        b,
        c"e".as_ptr()
    ));
    program.ok(c!(
        tiledb_array_schema_evolution_add_attribute,
        ctx,
        steps,
        b
    ));
    program.fails(
        c!(tiledb_array_schema_evolution_add_attribute, ctx, steps, b),
        "Input attribute name is already there",
    );
    program.fails(evolve(steps), "Attribute refers to an unknown enumeration");
    let e = texts(&program, c"e");
    program.ok(c!(
        tiledb_array_schema_evolution_add_enumeration,
        ctx,
        steps,
        e
    ));
    program.ok(c!(
        tiledb_array_schema_evolution_drop_attribute,
        ctx,
        steps,
        c"a".as_ptr()
    ));
    let grown = current_domain(&program, [2, 5]);
    program.ok(c!(
        tiledb_array_schema_evolution_expand_current_domain,
        ctx,
        steps,
        grown
    ));
    program.ok(evolve(steps));
    let schema = now();
    assert_eq!(schema.attributes.len(), 1);
    assert_eq!(schema.attributes[0].name, "b");
    assert_eq!(schema.enumerations()[0].len(), 2);
    assert!(schema.current_domain.is_some());

    let steps = begin();
    program.ok(c!(
        tiledb_array_schema_evolution_drop_enumeration,
        ctx,
        steps,
        c"e".as_ptr()
    ));
    program.fails(evolve(steps), "Unable to drop enumeration");

    let steps = begin();
    let shrunk = current_domain(&program, [3, 5]);
    program.ok(c!(
        tiledb_array_schema_evolution_expand_current_domain,
        ctx,
        steps,
        shrunk
    ));
    program.fails(evolve(steps), "can only be expanded");

    let steps = begin();
    let (data, offsets) = (b"d", [0_u64]);
    let longer = program.make(|place| {
        let (data, offsets) = (data.as_ptr().cast(), offsets.as_ptr().cast());
        c!(
            tiledb_enumeration_extend,
            ctx,
            e,
            data,
            1,
            offsets,
            8,
            place
        )
    });
    program.ok(c!(
        tiledb_array_schema_evolution_extend_enumeration,
        ctx,
        steps,
        longer
    ));
    program.ok(evolve(steps));
    assert_eq!(now().enumerations()[0].len(), 3);
}

#[test]
fn a_change_may_come_before_the_newest_schema() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let uri = create(&program, &folder, schema(&program, TILEDB_DENSE));
    let steps = program.make(|place| c!(tiledb_array_schema_evolution_alloc, ctx, place));
    program.fails(
        c!(
            tiledb_array_schema_evolution_set_timestamp_range,
            ctx,
            steps,
            1,
            2
        ),
        "are not equal",
    );
    program.ok(c!(
        tiledb_array_schema_evolution_set_timestamp_range,
        ctx,
        steps,
        5,
        5
    ));
    let b = attribute(&program, c"b", TILEDB_UINT8);
    program.ok(c!(
        tiledb_array_schema_evolution_add_attribute,
        ctx,
        steps,
        b
    ));
    program.ok(c!(tiledb_array_evolve, ctx, uri.as_ptr(), steps));
    let names = std::fs::read_dir(folder.path().join("array/__schema")).unwrap();
    let names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("__5_5_")),
        "{names:?}"
    );
}

#[test]
fn null_and_unknown_things_are_errors() {
    let program = Program::new();
    let ctx = program.ctx;
    let folder = tempfile::tempdir().unwrap();
    let uri = create(&program, &folder, schema(&program, TILEDB_DENSE));
    let steps = program.make(|place| c!(tiledb_array_schema_evolution_alloc, ctx, place));
    program.fails(
        c!(
            tiledb_array_schema_evolution_add_attribute,
            ctx,
            steps,
            null_mut()
        ),
        "null",
    );
    program.fails(
        c!(tiledb_array_evolve, ctx, uri.as_ptr(), null_mut()),
        "null",
    );
    program.ok(c!(
        tiledb_array_schema_evolution_drop_attribute,
        ctx,
        steps,
        c"q".as_ptr()
    ));
    program.fails(
        c!(tiledb_array_evolve, ctx, uri.as_ptr(), steps),
        "refers to a dimension or does not exist",
    );
    program.ok(c!(
        tiledb_array_upgrade_version,
        ctx,
        uri.as_ptr(),
        null_mut()
    ));
    let mut steps = steps;
    c!(tiledb_array_schema_evolution_free, &raw mut steps);
    assert!(steps.is_null());
}
