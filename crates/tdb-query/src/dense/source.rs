use crate::sparse::table::TableColumn;
use crate::tiles::FieldTiles;

/// Where a fragment keeps the cells of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldSource<'a> {
    /// In the tiles of a dense fragment.
    Tiles(&'a FieldTiles),
    /// Among the cells of a sparse fragment, which are in memory.
    Cells(&'a TableColumn),
}
