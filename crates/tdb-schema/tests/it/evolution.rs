//! Schema evolution.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{full, plane};
use tdb_filters::{FilterList, FilterRecord};
use tdb_schema::{ArraySchema, Attribute, CellValNum, Enumeration};
use tdb_tile::{Datatype, FormatVersion, Range};

fn letters(file: &str, values: &[&str]) -> Enumeration {
    let (name, datatype) = ("letters", Datatype::StringAscii);
    Enumeration::from_values(name, file, datatype, CellValNum::Var, false, values).unwrap()
}

fn names(schema: &ArraySchema) -> Vec<&str> {
    schema.attributes.iter().map(|a| a.name.as_str()).collect()
}

#[test]
fn attributes_come_and_go() {
    let more = plane()
        .with_attribute(Attribute::new("b", Datatype::Int8))
        .unwrap();
    assert_eq!(names(&more), ["a", "b"]);
    let less = more.clone().without_attribute("a").unwrap();
    assert_eq!(names(&less), ["b"]);
    let again = less
        .clone()
        .with_attribute(Attribute::new("a", Datatype::Int8))
        .unwrap();
    assert_eq!(names(&again), ["b", "a"]);
    let errors = [
        more.clone()
            .with_attribute(Attribute::new("x", Datatype::Int8))
            .unwrap_err(),
        more.clone()
            .with_attribute(Attribute::new("__timestamps", Datatype::Int8))
            .unwrap_err(),
        more.without_attribute("x").unwrap_err(),
        less.without_attribute("b").unwrap_err(),
    ];
    insta::assert_snapshot!(errors.map(|error| format!("{error}\n")).concat());
}

#[test]
fn enumerations_grow_and_go_when_nothing_refers_to_them() {
    let (old, new) = (letters("__1_0", &["a"]), letters("__2_0", &["a", "b"]));
    let mut indices = Attribute::new("i", Datatype::Int8);
    indices.enumeration = Some("letters".to_owned());
    let schema = plane().with_enumeration(&old).unwrap();
    let schema = schema.with_attribute(indices.clone()).unwrap();
    let grown = schema
        .clone()
        .with_extended_enumeration(&old, &new)
        .unwrap();
    assert_eq!(grown.enumerations[0].file, "__2_0");
    let many: Vec<String> = (0..127).map(|i| i.to_string()).collect();
    let many: Vec<&str> = std::iter::once("a")
        .chain(many.iter().map(String::as_str))
        .collect();
    // With one less, the largest number is the index of none.
    let all = letters("__3_0", &many[..127]);
    let full = schema
        .clone()
        .with_extended_enumeration(&old, &all)
        .unwrap();
    full.check_indices(&all).unwrap();
    assert!(full.check_new_indices(&all).is_err());
    let errors = [
        plane().with_attribute(indices).unwrap_err(),
        schema.clone().with_enumeration(&old).unwrap_err(),
        schema
            .clone()
            .with_extended_enumeration(&new, &old)
            .unwrap_err(),
        schema
            .clone()
            .with_extended_enumeration(&old, &letters("__3_0", &many))
            .unwrap_err(),
        schema.clone().without_enumeration("letters").unwrap_err(),
        schema.clone().without_enumeration("digits").unwrap_err(),
    ];
    insta::assert_snapshot!(errors.map(|error| format!("{error}\n")).concat());
    let without = grown
        .without_attribute("i")
        .unwrap()
        .without_enumeration("letters")
        .unwrap();
    assert_eq!(without.enumerations, []);
}

#[test]
fn the_current_domain_only_grows() {
    let small = vec![Range::of(2, 3), Range::of(0, 0)];
    let large = vec![Range::of(1, 10), Range::of(-5, 0)];
    let schema = plane().with_current_domain(small.clone()).unwrap();
    assert_eq!(schema.bounds(0), Some(&small[0]));
    let grown = schema.with_current_domain(large).unwrap();
    let errors = [
        grown.clone().with_current_domain(small).unwrap_err(),
        grown
            .with_current_domain(vec![Range::of(0, 10), Range::of(-5, 0)])
            .unwrap_err(),
    ];
    insta::assert_snapshot!(errors.map(|error| format!("{error}\n")).concat());
}

#[test]
fn an_old_schema_is_stored_as_a_new_one() {
    let mut old = full(15);
    // Before version 20, the options of double delta have no datatype.
    let stored = FilterRecord::new(6, &[6, 255, 255, 255, 255][..]);
    old.attributes[0].filters = FilterList::new(vec![stored]);
    let new = old
        .with_attribute(Attribute::new("b", Datatype::Int8))
        .unwrap();
    assert_eq!(new.version, FormatVersion::WRITTEN);
    let stored = FilterRecord::new(6, &[6, 255, 255, 255, 255, 17][..]);
    assert_eq!(new.attributes[0].filters.filters, [stored]);
    new.encode().unwrap();
}

#[test]
fn every_old_schema_can_be_upgraded() {
    for version in 1..=23 {
        let upgraded = full(version).upgraded();
        assert_eq!(upgraded.version.number(), version.max(22));
        upgraded.check_new().unwrap();
        upgraded.encode().unwrap();
    }
}
