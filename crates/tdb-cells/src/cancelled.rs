use std::io;

/// What a session did was cancelled: [`Session::cancel`](crate::Session::cancel).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl From<Cancelled> for io::Error {
    /// Of no kind that readers take for a reason to read again.
    fn from(cancelled: Cancelled) -> Self {
        Self::other(cancelled)
    }
}
