use tdb_array::{ArrayError, ErrorKind, HasKind};
use tdb_tile::{LimitError, WireError};

use crate::write::{CellProblem, ColumnProblem};

/// Why cells could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The request does not fit the array: a field, range, order or condition.
    #[error("{what}")]
    Invalid {
        /// What is wrong with the request.
        what: String,
        /// What would help, if something would.
        hint: Option<String>,
    },
    /// A delete that would take cells which do not fit its condition.
    #[error(
        "the condition fits {fitting} cells, and the delete would take {taken}: what is stored of it also takes cells that are {which}"
    )]
    TakesMore {
        /// Cells that fit the condition.
        fitting: u64,
        /// Cells that would go.
        taken: u64,
        /// What the others may be.
        which: String,
    },
    /// A condition that cannot be understood.
    #[error("condition at character {at}: {what}")]
    Condition {
        /// Where in the text, counted in characters from 1.
        at: usize,
        /// What is wrong there.
        what: String,
    },
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
    /// A column that cannot be written.
    #[error("field {field:?}: {problem}")]
    Column {
        /// Name of the field.
        field: String,
        /// What is wrong with the column.
        problem: ColumnProblem,
    },
    /// A cell that cannot be written.
    #[error("field {field:?}, cell {cell}: {problem}")]
    Cell {
        /// Name of the field; where coordinates together are wrong, of the first dimension.
        field: String,
        /// Number of the cell among those handed in, from 0.
        cell: u64,
        /// What is wrong with it.
        problem: CellProblem,
    },
    /// Values that filters cannot encode.
    #[error("field {field:?}, tile {tile}")]
    Encode {
        /// Name of the field.
        field: String,
        /// Number of the tile that was to be written, from 0.
        tile: u64,
        /// What is wrong with it.
        source: Box<tdb_filters::FilterError>,
    },
    /// Cells that were decoded do not hold together.
    #[error(transparent)]
    Cells(WireError),
    /// The array, or an object of it, cannot be opened.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A cap or the memory budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Cells that are to be written wait for others, and take more memory than the budget allows.
    #[error("cells that wait to be written: {limit}")]
    Waiting {
        /// What was asked for, and allowed.
        limit: LimitError,
        /// What would take less.
        hint: &'static str,
    },
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
    Filter(#[from] tdb_filters::FilterError),
    /// Its object cannot be read.
    #[error(transparent)]
    Store(#[from] tdb_store::StoreError),
    /// A cap was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl QueryError {
    /// A request that is wrong, in words.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            hint: None,
        }
    }

    /// A request that is wrong, and the way out.
    pub(crate) fn invalid_with_hint(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            hint: Some(hint.into()),
        }
    }

    /// The same where cells had been put in another order: `rows` says which each of them was.
    pub(crate) fn of_cell(self, rows: &[u32]) -> Self {
        match self {
            Self::Cell {
                field,
                cell,
                problem,
            } => Self::Cell {
                field,
                cell: usize::try_from(cell)
                    .ok()
                    .and_then(|cell| rows.get(cell))
                    .map_or(cell, |row| u64::from(*row)),
                problem,
            },
            other => other,
        }
    }

    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } | Self::Condition { .. } | Self::TakesMore { .. } => {
                ErrorKind::Invalid
            }
            Self::Array(error) => error.kind(),
            Self::Limit(_) | Self::Waiting { .. } => ErrorKind::Limit,
            Self::Cells(error) => error.kind(),
            Self::LostTile { .. } => ErrorKind::Corrupt,
            Self::Tile { source, .. } => source.kind(),
            Self::Column {
                problem: ColumnProblem::Filters(error),
                ..
            } => written_kind(error),
            Self::Column { .. } | Self::Cell { .. } => ErrorKind::Invalid,
            Self::Encode { source, .. } => written_kind(source),
        }
    }

    /// The fragment that cannot be read, where that is why: what else there is can be read without it
    /// ([`OpenOptions::without_fragments`](tdb_array::OpenOptions::without_fragments)).
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Tile {
                fragment, source, ..
            } if source.kind() != ErrorKind::Limit => Some(fragment),
            Self::LostTile { fragment, .. } => Some(fragment),
            Self::Array(error) => error.damaged_fragment(),
            _ => None,
        }
    }

    /// The way out, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Invalid { hint, .. } => hint.as_deref(),
            Self::Waiting { hint, .. } => Some(hint),
            Self::LostTile { .. } => Some(LOST_HINT),
            _ => None,
        }
    }
}

const LOST_HINT: &str = "no file holds these cells: read other ranges, or write these cells again, which puts them over the fragment";

/// What is written is the caller's, other than what is read.
fn written_kind(error: &tdb_filters::FilterError) -> ErrorKind {
    match error.kind() {
        ErrorKind::Corrupt => ErrorKind::Invalid,
        kind => kind,
    }
}

impl TileError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(error) => error.kind(),
            Self::Filter(error) => error.kind(),
            Self::Store(error) => error.kind(),
            Self::Limit(_) => ErrorKind::Limit,
        }
    }
}
