//! The byte ranges that a part of a dense result needs: those of its visible tiles, in the order in which they are
//! decoded.

use std::collections::HashSet;
use std::sync::Arc;

use tdb_fragment::TileNumber;
use tdb_schema::FieldKind;
use tdb_store::{ByteRange, Read};

use super::bands::Bands;
use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell, paint};
use super::plan::DensePlan;
use super::source::Sources;
use crate::QueryError;
use tdb_cells::dense::BlockTiles;
use tdb_cells::scatter::Pass;

/// Where bytes begin: an object, and the offset.
pub(super) type ObjectOffset = (Arc<str>, u64);

/// Notes what a field takes instead of painting it.
struct ReadsBrush<'a> {
    sources: &'a Sources<'a>,
    /// Tiles that were noted.
    seen: &'a mut HashSet<(LayerIndex, TileNumber)>,
    out: &'a mut Vec<Read>,
}

impl Brush for ReadsBrush<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.sources.has(layer)
    }

    fn fill(&mut self, _: &mut Pass) -> Result<(), QueryError> {
        Ok(())
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        _: &mut Pass,
    ) -> Result<(), QueryError> {
        if self.seen.insert((layer, tile)) {
            self.out.extend(self.sources.tiles(layer)?.reads(tile));
        }
        Ok(())
    }

    fn place(&mut self, _: LayerIndex, _: &[PlacedCell]) -> Result<(), QueryError> {
        Ok(())
    }
}

/// What these fields of some bands take; none of it twice.
pub(crate) fn reads_of(
    plan: &DensePlan,
    bands: &Bands,
    fields: &[FieldKind],
) -> Result<Vec<Read>, QueryError> {
    let mut out = Vec::new();
    for &field in fields {
        let mut seen = HashSet::new();
        for (_, block) in bands.blocks() {
            reads_of_block(plan, block, field, &mut seen, &mut out)?;
        }
    }
    Ok(out)
}

/// Adds what a field of a block takes, but for the tiles that were `seen`.
pub(super) fn reads_of_block(
    plan: &DensePlan,
    block: &BlockTiles,
    field: FieldKind,
    seen: &mut HashSet<(LayerIndex, TileNumber)>,
    out: &mut Vec<Read>,
) -> Result<(), QueryError> {
    if matches!(field, FieldKind::Dimension(_)) {
        return Ok(());
    }
    let sources = plan.sources(field);
    let mut brush = ReadsBrush {
        sources: &sources,
        seen,
        out,
    };
    paint(&plan.shape, &plan.layers, block, &mut brush)
}

/// Where the bytes of a tile begin.
pub(super) fn object_offset(read: &Read) -> ObjectOffset {
    let start = match read.range {
        ByteRange::Bounded { start, .. } | ByteRange::From(start) => start,
        ByteRange::Whole | ByteRange::Tail(_) => 0,
    };
    (Arc::clone(&read.key), start)
}
