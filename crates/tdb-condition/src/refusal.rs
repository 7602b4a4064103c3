//! Why a text is no condition.

use tdb_tile::{Bug, LimitError};

use crate::ConditionError;

/// What is wrong with a text, and where, in bytes.
#[derive(Debug)]
pub(crate) struct TextError {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Why a text is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    Text(TextError),
    Limit(LimitError),
    /// What cannot happen.
    Bug(Bug),
}

impl Refusal {
    /// The error in a text of which the bytes before `read` are read.
    pub(crate) fn in_text(self, text: &str, read: usize) -> ConditionError {
        let place = |at: usize| {
            let before = text.get(..at).unwrap_or(text).chars().count();
            before.saturating_add(1)
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
