use crate::TimestampedName;

/// The fragments and the delete that a commit added to an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommittedNames {
    /// The names of the fragments, in order.
    pub fragments: Vec<TimestampedName>,
    /// The name of the delete, if there was one.
    pub delete: Option<TimestampedName>,
}
