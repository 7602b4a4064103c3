//! Finds the tiles of a dense result whose cells all come from one fragment, and excludes tiles from the result.

use std::collections::HashSet;

use tdb_cells::dense::TileSet;
use tdb_fragment::TileNumber;
use tdb_schema::grid::CellBox;
use tdb_tile::Bug;

use super::layers::{Layer, LayerSource, common};
use super::plan::bounds;
use super::read::DenseRead;
use super::walk::{TileWalk, Walk};
use crate::{LoneTiles, QueryError};

/// Approximate number of bytes per tile during the search.
const TILE_BYTES: u64 = 64;

impl DenseRead {
    /// Returns the tiles whose cells all come from one fragment, for a read in global order that has not begun.
    /// Returns fewer or none if memory is short, and none if there are more tiles than 64 bits can number.
    pub(crate) fn lone_tiles(&self) -> Result<Vec<LoneTiles>, QueryError> {
        let (Some(walk), Some(wanted)) = (self.unbegun(), bounds(&self.plan.runs)) else {
            return Ok(Vec::new());
        };
        if walk.tiles().count().is_none() {
            return Ok(Vec::new());
        }
        let layers = &self.plan.layers;
        let (mut found, mut held) = (Vec::new(), Vec::new());
        // Tiles in which a newer fragment has cells; not needed with a single fragment.
        let mut taken = HashSet::new();
        for layer in layers {
            let LayerSource::Tiles(tiles) = &layer.stored else {
                return Ok(Vec::new());
            };
            let Some(seen) = common(tiles, walk.tiles()) else {
                continue;
            };
            let bytes = seen.count().and_then(|count| count.checked_mul(TILE_BYTES));
            let grant = bytes.and_then(|bytes| self.budget().take(bytes).ok());
            let Some(grant) = grant else {
                break;
            };
            held.push(grant);
            let mut lone = LoneTiles {
                fragment: layer.index,
                tiles: Vec::new(),
            };
            for tile in seen.iter() {
                let hides = Bug::new("a tile of a read that is not among its tiles");
                let place = walk.tiles().position(&tile).ok_or(hides)?;
                let is_newest = layers.len() == 1 || taken.insert(place);
                if is_newest && self.is_whole(layer, &tile, &wanted) {
                    let unknown = Bug::new("a tile that a fragment has and does not number");
                    let number = tiles.position(&tile).ok_or(unknown)?;
                    lone.tiles.push(TileNumber::new(number));
                }
            }
            if !lone.tiles.is_empty() {
                found.push(lone);
            }
        }
        Ok(found)
    }

    /// Excludes these tiles from the result.
    pub(crate) fn leave_out(&mut self, lone: &[LoneTiles]) -> Result<(), QueryError> {
        let foreign = || Bug::new("tiles to leave out that are not of this read");
        let walk = self.unbegun().ok_or_else(foreign)?;
        let mut places = Vec::new();
        for LoneTiles { fragment, tiles } in lone {
            let mut layers = self.plan.layers.iter();
            let layer = layers.find(|layer| layer.index == *fragment);
            let Some(LayerSource::Tiles(stored)) = layer.map(|layer| &layer.stored) else {
                return Err(foreign().into());
            };
            for number in tiles {
                let tile = stored.tile(number.get());
                let place = tile.and_then(|tile| walk.tiles().position(&tile));
                places.push(place.ok_or_else(foreign)?);
            }
        }
        if let Walk::Tiles(walk) = &mut self.walk {
            walk.leave_out(TileSet::of(places));
        }
        Ok(())
    }

    /// Returns the walk over tiles if the read has neither condition nor limit and no tile was returned yet.
    fn unbegun(&self) -> Option<&TileWalk> {
        let is_all = self.request.condition.is_none() && self.request.limit == u64::MAX;
        match &self.walk {
            Walk::Tiles(walk) if is_all && walk.next_tile() == Some(0) => Some(walk),
            _ => None,
        }
    }

    /// True if a fragment has all cells of a tile, and all of them are requested.
    fn is_whole(&self, layer: &Layer, tile: &[u64], wanted: &CellBox) -> bool {
        let cells = self.plan.shape.grid.tile_cells(tile);
        // The last tile along a dimension may reach beyond the domain.
        let is_full = cells.cells() == Some(self.plan.shape.cells);
        is_full && layer.covers(&cells) && wanted.covers(&cells)
    }
}
