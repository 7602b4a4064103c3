use tdb_cells::CellsError;
use tdb_query::QueryError;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Code, Datatype, ErrorKind, HasKind, LimitError};

/// The reason why an aggregate cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AggregateError {
    /// The text of an aggregate is invalid.
    #[error(
        "{text:?} is not an aggregate: write count(*), sum(a), min(a), max(a), mean(a), null_count(a) or count(a)"
    )]
    Text {
        /// The invalid text.
        text: String,
    },
    /// The array has no such field.
    #[error(transparent)]
    Unknown(UnknownName),
    /// The field does not support the aggregate.
    #[error("{function}({field}): there is none of a field that holds {}{}", .datatype.name(), if *.is_list { ", several in a cell" } else { "" })]
    Unfit {
        /// The name of the aggregate.
        function: &'static str,
        /// The name of the field.
        field: String,
        /// The datatype of the field.
        datatype: Datatype,
        /// True if a cell contains several values.
        is_list: bool,
    },
    /// The aggregate would use the indexes of labels as numbers.
    #[error("{function}({field}): the values of the field are labels of an enumeration")]
    Labels {
        /// The name of the aggregate.
        function: &'static str,
        /// The name of the field.
        field: String,
    },
    /// A sum does not fit in 64 bits.
    #[error("sum({field}): {sum} does not fit into 64 bits")]
    Overflow {
        /// The name of the field.
        field: String,
        /// The sum.
        sum: i128,
    },
    /// A year does not fit in 64 bits.
    #[error("year({field}): {year} does not fit into 64 bits")]
    Year {
        /// The name of the field.
        field: String,
        /// The year.
        year: i128,
    },
    /// The number of bins of a histogram is zero or too large.
    #[error("a histogram has from 1 to {most} bins")]
    Bins {
        /// The maximum number of bins.
        most: usize,
    },
    /// The values of a histogram are infinite, or their range is.
    #[error("histogram({field}): the values are infinite, or too far apart")]
    Infinite {
        /// The name of the field.
        field: String,
    },
    /// There are more groups than fit in the session's memory.
    #[error("{groups} groups are more than the memory allows")]
    Groups {
        /// The number of groups so far.
        groups: usize,
        /// The exceeded limit.
        source: LimitError,
    },
    /// An error of reading.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// An error of columns or of spilled groups.
    #[error(transparent)]
    Cells(#[from] CellsError),
    /// A broken invariant: a defect of tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl AggregateError {
    /// Returns the kind of the error, by what the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Text { .. }
            | Self::Unknown(_)
            | Self::Unfit { .. }
            | Self::Labels { .. }
            | Self::Bins { .. }
            | Self::Infinite { .. } => ErrorKind::Invalid,
            Self::Overflow { .. } | Self::Year { .. } => ErrorKind::Limit,
            Self::Groups { source, .. } => source.kind(),
            Self::Query(error) => error.kind(),
            Self::Cells(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Returns a hint for the user, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unknown(error) => Some(error.hint()),
            Self::Labels { .. } => Some("count them, group by them, or ask for their indexes"),
            Self::Infinite { .. } => Some("leave such cells out by a condition"),
            Self::Overflow { .. } => Some("the mean is a float, and has no such limit"),
            Self::Groups { .. } => Some(
                "give a temporary folder, group by fields with fewer values, or read a part of the array",
            ),
            Self::Query(error) => error.hint(),
            Self::Cells(error) => error.hint(),
            _ => None,
        }
    }
}

impl HasKind for AggregateError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}
