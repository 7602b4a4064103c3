//! Arbitrary bytes as a metadata tile: no panic; records that decode are encoded to the same bytes.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_array::{Metadata, MetadataRecord};
use tdb_tile::{FormatVersion, Limits};

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    let (limits, version) = (Limits::default(), FormatVersion::WRITTEN);
    let (_, described) = MetadataRecord::describe_all(&bytes, version, &limits);
    let decoded = MetadataRecord::decode_all(&bytes, version, &limits);
    assert_eq!(decoded.is_ok(), described.is_ok());
    let Ok(records) = decoded else {
        return;
    };
    let encoded = Bytes::from(MetadataRecord::encode_all(&records, version).expect("decoded"));
    // Any byte other than 0 is true, and is written as 1.
    let again = MetadataRecord::decode_all(&encoded, version, &limits).expect("encoded");
    assert_eq!((again == records, encoded.len()), (true, data.len()));
    assert!(Metadata::replay(records).len() <= again.len());
});
