use bytes::Bytes;
use tdb_schema::CellValNum;
use tdb_schema::value::DatePart;
use tdb_tile::Datatype;

use crate::ast::Operation;
use crate::{CompareOp, Matcher};

/// A condition whose values have been converted to the types of their fields.
///
/// It contains no `not`. Its steps are in postfix order: tests, each followed by the joints that it completes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedCondition {
    pub(crate) fields: Vec<ResolvedField>,
    pub(crate) steps: Vec<Step>,
    /// Maximum number of results that exist at a time during an evaluation.
    pub(crate) depth: usize,
}

/// A field that a condition reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedField {
    /// Name of the field.
    pub name: String,
    /// Datatype and number of values per cell; `None` if the schema lacks the field.
    pub stored: Option<(Datatype, CellValNum)>,
    /// Whether cells can be null.
    pub nullable: bool,
    /// Whether the condition reads values, rather than only validity.
    pub reads_values: bool,
}

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Tests the cells of one field.
    Test {
        /// Number of the field in [`ResolvedCondition::fields`].
        field: usize,
        /// The test.
        test: ResolvedTest,
    },
    /// Compares values that are computed from fields.
    Compare(ResolvedComparison),
    /// Joins the last two results by `and`.
    And,
    /// Joins the last two results by `or`.
    Or,
}

/// A comparison of values computed from fields, which are numbered as in [`ResolvedCondition::fields`]. It is false if
/// any of the values is null.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResolvedComparison {
    /// Compares the texts of two fields.
    Texts {
        /// Number of the first field.
        left: usize,
        /// The operator.
        op: CompareOp,
        /// Number of the second field.
        right: usize,
        /// Whether NUL bytes at the end of cells of fixed size are not part of the text.
        is_padded: bool,
    },
    /// Compares numbers or ticks.
    Numbers {
        /// The term before the operator.
        left: ResolvedTerm,
        /// The operator.
        op: CompareOp,
        /// The term after the operator.
        right: ResolvedTerm,
        /// Whether the comparison is true if any date or time in it is NaT; otherwise NaT makes it false.
        nat_differs: bool,
    },
}

/// The computation of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedTerm {
    pub(crate) steps: Vec<TermStep>,
}

/// A step in computing a number from the values before it.
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
    /// Converts the last value to a float.
    ToFloat,
    /// Converts the second-to-last value to a float.
    LowerToFloat,
    Operation(Operation),
    FloatOperation(Operation),
}

/// A test of a cell. It is false if the fragment lacks the field.
#[derive(Clone, Debug, PartialEq)]
pub enum ResolvedTest {
    /// True for every cell, including null.
    Always,
    /// False for every cell.
    Never,
    /// Whether the cell is null.
    Null,
    /// Whether the cell is not null.
    NotNull,
    /// Compares the cell with a value of the field's type.
    Compare(CompareOp, Bytes),
    /// Whether the cell is one of these values, which are in ascending order.
    In(Vec<Bytes>),
    /// Whether the cell is none of these values, which are in ascending order.
    NotIn(Vec<Bytes>),
    /// Whether the cell begins with these bytes.
    StartsWith(Bytes),
    /// Whether the cell does not begin with these bytes.
    NotStartsWith(Bytes),
    /// Whether the cell matches a pattern.
    Like(Matcher),
    /// Whether the cell does not match a pattern.
    NotLike(Matcher),
}

impl ResolvedCondition {
    /// The fields that are read, in the order in which [`ResolvedCondition::evaluate`] takes their cells.
    #[must_use]
    pub fn fields(&self) -> &[ResolvedField] {
        &self.fields
    }

    /// Tests and joints, in the order of evaluation.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl ResolvedTest {
    /// Whether the result depends on the value of the cell.
    pub(crate) fn reads_values(&self) -> bool {
        !matches!(
            self,
            Self::Always | Self::Never | Self::Null | Self::NotNull
        )
    }
}
