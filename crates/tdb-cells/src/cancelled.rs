use std::io;

/// The work was cancelled by [`Session::cancel`](crate::Session::cancel).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl From<Cancelled> for io::Error {
    /// The error has kind `Other`, so that readers do not retry as they would after `Interrupted`.
    fn from(cancelled: Cancelled) -> Self {
        Self::other(cancelled)
    }
}
