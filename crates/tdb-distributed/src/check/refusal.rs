//! Reasons for refusing a request.

use tonic::Status;

use crate::allowed::Outside;

/// Reason why a worker refuses a client's request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Outside(#[from] Outside),
    #[error("workers do not run {0}: queries over arrays do not need it")]
    Node(&'static str),
    #[error("workers do not run the function {0}")]
    Function(String),
    #[error("workers accept no function definitions; the plan defines {0}")]
    Definition(String),
    #[error("the plan lacks {0}, or contains one that this version does not know")]
    Unset(&'static str),
    #[error("the plan has {found} {what}; workers allow at most {most}")]
    Above {
        what: &'static str,
        found: u64,
        most: u64,
    },
    #[error("the plan has more than {most} {what}")]
    TooMuch { what: &'static str, most: u64 },
    #[error("invalid range of partitions: {start} to {end}")]
    Range { start: u64, end: u64 },
    #[error("{0:?} is not the address of a worker")]
    Address(String),
    #[error("the plan cannot be read: {0}")]
    Undecodable(String),
    #[error("the plan has {0}")]
    Odd(&'static str),
}

impl Refusal {
    /// Fails if `found` exceeds `most`.
    pub(crate) fn above(what: &'static str, found: u64, most: u64) -> Result<(), Self> {
        if found > most {
            return Err(Self::Above { what, found, most });
        }
        Ok(())
    }

    pub(crate) fn undecodable(error: impl std::fmt::Display) -> Self {
        Self::Undecodable(error.to_string())
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let text = refusal.to_string();
        match refusal {
            Refusal::Outside(_)
            | Refusal::Node(_)
            | Refusal::Function(_)
            | Refusal::Definition(_) => Self::permission_denied(text),
            Refusal::Above { .. } | Refusal::TooMuch { .. } => Self::resource_exhausted(text),
            Refusal::Unset(_)
            | Refusal::Range { .. }
            | Refusal::Address(_)
            | Refusal::Undecodable(_)
            | Refusal::Odd(_) => Self::invalid_argument(text),
        }
    }
}
