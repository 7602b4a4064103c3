use tdb_cells::FieldInfo;
use tdb_fragment::{
    Combine, ConditionNode as StoredNode, ConditionOp, ConditionTree, ConditionValue,
};
use tdb_schema::CellValNum;
use tdb_schema::value::{Cell, Moment, NOT_A_TIME, Value, holds_bytes, read, read_cell};
use tdb_tile::{Bug, Datatype};

use crate::{CompareOp, Condition, Literal, Test};

impl Condition {
    /// Returns the condition for the cells that a delete removes, given the stored condition for the cells that it
    /// keeps: the inverse of [`Condition::kept`], except that a delete also removes null cells.
    ///
    /// Values of enumerated fields become labels, values of unknown fields become bytes.
    ///
    /// # Errors
    /// The tree is inconsistent, which cannot happen if it was decoded.
    pub fn deleted(kept: &ConditionTree, fields: &[FieldInfo]) -> Result<Self, Bug> {
        let lost = || Bug::new("a stored condition with a joint too many");
        let mut stack: Vec<Self> = Vec::new();
        // Going backwards, parts come before their joint, with the first part on top of the stack.
        for node in kept.nodes().iter().rev() {
            let condition = match node {
                StoredNode::Value(value) => negated_value(value, fields),
                StoredNode::Expression { combine, parts } => {
                    let first = stack.len().checked_sub(*parts).ok_or_else(lost)?;
                    let joined = stack.drain(first..).rev();
                    // By De Morgan's law, the opposite joint of the opposite tests.
                    let joined = match combine {
                        Combine::And => joined.reduce(Self::or),
                        Combine::Or => joined.reduce(Self::and),
                        Combine::Not => joined.reduce(|first, _| first).map(|part| !part),
                    };
                    joined.ok_or_else(lost)?
                }
            };
            stack.push(condition);
        }
        stack.pop().filter(|_| stack.is_empty()).ok_or_else(lost)
    }
}

/// The condition for the cells that fail a stored test.
fn negated_value(value: &ConditionValue, fields: &[FieldInfo]) -> Condition {
    let field = fields.iter().find(|field| field.name == value.field());
    let ask = |test| Condition::field(value.field()).ask(test);
    let compare = |op| ask(Test::Compare(op, literal(field, value.value())));
    // In a string field that is not nullable, an empty value is the empty string.
    let asks_null = value.is_null_test() && field.is_none_or(|field| field.nullable);
    let members = || {
        let mut members: Vec<Literal> = Vec::new();
        for member in value.members().map(|member| literal(field, member)) {
            // For floats, both zeros are stored if either was given.
            let is_zero =
                |literal: &Literal| matches!(literal, Literal::Float(zero) if *zero == 0.0);
            match is_zero(&member) {
                false => members.push(member),
                true if members.iter().any(is_zero) => {}
                true => members.push(Literal::Float(0.0)),
            }
        }
        members
    };
    match value.op() {
        ConditionOp::Equal if asks_null => ask(Test::NotNull),
        ConditionOp::NotEqual if asks_null => ask(Test::Null),
        ConditionOp::Less => compare(CompareOp::Ge),
        ConditionOp::LessOrEqual => compare(CompareOp::Gt),
        ConditionOp::Greater => compare(CompareOp::Le),
        ConditionOp::GreaterOrEqual => compare(CompareOp::Lt),
        ConditionOp::Equal => compare(CompareOp::Ne),
        ConditionOp::NotEqual => compare(CompareOp::Eq),
        ConditionOp::In => ask(Test::NotIn(members())),
        ConditionOp::NotIn => ask(Test::In(members())),
        ConditionOp::AlwaysTrue => ask(Test::Null).and(ask(Test::NotNull)),
        ConditionOp::AlwaysFalse => ask(Test::Null).or(ask(Test::NotNull)),
    }
}

/// Converts a stored value into a literal.
fn literal(field: Option<&FieldInfo>, bytes: &[u8]) -> Literal {
    let label = field.and_then(|field| {
        let labels = field.enumeration.as_deref()?;
        let index = index(field.datatype, bytes)?;
        let label = labels.value(index)?;
        Some(of_cell(labels.datatype(), labels.cell_val_num(), label))
    });
    label.unwrap_or_else(|| match field {
        Some(field) => of_cell(field.datatype, field.cell_val_num, bytes),
        None => Literal::Bytes(bytes.to_vec()),
    })
}

fn index(datatype: Datatype, bytes: &[u8]) -> Option<usize> {
    match read(datatype, bytes)? {
        Value::Signed(index) => index.try_into().ok(),
        Value::Unsigned(index) => index.try_into().ok(),
        _ => None,
    }
}

fn of_cell(datatype: Datatype, values: CellValNum, bytes: &[u8]) -> Literal {
    if !holds_bytes(datatype) && bytes.len() != datatype.size() {
        return Literal::Bytes(bytes.to_vec());
    }
    match read_cell(datatype, values, bytes) {
        Cell::One(Value::Bool(value)) => Literal::Bool(value),
        Cell::One(Value::Signed(value)) => Literal::Integer(value.into()),
        Cell::One(Value::Unsigned(value)) => Literal::Integer(value.into()),
        Cell::One(Value::Float32(value)) => Literal::Float(shortest(value)),
        Cell::One(Value::Float64(value)) => Literal::Float(value),
        Cell::One(Value::Time(datatype, ticks)) => match Moment::of_ticks(datatype, ticks) {
            Some(moment) => Literal::Moment(moment),
            None => Literal::Integer(ticks.into()),
        },
        Cell::One(Value::NotATime) => Literal::Integer(NOT_A_TIME.into()),
        Cell::One(Value::Text(text)) => Literal::Text(text.to_owned()),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if holds_bytes(datatype) && !text.chars().any(char::is_control) => {
                Literal::Text(text.to_owned())
            }
            _ => Literal::Bytes(bytes.to_vec()),
        },
    }
}

/// Returns the `f64` with the same shortest decimal text, so that 0.1 stays 0.1.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(value.into())
}
