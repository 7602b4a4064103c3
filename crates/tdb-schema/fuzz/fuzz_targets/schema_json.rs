//! Reads arbitrary JSON as a schema: no panic; a schema that is accepted survives a round trip
//! through JSON and through its stored form.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_schema::ArraySchema;
use tdb_schema::json::{Times, schema_from_json, schema_to_json};
use tdb_tile::Limits;

fuzz_target!(|data: &[u8]| {
    let Ok(json) = serde_json::from_slice(data) else {
        return;
    };
    let file = || "__0123_0".to_owned();
    let Ok((schema, enumerations)) = schema_from_json(&json, file) else {
        return;
    };
    for times in [Times::Iso, Times::Ticks] {
        let shown = schema_to_json(&schema, &enumerations, times);
        let again = schema_from_json(&shown, file).expect("shown by us");
        assert_eq!(again, (schema.clone(), enumerations.clone()));
    }
    if let Ok(encoded) = schema.encode() {
        let decoded = ArraySchema::decode(&encoded.into(), &Limits::default());
        decoded.expect("encoded by us");
    }
});
