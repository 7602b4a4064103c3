//! Fetches the metadata that planning needs, for reads that are planned side by side.

use tdb_array::Array;
use tdb_cells::Session;

use crate::QueryError;
use crate::options::ReadOptions;
use crate::planning::{Planning, Purpose};

/// Fetches the metadata for planning a read and parts of it with one wait, and keeps it with the array: reads of the
/// parts are then planned without waiting. Each read fetches again what there is no memory to keep.
///
/// # Errors
/// A request that is not possible for the array; errors of the store; metadata that breaks the format.
pub fn prepare(session: &Session, array: &Array, options: &ReadOptions) -> Result<(), QueryError> {
    let snapshot = array.snapshot();
    let planning = Planning::new(session, snapshot, options, &Purpose::Cells)?;
    let mut reads = planning.reads(snapshot)?;
    let planned = reads.len();
    let trees = planning.rtrees(snapshot)?;
    reads.extend_from_slice(trees.reads());
    if reads.is_empty() {
        return Ok(());
    }
    let (_held, mut pieces) = array.fetch(&reads)?;
    let of_trees = pieces.split_off(planned.min(pieces.len()));
    snapshot.open_parts(trees, of_trees)?;
    planning.keep(snapshot, pieces)
}
