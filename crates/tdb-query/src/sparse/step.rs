//! What a sparse read does next.

use tdb_cells::Batch;
use tdb_store::Read;

use crate::piece::Piece;

/// Result of a step.
#[derive(Debug)]
pub(crate) enum SparseStep {
    /// Byte ranges of R-trees, which give the bounds of tiles.
    Need(Vec<Read>),
    Work(Piece),
    Batch(Batch),
    Done,
}
