use std::ops::Range;

use zerocopy::little_endian::U64;

/// The coordinates of many cells along one dimension, as they are stored.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Numbers, one behind the other.
    Fixed(&'a [u8]),
    /// Strings.
    Var {
        /// Where each string starts in `data`.
        offsets: &'a [U64],
        /// The strings, one behind the other.
        data: &'a [u8],
    },
}

impl<'a> Column<'a> {
    /// How many cells there are; `size` is that of a number.
    #[must_use]
    pub fn len(&self, size: usize) -> usize {
        match self {
            Self::Fixed(bytes) => bytes.len().checked_div(size).unwrap_or(0),
            Self::Var { offsets, .. } => offsets.len(),
        }
    }

    /// The coordinates of some of the cells; `size` is that of a number. `None` where there are not so many.
    #[must_use]
    pub fn part(&self, rows: Range<usize>, size: usize) -> Option<Self> {
        match self {
            Self::Fixed(bytes) => {
                let bytes = bytes.get(rows.start.checked_mul(size)?..rows.end.checked_mul(size)?);
                Some(Self::Fixed(bytes?))
            }
            Self::Var { offsets, data } => {
                let end = match offsets.get(rows.end) {
                    Some(end) => usize::try_from(end.get()).ok()?,
                    None => data.len(),
                };
                Some(Self::Var {
                    offsets: offsets.get(rows)?,
                    data: data.get(..end)?,
                })
            }
        }
    }

    /// The string of a cell; `None` for numbers, and where the offsets are out of order.
    #[must_use]
    pub fn cell(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            Self::Fixed(_) => None,
            Self::Var { data, .. } => data.get(self.range(row)?),
        }
    }

    /// Where the string of a cell stands; `None` as for [`Column::cell`].
    pub(crate) fn range(&self, row: usize) -> Option<Range<usize>> {
        match self {
            Self::Fixed(_) => None,
            Self::Var { offsets, data } => {
                let start = usize::try_from(offsets.get(row)?.get()).ok()?;
                let end = match offsets.get(row.checked_add(1)?) {
                    Some(end) => usize::try_from(end.get()).ok()?,
                    None => data.len(),
                };
                (start <= end && end <= data.len()).then_some(start..end)
            }
        }
    }

    /// The stored form of a cell's coordinate; `size` is that of a number.
    #[must_use]
    pub fn value(&self, row: usize, size: usize) -> Option<&'a [u8]> {
        match self {
            Self::Fixed(bytes) => {
                let start = row.checked_mul(size)?;
                bytes.get(start..start.checked_add(size)?)
            }
            Self::Var { .. } => self.cell(row),
        }
    }
}
