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

    /// A byte as a number without a sign that compares the same.
    pub(crate) fn rank(self, byte: u8) -> u8 {
        match self {
            Self::Signed => byte ^ 0x80,
            Self::Unsigned => byte,
        }
    }
}
