//! Errors of parsing a condition.

use tdb_tile::{Bug, LimitError};

use crate::ConditionError;

/// A syntax error, and its position in bytes.
#[derive(Debug)]
pub(crate) struct TextError {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Reason why a text is rejected.
#[derive(Debug)]
pub(crate) enum Refusal {
    Text(TextError),
    Limit(LimitError),
    /// A broken invariant of the parser.
    Bug(Bug),
}

impl Refusal {
    /// Converts into an error with a position; for limits, that is `read`, the number of bytes parsed so far.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a text has fewer characters than the largest number"
    )]
    pub(crate) fn in_text(self, text: &str, read: usize) -> ConditionError {
        let place = |at: usize| {
            let before = text.get(..at).unwrap_or(text).chars().count();
            before + 1
        };
        match self {
            Self::Text(TextError { at, what }) => ConditionError::Text {
                at: place(at),
                what,
            },
            Self::Limit(limit) => ConditionError::TooLarge {
                at: place(read),
                limit,
            },
            Self::Bug(bug) => bug.into(),
        }
    }
}

impl From<TextError> for Refusal {
    fn from(error: TextError) -> Self {
        Self::Text(error)
    }
}

impl From<LimitError> for Refusal {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl From<Bug> for Refusal {
    fn from(bug: Bug) -> Self {
        Self::Bug(bug)
    }
}
