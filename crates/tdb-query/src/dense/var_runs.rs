//! Var-sized cells that lie in the result as they lie in their tiles: decoded straight into it, their offsets shifted in bulk.

use tdb_cells::scatter::{Pass, index};
use tdb_cells::{Decoding, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::Bug;

use super::bands::{all_written, cut};
use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell};
use super::source::Sources;
use super::var_tile::{DecodedVarTile, VarTile};
use crate::QueryError;

/// Finds out whether the rows of a block are runs of cells of tiles, one after the other. It decodes nothing.
#[derive(Debug)]
pub(crate) struct VarScout<'a> {
    sources: &'a Sources<'a>,
    found: Vec<FoundRun>,
    /// The row that the next run has to begin at.
    next: u64,
    /// Whether all rows so far are such runs.
    is_runs: bool,
}

/// Cells that follow each other both in their tile and in the result.
#[derive(Clone, Copy, Debug)]
struct FoundRun {
    layer: LayerIndex,
    tile: TileNumber,
    /// The first cell, counted from the start of the tile.
    first: u64,
    rows: u64,
}

/// A run whose size is known.
#[derive(Debug)]
struct Run {
    layer: LayerIndex,
    tile: TileNumber,
    first: usize,
    rows: usize,
    /// Bytes of its values.
    bytes: usize,
    /// The tile, where it had to be decoded to know that: where the run is only a part of it.
    decoded: Option<DecodedVarTile>,
}

/// The rows of a band, as runs of cells of tiles.
#[derive(Debug, Default)]
pub(crate) struct VarRuns(Vec<Run>);

impl<'a> VarScout<'a> {
    pub(crate) fn new(sources: &'a Sources<'a>) -> Self {
        Self {
            sources,
            found: Vec::new(),
            next: 0,
            is_runs: true,
        }
    }

    /// Whether the `rows` of a block are runs.
    pub(crate) fn is_whole(&self, rows: u64) -> bool {
        self.is_runs && self.next == rows
    }
}

impl Brush for VarScout<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.sources.has(layer)
    }

    fn fill(&mut self, _: &mut Pass) -> Result<(), QueryError> {
        self.is_runs = false;
        Ok(())
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        match pass.single() {
            Some(run) if run.dest == self.next => {
                self.next = run.dest.saturating_add(run.len);
                self.found.push(FoundRun {
                    layer,
                    tile,
                    first: run.source,
                    rows: run.len,
                });
            }
            // Cells between others, or some over those of an older fragment.
            _ => self.is_runs = false,
        }
        Ok(())
    }

    fn place(&mut self, _: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        self.is_runs &= cells.is_empty();
        Ok(())
    }
}

impl VarRuns {
    /// Adds the runs that a scout has found, decoding the tiles of which they are only a part.
    pub(crate) fn add(
        &mut self,
        scout: &VarScout<'_>,
        tile_cells: u64,
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        for found in &scout.found {
            let (first, rows) = (index(found.first)?, index(found.rows)?);
            let tiles = scout.sources.tiles(found.layer)?;
            let tile = VarTile::new(tiles, found.tile, tile_cells, how)?;
            let (bytes, decoded) = if found.rows == tile_cells {
                (tile.bytes(), None)
            } else {
                let decoded = tile.decode(worker, how)?;
                (decoded.cells(first, rows)?.len(), Some(decoded))
            };
            self.0.push(Run {
                layer: found.layer,
                tile: found.tile,
                first,
                rows,
                bytes,
                decoded,
            });
        }
        Ok(())
    }

    /// Bytes of the values of all rows.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.0.iter().map(|run| run.bytes as u64);
        bytes.fold(0, u64::saturating_add)
    }

    /// Writes all values to `out`, and to `starts` where those of each row begin, the first at `base`.
    pub(crate) fn write(
        &self,
        sources: &Sources<'_>,
        (mut starts, mut out): (&mut [u64], &mut [u8]),
        base: u64,
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        let mut at = base;
        for run in &self.0 {
            let starts = cut(&mut starts, run.rows)?;
            let out = cut(&mut out, run.bytes)?;
            let skipped = match &run.decoded {
                Some(decoded) => decoded.copy(run.first, starts, out)?,
                None => {
                    let tiles = sources.tiles(run.layer)?;
                    let tile = VarTile::new(tiles, run.tile, run.rows as u64, how)?;
                    tile.decode_into(starts, out, worker, how)?;
                    0
                }
            };
            // What a part of a tile leaves out before it may be more than the result has so far: the difference wraps, and back.
            let shift = at.wrapping_sub(skipped);
            for start in starts {
                *start = start.wrapping_add(shift);
            }
            at = at.saturating_add(run.bytes as u64);
        }
        if !starts.is_empty() {
            return Err(Bug::new("rows that are in no run").into());
        }
        Ok(all_written(out)?)
    }
}
