//! Arbitrary bytes as the details of a group: no panic; details that decode are encoded to the same bytes.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_array::GroupDetails;
use tdb_tile::{FormatVersion, Limits, Record};

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    let limits = Limits::default();
    let Ok(details) = GroupDetails::open(&bytes, &limits) else {
        return;
    };
    let encoded = details
        .encode(FormatVersion::WRITTEN, &())
        .expect("decoded");
    assert_eq!(encoded.len(), data.len());
    let again = GroupDetails::open(&encoded.into(), &limits).expect("encoded");
    assert_eq!(again, details);
    let most = details.members.len();
    assert!(GroupDetails::replay(vec![details]).len() <= most);
});
