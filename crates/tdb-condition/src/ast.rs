use std::cmp::Ordering;
use std::ops::Not;

use tdb_schema::value::{DatePart, Moment};

use crate::Pattern;

/// A question that a cell answers with yes or no: tests of fields, joined by `and`, `or` and `not`.
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
    /// In the order in which a person reads the tree: a joint, then what it joins. Flat, so that no depth can
    /// exhaust the stack, and never empty.
    nodes: Vec<ConditionNode>,
}

/// One node of a [`Condition`].
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionNode {
    /// All of so many conditions that follow; at least two.
    And(usize),
    /// Any of so many conditions that follow; at least two.
    Or(usize),
    /// The opposite of the condition that follows.
    Not,
    /// A test of one field.
    Test(FieldTest),
    /// A comparison of what is worked out of fields.
    Comparison(Comparison),
}

/// A test of the cells of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTest {
    /// Name of the field.
    pub field: String,
    /// What is asked of it.
    pub test: Test,
}

/// What is asked of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// How it compares with a value.
    Compare(CompareOp, Literal),
    /// Whether it is one of the values.
    In(Vec<Literal>),
    /// Whether it is none of the values.
    NotIn(Vec<Literal>),
    /// Whether it is text that fits a pattern.
    Like(Pattern),
    /// Whether it is text that does not fit a pattern.
    NotLike(Pattern),
    /// Whether it is text that begins with this text, or these bytes.
    StartsWith(Literal),
    /// Whether it is text that does not begin with this text, or these bytes.
    NotStartsWith(Literal),
    /// Whether it is null.
    Null,
    /// Whether it is not null.
    NotNull,
}

/// How a cell is compared with a value.
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

/// A value as a person or a program writes it; only the field that it meets gives it a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number. Against dates and times: ticks of their unit.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Text. Against dates and times: ISO 8601, where a date is all of the period that it names, as in [`Literal::Date`];
    /// against an enumerated attribute: the label.
    Text(String),
    /// True or false.
    Bool(bool),
    /// Bytes, for strings that are no text.
    Bytes(Vec<u8>),
    /// A date, `2023-02-28`, or a part of one, `2023-02`: all of the period that it names. A cell equals it that lies anywhere in
    /// the period, is less that lies before, and greater that lies behind it.
    Date(String),
    /// A point in time.
    Moment(Moment),
}

/// A value that is worked out of the fields of a cell. It is null where one of them is, where a divisor is 0, and where a part
/// is taken of NaT. Otherwise NaT is a value that differs from all.
///
/// Whole numbers stay exact; a division gives a float. Dates and times of one type can be subtracted, which gives ticks, and
/// moved by whole numbers of ticks.
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
    /// Each operation behind what it is done with. Never empty, and flat, so that no depth can exhaust the stack.
    pub(crate) parts: Vec<TermPart>,
}

/// A step of working out a [`Term`]: a value, or an operation on the values before it.
#[derive(Clone, Debug, PartialEq)]
pub enum TermPart {
    /// What a cell holds in a field.
    Field(String),
    /// A value.
    Value(Literal),
    /// A part of the date before it, as a number.
    DatePart(DatePart),
    /// The number before it, negated.
    Negate,
    /// An operation on the two values before it.
    Operation(Operation),
}

/// What is done with two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the usual names of the four operations")]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// How two terms compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What stands before the operator.
    pub left: Term,
    /// The operator.
    pub op: CompareOp,
    /// What stands behind it.
    pub right: Term,
}

impl Condition {
    /// Both this condition and another.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.join(
            other,
            |node| matches!(node, ConditionNode::And(_)),
            ConditionNode::And,
        )
    }

    /// This condition or another, or both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.join(
            other,
            |node| matches!(node, ConditionNode::Or(_)),
            ConditionNode::Or,
        )
    }

    /// The nodes, each joint before what it joins.
    #[must_use]
    pub fn nodes(&self) -> &[ConditionNode] {
        &self.nodes
    }

    /// The names of the fields that are tested, each as often as it is.
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

    /// A condition of nodes that are one.
    pub(crate) fn of_nodes(nodes: Vec<ConditionNode>) -> Self {
        Self { nodes }
    }

    /// Joins two conditions under one joint; those that already have it at the top are merged with it.
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
        let count = from_left
            .unwrap_or(1)
            .saturating_add(from_right.unwrap_or(1));
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
    /// What holds exactly where this does not (nulls and NaN apart).
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

    /// What holds of `b, a` exactly where this holds of `a, b`.
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

    /// As it is written.
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
    /// Whether it holds of two values of this order; of those without one only that they are not equal.
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
    /// The opposite test, which is what `not` before this one means: null cells satisfy neither.
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
