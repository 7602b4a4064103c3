//! Decodes arbitrary bytes as a footer of any version, and uses the resulting metadata.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_fragment::{FieldLayout, Footer, FooterBytes, FragmentMetadata, MetadataPart, Next};
use tdb_fragment_fuzz::{limits, schema};
use tdb_schema::FieldKind;
use tdb_tile::{FormatVersion, Record};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    let schema = schema(choice);
    let layout = FieldLayout::of(&schema);
    let bytes = Bytes::copy_from_slice(rest);
    for version in [4, 6, 9, 22] {
        let version = FormatVersion::new(version);
        let found = FooterBytes::locate(&bytes, rest.len() as u64, version, Some(&layout));
        if let Ok(Next::Need(_)) = found {
            panic!("all of the file is there");
        }
    }
    let Ok(footer) = Footer::read(&bytes, &layout, &limits()) else {
        return;
    };
    let again = footer
        .encode(footer.version, &layout)
        .expect("it was decoded");
    assert!(again.len() <= rest.len());
    let Ok(metadata) = FragmentMetadata::from_footer(footer, u64::MAX, &schema) else {
        return;
    };
    let _ = (metadata.cell_count(), metadata.data_size());
    for kind in [
        FieldKind::Attribute(1),
        FieldKind::Dimension(0),
        FieldKind::Timestamps,
    ] {
        let _ = metadata.part_place(MetadataPart::VarOffsets(kind));
        if let Some(field) = metadata.field_in(&schema, kind) {
            let _ = metadata.data_files(&field);
            let _ = metadata.tile_index(&field, &[bytes.clone()], &limits());
        }
    }
});
