/// Result of a write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenCells {
    /// Number of cells given.
    pub cells: u64,
    /// Number of existing cells that were replaced; counted only by
    /// [`Replacing`](crate::Replacing).
    pub replaced: u64,
    /// Names of the new fragments; empty if no cells were written.
    pub fragments: Vec<String>,
    /// Number of times the write waited for other programs that changed the array at the same moment, or was repeated
    /// because of them; only for [`Replacing`](crate::Replacing).
    pub yielded: u32,
    /// For files: columns whose times had time zones; they are stored as UTC.
    pub zoned: Vec<String>,
}
