use std::collections::HashMap;

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_fragment::{Combine, ConditionNode, ConditionOp, ConditionTree, ConditionValue};
use tdb_schema::CellValNum;
use tdb_tile::{Limits, WireError, WireErrorKind};

use crate::CompareOp;
use crate::literal_position::is_text;
use crate::resolve::{Builder, is_comparable, sort};
use crate::resolved::{ResolvedCondition, ResolvedTest};
use crate::walk::Joint;

impl ResolvedCondition {
    /// Converts a stored condition, whose values are raw bytes; that of a delete holds for the cells that are kept.
    ///
    /// `fields` are those of the schema that the tested cells were written with, because a later schema may give a
    /// name another type. Tests of unknown fields are false. A value of zero bytes tests whether a nullable field of
    /// fixed size is null; for var-sized strings it is the empty string.
    ///
    /// # Errors
    /// [`WireError`] if a value has another size than the field, the field cannot be compared, or the condition is
    /// nested too deeply or has too many nodes.
    pub fn from_stored(
        tree: &ConditionTree,
        fields: &[FieldInfo],
        limits: &Limits,
    ) -> Result<Self, WireError> {
        let known: HashMap<&str, &FieldInfo> = fields
            .iter()
            .map(|field| (field.name.as_str(), field))
            .collect();
        let mut builder = Builder::new(limits);
        let mut negated = false;
        let too_deep =
            |limit| WireError::new("ConditionTree", "node", 0, WireErrorKind::Limit(limit));
        for node in tree.nodes() {
            match node {
                ConditionNode::Expression {
                    combine: Combine::Not,
                    ..
                } => negated = !negated,
                ConditionNode::Expression {
                    combine: Combine::And,
                    parts,
                } => {
                    builder
                        .enter(Joint::And, *parts, negated)
                        .map_err(too_deep)?;
                }
                ConditionNode::Expression {
                    combine: Combine::Or,
                    parts,
                } => {
                    builder
                        .enter(Joint::Or, *parts, negated)
                        .map_err(too_deep)?;
                }
                ConditionNode::Value(value) => {
                    let op = if negated {
                        value.op().negated()
                    } else {
                        value.op()
                    };
                    let field = known.get(value.field()).copied();
                    let test = field.map_or(Ok(ResolvedTest::Never), |field| {
                        resolve_value(value, op, field)
                    });
                    builder.test(value.field(), field, test?);
                    negated = builder.negated();
                }
            }
        }
        Ok(builder.finish())
    }
}

fn resolve_value(
    value: &ConditionValue,
    op: ConditionOp,
    field: &FieldInfo,
) -> Result<ResolvedTest, WireError> {
    let is_null_test = value.is_null_test() && field.nullable && !field.cell_val_num.is_var();
    let compare = match op {
        ConditionOp::AlwaysTrue => return Ok(ResolvedTest::Always),
        ConditionOp::AlwaysFalse => return Ok(ResolvedTest::Never),
        ConditionOp::Equal if is_null_test => return Ok(ResolvedTest::Null),
        ConditionOp::NotEqual if is_null_test => return Ok(ResolvedTest::NotNull),
        ConditionOp::In => return Ok(ResolvedTest::In(members(value, field)?)),
        ConditionOp::NotIn => return Ok(ResolvedTest::NotIn(members(value, field)?)),
        ConditionOp::Less => CompareOp::Lt,
        ConditionOp::LessOrEqual => CompareOp::Le,
        ConditionOp::Greater => CompareOp::Gt,
        ConditionOp::GreaterOrEqual => CompareOp::Ge,
        ConditionOp::Equal => CompareOp::Eq,
        ConditionOp::NotEqual => CompareOp::Ne,
    };
    check(value.value(), field)?;
    Ok(ResolvedTest::Compare(compare, value.value().clone()))
}

/// The members of a set in ascending order, without NaN, which equals nothing.
fn members(value: &ConditionValue, field: &FieldInfo) -> Result<Vec<Bytes>, WireError> {
    let mut members = Vec::new();
    for member in value.members() {
        check(member, field)?;
        if field.datatype.compare(member, member).is_some() {
            members.push(Bytes::copy_from_slice(member));
        }
    }
    sort(&mut members, field.datatype);
    Ok(members)
}

/// Checks that cells of the field can be compared with a value of this size.
fn check(value: &[u8], field: &FieldInfo) -> Result<(), WireError> {
    let fail = |kind| Err(WireError::new("ConditionValue", "value", 0, kind));
    if !is_comparable(field.datatype, field.cell_val_num) {
        return fail(WireErrorKind::Invalid(
            "compared with a field whose cells cannot be compared",
        ));
    }
    let (wanted, found) = (field.datatype.size() as u64, value.len() as u64);
    if !is_text(field.datatype) && field.cell_val_num == CellValNum::Fixed(1) && wanted != found {
        return fail(WireErrorKind::Mismatch {
            what: "the number of bytes",
            wanted,
            found,
        });
    }
    Ok(())
}
