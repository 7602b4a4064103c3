//! Digest of the state in which an array was opened.

use std::fmt::Write;

use ring::digest::{Context, SHA256};
use tdb_array::Array;

/// Number of digest bytes used: enough that different states do not collide.
const TOLD: usize = 16;

/// Digest of the schemas, fragments and deletes that an open array sees. If two processes compute the same digest,
/// they read the same cells.
#[must_use]
pub fn state_of(array: &Array) -> String {
    let mut digest = Context::new(&SHA256);
    let mut part = |text: &str| {
        digest.update(&(text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    };
    let mut schemas: Vec<&str> = array.schemas().map(|(name, _)| name).collect();
    schemas.sort_unstable();
    schemas.iter().for_each(|name| part(name));
    part("fragments");
    let fragments = array.fragments().iter();
    fragments.for_each(|fragment| part(fragment.name.as_str()));
    part("deletes");
    let deletes = array.deletes().iter();
    deletes.for_each(|delete| part(&delete.marker));
    let mut text = String::new();
    for byte in digest.finish().as_ref().iter().take(TOLD) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
