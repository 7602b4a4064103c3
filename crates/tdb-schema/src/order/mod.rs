//! The orders of cells.
//!
//! [`CellComparator`] implements the complete rules. [`KeyEncoder`] encodes columns of coordinates
//! as integers that compare as the cells do, so that cells are sorted and merged as integers.
//!
//! Format: `docs/format/orders.md`.

mod column;
mod comparator;
mod divide;
mod encoder;
mod pack;
mod rule;
mod stored;
mod text;

pub use column::Column;
pub use comparator::CellComparator;
pub use encoder::{Key, KeyEncoder, KeyError, KeyWidth, Keys};
pub use rule::WriterRule;
pub use text::TextOrder;

/// An order in which cells can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// The order in which sparse fragments store cells: by space tile, then by coordinates; or
    /// along the Hilbert curve.
    Global,
    /// By coordinates; the first dimension is the most significant.
    RowMajor,
    /// By coordinates; the last dimension is the most significant.
    ColumnMajor,
}
