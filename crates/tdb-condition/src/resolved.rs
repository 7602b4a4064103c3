use bytes::Bytes;
use tdb_schema::CellValNum;
use tdb_schema::value::DatePart;
use tdb_tile::Datatype;

use crate::ast::Operation;
use crate::{CompareOp, Matcher};

/// A condition whose values have the types of the fields that they are compared with.
///
/// It holds no `not`, and its steps are in the order in which they are done: tests, each followed by the joints
/// that it completes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedCondition {
    pub(crate) fields: Vec<ResolvedField>,
    pub(crate) steps: Vec<Step>,
    /// The most answers that wait at a time.
    pub(crate) depth: usize,
}

/// A field that a condition reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedField {
    /// Its name.
    pub name: String,
    /// Its type, unless the schema lacks it.
    pub stored: Option<(Datatype, CellValNum)>,
    /// Whether cells can be null.
    pub nullable: bool,
    /// Whether the values matter, or only which cells are null.
    pub reads_values: bool,
}

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Answers a test of the cells of one field.
    Test {
        /// Which of [`ResolvedCondition::fields`] is tested.
        field: usize,
        /// What is asked.
        test: ResolvedTest,
    },
    /// Answers a comparison of what is worked out of fields.
    Compare(ResolvedComparison),
    /// Joins the last two answers: both.
    And,
    /// Joins the last two answers: any.
    Or,
}

/// A comparison of what is worked out of the cells of fields, which are numbered as in [`ResolvedCondition::fields`]. Where
/// anything in it is null, the answer is no.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResolvedComparison {
    /// The texts of two fields.
    Texts {
        /// The first field.
        left: usize,
        /// The operator.
        op: CompareOp,
        /// The second field.
        right: usize,
        /// Whether NUL bytes at the end of cells of fixed size are no part of the text.
        is_padded: bool,
    },
    /// Numbers, or ticks.
    Numbers {
        /// What stands before the operator.
        left: ResolvedTerm,
        /// The operator.
        op: CompareOp,
        /// What stands behind it.
        right: ResolvedTerm,
        /// Whether the answer is yes where a date or a time is none; otherwise such a one is as null.
        nat_differs: bool,
    },
}

/// How a number is worked out.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedTerm {
    pub(crate) steps: Vec<TermStep>,
}

/// A step of working out a number, on the values before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TermStep {
    Field {
        field: usize,
        datatype: Datatype,
    },
    Whole(i128),
    Float(f64),
    DatePart(DatePart, Datatype),
    Negate,
    NegateFloat,
    /// Makes the last value a float.
    ToFloat,
    /// Makes the last but one a float.
    LowerToFloat,
    Operation(Operation),
    FloatOperation(Operation),
}

/// What is asked of a cell. Where a fragment lacks the field, the answer is no.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedTest {
    /// Yes for every cell, also a null one.
    Always,
    /// No.
    Never,
    /// Whether it is null.
    Null,
    /// Whether it is not null.
    NotNull,
    /// How it compares with a value of the field's type.
    Compare(CompareOp, Bytes),
    /// Whether it is one of these values, which are in ascending order.
    In(Vec<Bytes>),
    /// Whether it is none of these values, which are in ascending order.
    NotIn(Vec<Bytes>),
    /// Whether it begins with these bytes.
    StartsWith(Bytes),
    /// Whether it does not begin with these bytes.
    NotStartsWith(Bytes),
    /// Whether it fits a pattern.
    Like(Matcher),
    /// Whether it does not fit a pattern.
    NotLike(Matcher),
}

impl ResolvedCondition {
    /// The fields that are read: what [`ResolvedCondition::evaluate`] takes the cells of, in this order.
    #[must_use]
    pub fn fields(&self) -> &[ResolvedField] {
        &self.fields
    }

    /// Tests and joints, in the order in which they are done.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl ResolvedTest {
    /// Whether the answer depends on the value of the cell.
    pub(crate) fn reads_values(&self) -> bool {
        !matches!(
            self,
            Self::Always | Self::Never | Self::Null | Self::NotNull
        )
    }
}
