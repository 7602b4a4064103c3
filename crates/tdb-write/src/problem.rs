//! Reasons why a write request is rejected.

use tdb_tile::Datatype;

/// Why the order of the cells is not possible for this array or this write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderProblem {
    /// [`WriteOrder::Unordered`](crate::WriteOrder::Unordered) for a dense array.
    #[error(
        "cells without an order cannot be written to a dense array: the order says where each belongs"
    )]
    Dense,
    /// Row-major or column-major order for a sparse array.
    #[error("cells of a sparse array are written in global order or in any")]
    Sparse,
    /// A [`Replacement`](crate::Replacement) in another order than global order.
    #[error(
        "cells that replace fragments must be written in global order, and this write has another one"
    )]
    Replacement,
    /// Tiles copied in a write that is not in global order.
    #[error("stored tiles can be copied only into a write in global order")]
    Copies,
    /// Tiles copied while the current tile is incomplete.
    #[error("stored tiles cannot be copied here: the tile that is being written is not full")]
    WithinTile,
    /// The first cell of the copied tiles has the coordinates of the last cell before them, in a write that keeps only
    /// the first of such cells.
    #[error(
        "the first cell of a copied tile has the coordinates of the cell before it, and only the first of such cells is kept"
    )]
    Repeated,
}

impl OrderProblem {
    /// Advice on how to proceed, if there is any.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::Dense => Some("write them in row-major, column-major or global order"),
            Self::Sparse => Some("leave the order out: the cells are sorted"),
            Self::Replacement | Self::Copies => Some("set the order of the write to global order"),
            Self::WithinTile => Some("write cells up to the end of the tile first"),
            Self::Repeated => Some("write the cells of this tile instead of copying it"),
        }
    }
}

/// Why a range does not fit its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeProblem {
    /// The bounds have another datatype than the dimension.
    #[error("is not of type {0}")]
    Type(Datatype),
    /// The lower bound is above the upper bound.
    #[error("ends before it begins")]
    Reversed,
    /// The range is not within the domain.
    #[error("leaves the domain")]
    OutsideDomain,
    /// The range is within the domain, but not within the current domain.
    #[error("leaves the current domain")]
    OutsideCurrentDomain,
}

/// Why coordinate columns or ranges are not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceProblem {
    /// Some batches have coordinate columns, others do not.
    #[error("some batches have columns for the dimensions, and some have none")]
    Mixed,
    /// Both coordinate columns and ranges were given.
    #[error(
        "both columns of the dimensions and ranges say where the cells belong, and only one of them may"
    )]
    Twice,
    /// A range for a sparse array.
    #[error("a range to be written is for dense arrays: sparse cells have coordinates")]
    Sparse,
    /// The box to write has no cell within the domain.
    #[error("the cells to be written do not lie within the domain")]
    OutsideDomain,
    /// The domain, or the box to write, has more cells than 64 bits can count.
    #[error("there are more cells than can be counted")]
    Uncountable,
}

impl PlaceProblem {
    /// Advice on how to proceed, if there is any.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            Self::Twice => Some("leave out the ranges, or the columns of the dimensions"),
            _ => None,
        }
    }
}
