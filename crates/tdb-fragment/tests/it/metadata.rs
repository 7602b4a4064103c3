//! Metadata of real fragments: all its facts agree with each other.
#![expect(clippy::unwrap_used, reason = "a test may stop there")]

use std::fmt::Write;

use crate::support::{Fragment, all, check};
use bytes::Bytes;
use tdb_fragment::{
    FragmentError, FragmentMetadata, FragmentStatistics, MetadataPart, ProcessedConditions,
    TileBounds, TileVector,
};
use tdb_rtree::{Mbr, RTree};
use tdb_schema::{Field, FieldKind};
use tdb_tile::{FormatVersion, Limits, Range, Record};

fn limits() -> Limits {
    Limits::default()
}

#[test]
fn what_is_known_of_each_fragment_before_its_tiles() {
    let mut text = String::new();
    for name in std::iter::once("v1_sparse").chain(all()) {
        let fragment = Fragment::new(name);
        let metadata = fragment.metadata();
        let files: Vec<String> = fragment
            .stored_fields(&metadata)
            .into_iter()
            .map(|kind| {
                let field = metadata.field_in(&fragment.schema, kind).unwrap();
                let files = metadata.data_files(&field).unwrap();
                let others = files.var.into_iter().chain(files.validity);
                others.fold(files.fixed, |all, file| all + "+" + &file)
            })
            .collect();
        let _ = writeln!(
            text,
            "{name}: {} tiles, {} cells, {} bytes, {:?}\n  {}",
            metadata.tile_count(),
            metadata.cell_count(),
            metadata.data_size(),
            metadata.extra_fields,
            files.join(" "),
        );
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_tiles_of_each_field_fill_its_files() {
    for name in std::iter::once("v1_sparse").chain(all()) {
        let fragment = Fragment::new(name);
        let metadata = fragment.metadata();
        let mut size = 0;
        for kind in fragment.stored_fields(&metadata) {
            let field = metadata.field_in(&fragment.schema, kind).unwrap();
            let parts = metadata.tile_index_parts(&field);
            let payloads: Vec<Bytes> = parts
                .into_iter()
                .map(|part| fragment.part(&metadata, part))
                .collect();
            for payload in &payloads {
                check::<TileVector>(payload, metadata.version, &());
            }
            let index = metadata.tile_index(&field, &payloads, &limits()).unwrap();
            assert_eq!(index.tile_count(), metadata.tile_count());
            let last = metadata.tile_count() - 1;
            for tile in 0..last {
                let next = index.tile_extent(tile + 1).unwrap();
                assert_eq!(index.tile_extent(tile).unwrap().end, next.start);
            }
            let before = size;
            size += index.tile_extent(last).unwrap().end;
            assert_eq!(index.var_size(0).is_some(), field.is_var());
            size += index.var_extent(last).map_or(0, |extent| extent.end);
            size += index.validity_extent(last).map_or(0, |extent| extent.end);
            assert_eq!(size - before, metadata.field_data_size(field.kind));
            assert_eq!(index.tile_extent(last + 1), None);
        }
        assert_eq!(size, metadata.data_size(), "{name}");
    }
}

#[test]
fn the_tree_of_each_fragment_bounds_its_domain() {
    for name in std::iter::once("v1_sparse").chain(all()) {
        let fragment = Fragment::new(name);
        let metadata = fragment.metadata();
        let payload = fragment.part(&metadata, MetadataPart::RTree);
        let dimensions = metadata.layout().dimensions();
        let (tree, _) = check::<RTree>(&payload, metadata.version, dimensions);
        assert_eq!(metadata.rtree(&payload, &limits()).unwrap(), tree);
        if metadata.dense {
            assert_eq!(tree.tile_count(), 0);
        } else {
            let domain = Mbr(metadata.non_empty_domain.clone());
            assert_eq!(tree.bounding_mbr(), Some(domain), "{name}");
        }
    }
}

#[test]
fn before_v5_every_dimension_lies_in_the_file_of_coordinates() {
    let fragment = Fragment::new("v4_sparse");
    let metadata = fragment.metadata();
    let dimension = metadata.field_in(&fragment.schema, FieldKind::Dimension(1));
    assert_eq!(dimension.unwrap().kind, FieldKind::Coords);
    let own = fragment.schema.field_of(FieldKind::Dimension(0)).unwrap();
    assert_eq!(metadata.data_files(&own).unwrap().fixed, "__coords.tdb");
    let parts = metadata.tile_index_parts(&own);
    let payload = fragment.part(&metadata, parts[0]);
    assert!(metadata.tile_index(&own, &[payload], &limits()).is_ok());
}

#[test]
fn dense_fragments_have_no_coordinates() {
    let fragment = Fragment::new("v22_dense");
    let metadata = fragment.metadata();
    let dimension = fragment.schema.field_of(FieldKind::Dimension(0)).unwrap();
    let error = metadata.data_files(&dimension).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "row": format version 22 stores no such field here"#);
    let error = metadata.part_place(MetadataPart::TileOffsets(dimension.kind));
    insta::assert_snapshot!(error.unwrap_err(), @"format version 22 stores no tile offsets here");
}

#[test]
fn dense_tiles_are_numbered_within_the_box_that_was_written() {
    let fragment = Fragment::new("v22_dense");
    let metadata = fragment.metadata();
    let tiles = metadata.space_tiles().unwrap();
    assert_eq!(tiles.count(), Some(metadata.tile_count()));
    for (number, tile) in (0..).zip(tiles.iter()) {
        assert_eq!(tiles.position(&tile), Some(number));
    }
    assert_eq!(
        metadata.tile_cells(0) * metadata.tile_count(),
        metadata.cell_count()
    );
}

fn statistics(fragment: &Fragment, field: &Field<'_>) -> String {
    let metadata = fragment.metadata();
    let parts = FragmentMetadata::tile_statistics_parts(field.kind);
    let payloads = parts.map(|part| fragment.part(&metadata, part));
    for payload in &payloads[..2] {
        check::<TileBounds>(payload, metadata.version, &());
    }
    let statistics = metadata
        .tile_statistics(field, &payloads, &limits())
        .unwrap();
    let tile = 0;
    let cells = metadata.tile_cells(tile as u64);
    format!(
        "{} {}: stored {:?}..={:?}, sum {:?}, nulls {:?}, to be relied on {:?}",
        field.name,
        field.datatype,
        statistics.min(tile),
        statistics.max(tile),
        statistics.sum(tile),
        statistics.null_count(tile),
        statistics.bounds(tile, cells),
    )
}

#[test]
fn statistics_of_the_first_tile_of_each_field() {
    let mut text = String::new();
    for name in ["v11_sparse", "v22_sparse", "v22_dense", "v22_deletes"] {
        let fragment = Fragment::new(name);
        let metadata = fragment.metadata();
        let _ = writeln!(text, "{name}");
        for kind in fragment.stored_fields(&metadata) {
            let field = metadata.field_in(&fragment.schema, kind).unwrap();
            let _ = writeln!(text, "  {}", statistics(&fragment, &field));
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn statistics_of_a_fragment_come_field_by_field() {
    let fragment = Fragment::new("v22_deletes");
    let metadata = fragment.metadata();
    let payload = fragment.part(&metadata, MetadataPart::FragmentStatistics);
    let read = metadata.fragment_statistics(&payload, &limits()).unwrap();
    let n = read.fields.len() as u64;
    let (again, text) = check::<FragmentStatistics>(&payload, metadata.version, &n);
    assert_eq!(again, read);
    insta::assert_snapshot!(text);
}

#[test]
fn processed_conditions_are_paths_of_deletes() {
    let fragment = Fragment::new("v22_deletes");
    let metadata = fragment.metadata();
    let payload = fragment.part(&metadata, MetadataPart::ProcessedConditions);
    let (conditions, _) = check::<ProcessedConditions>(&payload, metadata.version, &());
    assert_eq!(
        metadata.processed_conditions(&payload, &limits()).unwrap(),
        conditions
    );
    assert_eq!(conditions.markers.len(), 5);
    for (marker, time) in conditions.markers.iter().zip([120, 130, 140, 150, 160]) {
        assert!(
            marker.starts_with(&format!("__commits/__{time}_{time}_")),
            "{marker}"
        );
        assert!(marker.ends_with("_22.del"), "{marker}");
    }
}

#[test]
fn what_a_version_does_not_store_is_not_found() {
    let fragment = Fragment::new("v10_sparse");
    let metadata = fragment.metadata();
    for part in [
        MetadataPart::Mins(FieldKind::Attribute(0)),
        MetadataPart::FragmentStatistics,
        MetadataPart::ProcessedConditions,
        MetadataPart::FirstCoordinates(0),
        MetadataPart::TileOffsets(FieldKind::Timestamps),
        MetadataPart::TileOffsets(FieldKind::Attribute(999)),
    ] {
        let place = metadata.part_place(part);
        assert!(
            matches!(place, Err(FragmentError::NotStored { .. })),
            "{part:?}: {place:?}"
        );
    }
}

// Metadata that must be refused.

#[test]
fn more_tiles_than_the_files_have_room_for_are_refused() {
    let fragment = Fragment::new("v22_sparse");
    let mut footer = fragment.footer();
    footer.sparse_tile_count = 1 << 60;
    insta::assert_snapshot!(fragment.metadata_of(footer).unwrap_err(), @"number of tiles (at most what the largest file has room for) is 1152921504606846976, expected 49");
}

#[test]
fn a_last_tile_over_the_capacity_is_refused() {
    let fragment = Fragment::new("v22_sparse");
    for cells in [0, 1 << 40] {
        let mut footer = fragment.footer();
        footer.last_tile_cells = cells;
        let error = fragment.metadata_of(footer).unwrap_err();
        assert!(matches!(error, FragmentError::Mismatch { .. }), "{error}");
    }
}

#[test]
fn a_dense_domain_outside_that_of_the_array_is_refused() {
    let fragment = Fragment::new("v22_dense");
    for range in [Range::of(i32::MIN, i32::MAX), Range::of(3, 2)] {
        let mut footer = fragment.footer();
        footer.non_empty_domain.0[0] = range;
        let error = fragment.metadata_of(footer).unwrap_err();
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"non-empty domain outside the domain");
        }
    }
}

#[test]
fn tile_offsets_must_increase_within_the_file() {
    let fragment = Fragment::new("v22_sparse");
    let metadata = fragment.metadata();
    let field = metadata
        .field_in(&fragment.schema, FieldKind::Dimension(0))
        .unwrap();
    let payload = fragment.part(&metadata, MetadataPart::TileOffsets(field.kind));
    let index = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut payload = payload.to_vec();
        change(&mut payload);
        metadata
            .tile_index(&field, &[payload.into()], &limits())
            .unwrap_err()
    };
    let last = payload.len() - 8;
    insta::assert_snapshot!(index(&|p| p[last..].fill(0)), @r#"field "key": tile offsets do not increase"#);
    insta::assert_snapshot!(index(&|p| p[last..].fill(0xff)), @r#"field "key": tile offsets beyond the file"#);
    insta::assert_snapshot!(index(&|p| {
        p.truncate(last);
        p[0] -= 1;
    }), @r#"field "key": TileVector.count at byte 0: number of tiles is 3, expected 4"#);
    let error = metadata.tile_index(&field, &[], &limits()).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "key": a part is missing"#);
}

#[test]
fn a_tree_over_another_number_of_tiles_is_refused() {
    let fragment = Fragment::new("v22_sparse");
    let mut footer = fragment.footer();
    footer.sparse_tile_count -= 1;
    let metadata = fragment.metadata_of(footer).unwrap();
    let payload = fragment.part(&metadata, MetadataPart::RTree);
    insta::assert_snapshot!(metadata.rtree(&payload, &limits()).unwrap_err(), @"number of tiles in the R-tree is 4, expected 3");
}

#[test]
fn bounds_must_be_one_for_each_tile() {
    let version = FormatVersion::WRITTEN;
    let bounds = |fixed: &[u64], var: &'static [u8]| TileBounds {
        fixed: fixed.iter().flat_map(|v| v.to_le_bytes()).collect(),
        var: Bytes::from_static(var),
    };
    let strings = bounds(&[0, 2, 2], b"abc");
    strings.check(3, None).unwrap();
    let values: Vec<_> = (0..4).map(|tile| strings.get(tile, None)).collect();
    assert_eq!(values, [Some(&b"ab"[..]), Some(b""), Some(b"c"), None]);
    insta::assert_snapshot!(strings.check(2, None).unwrap_err(), @"TileBounds.fixed at byte 0: size of one value per tile is 24, expected 16");
    insta::assert_snapshot!(bounds(&[2, 0], b"abc").check(2, None).unwrap_err(), @"TileBounds.fixed at byte 0: not increasing, or beyond the values");
    assert!(bounds(&[0, 4], b"abc").check(2, None).is_err());
    bounds(&[], b"").check(1000, Some(8)).unwrap();
    assert!(bounds(&[1], b"").check(1 << 61, Some(8)).is_err());
    let bytes = Bytes::from(strings.encode(version, &()).unwrap());
    check::<TileBounds>(&bytes, version, &());
}
