//! Damaged bytes give an error or a schema, never a panic.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::full;
use bytes::Bytes;
use proptest::prelude::*;
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::order::{CellComparator, Column, KeyEncoder, SortOrder};
use tdb_schema::{ArraySchema, CellOrder, CellValNum, Enumeration};
use tdb_tile::{Datatype, Limits};

/// Calls every function that takes a schema.
fn use_schema(schema: &ArraySchema, cell: &[u8]) {
    schema.encode().unwrap();
    let _ = schema.check_new();
    let _ = schema.clone().upgraded().with_extents().check();
    if let Some(grid) = SpaceTileGrid::new(schema) {
        let tiles = grid.tiles_of(&grid.domain());
        assert_eq!(tiles.position(tiles.first()), Some(0));
        assert_eq!(grid.tiles_cells(&tiles), grid.domain());
        let _ = (
            tiles.count(),
            grid.cells_per_tile(),
            grid.tile_layout(tiles.last()),
        );
    }
    let cells = vec![cell; schema.dimensions.len()];
    for order in [SortOrder::Global, SortOrder::ColumnMajor] {
        assert!(
            CellComparator::new(schema, order)
                .compare(&cells, &cells)
                .is_eq()
        );
        let columns: Vec<Column<'_>> = schema
            .dimensions
            .iter()
            .map(|dimension| {
                if dimension.is_var() {
                    Column::Var {
                        offsets: &[],
                        data: cell,
                    }
                } else {
                    Column::Fixed(&cell[..cell.len().min(dimension.datatype.size())])
                }
            })
            .collect();
        let _ = KeyEncoder::new(schema, order).encode(&columns);
    }
    #[cfg(feature = "serde")]
    {
        use tdb_schema::json::{Times, schema_from_json, schema_to_json};
        let json = schema_to_json(schema, &[], Times::Iso);
        let _ = schema_from_json(&json, || "__0_0".to_owned());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_schemas_do_not_panic(
        version in 1_u32..=23,
        is_hilbert in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cell in prop::collection::vec(any::<u8>(), 8..16),
    ) {
        let mut schema = full(version);
        if is_hilbert {
            schema.cell_order = CellOrder::Hilbert;
        }
        let mut bytes = schema.encode().unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let limits = Limits { data_tile: 1 << 20, ..Limits::default() };
        if let Ok(schema) = ArraySchema::decode(&Bytes::from(bytes), &limits) {
            use_schema(&schema, &cell);
        }
    }

    #[test]
    fn damaged_enumerations_do_not_panic(
        is_var in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let number = if is_var { CellValNum::Var } else { CellValNum::Fixed(2) };
        let values = ["ab", "cd", "ef"];
        let made = Enumeration::from_values("e", "__1_0", Datatype::StringAscii, number, false, values);
        let mut bytes = made.unwrap().encode().unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(found) = Enumeration::decode(&bytes.into(), &Limits::default()) {
            for value in found.iter() {
                prop_assert!(found.index_of(value).is_some());
            }
            prop_assert!(found.extends(&found));
        }
    }
}
