//! Writing cells to files.

use tdb_cells::{Activity, Batch, Column, Progress, Session};
use tdb_open::Result;
use tdb_tile::Exact;

use crate::CellSink;

/// Result of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportedCells {
    /// Number of cells written.
    pub cells: u64,
    /// Bytes of their values in memory.
    pub bytes: u64,
    /// Number of these cells that have fill values because the condition fails or no point matches; dense arrays only.
    pub filled: u64,
    /// Number of files written.
    pub files: u64,
    /// Number of subfolders written, for a partitioned export.
    pub folders: u64,
}

/// A batch that is split into the files of a folder takes 1/PART of the memory, and at most `MOST_CUT` bytes.
const PART: u64 = 16;
const MOST_CUT: u64 = 32 << 20;

/// Returns the default size of a batch that is split into the files of a folder, in bytes. Such a batch is in memory
/// twice.
#[must_use]
pub fn batch_bytes_of_folder(session: &Session) -> u64 {
    (session.limits().budget.limit() / PART).min(MOST_CUT)
}

/// Writes all batches to a sink; `expected` is their number of cells, if known.
///
/// # Errors
/// Fails if a batch or the sink fails.
pub fn write_all(
    session: &Session,
    batches: impl Iterator<Item = Result<Batch>>,
    mut sink: CellSink,
    expected: Option<u64>,
) -> Result<ExportedCells> {
    let counters = session.counters();
    let mut done = ExportedCells::default();
    for batch in batches {
        let batch = batch?;
        let size = |column: &Column| column.values.len();
        let bytes: usize = batch.columns.iter().map(size).sum();
        done.cells = done.cells.exact_add(batch.rows as u64)?;
        done.bytes = done.bytes.exact_add(bytes as u64)?;
        counters.write.time(|| sink.write(&batch))?;
        let progress = Progress::new(Activity::Exporting, done.cells);
        session.tell(&progress.with_cells(done.cells).of(expected));
    }
    (done.files, done.folders) = counters.write.time(|| sink.finish())?;
    Ok(done)
}
