//! Valid and invalid keys.

use proptest::prelude::*;
use tdb_store::{MAX_KEY_LEN, StoreError, check_key, check_prefix, join, name, parent};

#[test]
fn a_key_is_not_longer_than_the_most() {
    assert!(check_key(&"k".repeat(MAX_KEY_LEN)).is_ok());
    let long = check_key(&"k".repeat(1 << 20));
    assert!(matches!(long, Err(StoreError::InvalidKey { .. })));
    assert!(long.unwrap_err().to_string().len() < 200);
}

#[test]
fn the_empty_prefix_is_the_root() {
    assert!(check_prefix("").is_ok());
    assert!(check_key("").is_err());
    assert!(check_prefix("/").is_err());
}

#[test]
fn errors_say_the_key_and_the_matter() {
    let shown = check_key("a/../b").unwrap_err().to_string();
    assert_eq!(
        shown,
        r#""a/../b" cannot be the name of an object: one of its parts is "." or "..""#
    );
    let shown = StoreError::OutOfRange {
        key: "a".into(),
        offset: 8,
        wanted: 4,
        size: 10,
    };
    assert_eq!(
        shown.to_string(),
        "a: bytes 8 to 12 are needed, and it has only 10: it is cut short, or what says so is damaged"
    );
}

proptest! {
    #[test]
    fn a_key_never_leads_out(text in "[./a\0]{0,8}") {
        if check_key(&text).is_ok() {
            let parts: Vec<&str> = text.split('/').collect();
            prop_assert!(parts.iter().all(|part| !matches!(*part, "" | "." | "..")));
            prop_assert!(!text.contains('\0'));
            prop_assert_eq!(join(parent(&text), name(&text)), text);
        }
    }
}
