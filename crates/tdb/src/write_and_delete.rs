use tdb_array::{ChangeOptions, Committed};
use tdb_fragment::ConditionTree;
use tdb_write::{SealedWrite, WriteError};

/// The delete of cells that a write replaces or leaves out, which is committed together with it.
#[derive(Clone, Debug)]
pub(crate) struct DeleteBeside {
    /// The condition under which cells are kept.
    pub(crate) kept: ConditionTree,
    /// The time of the delete, which is before that of the write.
    pub(crate) change: ChangeOptions,
}

/// Commits a write, and a delete with it if there is one.
pub(crate) fn commit(
    write: SealedWrite,
    delete: Option<&DeleteBeside>,
) -> Result<Committed, WriteError> {
    match delete {
        Some(DeleteBeside { kept, change }) => write.commit_with_delete(kept, change),
        None => write.commit(),
    }
}
