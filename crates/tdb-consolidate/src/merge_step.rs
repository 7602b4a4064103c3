use tdb_array::TimestampedName;
use tdb_tile::Range;

/// Fragments that are merged into one, or into several of a size.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeStep {
    /// The fragments, older ones first.
    pub sources: Vec<Source>,
    /// First and last time that the result is of, in milliseconds since 1970.
    pub times: (u64, u64),
    /// Bytes of their data files together: about what the result has.
    pub bytes: u64,
    /// Dense arrays: the box that is written.
    pub domain: Option<Vec<Range>>,
}

/// A fragment that is merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One of the array's, by name.
    Fragment(TimestampedName),
    /// What the step with this number, from 0, has made.
    Step(usize),
}
