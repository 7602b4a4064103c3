//! Which of two cells comes first.
//!
//! [`CellComparator`] is the rule in full. [`KeyEncoder`] turns columns of coordinates into
//! integers that compare as the cells do, so that cells are sorted and merged as integers.
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

/// An order of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// That in which sparse fragments store them: by space tile, then by coordinates;
    /// or along the Hilbert curve.
    Global,
    /// By coordinates, the first dimension first.
    RowMajor,
    /// By coordinates, the last dimension first.
    ColumnMajor,
}
