//! Sources of the cells of one field, by layer.

use tdb_cells::{FieldTiles, TableColumn};
use tdb_tile::Bug;

use super::layers::LayerIndex;

/// Source of the cells of one field in a fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldSource<'a> {
    /// Tiles of a dense fragment.
    Tiles(&'a FieldTiles),
    /// Cells of a sparse fragment, in memory.
    Cells(&'a TableColumn),
}

/// Source of the cells of one field, for each layer.
#[derive(Debug)]
pub(crate) struct Sources<'a>(Vec<Option<FieldSource<'a>>>);

impl<'a> Sources<'a> {
    /// Takes one source per layer; `None` if the layer lacks the field.
    pub(crate) fn new(sources: impl Iterator<Item = Option<FieldSource<'a>>>) -> Self {
        Self(sources.collect())
    }

    /// True if a layer has the field.
    pub(crate) fn has(&self, layer: LayerIndex) -> bool {
        self.get(layer).is_some()
    }

    /// True if all layers have the field.
    pub(crate) fn all_have(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// Returns the tiles of a dense layer that [has](Self::has) the field.
    pub(crate) fn tiles(&self, layer: LayerIndex) -> Result<&'a FieldTiles, Bug> {
        match self.get(layer) {
            Some(FieldSource::Tiles(tiles)) => Ok(tiles),
            _ => Err(Bug::new("tiles of a layer that has none of the field")),
        }
    }

    /// Returns the cells of a sparse layer that [has](Self::has) the field.
    pub(crate) fn cells(&self, layer: LayerIndex) -> Result<&'a TableColumn, Bug> {
        match self.get(layer) {
            Some(FieldSource::Cells(column)) => Ok(column),
            _ => Err(Bug::new(
                "single cells of a layer that has none of the field",
            )),
        }
    }

    fn get(&self, layer: LayerIndex) -> Option<FieldSource<'a>> {
        *self.0.get(layer.get())?
    }
}
