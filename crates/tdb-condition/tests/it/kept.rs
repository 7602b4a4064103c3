//! What a delete by a condition stores.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;

use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, Kept};
use tdb_fragment::ConditionNode;
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Code, Datatype, Limits};

fn with_fields<R>(ask: impl FnOnce(&[FieldInfo]) -> R) -> R {
    let sky = ["clear", "rain"];
    let (utf8, var) = (Datatype::StringUtf8, CellValNum::Var);
    let sky = Enumeration::from_values("sky", "__0_0", utf8, var, false, sky).unwrap();
    let field = |name, datatype, cell_val_num, nullable, enumeration| FieldInfo {
        name: str::to_owned(name),
        datatype,
        cell_val_num,
        nullable,
        enumeration,
        field: FieldKind::Attribute(0),
    };
    let one = CellValNum::Fixed(1);
    let fields = [
        field("i", Datatype::Int8, one, false, None),
        field("n", Datatype::Int8, one, true, None),
        field("s", utf8, var, false, None),
        field("ns", utf8, var, true, None),
        field("sky", Datatype::UInt8, one, false, Some(Arc::new(sky))),
        field("f", Datatype::Float32, one, false, None),
        field("day", Datatype::DateTimeDay, one, false, None),
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
        Ok(Kept::Where(tree)) => tree,
        Ok(Kept::All) => return "all".to_owned(),
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
        // What no one could read.
        "n is null",
        "i = 1 and ns is not null",
        "ns = ''",
        // What the stored form has no words for.
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
        "sky in ('clear', 'rain') and day >= timestamp '2024-02-29T00:00:00'",
    ] {
        let told = with_fields(|fields| {
            let condition = Condition::parse(text, &limits).unwrap();
            match condition.kept(fields, &limits).unwrap() {
                Kept::Where(tree) => Condition::deleted(&tree, fields).unwrap().to_string(),
                Kept::All => "nothing".to_owned(),
            }
        });
        assert_eq!(told, text);
    }
}
