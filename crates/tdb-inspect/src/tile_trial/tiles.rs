//! Tile layouts, and applying them to schemas.

use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{ArraySchema, CellOrder};

/// A tile layout: the properties of a schema that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tiles {
    /// Sparse arrays: number of cells per tile.
    pub capacity: Option<u64>,
    /// Sparse arrays: order of the cells.
    pub cell_order: Option<CellOrder>,
    /// Dense arrays: extent of a space tile along each dimension, in cells.
    pub extents: Vec<(String, u64)>,
}

impl Tiles {
    /// Returns the layout of a schema.
    pub(super) fn of(schema: &ArraySchema) -> Self {
        let is_sparse = !schema.is_dense();
        let grid = SpaceTileGrid::new(schema).filter(|_| schema.is_dense());
        let extents = grid.iter().flat_map(|grid| {
            let axes = grid.axes().iter().zip(&schema.dimensions);
            axes.filter_map(|(axis, dimension)| {
                Some((dimension.name.clone(), u64::try_from(axis.extent()).ok()?))
            })
        });
        Self {
            capacity: is_sparse.then_some(schema.capacity),
            cell_order: is_sparse.then_some(schema.cell_order),
            extents: extents.collect(),
        }
    }

    /// Returns the schema with this layout.
    pub(super) fn applied(&self, schema: &ArraySchema) -> ArraySchema {
        let mut schema = schema.clone();
        if let Some(capacity) = self.capacity {
            schema.capacity = capacity;
        }
        if let Some(order) = self.cell_order {
            schema.cell_order = order;
        }
        for (dimension, (_, extent)) in schema.dimensions.iter_mut().zip(&self.extents) {
            // Dense dimensions are integers, so the first bytes are the value in a smaller type.
            let bytes = extent.to_le_bytes();
            let extent = bytes.get(..dimension.datatype.size());
            dimension.extent = extent.map(|bytes| bytes.to_vec().into());
        }
        schema
    }
}
