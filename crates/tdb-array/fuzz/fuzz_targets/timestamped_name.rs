//! Arbitrary text as a timestamped name: no panic; a name that parses is formatted to the same text, and found in
//! keys.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_array::TimestampedName;

fuzz_target!(|text: &str| {
    let _ = TimestampedName::of_key(text);
    let Ok(name) = TimestampedName::parse(text) else {
        return;
    };
    assert_eq!(name.as_str(), text);
    assert!(name.start() <= name.end());
    if !text.contains(['/', '.']) {
        for key in [format!("__commits/{text}.wrt"), format!("{text}.vac")] {
            assert_eq!(TimestampedName::of_key(&key).as_ref(), Ok(&name));
        }
    }
});
