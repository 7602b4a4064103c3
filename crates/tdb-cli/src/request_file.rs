//! Small files that belong to a request: a key, a schema, ranges, changes of a schema.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;
use tdb::engine::array::ErrorKind;

use crate::failure::Failure;
use crate::paint::bytes;

/// Maximum size of a JSON file, in bytes; even a schema with millions of labels is smaller.
pub(crate) const REQUEST_BYTES: u64 = 64 << 20;

/// Reads a JSON file.
pub(crate) fn json(path: &Path) -> Result<Value, Failure> {
    let shown = path.display().to_string();
    let text = read(path, &shown, REQUEST_BYTES + 1)?;
    if text.len() as u64 > REQUEST_BYTES {
        let most = bytes(REQUEST_BYTES);
        let what = format!("{shown}: larger than the {most} of JSON that are allowed");
        let failure = Failure::new(ErrorKind::Limit, what);
        return Err(failure.hint("check that this is the intended file"));
    }
    serde_json::from_slice(&text)
        .map_err(|error| Failure::invalid(format!("{shown}: is not JSON: {error}")))
}

/// Reads at most `most` bytes from the start of a file. `name` is its name in errors.
pub(crate) fn read(path: &Path, name: &str, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    #[expect(clippy::disallowed_methods, reason = "a file of the user is no object")]
    let read = File::open(path).and_then(|file| {
        let mut part = file.take(most);
        part.read_to_end(&mut bytes)
    });
    read.map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Store,
        };
        Failure::new(kind, format!("{name}: {error}"))
    })?;
    Ok(bytes)
}
