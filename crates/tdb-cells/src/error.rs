use std::error::Error;

use tdb_filters::FilterError;
use tdb_store::StoreError;
use tdb_tile::{Bug, Datatype, ErrorKind, LimitError, WireError};

use crate::cancelled::Cancelled;

/// Why cells could not be brought into memory, or taken out of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellsError {
    /// What is stored cannot be read.
    #[error("fragment {fragment}, field {field:?}, tile {tile} ({file} from byte {offset} on)")]
    Tile {
        /// Name of the fragment.
        fragment: String,
        /// Name of the field.
        field: String,
        /// Number of the tile, from 0.
        tile: u64,
        /// Name of the file in the fragment that holds it.
        file: String,
        /// Where in the file it begins.
        offset: u64,
        /// What is wrong with it.
        source: Box<TileError>,
    },
    /// What was written is not stored: the release that wrote the fragment lost its last tiles.
    #[error(
        "fragment {fragment} lacks the cells {cells}: its tiles from number {lost_from} on, of {tiles}, were lost when TileDB 2.0 to 2.2 wrote it"
    )]
    LostTile {
        /// Name of the fragment.
        fragment: String,
        /// Number of the tile, from 0.
        tile: u64,
        /// The first tile that is missing; all behind it are missing, too.
        lost_from: u64,
        /// How many tiles there should be.
        tiles: u64,
        /// The cells of the tile: `x 1..4, y 0..9`.
        cells: String,
    },
    /// What a fragment tells of its tiles breaks the format.
    #[error("{key}")]
    Metadata {
        /// The object.
        key: String,
        /// The fragment.
        fragment: String,
        /// What can be done about it.
        kind: ErrorKind,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Cells that were decoded do not hold together.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The values of a column were asked for as numbers of another type.
    #[error(
        "the values of column {column:?} are {datatype}, which is read as {found}, not as {wanted}"
    )]
    NumberType {
        /// Name of the column.
        column: String,
        /// Its type.
        datatype: Datatype,
        /// The type of number that stands for it in memory.
        found: tdb_tile::Physical,
        /// The type that was asked for.
        wanted: tdb_tile::Physical,
    },
    /// What memory cannot hold cannot be kept in the temporary folder, or is gone from there.
    #[error("the temporary folder {folder}: {}", source.cause())]
    Spill {
        /// The folder.
        folder: String,
        /// What its store reports.
        source: StoreError,
    },
    /// What was kept in the temporary folder is not what was written there.
    #[error("the temporary folder {folder}: {key} was changed by somebody else")]
    Spilled {
        /// The folder.
        folder: String,
        /// The object.
        key: String,
    },
    /// The session was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A cap or the memory budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// What is wrong with one tile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TileError {
    /// Its bytes do not hold together.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A filter cannot undo what was done to it.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// Its object cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A cap was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl CellsError {
    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Tile { source, .. } => source.kind(),
            Self::LostTile { .. } => ErrorKind::Corrupt,
            Self::Metadata { kind, .. } => *kind,
            Self::Wire(error) => error.kind(),
            Self::NumberType { .. } => ErrorKind::Invalid,
            Self::Spill { .. } | Self::Spilled { .. } | Self::Cancelled(_) => ErrorKind::Store,
            Self::Limit(_) => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The way out, if there is one.
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

    /// The name of the fragment that cannot be read, where that is why.
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Tile { fragment, .. }
            | Self::LostTile { fragment, .. }
            | Self::Metadata { fragment, .. }
                if !matches!(self.kind(), ErrorKind::Limit | ErrorKind::Invalid) =>
            {
                Some(fragment)
            }
            _ => None,
        }
    }
}

impl TileError {
    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(error) => error.kind(),
            Self::Filter(error) => error.kind(),
            Self::Store(error) => of_store(error),
            Self::Limit(_) => ErrorKind::Limit,
        }
    }
}

/// What a store says of the object of a tile, whose name and size stand in what is stored.
fn of_store(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::TooLarge { .. } => ErrorKind::Limit,
        StoreError::OutOfRange { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Store,
    }
}
