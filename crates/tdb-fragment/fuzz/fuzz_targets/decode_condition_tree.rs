//! Decodes arbitrary bytes as the condition of a delete.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::ConditionTree;
use tdb_fragment_fuzz::{law, schema};
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    let Some(tree) = law::<ConditionTree>(data, FormatVersion::WRITTEN, &()) else {
        return;
    };
    let _ = tree.check(&schema(1));
    if let Ok(negated) = tree.negated() {
        assert_eq!(negated.negated(), tree.normalized());
    }
});
