use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::{CellProblem, CellsError, ColumnProblem, Row};
use tdb_filters::FilterError;
use tdb_tile::{Bug, FormatVersion, LimitError};

use crate::problem::{OrderProblem, PlaceProblem, RangeProblem};

/// Why cells could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A column of a field that is not written, or that the array does not have.
    #[error("there is no field {field:?} to write")]
    UnknownField {
        /// Name of the column.
        field: String,
        /// The fields that there are.
        hint: String,
    },
    /// A range of a dimension that the array does not have.
    #[error("there is no dimension {dimension:?}")]
    UnknownDimension {
        /// The name.
        dimension: String,
        /// The dimensions that there are.
        hint: String,
    },
    /// An order of cells that does not fit what is written.
    #[error(transparent)]
    Order(OrderProblem),
    /// Cells that say where they belong, or ranges that do, where they must not.
    #[error(transparent)]
    Place(PlaceProblem),
    /// A range to be written that does not fit its dimension.
    #[error("range of dimension {dimension:?} {problem}")]
    Range {
        /// Name of the dimension.
        dimension: String,
        /// What is wrong with the range.
        problem: RangeProblem,
    },
    /// Several ranges of one dimension.
    #[error("dimension {dimension:?} has two ranges: what is written is one box")]
    TwoRanges {
        /// Name of the dimension.
        dimension: String,
    },
    /// Cells that are to be kept with others of the same coordinates, in an array that has no such cells.
    #[error("the array allows no two cells with the same coordinates")]
    NoDuplicates,
    /// Cells that come with times, in an array that has no place for them.
    #[error("dense arrays, and others in format version {version}, keep no times of cells")]
    NoCellTimes {
        /// The format that is written.
        version: FormatVersion,
    },
    /// Other than as many cells as the box has.
    #[error("there are {found} cells, and the box to be written has {wanted}")]
    CellCount {
        /// Cells that came.
        found: u64,
        /// Cells of the box.
        wanted: u64,
    },
    /// Cells that leave gaps, or come twice.
    #[error("{found} cells do not fill the box of {wanted} that their coordinates span")]
    Gaps {
        /// Cells that came.
        found: u64,
        /// Cells of the box.
        wanted: u64,
    },
    /// More cells than are put in order at a time.
    #[error("{cells} cells are too many at a time")]
    TooManyCells {
        /// How many they are.
        cells: u64,
    },
    /// A write that goes on after an error.
    #[error("the write has failed before")]
    Failed,
    /// The domain of a dense array cannot be cut into tiles.
    #[error("the domain has no space tiles")]
    NoSpaceTiles,
    /// What was put aside while cells were sorted is not what was written there.
    #[error("sorted cells changed on the disk")]
    SortedCells {
        /// The object that holds them.
        key: String,
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
        source: Box<FilterError>,
    },
    /// Tiles that were to be copied cannot be read.
    #[error(transparent)]
    Cells(CellsError),
    /// The array, or an object of it, cannot be opened or written.
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
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// A limit stays one, wherever it was reached.
impl From<CellsError> for WriteError {
    fn from(error: CellsError) -> Self {
        match error {
            CellsError::Limit(limit) => Self::Limit(limit),
            CellsError::Bug(bug) => Self::Bug(bug),
            error => Self::Cells(error),
        }
    }
}

impl WriteError {
    /// The same where cells had been put in another order: `rows` says which each of them was.
    pub(crate) fn of_cell(self, rows: &[Row]) -> Self {
        match self {
            Self::Cell {
                field,
                cell,
                problem,
            } => {
                let row = usize::try_from(cell).ok().and_then(|cell| rows.get(cell));
                match row.map(|row| row.index() as u64) {
                    Some(cell) => Self::Cell {
                        field,
                        cell,
                        problem,
                    },
                    None => Bug::new("a cell that is wrong is none of those in order").into(),
                }
            }
            other => other,
        }
    }

    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Column {
                problem: ColumnProblem::Filters(error),
                ..
            } => written_kind(error),
            Self::UnknownField { .. }
            | Self::UnknownDimension { .. }
            | Self::Order(_)
            | Self::Place(_)
            | Self::Range { .. }
            | Self::TwoRanges { .. }
            | Self::NoDuplicates
            | Self::NoCellTimes { .. }
            | Self::CellCount { .. }
            | Self::Gaps { .. }
            | Self::TooManyCells { .. }
            | Self::Failed
            | Self::Column { .. }
            | Self::Cell { .. } => ErrorKind::Invalid,
            Self::NoSpaceTiles | Self::SortedCells { .. } => ErrorKind::Corrupt,
            Self::Encode { source, .. } => written_kind(source),
            Self::Cells(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Limit(_) | Self::Waiting { .. } => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The fragment that cannot be read, where that is why.
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Cells(error) => error.damaged_fragment(),
            Self::Array(error) => error.damaged_fragment(),
            _ => None,
        }
    }

    /// The way out, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::UnknownField { hint, .. } | Self::UnknownDimension { hint, .. } => Some(hint),
            Self::Order(problem) => problem.hint(),
            Self::Place(problem) => problem.hint(),
            Self::Gaps { .. } => Some("a dense array takes boxes of cells: write them box by box"),
            Self::TooManyCells { .. } => {
                Some("write them in several batches in global order, or as several writes")
            }
            Self::Cells(error) => error.hint(),
            Self::Waiting { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

/// What is written is the caller's, other than what is read.
fn written_kind(error: &FilterError) -> ErrorKind {
    match error.kind() {
        ErrorKind::Corrupt => ErrorKind::Invalid,
        kind => kind,
    }
}
