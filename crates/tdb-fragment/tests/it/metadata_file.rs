//! A metadata file that is decoded into its records is encoded to the same bytes.
#![expect(clippy::unwrap_used, reason = "a test may stop there")]

use crate::support::{Fragment, all, open};
use bytes::Bytes;
use tdb_filters::{FilterError, Scratch, seal_generic_tile_in_pieces};
use tdb_fragment::MetadataPart::{FirstCoordinates, LastCoordinates};
use tdb_fragment::{
    FieldTiles, Footer, FragmentStatistics, MetadataFile, OptionalSection, ProcessedConditions,
    TileBounds,
};
use tdb_rtree::RTree;
use tdb_tile::{FormatVersion, GenericTile, Limits, Record};

/// Decodes the generic tile at an offset.
fn at<R: Record>(file: &Bytes, offset: u64, version: FormatVersion, cx: &R::Cx) -> R {
    let start = usize::try_from(offset).unwrap();
    let (payload, _) = open(&file.slice(start..));
    R::decode(&payload, version, cx, &Limits::default()).unwrap()
}

fn take_apart(fragment: &Fragment) -> MetadataFile {
    let footer = fragment.footer();
    let (file, v, offsets) = (&fragment.file, footer.version, &footer.offsets);
    let layout = fragment.layout();
    let bounds = |offset: Option<&u64>| offset.map(|o| at::<TileBounds>(file, *o, v, &()));
    let vector = |offset: Option<&u64>| offset.map(|o| at(file, *o, v, &())).unwrap_or_default();
    let fields = (0..offsets.tile_offsets.len()).map(|i| FieldTiles {
        tile_offsets: vector(offsets.tile_offsets.get(i)),
        var_offsets: vector(offsets.var_offsets.get(i)),
        var_sizes: vector(offsets.var_sizes.get(i)),
        validity_offsets: vector(offsets.validity_offsets.get(i)),
        mins: bounds(offsets.mins.get(i)).unwrap_or_default(),
        maxs: bounds(offsets.maxs.get(i)).unwrap_or_default(),
        sums: vector(offsets.sums.get(i)),
        null_counts: vector(offsets.null_counts.get(i)),
    });
    let n = offsets.tile_offsets.len() as u64;
    let statistics = match offsets.fragment_statistics {
        0 => FragmentStatistics::default(),
        offset => at(file, offset, v, &n),
    };
    let processed_conditions = match offsets.processed_conditions {
        0 => ProcessedConditions::default(),
        offset => at(file, offset, v, &()),
    };
    MetadataFile {
        rtree: at::<RTree>(file, offsets.rtree, v, layout.dimensions()),
        fields: fields.collect(),
        global_order_bounds: Vec::new(),
        statistics,
        processed_conditions,
        footer,
    }
}

fn seal(payload: &[Bytes]) -> Result<Vec<Bytes>, FilterError> {
    seal_generic_tile_in_pieces(
        payload,
        FormatVersion::WRITTEN,
        None,
        &mut Scratch::default(),
    )
}

/// Opens the generic tiles of the file up to `end`.
fn contents(file: &Bytes, end: u64) -> Vec<Bytes> {
    let (mut start, mut out) = (0, Vec::new());
    while (start as u64) < end {
        let (payload, size) = open(&file.slice(start..));
        out.push(payload);
        start += size;
    }
    out
}

#[test]
fn files_of_all_versions_are_put_together_as_tiledb_did() {
    for name in all() {
        let fragment = Fragment::new(name);
        let again = Fragment {
            file: take_apart(&fragment)
                .encode(&fragment.layout(), seal)
                .unwrap()
                .into(),
            ..Fragment::new(name)
        };
        let (old, new) = (fragment.footer_bytes(), again.footer_bytes());
        // Compressed sizes may differ, and so may the offsets.
        assert_eq!(
            contents(&again.file, new.start),
            contents(&fragment.file, old.start),
            "{name}"
        );
        assert_eq!(
            take_apart(&again).fields,
            take_apart(&fragment).fields,
            "{name}"
        );
        let footer = Footer {
            offsets: fragment.footer().offsets,
            ..again.footer()
        };
        assert_eq!(footer, fragment.footer(), "{name}");
    }
}

#[test]
fn v23_keeps_first_and_last_coordinates() {
    let fragment = Fragment::new("v22_sparse");
    let mut file = take_apart(&fragment);
    file.footer.version = FormatVersion::new(23);
    let bounds = |byte: u8| TileBounds {
        fixed: vec![byte; 4 * 8].into(),
        var: Bytes::new(),
    };
    file.global_order_bounds = (1..=4).map(bounds).collect();
    let bytes = Bytes::from(file.encode(&fragment.layout(), seal).unwrap());
    let again = Fragment {
        file: bytes,
        ..Fragment::new("v22_sparse")
    };
    let footer = again.footer();
    assert_eq!(footer.sections.len(), 1);
    assert_eq!(footer.sections[0].id, OptionalSection::GLOBAL_ORDER_BOUNDS);
    let metadata = again.metadata();
    let part = |part| {
        let payload = again.part(&metadata, part);
        TileBounds::decode(&payload, metadata.version, &(), &Limits::default()).unwrap()
    };
    let found = [
        FirstCoordinates(0),
        FirstCoordinates(1),
        LastCoordinates(0),
        LastCoordinates(1),
    ];
    assert_eq!(found.map(part).to_vec(), file.global_order_bounds);
}

#[test]
fn an_error_of_the_sealer_is_handed_on() {
    let fragment = Fragment::new("v22_sparse");
    let broken = GenericTile::parse(&Bytes::new(), &Limits::default()).unwrap_err();
    let result = take_apart(&fragment).encode(&fragment.layout(), |_| Err(broken.clone()));
    assert_eq!(result.unwrap_err(), broken);
}
