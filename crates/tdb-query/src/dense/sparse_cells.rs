//! Sparse fragments within dense arrays: releases before 2.4 could write single cells into them.

use std::cmp::Ordering;

use tdb_array::Array;
use tdb_cells::{CellTable, Loading, Segment, Session, TableColumn, TileRows, load};
use tdb_fragment::FragmentMetadata;
use tdb_schema::FieldKind;
use tdb_schema::grid::{GridAxis, SpaceTileGrid};
use tdb_tile::Grant;

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

impl SparseCells {
    /// Reads the coordinates and these fields of a fragment.
    pub(crate) fn load(
        session: &Session,
        array: &Array,
        grid: &SpaceTileGrid,
        fragment: usize,
        fields: &[FieldKind],
    ) -> Result<Self, QueryError> {
        let dimensions = (0..grid.axes().len()).map(FieldKind::Dimension);
        let wanted: Vec<FieldKind> = dimensions.chain(fields.iter().copied()).collect();
        // Opening the fields shows that there are as many tiles as the fragment says.
        let tiles = fragment_tiles::open(array, array.schema(), fragment, &wanted)?;
        let stored = array.fragments().get(fragment);
        let count = |of: fn(&FragmentMetadata) -> u64| stored.map_or(0, |f| of(&f.metadata));
        let per_cell = grid.axes().len().saturating_mul(PLACED).saturating_add(8);
        let bytes = count(FragmentMetadata::tile_count)
            .saturating_mul(size_of::<TileRows>() as u64)
            .saturating_add(count(FragmentMetadata::cell_count).saturating_mul(per_cell as u64));
        let held = session.limits().budget.take(bytes)?;
        let mut table = CellTable::new(vec![segment(array, fragment)]);
        let how = Loading {
            session,
            schema: array.schema(),
            bytes: array.store(),
        };
        session.install(|| load(how, &mut table, &wanted, &|_| Some(&tiles)))?;
        let coordinates: Vec<Vec<Option<u64>>> = grid
            .axes()
            .iter()
            .enumerate()
            .map(|(dimension, axis)| {
                coordinates(axis, table.column(FieldKind::Dimension(dimension)))
            })
            .collect();
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
fn segment(array: &Array, fragment: usize) -> Segment {
    let mut tiles = Vec::new();
    let mut end = 0_usize;
    if let Some(stored) = array.fragments().get(fragment) {
        for number in 0..stored.metadata.tile_count() {
            let cells = usize::try_from(stored.metadata.tile_cells(number)).unwrap_or(usize::MAX);
            let rows = end..end.saturating_add(cells);
            end = rows.end;
            let tile = usize::try_from(number).unwrap_or(usize::MAX);
            tiles.push(TileRows {
                tile,
                rows,
                full: true,
                done: 0,
            });
        }
    }
    Segment {
        fragment,
        rows: 0..end,
        tiles,
    }
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
