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
use super::visits::BlockTiles;
use crate::QueryError;
use crate::scatter::Pass;

/// Object and offset at which the bytes of a tile begin.
pub(super) type ObjectOffset = (Arc<str>, u64);

/// Brush that records the byte ranges that a field needs, and paints nothing.
struct ReadsBrush<'a> {
    sources: &'a Sources<'a>,
    /// Tiles that were recorded already.
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

/// Returns the byte ranges that the given fields of the bands need, without duplicates.
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

/// Adds the byte ranges that a field of a block needs, except for the tiles in `seen`.
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

/// Returns the object and the offset at which a read begins.
pub(super) fn object_offset(read: &Read) -> ObjectOffset {
    let start = match read.range {
        ByteRange::Bounded { start, .. } | ByteRange::From(start) => start,
        ByteRange::Whole | ByteRange::Tail(_) => 0,
    };
    (Arc::clone(&read.key), start)
}
