//! Schemas to JSON and back.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{dimension, full, raw, sparse};
use serde_json::{Value as Json, json};
use tdb_filters::{FilterList, FilterRecord};
use tdb_schema::json::{
    Times, cell_from_json, cell_to_json, filters_from_json, schema_from_json, schema_to_json,
};
use tdb_schema::{ArraySchema, CellValNum, Enumeration, SchemaError};
use tdb_tile::Datatype;

fn read(json: &Json) -> Result<(ArraySchema, Vec<Enumeration>), SchemaError> {
    schema_from_json(json, || "__0123_0".to_owned())
}

fn letters() -> Enumeration {
    let values = ["a", "b"];
    Enumeration::from_values(
        "e",
        "__0123_0",
        Datatype::StringAscii,
        CellValNum::Var,
        false,
        values,
    )
    .unwrap()
}

#[test]
fn a_schema_is_shown_and_read_again() {
    for version in [5, 6, 7, 18, 20, 22, 23] {
        let schema = full(version);
        let enumerations: Vec<_> = schema.enumerations.iter().map(|_| letters()).collect();
        for times in [Times::Iso, Times::Ticks] {
            let json = schema_to_json(&schema, &enumerations, times);
            assert_eq!(read(&json).unwrap(), (schema.clone(), enumerations.clone()));
        }
    }
    let json = schema_to_json(&full(22), &[letters()], Times::Iso);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
}

/// Dimensions as TileDB can create them: without a name, with a last tile beyond the type, with an
/// infinite width of the domain.
#[test]
fn a_schema_of_odd_dimensions_is_read_again() {
    let mut schema = sparse(vec![
        dimension("__dim_0", Datatype::Int8, -128_i8, 126, 20),
        dimension("__dim_1", Datatype::UInt16, 0_u16, 65_534, 1_000),
        dimension("f", Datatype::Float32, f32::MIN, f32::MAX, f32::INFINITY),
        dimension("g", Datatype::Float64, f64::MIN, f64::MAX, f64::INFINITY),
    ]);
    schema.attributes[0].name = "__dim_2".to_owned();
    let json = schema_to_json(&schema, &[], Times::Iso);
    assert_eq!(read(&json).unwrap().0, schema);
}

#[test]
fn only_what_has_no_default_is_needed() {
    let json = json!({
        "type": "sparse",
        "dimensions": [
            {"name": "s", "datatype": "string_ascii"},
            {"name": "x", "datatype": "float64", "domain": [-1, 1.5]},
            {"name": "t", "datatype": "datetime_hr", "domain": ["2024-01-01T00", 500_000]},
        ],
        "attributes": [
            {"name": "text", "datatype": "string_utf8"},
            {"name": "e", "datatype": "uint8", "enumeration": "e"},
        ],
        "enumerations": [{"name": "e", "datatype": "string_ascii", "values": ["x", "y"]}],
    });
    let (schema, enumerations) = read(&json).unwrap();
    let shown = schema_to_json(&schema, &enumerations, Times::Iso);
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}

#[test]
fn filters_have_their_options() {
    let mut schema = sparse(vec![dimension("x", Datatype::Int32, 0, 99, 10)]);
    schema.attributes[0].filters = FilterList::new(vec![
        FilterRecord::new(9, &[][..]),
        FilterRecord::new(7, &[0, 1, 0, 0][..]),
        FilterRecord::new(6, &[6, 255, 255, 255, 255, 17][..]),
        FilterRecord::new(17, &[1, 2][..]),
    ]);
    schema.dimensions[0].filters = FilterList {
        max_chunk: 1000,
        filters: vec![FilterRecord::default()],
    };
    let json = schema_to_json(&schema, &[], Times::Iso);
    insta::assert_snapshot!(json!([
        json["attributes"][0]["filters"],
        json["dimensions"][0]["filters"]
    ]));
    // An old array may have the filter, so it is shown; a new array must not have it.
    let error = read(&json).unwrap_err();
    insta::assert_snapshot!(error, @r#"filters of "a": filter code 17 was withdrawn, and what it wrote cannot be read"#);
    let shown = &json["attributes"][0]["filters"];
    let list = filters_from_json(shown, schema.version, "filters").unwrap();
    assert_eq!(list, schema.attributes[0].filters);
    schema.attributes[0].filters = FilterList::default();
    let json = schema_to_json(&schema, &[], Times::Iso);
    assert_eq!(read(&json).unwrap().0, schema);
}

#[test]
fn a_dimension_that_asks_for_no_filters_has_none() {
    let json = json!({
        "type": "sparse",
        "dimensions": [{"name": "x", "datatype": "int32", "domain": [0, 9], "filters": []}],
    });
    let (schema, _) = read(&json).unwrap();
    assert_eq!(
        schema.dimension_filters(0).unwrap().filters,
        [FilterRecord::default()]
    );
}

#[test]
fn images_have_the_shape_of_space_tiles() {
    let json = json!({
        "type": "dense",
        "dimensions": [
            {"name": "y", "datatype": "uint16", "domain": [1, 8], "extent": 4},
            {"name": "x", "datatype": "uint16", "domain": [1, 24], "extent": 12},
        ],
        "attributes": [{"name": "a", "datatype": "uint8", "filters": [
            {"name": "webp", "format": "bgr", "lossless": true},
        ]}],
    });
    let (schema, _) = read(&json).unwrap();
    let shown = schema_to_json(&schema, &[], Times::Iso);
    let webp = &shown["attributes"][0]["filters"][0];
    assert_eq!(
        (&webp["y_extent"], &webp["x_extent"]),
        (&json!(4), &json!(12))
    );
}

#[test]
fn errors_say_which_field() {
    let base = json!({
        "type": "sparse",
        "dimensions": [{"name": "x", "datatype": "int8", "domain": [0, 99], "extent": 10}],
        "attributes": [{"name": "a", "datatype": "uint8", "cell_val_num": 2}],
    });
    let mut errors = String::new();
    let mut refuse = |pointer: &str, key: &str, value: Json| {
        let mut json = base.clone();
        json.pointer_mut(pointer).unwrap()[key] = value;
        errors.push_str(&format!("{}\n", read(&json).unwrap_err()));
    };
    refuse("", "type", json!("spare"));
    refuse("", "type", Json::Null);
    refuse("", "capacity", json!(-1));
    refuse("", "capacity", json!(0));
    refuse("", "capacity", json!(1_u64 << 40));
    refuse("", "version", json!(24));
    refuse("", "cell_order", json!("col"));
    refuse("", "colour", json!(1));
    refuse("", "dimensions", json!([]));
    refuse("", "dimensions", json!({}));
    refuse("", "current_domain", json!({"y": [0, 1]}));
    refuse("", "current_domain", json!({"x": [0, 100]}));
    refuse("", "coords_filters", json!([{"name": "zst"}]));
    refuse("", "coords_filters", json!([{"name": "zstd", "window": 3}]));
    refuse(
        "",
        "labels",
        json!([{"name": "l", "dimension": "y", "datatype": "int8"}]),
    );
    refuse(
        "",
        "enumerations",
        json!([{"name": "e", "datatype": "int8", "values": [1, 1]}]),
    );
    refuse("/dimensions/0", "datatype", json!("int9"));
    refuse("/dimensions/0", "datatype", json!("unit8"));
    refuse("/dimensions/0", "datatype", json!("bool"));
    refuse("/dimensions/0", "cell_val_num", json!(2));
    refuse("/dimensions/0", "domain", json!([0, 128]));
    refuse("/dimensions/0", "domain", json!([0]));
    refuse("/dimensions/0", "domain", json!(["0", 1]));
    refuse("/dimensions/0", "domain", Json::Null);
    refuse("/dimensions/0", "extent", json!(1.5));
    refuse("/dimensions/0", "extent", json!(0));
    refuse("/dimensions/0", "name", json!("a"));
    refuse("/attributes/0", "fill", json!([1, 2, 3]));
    refuse("/attributes/0", "fill", json!(1));
    refuse("/attributes/0", "fill", json!([1, -2]));
    refuse("/attributes/0", "cell_val_num", json!("many"));
    refuse("/attributes/0", "cell_val_num", json!(u32::MAX - 1));
    refuse("/attributes/0", "enumeration", json!("e"));
    refuse("/attributes/0", "order", json!("increasing"));
    refuse("/attributes/0", "filters", json!([{"level": 3}]));
    let dense = json!({
        "type": "dense",
        "allows_duplicates": true,
        "dimensions": base["dimensions"],
        "attributes": base["attributes"],
    });
    for json in [dense, json!([])] {
        errors.push_str(&format!("{}\n", read(&json).unwrap_err()));
    }
    insta::assert_snapshot!(errors);
}

#[test]
fn cells_are_what_reading_shows() {
    let one = CellValNum::Fixed(1);
    let cases = [
        (
            Datatype::UInt64,
            one,
            raw(u64::MAX),
            json!(18_446_744_073_709_551_615_u64),
        ),
        (Datatype::Float32, one, raw(0.1_f32), json!(0.1)),
        (
            Datatype::Float64,
            one,
            raw(f64::NEG_INFINITY),
            json!("-Infinity"),
        ),
        (Datatype::Bool, one, raw(1_u8), json!(true)),
        (
            Datatype::Blob,
            CellValNum::Var,
            raw(0xab_u8),
            json!({"hex": "ab"}),
        ),
        (
            Datatype::StringUtf8,
            CellValNum::Var,
            "ä".as_bytes().into(),
            json!("ä"),
        ),
        (
            Datatype::StringUtf16,
            CellValNum::Var,
            raw(0x61_u16),
            json!({"hex": "6100"}),
        ),
        (
            Datatype::Int16,
            CellValNum::Fixed(2),
            [raw(1_i16), raw(2_i16)].concat().into(),
            json!([1, 2]),
        ),
        (Datatype::Int16, CellValNum::Var, raw(1_i16), json!([1])),
        (
            Datatype::Int16,
            CellValNum::Var,
            bytes::Bytes::new(),
            json!([]),
        ),
        (
            Datatype::DateTimeDay,
            one,
            raw(11_017_i64),
            json!("2000-03-01"),
        ),
        (Datatype::TimeSecond, one, raw(-90_i64), json!("-00:01:30")),
        (Datatype::DateTimeDay, one, raw(i64::MIN), Json::Null),
    ];
    for (datatype, n, bytes, json) in cases {
        assert_eq!(cell_to_json(datatype, n, &bytes, Times::Iso), json);
        assert_eq!(cell_from_json(datatype, n, &json, "").unwrap(), bytes);
    }
    let ticks = cell_to_json(Datatype::DateTimeDay, one, &raw(i64::MIN), Times::Ticks);
    assert_eq!(ticks, json!(i64::MIN));
}
