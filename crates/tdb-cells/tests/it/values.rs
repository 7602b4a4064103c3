//! Single values: formatting, order, shares of amounts, descriptions of fields.

use std::sync::Arc;

use proptest::prelude::*;
use tdb_cells::{FieldInfo, copy_text, out_of_order, scaled, share, unit_size, value_text};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, DataOrder, Dimension, Enumeration, FieldKind,
};
use tdb_tile::Datatype;

use crate::support::{cases, field};

const ONE: CellValNum = CellValNum::Fixed(1);

#[test]
fn values_are_shown_as_people_write_them() {
    for (datatype, values, cell, text) in [
        (Datatype::Int32, ONE, &(-7_i32).to_le_bytes()[..], "-7"),
        (Datatype::Float64, ONE, &0.1_f64.to_le_bytes(), "0.1"),
        (Datatype::Bool, ONE, &[1], "true"),
        (
            Datatype::StringUtf8,
            CellValNum::Var,
            b"a \"b\"",
            r#""a \"b\"""#,
        ),
        (Datatype::StringUtf8, CellValNum::Var, &[0xff, 0x0a], "ff0a"),
        (
            Datatype::DateTimeDay,
            ONE,
            &31_i64.to_le_bytes(),
            "1970-02-01",
        ),
        (Datatype::DateTimeDay, ONE, &i64::MIN.to_le_bytes(), "NaT"),
        (Datatype::Int32, CellValNum::Fixed(2), &[0; 8], "8 bytes"),
        (Datatype::Int32, CellValNum::Var, &[0; 12], "12 bytes"),
    ] {
        assert_eq!(value_text(datatype, values, cell), text);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn numbers_are_out_of_order_where_they_do_not_ascend_or_descend(a in -4_i16..4, b in -4_i16..4) {
        let problem = |order| {
            let problem = out_of_order(Datatype::Int16, order, &a.to_le_bytes(), &b.to_le_bytes());
            problem.map(|problem| problem.to_string())
        };
        let text = |is_wrong: bool, wanted| is_wrong.then(|| {
            format!("{b} follows {a}, and each value of this field is {wanted} than the one before it")
        });
        prop_assert_eq!(problem(DataOrder::Increasing), text(b <= a, "greater"));
        prop_assert_eq!(problem(DataOrder::Decreasing), text(b >= a, "less"));
        prop_assert_eq!(problem(DataOrder::Unordered), None);
    }

    #[test]
    fn a_share_is_rounded_down_and_what_is_scaled_up(amount in 0_u64..1_000, part in 0_u64..50, whole in 1_u64..50) {
        let of_part = amount * part.min(whole) / whole;
        prop_assert_eq!(share(amount, part, whole), of_part);
        let exact = amount * part;
        let up = exact / whole + u64::from(exact % whole > 0);
        prop_assert_eq!(scaled(amount, part, whole), up);
        // Products beyond 64 bits.
        let large = u128::from(amount << 50) * u128::from(part.min(whole)) / u128::from(whole);
        prop_assert_eq!(u128::from(share(amount << 50, part, whole)), large);
        prop_assert_eq!((share(amount, part, 0), scaled(0, part, 0)), (0, 0));
    }
}

#[test]
fn what_cannot_be_compared_is_out_of_order() {
    let nan = f32::NAN.to_le_bytes();
    for order in [DataOrder::Increasing, DataOrder::Decreasing] {
        let problem = out_of_order(Datatype::Float32, order, &nan, &1_f32.to_le_bytes());
        assert!(
            problem
                .unwrap()
                .to_string()
                .starts_with("1.0 follows NaN, and")
        );
    }
    let text = |before: &str, value: &str| {
        let problem = out_of_order(
            Datatype::StringAscii,
            DataOrder::Increasing,
            before.as_bytes(),
            value.as_bytes(),
        );
        problem.map(|problem| problem.to_string())
    };
    assert_eq!(text("a", "ab"), None);
    let problem = text("ab", "a").unwrap();
    assert!(problem.starts_with(r#""a" follows "ab", and"#), "{problem}");
}

/// A schema with a dimension, an enumerated number and a text.
fn schema() -> ArraySchema {
    let mut sky = Attribute::new("sky", Datatype::UInt8);
    sky.enumeration = Some("skies".to_owned());
    sky.nullable = true;
    let mut text = Attribute::new("text", Datatype::StringUtf16);
    text.cell_val_num = CellValNum::Var;
    let triple =
        Attribute::new("triple", Datatype::Float32).with_cell_val_num(CellValNum::Fixed(3));
    let dimension = Dimension::numbers("x", Datatype::Int64, (0_i64, 9), 2);
    ArraySchema::new(ArrayType::Sparse, vec![dimension], vec![sky, text, triple])
}

#[test]
fn fields_of_a_schema_have_the_labels_that_are_found_for_them() {
    let labels = ["clear", "grey"];
    let labels = Enumeration::from_values(
        "skies",
        "__skies",
        Datatype::StringUtf8,
        CellValNum::Var,
        false,
        labels,
    );
    let labels = Arc::new(labels.unwrap());
    let fields = FieldInfo::of_schema(&schema(), |index, name| {
        assert_eq!((index, name), (0, "skies"));
        Some(Arc::clone(&labels))
    });
    let mut told: Vec<_> = fields
        .iter()
        .map(|field| {
            (
                field.name.as_str(),
                field.field,
                field.nullable,
                field.enumeration.is_some(),
            )
        })
        .collect();
    told.sort_by_key(|(name, ..)| *name);
    let attribute = FieldKind::Attribute;
    let wanted = [
        ("sky", attribute(0), true, true),
        ("text", attribute(1), false, false),
        ("triple", attribute(2), false, false),
        ("x", FieldKind::Dimension(0), false, false),
    ];
    assert_eq!(told, wanted);
    let none = FieldInfo::of_schema(&schema(), |_, _| None);
    assert!(none.iter().all(|field| field.enumeration.is_none()));
}

#[test]
fn fields_know_their_sizes_and_the_type_of_their_numbers() {
    let schema = schema();
    let sizes = ["sky", "text", "triple", "x"].map(|name| {
        let found = schema.field(name).unwrap();
        (unit_size(&found), FieldInfo::of(&found, None).cell_size())
    });
    assert_eq!(
        sizes,
        [(1, Some(1)), (2, None), (12, Some(12)), (8, Some(8))]
    );
    let field = field("day", Datatype::DateTimeDay);
    assert!(field.check_numbers::<i64>().is_ok());
    let error = field.check_numbers::<f64>().unwrap_err();
    let text = r#"the values of column "day" are datetime_day, which is read as i64, not as f64"#;
    assert_eq!(error.to_string(), text);
}

#[test]
fn texts_that_are_not_there_are_not_copied() {
    let values = [7; 30];
    assert!(copy_text(&values, 29..31, &mut [0; 20]).is_none());
    assert!(copy_text(&values, 31..31, &mut [0; 20]).is_none());
    assert!(copy_text(&values, std::ops::Range { start: 3, end: 2 }, &mut [0; 20]).is_none());
}
