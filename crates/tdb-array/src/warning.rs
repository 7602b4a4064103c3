use tdb_schema::SchemaWarning;

use crate::NameError;

/// What is odd about an array, and no reason to refuse it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Something about a schema.
    #[error("{key}: {warning}")]
    Schema {
        /// The schema's key, relative to the array.
        key: String,
        /// What it is.
        warning: SchemaWarning,
    },
    /// An object was begun and never finished; it was passed over, as asked for.
    #[error("{key}: empty, and passed over")]
    Torn {
        /// Its key, relative to the array.
        key: String,
    },
    /// A file of another program among the schemas, the metadata or the members.
    #[error(
        "{key}: no object of TileDB, and passed over; TileDB itself may refuse to open what it lies in"
    )]
    Stray {
        /// Its key, relative to the array or group.
        key: String,
    },
    /// A commit whose name is damaged: what it says of the cells is not known, and none are read.
    #[error("{key}: {problem}, so what it commits is not known, and no cell can be read")]
    DamagedCommit {
        /// Its key, relative to the array.
        key: String,
        /// What is wrong with its name.
        problem: NameError,
    },
    /// A whole fragment that was written a short time ago, and has no commit.
    #[error(
        "{key}: nothing commits it, so its cells are not read: its write is not finished, or its commit was lost, as in a copy without \
         __commits"
    )]
    Uncommitted {
        /// The folder of the fragment, relative to the array.
        key: String,
    },
    /// No fragment is committed, and some are there.
    #[error(
        "no fragment is committed, so there are no cells, but {fragments} are there: their writes are not finished or were stopped, or the \
         commits were lost, as in a copy without __commits"
    )]
    NothingCommitted {
        /// How many fragments are there.
        fragments: u64,
    },
    /// An update: no released TileDB writes them, and its new values are not read.
    #[error("{key}: an update, which acts as a delete of the cells that it would change")]
    Update {
        /// Its key, relative to the array.
        key: String,
    },
    /// A footer in consolidated metadata that is none; the fragment's own was read.
    #[error("{key}: the copy of its footer in the consolidated metadata makes no sense")]
    ConsolidatedFooter {
        /// The key of the fragment's metadata, relative to the array.
        key: String,
    },
    /// A list says that a fragment replaces others, and that fragment is not there: the others are read.
    #[error(
        "{key}: what it lists is read, as the fragment that should have replaced it is not there"
    )]
    IdleList {
        /// The key of the list, relative to the array.
        key: String,
    },
    /// A restore was stopped between the cells and the metadata.
    #[error(
        "a restore to {} was stopped: the cells are of that time, the metadata is not; the same restore completes it",
        tdb_schema::value::rfc3339(*to)
    )]
    UnfinishedRestore {
        /// The time to which the array was restored, in milliseconds since 1970.
        to: u64,
    },
    /// A fragment has fewer tiles than it should have, since its writer lost count: what was written to the others
    /// is not stored.
    #[error(
        "{key}: {lost} of {tiles} tiles were lost when TileDB 2.0 to 2.2 wrote them, from the cells {first} on; \
         reading those is an error"
    )]
    LostTiles {
        /// The key of the fragment's metadata, relative to the array.
        key: String,
        /// How many tiles are missing.
        lost: u64,
        /// How many there should be.
        tiles: u64,
        /// The cells of the first tile that is missing: `x 1..4, y 0..9`.
        first: String,
    },
}
