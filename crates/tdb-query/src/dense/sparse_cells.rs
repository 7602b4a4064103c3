//! Sparse fragments of dense arrays: TileDB before 2.4 could write single cells into a dense array.

use std::cmp::Ordering;

use tdb_cells::{CellTable, TableColumn};
use tdb_schema::FieldKind;
use tdb_schema::grid::{GridAxis, SpaceTileGrid};
use tdb_tile::{Budget, Bug, Exact, Grant};

use crate::QueryError;

/// Bytes of an optional position.
const PLACED: usize = size_of::<Option<u64>>();

/// All cells of a sparse fragment, in memory.
#[derive(Debug)]
pub(crate) struct SparseCells {
    /// Positions of all cells along each dimension, counted from the start of the domain; `None` if outside the
    /// domain.
    coordinates: Vec<Vec<Option<u64>>>,
    /// Indices of the cells, sorted by the space tile they lie in; within a tile in stored order.
    by_tile: Vec<usize>,
    table: CellTable,
    _held: Grant,
}

impl SparseCells {
    /// Sorts the cells of a table into space tiles. Their coordinates must be loaded.
    pub(super) fn new(
        grid: &SpaceTileGrid,
        table: CellTable,
        budget: &Budget,
    ) -> Result<Self, QueryError> {
        let per_cell = grid.axes().len() * PLACED + 8;
        let held = budget.take(table.rows().len().exact_mul(per_cell)? as u64)?;
        let axes = grid.axes().iter().enumerate();
        let coordinates: Vec<Vec<Option<u64>>> = axes
            .map(|(dimension, axis)| {
                let column = table.column(FieldKind::Dimension(dimension));
                let unknown = Bug::new("cells are placed whose coordinates are not loaded");
                Ok(coordinates(axis, column.ok_or(unknown)?))
            })
            .collect::<Result<_, Bug>>()?;
        let is_inside = |cell: &usize| {
            coordinates
                .iter()
                .all(|along| along.get(*cell).is_some_and(Option::is_some))
        };
        let mut by_tile: Vec<usize> = table.rows().indices().filter(is_inside).collect();
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

    /// Returns the cells of a field; `None` if the fragment lacks the field.
    pub(crate) fn column(&self, field: FieldKind) -> Option<&TableColumn> {
        self.table
            .column(field)
            .filter(|column| column.missing.is_empty())
    }

    /// Iterates over the cells that lie in a tile, in stored order.
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
        self.by_tile.iter().take(end).skip(first).copied()
    }

    /// Returns the position of a cell along a dimension, counted from the start of the domain; `None` if it is
    /// outside.
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

fn coordinates(axis: &GridAxis, column: &TableColumn) -> Vec<Option<u64>> {
    let size = axis.datatype().size();
    column
        .values
        .as_slice()
        .chunks_exact(size)
        .map(|value| axis.cell(value))
        .collect()
}
