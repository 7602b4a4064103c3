//! Schemas that make no sense; enumerations and labels that point elsewhere.

use bytes::Bytes;
use tdb_filters::{FilterList, FilterRecord, Pipeline, Registry, Scratch, TileKind};
use tdb_schema::{EnumerationRecord, SchemaRecord};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, EncryptionType, FormatVersion, GenericTile, Limits, Record};

use crate::hostile::{cells, refusal};
use crate::support::Golden;
use crate::support::tiles::{edit_tile, object, open};

const V: FormatVersion = FormatVersion::WRITTEN;
const SPARSE: &str = "v22_sparse_basics";
const DENSE: &str = "v22_dense_int32";

fn key(golden: &Golden) -> String {
    let mut keys = golden.keys("__schema/__").into_iter();
    keys.find(|key| key.starts_with("__schema")).unwrap()
}

/// Changes the schema of an array.
fn changed(golden: &Golden, store: &MemoryStore, change: impl FnOnce(&mut SchemaRecord)) {
    edit_tile(store, &key(golden), None, |payload| {
        let bytes = Bytes::from(std::mem::take(payload));
        let mut record = SchemaRecord::decode(&bytes, V, &(), &Limits::default()).unwrap();
        change(&mut record);
        *payload = record.encode(V, &()).unwrap();
    });
}

fn schema(name: &str, change: impl FnOnce(&mut SchemaRecord)) -> String {
    refusal(name, |golden, store| changed(golden, store, change))
}

/// Sets the first four-byte count with this name in the schema to the largest value.
fn count(name: &str, field: &str) -> String {
    refusal(name, |golden, store| {
        edit_tile(store, &key(golden), None, |payload| {
            let bytes = Bytes::copy_from_slice(payload);
            let (text, _) = SchemaRecord::describe(&bytes, V, &(), &Limits::default());
            let line = text.lines().find(|line| line.contains(field)).unwrap();
            let start: usize = line.trim().split("..").next().unwrap().parse().unwrap();
            payload[start..start + 4].fill(0xFF);
        });
    })
}

/// Returns a pipeline of `count` gzip filters.
fn gzips(count: usize) -> (Pipeline, Bytes) {
    let list = FilterList::new(vec![FilterRecord::new(1, &[1, 9, 0, 0, 0][..]); count]);
    let kind = TileKind::new(V, Datatype::Char);
    let pipeline = Pipeline::new(&list, V, kind, None, Registry::builtin()).unwrap();
    (pipeline, list.encode(V, &()).unwrap().into())
}

/// Returns a generic tile of zeros, compressed `filters` times, whose header claims `claimed` bytes.
fn bomb(filters: usize, zeros: usize, claimed: u64) -> Vec<u8> {
    let (pipeline, list) = gzips(filters);
    let (mut chunks, mut scratch) = (Vec::new(), Scratch::default());
    pipeline
        .encode_tile(
            &vec![0; zeros],
            None,
            &mut chunks,
            &mut scratch,
            &Limits::default(),
        )
        .unwrap();
    GenericTile::try_new(V, EncryptionType::None, claimed, list, chunks.into())
        .unwrap()
        .encode()
}

#[test]
fn row_11_a_gzip_bomb_is_measured_before_it_is_opened() {
    let claimed = |size| {
        refusal(SPARSE, |golden, store| {
            store.overwrite(&key(golden), bomb(1, 8 << 20, size));
        })
    };
    insta::assert_snapshot!(claimed(3 << 30), @"
    Limit: __schema/__100_100_UUID
      GenericTile.tile_size at byte 12: metadata tile size of 3221225472 is over the limit of 268435456 (metadata_tile)
    ");
    // The size of the chunks is known from their headers.
    insta::assert_snapshot!(claimed(1000), @"
    Corrupt: __schema/__100_100_UUID
      TileChunks.original size at byte 8: unfiltered tile size is 8388608, expected 1000
    ");
    // Within the limit of a tile, but more than the memory budget.
    insta::assert_snapshot!(claimed(200 << 20), @"
    Corrupt: __schema/__100_100_UUID
      TileChunks.original size at byte 8: unfiltered tile size is 8388608, expected 209715200
    ");
}

#[test]
fn row_11_a_gzip_stream_that_is_longer_than_its_chunk() {
    let error = refusal(SPARSE, |golden, store| {
        let (tile, _) = open(&bomb(1, 60_000, 60_000).into(), None).unwrap();
        let mut chunks = tile.chunks.to_vec();
        // One chunk: its count, then its original size, then in its metadata the size of the stream.
        chunks[8..12].copy_from_slice(&1000_u32.to_le_bytes());
        let lying =
            GenericTile::try_new(V, EncryptionType::None, 1000, tile.pipeline, chunks.into())
                .unwrap();
        store.overwrite(&key(golden), lying.encode());
    });
    insta::assert_snapshot!(error, @"
    Corrupt: __schema/__100_100_UUID
      gzip.data: size is 60000, expected 1000
    ");
}

#[test]
fn row_12_a_bomb_within_a_bomb_is_measured_stage_by_stage() {
    let error = refusal(SPARSE, |golden, store| {
        let (tile, _) = open(&bomb(2, 60_000, 60_000).into(), None).unwrap();
        let mut chunks = tile.chunks.to_vec();
        // After the chunk's header, the outer stage states how much it passes to the inner one: numbers of parts,
        // then for the inner stage's metadata and its data the size before and after.
        chunks[36..40].copy_from_slice(&(3_u32 << 30).to_le_bytes());
        let lying = GenericTile::try_new(
            V,
            EncryptionType::None,
            60_000,
            tile.pipeline,
            chunks.into(),
        )
        .unwrap();
        store.overwrite(&key(golden), lying.encode());
    });
    insta::assert_snapshot!(error, @"
    Limit: __schema/__100_100_UUID
      size between two filters of 3221225472 is over the limit of 4888576 (data_tile)
    ");
}

#[test]
fn row_13_sizes_beyond_the_file() {
    let patched = |at: usize, value: u64| {
        refusal(SPARSE, |golden, store| {
            let mut bytes = object(store, &key(golden)).to_vec();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            store.overwrite(&key(golden), bytes);
        })
    };
    insta::assert_snapshot!(patched(12, 1 << 62), @"
    Limit: __schema/__100_100_UUID
      GenericTile.tile_size at byte 12: metadata tile size of 4611686018427387904 is over the limit of 268435456 (metadata_tile)
    ");
    let longer = patched(4, 3 << 30);
    assert!(
        longer.contains("GenericTile.persisted_size at byte 4: needs 3221225472 bytes"),
        "{longer}"
    );
}

fn i32s(values: &[i32]) -> Bytes {
    values
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect::<Vec<u8>>()
        .into()
}

#[test]
fn row_20_a_tile_extent_of_zero() {
    insta::assert_snapshot!(schema(DENSE, |s| s.dimensions[0].extent = i32s(&[0])), @r#"
    Corrupt: __schema/__100_100_UUID
      extent of dimension "d": must be more than 0
    "#);
}

#[test]
fn row_21_extents_and_domains_that_make_no_grid() {
    insta::assert_snapshot!(schema(DENSE, |s| s.dimensions[0].extent = i32s(&[-5])), @r#"
    Corrupt: __schema/__100_100_UUID
      extent of dimension "d": is larger than the domain
    "#);
    insta::assert_snapshot!(schema(DENSE, |s| s.dimensions[0].extent = i32s(&[101])), @r#"
    Corrupt: __schema/__100_100_UUID
      extent of dimension "d": is larger than the domain
    "#);
    insta::assert_snapshot!(schema(DENSE, |s| s.dimensions[0].domain = i32s(&[5, 4])), @r#"
    Corrupt: __schema/__100_100_UUID
      domain of dimension "d": the lower end is above the upper end
    "#);
    let full = |s: &mut SchemaRecord| {
        s.dimensions[0].domain = i32s(&[i32::MIN, i32::MAX]);
        s.dimensions[0].extent = i32s(&[i32::MAX]);
    };
    insta::assert_snapshot!(schema(DENSE, full), @r#"
    Corrupt: __fragments/__120_120_UUID_22/__fragment_metadata.tdb
      field "a": TileVector.count at byte 0: number of tiles is 2, expected 1
    "#);
}

#[test]
fn row_21_a_domain_of_all_numbers_is_legal() {
    // The last tile is at most at the largest number, and the written cells are where they were.
    let found = cells("v22_dense_uint64", |golden, store| {
        changed(golden, store, |s| {
            let extent = u64::from_le_bytes(s.dimensions[0].extent[..].try_into().unwrap());
            let lo = u64::from_le_bytes(s.dimensions[0].domain[..8].try_into().unwrap());
            let lo = lo % extent;
            let hi = u64::MAX - (u64::MAX - lo) % extent - 1;
            s.dimensions[0].domain = [lo.to_le_bytes(), hi.to_le_bytes()].concat().into();
        });
    });
    assert_eq!(found, 20_000);
}

#[test]
fn row_22_capacities_of_nothing_and_of_too_much() {
    insta::assert_snapshot!(schema(SPARSE, |s| s.capacity = 0), @"
    Corrupt: __schema/__100_100_UUID
      capacity: must be more than 0
    ");
    insta::assert_snapshot!(schema(SPARSE, |s| s.capacity = 1 << 60), @"
    Limit: __schema/__100_100_UUID
      capacity: cells of a tile of 1152921504606846976 is over the limit of 2147483648 (data_tile)
    ");
    // Within the limit of a tile, but not the stored size.
    insta::assert_snapshot!(schema("v22_sparse_dups", |s| s.capacity = 1 << 30), @"Memory: memory of 8589937024 is over the limit of 67108864 (memory budget)");
    insta::assert_snapshot!(schema("v22_sparse_dups", |s| s.capacity = 100), @r#"
    Corrupt: fragment __110_110_UUID_22, field "key", tile 0 (d0.tdb from byte 0 on)
      TileChunks.original size at byte 8: unfiltered tile size is 40, expected 800
    "#);
}

#[test]
fn row_23_cells_of_no_values_and_of_too_many() {
    insta::assert_snapshot!(schema(DENSE, |s| s.attributes[0].cell_val_num = 0), @r#"
    Corrupt: __schema/__100_100_UUID
      cell_val_num of attribute "a": must be more than 0
    "#);
    insta::assert_snapshot!(schema(DENSE, |s| s.attributes[0].cell_val_num = 1 << 31), @r#"
    Corrupt: __schema/__100_100_UUID
      fill of attribute "a": takes 1 bytes, expected 2147483648
    "#);
    let wide = |s: &mut SchemaRecord| {
        s.attributes[0].cell_val_num = u32::MAX - 1;
        s.attributes[0].fill = Bytes::new();
    };
    insta::assert_snapshot!(schema(DENSE, wide), @r#"
    Limit: __schema/__100_100_UUID
      cell_val_num of attribute "a": bytes of a cell of 4294967294 is over the limit of 2147483648 (data_tile)
    "#);
}

#[test]
fn an_attribute_whose_name_is_no_file() {
    // Before version 8, files are named after attributes without escaping.
    let error = refusal("v5_dense_basics", |golden, store| {
        edit_tile(store, &golden.key_of("__array_schema"), None, |payload| {
            let bytes = Bytes::from(std::mem::take(payload));
            let version = FormatVersion::new(5);
            let record = SchemaRecord::decode(&bytes, version, &(), &Limits::default());
            let mut record = record.unwrap();
            record.attributes[0].name = "../a".to_owned();
            *payload = record.encode(version, &()).unwrap();
        });
    });
    insta::assert_snapshot!(error, @r#"
    Corrupt: __120_120_UUID_5/__fragment_metadata.tdb
      no file can be named after field "../a"
    "#);
}

#[test]
fn row_24_more_dimensions_attributes_or_filters_than_bytes() {
    insta::assert_snapshot!(count(SPARSE, "dimension count"), @"
    Corrupt: __schema/__100_100_UUID
      ArraySchema.dimensions at byte 74: needs 21474836475 bytes, but the data ends after 1258
    ");
    insta::assert_snapshot!(count(SPARSE, "attribute count"), @"
    Corrupt: __schema/__100_100_UUID
      ArraySchema.attributes at byte 196: needs 73014444015 bytes, but the data ends after 1136
    ");
    insta::assert_snapshot!(count(SPARSE, "filter count"), @"
    Corrupt: __schema/__100_100_UUID
      FilterPipeline.filters at byte 24: needs 21474836475 bytes, but the data ends after 1308
    ");
}

#[test]
fn row_25_bytes_behind_a_schema_are_left_alone() {
    let whole = cells(SPARSE, |_, _| {});
    let longer = cells(SPARSE, |golden, store| {
        edit_tile(store, &key(golden), None, |payload| {
            payload.extend([1, 2, 3])
        });
    });
    assert_eq!(longer, whole);
}

#[test]
fn row_26_an_enumeration_elsewhere() {
    let error = |file: &str| {
        schema("v22_enumerations_sparse", |s| {
            s.enumerations[0].file = file.to_owned()
        })
    };
    insta::assert_snapshot!(error("../../../outside/e"), @r#"
    EscapesRoot: __schema/__100_100_UUID
      file of enumeration "nothing": "../../../outside/e" leads out of the array
    "#);
    insta::assert_snapshot!(error("/etc/passwd"), @r#"
    EscapesRoot: __schema/__100_100_UUID
      file of enumeration "nothing": "/etc/passwd" leads out of the array
    "#);
    insta::assert_snapshot!(error("__e/../../x"), @r#"
    EscapesRoot: __schema/__100_100_UUID
      file of enumeration "nothing": "__e/../../x" leads out of the array
    "#);
    insta::assert_snapshot!(error(""), @r#"
    EscapesRoot: __schema/__100_100_UUID
      file of enumeration "nothing": "" leads out of the array
    "#);
}

/// Changes the enumeration of strings of an array.
fn enumeration(change: impl Fn(&mut EnumerationRecord)) -> String {
    refusal("v22_enumerations_sparse", |golden, store| {
        let mut found = false;
        for key in golden.keys("__enumerations/") {
            edit_tile(store, &key, None, |payload| {
                let bytes = Bytes::copy_from_slice(payload);
                let decoded = EnumerationRecord::decode(&bytes, V, &(), &Limits::default());
                let mut record = decoded.unwrap();
                if !found && record.offsets.len() >= 24 {
                    found = true;
                    change(&mut record);
                    *payload = record.encode(V, &()).unwrap();
                }
            });
        }
        assert!(found);
    })
}

#[test]
fn row_27_enumerations_whose_values_do_not_follow_each_other() {
    let starts = |wrong: [u64; 2]| {
        enumeration(move |record| {
            let mut offsets = record.offsets.to_vec();
            offsets[8..24].copy_from_slice(&wrong.map(u64::to_le_bytes).concat());
            record.offsets = offsets.into();
        })
    };
    insta::assert_snapshot!(starts([9, 1]), @r#"
    Corrupt: __schema/__enumerations/__UUID_0
      offsets of enumeration "colour": value 2 starts at byte 1, out of order or beyond the 12 bytes of data
    "#);
    insta::assert_snapshot!(starts([1, 1 << 40]), @r#"
    Corrupt: __schema/__enumerations/__UUID_0
      offsets of enumeration "colour": value 2 starts at byte 1099511627776, out of order or beyond the 12 bytes of data
    "#);
    insta::assert_snapshot!(enumeration(|r| r.offsets.truncate(r.offsets.len() - 1)), @r#"
    Corrupt: __schema/__enumerations/__UUID_0
      offsets of enumeration "colour": 23 bytes are not a whole number of values of 8 bytes
    "#);
}

#[test]
fn row_27_an_enumeration_larger_than_its_file() {
    let error = refusal("v22_enumerations_sparse", |golden, store| {
        edit_tile(store, &golden.key_of("__enumerations/"), None, |payload| {
            let bytes = Bytes::copy_from_slice(payload);
            let (text, _) = EnumerationRecord::describe(&bytes, V, &(), &Limits::default());
            let line = text.lines().find(|line| line.contains(" data =")).unwrap();
            let start: usize = line.trim().split("..").next().unwrap().parse().unwrap();
            // The size of the payload is stored before it.
            payload[start - 8..start].copy_from_slice(&(1_u64 << 63).to_le_bytes());
        });
    });
    insta::assert_snapshot!(error, @"
    Corrupt: __schema/__enumerations/__UUID_0
      Enumeration.end at byte 80: 32 more bytes where the data should end
    ");
}

#[test]
fn row_34_a_label_elsewhere() {
    let error = |uri: &str, relative: bool| {
        schema("v22_labels", |s| {
            s.labels[0].uri = uri.to_owned();
            s.labels[0].relative = relative;
        })
    };
    insta::assert_snapshot!(error("file:///elsewhere/label", false), @r#"EscapesRoot: label "name": "file:///elsewhere/label" leads out of where it must stay"#);
    insta::assert_snapshot!(error("../outside", true), @r#"
    EscapesRoot: __schema/__100_100_UUID
      uri of label "name": "../outside" leads out of the array
    "#);
    insta::assert_snapshot!(error("s3://bucket/label", true), @r#"
    EscapesRoot: __schema/__100_100_UUID
      uri of label "name": "s3://bucket/label" leads out of the array
    "#);
}
