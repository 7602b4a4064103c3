use std::panic::Location;

/// A broken invariant: a defect of this library, not a mistake of its user and not damaged data.
///
/// It is an error rather than a panic, so that a program can report what it was doing, and never a
/// default value, which would be a wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a defect of tdb: {what} ({place})")]
pub struct Bug {
    /// The impossible condition that was found.
    pub what: &'static str,
    /// The place in the source that found the condition.
    pub place: &'static Location<'static>,
}

impl Bug {
    /// Creates a bug located at the caller.
    ///
    /// ```
    /// let bug = tdb_tile::Bug::new("a tile that was planned is not there");
    /// assert!(bug.to_string().starts_with("a defect of tdb: a tile that was planned is not there ("));
    /// ```
    #[must_use]
    #[cold]
    #[track_caller]
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            place: Location::caller(),
        }
    }
}
