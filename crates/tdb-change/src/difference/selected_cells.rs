use tdb_open::Array;
use tdb_query::ReadOptions;

/// Cells of an open array: those of a read.
#[derive(Clone, Debug)]
pub struct SelectedCells<'a> {
    /// The array.
    pub array: &'a Array,
    /// Which of its cells are read.
    pub options: ReadOptions,
}

impl<'a> SelectedCells<'a> {
    /// Selects all cells of an array.
    #[must_use]
    pub fn all(array: &'a Array) -> Self {
        Self {
            array,
            options: ReadOptions::default(),
        }
    }
}
