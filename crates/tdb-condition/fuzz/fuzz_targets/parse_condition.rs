//! Parses any text as a condition. It must not panic, and the printed form of a condition must parse to the same
//! condition.
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
