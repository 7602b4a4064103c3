use std::cmp::Ordering;
use std::ops::Not;

use tdb_schema::value::{DatePart, Moment};

use crate::Pattern;

/// A predicate on cells: tests of fields, joined by `and`, `or` and `not`.
///
/// ```
/// use tdb_condition::Condition;
///
/// let cold = Condition::field("temperature").lt(-5.5).and(Condition::field("station").is_in(["KLO", "ZER"]));
/// assert_eq!(cold.to_string(), "temperature < -5.5 and station in ('KLO', 'ZER')");
/// assert_eq!(Condition::parse(&cold.to_string(), &Default::default())?, cold);
/// # Ok::<(), tdb_condition::ConditionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The tree in prefix order: each joint precedes its operands. The flat form means that no depth can exhaust the
    /// stack. Never empty.
    nodes: Vec<ConditionNode>,
}

/// One node of a [`Condition`].
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionNode {
    /// All of the next N conditions must hold; N is at least 2.
    And(usize),
    /// Any of the next N conditions must hold; N is at least 2.
    Or(usize),
    /// Negates the next condition.
    Not,
    /// Tests one field.
    Test(FieldTest),
    /// Compares values that are computed from fields.
    Comparison(Comparison),
}

/// A test of the cells of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTest {
    /// Name of the field.
    pub field: String,
    /// The test of the field's cells.
    pub test: Test,
}

/// A test of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Whether the cell compares with the value in this way.
    Compare(CompareOp, Literal),
    /// Whether the cell is one of the values.
    In(Vec<Literal>),
    /// Whether the cell is not null and not one of the values.
    NotIn(Vec<Literal>),
    /// Whether the cell is text that matches the pattern.
    Like(Pattern),
    /// Whether the cell is text that does not match the pattern.
    NotLike(Pattern),
    /// Whether the cell is text that begins with this text or these bytes.
    StartsWith(Literal),
    /// Whether the cell is text that does not begin with this text or these bytes.
    NotStartsWith(Literal),
    /// Whether the cell is null.
    Null,
    /// Whether the cell is not null.
    NotNull,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the usual names of the six comparisons")]
pub enum CompareOp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// A value as written by a person or a program; its type comes from the field that it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number. Compared with dates and times: ticks of their unit.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// Text. Compared with dates and times: ISO 8601, where a date is the whole period that it names, as in
    /// [`Literal::Date`]; compared with an enumerated attribute: a label.
    Text(String),
    /// True or false.
    Bool(bool),
    /// Bytes, for strings that are not valid text.
    Bytes(Vec<u8>),
    /// A date such as `2023-02-28`, or a prefix of one, `2023-02`: the whole period that it names. A cell is equal to
    /// it if the cell is within the period, less if it is before, and greater if it is after the period.
    Date(String),
    /// A point in time.
    Moment(Moment),
}

/// A value computed from the fields of a cell. It is null if a field is null, if a divisor is 0, or if a date part of
/// NaT is taken. Otherwise NaT differs from every value.
///
/// Whole numbers are exact; a division gives a float. Dates and times of the same type can be subtracted, which gives
/// ticks, and can be shifted by a whole number of ticks.
///
/// ```
/// use tdb_condition::{Condition, Term};
///
/// let late = (Term::field("end") - Term::field("start")).gt(30);
/// assert_eq!(late.to_string(), "end - start > 30");
/// assert_eq!(Condition::parse("end - start > 30", &Default::default())?, late);
/// # Ok::<(), tdb_condition::ConditionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a term alone asks nothing"]
pub struct Term {
    /// The parts in postfix order: operations follow their operands. The flat form means that no depth can exhaust the
    /// stack. Never empty.
    pub(crate) parts: Vec<TermPart>,
}

/// A step in computing a [`Term`]: a value, or an operation on the values before it.
#[derive(Clone, Debug, PartialEq)]
pub enum TermPart {
    /// The cell's value of this field.
    Field(String),
    /// A constant value.
    Value(Literal),
    /// A part of the preceding date, as a number.
    DatePart(DatePart),
    /// Negates the preceding number.
    Negate,
    /// Combines the two preceding values.
    Operation(Operation),
}

/// An arithmetic operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the usual names of the four operations")]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// A comparison of two terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The term before the operator.
    pub left: Term,
    /// The comparison operator.
    pub op: CompareOp,
    /// The term after the operator.
    pub right: Term,
}

impl Condition {
    /// Joins this condition and another with `and`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.join(
            other,
            |node| matches!(node, ConditionNode::And(_)),
            ConditionNode::And,
        )
    }

    /// Joins this condition and another with `or`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.join(
            other,
            |node| matches!(node, ConditionNode::Or(_)),
            ConditionNode::Or,
        )
    }

    /// The nodes in prefix order: each joint precedes its operands.
    #[must_use]
    pub fn nodes(&self) -> &[ConditionNode] {
        &self.nodes
    }

    /// Names of the tested fields, in order; a field that is tested several times is repeated.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().flat_map(|node| {
            let (test, terms) = match node {
                ConditionNode::Test(test) => (Some(test.field.as_str()), None),
                ConditionNode::Comparison(compared) => {
                    (None, Some([&compared.left, &compared.right]))
                }
                ConditionNode::And(_) | ConditionNode::Or(_) | ConditionNode::Not => (None, None),
            };
            let of_terms = terms.into_iter().flatten().flat_map(Term::fields);
            test.into_iter().chain(of_terms)
        })
    }

    /// Creates a condition from nodes that form exactly one tree.
    pub(crate) fn of_nodes(nodes: Vec<ConditionNode>) -> Self {
        Self { nodes }
    }

    /// Joins two conditions; a condition with the same joint at the top becomes part of the new one.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    fn join(
        mut self,
        other: Self,
        same: impl Fn(&ConditionNode) -> bool,
        joint: impl Fn(usize) -> ConditionNode,
    ) -> Self {
        let mut right = other.nodes.into_iter().peekable();
        let joined = |node: &ConditionNode| match node {
            ConditionNode::And(n) | ConditionNode::Or(n) if same(node) => Some(*n),
            _ => None,
        };
        let from_right = right.peek().and_then(joined);
        if from_right.is_some() {
            right.next();
        }
        let from_left = self.nodes.first().and_then(joined);
        let count = from_left.unwrap_or(1) + from_right.unwrap_or(1);
        match self.nodes.first_mut().filter(|_| from_left.is_some()) {
            Some(first) => *first = joint(count),
            None => self.nodes.insert(0, joint(count)),
        }
        self.nodes.extend(right);
        self
    }
}

impl Not for Condition {
    type Output = Self;

    fn not(mut self) -> Self {
        if self.nodes.first() == Some(&ConditionNode::Not) {
            self.nodes.remove(0);
        } else {
            self.nodes.insert(0, ConditionNode::Not);
        }
        self
    }
}

impl From<FieldTest> for Condition {
    fn from(test: FieldTest) -> Self {
        Self {
            nodes: vec![ConditionNode::Test(test)],
        }
    }
}

impl From<Comparison> for Condition {
    fn from(comparison: Comparison) -> Self {
        Self {
            nodes: vec![ConditionNode::Comparison(comparison)],
        }
    }
}

impl CompareOp {
    /// The operator that holds exactly if this one does not, except for nulls and NaN.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
        }
    }

    /// The operator that holds for `b, a` exactly if this one holds for `a, b`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            Self::Eq | Self::Ne => self,
        }
    }

    /// The operator in text form.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "=",
            Self::Ne => "!=",
        }
    }
}

impl CompareOp {
    /// Whether the operator holds for two values in this order. Values without an order are only unequal.
    pub(crate) fn holds(self, order: Option<Ordering>) -> bool {
        let Some(order) = order else {
            return self == Self::Ne;
        };
        match self {
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Gt => order.is_gt(),
            Self::Ge => order.is_ge(),
            Self::Eq => order.is_eq(),
            Self::Ne => order.is_ne(),
        }
    }
}

impl Test {
    /// The opposite test, which is the meaning of `not`. Apart from tests for null, null cells pass neither.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Compare(op, value) => Self::Compare(op.negated(), value),
            Self::In(members) => Self::NotIn(members),
            Self::NotIn(members) => Self::In(members),
            Self::Like(pattern) => Self::NotLike(pattern),
            Self::NotLike(pattern) => Self::Like(pattern),
            Self::StartsWith(prefix) => Self::NotStartsWith(prefix),
            Self::NotStartsWith(prefix) => Self::StartsWith(prefix),
            Self::Null => Self::NotNull,
            Self::NotNull => Self::Null,
        }
    }
}
