//! Decodes arbitrary bytes as a dimension label: no panic; a label that decodes survives a round
//! trip, and no relative URI leads out of the array.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_schema::{DimensionLabel, LabelRecord};
use tdb_tile::{FormatVersion, Limits, Record};

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    let version = FormatVersion::WRITTEN;
    let Ok((record, _)) = LabelRecord::decode_prefix(&bytes, version, &(), &Limits::default())
    else {
        return;
    };
    let again = record.encode(version, &()).expect("decoded").into();
    let again = LabelRecord::decode(&again, version, &(), &Limits::default());
    assert_eq!(again.expect("encoded"), record);
    if let Ok(label) = DimensionLabel::try_from(record) {
        assert!(!label.relative || !label.uri.split('/').any(|part| part == ".."));
        assert_eq!(
            DimensionLabel::try_from(LabelRecord::from(&label)),
            Ok(label)
        );
    }
});
