use tdb_array::{ChangeOptions, CommittedNames};
use tdb_fragment::ConditionTree;
use tdb_write::{SealedWrite, WriteError};

/// A delete of cells that a write replaces or omits, committed together with the write.
#[derive(Clone, Debug)]
pub(crate) struct DeleteBeside {
    /// Condition that the cells to keep meet; all others are deleted.
    pub(crate) kept: ConditionTree,
    /// Time of the delete, which is before that of the write, and the source of names.
    pub(crate) change: ChangeOptions,
}

/// Commits a write, together with a delete if there is one.
pub(crate) fn commit(
    write: SealedWrite,
    delete: Option<&DeleteBeside>,
) -> Result<CommittedNames, WriteError> {
    match delete {
        Some(DeleteBeside { kept, change }) => write.commit_with_delete(kept, change),
        None => write.commit(),
    }
}
