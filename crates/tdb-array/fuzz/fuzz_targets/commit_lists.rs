//! Arbitrary bytes as the lists beside commits, `.con`, `.ign` and `.vac`: no panic; a list that is decoded and
//! encoded again is the same.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_array::commits::{encode_consolidated, parse_consolidated, parse_lines, rerooted};

fuzz_target!(|data: &[u8]| {
    for line in parse_lines(data) {
        assert!(!line.is_empty() && !line.starts_with('/') && !line.contains('\n'));
        let key = rerooted(line);
        assert!(line.ends_with(key));
        assert_eq!(rerooted(key), key);
    }
    let bytes = Bytes::copy_from_slice(data);
    let Ok(commits) = parse_consolidated(&bytes) else {
        return;
    };
    let records = |bytes: &Bytes| -> Vec<(String, Option<Vec<u8>>)> {
        let commits = parse_consolidated(bytes).expect("it was read or written");
        let delete = |range: std::ops::Range<usize>| bytes[range].to_vec();
        let records = commits.into_iter().map(|c| (c.key, c.delete.map(delete)));
        records.collect()
    };
    let found = records(&bytes);
    assert_eq!(found.len(), commits.len());
    let written = found
        .iter()
        .map(|(key, delete)| (&**key, delete.as_deref()));
    let again = Bytes::from(encode_consolidated(written));
    assert_eq!(records(&again), found);
});
