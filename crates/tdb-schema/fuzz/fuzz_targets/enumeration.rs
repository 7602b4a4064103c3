//! Decodes arbitrary bytes as an enumeration: no panic; one that decodes survives a round trip, and
//! every value has an index.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_schema::Enumeration;
use tdb_tile::Limits;

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    let Ok(enumeration) = Enumeration::decode(&bytes, &Limits::default()) else {
        return;
    };
    let again = enumeration.encode().expect("decoded").into();
    assert_eq!(
        Enumeration::decode(&again, &Limits::default()).expect("encoded"),
        enumeration
    );
    for (index, value) in enumeration.iter().enumerate() {
        let found = enumeration.index_of(value).expect("it is there");
        assert!(found <= index && enumeration.value(found) == Some(value));
    }
    assert!(enumeration.extends(&enumeration));
});
