//! Fetches what planning takes, for reads that are planned side by side.

use tdb_array::Array;
use tdb_cells::Session;

use crate::QueryError;
use crate::options::ReadOptions;
use crate::planning::{Planning, Purpose};

/// Fetches what planning a read takes, with one wait, and keeps it with the array: reads of parts of it are then planned without
/// a wait. What there is no memory to keep is fetched again by each.
///
/// # Errors
/// Of a request that is not possible for the array; as the store reports; metadata that breaks the format.
pub fn prepare(session: &Session, array: &Array, options: &ReadOptions) -> Result<(), QueryError> {
    let snapshot = array.snapshot();
    let planning = Planning::new(session, snapshot, options, &Purpose::Cells)?;
    let reads = planning.reads(snapshot)?;
    if reads.is_empty() {
        return Ok(());
    }
    let (_held, pieces) = array.fetch(&reads)?;
    planning.keep(snapshot, pieces)
}
