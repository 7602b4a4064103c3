/// What a write did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Cells that were given.
    pub cells: u64,
    /// Cells that were there, and were replaced: counted by [`WriteBuilder::replace`](crate::WriteBuilder::replace) alone.
    pub replaced: u64,
    /// Names of the new fragments: none where there was no cell.
    pub fragments: Vec<String>,
    /// How often the write gave way to other programs that changed the array at the same moment: of
    /// [`WriteBuilder::replace`](crate::WriteBuilder::replace) alone.
    pub yielded: u32,
    /// Of a file: columns whose times had zones. They are stored as UTC.
    pub zoned: Vec<String>,
}
