//! Memory that decoded cells take, computed before any byte is fetched.

use tdb_cells::{FragmentTiles, unit_size};
use tdb_fragment::TileNumber;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{WireError, WireErrorKind};

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
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a cell of fixed size has fewer than 2^36 bytes, and there are fewer than 2^28 fields"
    )]
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
            sizes.per_row += fixed as u64 + u64::from(field.nullable);
        }
        sizes
    }

    /// Bytes per row, without var-sized values.
    #[must_use]
    pub(crate) fn per_row(&self) -> u64 {
        self.per_row
    }

    /// Bytes of the `cells` cells of a tile, once they are decoded. What is stored about tiles may be any number, so
    /// they have 128 bits.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "products of two numbers of 64 bits, of which a few are added up: a fill value is in memory"
    )]
    pub(crate) fn of_tile(&self, fragment: &FragmentTiles, tile: TileNumber, cells: usize) -> u128 {
        let cells = cells as u128;
        let fixed = u128::from(self.per_row) * cells;
        let var = self.var.iter().map(|&(kind, fill)| {
            let stored = fragment.field(kind).map(|field| field.var_size(tile));
            stored.map_or_else(|| u128::from(fill) * cells, u128::from)
        });
        fixed + var.sum::<u128>()
    }
}

/// Most bytes that tiles can take: more than any memory, and little enough to be added to what is in memory, to be
/// doubled, and so on.
const MOST: u64 = 1 << 62;

/// Returns a number of bytes that tiles take, which can be too large only where what is stored about them is damaged.
///
/// # Errors
/// They are more than any memory has.
pub(crate) fn bytes_of_tiles(bytes: u128) -> Result<u64, WireError> {
    let bytes = u64::try_from(bytes).ok().filter(|bytes| *bytes <= MOST);
    bytes.ok_or_else(|| {
        let kind = WireErrorKind::Invalid("the cells of tiles take more than 2^62 bytes");
        WireError::new("TileIndex", "sizes", 0, kind)
    })
}
