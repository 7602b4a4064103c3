//! A picture in memory.

use bytes::Bytes;
use tdb_schema::grid::GridAxis;
use tdb_tile::{Datatype, Grant, Scalar, with_scalar};

/// Along what the rows or the columns of a picture go.
#[derive(Clone, Debug)]
pub struct PictureAxis {
    /// The dimension.
    pub dimension: String,
    /// The type of its coordinates.
    pub datatype: Datatype,
    /// Cells of the slice along it, of which [`positions`](Self::positions) are drawn.
    pub cells: u64,
    /// The cell of each pixel, counted from the start of the domain.
    pub positions: Vec<u64>,
    pub(super) grid: GridAxis,
    pub(super) first: u64,
}

impl PictureAxis {
    /// The coordinate at a cell, as it is stored.
    #[must_use]
    pub fn coordinate(&self, position: u64) -> Option<Bytes> {
        self.grid.value(position)
    }

    /// The coordinates of the first and the last cell of the slice.
    #[must_use]
    pub fn ends(&self) -> Option<(Bytes, Bytes)> {
        let last = self.first.checked_add(self.cells.checked_sub(1)?)?;
        Some((self.grid.value(self.first)?, self.grid.value(last)?))
    }

    /// Whether cells lie between those of the pixels.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        (self.positions.len() as u64) < self.cells
    }
}

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pixel {
    /// A number.
    Number(f64),
    /// A colour: red, green, blue, opacity.
    Color([u8; 4]),
    /// A null cell.
    Null,
    /// A floating-point number that is none.
    NotANumber,
    /// No cell was written here, or it holds the fill value. Of fields of eight bits the former alone, unless a condition
    /// is given: their fill value is also white.
    Empty,
}

/// A slice of a dense array, cell by cell or sampled.
#[derive(Debug)]
pub struct Picture {
    /// The attribute that is drawn.
    pub attribute: String,
    /// The type of its values.
    pub datatype: Datatype,
    /// Along what the rows go; none where the slice is a single row.
    pub rows: Option<PictureAxis>,
    /// Along what the columns go.
    pub columns: PictureAxis,
    /// The dimensions that are neither, each with its only cell.
    pub fixed: Vec<PictureAxis>,
    /// Numbers that make up a pixel: 1, or 3 or 4 where they are a colour.
    pub channels: usize,
    pub(super) values_of_cell: usize,
    pub(super) fill: Bytes,
    /// Whether the fill value tells that there is nothing.
    pub(super) is_fill_told: bool,
    pub(super) values: Vec<u8>,
    pub(super) validity: Option<Vec<bool>>,
    pub(super) written: Vec<bool>,
    /// Cells from one row, column and channel to the next.
    pub(super) steps: [usize; 3],
    pub(super) _held: Grant,
}

impl Picture {
    /// Pixels in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.positions.len()
    }

    /// Rows of pixels.
    #[must_use]
    pub fn height(&self) -> usize {
        self.rows.as_ref().map_or(1, |rows| rows.positions.len())
    }

    /// Whether cells lie between those that are shown.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.columns.is_sampled() || self.rows.as_ref().is_some_and(PictureAxis::is_sampled)
    }

    /// The stored bytes of a value, null or not.
    #[must_use]
    pub fn stored(&self, row: usize, column: usize, channel: usize) -> Option<&[u8]> {
        let size = self.datatype.size();
        let start = self.place(row, column, channel)?.checked_mul(size)?;
        self.values.get(start..start.checked_add(size)?)
    }

    /// What a pixel shows; `None` outside of the picture.
    #[must_use]
    pub fn pixel(&self, row: usize, column: usize) -> Option<Pixel> {
        let at = row.checked_mul(self.width())?.checked_add(column)?;
        let is_written = *self.written.get(at)?;
        if !is_written {
            return Some(Pixel::Empty);
        }
        if let Some(validity) = &self.validity {
            let cell = self
                .place(row, column, 0)?
                .checked_div(self.values_of_cell)?;
            if !*validity.get(cell)? {
                return Some(Pixel::Null);
            }
        }
        if self.channels > 1 {
            let mut color = [u8::MAX; 4];
            for (channel, part) in color.iter_mut().enumerate().take(self.channels) {
                *part = *self.stored(row, column, channel)?.first()?;
            }
            return Some(Pixel::Color(color));
        }
        let stored = self.stored(row, column, 0)?;
        #[expect(clippy::unnecessary_cast, reason = "it is for one type of many")]
        let number = with_scalar!(self.datatype, T => T::read(stored).map(|value| value as f64))?;
        Some(match () {
            () if number.is_nan() => Pixel::NotANumber,
            () if self.is_fill_told && stored == self.fill => Pixel::Empty,
            () => Pixel::Number(number),
        })
    }

    /// The least and the greatest number that is shown; infinities and colours do not count.
    #[must_use]
    pub fn scale(&self) -> Option<(f64, f64)> {
        let rows = 0..self.height();
        let pixels = rows.flat_map(|row| (0..self.width()).map(move |column| (row, column)));
        let numbers = pixels.filter_map(|(row, column)| match self.pixel(row, column)? {
            Pixel::Number(number) if number.is_finite() => Some(number),
            _ => None,
        });
        numbers.fold(None, |ends, number| match ends {
            None => Some((number, number)),
            Some((lo, hi)) => Some((number.min(lo), number.max(hi))),
        })
    }

    /// The number of the value in memory.
    fn place(&self, row: usize, column: usize, channel: usize) -> Option<usize> {
        let is_inside = row < self.height() && column < self.width() && channel < self.channels;
        let steps = [row, column, channel].into_iter().zip(self.steps);
        let mut places = steps.map(|(index, step)| index.checked_mul(step));
        is_inside.then(|| places.try_fold(0_usize, |sum, place| sum.checked_add(place?)))?
    }
}
