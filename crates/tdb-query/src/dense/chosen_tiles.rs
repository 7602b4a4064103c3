//! Lists the tiles of dense fragments that a read takes.

use tdb_cells::dense::Runs;
use tdb_fragment::TileNumber;
use tdb_tile::{Bug, Exact};

use super::layers::{LayerSource, Near, common, numbered, visible};
use super::plan::bounds;
use super::read::DenseRead;
use crate::{ChosenTiles, QueryError};

impl DenseRead {
    /// Returns the tiles that are read, for each fragment.
    pub(crate) fn chosen_tiles(&self) -> Result<Vec<ChosenTiles>, QueryError> {
        let plan = &self.plan;
        let Some(wanted) = bounds(&plan.runs) else {
            return Ok(Vec::new());
        };
        let wanted_tiles = plan.shape.grid.tiles_of(&wanted);
        let mut chosen = Vec::new();
        let (mut newer, mut seen): (Vec<Near<'_>>, Vec<Near<'_>>) = (Vec::new(), Vec::new());
        for (at, layer) in numbered(&plan.layers) {
            let mut own = ChosenTiles::new(layer.index);
            newer.push((at, layer));
            let LayerSource::Tiles(tiles) = &layer.stored else {
                // Sparse fragments are read while the read is planned.
                continue;
            };
            let located = plan
                .tiles
                .get(at.get())
                .ok_or_else(|| Bug::new("a layer without its tiles"))?;
            let common = common(tiles, &wanted_tiles);
            for tile in common.iter().flat_map(|common| common.iter()) {
                let cells = plan.shape.grid.tile_cells(&tile);
                let is_wanted = |(runs, (lo, hi)): (&Runs, (&u64, &u64))| runs.meets(*lo, *hi);
                let ends = cells.lo.iter().zip(&cells.hi);
                if !plan.runs.iter().zip(ends).all(is_wanted) {
                    continue;
                }
                let unknown = || Bug::new("a tile that a fragment has and does not number");
                let number = tiles
                    .position(&tile)
                    .map(TileNumber::new)
                    .ok_or_else(unknown)?;
                visible(&newer, &cells, &mut seen);
                if seen.last().is_none_or(|(last, _)| *last != at) {
                    own.hidden = own.hidden.exact_add(1)?;
                } else if layer.ruled_out.contains(number.get()) {
                    own.ruled_out = own.ruled_out.exact_add(1)?;
                } else {
                    own.add(located, self.fields(), number);
                }
            }
            chosen.push(own);
        }
        chosen.sort_by_key(|chosen| chosen.fragment);
        Ok(chosen)
    }
}
