use std::error::Error;

use tdb_filters::FilterError;
use tdb_store::StoreError;
use tdb_tile::{Bug, Datatype, ErrorKind, HasKind, LimitError, WireError};

use crate::cancelled::Cancelled;

/// Errors of loading, storing and sorting cells.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellsError {
    /// A stored tile cannot be read.
    #[error("fragment {fragment}, field {field:?}, tile {tile} ({file} from byte {offset} on)")]
    Tile {
        /// Name of the fragment.
        fragment: String,
        /// Name of the field.
        field: String,
        /// Number of the tile, from 0.
        tile: u64,
        /// Name of the file in the fragment that contains the tile.
        file: String,
        /// Offset of the tile in the file, in bytes.
        offset: u64,
        /// Problem with the tile.
        source: Box<TileError>,
    },
    /// A tile was never stored: the TileDB release that wrote the fragment lost its last tiles.
    #[error(
        "fragment {fragment} lacks the cells {cells}: its tiles from number {lost_from} on, of {tiles}, were lost when TileDB 2.0 to 2.2 wrote it"
    )]
    LostTile {
        /// Name of the fragment.
        fragment: String,
        /// Number of the tile, from 0.
        tile: u64,
        /// The first missing tile; all later ones are missing, too.
        lost_from: u64,
        /// Number of tiles that the fragment should have.
        tiles: u64,
        /// The cells of the tile, such as `x 1..4, y 0..9`.
        cells: String,
    },
    /// The metadata about the tiles of a fragment violates the format.
    #[error("{key}")]
    Metadata {
        /// Key of the metadata object.
        key: String,
        /// Name of the fragment.
        fragment: String,
        /// Class of the error.
        kind: ErrorKind,
        /// Problem with the metadata.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Decoded cells are inconsistent.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The values of a column were requested as numbers of another type.
    #[error(
        "the values of column {column:?} are {datatype}, which is read as {found}, not as {wanted}"
    )]
    NumberType {
        /// Name of the column.
        column: String,
        /// Datatype of the column.
        datatype: Datatype,
        /// The type that represents the datatype in memory.
        found: tdb_tile::Physical,
        /// The requested type.
        wanted: tdb_tile::Physical,
    },
    /// The temporary folder, for data that does not fit in memory, cannot be used.
    #[error("the temporary folder {folder}: {}", source.cause())]
    Spill {
        /// Path or name of the folder.
        folder: String,
        /// Error of the folder's store.
        source: StoreError,
    },
    /// Data in the temporary folder was modified after it was written.
    #[error("the temporary folder {folder}: {key} was changed by somebody else")]
    Spilled {
        /// Path or name of the folder.
        folder: String,
        /// Key of the changed object.
        key: String,
    },
    /// The session was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A limit or the memory budget was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A broken invariant of tdb itself.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// A problem with a stored tile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TileError {
    /// The bytes of the tile are inconsistent.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A filter cannot be undone.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The object that contains the tile cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A limit was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A defect of this library.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl CellsError {
    /// The class of the error, which says what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Tile { source, .. } => source.kind(),
            Self::LostTile { .. } => ErrorKind::Corrupt,
            Self::Metadata { kind, .. } => *kind,
            Self::Wire(error) => error.kind(),
            Self::NumberType { .. } => ErrorKind::Invalid,
            Self::Spill { .. } | Self::Spilled { .. } | Self::Cancelled(_) => ErrorKind::Store,
            Self::Limit(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Advice on how to proceed, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::LostTile { .. } => Some(
                "no file holds these cells: read other ranges, or write these cells again, which puts them over the fragment",
            ),
            Self::Spill { .. } | Self::Spilled { .. } => {
                Some("--temp names another folder for what memory cannot hold")
            }
            _ => None,
        }
    }

    /// Name of the fragment whose damage caused the error, if one did.
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Tile { fragment, .. }
            | Self::LostTile { fragment, .. }
            | Self::Metadata { fragment, .. }
                if !matches!(
                    self.kind(),
                    ErrorKind::Limit | ErrorKind::Memory | ErrorKind::Invalid
                ) =>
            {
                Some(fragment)
            }
            _ => None,
        }
    }
}

impl HasKind for CellsError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }

    fn damaged_fragment(&self) -> Option<&str> {
        Self::damaged_fragment(self)
    }
}

impl TileError {
    /// The class of the error, which says what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(error) => error.kind(),
            Self::Filter(error) => error.kind(),
            Self::Store(error) => of_store(error),
            Self::Limit(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }
}

/// Classifies a store error about the object of a tile. The object's name and size come from metadata, so a range
/// beyond its end means that the array is corrupt.
fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::TooLarge { .. } => ErrorKind::Limit,
        StoreError::OutOfMemory { .. } => ErrorKind::Memory,
        StoreError::OutOfRange { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Store,
    }
}
