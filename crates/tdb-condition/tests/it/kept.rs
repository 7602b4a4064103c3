//! The stored form of deletes.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;

use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, KeepCondition};
use tdb_fragment::ConditionNode;
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Code, Datatype, Limits};

fn with_fields<R>(ask: impl FnOnce(&[FieldInfo]) -> R) -> R {
    let sky = ["clear", "rain"];
    let (utf8, var) = (Datatype::StringUtf8, CellValNum::Var);
    let sky = Enumeration::from_values("sky", "__0_0", utf8, var, false, sky).unwrap();
    let levels = [-0.0_f64, 1.0, 0.0].map(f64::to_le_bytes);
    let (real, one) = (Datatype::Float64, CellValNum::Fixed(1));
    let levels = Enumeration::from_values("levels", "__0_1", real, one, false, levels).unwrap();
    let field = |name, datatype, cell_val_num, nullable, enumeration| FieldInfo {
        name: str::to_owned(name),
        datatype,
        cell_val_num,
        nullable,
        enumeration,
        field: FieldKind::Attribute(0),
    };
    let fields = [
        field("i", Datatype::Int8, one, false, None),
        field("n", Datatype::Int8, one, true, None),
        field("s", utf8, var, false, None),
        field("ns", utf8, var, true, None),
        field("sky", Datatype::UInt8, one, false, Some(Arc::new(sky))),
        field("f", Datatype::Float32, one, false, None),
        field("day", Datatype::DateTimeDay, one, false, None),
        field("d", Datatype::Float64, one, true, None),
        field("level", Datatype::UInt8, one, false, Some(Arc::new(levels))),
    ];
    ask(&fields)
}

fn shown(text: &str) -> String {
    let limits = Limits::default();
    let kept = with_fields(|fields| {
        let condition = Condition::parse(text, &limits)?;
        condition.kept(fields, &limits)
    });
    let tree = match kept {
        Ok(KeepCondition::Where(tree)) => tree,
        Ok(KeepCondition::All) => return "all".to_owned(),
        Err(error) => return format!("error: {error} ({})", error.hint().unwrap_or("no hint")),
    };
    let mut out = String::new();
    for node in tree.nodes() {
        match node {
            ConditionNode::Expression { combine, parts } => {
                write!(out, "{}/{parts} ", combine.name()).unwrap();
            }
            ConditionNode::Value(value) => {
                let members: Vec<&[u8]> = value.members().collect();
                write!(
                    out,
                    "({} {} {members:?}) ",
                    value.field(),
                    value.op().name()
                )
                .unwrap();
            }
        }
    }
    out
}

#[test]
fn a_delete_stores_what_stays() {
    let questions = [
        "i > 4",
        "i = 1 and s = 'a' and sky = 'rain'",
        "i = 1 or s = 'a' or not (n < 3 and i in (1, 2))",
        "i not in (1, 2)",
        "s = ''",
        // Decided without looking at cells.
        "i > 300",
        "i > 300 or n = 1",
        "i < 300",
        "i < 300 and n = 1",
        "i < 300 or n = 1",
        "i > 300 and n = 1",
        "sky = 'snow'",
        "sky != 'snow'",
        "s is not null",
        "s is null",
        "s >= '' or s is not null",
        "n < 300",
        // Tests that TileDB could not read.
        "n is null",
        "i = 1 and ns is not null",
        "ns = ''",
        // Tests that the stored form cannot express.
        "s like 'a%'",
        "i = 1 or not s starts with 'ab'",
        "s starts with x'61ff'",
        "sky starts with 'r'",
    ];
    let text: Vec<String> = questions
        .iter()
        .map(|question| format!("{question}: {}", shown(question).trim_end()))
        .collect();
    insta::assert_snapshot!(text.join("\n"));
}

/// The stored members of a test with a list.
fn members(text: &str) -> Vec<Vec<u8>> {
    let limits = Limits::default();
    let kept = with_fields(|fields| {
        let condition = Condition::parse(text, &limits).unwrap();
        condition.kept(fields, &limits).unwrap()
    });
    let KeepCondition::Where(tree) = kept else {
        return Vec::new();
    };
    let values = tree.values().flat_map(|value| value.members());
    values.map(<[u8]>::to_vec).collect()
}

#[test]
fn a_stored_list_of_floats_has_both_zeros_where_one_is_given() {
    let singles = |values: &[f32]| -> Vec<Vec<u8>> {
        values
            .iter()
            .map(|value| value.to_le_bytes().into())
            .collect()
    };
    let doubles = |values: &[f64]| -> Vec<Vec<u8>> {
        values
            .iter()
            .map(|value| value.to_le_bytes().into())
            .collect()
    };
    for zero in ["0.0", "-0.0", "0", "-0.0, 0.0"] {
        for op in ["in", "not in"] {
            let list = format!("{op} (1.5, {zero}, -3)");
            assert_eq!(
                members(&format!("f {list}")),
                singles(&[-3.0, -0.0, 0.0, 1.5])
            );
            assert_eq!(
                members(&format!("d {list}")),
                doubles(&[-3.0, -0.0, 0.0, 1.5])
            );
        }
    }
    // Only floating-point zeros get a second member.
    assert_eq!(members("d in (5e-324)"), doubles(&[5e-324]));
    assert_eq!(members("i in (0, 1)"), [[0], [1]]);
}

#[test]
fn labels_that_are_zeros_of_either_sign_are_equal() {
    for text in ["level = 0.0", "level in (-0.0)", "level in (0, 7)"] {
        assert_eq!(members(text), [[0], [2]], "{text}");
    }
    assert_eq!(members("level in (1, 0.0)"), [[0], [1], [2]]);
}

#[test]
fn a_nan_in_a_list_of_a_delete_takes_no_cell() {
    assert_eq!(shown("f in ('NaN')"), "all");
    let with = members("f in ('NaN', 1.5)");
    assert_eq!(with, members("f in (1.5)"));
    assert_eq!(members("d not in (1.5, 'NaN')"), members("d not in (1.5)"));
}

#[test]
fn a_stored_delete_tells_its_condition() {
    let limits = Limits::default();
    for text in [
        "i > 3",
        "i >= -3 and n < 7",
        "i = 1 or n != 2 or s = 'x'",
        "(i < 1 or i > 5) and s in ('a', 'b')",
        "i not in (1, 2) and (s = '' or f <= 0.1)",
        "sky = 'rain'",
        "f in (0.0, 1.5) or d not in (0.0, 2.0)",
        "sky in ('clear', 'rain') and day >= timestamp '2024-02-29T00:00:00'",
    ] {
        let told = with_fields(|fields| {
            let condition = Condition::parse(text, &limits).unwrap();
            match condition.kept(fields, &limits).unwrap() {
                KeepCondition::Where(tree) => {
                    Condition::deleted(&tree, fields).unwrap().to_string()
                }
                KeepCondition::All => "nothing".to_owned(),
            }
        });
        assert_eq!(told, text);
    }
}
