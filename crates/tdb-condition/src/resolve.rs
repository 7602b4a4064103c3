mod groups;
mod labels;
mod list;
mod term;
mod text;
mod value;

use std::collections::{HashMap, HashSet};

use tdb_cells::FieldInfo;
use tdb_cells::files::labels_of;
use tdb_schema::value::NOT_A_TIME;
use tdb_schema::{CellValNum, names};
use tdb_tile::{Datatype, LimitError, Limits};

use self::groups::Tests;
pub(crate) use self::labels::of_place;
use self::list::in_list;
use self::value::{is_time, place_in};
pub(crate) use self::value::{shown, shown_text, sort};
use crate::literal_position::{Outcome, is_number, is_text};
use crate::resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};
use crate::walk::{Joint, Walk};
use crate::{
    CompareOp, Condition, ConditionError, ConditionNode, ConditionRules, FieldTest, Literal, Test,
};

impl Condition {
    /// Converts the values of a condition into the types of the fields.
    ///
    /// A date stands for the whole period that it names: `day <= '2023-02'` holds until the end of the month.
    ///
    /// Values are compared exactly. A value that a field cannot represent makes a test true or false for every cell
    /// that is not null; it is never an error. Only for float fields are numbers rounded to the nearest value that the
    /// field can represent. Values compared with an enumerated attribute are labels. A label that the enumeration
    /// lacks equals no cell, so `!=` is true for every cell that is not null; an index without a label counts as null.
    /// NaT compares like NaN, and text of fixed size ends before its trailing NUL bytes.
    ///
    /// # Errors
    /// [`ConditionError::UnknownField`]; [`ConditionError::Unfit`] if a field cannot be compared with the given value;
    /// [`ConditionError::Limit`] if the condition is nested too deeply or has too many nodes.
    pub fn resolve(
        &self,
        fields: &[FieldInfo],
        limits: &Limits,
    ) -> Result<ResolvedCondition, ConditionError> {
        self.resolve_by(fields, limits, ConditionRules::default())
    }

    /// Like [`Condition::resolve`], with other rules for NaT, indexes without a label, and padding.
    ///
    /// # Errors
    /// See [`Condition::resolve`].
    pub fn resolve_by<'f>(
        &self,
        fields: &'f [FieldInfo],
        limits: &Limits,
        rules: ConditionRules,
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
        // Under `not`, tests and joints are replaced by their opposites (De Morgan's laws).
        let mut negated = false;
        for node in self.nodes() {
            match node {
                ConditionNode::Not => negated = !negated,
                ConditionNode::And(joins) => builder.enter(Joint::And, *joins, negated)?,
                ConditionNode::Or(joins) => builder.enter(Joint::Or, *joins, negated)?,
                ConditionNode::Comparison(comparison) => {
                    let op = comparison.op;
                    let asked = if negated { op.negated() } else { op };
                    let (joint, ops) = term::parts(comparison, asked);
                    builder.enter_some(joint, ops.len())?;
                    for op in ops {
                        let number = &mut |field: &'f FieldInfo| {
                            builder.number(&field.name, Some(field), true)
                        };
                        let by = term::By {
                            op: *op,
                            asked,
                            rules,
                        };
                        let resolved = term::resolve(comparison, by, &known, fields, number)?;
                        builder.step(Step::Compare(resolved));
                    }
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
                    let resolved = resolve_test(&test, field, rules)?;
                    builder.tests(&field.name, field, resolved)?;
                    negated = builder.negated();
                }
            }
        }
        Ok(builder.finish())
    }
}

/// Collects the steps of a condition while its nodes are visited.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    /// The open joints, as they will be evaluated, and whether their operands are negated.
    walk: Walk<(Joint, bool)>,
    numbers: HashMap<&'a str, usize>,
    fields: Vec<ResolvedField>,
    /// Numbers of the fields whose values are read.
    read: HashSet<usize>,
    steps: Vec<Step>,
    depth: usize,
    /// Number of tests, comparisons and joints so far.
    nodes: u64,
    most_nodes: u64,
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
            nodes: 0,
            most_nodes: limits.condition_nodes,
        }
    }

    /// Starts a joint, which is under an odd number of `not` if `negated`; this also applies to its operands.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    pub(crate) fn enter(
        &mut self,
        joint: Joint,
        joins: usize,
        negated: bool,
    ) -> Result<(), LimitError> {
        self.nodes += 1;
        // Counted again here, because a date that names a period becomes several tests.
        let nodes = self.nodes + joins as u64;
        Limits::check(
            "nodes of a condition",
            "condition_nodes",
            nodes,
            self.most_nodes,
        )?;
        let joint = if negated { joint.negated() } else { joint };
        self.walk.enter((joint, negated), joins)?;
        self.depth = self.depth.max(self.walk.depth() + 1);
        Ok(())
    }

    /// Whether the next node is under an odd number of `not`.
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

    /// Adds the tests that one test of a field was resolved into.
    fn tests(&mut self, name: &'a str, field: &FieldInfo, tests: Tests) -> Result<(), LimitError> {
        let Tests { groups_by, groups } = tests;
        self.enter_some(groups_by, groups.len())?;
        for group in groups {
            self.enter_some(groups_by.negated(), group.len())?;
            for test in group {
                self.test(name, Some(field), test);
            }
        }
        Ok(())
    }

    /// Starts a joint unless it would have a single operand. The operands are negated already where necessary.
    fn enter_some(&mut self, joint: Joint, joins: usize) -> Result<(), LimitError> {
        if joins > 1 {
            self.enter(joint, joins, false)?;
        }
        Ok(())
    }
    /// Returns the number of a field among those of the condition; adds it if it is new.
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

    /// Adds a step, and the joints that it completes.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    fn step(&mut self, step: Step) {
        self.nodes += 1;
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

fn resolve_test(
    test: &FieldTest,
    field: &FieldInfo,
    rules: ConditionRules,
) -> Result<Tests, ConditionError> {
    if !matches!(test.test, Test::Null | Test::NotNull) {
        comparable(test, field)?;
    }
    let tests = stored_test(test, field, rules)?;
    Ok(
        match labels_of(field).filter(|_| rules.nulls_without_label) {
            Some(enumeration) => labels::of_labelled(tests, field, enumeration)?,
            None => tests,
        },
    )
}

/// Resolves a test for stored values, in which an index without a label is not null yet.
fn stored_test(
    test: &FieldTest,
    field: &FieldInfo,
    rules: ConditionRules,
) -> Result<Tests, ConditionError> {
    Ok(match &test.test {
        Test::Null => ResolvedTest::Null.into(),
        Test::NotNull => ResolvedTest::NotNull.into(),
        Test::Compare(op, value) => match &field.enumeration {
            Some(enumeration) => labels::compare(test, field, enumeration, *op, value)?,
            None => compare(test, field, *op, value, rules)?,
        },
        Test::Like(pattern) => text::like(test, field, pattern, false, rules)?.into(),
        Test::NotLike(pattern) => text::like(test, field, pattern, true, rules)?.into(),
        Test::StartsWith(prefix) => text::prefix(test, field, prefix, false)?.into(),
        Test::NotStartsWith(prefix) => text::prefix(test, field, prefix, true)?.into(),
        Test::In(members) => in_list(test, field, members, true, rules)?,
        Test::NotIn(members) => in_list(test, field, members, false, rules)?,
    })
}

/// Resolves a comparison with a value.
fn compare(
    test: &FieldTest,
    field: &FieldInfo,
    op: CompareOp,
    value: &Literal,
    rules: ConditionRules,
) -> Result<Tests, ConditionError> {
    let outcome = place_in(test, field, value, rules)?.compare(op);
    // NaT is stored as the least value, which would pass these comparisons.
    let takes_least = match op {
        CompareOp::Lt | CompareOp::Le => outcome != Outcome::False,
        CompareOp::Gt | CompareOp::Ge => outcome == Outcome::True,
        CompareOp::Eq | CompareOp::Ne => false,
    };
    let is_time = rules.unordered_nat && is_time(field.datatype);
    let tests = Tests::from(outcome);
    Ok(if takes_least && is_time {
        let nat = NOT_A_TIME.to_le_bytes().to_vec();
        tests.and(&[ResolvedTest::Compare(CompareOp::Gt, nat.into())])
    } else {
        tests
    })
}

/// Whether cells of this type can be compared.
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

fn unknown(test: &FieldTest, fields: &[FieldInfo]) -> ConditionError {
    let known = fields.iter().map(|field| field.name.as_str());
    ConditionError::UnknownField {
        test: shown(test),
        hint: names::hint("field", &test.field, known),
    }
}
