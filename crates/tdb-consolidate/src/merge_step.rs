use tdb_array::TimestampedName;
use tdb_tile::Range;

/// Fragments that are merged into one, or into several of limited size.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeStep {
    /// The fragments, oldest first.
    pub sources: Vec<Source>,
    /// First and last time of the result, in milliseconds since 1970.
    pub times: (u64, u64),
    /// Total bytes of the data files of the sources: about the size of the result.
    pub bytes: u64,
    /// The box that is written, for dense arrays.
    pub domain: Option<Vec<Range>>,
}

/// A fragment that is merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A fragment of the array, by name.
    Fragment(TimestampedName),
    /// The result of an earlier step, by its index, counted from 0.
    Step(usize),
}
