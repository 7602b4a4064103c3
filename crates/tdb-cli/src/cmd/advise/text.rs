//! Options and rates, as they are told.

use std::time::Duration;

use crate::paint::bytes;

/// `field=value` as options of `tdb rewrite` take it, as a shell does.
pub(super) fn assigned(field: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !field.is_empty() && field.chars().all(is_plain) {
        return format!("{field}={value}");
    }
    let field = field.replace('"', "\"\"").replace('\'', "'\\''");
    format!("'\"{field}\"={value}'")
}

/// Bytes in a second.
pub(super) fn rate(size: u64, time: Duration) -> String {
    let nanos = time.as_nanos().max(1);
    let rate = u128::from(size).saturating_mul(1_000_000_000) / nanos;
    u64::try_from(rate).map_or_else(|_| String::new(), |rate| format!("{}/s", bytes(rate)))
}
