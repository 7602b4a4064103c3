//! Tiles of fragments without fields, and tiles that are taken whole.

use tdb_cells::{FragmentTiles, WholeTiles};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;

#[test]
fn fragments_without_fields_take_nothing_to_be_read() {
    let tiles = FragmentTiles::default();
    assert!(
        tiles
            .reads(&[FieldKind::Attribute(0)], TileNumber::new(0))
            .is_empty()
    );
    assert_eq!(tiles.decoding_bytes(TileNumber::new(0), 100), 0);
    assert!(tiles.field(FieldKind::Attribute(0)).is_none() && tiles.zipped().is_none());
}

#[test]
fn whole_tiles_have_the_cells_of_all_of_them() {
    let tiles = |count, cells| WholeTiles {
        fragment: FragmentIndex::new(1),
        tiles: (0..count).map(TileNumber::new).collect(),
        cells,
    };
    assert_eq!((tiles(3, 10).rows(), tiles(0, 10).rows()), (Ok(30), Ok(0)));
    assert!(tiles(3, usize::MAX).rows().is_err());
}
