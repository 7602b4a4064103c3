//! Footers of every version as TileDB wrote them: their location, their content and their round
//! trips.
#![expect(
    clippy::cast_possible_truncation,
    reason = "offsets in these files are small"
)]

use crate::support::{Fragment, all, check, open};
use bytes::Bytes;
use tdb_fragment::{
    Footer, FooterBytes, FooterStart, FragmentError, FragmentMetadata, LegacyMetadata,
    MetadataPart, Next, OptionalSection, PartPlace,
};
use tdb_tile::{FormatVersion, Limits, Record, WireError};

const NEW: FormatVersion = FormatVersion::WRITTEN;

fn footer_text(name: &'static str) -> String {
    let fragment = Fragment::new(name);
    let bytes = fragment.footer_bytes().bytes;
    check::<Footer>(&bytes, FormatVersion::default(), &fragment.layout()).1
}

#[test]
fn footers_of_all_versions_obey_the_laws() {
    for name in all() {
        footer_text(name);
    }
}

#[test]
fn footer_of_v3_has_attributes_and_zipped_coordinates() {
    insta::assert_snapshot!(footer_text("v3_sparse"));
}

#[test]
fn footer_of_v5_numbers_dimensions_behind_a_slot_for_all_coordinates() {
    insta::assert_snapshot!(footer_text("v5_sparse"));
}

#[test]
fn footer_of_v7_has_validity() {
    insta::assert_snapshot!(footer_text("v7_sparse"));
}

#[test]
fn footer_of_v9_stores_domains_of_strings_with_their_sizes() {
    insta::assert_snapshot!(footer_text("v9_strings"));
}

#[test]
fn footer_of_v10_names_the_schema() {
    insta::assert_snapshot!(footer_text("v10_sparse"));
}

#[test]
fn footer_of_v11_has_tile_statistics() {
    insta::assert_snapshot!(footer_text("v11_sparse"));
}

#[test]
fn footer_of_v14_tells_of_timestamps() {
    insta::assert_snapshot!(footer_text("v14_sparse"));
}

#[test]
fn footer_of_v15_tells_of_deletes_but_not_where_the_conditions_are() {
    insta::assert_snapshot!(footer_text("v15_sparse"));
}

#[test]
fn footer_of_v22_after_deletes() {
    insta::assert_snapshot!(footer_text("v22_deletes"));
}

#[test]
fn footer_of_v22_dense() {
    insta::assert_snapshot!(footer_text("v22_dense"));
}

#[test]
fn sections_of_v23_are_kept_and_written_back() {
    let fragment = Fragment::new("v22_sparse");
    let mut footer = fragment.footer();
    footer.version = FormatVersion::new(23);
    let nd = fragment.schema.dimensions.len() as u64;
    let offsets: Vec<u8> = (0..2 * nd).flat_map(u64::to_le_bytes).collect();
    footer.sections = vec![
        OptionalSection {
            id: 77,
            content: Bytes::from_static(b"later"),
        },
        OptionalSection {
            id: OptionalSection::GLOBAL_ORDER_BOUNDS,
            content: offsets.into(),
        },
    ];
    let bytes = Bytes::from(footer.encode(footer.version, &fragment.layout()).unwrap());
    let (decoded, text) = check::<Footer>(&bytes, footer.version, &fragment.layout());
    assert_eq!(decoded, footer);
    let sections: Vec<&str> = text.lines().filter(|l| l.contains("section")).collect();
    insta::assert_snapshot!(sections.join("\n"), @r#"
1186..1190  section count = 2
1190..1198  sections[0].id = 77
1198..1202  sections[0].content = 5
1202..1207  sections[0].content = 0x6c61746572
1207..1215  sections[1].id = 0
1215..1219  sections[1].content = 32
1219..1251  sections[1].content = 0x00000000000000000100000000000000... (32 bytes)
"#);

    let metadata = fragment.metadata_of(footer.clone()).unwrap();
    let start = |part| match metadata.part_place(part).unwrap() {
        PartPlace::Stored(range) => range.start,
        PartPlace::Here(_) => panic!("stored elsewhere"),
    };
    assert_eq!(start(MetadataPart::FirstCoordinates(1)), 1);
    assert_eq!(start(MetadataPart::LastCoordinates(0)), nd);

    footer.sections[1].content = Bytes::from_static(b"short");
    insta::assert_snapshot!(fragment.metadata_of(footer).unwrap_err(), @"size of the section of global order bounds is 5, expected 32");
}

#[test]
fn a_section_before_v23_is_not_written() {
    let fragment = Fragment::new("v22_sparse");
    let mut footer = fragment.footer();
    footer.sections.push(OptionalSection::default());
    let error = footer.encode(NEW, &fragment.layout()).unwrap_err();
    insta::assert_snapshot!(error, @"FragmentFooter.section count at byte 1186: needs format version 23 or newer");
}

#[test]
fn what_later_libraries_add_to_v11_is_passed_over() {
    let fragment = Fragment::new("v11_continued");
    let stored = fragment.footer_bytes().bytes;
    let encoded = fragment.footer().encode(NEW, &fragment.layout()).unwrap();
    assert_eq!(encoded.len() + 8, stored.len());
    assert_eq!(encoded, stored[..encoded.len()]);
    assert_eq!(fragment.metadata().tile_count(), 2);
}

#[test]
fn bytes_behind_the_footer_are_refused_but_in_v11() {
    let fragment = Fragment::new("v12_sparse");
    let bytes = [&fragment.footer_bytes().bytes[..], &[0; 8]].concat();
    let error = Footer::read(&bytes.into(), &fragment.layout(), &Limits::default()).unwrap_err();
    insta::assert_snapshot!(error, @"FragmentFooter.end at byte 1196: 8 more bytes where the data should end");
}

#[test]
fn versions_without_a_footer_or_newer_than_known_are_refused() {
    let fragment = Fragment::new("v22_sparse");
    let read = |version: u32| {
        let mut bytes = fragment.footer_bytes().bytes.to_vec();
        bytes[..4].copy_from_slice(&version.to_le_bytes());
        Footer::read(&bytes.into(), &fragment.layout(), &Limits::default()).unwrap_err()
    };
    insta::assert_snapshot!(read(2), @"FragmentFooter.version at byte 4: no version with a footer");
    assert!(read(24).is_unsupported());
    insta::assert_snapshot!(read(u32::MAX), @"FragmentFooter.version at byte 4: version 4294967295 is too new for this tdb, which reads up to version 23");
}

#[test]
fn the_start_of_a_footer_tells_version_and_schema() {
    let start = |name| {
        let footer = Fragment::new(name).footer_bytes().bytes;
        FooterStart::read(&footer, &Limits::default()).unwrap()
    };
    let (old, new) = (start("v3_sparse"), start("v22_sparse"));
    assert_eq!((old.version.number(), old.schema_name.as_str()), (3, ""));
    assert_eq!(new.version.number(), 22);
    assert!(
        new.schema_name.starts_with("__100_100_"),
        "{}",
        new.schema_name
    );
}

fn locate(
    tail: &Bytes,
    size: u64,
    name_version: u32,
    fragment: &Fragment,
) -> Result<Next<FooterBytes>, WireError> {
    let version = FormatVersion::new(name_version);
    FooterBytes::locate(tail, size, version, Some(&fragment.layout()))
}

#[test]
fn a_footer_is_found_from_any_tail() {
    for (name, name_version) in [
        ("v3_sparse", 4),
        ("v6_sparse", 6),
        ("v9_strings", 9),
        ("v22_sparse", 22),
    ] {
        let fragment = Fragment::new(name);
        let file = &fragment.file;
        let wanted = fragment.footer_bytes();
        for kept in [0, 7, 8, 50, file.len()] {
            let mut tail = file.slice(file.len() - kept..);
            let mut needs = 0;
            let found = loop {
                match locate(&tail, file.len() as u64, name_version, &fragment).unwrap() {
                    Next::Done(found) => break found,
                    Next::Need(range) => {
                        assert_eq!(range.end, file.len() as u64);
                        tail = file.slice(range.start as usize..);
                        needs += 1;
                    }
                }
            };
            assert_eq!(found, wanted);
            assert!(needs <= 2, "{name}: asked {needs} times");
        }
    }
}

#[test]
fn a_length_of_zero_or_beyond_the_file_is_refused() {
    let fragment = Fragment::new("v22_sparse");
    let size = fragment.file.len();
    for length in [0, size as u64 - 7, u64::MAX] {
        let mut file = fragment.file.to_vec();
        file[size - 8..].copy_from_slice(&length.to_le_bytes());
        let error = locate(&file.into(), size as u64, 22, &fragment).unwrap_err();
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"FragmentFooter.length at byte 11718: is zero, or more than the file has before it");
        }
    }
    let error = locate(&Bytes::new(), 7, 22, &fragment).unwrap_err();
    insta::assert_snapshot!(error, @"FragmentFooter.length at byte 0: the file is too short to hold it");
    let error = locate(&Bytes::new(), 7, 5, &Fragment::new("v5_sparse")).unwrap_err();
    insta::assert_snapshot!(error, @"FragmentFooter.footer at byte 0: the file is too short to hold it");
}

#[test]
fn formats_1_and_2_keep_everything_in_one_tile() {
    let fragment = Fragment::new("v1_sparse");
    let (payload, _) = open(&fragment.file);
    let version = FormatVersion::default();
    let (legacy, text) = check::<LegacyMetadata>(&payload, version, &fragment.layout());
    insta::assert_snapshot!(text);

    let metadata = FragmentMetadata::from_legacy(legacy.clone(), true, &fragment.schema).unwrap();
    assert_eq!((metadata.tile_count(), metadata.cell_count()), (1, 4));
    let second = LegacyMetadata {
        version: FormatVersion::new(2),
        ..legacy.clone()
    };
    let bytes = Bytes::from(second.encode(version, &fragment.layout()).unwrap());
    check::<LegacyMetadata>(&bytes, version, &fragment.layout());

    let third = LegacyMetadata {
        version: FormatVersion::new(3),
        ..legacy
    };
    let error = third.encode(version, &fragment.layout()).unwrap_err();
    insta::assert_snapshot!(error, @"LegacyMetadata.version at byte 4: no version without a footer");
}

#[test]
fn a_sparse_array_has_no_dense_fragments() {
    let fragment = Fragment::new("v1_sparse");
    let error = FragmentMetadata::from_legacy(fragment.legacy(), false, &fragment.schema);
    assert!(matches!(error, Err(FragmentError::Invalid(_))), "{error:?}");
}

#[test]
fn files_of_more_bytes_than_can_be_counted_are_refused() {
    let fragment = Fragment::new("v21_sparse");
    let mut footer = fragment.footer();
    *footer.file_sizes.first_mut().unwrap() = u64::MAX;
    *footer.validity_file_sizes.first_mut().unwrap() = 1;
    let error = fragment.metadata_of(footer).unwrap_err();
    insta::assert_snapshot!(error, @"more bytes of data than can be counted");
}
