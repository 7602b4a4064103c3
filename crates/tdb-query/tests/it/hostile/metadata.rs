//! Metadata values of an array.

use crate::hostile::refusal;
use crate::support::tiles::edit_tile;

#[test]
fn row_32_more_values_than_bytes() {
    let error = refusal("v22_array_meta", |golden, store| {
        edit_tile(
            store,
            golden.keys("__meta/").last().unwrap(),
            None,
            |payload| {
                let name = u32::from_le_bytes(payload[..4].try_into().unwrap()) as usize;
                // After the key: whether it is removed, the type, the count.
                let at = 4 + name + 2;
                payload[at..at + 4].fill(0xFF);
            },
        );
    });
    insta::assert_snapshot!(error, @"
    Corrupt: __meta/__130_130_UUID
      MetadataValue.bytes at byte 11: needs 4294967295 bytes, but the data ends after 10
    ");
}
