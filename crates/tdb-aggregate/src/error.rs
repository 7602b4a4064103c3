use tdb_cells::CellsError;
use tdb_query::QueryError;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Code, Datatype, ErrorKind, LimitError};

/// Why an aggregate has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AggregateError {
    /// The text of an aggregate that cannot be read.
    #[error(
        "{text:?} is not an aggregate: write count(*), sum(a), min(a), max(a), mean(a), null_count(a) or count(a)"
    )]
    Text {
        /// The text.
        text: String,
    },
    /// A field that the array does not have.
    #[error(transparent)]
    Unknown(UnknownName),
    /// An aggregate that a field has no values for.
    #[error("{function}({field}): there is none of a field that holds {}{}", .datatype.name(), if *.is_list { ", several in a cell" } else { "" })]
    Unfit {
        /// The aggregate.
        function: &'static str,
        /// The field.
        field: String,
        /// What it holds.
        datatype: Datatype,
        /// Whether a cell holds several values.
        is_list: bool,
    },
    /// An aggregate of the numbers of labels.
    #[error("{function}({field}): the values of the field are labels of an enumeration")]
    Labels {
        /// The aggregate.
        function: &'static str,
        /// The field.
        field: String,
    },
    /// A sum that no 64-bit integer holds.
    #[error("sum({field}): {sum} does not fit into 64 bits")]
    Overflow {
        /// The field.
        field: String,
        /// The sum.
        sum: i128,
    },
    /// A year that no 64-bit integer holds.
    #[error("year({field}): {year} does not fit into 64 bits")]
    Year {
        /// The field.
        field: String,
        /// The year.
        year: i128,
    },
    /// A histogram without bins, or with too many.
    #[error("a histogram has from 1 to {most} bins")]
    Bins {
        /// The most.
        most: usize,
    },
    /// A histogram of values that go on for ever.
    #[error("histogram({field}): the values are infinite, or too far apart")]
    Infinite {
        /// The field.
        field: String,
    },
    /// More groups than the memory of the session holds.
    #[error("{groups} groups are more than the memory allows")]
    Groups {
        /// Groups so far.
        groups: usize,
        /// The limit.
        source: LimitError,
    },
    /// Errors of reading.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Errors of columns.
    #[error(transparent)]
    Cells(#[from] CellsError),
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl AggregateError {
    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Text { .. }
            | Self::Unknown(_)
            | Self::Unfit { .. }
            | Self::Labels { .. }
            | Self::Bins { .. }
            | Self::Infinite { .. } => ErrorKind::Invalid,
            Self::Overflow { .. } | Self::Year { .. } | Self::Groups { .. } => ErrorKind::Limit,
            Self::Query(error) => error.kind(),
            Self::Cells(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The way out, where one is known.
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
