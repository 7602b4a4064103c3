//! Dense fragments whose writer stored fewer tiles than their domain has.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use bytes::Bytes;
use tdb_fragment::{Footer, FragmentError, FragmentMetadata, GenericTileOffsets, TileIndex};
use tdb_rtree::Mbr;
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension, FieldKind};
use tdb_tile::{Datatype, FormatVersion, Limits, Range};

/// The first cell of tile 2^53 + 2, in tiles of two cells: releases 2.0 to 2.2 counted three of the
/// four tiles from there on.
const LOW: u64 = ((1 << 53) + 2) * 2;

fn unsigned() -> ArraySchema {
    schema(Dimension::numbers(
        "d",
        Datatype::UInt64,
        (0_u64, 1 << 63),
        2_u64,
    ))
}

fn schema(dimension: Dimension) -> ArraySchema {
    let attribute = Attribute::new("a", Datatype::Int32);
    ArraySchema::new(ArrayType::Dense, vec![dimension], vec![attribute])
}

fn open(
    version: u32,
    schema: &ArraySchema,
    domain: Range,
    file_size: u64,
) -> Result<FragmentMetadata, FragmentError> {
    // The slots of the attribute, of all coordinates, and of the dimension.
    let none = vec![0; 3];
    let footer = Footer {
        version: FormatVersion::new(version),
        dense: true,
        non_empty_domain: Mbr(vec![domain]),
        last_tile_cells: 2,
        file_sizes: vec![file_size, 0, 0],
        var_file_sizes: none.clone(),
        validity_file_sizes: none.clone(),
        offsets: GenericTileOffsets {
            tile_offsets: none.clone(),
            var_offsets: none.clone(),
            var_sizes: none.clone(),
            validity_offsets: none,
            ..GenericTileOffsets::default()
        },
        ..Footer::default()
    };
    FragmentMetadata::from_footer(footer, 1000, schema)
}

fn four_tiles(version: u32, file_size: u64) -> Result<FragmentMetadata, FragmentError> {
    open(version, &unsigned(), Range::of(LOW, LOW + 7), file_size)
}

/// Encodes the offsets of `tiles` tiles of 28 bytes each.
fn offsets(tiles: u64) -> Bytes {
    let values = (0..tiles).map(|tile| tile * 28);
    let all = [tiles].into_iter().chain(values);
    all.flat_map(u64::to_le_bytes).collect::<Vec<_>>().into()
}

fn index(metadata: &FragmentMetadata, tiles: u64) -> Result<TileIndex, FragmentError> {
    let schema = unsigned();
    let field = schema.field_of(FieldKind::Attribute(0)).unwrap();
    metadata.tile_index(&field, &[offsets(tiles)], &Limits::default())
}

#[test]
fn as_many_tiles_as_the_writer_counted_are_read_and_the_others_known_as_lost() {
    for version in 5..=8 {
        let mut metadata = four_tiles(version, 84).unwrap();
        assert!(metadata.may_lack_tiles());
        assert_eq!((metadata.tile_count(), metadata.lost_from()), (4, None));
        metadata
            .settle_tiles(&offsets(3), &Limits::default())
            .unwrap();
        assert!(!metadata.may_lack_tiles());
        assert_eq!(metadata.lost_from(), Some(3));
        let ranges = metadata.tile_ranges(3, &unsigned());
        assert_eq!(ranges, Some(vec![Range::of(LOW + 6, LOW + 7)]));
        let index = index(&metadata, 3).unwrap();
        assert_eq!((index.tile_count(), index.lost_from()), (3, Some(3)));
        assert_eq!(
            (index.tile_extent(2), index.tile_extent(3)),
            (Some(56..84), None)
        );
    }
}

#[test]
fn a_fragment_with_all_its_tiles_lacks_none() {
    let mut metadata = four_tiles(5, 112).unwrap();
    metadata
        .settle_tiles(&offsets(4), &Limits::default())
        .unwrap();
    assert!(!metadata.may_lack_tiles());
    assert_eq!(metadata.lost_from(), None);
    assert_eq!(index(&metadata, 4).unwrap().lost_from(), None);
    // Once it is certain that no tile is missing, a field with fewer tiles is an error.
    assert!(index(&metadata, 3).is_err());
}

#[test]
fn any_other_number_of_tiles_is_damage() {
    let mut metadata = four_tiles(5, 112).unwrap();
    for tiles in [0, 1, 2, 5] {
        assert!(
            metadata
                .settle_tiles(&offsets(tiles), &Limits::default())
                .is_err()
        );
        assert!(index(&metadata, tiles).is_err());
    }
    // Even three tiles do not fit into 20 bytes.
    assert!(four_tiles(5, 20).is_err());
}

#[test]
fn fragments_of_other_versions_and_with_small_tile_numbers_lack_no_tile() {
    for version in [4, 9] {
        // Three tiles would fit into 24 bytes, but four do not.
        assert!(four_tiles(version, 24).is_err());
    }
    let below = Range::of(100_u64, 107);
    let metadata = open(5, &unsigned(), below, 112).unwrap();
    assert!(!metadata.may_lack_tiles());
    assert!(index(&metadata, 3).is_err());
}

#[test]
fn where_distances_turn_negative_no_stored_tile_holds_what_was_written() {
    let dimension = Dimension::numbers("d", Datatype::Int64, (i64::MIN, i64::MAX - 999), 16_i64);
    let domain = Range::of(100_i64, 180);
    let mut metadata = open(5, &schema(dimension), domain, 84).unwrap();
    metadata
        .settle_tiles(&offsets(1), &Limits::default())
        .unwrap();
    assert_eq!((metadata.tile_count(), metadata.lost_from()), (6, Some(0)));
    let index = index(&metadata, 1).unwrap();
    assert_eq!((index.tile_extent(0), index.lost_from()), (None, Some(0)));
}

/// Encodes the offsets of four tiles, followed by other values.
fn four_and_more(more: &[u64]) -> Bytes {
    let tiles = (0..4).map(|tile| tile * 28);
    let count = 4 + more.len() as u64;
    let all = [count].into_iter().chain(tiles).chain(more.iter().copied());
    all.flat_map(u64::to_le_bytes).collect::<Vec<_>>().into()
}

#[test]
fn zeros_behind_the_last_tile_are_no_tiles_of_releases_that_counted_validity() {
    let schema = unsigned();
    let field = schema.field_of(FieldKind::Attribute(0)).unwrap();
    let read = |version, more: &[u64]| {
        let metadata = open(version, &schema, Range::of(0_u64, 7), 112).unwrap();
        let vectors = [four_and_more(more)];
        metadata.tile_index(&field, &vectors, &Limits::default())
    };
    for version in [7, 8] {
        for more in [&[0, 0][..], &[0; 4]] {
            let index = read(version, more).unwrap();
            assert_eq!((index.tile_count(), index.lost_from()), (4, None));
            assert_eq!(index.tile_extent(3), Some(84..112));
        }
        // More values than validity tiles, or values that are not zero.
        assert!(read(version, &[0; 5]).is_err());
        assert!(read(version, &[0, 112]).is_err());
    }
    assert!(read(6, &[0, 0]).is_err());
    assert!(read(9, &[0, 0]).is_err());
}
