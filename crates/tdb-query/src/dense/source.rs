//! Where the layers of a dense array keep the cells of one field.

use tdb_cells::{FieldTiles, TableColumn};
use tdb_tile::Bug;

use super::layers::LayerIndex;

/// Where a fragment keeps the cells of one field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldSource<'a> {
    /// In the tiles of a dense fragment.
    Tiles(&'a FieldTiles),
    /// Among the cells of a sparse fragment, which are in memory.
    Cells(&'a TableColumn),
}

/// Where each layer keeps the cells of one field.
#[derive(Debug)]
pub(crate) struct Sources<'a>(Vec<Option<FieldSource<'a>>>);

impl<'a> Sources<'a> {
    /// Of each layer; `None` where it lacks the field.
    pub(crate) fn new(sources: impl Iterator<Item = Option<FieldSource<'a>>>) -> Self {
        Self(sources.collect())
    }

    /// Whether a layer has the field at all.
    pub(crate) fn has(&self, layer: LayerIndex) -> bool {
        self.get(layer).is_some()
    }

    /// Whether all layers have the field.
    pub(crate) fn all_have(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// The tiles of a layer that [has](Self::has) the field.
    pub(crate) fn tiles(&self, layer: LayerIndex) -> Result<&'a FieldTiles, Bug> {
        match self.get(layer) {
            Some(FieldSource::Tiles(tiles)) => Ok(tiles),
            _ => Err(Bug::new("tiles of a layer that has none of the field")),
        }
    }

    /// The cells of a layer that [has](Self::has) the field.
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
