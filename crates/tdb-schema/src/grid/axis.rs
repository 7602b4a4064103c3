use std::num::NonZeroU64;

use bytes::Bytes;
use tdb_tile::{Datatype, Range};

use crate::Dimension;
use crate::coordinate::{extent_value, whole, whole_bytes};

/// A dimension of whole numbers. Its cells and space tiles are numbered from 0 at the start of the
/// domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridAxis {
    datatype: Datatype,
    start: i128,
    last: u64,
    /// `None` if one tile covers the whole domain.
    extent: Option<NonZeroU64>,
}

impl GridAxis {
    /// Creates the axis of a dimension; `None` for strings and floats.
    #[must_use]
    pub fn new(dimension: &Dimension) -> Option<Self> {
        let datatype = dimension.datatype;
        let domain = dimension.domain.as_ref()?;
        let start = whole(datatype, &domain.lo)?;
        let last = whole(datatype, &domain.hi)?.checked_sub(start)?;
        let extent = match &dimension.extent {
            Some(extent) => Some(NonZeroU64::new(extent_value(datatype, extent)?)?),
            None => None,
        };
        Some(Self {
            datatype,
            start,
            last: u64::try_from(last).ok()?,
            extent,
        })
    }

    /// The datatype of coordinates.
    #[must_use]
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The number of the domain's last cell; the domain has one cell more.
    #[must_use]
    pub fn last_cell(&self) -> u64 {
        self.last
    }

    /// Number of cells of a space tile.
    #[must_use]
    pub fn extent(&self) -> u128 {
        match self.extent {
            Some(extent) => u128::from(extent.get()),
            None => one_more(self.last),
        }
    }

    /// Number of space tiles that the domain touches.
    #[must_use]
    pub fn tiles(&self) -> u128 {
        one_more(self.tile_of(self.last))
    }

    /// Returns the number of the cell at a coordinate; `None` outside the domain.
    #[must_use]
    pub fn cell(&self, coordinate: &[u8]) -> Option<u64> {
        let above = whole(self.datatype, coordinate)?.checked_sub(self.start)?;
        u64::try_from(above).ok().filter(|&cell| cell <= self.last)
    }

    /// Returns the coordinate of a cell; `None` outside the domain.
    #[must_use]
    pub fn value(&self, cell: u64) -> Option<Bytes> {
        if cell > self.last {
            return None;
        }
        let value = self.start.checked_add(i128::from(cell))?;
        whole_bytes(self.datatype, value).map(Bytes::from)
    }

    /// Returns the first and last cell of a range; `None` if the range is not within the domain.
    #[must_use]
    pub fn cells(&self, range: &Range) -> Option<(u64, u64)> {
        let (lo, hi) = (self.cell(&range.lo)?, self.cell(&range.hi)?);
        (lo <= hi).then_some((lo, hi))
    }

    /// Returns the first and last cell of the part of a range within the domain; `None` if there is
    /// none.
    #[must_use]
    pub fn clipped_cells(&self, range: &Range) -> Option<(u64, u64)> {
        let above = |end| whole(self.datatype, end)?.checked_sub(self.start);
        let (lo, hi) = (above(&range.lo)?, above(&range.hi)?);
        let last = i128::from(self.last);
        if lo > hi || hi < 0 || lo > last {
            return None;
        }
        let cell = |above: i128| u64::try_from(above.clamp(0, last)).ok();
        Some((cell(lo)?, cell(hi)?))
    }

    /// Returns the number of the space tile that contains a cell.
    #[must_use]
    pub fn tile_of(&self, cell: u64) -> u64 {
        match self.extent {
            Some(extent) => cell / extent,
            None => 0,
        }
    }

    /// Returns the first and last cell of a space tile, clipped to the domain.
    #[must_use]
    pub fn cells_of_tile(&self, tile: u64) -> (u64, u64) {
        match self.extent {
            Some(extent) => {
                let first = tile.saturating_mul(extent.get());
                let last = first.saturating_add(extent.get().saturating_sub(1));
                (first, last.min(self.last))
            }
            None => (0, self.last),
        }
    }

    /// Appends the coordinates of the cells from `first` to `last`, all within the domain.
    fn append_run(&self, first: u64, last: u64, out: &mut Vec<u8>) {
        match self.datatype.size() {
            1 => count_up::<1>(self.start, first, last, out),
            2 => count_up::<2>(self.start, first, last, out),
            4 => count_up::<4>(self.start, first, last, out),
            _ => count_up::<8>(self.start, first, last, out),
        }
    }

    /// Appends the coordinates of the cells from `first` to `last`, each repeated `times` times.
    pub fn append_values(&self, first: u64, last: u64, times: usize, out: &mut Vec<u8>) {
        let last = last.min(self.last);
        if times == 1 {
            return self.append_run(first, last, out);
        }
        let mut values = Vec::new();
        self.append_run(first, last, &mut values);
        for value in values.chunks_exact(self.datatype.size()) {
            out.extend_from_slice(&value.repeat(times));
        }
    }
}

/// Returns the number of the numbers from 0 to `last`.
fn one_more(last: u64) -> u128 {
    u128::from(last) + 1
}

/// Number of coordinates that are made at once.
const BLOCK: usize = 128;

/// Appends the coordinates of the cells from `first` to `last` of a domain from `start` on, each as the `SIZE` low
/// bytes of the computed number, which are its stored form, signed or not.
fn count_up<const SIZE: usize>(start: i128, first: u64, last: u64, out: &mut Vec<u8>) {
    let mut block = [[0; SIZE]; BLOCK];
    for begin in (first..=last).step_by(BLOCK) {
        // The last block may go past `last`, and `last` may be the greatest `u64`: only `i128` holds what follows it.
        let of_begin = start.wrapping_add(i128::from(begin));
        for (place, value) in block.iter_mut().zip(of_begin..) {
            for (byte, of_value) in place.iter_mut().zip(value.to_le_bytes()) {
                *byte = of_value;
            }
        }
        let left = usize::try_from(last.abs_diff(begin)).ok();
        let made = left.and_then(|left| block.get(..=left)).unwrap_or(&block);
        out.extend_from_slice(made.as_flattened());
    }
}
