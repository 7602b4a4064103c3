use crate::TimestampedName;

/// What a commit made part of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The names of the fragments, in order.
    pub fragments: Vec<TimestampedName>,
    /// The name of the delete.
    pub delete: Option<TimestampedName>,
}
