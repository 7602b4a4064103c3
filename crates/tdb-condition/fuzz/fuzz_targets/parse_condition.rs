//! Any text as a condition: no panic; what is read is printed so that it is read as the same again.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_condition::{Condition, ConditionError};
use tdb_tile::Limits;

fuzz_target!(|text: &str| {
    let limits = Limits::default();
    match Condition::parse(text, &limits) {
        Ok(condition) => {
            let printed = condition.to_string();
            let again = Condition::parse(&printed, &limits).expect("printed by us");
            assert_eq!(again.to_string(), printed);
        }
        Err(ConditionError::Text { at, .. }) => assert!(at <= text.chars().count() + 1),
        Err(_) => {}
    }
});
