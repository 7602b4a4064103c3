use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::{CellProblem, CellsError, ColumnProblem, Row};
use tdb_filters::FilterError;
use tdb_tile::{Bug, FormatVersion, HasKind, LimitError};

use crate::problem::{OrderProblem, PlaceProblem, RangeProblem};

/// Errors of a write.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A column for a field that the array does not have or that cannot be written.
    #[error("there is no field {field:?} to write")]
    UnknownField {
        /// Name of the column.
        field: String,
        /// The existing fields, as a hint.
        hint: String,
    },
    /// A range for a dimension that the array does not have.
    #[error("there is no dimension {dimension:?}")]
    UnknownDimension {
        /// The unknown name.
        dimension: String,
        /// The existing dimensions, as a hint.
        hint: String,
    },
    /// The order of the cells is not possible for this array or this write.
    #[error(transparent)]
    Order(OrderProblem),
    /// Coordinate columns or ranges that are not allowed here.
    #[error(transparent)]
    Place(PlaceProblem),
    /// A range that does not fit its dimension.
    #[error("range of dimension {dimension:?} {problem}")]
    Range {
        /// Name of the dimension.
        dimension: String,
        /// Problem with the range.
        problem: RangeProblem,
    },
    /// Several ranges of one dimension.
    #[error("dimension {dimension:?} has two ranges: what is written is one box")]
    TwoRanges {
        /// Name of the dimension.
        dimension: String,
    },
    /// [`Duplicates::Keep`](crate::Duplicates::Keep) for an array that does not allow duplicates.
    #[error("the array allows no two cells with the same coordinates")]
    NoDuplicates,
    /// Cells with their own timestamps, for an array that cannot store them.
    #[error("dense arrays, and others in format version {version}, keep no times of cells")]
    NoCellTimes {
        /// Format version of the write.
        version: FormatVersion,
    },
    /// A size limit of fragments ([`WriteOptions::max_fragment_bytes`](crate::WriteOptions::max_fragment_bytes)) in a
    /// format version without commits of several fragments: they would become visible one by one.
    #[error(
        "format version {version} cannot commit several fragments at once, and so takes no size for them"
    )]
    SeveralFragments {
        /// Format version of the write.
        version: FormatVersion,
    },
    /// The number of cells differs from that of the box.
    #[error("there are {found} cells, and the box to be written has {wanted}")]
    CellCount {
        /// Number of written cells.
        found: u64,
        /// Number of cells in the box.
        wanted: u64,
    },
    /// Cells with coordinates that do not fill their box exactly: some are missing or duplicated.
    #[error("{found} cells do not fill the box of {wanted} that their coordinates span")]
    Gaps {
        /// Number of written cells.
        found: u64,
        /// Number of cells in the box.
        wanted: u64,
    },
    /// More cells than can be sorted or numbered at a time.
    #[error(
        "{cells} cells are to be sorted at a time, and at most {} can be",
        u32::MAX
    )]
    TooManyCells {
        /// The number of cells.
        cells: u64,
    },
    /// The writer was used again after an error.
    #[error("the write has failed before")]
    Failed,
    /// The domain of a dense array cannot be divided into tiles.
    #[error("the domain has no space tiles")]
    NoSpaceTiles,
    /// Sorted cells were modified in the temporary store.
    #[error("sorted cells changed on the disk")]
    SortedCells {
        /// Key of the object that contains the cells.
        key: String,
    },
    /// A column that cannot be written.
    #[error("field {field:?}: {problem}")]
    Column {
        /// Name of the field.
        field: String,
        /// Problem with the column.
        problem: ColumnProblem,
    },
    /// A cell that cannot be written.
    #[error("field {field:?}, cell {cell}: {problem}")]
    Cell {
        /// Name of the field; the first dimension if the coordinates as a whole are wrong.
        field: String,
        /// Index of the cell among all cells of the write, from 0.
        cell: u64,
        /// Problem with the cell.
        problem: CellProblem,
    },
    /// Values that filters cannot encode.
    #[error("field {field:?}, tile {tile}")]
    Encode {
        /// Name of the field.
        field: String,
        /// Index of the tile, from 0.
        tile: u64,
        /// The error of the filter.
        source: Box<FilterError>,
    },
    /// Tiles to be copied cannot be read.
    #[error(transparent)]
    CheckedCells(CellsError),
    /// The array, or an object of it, cannot be opened or written.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A limit or the memory budget was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Buffered cells, which wait for others, take more memory than the budget allows.
    #[error("cells that wait to be written: {limit}")]
    BufferedCells {
        /// The requested and the allowed memory.
        limit: LimitError,
        /// How to use less memory.
        hint: &'static str,
    },
    /// A bug in tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// Limit errors and bugs keep their own variants.
impl From<CellsError> for WriteError {
    fn from(error: CellsError) -> Self {
        match error {
            CellsError::Limit(limit) => Self::Limit(limit),
            CellsError::Bug(bug) => Self::Bug(bug),
            error => Self::CheckedCells(error),
        }
    }
}

impl WriteError {
    /// Replaces the cell's index in sorted order by its original one; `rows` maps sorted to original indexes.
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

    /// The class of the error, which says what the caller can do.
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
            | Self::SeveralFragments { .. }
            | Self::CellCount { .. }
            | Self::Gaps { .. }
            | Self::TooManyCells { .. }
            | Self::Failed
            | Self::Column { .. }
            | Self::Cell { .. } => ErrorKind::Invalid,
            Self::NoSpaceTiles | Self::SortedCells { .. } => ErrorKind::Corrupt,
            Self::Encode { source, .. } => written_kind(source),
            Self::CheckedCells(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Limit(error) | Self::BufferedCells { limit: error, .. } => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Name of the fragment whose damage caused the error, if one did.
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::CheckedCells(error) => error.damaged_fragment(),
            Self::Array(error) => error.damaged_fragment(),
            _ => None,
        }
    }

    /// Advice on how to proceed, if there is any.
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
            Self::CheckedCells(error) => error.hint(),
            Self::BufferedCells { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

impl HasKind for WriteError {
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

/// The class of a filter error while writing: bad values come from the caller, not from a corrupt store.
fn written_kind(error: &FilterError) -> ErrorKind {
    match error.kind() {
        ErrorKind::Corrupt => ErrorKind::Invalid,
        kind => kind,
    }
}
