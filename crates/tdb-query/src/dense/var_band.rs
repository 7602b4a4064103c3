//! The var-sized cells of a band: first how large their values are, then the values.

use tdb_cells::{Decoding, Worker};
use tdb_tile::Bug;

use super::bands::{Band, cut};
use super::paint::paint;
use super::plan::DensePlan;
use super::source::Sources;
use super::var::{VarBrush, VarRows};
use super::var_runs::{VarOutput, VarRuns, VarScout};
use crate::QueryError;
use crate::scatter::index;

/// Var-sized rows of a band, once their sources are known.
#[derive(Debug)]
pub(super) enum VarBand {
    /// The rows are runs of whole cell ranges of tiles, in the same order.
    Runs(VarRuns),
    /// Any other arrangement: the tiles are decoded, and the offset of each row is written, counted from the start of
    /// the band.
    Rows { rows: VarRows, bytes: u64 },
}

impl VarBand {
    /// Returns the number of bytes of the values of all rows.
    pub(super) fn bytes(&self) -> Result<u64, Bug> {
        match self {
            Self::Runs(runs) => runs.bytes(),
            Self::Rows { bytes, .. } => Ok(*bytes),
        }
    }
}

/// Reader of the var-sized cells of bands.
pub(super) struct VarReading<'a> {
    pub(super) plan: &'a DensePlan,
    pub(super) sources: &'a Sources<'a>,
    pub(super) fill: &'a [u8],
    pub(super) worker: &'a mut Worker,
    pub(super) how: Decoding<'a>,
}

impl VarReading<'_> {
    /// Finds the source and the size of the values of a band. `starts` has an entry for each row.
    pub(super) fn find(&mut self, band: &Band, starts: &mut [u64]) -> Result<VarBand, QueryError> {
        if let Some(runs) = self.runs(band)? {
            return Ok(VarBand::Runs(runs));
        }
        let mut rows = VarRows::new(band.rows, self.fill);
        self.rows(band, &mut rows)?;
        let bytes = rows.starts(starts)?;
        Ok(VarBand::Rows { rows, bytes })
    }

    /// Returns the band as runs of cells of tiles; `None` if it is not made of such runs.
    fn runs(&mut self, band: &Band) -> Result<Option<VarRuns>, QueryError> {
        let DensePlan { shape, layers, .. } = self.plan;
        let mut scouts = Vec::with_capacity(band.blocks.len());
        for (block, tiles) in &band.blocks {
            let mut scout = VarScout::new(self.sources);
            paint(shape, layers, tiles, &mut scout)?;
            if !scout.is_whole(block.rows()) {
                return Ok(None);
            }
            scouts.push(scout);
        }
        let mut runs = VarRuns::default();
        for scout in &scouts {
            runs.add(scout, shape.cells, self.worker, self.how)?;
        }
        Ok(Some(runs))
    }

    fn rows(&mut self, band: &Band, rows: &mut VarRows) -> Result<(), QueryError> {
        let DensePlan { shape, layers, .. } = self.plan;
        let (decoded, mut from) = rows.parts();
        for (block, tiles) in &band.blocks {
            let mut brush = VarBrush {
                sources: self.sources,
                tile_cells: shape.cells,
                tiles: decoded,
                rows: cut(&mut from, index(block.rows())?)?,
                worker: self.worker,
                how: self.how,
            };
            paint(shape, layers, tiles, &mut brush)?;
        }
        Ok(())
    }

    /// Writes the values and offsets of the rows of a band.
    pub(super) fn write(
        &mut self,
        band: &VarBand,
        output: VarOutput<'_>,
    ) -> Result<(), QueryError> {
        match band {
            VarBand::Runs(runs) => runs.write(self.sources, output, self.worker, self.how),
            VarBand::Rows { rows, .. } => {
                // The base and the bytes of the band were added up when the memory of the values was taken.
                for start in output.starts {
                    *start = start.wrapping_add(output.base);
                }
                Ok(rows.gather(output.values)?)
            }
        }
    }
}
