use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_cells::files::labels_of;
use tdb_fragment::{Combine, ConditionOp, ConditionTree, ConditionValue};
use tdb_schema::CellValNum;
use tdb_tile::{Bug, Datatype, Exact};

use crate::literal_position::is_text;
use crate::resolve::{shown, shown_text};
use crate::resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};
use crate::{
    CompareOp, Condition, ConditionError, ConditionNode, ConditionRules, FieldTest, Literal, Test,
};

/// The stored form of a delete; see [`Condition::kept`].
#[derive(Clone, Debug, PartialEq)]
pub enum KeepCondition {
    /// No cell can match the condition, so nothing needs to be stored.
    All,
    /// The condition under which a cell is kept.
    Where(ConditionTree),
}

impl Condition {
    /// Converts a delete condition into its stored form: the condition under which cells are kept, with values of the
    /// fields' types.
    ///
    /// Cells that are null in a compared field are deleted, too, because the stored form cannot express anything else.
    /// A condition that holds for every value is stored as one that keeps nothing.
    ///
    /// # Errors
    /// Errors of [`Condition::resolve`]; [`ConditionError::NotHeld`] for anything but comparisons of fields with
    /// values; [`ConditionError::NotStorable`] for tests for null or for an empty string, which TileDB stores in a
    /// form that it cannot read.
    pub fn kept(
        &self,
        fields: &[FieldInfo],
        limits: &tdb_tile::Limits,
    ) -> Result<KeepCondition, ConditionError> {
        self.kept_by(fields, limits, ConditionRules::default())
    }

    /// Like [`Condition::kept`], for a condition that follows the given rules. The stored form always compares stored
    /// values, so it may delete more cells than match the condition; the caller can find out by counting both.
    ///
    /// # Errors
    /// See [`Condition::kept`].
    pub fn kept_by(
        &self,
        fields: &[FieldInfo],
        limits: &tdb_tile::Limits,
        rules: ConditionRules,
    ) -> Result<KeepCondition, ConditionError> {
        let stored = ConditionRules::stored_bytes().with_padded_text(rules.padded_text);
        let resolved = self.resolve_by(fields, limits, stored)?;
        if let Some(refused) = self.nodes().iter().find_map(|node| not_held(node, fields)) {
            return Err(refused);
        }
        let can_be_null = |field: &FieldInfo| {
            field.nullable || rules.nulls_without_label && labels_of(field).is_some()
        };
        let is_nullable = |name: &str| fields.iter().any(|f| f.name == name && can_be_null(f));
        let null_test = self.nodes().iter().find_map(|node| match node {
            ConditionNode::Test(FieldTest {
                field,
                test: Test::Null | Test::NotNull,
            }) if is_nullable(field) => Some(field),
            _ => None,
        });
        match null_test {
            Some(field) => Err(cannot_ask(field, "null")),
            None => resolved.kept(),
        }
    }
}

/// Returns an error if a delete cannot store this node, whatever the type of its field.
fn not_held(node: &ConditionNode, fields: &[FieldInfo]) -> Option<ConditionError> {
    let test = match node {
        ConditionNode::Test(test) => test,
        ConditionNode::Comparison(comparison) => {
            return Some(ConditionError::NotHeld {
                test: shown_text(&comparison.to_string()),
                hint: BY_VALUES.to_owned(),
            });
        }
        ConditionNode::And(_) | ConditionNode::Or(_) | ConditionNode::Not => return None,
    };
    let has_labels = |field: &FieldInfo| field.name == test.field && field.enumeration.is_some();
    let hint = match &test.test {
        Test::Like(_) | Test::NotLike(_) => BY_VALUES.to_owned(),
        Test::StartsWith(_) | Test::NotStartsWith(_) if fields.iter().any(has_labels) => {
            BY_VALUES.to_owned()
        }
        Test::StartsWith(prefix) | Test::NotStartsWith(prefix) => match range_of(prefix) {
            Some((from, to)) => {
                let field = Condition::field(&*test.field);
                let range = field.clone().ge(from).and(field.lt(to));
                let range = match test.test {
                    Test::StartsWith(_) => range,
                    _ => !range,
                };
                format!("write it as a range: `{range}`")
            }
            None => BY_VALUES.to_owned(),
        },
        _ => return None,
    };
    Some(ConditionError::NotHeld {
        test: shown(test),
        hint,
    })
}

/// Advice if no range is equivalent.
const BY_VALUES: &str =
    "read the cells with this condition, and delete them by their values, with `in (…)`";

/// Returns the first text with a prefix, and the first text after all that have it.
fn range_of(prefix: &Literal) -> Option<(Literal, Literal)> {
    let mut end = match prefix {
        Literal::Text(text) => text.clone().into_bytes(),
        Literal::Bytes(bytes) => bytes.clone(),
        _ => return None,
    };
    while end.pop_if(|last| *last == u8::MAX).is_some() {}
    let last = end.last_mut()?;
    *last = last.checked_add(1)?;
    let end = String::from_utf8(end)
        .map_or_else(|error| Literal::Bytes(error.into_bytes()), Literal::Text);
    Some((prefix.clone(), end))
}

/// The negation of a part of a condition.
#[derive(Debug)]
enum Part {
    /// Every cell is kept.
    All,
    /// No cell is kept; has the number of a field that can express this.
    None(usize),
    Tree(Option<Combine>, Vec<ConditionTree>),
}

impl ResolvedCondition {
    fn kept(&self) -> Result<KeepCondition, ConditionError> {
        let mut stack: Vec<Part> = Vec::new();
        for step in self.steps() {
            let part = match step {
                Step::Test { field, test } => self.negated_test(*field, test)?,
                Step::Compare(_) => {
                    return Err(Bug::new("a delete of a comparison that it cannot hold").into());
                }
                Step::And | Step::Or => {
                    let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else {
                        return Err(Bug::new("a condition with a joint too many").into());
                    };
                    match step {
                        Step::And => join(a, b, Combine::Or)?,
                        _ => join(a, b, Combine::And)?,
                    }
                }
            };
            stack.push(part);
        }
        match (stack.pop(), stack.is_empty()) {
            (Some(Part::All), true) => Ok(KeepCondition::All),
            (Some(Part::None(field)), true) => self.never(field).map(KeepCondition::Where),
            (Some(part), true) => tree(part).map(KeepCondition::Where),
            _ => Err(Bug::new("a condition whose tests are not all joined").into()),
        }
    }

    fn negated_test(&self, index: usize, test: &ResolvedTest) -> Result<Part, ConditionError> {
        let field = self.field(index)?;
        let refuse = |what: &'static str| Err(cannot_ask(&field.name, what));
        let value = match test {
            ResolvedTest::Never => return Ok(Part::All),
            // Deletes every value, and null cells with them.
            ResolvedTest::Always | ResolvedTest::NotNull => return Ok(Part::None(index)),
            ResolvedTest::Null if !field.nullable => return Ok(Part::All),
            ResolvedTest::Null => return refuse("null"),
            ResolvedTest::In(members) if members.is_empty() => return Ok(Part::All),
            ResolvedTest::NotIn(members) if members.is_empty() => return Ok(Part::None(index)),
            // In a nullable field, an empty value means null.
            ResolvedTest::Compare(_, value) if value.is_empty() && field.nullable => {
                return refuse("empty");
            }
            ResolvedTest::In(members) | ResolvedTest::NotIn(members)
                if field.nullable && members.iter().any(Bytes::is_empty) =>
            {
                return refuse("empty");
            }
            ResolvedTest::StartsWith(_)
            | ResolvedTest::NotStartsWith(_)
            | ResolvedTest::Like(_)
            | ResolvedTest::NotLike(_) => {
                return Err(Bug::new("a delete of a test that it cannot hold").into());
            }
            ResolvedTest::Compare(op, value) => {
                ConditionValue::new(&field.name, stored(op.negated()), value.clone())
            }
            ResolvedTest::In(members) => {
                let members = with_both_zeros(field, members);
                ConditionValue::of_members(&field.name, ConditionOp::NotIn, &members)
            }
            ResolvedTest::NotIn(members) => {
                let members = with_both_zeros(field, members);
                ConditionValue::of_members(&field.name, ConditionOp::In, &members)
            }
        };
        let other = || Bug::new("an operator that takes something else");
        Ok(Part::Tree(
            None,
            vec![ConditionTree::from(value.ok_or_else(other)?)],
        ))
    }

    fn field(&self, index: usize) -> Result<&ResolvedField, ConditionError> {
        let field = self.fields().get(index);
        Ok(field.ok_or_else(|| Bug::new("a test of a field that the condition does not have"))?)
    }

    /// Builds a condition on a field that no cell satisfies.
    fn never(&self, field: usize) -> Result<ConditionTree, ConditionError> {
        let field = self.field(field)?;
        let (name, value) = (&field.name, smallest(field)?);
        let test = |op| {
            let test = ConditionValue::new(name, op, value.clone())
                .ok_or_else(|| Bug::new("an operator that takes something else"))?;
            Ok(ConditionTree::from(test))
        };
        let ops = [ConditionOp::Less, ConditionOp::GreaterOrEqual];
        let trees = ops.into_iter().map(test).collect::<Result<_, Bug>>()?;
        combine(Combine::And, trees)
    }
}

/// Adds the other zero to a set of floats: TileDB compares members by their bytes, but 0.0 equals -0.0.
fn with_both_zeros(field: &ResolvedField, members: &[Bytes]) -> Vec<Bytes> {
    let zeros = match field.stored {
        Some((Datatype::Float32, _)) => [-0.0_f32, 0.0].map(|zero| zero.to_le_bytes().to_vec()),
        Some((Datatype::Float64, _)) => [-0.0_f64, 0.0].map(|zero| zero.to_le_bytes().to_vec()),
        _ => return members.to_vec(),
    };
    let mut stored = Vec::with_capacity(members.len());
    for member in members {
        // Equal members were removed, so there is at most one zero.
        if zeros.iter().any(|zero| **zero == **member) {
            stored.extend(zeros.iter().cloned().map(Bytes::from));
        } else {
            stored.push(member.clone());
        }
    }
    stored
}

/// Returns the error for a delete that TileDB could not read.
fn cannot_ask(field: &str, what: &'static str) -> ConditionError {
    ConditionError::NotStorable {
        field: field.to_owned(),
        what,
    }
}

/// Returns an arbitrary value of the field's type that is not empty.
fn smallest(field: &ResolvedField) -> Result<Bytes, Bug> {
    let size = match field.stored {
        Some((datatype, CellValNum::Fixed(n))) if is_text(datatype) => {
            datatype.size().exact_mul(n as usize)?
        }
        Some((datatype, _)) => datatype.size(),
        None => return Err(Bug::new("a delete by a field that the schema lacks")),
    };
    Ok(vec![0; size].into())
}

fn join(a: Part, b: Part, how: Combine) -> Result<Part, ConditionError> {
    Ok(match (a, b) {
        // `All` absorbs an `or` and is neutral in an `and`.
        (Part::All, other) | (other, Part::All) => match how {
            Combine::Or => Part::All,
            _ => other,
        },
        (Part::None(field), other) | (other, Part::None(field)) => match how {
            Combine::And => Part::None(field),
            _ => other,
        },
        (Part::Tree(Some(same), mut trees), other) if same == how => {
            match other {
                Part::Tree(Some(same), more) if same == how => trees.extend(more),
                other => trees.push(tree(other)?),
            }
            Part::Tree(Some(how), trees)
        }
        (a, b) => Part::Tree(Some(how), vec![tree(a)?, tree(b)?]),
    })
}

fn tree(part: Part) -> Result<ConditionTree, ConditionError> {
    match part {
        Part::Tree(Some(how), trees) => combine(how, trees),
        Part::Tree(None, mut trees) => trees
            .pop()
            .ok_or_else(|| Bug::new("a condition without a test").into()),
        Part::All | Part::None(_) => Err(Bug::new("a condition without a test").into()),
    }
}

fn combine(how: Combine, trees: Vec<ConditionTree>) -> Result<ConditionTree, ConditionError> {
    let combined = ConditionTree::combine(how, trees);
    Ok(combined.map_err(|_| Bug::new("parts of a condition that cannot be joined"))?)
}

fn stored(op: CompareOp) -> ConditionOp {
    match op {
        CompareOp::Lt => ConditionOp::Less,
        CompareOp::Le => ConditionOp::LessOrEqual,
        CompareOp::Gt => ConditionOp::Greater,
        CompareOp::Ge => ConditionOp::GreaterOrEqual,
        CompareOp::Eq => ConditionOp::Equal,
        CompareOp::Ne => ConditionOp::NotEqual,
    }
}
