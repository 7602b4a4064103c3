use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::CellsError;
use tdb_condition::ConditionError;
use tdb_schema::RangeError;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, HasKind, LimitError, WireError};

/// Reason why cells could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A range that the array cannot be read by.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A range of labels whose values are stored unordered.
    #[error(
        "range of label {label:?}: the values of this label are stored unordered, so no range of them can be looked up"
    )]
    LabelOrder {
        /// Name of the label.
        label: String,
    },
    /// The options of a [`Read`](crate::Read) still contain ranges of labels, which it cannot look up itself.
    #[error(
        "the options of the read still have ranges of labels, and cells are read by ranges of dimensions only"
    )]
    LabelRanges,
    /// Several ranges of one dimension in the global order of a dense array.
    #[error("the global order of a dense array takes one range for each dimension")]
    GlobalOrder,
    /// A request of more than 2^64 cells.
    #[error("more cells are asked for than can be counted")]
    TooManyCells,
    /// A sort by a field whose cells hold several values.
    #[error("sort by {field:?}: its cells hold several values, which have no order")]
    SortKey {
        /// Name of the field.
        field: String,
    },
    /// Aggregates of cells that an offset, a tail, a sample or a sorted limit chooses.
    #[error("aggregates cannot be combined with an offset, tail or sample, or with a sorted limit")]
    AggregatedPart,
    /// The cells that a sort, tail or sample has to keep exceed the memory budget.
    #[error("keeping more than {rows} cells needs more memory than allowed")]
    KeptCells {
        /// Number of cells that fit.
        rows: u64,
        /// The budget that was exceeded.
        source: LimitError,
    },
    /// A dense read visits too many cells, none of which was written.
    #[error("{asked}, and none of them was written")]
    UnwrittenWalk {
        /// Number of requested cells, as the beginning of a sentence.
        asked: String,
    },
    /// A dense read visits too many cells, and its non-empty domain has too many as well.
    #[error(
        "{asked}, and so are those of the non-empty domain; fragments contain {stored} of them"
    )]
    LongWalk {
        /// Number of requested cells, as the beginning of a sentence.
        asked: String,
        /// Number of cells in the fragments.
        stored: u64,
        /// How to select the cells of the last write.
        hint: Option<String>,
    },
    /// Older versions of cells were requested of a dense array, or together with a condition.
    #[error("older versions of cells are for sparse arrays, without a condition")]
    OlderVersions,
    /// The write times of single cells were requested of a dense array.
    #[error("the cells of a dense array have no times of their own")]
    NoCellTimes,
    /// Another process consolidated and vacuumed fragments of the array after some of the cells had been returned.
    #[error("the array was merged and vacuumed while it was read")]
    Vanished {
        /// The error about the missing object.
        source: Box<QueryError>,
    },
    /// Offsets of 4 bytes were requested for more than 4 GiB of values.
    #[error(
        "offsets of 32 bits cannot count more than 2^32 bytes of values; give a smaller buffer, or use 64 bits"
    )]
    NarrowOffsets,
    /// A field, label, ... that the array does not have.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A condition that cannot be parsed or resolved against these fields.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// Cells that cannot be read or are inconsistent.
    #[error(transparent)]
    Cells(CellsError),
    /// The array, or an object of it, cannot be opened.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A cap or the memory budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A bug in tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// Limit errors and bugs keep their own variants.
impl From<CellsError> for QueryError {
    fn from(error: CellsError) -> Self {
        match error {
            CellsError::Limit(limit) => Self::Limit(limit),
            CellsError::Bug(bug) => Self::Bug(bug),
            error => Self::Cells(error),
        }
    }
}

impl From<WireError> for QueryError {
    fn from(error: WireError) -> Self {
        CellsError::from(error).into()
    }
}

impl QueryError {
    /// Returns the category of the error, by which the caller can decide what to do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::LabelOrder { .. }
            | Self::LabelRanges
            | Self::GlobalOrder
            | Self::TooManyCells
            | Self::SortKey { .. }
            | Self::AggregatedPart
            | Self::OlderVersions
            | Self::NoCellTimes
            | Self::NarrowOffsets
            | Self::Unknown(_) => ErrorKind::Invalid,
            Self::Range(error) => error.kind(),
            Self::Condition(error) => error.kind(),
            Self::Cells(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Limit(error) | Self::KeptCells { source: error, .. } => error.kind(),
            Self::UnwrittenWalk { .. } | Self::LongWalk { .. } => ErrorKind::Limit,
            Self::Vanished { .. } => ErrorKind::NotFound,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Returns the name of the fragment that cannot be read, if that is the cause. The rest of the array can be read
    /// without it ([`OpenOptions::without_fragments`](tdb_array::OpenOptions::without_fragments)).
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Cells(error) => error.damaged_fragment(),
            Self::Array(error) => error.damaged_fragment(),
            _ => None,
        }
    }

    /// Returns a hint on how to avoid the error, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::LabelOrder { .. } => Some("give a range of the dimension that the label is for"),
            Self::LabelRanges => Some("look them up by a LabelSearch, or read through a Reader"),
            Self::NoCellTimes => {
                Some("its fragments have times: fragments and map show which cells each one wrote")
            }
            Self::TooManyCells => Some("--range DIM=LO..HI asks for fewer"),
            Self::GlobalOrder => Some("ask for row-major or column-major order"),
            Self::AggregatedPart => Some("leave them out"),
            Self::KeptCells { .. } => {
                Some("select fewer cells (by a range, condition or limit), or fewer fields")
            }
            Self::UnwrittenWalk { .. } => Some("use --range DIM=LO..HI to select fewer"),
            Self::LongWalk { hint, .. } => hint.as_deref(),
            Self::Range(error) => error.hint(),
            Self::Cells(error) => error.hint(),
            Self::Unknown(error) => Some(error.hint()),
            Self::Condition(error) => error.hint(),
            Self::Vanished { .. } => Some("read it again, or vacuum with a grace period"),
            _ => None,
        }
    }
}

impl HasKind for QueryError {
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
