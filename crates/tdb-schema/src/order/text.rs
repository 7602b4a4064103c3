use std::cmp::Ordering;

use crate::order::SortOrder;

/// How strings compare when cells are put in order; a prefix always comes first.
///
/// Ranges, bounds and conditions compare bytes without a sign, whatever the order of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextOrder {
    /// By bytes with a sign: as sparse fragments store them.
    Signed,
    /// By bytes without a sign: results in row-major and column-major order.
    Unsigned,
}

impl TextOrder {
    /// How strings compare in an order of cells.
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

    /// What is to be changed of bytes, so that they compare the same as numbers without a sign.
    pub(crate) fn signs(self) -> u128 {
        match self {
            Self::Signed => u128::from_ne_bytes([0x80; 16]),
            Self::Unsigned => 0,
        }
    }
}
