//! Damaged bytes give an error or other values, never a panic.

use crate::support::{Fragment, data, open};
use bytes::Bytes;
use tdb_fragment::{
    ConditionTree, ConsolidatedMetadata, FieldLayout, Footer, FooterBytes, FragmentMetadata,
    LegacyMetadata, MetadataPart,
};
use tdb_schema::FieldKind;
use tdb_tile::{FormatVersion, Limits, Record};

/// Returns copies of the bytes, each with one byte replaced.
fn damaged(bytes: &Bytes) -> impl Iterator<Item = Bytes> + '_ {
    let values = [0x00, 0x01, 0x7f, 0x80, 0xff];
    (0..bytes.len()).flat_map(move |at| {
        values.into_iter().map(move |value| {
            let mut copy = bytes.to_vec();
            if let Some(byte) = copy.get_mut(at) {
                *byte = value;
            }
            copy.into()
        })
    })
}

/// Calls every function of the metadata that needs no more bytes.
fn ask(metadata: &FragmentMetadata, fragment: &Fragment, payload: &Bytes) {
    let limits = Limits::default();
    let _ = (
        metadata.cell_count(),
        metadata.data_size(),
        metadata.tile_cells(u64::MAX),
    );
    let _ = metadata.rtree(payload, &limits);
    for kind in [
        FieldKind::Attribute(0),
        FieldKind::Dimension(1),
        FieldKind::Timestamps,
    ] {
        for part in FragmentMetadata::tile_statistics_parts(kind) {
            let _ = metadata.part_place(part);
        }
        let Some(field) = metadata.field_in(&fragment.schema, kind) else {
            continue;
        };
        let payloads = [
            payload.clone(),
            payload.clone(),
            payload.clone(),
            payload.clone(),
        ];
        if let Ok(index) = metadata.tile_index(&field, &payloads, &limits) {
            let _ = (index.tile_extent(0), index.var_extent(u64::MAX));
        }
        if let Ok(statistics) = metadata.tile_statistics(&field, &payloads, &limits) {
            let _ = statistics.bounds(0, 1);
        }
    }
}

#[test]
fn footers() {
    for name in [
        "v4_sparse",
        "v5_dense",
        "v9_strings",
        "v15_sparse",
        "v22_deletes",
        "v22_dense",
    ] {
        let fragment = Fragment::new(name);
        let layout = fragment.layout();
        let FooterBytes { start, bytes } = fragment.footer_bytes();
        let metadata = fragment.metadata();
        let payload = fragment.part(
            &metadata,
            MetadataPart::TileOffsets(FieldKind::Attribute(0)),
        );
        for bytes in damaged(&bytes) {
            let Ok(footer) = Footer::read(&bytes, &layout, &Limits::default()) else {
                continue;
            };
            if let Ok(metadata) = FragmentMetadata::from_footer(footer, start, &fragment.schema) {
                ask(&metadata, &fragment, &payload);
            }
        }
    }
}

#[test]
fn parts() {
    for name in ["v4_sparse", "v9_strings", "v22_deletes"] {
        let fragment = Fragment::new(name);
        let metadata = fragment.metadata();
        let kind = FieldKind::Attribute(0);
        let statistics = FragmentMetadata::tile_statistics_parts(kind);
        let parts = [MetadataPart::RTree, MetadataPart::TileOffsets(kind)];
        for part in parts.into_iter().chain(statistics) {
            if metadata.part_place(part).is_ok() {
                for payload in damaged(&fragment.part(&metadata, part)) {
                    ask(&metadata, &fragment, &payload);
                }
            }
        }
    }
}

#[test]
fn metadata_of_format_1() {
    let fragment = Fragment::new("v1_sparse");
    let (payload, _) = open(&fragment.file);
    for payload in damaged(&payload) {
        let legacy = LegacyMetadata::read(&payload, &fragment.layout(), &Limits::default());
        let metadata = legacy.map(|l| FragmentMetadata::from_legacy(l, true, &fragment.schema));
        if let Ok(Ok(metadata)) = metadata {
            ask(&metadata, &fragment, &payload);
        }
    }
}

#[test]
fn conditions_and_consolidated_metadata() {
    let limits = Limits::default();
    for name in ["v22_expression.del", "v22_strings.del"] {
        let (payload, _) = open(&data(name));
        for payload in damaged(&payload) {
            let tree = ConditionTree::decode(&payload, FormatVersion::WRITTEN, &(), &limits);
            if let Ok(tree) = tree {
                let _ = (
                    tree.negated(),
                    tree.values().map(|v| v.members().count()).sum::<usize>(),
                );
            }
        }
    }
    let (payload, _) = open(&data("v22.meta"));
    let layout = FieldLayout::of(&Fragment::new("v22_deletes").schema);
    for payload in damaged(&payload) {
        let Ok(metadata) = ConsolidatedMetadata::decode(&payload, &limits) else {
            continue;
        };
        for footer in metadata.entries().iter().filter_map(|e| metadata.footer(e)) {
            let _ = Footer::read(&footer, &layout, &limits);
        }
    }
}
