use tdb_cells::{FieldTiles, TableColumn};

/// Where a fragment keeps the cells of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldSource<'a> {
    /// In the tiles of a dense fragment.
    Tiles(&'a FieldTiles),
    /// Among the cells of a sparse fragment, which are in memory.
    Cells(&'a TableColumn),
}
