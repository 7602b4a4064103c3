use tdb_array::LaterObjects;

/// What is said of what bears a time to come, and is not merged.
pub(crate) fn left_alone(later: LaterObjects) -> String {
    format!(
        "left alone: {later}; merged with it, what is read now would be gone until then (--at TIME merges all up to a time)"
    )
}
