use std::panic::Location;

/// What cannot happen, and did: a defect of this library, no fault of its user or of what is stored.
///
/// It is an error and not a panic, so that a program can say what it was doing, and never a default value, which would
/// be a wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a defect of tdb: {what} ({place})")]
pub struct Bug {
    /// What was found.
    pub what: &'static str,
    /// Where in the source.
    pub place: &'static Location<'static>,
}

impl Bug {
    /// Something that cannot be, found where this is called.
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
