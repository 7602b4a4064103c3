use tdb_schema::ArraySchema;
use tdb_schema::grid::SpaceTileGrid;
use tdb_tile::{Exact, FormatVersion, Range, Record, Scalar, WireError};

use super::tiles::{LostTiles, Tiles};
use crate::{FieldLayout, Footer, FragmentError, OptionalSection};

pub(super) fn sparse_tiles(
    count: u64,
    last_tile_cells: u64,
    schema: &ArraySchema,
) -> Result<Tiles, FragmentError> {
    let capacity = schema.capacity;
    if count > 0 && (last_tile_cells == 0 || last_tile_cells > capacity) {
        return Err(FragmentError::Mismatch {
            what: "number of cells of the last tile (at most the capacity)",
            wanted: capacity,
            found: last_tile_cells,
        });
    }
    Ok(Tiles::Sparse { count, capacity })
}

pub(super) fn dense_tiles(
    non_empty_domain: &[Range],
    schema: &ArraySchema,
    version: FormatVersion,
) -> Result<Tiles, FragmentError> {
    let invalid = FragmentError::Invalid;
    if !schema.is_dense() {
        return Err(invalid("a dense fragment of a sparse array"));
    }
    let grid = SpaceTileGrid::new(schema)
        .ok_or_else(|| invalid("a dense fragment over dimensions without positions"))?;
    let written = grid
        .cell_box(non_empty_domain)
        .ok_or_else(|| invalid("non-empty domain outside the domain"))?;
    let tiles = grid.tiles_of(&written);
    let (Some(count), Some(cells)) = (tiles.count(), grid.cells_per_tile()) else {
        return Err(invalid("more tiles or cells than can be counted"));
    };
    let lost = version
        .numbers_tiles_in_floats()
        .then(|| LostTiles::of(&grid, &written, count))
        .flatten();
    Ok(Tiles::Dense {
        tiles,
        count,
        cells,
        lost,
    })
}

/// Returns the offsets in the section of global order bounds; empty if there is no such section.
pub(super) fn global_order_bounds(
    footer: &Footer,
    layout: &FieldLayout,
) -> Result<Vec<u64>, FragmentError> {
    let is_bounds = |s: &&OptionalSection| s.id == OptionalSection::GLOBAL_ORDER_BOUNDS;
    let Some(section) = footer.sections.iter().find(is_bounds) else {
        return Ok(Vec::new());
    };
    if footer.dense {
        return Ok(Vec::new());
    }
    let wanted = (layout.dimensions().len() as u64)
        .exact_mul(16)
        .map_err(|bug| WireError::new(Footer::NAME, "sections", 0, bug.into()))?;
    let found = section.content.len() as u64;
    if found != wanted {
        return Err(FragmentError::Mismatch {
            what: "size of the section of global order bounds",
            wanted,
            found,
        });
    }
    Ok(section
        .content
        .chunks_exact(8)
        .filter_map(u64::read)
        .collect())
}
