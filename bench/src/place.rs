//! Opening the arrays of workloads, and creating the session that all runs of a workload share.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_filters::EncryptionKey;
use tdb_schema::ArraySchema;
use tdb_store::LocalStore;
use tdb_tile::{Range, Scalar, with_scalar};

use crate::outcome::Result;
use crate::workload::{Bounds, Workload};

/// Memory budget of a session in bytes, the same as TileDB's.
const MEMORY: u64 = 10 << 30;

pub(crate) fn session(threads: NonZeroUsize) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(Some(threads))
            .memory(Some(MEMORY)),
    )
}

/// Opens the array at a path.
pub(crate) fn open(path: &Path, key: Option<&EncryptionKey>) -> Result<Arc<Array>> {
    let location = location(path, key)?;
    let array = Array::open_location(&location, OpenOptions::default())?;
    Ok(Arc::new(array))
}

/// Returns the location of the array at a path.
pub(crate) fn location(path: &Path, key: Option<&EncryptionKey>) -> Result<Location> {
    let store = Arc::new(LocalStore::open(path)?);
    Ok(Location::new(store, "").with_key(key.cloned()))
}

pub(crate) fn key_of(workload: &Workload) -> Result<Option<EncryptionKey>> {
    let key = workload.key.as_deref();
    Ok(key
        .map(|key| EncryptionKey::new(key.as_bytes()))
        .transpose()?)
}

/// Converts ranges from text to stored form.
pub(crate) fn ranges(schema: &ArraySchema, bounds: &Bounds) -> Result<Vec<(String, Range)>> {
    let mut ranges = Vec::new();
    for (name, [low, high]) in bounds {
        let field = schema.field(name).ok_or("no such dimension")?;
        let end = |text: &str| -> Result<Vec<u8>> {
            if field.is_var() {
                return Ok(text.as_bytes().to_vec());
            }
            let mut out = Vec::new();
            with_scalar!(field.datatype, T => text.parse::<T>()?.write(&mut out));
            Ok(out)
        };
        ranges.push((name.clone(), Range::new(end(low)?, end(high)?)));
    }
    Ok(ranges)
}
