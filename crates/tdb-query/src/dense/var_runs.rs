//! Var-sized cells in the same order as in their tiles: decoded straight into the result, with their offsets shifted
//! in bulk.

use tdb_cells::{Decoding, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::{Bug, Exact};

use super::bands::{all_written, cut};
use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell};
use super::source::Sources;
use super::var_tile::{DecodedVarTile, VarTile};
use crate::QueryError;
use crate::scatter::{Pass, index};

/// Brush that checks whether the rows of a block are runs of cells of tiles, one after the other. It decodes nothing.
#[derive(Debug)]
pub(crate) struct VarScout<'a> {
    sources: &'a Sources<'a>,
    found: Vec<FoundRun>,
    /// Row at which the next run must begin.
    next: u64,
    /// Whether all rows so far are in such runs.
    is_runs: bool,
}

/// Cells that are adjacent both in their tile and in the result.
#[derive(Clone, Copy, Debug)]
struct FoundRun {
    layer: LayerIndex,
    tile: TileNumber,
    /// First cell, counted from the start of the tile.
    first: u64,
    rows: u64,
}

/// Run whose size is known.
#[derive(Debug)]
struct Run {
    layer: LayerIndex,
    tile: TileNumber,
    first: usize,
    rows: usize,
    /// Bytes of the values.
    bytes: usize,
    /// Decoded tile; only if the run is a part of it, so that the size had to be found by decoding.
    decoded: Option<DecodedVarTile>,
}

/// Rows of a band, as runs of cells of tiles.
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

    /// True if all `rows` of a block are in runs.
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
                self.next = run.dest.exact_add(run.len)?;
                self.found.push(FoundRun {
                    layer,
                    tile,
                    first: run.source,
                    rows: run.len,
                });
            }
            // The cells are scattered, or lie over those of an older fragment.
            _ => self.is_runs = false,
        }
        Ok(())
    }

    fn place(&mut self, _: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        self.is_runs &= cells.is_empty();
        Ok(())
    }
}

/// Memory for the rows of a band of a var-sized column.
pub(super) struct VarOutput<'o> {
    /// Offset of each row.
    pub(super) starts: &'o mut [u64],
    /// Values of all rows.
    pub(super) values: &'o mut [u8],
    /// The first offset.
    pub(super) base: u64,
}

impl VarRuns {
    /// Adds the runs that a scout found; decodes the tiles of which a run is only a part.
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

    /// Returns the number of bytes of the values of all rows.
    pub(crate) fn bytes(&self) -> Result<u64, Bug> {
        let mut bytes = self.0.iter().map(|run| run.bytes as u64);
        bytes.try_fold(0, u64::exact_add)
    }

    /// Writes the values and offsets of all rows.
    pub(crate) fn write(
        &self,
        sources: &Sources<'_>,
        output: VarOutput<'_>,
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        let VarOutput {
            mut starts,
            values: mut out,
            base: mut at,
        } = output;
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
            // The bytes skipped at the start of a tile may exceed those of the result so far; the shift then wraps,
            // and the addition wraps back.
            let shift = at.wrapping_sub(skipped);
            for start in starts {
                *start = start.wrapping_add(shift);
            }
            at = at.exact_add(run.bytes as u64)?;
        }
        if !starts.is_empty() {
            return Err(Bug::new("rows that are in no run").into());
        }
        Ok(all_written(out)?)
    }
}
