use bytes::Bytes;
use tdb_schema::CellValNum;
use tdb_tile::Datatype;

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
    /// Joins the last two answers: both.
    And,
    /// Joins the last two answers: any.
    Or,
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
