use std::fmt;

/// A problem with a column that is to be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// The field has no column.
    #[error("there is no column for it")]
    Missing,
    /// The field has two columns.
    #[error("there are two columns for it")]
    Twice,
    /// The column has another type than the field.
    #[error("its cells are {wanted}, the column has {found}")]
    Type {
        /// Type in the schema.
        wanted: CellType,
        /// Type of the column.
        found: CellType,
    },
    /// The length of a part of the column does not match the number of cells.
    #[error("{what} should be {wanted} bytes long and are {found}")]
    Length {
        /// "values", "offsets" or "validity".
        what: &'static str,
        /// Expected length in bytes.
        wanted: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// A var-sized column without offsets, or a column of fixed size with offsets.
    #[error("offsets are {}", if *.wanted { "missing" } else { "given, and cells have a fixed size" })]
    Offsets {
        /// True if a var-sized field lacks offsets; false if a field of fixed size has them.
        wanted: bool,
    },
    /// The filters of the field would write data that cannot be read back.
    #[error(transparent)]
    Filters(tdb_filters::FilterError),
}

/// A datatype and the number of values per cell.
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

/// A problem with a cell that is to be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellProblem {
    /// The coordinate is outside the domain.
    #[error("{value} lies outside the domain")]
    OutsideDomain {
        /// The coordinate as text.
        value: String,
    },
    /// The coordinate is outside the current domain.
    #[error("{value} lies outside the current domain")]
    OutsideCurrentDomain {
        /// The coordinate as text.
        value: String,
    },
    /// The coordinate is NaN.
    #[error("a coordinate cannot be NaN")]
    NotANumber,
    /// The cell is null in a field that is not nullable.
    #[error("is null, and the field is not nullable")]
    Null,
    /// The cell begins before the end of the previous one, or ends beyond the values.
    #[error("its offsets {start} to {end} do not lie in order within {size} bytes of values")]
    Offsets {
        /// Start of the cell.
        start: u64,
        /// End of the cell.
        end: u64,
        /// Size of the values, in bytes.
        size: u64,
    },
    /// The size of the cell is not a multiple of the size of a value.
    #[error("{len} bytes are not a whole number of values of {size} bytes")]
    Fraction {
        /// Size of the cell, in bytes.
        len: u64,
        /// Size of a value, in bytes.
        size: u64,
    },
    /// A filter of the field cannot store a value of the cell.
    #[error("the filter {filter} of the field stores numbers from {range}, which {value} is not")]
    Unfit {
        /// The value as text.
        value: String,
        /// Name of the filter.
        filter: &'static str,
        /// The least and the greatest number that the filter can store, as text.
        range: String,
    },
    /// Another cell has the same coordinates.
    #[error("cell {other} has the same coordinates")]
    Duplicate {
        /// Number of the other cell.
        other: u64,
    },
    /// The cell precedes the cell before it in global order.
    #[error("comes before cell {other} in global order")]
    NotSorted {
        /// Number of the cell before it.
        other: u64,
    },
    /// The value violates the declared order of the field's values.
    #[error(
        "{value} follows {before}, and each value of this field is {wanted} than the one before it"
    )]
    OutOfOrder {
        /// The value as text.
        value: String,
        /// The value of the previous cell, as text.
        before: String,
        /// "greater" or "less".
        wanted: &'static str,
    },
}
