//! Memory that decoded cells take, computed before any byte is fetched.

use tdb_cells::{FragmentTiles, unit_size};
use tdb_fragment::TileNumber;
use tdb_schema::{ArraySchema, FieldKind};

use crate::load::fill_of;

/// Computes the memory of decoded cells of some fields: from the schema for fields of fixed size, else from the tile
/// index.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellSizes {
    /// Bytes per row, without var-sized values.
    per_row: u64,
    /// The var-sized fields, each with the size of its fill value: the bytes of a cell where a fragment lacks the
    /// field.
    var: Vec<(FieldKind, u64)>,
}

impl CellSizes {
    /// Prepares for these fields of `schema`.
    #[must_use]
    pub(crate) fn new(schema: &ArraySchema, fields: &[FieldKind]) -> Self {
        let mut sizes = Self::default();
        for &kind in fields {
            let Some(field) = schema.field_of(kind) else {
                continue;
            };
            let fixed = if field.is_var() {
                sizes.var.push((kind, fill_of(schema, kind).len() as u64));
                size_of::<u64>()
            } else {
                unit_size(&field)
            };
            let fixed = (fixed as u64).saturating_add(u64::from(field.nullable));
            sizes.per_row = sizes.per_row.saturating_add(fixed);
        }
        sizes
    }

    /// Bytes per row, without var-sized values.
    #[must_use]
    pub(crate) fn per_row(&self) -> u64 {
        self.per_row
    }

    /// Bytes of the `cells` cells of a tile, once they are decoded.
    #[must_use]
    pub(crate) fn of_tile(&self, fragment: &FragmentTiles, tile: TileNumber, cells: usize) -> u64 {
        let cells = cells as u64;
        let fixed = self.per_row.saturating_mul(cells);
        let var = self.var.iter().map(|&(kind, fill)| {
            let stored = fragment.field(kind).map(|field| field.var_size(tile));
            stored.unwrap_or_else(|| fill.saturating_mul(cells))
        });
        var.fold(fixed, u64::saturating_add)
    }
}
