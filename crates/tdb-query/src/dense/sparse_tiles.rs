//! Sparse fragments of dense arrays whose cells are still to be read.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{CellTable, FragmentTiles, RowRange, Segment, Session, TileRows};
use tdb_fragment::{FragmentIndex, FragmentMetadata, TileNumber};
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Budget, length};

use super::layers::{Layer, LayerSource};
use super::sparse_cells::SparseCells;
use crate::cell_sizes::CellSizes;
use crate::sparse::PlannedTiles;
use crate::table_work::TableWork;
use crate::{QueryError, fragment_tiles};

/// A sparse fragment whose cells are still to be read.
#[derive(Debug)]
pub(crate) struct SparseTiles {
    /// Index of the fragment.
    index: FragmentIndex,
    /// Box of its cells.
    cells: CellBox,
    tiles: Arc<PlannedTiles>,
    fields: Vec<FieldKind>,
    segment: Segment,
}

impl SparseTiles {
    pub(super) fn new(
        array: &Snapshot,
        index: FragmentIndex,
        cells: CellBox,
        tiles: FragmentTiles,
        fields: Vec<FieldKind>,
    ) -> Result<Self, QueryError> {
        let stored = array.fragment(index)?;
        let tiles = PlannedTiles {
            fragments: vec![index],
            tiles: vec![Arc::new(tiles)],
        };
        Ok(Self {
            index,
            cells,
            tiles: Arc::new(tiles),
            fields,
            segment: segment(&stored.metadata, index)?,
        })
    }

    /// Returns the work that loads the cells.
    pub(super) fn work(
        &self,
        schema: &Arc<ArraySchema>,
        session: &Session,
    ) -> Result<TableWork, QueryError> {
        let budget = &session.limits().budget;
        let tiles = size_of_val(&*self.segment.tiles);
        let mut table = CellTable::new(vec![self.segment.clone()]);
        table.hold(budget.take(tiles as u64)?);
        Ok(TableWork {
            schema: Arc::clone(schema),
            tiles: Arc::clone(&self.tiles),
            fields: self.fields.clone(),
            later: Vec::new(),
            weight: self
                .tiles
                .weight(&table, &CellSizes::new(schema, &self.fields))?,
            table,
        })
    }

    /// Turns the fragment into a layer, with its loaded cells.
    pub(super) fn place(
        self,
        array: &Snapshot,
        grid: &SpaceTileGrid,
        table: CellTable,
        budget: &Budget,
    ) -> Result<(Layer, Arc<FragmentTiles>), QueryError> {
        let cells = SparseCells::new(grid, table, budget)?;
        let layer = Layer {
            index: self.index,
            cells: self.cells,
            stored: LayerSource::Cells(Arc::new(cells)),
            ruled_out: Arc::default(),
        };
        // The tiles are not used again.
        let none = fragment_tiles::locate(array, array.schema(), self.index, &[], Vec::new())?;
        Ok((layer, Arc::new(none)))
    }
}

/// Returns a segment of all tiles of a fragment, in order.
fn segment(metadata: &FragmentMetadata, fragment: FragmentIndex) -> Result<Segment, QueryError> {
    let mut tiles = Vec::new();
    let mut end = RowRange::default();
    for number in 0..metadata.tile_count() {
        end = end.next(length(metadata.tile_cells(number))?)?;
        tiles.push(TileRows {
            tile: TileNumber::new(number),
            rows: end,
            full: true,
            wanted: true,
        });
    }
    Ok(Segment {
        fragment,
        rows: RowRange::default().until(end),
        tiles,
    })
}
