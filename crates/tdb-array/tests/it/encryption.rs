//! Encrypted arrays.

use std::sync::Arc;

use crate::support::{KEY, key_of, unpack};
use tdb_array::{Array, ErrorKind, Location, OpenOptions};
use tdb_filters::{EncryptionKey, seal_generic_tile};
use tdb_tile::FormatVersion;

#[test]
fn an_encrypted_array_opens_with_its_key_alone() {
    let store = unpack("encrypted");
    let opened = |key: Option<&[u8]>| {
        let key = key.map(|key| EncryptionKey::new(key).unwrap());
        let place = Location::new(Arc::new(store.clone()), "").with_key(key);
        Array::open_location(&place, OpenOptions::default())
    };
    let array = opened(Some(KEY)).unwrap();
    assert_eq!(
        array.metadata().unwrap().get("secret").unwrap().bytes,
        "yes"
    );
    array.rtree(tdb_fragment::FragmentIndex::new(0)).unwrap();
    for key in [None, Some(&[7; 32][..])] {
        let error = opened(key).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Crypto);
        assert!(error.to_string().starts_with("__schema/"), "{error}");
    }
    assert!(!format!("{array:?}").contains("0123456789abcdeF"));
    let key = Some(EncryptionKey::new(KEY).unwrap());
    let place = Location::new(Arc::new(unpack("v22_tour")), "").with_key(key);
    let plain = Array::open_location(&place, OpenOptions::default());
    assert_eq!(plain.unwrap_err().kind(), ErrorKind::Crypto);
}

#[test]
fn a_tile_without_encryption_in_an_encrypted_array_is_refused() {
    let store = unpack("encrypted");
    let key = key_of(&store, "__meta/", "");
    let plain = seal_generic_tile(b"\x01\0\0\0k\x01", FormatVersion::WRITTEN, None).unwrap();
    store.overwrite(&key, plain);
    let place = Location::new(Arc::new(store), "");
    let place = place.with_key(Some(EncryptionKey::new(KEY).unwrap()));
    let array = Array::open_location(&place, OpenOptions::default()).unwrap();
    let error = array.metadata().unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Crypto, key));
}
