//! Encrypted arrays with objects that are unencrypted or sealed with another key.

use tdb_filters::{EncryptionKey, seal_generic_tile};
use tdb_store::MemoryStore;

use crate::hostile::{refusal, refusal_of};
use crate::support::Golden;
use crate::support::tiles::{edit_object, object, open};

const NAME: &str = "v22_encrypted_sparse";

/// Seals an object of an encrypted array again, with another key or none.
fn sealed(part: &str, other: Option<&EncryptionKey>) -> String {
    refusal(NAME, |golden, store| {
        let key = golden.key_of(part);
        let (tile, payload) = open(&object(store, &key), golden.key.as_ref()).unwrap();
        let bytes = seal_generic_tile(&payload, tile.version(), other).unwrap();
        let behind = object(store, &key).slice(tile.stored_size()..);
        store.overwrite(&key, [&bytes[..], &behind].concat());
    })
}

#[test]
fn row_36_tiles_that_are_not_encrypted_in_an_array_that_is() {
    insta::assert_snapshot!(sealed("__schema/__", None), @"
    Crypto: __schema/__100_100_UUID
      a key was given, and the metadata is not encrypted
    ");
    insta::assert_snapshot!(sealed("__meta/", None), @"
    Crypto: __meta/__110_110_UUID
      a key was given, and the metadata is not encrypted
    ");
    insta::assert_snapshot!(sealed(".del", None), @"
    Crypto: __commits/__125_125_UUID_22.del
      a key was given, and the metadata is not encrypted
    ");
    let other = EncryptionKey::new(&[7; 32]).unwrap();
    insta::assert_snapshot!(sealed("__schema/__", Some(&other)), @"
    Crypto: __schema/__100_100_UUID
      does not decrypt: the key is another one, or the data is damaged
    ");
}

#[test]
fn row_36_a_fragment_that_is_not_encrypted_in_an_array_that_is() {
    let error = refusal(NAME, |golden, store| {
        let keys = golden.keys("__fragment_metadata");
        let key = keys.last().unwrap();
        let file =
            crate::support::tiles::MetadataFile::of(&object(store, key), golden.key.as_ref());
        store.overwrite(key, file.without_encryption());
    });
    insta::assert_snapshot!(error, @"
    Crypto: __fragments/__130_130_UUID_22/__fragment_metadata.tdb
      a key was given, and the metadata is not encrypted
    ");
}

#[test]
fn row_36_a_key_where_none_is_needed_and_none_where_one_is() {
    let with = |name: &str, key: Option<EncryptionKey>| {
        let golden = Golden {
            key,
            ..Golden::named(name)
        };
        refusal_of(&golden, &golden.store())
    };
    insta::assert_snapshot!(with(NAME, None), @"
    Crypto: __schema/__100_100_UUID
      the array is encrypted and no key was given
    ");
    let key = EncryptionKey::new(&[7; 32]).unwrap();
    insta::assert_snapshot!(with("v22_sparse_basics", Some(key.clone())), @"
    Crypto: __schema/__100_100_UUID
      a key was given, and the metadata is not encrypted
    ");
    insta::assert_snapshot!(with(NAME, Some(key)), @"
    Crypto: __schema/__100_100_UUID
      does not decrypt: the key is another one, or the data is damaged
    ");
}

/// Edits the first chunk of a data tile.
fn data(edit: impl FnOnce(&mut Vec<u8>)) -> String {
    refusal(NAME, |golden: &Golden, store: &MemoryStore| {
        edit_object(store, golden.keys("/d0.tdb").last().unwrap(), edit);
    })
}

#[test]
fn row_40_parts_that_do_not_fit_or_were_not_made_by_the_key() {
    // Layout: the chunk count, the chunk's header of twelve bytes, then the metadata: two counts of parts, and for
    // each part its size before and after, its vector and its tag.
    let number = |at: usize, value: u32| {
        data(|bytes| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()))
    };
    insta::assert_snapshot!(number(20, u32::MAX), @r#"
    Corrupt: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      aes_256_gcm.parts: needs 154618822620 bytes, but the data ends after 72
    "#);
    insta::assert_snapshot!(number(24, u32::MAX), @r#"
    Corrupt: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      aes_256_gcm.data part count: needs 154618822620 bytes, but the data ends after 72
    "#);
    insta::assert_snapshot!(number(28, u32::MAX), @r#"
    Limit: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      size between two filters of 4294967295 is over the limit of 1050112 (data_tile)
    "#);
    insta::assert_snapshot!(number(32, 3), @r#"
    Corrupt: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      aes_256_gcm.data: stored length is 3, expected 16
    "#);
    insta::assert_snapshot!(data(|bytes| bytes[36] ^= 1), @r#"
    Crypto: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      does not decrypt: the key is another one, or the data is damaged
    "#);
    insta::assert_snapshot!(data(|bytes| bytes[48] ^= 1), @r#"
    Crypto: fragment __130_130_UUID_22, field "x", tile 0 (d0.tdb from byte 0 on)
      does not decrypt: the key is another one, or the data is damaged
    "#);
    insta::assert_snapshot!(data(|bytes| *bytes.last_mut().unwrap() ^= 1), @r#"
    Crypto: fragment __130_130_UUID_22, field "x", tile 1 (d0.tdb from byte 149 on)
      does not decrypt: the key is another one, or the data is damaged
    "#);
}
