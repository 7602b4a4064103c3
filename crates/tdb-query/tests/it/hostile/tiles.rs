//! Data tiles with chunks that contradict their headers.

use crate::hostile::refusal;
use crate::support::tiles::edit_object;

/// Overwrites bytes of the first tile of an attribute.
fn patched(at: usize, bytes: &[u8]) -> String {
    refusal("v22_dense_int32", |golden, store| {
        edit_object(store, &golden.key_of("/a0.tdb"), |object| {
            object[at..at + bytes.len()].copy_from_slice(bytes);
        });
    })
}

#[test]
fn row_33_more_chunks_than_bytes() {
    insta::assert_snapshot!(patched(0, &(1_u64 << 61).to_le_bytes()), @r#"
    Corrupt: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      TileChunks.count at byte 0: needs 18446744073709551615 bytes, but the data ends after 52
    "#);
    insta::assert_snapshot!(patched(0, &(1_u64 << 26).to_le_bytes()), @r#"
    Corrupt: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      TileChunks.count at byte 0: needs 805306368 bytes, but the data ends after 52
    "#);
}

#[test]
fn row_33_chunks_larger_than_the_tile() {
    insta::assert_snapshot!(patched(8, &u32::MAX.to_le_bytes()), @r#"
    Limit: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      unfiltered tile size of 4294967295 is over the limit of 2147483648 (data_tile)
    "#);
    insta::assert_snapshot!(patched(12, &u32::MAX.to_le_bytes()), @r#"
    Corrupt: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      TileChunks.data at byte 20: needs 4294967295 bytes, but the data ends after 40
    "#);
    insta::assert_snapshot!(patched(16, &u32::MAX.to_le_bytes()), @r#"
    Corrupt: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      TileChunks.data at byte 20: needs 4294967335 bytes, but the data ends after 40
    "#);
}

#[test]
fn a_data_file_that_ends_too_early() {
    let error = refusal("v22_dense_int32", |golden, store| {
        edit_object(store, &golden.key_of("/a0.tdb"), |object| {
            object.truncate(9)
        });
    });
    insta::assert_snapshot!(error, @r#"
    Corrupt: fragment __110_110_UUID_22, field "a", tile 0 (a0.tdb from byte 0 on)
      __fragments/__110_110_UUID_22/a0.tdb: bytes 0 to 60 are needed, and it has only 9: it is cut short, or what says so is damaged
    "#);
}
