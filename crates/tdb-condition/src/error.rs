use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Datatype, ErrorKind, HasKind, LimitError};

/// Errors of parsing, resolving or storing a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// A syntax error.
    #[error("condition at character {at}: {what}")]
    Text {
        /// Position of the error in the text, in characters from 1.
        at: usize,
        /// Description of the error.
        what: String,
    },
    /// The text is nested too deeply, or has too many parts.
    #[error("condition at character {at}: {}", too_large(.limit))]
    TooLarge {
        /// Position in the text where the limit is exceeded, in characters from 1.
        at: usize,
        /// The exceeded limit.
        limit: LimitError,
    },
    /// A test of a field that the array does not have.
    #[error("condition {test}: the array has no such field")]
    UnknownField {
        /// The test in text form.
        test: String,
        /// The existing fields.
        hint: String,
    },
    /// A test that does not suit the type of its field.
    #[error("condition {test}: {problem}")]
    Unfit {
        /// The test in text form.
        test: String,
        /// Why the test is not possible.
        problem: String,
        /// Tests that are possible instead, if there are any.
        hint: Option<String>,
    },
    /// A delete condition that TileDB could store but not read.
    #[error("a delete cannot ask whether {field:?} is {what}")]
    NotStorable {
        /// Name of the field.
        field: String,
        /// The unsupported value: "null" or "empty".
        what: &'static str,
    },
    /// A test that cannot be expressed in the stored form of delete conditions.
    #[error("condition {test}: a delete can only compare fields with values")]
    NotHeld {
        /// The test in text form.
        test: String,
        /// Another way to delete these cells.
        hint: String,
    },
    /// Points whose coordinates have another datatype than the dimension.
    #[error("points of dimension {dimension:?} are not of type {datatype}, but {found}")]
    PointType {
        /// Name of the dimension.
        dimension: String,
        /// Datatype of the dimension.
        datatype: Datatype,
        /// Datatype of the points.
        found: Datatype,
    },
    /// A point without a valid coordinate.
    #[error("point {point} (counted from 0) is {what} along dimension {dimension:?}")]
    NoPoint {
        /// Number of the point, from 0.
        point: u64,
        /// Name of the dimension.
        dimension: String,
        /// The invalid coordinate: `null` or `NaN`.
        what: &'static str,
    },
    /// A dimension that the array does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A condition that is nested too deeply, or has too many parts.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A broken invariant of tdb itself.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// Describes an exceeded limit in the terms of the condition's author.
fn too_large(limit: &LimitError) -> String {
    let most = limit.allowed;
    match limit.setting {
        "condition_depth" => format!("parentheses, `not` and operations are more than {most} deep"),
        "condition_nodes" => format!("there are more than {most} tests, joints and values"),
        _ => limit.to_string(),
    }
}

impl ConditionError {
    /// The class of the error, which says what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Text { .. }
            | Self::UnknownField { .. }
            | Self::Unfit { .. }
            | Self::NotHeld { .. }
            | Self::PointType { .. }
            | Self::Unknown(_)
            | Self::NoPoint { .. }
            | Self::NotStorable { .. } => ErrorKind::Invalid,
            Self::Limit(error) | Self::TooLarge { limit: error, .. } => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Advice on how to proceed, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::UnknownField { hint, .. } | Self::NotHeld { hint, .. } => Some(hint),
            Self::Unfit { hint, .. } => hint.as_deref(),
            Self::Unknown(error) => Some(error.hint()),
            Self::NotStorable { .. } => Some("TileDB cannot read an array with such a delete"),
            _ => None,
        }
    }
}

impl HasKind for ConditionError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}
