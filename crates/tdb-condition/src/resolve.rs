mod term;
mod text;
mod value;

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use tdb_cells::FieldInfo;
use tdb_schema::{CellValNum, Enumeration, names};
use tdb_tile::{Datatype, LimitError, Limits};

use self::value::place;
pub(crate) use self::value::{shown, shown_text, sort};
use crate::literal_position::{LiteralPosition, Outcome, is_number, is_text};
use crate::resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};
use crate::walk::{Joint, Walk};
use crate::{CompareOp, Condition, ConditionError, ConditionNode, FieldTest, Literal, Test};

impl Condition {
    /// Gives the values of a condition the types of the fields.
    ///
    /// Values are compared exactly: one that a field cannot hold makes a test true or false for every cell that is
    /// not null, never an error. Only against floats are numbers rounded to the nearest that the field can hold.
    /// Values against an enumerated attribute are labels; one that the enumeration lacks equals nothing, so that
    /// `!=` is true for every cell that is not null.
    ///
    /// # Errors
    /// [`ConditionError::UnknownField`]; [`ConditionError::Unfit`] where it cannot be compared with such a value,
    /// [`ConditionError::Limit`] where the condition is too deep or has too many nodes.
    pub fn resolve<'f>(
        &self,
        fields: &'f [FieldInfo],
        limits: &Limits,
    ) -> Result<ResolvedCondition, ConditionError> {
        let nodes = self.nodes().len() as u64;
        Limits::check(
            "nodes of a condition",
            "condition_nodes",
            nodes,
            limits.condition_nodes,
        )?;
        let known: HashMap<&str, &FieldInfo> = fields
            .iter()
            .map(|field| (field.name.as_str(), field))
            .collect();
        let mut builder = Builder::new(limits);
        // Where `not` holds, the opposite tests are joined by the opposite joints.
        let mut negated = false;
        for node in self.nodes() {
            match node {
                ConditionNode::Not => negated = !negated,
                ConditionNode::And(joins) => builder.enter(Joint::And, *joins, negated)?,
                ConditionNode::Or(joins) => builder.enter(Joint::Or, *joins, negated)?,
                ConditionNode::Comparison(comparison) => {
                    let op = comparison.op;
                    let op = if negated { op.negated() } else { op };
                    let number =
                        &mut |field: &'f FieldInfo| builder.number(&field.name, Some(field), true);
                    let resolved = term::resolve(comparison, op, (&known, fields), number)?;
                    builder.step(Step::Compare(resolved));
                    negated = builder.negated();
                }
                ConditionNode::Test(test) => {
                    let field = known
                        .get(test.field.as_str())
                        .ok_or_else(|| unknown(test, fields))?;
                    let test = if negated {
                        FieldTest {
                            test: test.test.clone().negated(),
                            ..test.clone()
                        }
                    } else {
                        test.clone()
                    };
                    let resolved = resolve_test(&test, field)?;
                    builder.test(&field.name, Some(field), resolved);
                    negated = builder.negated();
                }
            }
        }
        Ok(builder.finish())
    }
}

/// Collects the steps of a condition while its nodes are walked.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    /// Joints as they are done, and whether what they join is negated.
    walk: Walk<(Joint, bool)>,
    numbers: HashMap<&'a str, usize>,
    fields: Vec<ResolvedField>,
    /// Those of which the values are read.
    read: HashSet<usize>,
    steps: Vec<Step>,
    depth: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            walk: Walk::new(limits),
            numbers: HashMap::new(),
            fields: Vec::new(),
            read: HashSet::new(),
            steps: Vec::new(),
            depth: 1,
        }
    }

    /// A joint begins, which stands under `not` where `negated`; what it joins is so too.
    pub(crate) fn enter(
        &mut self,
        joint: Joint,
        joins: usize,
        negated: bool,
    ) -> Result<(), LimitError> {
        let joint = if negated { joint.negated() } else { joint };
        self.walk.enter((joint, negated), joins)?;
        self.depth = self.depth.max(self.walk.depth().saturating_add(1));
        Ok(())
    }

    /// Whether the next node stands under an odd number of `not`.
    pub(crate) fn negated(&self) -> bool {
        self.walk.top().is_some_and(|(_, negated)| negated)
    }

    pub(crate) fn test(&mut self, name: &'a str, field: Option<&FieldInfo>, test: ResolvedTest) {
        let number = self.number(name, field, test.reads_values());
        self.step(Step::Test {
            field: number,
            test,
        });
    }

    /// The place of a field among those that are read.
    fn number(&mut self, name: &'a str, field: Option<&FieldInfo>, reads_values: bool) -> usize {
        let next = self.fields.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.fields.push(ResolvedField {
                name: name.to_owned(),
                stored: field.map(|field| (field.datatype, field.cell_val_num)),
                nullable: field.is_some_and(|field| field.nullable),
                reads_values: false,
            });
        }
        if reads_values {
            self.read.insert(number);
        }
        number
    }

    /// A step of its own, and the joints that it completes.
    fn step(&mut self, step: Step) {
        self.steps.push(step);
        let steps = &mut self.steps;
        self.walk.leave(|(joint, _), first, _| {
            if !first {
                steps.push(match joint {
                    Joint::And => Step::And,
                    Joint::Or => Step::Or,
                });
            }
        });
    }

    pub(crate) fn finish(mut self) -> ResolvedCondition {
        for (number, field) in self.fields.iter_mut().enumerate() {
            field.reads_values = self.read.contains(&number);
        }
        ResolvedCondition {
            fields: self.fields,
            steps: self.steps,
            depth: self.depth,
        }
    }
}

fn resolve_test(test: &FieldTest, field: &FieldInfo) -> Result<ResolvedTest, ConditionError> {
    if !matches!(test.test, Test::Null | Test::NotNull) {
        comparable(test, field)?;
    }
    match &test.test {
        Test::Null => Ok(ResolvedTest::Null),
        Test::NotNull => Ok(ResolvedTest::NotNull),
        Test::Compare(op, value) => match &field.enumeration {
            Some(enumeration) => compare_label(test, field, enumeration, *op, value),
            None => Ok(outcome(place(test, field.datatype, value)?.compare(*op))),
        },
        Test::Like(pattern) => text::like(test, field, pattern, false),
        Test::NotLike(pattern) => text::like(test, field, pattern, true),
        Test::StartsWith(prefix) => text::prefix(test, field, prefix, false),
        Test::NotStartsWith(prefix) => text::prefix(test, field, prefix, true),
        Test::In(members) => Ok(ResolvedTest::In(set(test, field, members)?)),
        Test::NotIn(members) => Ok(ResolvedTest::NotIn(set(test, field, members)?)),
    }
}

fn outcome(outcome: Outcome) -> ResolvedTest {
    match outcome {
        Outcome::Compare(op, value) => ResolvedTest::Compare(op, value.into()),
        Outcome::True => ResolvedTest::NotNull,
        Outcome::False => ResolvedTest::Never,
    }
}

/// Whether cells of such a field can be compared at all.
pub(crate) fn is_comparable(datatype: Datatype, cell_val_num: CellValNum) -> bool {
    is_text(datatype) || (is_number(datatype) && matches!(cell_val_num, CellValNum::Fixed(1)))
}

fn comparable(test: &FieldTest, field: &FieldInfo) -> Result<(), ConditionError> {
    if is_comparable(field.datatype, field.cell_val_num) {
        return Ok(());
    }
    let cells = match field.cell_val_num {
        CellValNum::Var => format!("cells of any number of {} values", field.datatype),
        CellValNum::Fixed(1) => format!("{} cells", field.datatype),
        CellValNum::Fixed(n) => format!("cells of {n} {} values", field.datatype),
    };
    Err(ConditionError::Unfit {
        test: shown(test),
        problem: format!("the field has {cells}, which cannot be compared"),
        hint: field
            .nullable
            .then(|| "`is null` and `is not null` can be asked".to_owned()),
    })
}

/// The members of a list that cells can be equal to, in ascending order.
fn set(
    test: &FieldTest,
    field: &FieldInfo,
    members: &[Literal],
) -> Result<Vec<Bytes>, ConditionError> {
    let mut values = Vec::new();
    for member in members {
        let place = match &field.enumeration {
            None => place(test, field.datatype, member)?,
            Some(enumeration) => match index_of(test, enumeration, member)? {
                Some(index) => LiteralPosition::of_whole(index as i128, true, field.datatype),
                None => continue,
            },
        };
        if let LiteralPosition::At(value) = place {
            values.push(Bytes::from(value));
        }
    }
    sort(&mut values, field.datatype);
    Ok(values)
}

/// Compares the index of a label: of which the enumeration knows the order, if it has one.
fn compare_label(
    test: &FieldTest,
    field: &FieldInfo,
    enumeration: &Enumeration,
    op: CompareOp,
    value: &Literal,
) -> Result<ResolvedTest, ConditionError> {
    let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
    if !equality && !enumeration.is_ordered() {
        return Err(ConditionError::Unfit {
            test: shown(test),
            problem: "the labels of this field have no order".to_owned(),
            hint: Some("labels can be compared with `=`, `!=`, `in` and `not in`".to_owned()),
        });
    }
    Ok(match (index_of(test, enumeration, value)?, op) {
        (Some(index), _) => {
            outcome(LiteralPosition::of_whole(index as i128, true, field.datatype).compare(op))
        }
        (None, _) => outcome(LiteralPosition::Unordered.compare(op)),
    })
}

/// The index of a label.
fn index_of(
    test: &FieldTest,
    enumeration: &Enumeration,
    label: &Literal,
) -> Result<Option<usize>, ConditionError> {
    Ok(match place(test, enumeration.datatype(), label)? {
        LiteralPosition::At(value) => enumeration.index_of(&value),
        _ => None,
    })
}

fn unknown(test: &FieldTest, fields: &[FieldInfo]) -> ConditionError {
    let known = fields.iter().map(|field| field.name.as_str());
    ConditionError::UnknownField {
        test: shown(test),
        hint: names::hint("field", &test.field, known),
    }
}
