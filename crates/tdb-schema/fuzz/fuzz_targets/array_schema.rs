//! Decodes arbitrary bytes as a schema: no panic; a schema that decodes survives a round trip, is
//! shown as JSON, and has a grid and keys.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_schema::ArraySchema;
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::json::{Times, schema_from_json, schema_to_json};
use tdb_schema::order::{CellComparator, KeyEncoder, SortOrder};
use tdb_tile::Limits;

fuzz_target!(|data: &[u8]| {
    let limits = Limits {
        data_tile: 1 << 20,
        ..Limits::default()
    };
    let bytes = Bytes::copy_from_slice(data);
    let Ok((schema, _)) = ArraySchema::decode_with_warnings(&bytes, &limits) else {
        return;
    };
    let encoded = Bytes::from(schema.encode().expect("decoded"));
    assert_eq!(
        ArraySchema::decode(&encoded, &limits).expect("encoded"),
        schema
    );
    let json = schema_to_json(&schema, &[], Times::Iso);
    let _ = schema_from_json(&json, || "__0_0".to_owned());
    if let Some(grid) = SpaceTileGrid::new(&schema) {
        let tiles = grid.tiles_of(&grid.domain());
        assert_eq!(tiles.position(tiles.first()), Some(0));
        assert_eq!(grid.tiles_cells(&tiles), grid.domain());
    }
    for order in [SortOrder::Global, SortOrder::RowMajor] {
        let keys = KeyEncoder::new(&schema, order);
        let _ = keys.encode(&[]);
        let cell = vec![&data[..data.len().min(16)]; schema.dimensions.len()];
        assert!(
            CellComparator::new(&schema, order)
                .compare(&cell, &cell)
                .is_eq()
        );
    }
});
