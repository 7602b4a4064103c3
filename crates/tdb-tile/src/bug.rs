use std::panic::Location;

/// What cannot happen, and did: a mistake of this library, not of its user or of what is stored.
///
/// It is an error and not a panic, so that a program can say what it was doing, and never a default value, which would
/// be a wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} ({place}): this is a mistake in tdb, please report it")]
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
    /// assert!(bug.to_string().starts_with("a tile that was planned is not there ("));
    /// assert!(bug.to_string().ends_with("): this is a mistake in tdb, please report it"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new(what: &'static str) -> Self {
        Self {
            what,
            place: Location::caller(),
        }
    }
}
