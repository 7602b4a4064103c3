use std::cmp::Ordering;

use crate::order::SortOrder;

/// The order of strings when cells are sorted; a prefix always comes first.
///
/// Ranges, bounds and conditions compare unsigned bytes in any order of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextOrder {
    /// By signed bytes, as sparse fragments store them.
    Signed,
    /// By unsigned bytes, as in results in row-major and column-major order.
    Unsigned,
}

impl TextOrder {
    /// Returns the order of strings within an order of cells.
    #[must_use]
    pub fn of(order: SortOrder) -> Self {
        match order {
            SortOrder::Global => Self::Signed,
            SortOrder::RowMajor | SortOrder::ColumnMajor => Self::Unsigned,
        }
    }

    /// Compares two strings.
    #[must_use]
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Unsigned => a.cmp(b),
            Self::Signed => match a.iter().zip(b).find(|(a, b)| a != b) {
                Some((a, b)) => a.cast_signed().cmp(&b.cast_signed()),
                None => a.len().cmp(&b.len()),
            },
        }
    }

    /// Returns the bits to flip in 16 bytes, so that bytes compared as unsigned are in this order.
    pub(crate) fn signs(self) -> u128 {
        match self {
            Self::Signed => u128::from_ne_bytes([0x80; 16]),
            Self::Unsigned => 0,
        }
    }
}
