use tdb_schema::SchemaWarning;

use crate::NameError;

/// An irregularity of an array or group that does not prevent reading it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// An irregularity of a schema.
    #[error("{key}: {warning}")]
    Schema {
        /// The key of the schema, relative to the array.
        key: String,
        /// The irregularity.
        warning: SchemaWarning,
    },
    /// An object that was never completely written, and was skipped as requested.
    #[error("{key}: empty, and passed over")]
    Torn {
        /// The key of the object, relative to the array.
        key: String,
    },
    /// A file of another program in the folder of schemas, metadata or members.
    #[error(
        "{key}: no object of TileDB, and passed over; TileDB itself may refuse to open what it lies in"
    )]
    Stray {
        /// The key of the file, relative to the array or group.
        key: String,
    },
    /// A commit with a malformed name: its effect is unknown, so no cells can be read.
    #[error("{key}: {problem}, so what it commits is not known, and no cell can be read")]
    DamagedCommit {
        /// The key of the commit, relative to the array.
        key: String,
        /// What is wrong with its name.
        problem: NameError,
    },
    /// A complete fragment that was written a short time ago, but is not committed.
    #[error(
        "{key}: nothing commits it, so its cells are not read: its write is not finished, or its commit was lost, as in a copy without \
         __commits"
    )]
    Uncommitted {
        /// The folder of the fragment, relative to the array.
        key: String,
    },
    /// There are fragments, but none is committed.
    #[error(
        "no fragment is committed, so there are no cells, but {fragments} are there: their writes are not finished or were stopped, or the \
         commits were lost, as in a copy without __commits"
    )]
    NothingCommitted {
        /// The number of fragments.
        fragments: u64,
    },
    /// An update: no released TileDB writes updates, and its new values are not read.
    #[error("{key}: an update, which acts as a delete of the cells that it would change")]
    Update {
        /// The key of the update, relative to the array.
        key: String,
    },
    /// An invalid footer in consolidated metadata; the fragment's own footer was read instead.
    #[error("{key}: the copy of its footer in the consolidated metadata makes no sense")]
    ConsolidatedFooter {
        /// The key of the fragment's metadata, relative to the array.
        key: String,
    },
    /// A list names replaced fragments, but the replacing fragment does not exist, so the others are read.
    #[error(
        "{key}: what it lists is read, as the fragment that should have replaced it is not there"
    )]
    IdleList {
        /// The key of the list, relative to the array.
        key: String,
    },
    /// A restore was interrupted after the cells, before the metadata.
    #[error(
        "a restore to {} was stopped: the cells are of that time, the metadata is not; the same restore completes it",
        tdb_schema::value::rfc3339(*to)
    )]
    UnfinishedRestore {
        /// The restored time, in milliseconds since 1970.
        to: u64,
    },
    /// A fragment has fewer tiles than it should, because its writer miscounted: the cells of the missing tiles were
    /// never stored.
    #[error(
        "{key}: {lost} of {tiles} tiles were lost when TileDB 2.0 to 2.2 wrote them, from the cells {first} on; \
         reading those is an error"
    )]
    LostTiles {
        /// The key of the fragment's metadata, relative to the array.
        key: String,
        /// The number of missing tiles.
        lost: u64,
        /// The number of tiles that the fragment should have.
        tiles: u64,
        /// The cells of the first missing tile: `x 1..4, y 0..9`.
        first: String,
    },
}
