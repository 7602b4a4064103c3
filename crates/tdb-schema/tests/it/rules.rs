//! Invalid schemas are refused, and the error names the field.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{dense, dimension, full, plane, raw, sparse, strings};
use tdb_filters::{FilterList, FilterRecord};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellOrder, CellValNum, DataOrder, DimensionLabel,
    EnumerationRef, SchemaError, SchemaRecord,
};
use tdb_tile::{Datatype, FormatVersion, Limits, Range};

fn refusal(change: impl FnOnce(&mut SchemaRecord)) -> String {
    let mut record = SchemaRecord::from(&full(22));
    change(&mut record);
    format!("{}\n", ArraySchema::try_from(record).unwrap_err())
}

#[test]
fn hostile_schemas_are_refused() {
    let errors = [
        refusal(|r| r.dimensions[0].extent = raw(0_i64)),
        refusal(|r| r.dimensions[0].extent = raw(-1_i64)),
        refusal(|r| r.dimensions[0].extent = raw(202_i64)),
        refusal(|r| r.dimensions[0].extent = raw(1_i32)),
        refusal(|r| r.dimensions[0].domain = [raw(5_i64), raw(4_i64)].concat().into()),
        refusal(|r| r.dimensions[0].domain = raw(5_i64)),
        refusal(|r| r.dimensions[0].domain = bytes::Bytes::new()),
        refusal(|r| r.dimensions[0].cell_val_num = 2),
        refusal(|r| r.dimensions[0].datatype = Datatype::Bool),
        refusal(|r| r.dimensions[0].datatype = Datatype::Blob),
        refusal(|r| r.dimensions[0].datatype = Datatype::StringUtf8),
        refusal(|r| r.dimensions[2].cell_val_num = 1),
        refusal(|r| r.dimensions[2].domain = [raw(1_u8), raw(2_u8)].concat().into()),
        refusal(|r| r.dimensions[2].null_extent = false),
        refusal(|r| r.dimensions.clear()),
        refusal(|r| r.capacity = 0),
        refusal(|r| r.capacity = 1 << 60),
        refusal(|r| r.attributes[0].cell_val_num = 0),
        refusal(|r| r.attributes[0].cell_val_num = 1 << 31),
        refusal(|r| r.attributes[0].fill = raw(0_u32)),
        refusal(|r| r.attributes[0].datatype = Datatype::Any),
        refusal(|r| r.attributes[0].name = "x".to_owned()),
        refusal(|r| r.attributes[0].name = "l".to_owned()),
        refusal(|r| r.attributes[0].order = DataOrder::Increasing),
        refusal(|r| r.attributes[1].enumeration = "e".to_owned()),
        refusal(|r| r.attributes[2].enumeration = "f".to_owned()),
        refusal(|r| r.enumerations[0].file = "../../../outside/e".to_owned()),
        refusal(|r| r.enumerations.push(r.enumerations[0].clone())),
        refusal(|r| r.labels[0].dimension = 3),
        refusal(|r| r.labels[0].uri = "../l0".to_owned()),
        refusal(|r| r.current_domain.ranges[0].0 = Range::of(-10_i64, 101)),
        refusal(|r| r.current_domain.ranges[0].0 = Range::of(10_i64, 9)),
        refusal(|r| r.current_domain.ranges[2].0 = Range::new("b", "a")),
        refusal(|r| r.array_type = ArrayType::Dense),
    ];
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn dense_arrays_have_whole_numbers_of_one_type() {
    let errors = [
        dense(vec![dimension("x", Datatype::Float64, 0.0, 1.0, 0.5)]),
        dense(vec![
            dimension("x", Datatype::Int32, 0, 1, 1),
            dimension("y", Datatype::UInt32, 0_u32, 1, 1),
        ]),
        ArraySchema {
            cell_order: CellOrder::Hilbert,
            ..plane()
        },
    ]
    .map(|schema| format!("{}\n", schema.check().unwrap_err()));
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn floats_are_finite_and_a_single_point_needs_no_extent() {
    let check =
        |lo, hi, extent| sparse(vec![dimension("x", Datatype::Float64, lo, hi, extent)]).check();
    check(1.0, 1.0, 0.0).unwrap();
    check(0.0, 0.5, 1.0).unwrap();
    let errors = [
        check(0.0, f64::INFINITY, 1.0),
        check(f64::NAN, 1.0, 1.0),
        check(0.0, 1.0, f64::NAN),
        check(0.0, 1.0, -1.0),
        check(0.0, 1.0, 0.0),
        check(0.0, 1.0, 2.5),
        check(1.0, 0.0, 0.5),
    ]
    .map(|result| format!("{}\n", result.unwrap_err()));
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn odd_but_readable_schemas_are_read() {
    let anonymous = sparse(vec![
        dimension("", Datatype::UInt8, 0_u8, 255, 16),
        dimension("", Datatype::UInt64, 0, u64::MAX, 1 << 40),
    ]);
    anonymous.check().unwrap();
    // The domain has 255 values, the extent is 20: the last tile ends beyond 127.
    let beyond = sparse(vec![dimension("x", Datatype::Int8, -128_i8, 126, 20)]);
    beyond.check().unwrap();
    let whole = dense(vec![dimension("x", Datatype::Int32, i32::MIN, i32::MAX, 1)]);
    whole.check().unwrap();
}

#[test]
fn new_arrays_obey_more_rules() {
    let mut reserved = plane();
    reserved.attributes[0].name = "__timestamps".to_owned();
    let coords = sparse(vec![dimension("__coords", Datatype::Int32, 0, 9, 5)]);
    let mut sorted = dense(vec![dimension("x", Datatype::Int32, 0, 9, 5)]);
    sorted.attributes[0].order = DataOrder::Increasing;
    sorted.check_new().unwrap();
    sorted.attributes[0].nullable = true;
    let errors = [
        reserved,
        coords,
        sorted,
        ArraySchema {
            attributes: vec![],
            ..plane()
        },
        sparse(vec![dimension("x", Datatype::Int64, 0, i64::MAX - 1, 20)]),
        sparse(vec![dimension("x", Datatype::UInt8, 0_u8, 255, 16)]),
    ]
    .map(|schema| format!("{}\n", schema.check_new().unwrap_err()));
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn the_last_tile_of_small_integers_may_pass_the_end_of_the_type() {
    for make in [sparse, dense] {
        make(vec![dimension("x", Datatype::Int8, -128_i8, 126, 20)])
            .check_new()
            .unwrap();
        make(vec![dimension("x", Datatype::UInt16, 0_u16, 65_534, 1_000)])
            .check_new()
            .unwrap();
        make(vec![dimension(
            "x",
            Datatype::Int32,
            0,
            i32::MAX - 1,
            1_000,
        )])
        .check_new()
        .unwrap();
    }
}

#[test]
fn an_extent_is_infinite_where_the_type_has_no_such_width() {
    let check = |lo, hi, extent| {
        let schema = sparse(vec![dimension("x", Datatype::Float32, lo, hi, extent)]);
        schema.check_new().map_err(|error| error.to_string())
    };
    let most = f32::MAX;
    check(-most, most, f32::INFINITY).unwrap();
    check(-most * 0.6, most * 0.6, f32::INFINITY).unwrap();
    check(-most * 0.6, most * 0.6, 1.0).unwrap();
    for (hi, extent) in [
        (most, f32::NEG_INFINITY),
        (most, f32::NAN),
        (0.0, f32::INFINITY),
    ] {
        assert_eq!(
            check(-most, hi, extent).unwrap_err(),
            "extent of dimension \"x\": must be finite"
        );
    }
    let mut schema = sparse(vec![dimension(
        "x",
        Datatype::Float64,
        f64::MIN,
        f64::MAX,
        1.0,
    )]);
    schema.dimensions[0].extent = None;
    let schema = schema.with_extents();
    assert_eq!(schema.dimensions[0].extent, Some(raw(f64::INFINITY)));
    schema.check_new().unwrap();
}

#[test]
fn an_absent_extent_becomes_the_width_of_the_domain() {
    let mut schema = sparse(vec![
        dimension("x", Datatype::Int16, -3_i16, 8, 1),
        dimension("f", Datatype::Float32, 0.5_f32, 2.0, 1.0),
        strings("s"),
    ]);
    schema.dimensions[0].extent = None;
    schema.dimensions[1].extent = None;
    let schema = schema.with_extents();
    assert_eq!(schema.dimensions[0].extent, Some(raw(12_i16)));
    assert_eq!(schema.dimensions[1].extent, Some(raw(1.5_f32)));
    assert_eq!(schema.dimensions[2].extent, None);
}

#[test]
fn dimensions_without_filters_use_those_of_the_coordinates_from_version_5() {
    let schema = full(22);
    assert_eq!(schema.field("s").unwrap().filters, &schema.coords_filters);
    assert_eq!(
        schema.field("__timestamps").unwrap().filters,
        &schema.coords_filters
    );
    let old = full(4);
    assert!(old.field("x").unwrap().filters.is_empty());
    assert_eq!(old.field("__coords").unwrap().cell_size(), Some(16));
    let upgraded = old.upgraded();
    assert_eq!(upgraded.version, FormatVersion::WRITTEN);
    assert_eq!(
        upgraded.field("x").unwrap().filters.filters,
        [FilterRecord::default()]
    );
}

#[test]
fn fields_are_found_by_name() {
    let schema = full(22);
    let names: Vec<_> = schema.fields().map(|field| field.name).collect();
    assert_eq!(names, ["y", "x", "s", "a", "text", "i"]);
    assert!(schema.field("text").unwrap().nullable);
    assert!(schema.field("text").unwrap().is_var());
    assert!(schema.field("nothing").is_none());
}

#[test]
fn limits_are_those_given() {
    let limits = Limits {
        data_tile: 99,
        ..Limits::default()
    };
    let bytes = full(22).encode().unwrap().into();
    let error = ArraySchema::decode(&bytes, &limits).unwrap_err();
    assert!(error.limit().is_some(), "{error}");
    assert!(matches!(error, SchemaError::Limit { .. }));
}

#[test]
fn an_enumerated_attribute_holds_one_integer() {
    let mut schema = plane();
    schema.enumerations.push(EnumerationRef {
        name: "e".into(),
        file: "__1_0".into(),
    });
    schema.attributes =
        vec![Attribute::new("a", Datatype::Int8).with_cell_val_num(CellValNum::Fixed(2))];
    schema.attributes[0].enumeration = Some("e".into());
    assert_eq!(
        schema.check().unwrap_err().to_string(),
        "cell_val_num of attribute \"a\": an enumerated cell is one index"
    );
}

/// Returns the errors for a two-dimensional dense array and a sparse array whose attribute `a` has
/// these filters.
fn filter_refusals(datatype: Datatype, filters: &[(u8, &'static [u8])]) -> String {
    let list = FilterList::new(
        filters
            .iter()
            .map(|(c, o)| FilterRecord::new(*c, *o))
            .collect(),
    );
    let refusal = |mut schema: ArraySchema| {
        let mut attribute = Attribute::new("a", datatype);
        attribute.filters = list.clone();
        schema.attributes = vec![attribute];
        let result = schema.check_new();
        result.map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    };
    let line = sparse(vec![dimension("x", Datatype::Int32, 0, 9, 5)]);
    format!("{datatype}: {}; {}\n", refusal(plane()), refusal(line))
}

#[test]
fn filters_of_new_arrays_fit_their_fields() {
    const DOUBLE_DELTA: (u8, &[u8]) = (6, &[6, 255, 255, 255, 255, 17]);
    const WEBP: (u8, &[u8]) = (18, &[0, 0, 200, 66, 1, 0, 3, 0, 3, 0, 0, 0]);
    let mut inherited = sparse(vec![dimension("f", Datatype::Float32, 0.0_f32, 9.0, 1.0)]);
    inherited.coords_filters =
        FilterList::new(vec![FilterRecord::new(DOUBLE_DELTA.0, DOUBLE_DELTA.1)]);
    let mut offsets = plane();
    offsets.offsets_filters =
        FilterList::new(vec![FilterRecord::new(14, &[7, 255, 255, 255, 255][..])]);
    let texts = [
        filter_refusals(Datatype::Int32, &[DOUBLE_DELTA]),
        filter_refusals(Datatype::Float64, &[DOUBLE_DELTA]),
        filter_refusals(Datatype::UInt8, &[WEBP]),
        filter_refusals(Datatype::Int8, &[WEBP]),
        filter_refusals(Datatype::Float32, &[(10, &[0, 4, 0, 0])]),
        filter_refusals(Datatype::Int32, &[(17, &[])]),
        format!("{}\n", inherited.check_new().unwrap_err()),
        format!("{}\n", offsets.check_new().unwrap_err()),
    ];
    insta::assert_snapshot!(texts.concat());
}

#[test]
fn labels_of_new_arrays_are_sorted_and_kept_inside() {
    let refusal = |change: fn(&mut DimensionLabel)| {
        let mut schema = plane();
        let mut label = DimensionLabel {
            name: "l".to_owned(),
            dimension: 0,
            relative: true,
            uri: "__labels/l0".to_owned(),
            attribute: "label".to_owned(),
            order: DataOrder::Increasing,
            datatype: Datatype::Float64,
            cell_val_num: CellValNum::Fixed(1),
            is_external: false,
        };
        change(&mut label);
        schema.labels.push(label);
        let result = schema.check_new();
        result.map_or_else(|error| format!("{error}\n"), |()| "fine\n".to_owned())
    };
    let texts = [
        refusal(|_| ()),
        refusal(|l| l.order = DataOrder::Unordered),
        refusal(|l| l.is_external = true),
        refusal(|l| l.datatype = Datatype::StringUtf8),
        refusal(|l| l.datatype = Datatype::StringAscii),
        refusal(|l| l.name = "__l".to_owned()),
        refusal(|l| l.dimension = 9),
    ];
    insta::assert_snapshot!(texts.concat());
}

#[test]
fn fill_values_of_new_attributes_are_some() {
    let refusal = |change: fn(&mut Attribute)| {
        let mut schema = plane();
        change(&mut schema.attributes[0]);
        format!("{}\n", schema.check_new().unwrap_err())
    };
    let empty = refusal(|a| {
        a.cell_val_num = CellValNum::Var;
        a.fill = bytes::Bytes::new();
    });
    insta::assert_snapshot!(empty + &refusal(|a| a.fill_valid = true));
}
