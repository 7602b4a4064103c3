use std::fmt;

/// What is wrong with a column that is to be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// There is none.
    #[error("there is no column for it")]
    Missing,
    /// There are two.
    #[error("there are two columns for it")]
    Twice,
    /// It is of another type.
    #[error("its cells are {wanted}, the column has {found}")]
    Type {
        /// The datatype and number of values that the schema says.
        wanted: CellType,
        /// Those of the column.
        found: CellType,
    },
    /// A part of it has another length than its cells take.
    #[error("{what} should be {wanted} bytes long and are {found}")]
    Length {
        /// "values", "offsets" or "validity".
        what: &'static str,
        /// The length that the rows of the batch ask for.
        wanted: u64,
        /// The length of the column.
        found: u64,
    },
    /// A var-sized column without offsets, or another with them.
    #[error("offsets are {}", if *.wanted { "missing" } else { "given, and cells have a fixed size" })]
    Offsets {
        /// Whether the field needs them.
        wanted: bool,
    },
    /// The filters of the field write what nobody can read.
    #[error(transparent)]
    Filters(tdb_filters::FilterError),
}

/// A datatype, and how many values a cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellType(pub tdb_tile::Datatype, pub tdb_schema::CellValNum);

impl fmt::Display for CellType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.fixed() {
            Some(1) => self.0.fmt(f),
            Some(n) => write!(f, "{n} values of {}", self.0),
            None => write!(f, "any number of {}", self.0),
        }
    }
}

/// What is wrong with a cell that is to be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// Its coordinate lies outside the domain.
    #[error("{value} lies outside the domain")]
    OutsideDomain {
        /// The coordinate as text.
        value: String,
    },
    /// Its coordinate lies outside the current domain.
    #[error("{value} lies outside the current domain")]
    OutsideCurrentDomain {
        /// The coordinate as text.
        value: String,
    },
    /// Its coordinate is not a number.
    #[error("a coordinate cannot be NaN")]
    NotANumber,
    /// It is null in a field that cannot be.
    #[error("is null, and the field is not nullable")]
    Null,
    /// It begins before the cell before it ends, or ends beyond the values.
    #[error("its offsets {start} to {end} do not lie in order within {size} bytes of values")]
    Offsets {
        /// Where it begins.
        start: u64,
        /// Where it ends.
        end: u64,
        /// Bytes of values.
        size: u64,
    },
    /// It holds no whole number of values.
    #[error("{len} bytes are not a whole number of values of {size} bytes")]
    Fraction {
        /// Bytes of the cell.
        len: u64,
        /// Bytes of a value.
        size: u64,
    },
    /// A filter of its field cannot store one of its values.
    #[error("the filter {filter} of the field stores numbers from {range}, which {value} is not")]
    Unfit {
        /// The value as text.
        value: String,
        /// Name of the filter.
        filter: &'static str,
        /// The least and the greatest number that it stores, as text.
        range: String,
    },
    /// Another cell has the same coordinates.
    #[error("cell {other} has the same coordinates")]
    Duplicate {
        /// That cell.
        other: u64,
    },
    /// It comes before the cell before it.
    #[error("comes before cell {other} in global order")]
    NotSorted {
        /// The cell before it.
        other: u64,
    },
    /// Its value does not follow that of the cell before it, in a field whose values are in order.
    #[error(
        "{value} follows {before}, and each value of this field is {wanted} than the one before it"
    )]
    OutOfOrder {
        /// Its value as text.
        value: String,
        /// The value of the cell before it.
        before: String,
        /// "greater" or "less".
        wanted: &'static str,
    },
}
