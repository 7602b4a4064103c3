use std::ops::Range;

use zerocopy::little_endian::U64;

/// The coordinates of many cells along one dimension, in stored form.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// Numbers, stored back to back.
    Fixed(&'a [u8]),
    /// Strings of any length.
    Var {
        /// The start of each string in `data`.
        offsets: &'a [U64],
        /// The bytes of all strings, stored back to back.
        data: &'a [u8],
    },
}

impl<'a> Column<'a> {
    /// Returns the coordinates of a range of cells; `size` is the size of a number in bytes. `None`
    /// if there are fewer cells.
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

    /// Returns the string of a cell; `None` for numbers, and if offsets are out of order.
    #[must_use]
    pub fn cell(&self, row: usize) -> Option<&'a [u8]> {
        match self {
            Self::Fixed(_) => None,
            Self::Var { data, .. } => data.get(self.range(row)?),
        }
    }

    /// Returns the byte range of a cell's string in the data; `None` as for [`Column::cell`].
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

    /// Returns the stored form of a cell's coordinate; `size` is the size of a number in bytes.
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
