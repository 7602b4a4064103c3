use tdb_tile::{Bug, ErrorKind, LimitError};

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
    /// A condition that is too deep, or has too many parts.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
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
            | Self::NotStorable { .. } => ErrorKind::Invalid,
            Self::Limit(_) => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The way out, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::UnknownField { hint, .. } | Self::NotHeld { hint, .. } => Some(hint),
            Self::Unfit { hint, .. } => hint.as_deref(),
            Self::NotStorable { .. } => Some("TileDB cannot read an array with such a delete"),
            _ => None,
        }
    }
}
