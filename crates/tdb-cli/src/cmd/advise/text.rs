//! Formatting of options and rates.

use std::time::Duration;

use crate::paint::bytes;

/// Formats `field=value` as an argument of `tdb rewrite`, quoted for the shell if necessary.
pub(super) fn assigned(field: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !field.is_empty() && field.chars().all(is_plain) {
        return format!("{field}={value}");
    }
    let field = field.replace('"', "\"\"").replace('\'', "'\\''");
    format!("'\"{field}\"={value}'")
}

/// Formats a rate in bytes per second.
pub(super) fn rate(size: u64, time: Duration) -> String {
    let nanos = time.as_nanos().max(1);
    let rate = u128::from(size) * 1_000_000_000 / nanos;
    u64::try_from(rate).map_or_else(|_| String::new(), |rate| format!("{}/s", bytes(rate)))
}
