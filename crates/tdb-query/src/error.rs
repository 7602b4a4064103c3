use tdb_tile::LimitError;

/// Why cells could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The request does not fit the array: a field, range, order or condition.
    #[error("{what}")]
    Invalid {
        /// What is wrong with the request.
        what: String,
        /// What would help, if something would.
        hint: Option<String>,
    },
    /// A condition that cannot be understood.
    #[error("condition at character {at}: {what}")]
    Condition {
        /// Where in the text, counted in characters from 1.
        at: usize,
        /// What is wrong there.
        what: String,
    },
    /// A cap or the memory budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
