use tdb_cells::CellTable;

/// Cells of the result that are copied out of their tiles, in its order.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) parts: Vec<CellTable>,
    /// What they take.
    pub(super) bytes: u64,
    /// What their tiles weighed, and those without a cell of the result.
    pub(super) looked_at: u64,
}
