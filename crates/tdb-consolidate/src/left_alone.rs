use tdb_array::LaterObjects;

/// Returns the note about objects with a future time, which are not merged.
pub(crate) fn left_alone(later: LaterObjects) -> String {
    format!(
        "left alone: {later}; merged with it, what is read now would be gone until then (--at TIME merges all up to a time)"
    )
}
