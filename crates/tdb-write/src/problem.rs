//! What can be wrong with a request to write.

use tdb_tile::Datatype;

/// An order of cells that does not fit what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderProblem {
    /// Cells of a dense array that are to come in any order.
    #[error("cells of a dense array have an order")]
    Dense,
    /// Cells of a sparse array that are to come row by row, or column by column.
    #[error("cells of a sparse array are written in global order or in any")]
    Sparse,
    /// Cells that take the place of others, in another order than theirs.
    #[error("cells in the place of others are written in global order")]
    Replacement,
    /// Tiles among cells that come in any order.
    #[error("tiles are copied in global order")]
    Copies,
    /// Tiles where the cells before them do not end with a tile.
    #[error("tiles are copied within a tile")]
    WithinTile,
    /// Tiles that begin with the last cell before them, where the first of such cells is kept.
    #[error("a copied tile repeats a cell")]
    Repeated,
}

impl OrderProblem {
    /// The way out, if there is one.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::Dense => Some("write them in row-major, column-major or global order"),
            Self::Sparse => Some("leave the order out: the cells are sorted"),
            _ => None,
        }
    }
}

/// A range to be written that does not fit its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeProblem {
    /// Its ends are of another type.
    #[error("is not of type {0}")]
    Type(Datatype),
    /// Its ends are in the wrong order.
    #[error("ends before it begins")]
    Reversed,
    /// It is not within the domain.
    #[error("leaves the domain")]
    OutsideDomain,
    /// It is within the domain, and not within the current domain.
    #[error("leaves the current domain")]
    OutsideCurrentDomain,
}

/// Cells that say where they belong, or ranges that do, where they must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceProblem {
    /// Some batches say where their cells belong, others do not.
    #[error("some batches have columns for the dimensions, and some have none")]
    Mixed,
    /// The cells say where they belong, and a range does, too.
    #[error("cells that say where they belong take no range")]
    Twice,
    /// A range for cells of a sparse array.
    #[error("a range to be written is for dense arrays: sparse cells have coordinates")]
    Sparse,
    /// What is written has no cell within the domain.
    #[error("the cells to be written do not lie within the domain")]
    OutsideDomain,
    /// The domain, or what is written of it, has more cells than there are numbers.
    #[error("there are more cells than can be counted")]
    Uncountable,
}

impl PlaceProblem {
    /// The way out, if there is one.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::Twice => Some("leave out the range, or the columns of the dimensions"),
            _ => None,
        }
    }
}
