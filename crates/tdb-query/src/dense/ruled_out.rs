//! Rules out tiles in which no cell matches the condition: they are neither fetched nor decoded.

use std::sync::Arc;

use tdb_cells::CellSet;
use tdb_cells::dense::TileSet;
use tdb_condition::Predicate;
use tdb_fragment::TileNumber;
use tdb_tile::{Budget, Bug};

use super::bands::Bands;
use super::layers::{LayerIndex, LayerSource, common};
use super::paint::{Brush, PlacedCell, paint};
use super::plan::{DensePlan, LocatedPlan, bounds};
use crate::QueryError;
use crate::scatter::{Pass, fill, index, outside};
use crate::tile_statistics::Facts;

impl LocatedPlan {
    /// Finds the tiles that the condition rules out, and those without a point.
    ///
    /// If a fragment lacks a field, cells of older fragments show through, also from tiles in which no cell matches.
    /// In that case nothing is ruled out by values, only by coordinates.
    pub(crate) fn rule_out(
        &mut self,
        condition: &Predicate,
        by_place: bool,
        facts: &Facts,
        budget: &Budget,
    ) -> Result<(), QueryError> {
        let plan = &mut self.plan;
        let all_have = |plan: &DensePlan| {
            let mut fields = self.attributes.iter();
            fields.all(|field| plan.sources(*field).all_have())
        };
        let by_values = self.sparse.is_empty() && all_have(plan);
        if !by_values && !by_place {
            return Ok(());
        }
        let Some(wanted) = bounds(&plan.runs).map(|wanted| plan.shape.grid.tiles_of(&wanted))
        else {
            return Ok(());
        };
        let grid = &plan.shape.grid;
        for layer in &mut plan.layers {
            let mut ruled_out = TileSet::default();
            let LayerSource::Tiles(tiles) = &layer.stored else {
                continue;
            };
            for tile in common(tiles, &wanted)
                .iter()
                .flat_map(|common| common.iter())
            {
                let unknown = || Bug::new("a tile that a fragment has and does not number");
                let number = tiles.position(&tile).ok_or_else(unknown)?;
                let ranges = by_place.then(|| grid.ranges(&grid.tile_cells(&tile)));
                let out_of_place = match ranges.flatten() {
                    Some(ranges) => condition.rules_out_box(&ranges)?,
                    None => false,
                };
                let (tile, cells) = (TileNumber::new(number), plan.shape.cells);
                if out_of_place
                    || by_values && facts.rule_out(condition, layer.index, tile, cells)?
                {
                    ruled_out.push(number);
                }
            }
            layer.ruled_out = Arc::new(ruled_out);
        }
        let bytes = plan.layers.iter().map(|layer| layer.ruled_out.bytes());
        let held = budget.take(bytes.sum())?;
        plan.held.push(Arc::new(held));
        Ok(())
    }
}

/// Rows of a batch that come from tiles that are ruled out.
#[derive(Debug)]
pub(super) enum RuledOutRows {
    None,
    Some(CellSet),
    All,
}

impl DensePlan {
    pub(super) fn ruled_out(&self, bands: &Bands) -> Result<RuledOutRows, QueryError> {
        if self.layers.iter().all(|layer| layer.ruled_out.is_empty()) {
            return Ok(RuledOutRows::None);
        }
        let mut found = FoundBrush::default();
        for (_, block) in bands.blocks() {
            paint(&self.shape, &self.layers, block, &mut found)?;
        }
        match found {
            FoundBrush {
                ruled_out: false, ..
            } => return Ok(RuledOutRows::None),
            FoundBrush { others: false, .. } => return Ok(RuledOutRows::All),
            _ => {}
        }
        let mut sets = Vec::new();
        for (_, block) in bands.blocks() {
            let mut rows = vec![0; index(block.rows())?];
            let mut brush = RowsBrush { out: &mut rows };
            paint(&self.shape, &self.layers, block, &mut brush)?;
            sets.push(CellSet::of_bytes(&rows)?);
        }
        Ok(RuledOutRows::Some(CellSet::concat(&sets)?))
    }
}

/// Brush that records whether a block has cells of tiles that are ruled out, and whether it has others.
#[derive(Debug, Default)]
struct FoundBrush {
    ruled_out: bool,
    others: bool,
}

impl Brush for FoundBrush {
    fn has(&self, _: LayerIndex) -> bool {
        true
    }

    fn fill(&mut self, _: &mut Pass) -> Result<(), QueryError> {
        self.others = true;
        Ok(())
    }

    fn copy(&mut self, _: LayerIndex, _: TileNumber, _: &mut Pass) -> Result<(), QueryError> {
        self.others = true;
        Ok(())
    }

    fn pass_over(&mut self, _: &mut Pass) -> Result<(), QueryError> {
        self.ruled_out = true;
        Ok(())
    }

    fn place(&mut self, _: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        self.others |= !cells.is_empty();
        Ok(())
    }
}

/// Brush that marks the cells that come from tiles that are ruled out.
struct RowsBrush<'a> {
    out: &'a mut [u8],
}

impl Brush for RowsBrush<'_> {
    fn has(&self, _: LayerIndex) -> bool {
        true
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill(pass, &[0], self.out)?)
    }

    fn copy(&mut self, _: LayerIndex, _: TileNumber, pass: &mut Pass) -> Result<(), QueryError> {
        self.fill(pass)
    }

    fn pass_over(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill(pass, &[1], self.out)?)
    }

    fn place(&mut self, _: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        for placed in cells {
            let place = self.out.get_mut(index(placed.dest)?);
            *place.ok_or_else(outside)? = 0;
        }
        Ok(())
    }
}
