use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Datatype, ErrorKind, LimitError};

/// Why a condition cannot be understood, asked or stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// Its text breaks the grammar.
    #[error("condition at character {at}: {what}")]
    Text {
        /// Where in the text, counted in characters from 1.
        at: usize,
        /// What is wrong there.
        what: String,
    },
    /// Its text is nested too deep, or has too many parts.
    #[error("condition at character {at}: {}", too_large(.limit))]
    TooLarge {
        /// Where in the text the limit is passed, counted in characters from 1.
        at: usize,
        /// The limit.
        limit: LimitError,
    },
    /// It names a field that the array does not have.
    #[error("condition {test}: the array has no such field")]
    UnknownField {
        /// The test that names the field, as text.
        test: String,
        /// The fields that there are.
        hint: String,
    },
    /// A test that the cells of its field cannot be asked.
    #[error("condition {test}: {problem}")]
    Unfit {
        /// The test, as text.
        test: String,
        /// Why it cannot be asked.
        problem: String,
        /// What can be asked instead, if anything can.
        hint: Option<String>,
    },
    /// A test that deletes cannot store.
    #[error("a delete cannot ask whether {field:?} is {what}")]
    NotStorable {
        /// The field.
        field: String,
        /// What is asked of it: "null", "empty".
        what: &'static str,
    },
    /// A test for which the stored form of deletes has no words.
    #[error("condition {test}: a delete can only compare fields with values")]
    NotHeld {
        /// The test, as text.
        test: String,
        /// Another way to delete these cells.
        hint: String,
    },
    /// Points whose coordinates are of another datatype than those of their dimension.
    #[error("points of dimension {dimension:?} are not of type {datatype}, but {found}")]
    PointType {
        /// Name of the dimension.
        dimension: String,
        /// Its datatype.
        datatype: Datatype,
        /// That of the points.
        found: Datatype,
    },
    /// A point that has no place.
    #[error("point {point} (counted from 0) is {what} along dimension {dimension:?}")]
    NoPoint {
        /// Which of the points, counted from 0.
        point: u64,
        /// Name of the dimension.
        dimension: String,
        /// What it has in the place of a coordinate: `null`, `NaN`.
        what: &'static str,
    },
    /// A dimension that the array does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A condition that is too deep, or has too many parts.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// What a text has too much of, as who writes it sees it.
fn too_large(limit: &LimitError) -> String {
    let most = limit.allowed;
    match limit.setting {
        "condition_depth" => format!("parentheses, `not` and operations are more than {most} deep"),
        "condition_nodes" => format!("there are more than {most} tests, joints and values"),
        _ => limit.to_string(),
    }
}

impl ConditionError {
    /// Whose fault it is, and so what the caller can do.
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
            Self::Limit(_) | Self::TooLarge { .. } => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The way out, if there is one.
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
