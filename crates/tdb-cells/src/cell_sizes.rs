//! What cells take in memory once they are decoded, known before a byte of them is fetched.

use tdb_fragment::TileNumber;
use tdb_schema::{ArraySchema, FieldKind};

use crate::{FragmentTiles, fill_of, unit_size};

/// What the cells of some fields take in memory: known for fields of fixed size, for others as the tile index says.
#[derive(Clone, Debug, Default)]
pub struct CellSizes {
    /// Bytes of a row, without values of varying size.
    per_row: u64,
    /// The fields of varying size, and the bytes of a cell where a fragment lacks the field.
    var: Vec<(FieldKind, u64)>,
}

impl CellSizes {
    /// For these fields, which are named by `schema`.
    #[must_use]
    pub fn new(schema: &ArraySchema, fields: &[FieldKind]) -> Self {
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

    /// Bytes of a row, without values of varying size.
    #[must_use]
    pub fn per_row(&self) -> u64 {
        self.per_row
    }

    /// Bytes of the cells of a tile.
    #[must_use]
    pub fn of_tile(&self, fragment: &FragmentTiles, tile: TileNumber, cells: usize) -> u64 {
        let cells = cells as u64;
        let fixed = self.per_row.saturating_mul(cells);
        let var = self.var.iter().map(|&(kind, fill)| {
            let stored = fragment.field(kind).map(|field| field.var_size(tile));
            stored.unwrap_or_else(|| fill.saturating_mul(cells))
        });
        var.fold(fixed, u64::saturating_add)
    }
}
