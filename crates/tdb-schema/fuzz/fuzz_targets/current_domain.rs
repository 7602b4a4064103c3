//! Decodes arbitrary bytes as a current domain: no panic; a record that decodes survives a round
//! trip.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_schema::{CurrentDomainRecord, DimensionRecord};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

fuzz_target!(|data: &[u8]| {
    let dimension = |datatype, cell_val_num| DimensionRecord {
        datatype,
        cell_val_num,
        ..DimensionRecord::default()
    };
    let dimensions = [
        dimension(Datatype::Int16, 1),
        dimension(Datatype::StringAscii, u32::MAX),
    ];
    let bytes = Bytes::copy_from_slice(data);
    let version = FormatVersion::WRITTEN;
    let limits = Limits::default();
    let (_, found) = CurrentDomainRecord::describe(&bytes, version, &dimensions, &limits);
    if let Ok(record) = found {
        let again = record.encode(version, &dimensions).expect("decoded").into();
        let again = CurrentDomainRecord::decode(&again, version, &dimensions, &limits);
        assert_eq!(again.expect("encoded"), record);
    }
});
