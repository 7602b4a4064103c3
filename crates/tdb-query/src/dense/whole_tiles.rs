//! Finds tiles that need no merging because all their cells come from one fragment.

use tdb_cells::WholeTiles;
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::grid::CellBox;
use tdb_tile::length;

use super::layers::{LayerSource, meets};
use super::plan::bounds;
use super::read::DenseRead;
use super::walk::Walk;
use crate::QueryError;

/// Maximum number of tiles that are examined, or returned, at a time.
const MOST: u64 = 1 << 12;

impl DenseRead {
    /// Returns the next tiles of a read in global order if they all come whole from one fragment that `allows`
    /// accepts. If the next tile does not, returns `None`, and the next batch ends before the first tile that does.
    pub(crate) fn whole_tiles<E: From<QueryError>>(
        &mut self,
        allows: &mut dyn FnMut(FragmentIndex) -> Result<bool, E>,
    ) -> Result<Option<WholeTiles>, E> {
        // The previous batch is written by now.
        self.held = None;
        let Walk::Tiles(walk) = &self.walk else {
            return Ok(None);
        };
        let is_all = self.request.condition.is_none() && self.request.limit == u64::MAX;
        let wanted = bounds(&self.plan.runs).filter(|_| is_all && !walk.leaves_out());
        let (Some(wanted), Some(begin)) = (wanted, walk.next_tile()) else {
            return Ok(None);
        };
        let mut whole: Option<WholeTiles> = None;
        let mut end = begin;
        while end - begin < MOST {
            let Some(tile) = walk.tiles().tile(end) else {
                break;
            };
            let mut source = self.only_source(&tile, &wanted);
            if let Some((fragment, _)) = source
                && !allows(fragment)?
            {
                source = None;
            }
            match (source, &mut whole) {
                (Some((fragment, number)), None) if end == begin => {
                    let cells = length(self.plan.shape.cells).map_err(QueryError::from)?;
                    whole = Some(WholeTiles {
                        fragment,
                        tiles: vec![number],
                        cells,
                    });
                }
                (Some((fragment, number)), Some(whole)) if whole.fragment == fragment => {
                    whole.tiles.push(number);
                }
                (None, None) => {}
                _ => break,
            }
            end += 1;
        }
        if let Walk::Tiles(walk) = &mut self.walk {
            match whole {
                Some(_) => walk.go_on_at(end),
                // There is no tile after the last one, and tiles beyond `MOST` were not examined.
                None => walk.stop_at(end.max(begin + 1)),
            }
        }
        Ok(whole)
    }

    /// Returns the fragment that contains all cells of a tile, and the number of the tile there; `None` if the cells
    /// come from several fragments or none, or if the tile is not requested as a whole.
    fn only_source(&self, tile: &[u64], wanted: &CellBox) -> Option<(FragmentIndex, TileNumber)> {
        let cells = self.plan.shape.grid.tile_cells(tile);
        let mut layers = self.plan.layers.iter();
        let newest = layers.find(|layer| meets(&layer.cells, &cells))?;
        let is_full = cells.cells() == Some(self.plan.shape.cells);
        let is_only = is_full && newest.covers(&cells) && wanted.covers(&cells);
        match &newest.stored {
            LayerSource::Tiles(tiles) if is_only => {
                let number = TileNumber::new(tiles.position(tile)?);
                Some((newest.index, number))
            }
            _ => None,
        }
    }
}
