//! The names of a fragment's files in each format version.
#![expect(clippy::unwrap_used, reason = "a test may stop there")]

use tdb_fragment::{DataFiles, FragmentError};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension, FieldKind};
use tdb_tile::{Datatype, FormatVersion};

fn schema(attribute: &str) -> ArraySchema {
    let mut text = Attribute::new(attribute, Datatype::StringAscii);
    text.cell_val_num = CellValNum::Var;
    text.nullable = true;
    ArraySchema::new(
        ArrayType::Sparse,
        vec![Dimension::numbers("<row>", Datatype::Int32, (1, 10), 4)],
        vec![Attribute::new("a", Datatype::Int32), text],
    )
}

fn files(name: &str, kind: FieldKind, version: u32) -> Result<DataFiles, FragmentError> {
    let schema = schema(name);
    DataFiles::of(&schema.field_of(kind).unwrap(), FormatVersion::new(version))
}

fn fixed(name: &str, kind: FieldKind, version: u32) -> String {
    files(name, kind, version).unwrap().fixed
}

const TEXT: FieldKind = FieldKind::Attribute(1);
const ROW: FieldKind = FieldKind::Dimension(0);

#[test]
fn names_become_encoded_in_v8_and_indexes_in_v9() {
    assert_eq!(fixed("x/y", TEXT, 8), "x%2Fy.tdb");
    assert_eq!(fixed("x/y", TEXT, 9), "a1.tdb");
    assert_eq!(fixed("x y", TEXT, 7), "x y.tdb");
    assert_eq!(fixed("", ROW, 4), "__coords.tdb");
    assert_eq!(fixed("", ROW, 7), "<row>.tdb");
    assert_eq!(fixed("", ROW, 8), "%20row%2D.tdb");
    assert_eq!(fixed("", ROW, 9), "d0.tdb");
}

#[test]
fn the_encoding_of_v8_has_codes_of_its_own() {
    let odd = "!#$%&'()*+,/:;=?@[]\"<>\\|~é";
    insta::assert_snapshot!(fixed(odd, TEXT, 8), @"%21%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D%22%20%2D%30%3C~é.tdb");
}

#[test]
fn an_attribute_without_a_name_had_one_before_v5() {
    assert_eq!(fixed("", TEXT, 4), "__attr.tdb");
    assert_eq!(fixed("", TEXT, 5), ".tdb");
    assert_eq!(fixed("", TEXT, 22), "a1.tdb");
}

#[test]
fn values_and_validity_have_files_of_their_own() {
    let files = files("t", TEXT, 22).unwrap();
    assert_eq!(files.var.as_deref(), Some("a1_var.tdb"));
    assert_eq!(files.validity.as_deref(), Some("a1_validity.tdb"));
    assert_eq!(fixed("", FieldKind::Timestamps, 22), "t.tdb");
    assert_eq!(fixed("", FieldKind::DeleteTimestamps, 22), "dt.tdb");
    assert_eq!(fixed("", FieldKind::DeleteConditionIndex, 22), "dci.tdb");
}

#[test]
fn a_name_that_leads_elsewhere_names_no_file() {
    for name in ["../../outside/x", "/etc/x", "x\0"] {
        for version in [3, 5, 7] {
            assert!(matches!(
                files(name, TEXT, version),
                Err(FragmentError::FileName { .. })
            ));
        }
    }
    assert_eq!(fixed("../x", TEXT, 8), "..%2Fx.tdb");
}
