//! The plans that `xtask/interop/random_writes.py` puts next to its arrays: the writes that tdb has to make.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tdb_array::{Array, Location, OpenOptions};
use tdb_filters::EncryptionKey;
use tdb_store::LocalStore;

/// A folder with an array, `array`, and the writes to make, `plan.json`.
pub(crate) struct Planned {
    pub(crate) folder: PathBuf,
    plan: Value,
}

impl Planned {
    /// Returns all planned arrays in a folder, sorted by name.
    pub(crate) fn all(folder: &Path) -> Result<Vec<Self>, Box<dyn Error>> {
        let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut folders: Vec<PathBuf> = entries.collect::<std::io::Result<_>>()?;
        folders.sort();
        let read = |folder: PathBuf| {
            let plan = serde_json::from_str(&fs::read_to_string(folder.join("plan.json"))?)?;
            Ok(Self { folder, plan })
        };
        folders.into_iter().map(read).collect()
    }

    /// Returns the writes, in the order in which they must be made.
    pub(crate) fn writes(&self) -> &[Value] {
        let writes = self.plan.get("writes").and_then(Value::as_array);
        writes.map_or(&[], Vec::as_slice)
    }

    /// Opens the array.
    pub(crate) fn open(&self) -> Result<Array, Box<dyn Error>> {
        let key = self.plan.get("key").and_then(Value::as_str);
        let key = key.map(unhex).transpose()?;
        let key = key.map(|key| EncryptionKey::new(&key)).transpose()?;
        let store = Arc::new(LocalStore::open(self.folder.join("array"))?);
        let location = Location::new(store, "").with_key(key);
        Ok(Array::open_location(&location, OpenOptions::default())?)
    }
}

/// Decodes hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    let bytes: Option<_> = (0..text.len()).step_by(2).map(byte).collect();
    bytes.ok_or_else(|| format!("not hexadecimal: {text:.40}"))
}

/// Returns the text of a member; empty if there is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}
