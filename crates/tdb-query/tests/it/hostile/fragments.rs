//! Metadata of fragments: footers, trees over tiles, lists of tiles.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, OpenOptions};
use tdb_fragment::{FieldLayout, Footer, FooterBytes, Next};
use tdb_store::MemoryStore;
use tdb_tile::{Limits, Range, Record};

use crate::hostile::refusal;
use crate::support::tiles::{MetadataFile, object};
use crate::support::{Golden, place};

const SPARSE: &str = "v22_sparse_basics";
const DENSE: &str = "v22_dense_int32";

/// Footer of the first fragment of an array, and what is needed to write it again.
struct Found {
    key: String,
    start: usize,
    layout: FieldLayout,
    footer: Footer,
}

fn find(golden: &Golden, store: &MemoryStore) -> Found {
    let array = Array::open_location(
        &place(Arc::new(store.clone()), golden.key.as_ref()),
        OpenOptions::default(),
    )
    .unwrap();
    let fragment = &array.fragments()[0];
    let layout = FieldLayout::of(&fragment.schema);
    let key = fragment.metadata_key.clone();
    let bytes = object(store, &key);
    let version = fragment.metadata.version;
    let place = FooterBytes::locate(&bytes, bytes.len() as u64, version, Some(&layout)).unwrap();
    let Next::Done(place) = place else {
        panic!("all of the file is there");
    };
    Found {
        key,
        start: usize::try_from(place.start).unwrap(),
        footer: Footer::read(&place.bytes, &layout, &Limits::default()).unwrap(),
        layout,
    }
}

fn footer(name: &str, change: impl FnOnce(&mut Footer)) -> String {
    refusal(name, |golden, store| {
        let mut found = find(golden, store);
        change(&mut found.footer);
        let encoded = found
            .footer
            .encode(found.footer.version, &found.layout)
            .unwrap();
        let mut bytes = object(store, &found.key).slice(..found.start).to_vec();
        bytes.extend(&encoded);
        bytes.extend((encoded.len() as u64).to_le_bytes());
        store.overwrite(&found.key, bytes);
    })
}

/// Changes the generic tile that begins at an offset from the footer.
fn part(name: &str, place: impl Fn(&Footer) -> u64, edit: impl FnOnce(&mut Vec<u8>)) -> String {
    refusal(name, |golden, store| {
        let found = find(golden, store);
        let file = MetadataFile::of(&object(store, &found.key), golden.key.as_ref());
        let wanted = place(&found.footer);
        let mut begin = 0;
        let index = file.tiles.iter().position(|(tile, _)| {
            let here = begin == wanted;
            begin += tile.stored_size() as u64;
            here
        });
        let index = index.unwrap();
        let mut payload = file.tiles[index].1.to_vec();
        edit(&mut payload);
        store.overwrite(&found.key, file.with_payload(index, &payload));
    })
}

fn rtree(edit: impl FnOnce(&mut Vec<u8>)) -> String {
    part(SPARSE, |footer| footer.offsets.rtree, edit)
}

#[test]
fn row_14_more_levels_than_bytes() {
    insta::assert_snapshot!(rtree(|payload| payload[4..8].fill(0xFF)), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      RTree.levels at byte 8: needs 34359738360 bytes, but the data ends after 188
    ");
}

#[test]
fn row_15_trees_that_do_not_branch() {
    let fanout = |fanout: u32| rtree(|payload| payload[..4].copy_from_slice(&fanout.to_le_bytes()));
    insta::assert_snapshot!(fanout(0), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      RTree.fanout at byte 4: a node of the tree must have room for 2 or more
    ");
    insta::assert_snapshot!(fanout(1), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      RTree.fanout at byte 4: a node of the tree must have room for 2 or more
    ");
    // More tiles than the root of such a tree can have.
    insta::assert_snapshot!(fanout(2), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      RTree.levels at byte 196: number of nodes in a level is 1, expected 2
    ");
}

/// Edits the tile offsets of the first field.
fn offsets(edit: impl FnOnce(&mut Vec<u8>)) -> String {
    part(SPARSE, |footer| footer.offsets.tile_offsets[0], edit)
}

#[test]
fn row_16_tiles_that_do_not_follow_each_other() {
    let at = |index: usize, value: u64| {
        offsets(|payload| {
            let place = 8 + 8 * index;
            payload[place..place + 8].copy_from_slice(&value.to_le_bytes());
        })
    };
    insta::assert_snapshot!(at(0, 1 << 20), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "i8": tile offsets do not increase
    "#);
    insta::assert_snapshot!(at(1, 0), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "i8": tile offsets do not increase
    "#);
    insta::assert_snapshot!(at(1, 1 << 40), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "i8": tile offsets do not increase
    "#);
}

#[test]
fn row_17_footers_of_no_length_and_of_too_much() {
    let length = |length: u64| {
        refusal(SPARSE, |golden, store| {
            let key = find(golden, store).key;
            let mut bytes = object(store, &key).to_vec();
            let at = bytes.len() - 8;
            bytes[at..].copy_from_slice(&length.to_le_bytes());
            store.overwrite(&key, bytes);
        })
    };
    insta::assert_snapshot!(length(0), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      FragmentFooter.length at byte 25219: is zero, or more than the file has before it
    ");
    insta::assert_snapshot!(length(1 << 30), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      FragmentFooter.length at byte 25219: is zero, or more than the file has before it
    ");
    insta::assert_snapshot!(length(u64::MAX), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      FragmentFooter.length at byte 25219: is zero, or more than the file has before it
    ");
}

#[test]
fn row_17_more_tiles_or_cells_than_there_can_be() {
    insta::assert_snapshot!(footer(SPARSE, |f| f.sparse_tile_count = 1 << 60), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      number of tiles (at most what the largest file has room for) is 1152921504606846976, expected 41
    ");
    insta::assert_snapshot!(footer(SPARSE, |f| f.last_tile_cells = 1 << 40), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      number of cells of the last tile (at most the capacity) is 1099511627776, expected 8
    ");
    insta::assert_snapshot!(footer(SPARSE, |f| f.last_tile_cells = 0), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      number of cells of the last tile (at most the capacity) is 0, expected 8
    ");
    insta::assert_snapshot!(footer(SPARSE, |f| f.sparse_tile_count += 1), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "id": TileVector.count at byte 0: number of tiles is 3, expected 4
    "#);
}

#[test]
fn row_17_files_that_are_said_to_have_room_for_them() {
    // A count that is not believed before the list of tiles was read.
    let tiles = |count: u64| {
        footer(SPARSE, |f| {
            f.sparse_tile_count = count;
            // Together less than 2^64: more than can be counted is refused before.
            f.file_sizes.fill(u64::MAX >> 6);
        })
    };
    insta::assert_snapshot!(tiles(1 << 54), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "id": TileVector.count at byte 0: number of tiles is 3, expected 18014398509481984
    "#);
    insta::assert_snapshot!(tiles(1 << 20), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "id": TileVector.count at byte 0: number of tiles is 3, expected 1048576
    "#);
    insta::assert_snapshot!(tiles(1 << 16), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "id": TileVector.count at byte 0: number of tiles is 3, expected 65536
    "#);
    insta::assert_snapshot!(footer(SPARSE, |f| f.file_sizes.fill(1 << 58)), @r#"
    Limit: fragment __110_110_UUID_22, field "id", tile 2 (d0.tdb from byte 149 on)
      stored tile size of 288230376151711595 is over the limit of 2147483648 (data_tile)
    "#);
}

#[test]
fn row_18_a_list_of_tiles_that_is_too_short() {
    let shorter = |payload: &mut Vec<u8>| {
        let count = u64::from_le_bytes(payload[..8].try_into().unwrap()) - 1;
        payload[..8].copy_from_slice(&count.to_le_bytes());
        payload.truncate(payload.len() - 8);
    };
    insta::assert_snapshot!(offsets(shorter), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "i8": TileVector.count at byte 0: number of tiles is 2, expected 3
    "#);
    let longer = |payload: &mut Vec<u8>| payload[..8].copy_from_slice(&(1_u64 << 61).to_le_bytes());
    insta::assert_snapshot!(offsets(longer), @r#"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      field "i8": TileVector.values at byte 8: needs 18446744073709551615 bytes, but the data ends after 24
    "#);
}

#[test]
fn row_19_cells_written_outside_the_domain() {
    let domain = |lo: i32, hi: i32| {
        footer(DENSE, |f| {
            let ends = [lo, hi].map(|end| Bytes::copy_from_slice(&end.to_le_bytes()));
            let [lo, hi] = ends;
            f.non_empty_domain.0 = vec![Range::new(lo, hi)];
        })
    };
    insta::assert_snapshot!(domain(0, 5), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      non-empty domain outside the domain
    ");
    insta::assert_snapshot!(domain(i32::MIN, i32::MAX), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      non-empty domain outside the domain
    ");
    insta::assert_snapshot!(domain(i32::MIN + 5, i32::MIN), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      non-empty domain outside the domain
    ");
}

#[test]
fn sizes_of_values_beyond_all_memory() {
    // The first var-sized field.
    let sizes = |footer: &Footer| {
        let field = footer.var_file_sizes.iter().position(|size| *size > 0);
        footer.offsets.var_sizes[field.unwrap()]
    };
    let error = part(SPARSE, sizes, |payload| {
        payload[8..16].copy_from_slice(&(u64::MAX - 7).to_le_bytes())
    });
    insta::assert_snapshot!(error, @"Corrupt: TileIndex.sizes at byte 0: the cells of tiles take more than 2^62 bytes");
}
