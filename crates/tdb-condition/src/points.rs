//! Selecting cells by a list of points.

mod axis;
mod condition;
mod table;
mod tree;

use tdb_cells::dense::TileSet;
use tdb_cells::{Batch, FieldInfo, RowRange, TableColumn};
use tdb_schema::grid::{SpaceTileGrid, TileBox};
use tdb_tile::{Budget, Bug, Exact, Grant, LimitError, Limits, Range};

use self::axis::{GatheredAxis, PointAxis};
use self::table::PointTable;
use self::tree::PointTree;
use crate::ConditionError;

/// Maximum number of points: they are numbered from 1 with 32 bits.
const MOST: u64 = (u32::MAX - 1) as u64;

/// Number of rows whose keys are computed at a time.
const ROWS: usize = 1024;

/// A set of points: coordinates along some dimensions, or all of them. A cell is at a point if it has the same
/// coordinates along these dimensions.
///
/// A cell is looked up in roughly constant time, and a search for points in a box does not visit all of them. So the
/// time of a read grows with the number of tiles that contain points, not with the number of points.
#[derive(Debug)]
pub struct Points {
    axes: Vec<PointAxis>,
    tree: PointTree,
    table: PointTable,
    _held: Vec<Grant>,
}

impl Points {
    /// Starts collecting points along these dimensions.
    #[must_use]
    pub fn gather(dimensions: Vec<FieldInfo>, limits: &Limits) -> GatheredPoints {
        GatheredPoints {
            axes: dimensions.into_iter().map(GatheredAxis::new).collect(),
            points: 0,
            budget: limits.budget.clone(),
            held: Vec::new(),
        }
    }

    /// The dimensions along which the points have coordinates.
    pub fn dimensions(&self) -> impl Iterator<Item = &FieldInfo> {
        self.axes.iter().map(PointAxis::dimension)
    }

    /// Number of points; duplicates count.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The least and the greatest coordinate along each of [`Points::dimensions`]; `None` if there are no points.
    #[must_use]
    pub fn bounds(&self) -> Option<Vec<Range>> {
        let axes = self.axes.iter().zip(self.tree.bounds()?);
        let range = |(axis, (lo, hi)): (&PointAxis, (u64, u64))| {
            Some(Range::new(axis.coordinate(lo)?, axis.coordinate(hi)?))
        };
        axes.map(range).collect()
    }

    /// The coordinates of all points along one of [`Points::dimensions`].
    pub fn coordinates(&self, dimension: usize) -> impl Iterator<Item = bytes::Bytes> + '_ {
        let axis = self.axes.get(dimension);
        let keys = self.tree.keys_along(dimension);
        keys.filter_map(move |key| axis?.coordinate(key))
    }

    /// Whether any point is in a box, given as a range along each of [`Points::dimensions`].
    ///
    /// # Errors
    /// [`Bug`] if the box has another number of dimensions, or a range of another size.
    pub fn any_in(&self, ranges: &[&Range]) -> Result<bool, Bug> {
        if ranges.len() != self.axes.len() {
            return Err(Bug::new(
                "a box around points has other dimensions than they",
            ));
        }
        let mut ends = Vec::with_capacity(self.axes.len());
        for (axis, range) in self.axes.iter().zip(ranges) {
            match axis.key_range(range)? {
                Some(keys) => ends.push(keys),
                None => return Ok(false),
            }
        }
        Ok(self.tree.any_in(&ends))
    }

    /// Returns the tiles of a box that contain points. `dimensions` has the numbers of [`Points::dimensions`] in the
    /// array. `None` if the points lack one of the array's dimensions, because the list of tiles would be too long.
    #[must_use]
    pub fn tiles(
        &self,
        grid: &SpaceTileGrid,
        tiles: &TileBox,
        dimensions: &[usize],
    ) -> Option<TileSet> {
        let mut along = grid
            .axes()
            .iter()
            .enumerate()
            .map(|(at, axis)| {
                let own = dimensions.iter().position(|dimension| *dimension == at)?;
                let cells = self.coordinates(own).map(|cell| axis.cell(&cell));
                Some(cells.map(|cell| cell.map(|cell| axis.tile_of(cell))))
            })
            .collect::<Option<Vec<_>>>()?;
        let mut found = Vec::new();
        for _ in 0..self.len() {
            let mut tile = Vec::with_capacity(along.len());
            // Every iterator must advance, even if a coordinate is outside the domain.
            for place in &mut along {
                tile.extend(place.next().flatten());
            }
            found.extend(tiles.position(&tile));
        }
        Some(TileSet::of(found))
    }

    /// Clears the byte of each row that is not at a point; `columns` has the coordinates along [`Points::dimensions`].
    pub(crate) fn choose(
        &self,
        columns: &[&TableColumn],
        rows: RowRange,
        keep: &mut [u8],
    ) -> Result<(), Bug> {
        let mut keys: Vec<Vec<u64>> = vec![Vec::with_capacity(ROWS); self.axes.len()];
        let mut hashes = Vec::with_capacity(ROWS);
        let mut row = rows.start();
        for keep in keep.chunks_mut(ROWS) {
            let end = row.exact_add(keep.len())?;
            for ((axis, column), keys) in self.axes.iter().zip(columns).zip(&mut keys) {
                keys.clear();
                axis.append_keys(column, row..end, keys)?;
            }
            self.table.choose(&self.tree, &keys, &mut hashes, keep);
            row = end;
        }
        Ok(())
    }
}

/// Points that are still being collected.
#[derive(Debug)]
pub struct GatheredPoints {
    axes: Vec<GatheredAxis>,
    points: usize,
    budget: Budget,
    held: Vec<Grant>,
}

impl GatheredPoints {
    /// Adds a point for each row of a batch, which must have a column for each dimension.
    ///
    /// # Errors
    /// A column is missing or has another datatype than its dimension; a coordinate is null or NaN; there are more
    /// than 2^32 - 2 points, or more than fit in the memory budget.
    pub fn add(&mut self, batch: &Batch) -> Result<(), ConditionError> {
        let points = self.points.exact_add(batch.rows)?;
        Limits::check("number of points", "points", points as u64, MOST)?;
        for axis in &mut self.axes {
            let column = batch.column(axis.name());
            let missing = || Bug::new("a batch of points lacks a dimension");
            let column = column.ok_or_else(missing)?;
            self.held
                .push(self.budget.take(axis.bytes(column, batch.rows))?);
            axis.add(column, self.points, batch.rows)?;
        }
        self.points = points;
        Ok(())
    }

    /// Number of points so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether there are no points yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Builds the search structures.
    ///
    /// # Errors
    /// The points do not fit in the memory budget.
    pub fn finish(mut self) -> Result<Points, LimitError> {
        let bytes = PointTree::bytes(self.points, self.axes.len())
            .saturating_add(PointTable::bytes(self.points));
        self.held.push(self.budget.take(bytes)?);
        let gathered = self.axes.into_iter().map(GatheredAxis::finish);
        let (axes, keys): (Vec<PointAxis>, Vec<Vec<u64>>) = gathered.unzip();
        let tree = PointTree::new(&keys, self.points);
        let table = PointTable::new(&tree);
        Ok(Points {
            axes,
            tree,
            table,
            _held: self.held,
        })
    }
}

#[cfg(test)]
mod tests;
