//! Sparse fragments within dense arrays: releases before 2.4 could write single cells into them.

use std::cmp::Ordering;
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{CellTable, FragmentTiles, Segment, Session, TableColumn, TileRows};
use tdb_fragment::FragmentMetadata;
use tdb_schema::grid::{CellBox, GridAxis, SpaceTileGrid};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Budget, Bug, Grant};

use super::layers::{Layer, Stored};
use crate::piece::{Piece, TableWork};
use crate::sparse::PlannedTiles;
use crate::{QueryError, fragment_tiles};

/// Bytes of a position that may be none.
const PLACED: usize = size_of::<Option<u64>>();

/// All cells of a sparse fragment, in memory.
#[derive(Debug)]
pub(crate) struct SparseCells {
    /// Along each dimension the position of every cell, from the start of the domain; `None` outside it.
    coordinates: Vec<Vec<Option<u64>>>,
    /// The cells by the tile that they lie in, those of one tile in the order in which they are stored.
    by_tile: Vec<usize>,
    table: CellTable,
    _held: Grant,
}

/// A sparse fragment whose cells are still to be read.
#[derive(Debug)]
pub(crate) struct SparseTiles {
    /// Position of the fragment in the array's list.
    index: usize,
    /// The box of its cells.
    cells: CellBox,
    tiles: Arc<PlannedTiles>,
    fields: Vec<FieldKind>,
    segment: Segment,
}

impl SparseTiles {
    pub(super) fn new(
        array: &Snapshot,
        index: usize,
        cells: CellBox,
        tiles: FragmentTiles,
        fields: Vec<FieldKind>,
    ) -> Result<Self, QueryError> {
        let stored = fragment_tiles::planned(array, index)?;
        let tiles = PlannedTiles {
            fragments: vec![index],
            tiles: vec![tiles],
        };
        Ok(Self {
            index,
            cells,
            tiles: Arc::new(tiles),
            fields,
            segment: segment(&stored.metadata, index)?,
        })
    }

    /// What loads its cells.
    pub(super) fn piece(
        &self,
        schema: &Arc<ArraySchema>,
        session: &Session,
    ) -> Result<Piece, QueryError> {
        let budget = &session.limits().budget;
        let tiles = self
            .segment
            .tiles
            .len()
            .saturating_mul(size_of::<TileRows>());
        let mut table = CellTable::new(vec![self.segment.clone()]);
        table.hold(budget.take(tiles as u64)?);
        let work = TableWork {
            schema: Arc::clone(schema),
            tiles: Arc::clone(&self.tiles),
            fields: self.fields.clone(),
            table,
        };
        Ok(work.into())
    }

    /// The fragment as a layer, with its cells, which have come.
    pub(super) fn place(
        self,
        array: &Snapshot,
        grid: &SpaceTileGrid,
        table: CellTable,
        budget: &Budget,
    ) -> Result<(Layer, FragmentTiles), QueryError> {
        let cells = SparseCells::new(grid, table, budget)?;
        let layer = Layer {
            index: self.index,
            cells: self.cells,
            stored: Stored::Cells(Box::new(cells)),
        };
        // Its tiles are not looked at again.
        let none = fragment_tiles::locate(array, array.schema(), self.index, &[], Vec::new())?;
        Ok((layer, none))
    }
}

impl SparseCells {
    /// Places the cells of a table, whose coordinates are loaded.
    fn new(grid: &SpaceTileGrid, table: CellTable, budget: &Budget) -> Result<Self, QueryError> {
        let per_cell = grid.axes().len().saturating_mul(PLACED).saturating_add(8);
        let held = budget.take(table.rows.saturating_mul(per_cell) as u64)?;
        let axes = grid.axes().iter().enumerate();
        let coordinates = axes.map(|(dimension, axis)| {
            coordinates(axis, table.column(FieldKind::Dimension(dimension)))
        });
        let coordinates: Vec<Vec<Option<u64>>> = coordinates.collect();
        let is_inside = |cell: &usize| {
            coordinates
                .iter()
                .all(|along| along.get(*cell).is_some_and(Option::is_some))
        };
        let mut by_tile: Vec<usize> = (0..table.rows).filter(is_inside).collect();
        by_tile.sort_by(|&a, &b| {
            compare(grid, &coordinates, a, |axis, d| {
                tile_of(axis, &coordinates, d, b)
            })
        });
        Ok(Self {
            coordinates,
            by_tile,
            table,
            _held: held,
        })
    }

    /// The cells of a field; `None` where the fragment lacks it.
    pub(crate) fn column(&self, field: FieldKind) -> Option<&TableColumn> {
        self.table
            .column(field)
            .filter(|column| column.missing.is_empty())
    }

    /// The cells that lie in a tile, in the order in which they are stored.
    pub(crate) fn in_tile(
        &self,
        grid: &SpaceTileGrid,
        tile: &[u64],
    ) -> impl Iterator<Item = usize> + '_ {
        let number = |_: &GridAxis, dimension: usize| tile.get(dimension).copied();
        let compare = |&cell: &usize| compare(grid, &self.coordinates, cell, number);
        let first = self
            .by_tile
            .partition_point(|cell| compare(cell) == Ordering::Less);
        let end = self
            .by_tile
            .partition_point(|cell| compare(cell) != Ordering::Greater);
        self.by_tile
            .get(first..end)
            .unwrap_or_default()
            .iter()
            .copied()
    }

    /// Where a cell lies along a dimension, from the start of the domain.
    pub(crate) fn coordinate(&self, dimension: usize, cell: usize) -> Option<u64> {
        *self.coordinates.get(dimension)?.get(cell)?
    }
}

/// Compares the tile of a cell with another tile, dimension by dimension.
fn compare(
    grid: &SpaceTileGrid,
    coordinates: &[Vec<Option<u64>>],
    cell: usize,
    other: impl Fn(&GridAxis, usize) -> Option<u64>,
) -> Ordering {
    let mut axes = grid.axes().iter().enumerate();
    let differing = axes.find_map(|(dimension, axis)| {
        let order = tile_of(axis, coordinates, dimension, cell).cmp(&other(axis, dimension));
        order.is_ne().then_some(order)
    });
    differing.unwrap_or(Ordering::Equal)
}

fn tile_of(
    axis: &GridAxis,
    coordinates: &[Vec<Option<u64>>],
    dimension: usize,
    cell: usize,
) -> Option<u64> {
    let position = (*coordinates.get(dimension)?.get(cell)?)?;
    Some(axis.tile_of(position))
}

/// All tiles of a fragment, one after the other.
fn segment(metadata: &FragmentMetadata, fragment: usize) -> Result<Segment, QueryError> {
    let too_many = |_| Bug::new("more cells of a fragment than memory has places");
    let mut tiles = Vec::new();
    let mut end = 0_usize;
    for number in 0..metadata.tile_count() {
        let cells = usize::try_from(metadata.tile_cells(number)).map_err(too_many)?;
        let rows = end..end.saturating_add(cells);
        end = rows.end;
        tiles.push(TileRows {
            tile: usize::try_from(number).map_err(too_many)?,
            rows,
            full: true,
            wanted: true,
        });
    }
    Ok(Segment {
        fragment,
        rows: 0..end,
        tiles,
    })
}

fn coordinates(axis: &GridAxis, column: Option<&TableColumn>) -> Vec<Option<u64>> {
    let Some(column) = column else {
        return Vec::new();
    };
    let size = axis.datatype().size();
    column
        .values
        .as_slice()
        .chunks_exact(size)
        .map(|value| axis.cell(value))
        .collect()
}
