use tdb_cells::CellTable;

/// Cells of the result that were copied out of their tiles, in order.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) parts: Vec<CellTable>,
    /// Bytes of memory of the cells.
    pub(super) bytes: u64,
    /// Weight of all tiles that were examined, with and without cells of the result.
    pub(super) looked_at: u64,
}
